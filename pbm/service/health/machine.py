"""Checks of this machine: free room on its disks, and how long the certificate is good."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.smtp_in.certificate import good_between, load_certificate, why_not_now
from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.service.running.disks import Disk, disks

LEAST_LEFT = timedelta(days=14)


def machine_results(settings: Settings, clock: Clock) -> list[CheckResult]:
    """Return a result for each disk, and one for the certificate if there is one. May block."""
    results = list(disk_results(settings))
    if settings.tls_cert or settings.tls_key:
        results.append(checked("certificate", partial(certificate_state, settings, clock())))
    return results


def disk_results(settings: Settings) -> Iterator[CheckResult]:
    try:
        found = disks(settings)
    except OperatorError:  # the database check reports it
        return
    except OSError as error:
        yield CheckResult(False, "disk", f"It cannot be looked at: {error}.")
        return
    for disk in found:
        yield checked("disk", partial(_disk, disk))


def _disk(disk: Disk) -> str:
    if disk.is_short:
        raise OperatorError(f"{disk}. Mails are refused where nothing can be written: make room.")
    if disk.is_little:
        raise DubiousError(f"{disk}. Make room before it is full: mails are refused then.")
    return str(disk)


def certificate_times(settings: Settings) -> tuple[datetime, datetime]:
    """Return from when until when PBM_TLS_CERT is good. Raises OperatorError if it is none."""
    context = load_certificate(settings.tls_cert, settings.tls_key)
    assert context is not None  # one of the two is set
    return good_between(context, settings.tls_cert)


def certificate_state(settings: Settings, now: datetime) -> str:
    """Return path and expiry of PBM_TLS_CERT. Raises OperatorError if it is bad, now or soon."""
    begin, end = certificate_times(settings)
    if not_now := why_not_now(begin, end, now):
        raise OperatorError(f"{settings.tls_cert} {not_now}")
    if end < now + LEAST_LEFT:
        raise OperatorError(
            f"{settings.tls_cert} is good until {end:%Y-%m-%d %H:%M} UTC only, less than "
            f"{LEAST_LEFT.days} days. Renew it, and see why that has not happened by itself."
        )
    return f"{settings.tls_cert}, good until {end:%Y-%m-%d %H:%M} UTC"
