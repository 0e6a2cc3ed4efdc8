"""Checks of this machine: free room on its disks, and how long the certificate is good."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cached_property, partial

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.smtp_in.certificate import good_between, load_certificate, why_not_now
from pbm.service.health.results import CheckResult, DubiousError, checked
from pbm.service.running.disks import Disk, disks

LEAST_LEFT = timedelta(days=14)


class Machine:
    """This machine as it is now: each disk, and the certificate, are looked at once. May block."""

    def __init__(self, settings: Settings, now: datetime) -> None:
        self._settings, self._now = settings, now

    @cached_property
    def disks(self) -> list[Disk]:
        """The disks that the server writes to. Raises OperatorError and OSError."""
        return disks(self._settings)

    @cached_property
    def certificate(self) -> tuple[datetime, datetime]:
        """From when until when PBM_TLS_CERT is good. Raises OperatorError if it is none."""
        context = load_certificate(self._settings.tls_cert, self._settings.tls_key)
        assert context is not None  # one of the two is set
        return good_between(context, self._settings.tls_cert)

    def results(self) -> list[CheckResult]:
        """Return a result for each disk, and one for the certificate if there is one."""
        results = list(self.disk_results())
        if self._settings.tls_cert or self._settings.tls_key:
            results.append(checked("certificate", self.certificate_state))
        return results

    def disk_results(self) -> Iterator[CheckResult]:
        try:
            found = self.disks
        except OperatorError:  # the database check reports it
            return
        except OSError as error:
            yield CheckResult(False, "disk", f"It cannot be looked at: {error}.")
            return
        for disk in found:
            yield checked("disk", partial(_disk, disk))

    def certificate_state(self) -> str:
        """Return path and expiry of PBM_TLS_CERT. Raises OperatorError if it is bad, or soon."""
        (begin, end), name = self.certificate, self._settings.tls_cert
        if not_now := why_not_now(begin, end, self._now):
            raise OperatorError(f"{name} {not_now}")
        if end < self._now + LEAST_LEFT:
            raise OperatorError(
                f"{name} is good until {end:%Y-%m-%d %H:%M} UTC only, less than "
                f"{LEAST_LEFT.days} days. Renew it, and see why that has not happened by itself."
            )
        return f"{name}, good until {end:%Y-%m-%d %H:%M} UTC"


def machine_results(settings: Settings, clock: Clock) -> list[CheckResult]:
    return Machine(settings, clock()).results()


def _disk(disk: Disk) -> str:
    if disk.is_short:
        raise OperatorError(f"{disk}. Mails are refused where nothing can be written: make room.")
    if disk.is_little:
        raise DubiousError(f"{disk}. Make room before it is full: mails are refused then.")
    return str(disk)
