"""`pbm-admin doctor`: sends forged results through the mail server in front, to test it.

The running pbm stores how they arrive.
"""

import smtplib
import time
from collections.abc import Iterator
from email.utils import format_datetime

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keys import new_token
from pbm.mail.reading.auth_results import Front, probe_mail
from pbm.service.health.processes import role_results
from pbm.service.health.results import CheckResult
from pbm.service.intake import upstream_mta
from pbm.service.intake.upstream_mta import Arrival
from pbm.service.operator.checks import reading
from pbm.service.operator.correspondence import reply_text
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.running.hold import hold_of

_SECONDS = 60
_LOOK_AGAIN = 0.1
_SENDER = "doctor@probe.invalid"
_OWN = {
    "above": "{name} has put its own on top",
    "below": (
        "{name} has put its own right below its Received, where forged ones would be: "
        "mail must not come in while what removes those is not running"
    ),
    "": (
        "none of {name} in this probe, perhaps since it checks nothing that comes from here; "
        "those on top of its Received will count"
    ),
}
_AGAIN = "Nothing that it says counts until this command has found it in order."


def examine_front(
    settings: Settings, session: OperatorSession, host: str, port: int, wait: float
) -> Iterator[CheckResult]:
    """Probe the upstream server; store whether its authentication results can be trusted."""
    name = settings.front_name
    if not name:
        raise OperatorError(
            "PBM_AUTHSERV_ID is not set, so nothing that a mail server says of senders counts. "
            "Set it to the first word of the Authentication-Results that yours writes."
        )
    with session.look() as work:
        if held := hold_of(work):
            raise OperatorError(f"The server is {held}. It reads no probe before pbm-admin release")
    roles = reading(settings, role_results, session.clock)
    if dead := [result for result in roles if not result.good]:
        yield from dead
        return
    token = new_token()
    with session.act(None) as act:
        mark = upstream_mta.expect_probe(act.work, token, name, act.now)
    date = format_datetime(session.clock())
    recipient = session.site.address.probe(token)
    try:
        _send(host, port, recipient, probe_mail(mark, _SENDER, recipient, name, date))
        arrival = _await(session, token, wait)
    except OperatorError as error:
        with session.act(None) as act:  # what an earlier probe has found stays valid
            upstream_mta.doubt_front(act.work, name, str(error), act.now)
        raise
    results = _results(name, arrival)
    bad = [f"{result.what}: {result.text}" for result in results if not result.good]
    with session.act(None) as act:
        if not bad and arrival.seen.hops:
            front = Front(name, arrival.seen.hops, below=arrival.seen.own == "below")
            upstream_mta.note_front(act.work, front, act.now)
        else:
            upstream_mta.forget_front(act.work)
            upstream_mta.doubt_front(act.work, name, " ".join(bad), act.now)
        act.note("front not believed" if bad else "front believed", name=name)
    yield CheckResult(True, "way", f"a probe went through {host} port {port} and arrived here")
    yield from results


def _results(name: str, arrival: Arrival) -> list[CheckResult]:
    seen = arrival.seen
    peer = f"{arrival.peer} handed it over, one of PBM_TRUSTED_PEERS"
    if not arrival.trusted:
        peer = f"{arrival.peer} handed it over, which is not one of PBM_TRUSTED_PEERS. {_AGAIN}"
    hops = f"{seen.hops} added on the way"
    if not seen.hops:
        lost = "its Received fields are removed" if seen.hops is None else "it got no Received"
        hops = f"{lost}, so nobody can tell what was added at the front. {_AGAIN}"
    forged = f"those of {name} were removed"
    if seen.survived:
        forged = (
            f"Results of {name} that the probe had forged came through "
            f"({', '.join(dict.fromkeys(seen.survived))}). Let your mail server remove every "
            f"Authentication-Results of that name from what comes in. {_AGAIN}"
        )
    return [
        CheckResult(arrival.trusted, "peer", peer),
        CheckResult(bool(seen.hops), "Received", hops),
        CheckResult(not seen.survived, "forged results", forged),
        CheckResult(True, "own results", _OWN[seen.own].format(name=name)),
    ]


def _send(host: str, port: int, recipient: str, raw: bytes) -> None:
    where = f"{host} port {port}"
    try:
        with smtplib.SMTP(host, port, local_hostname="probe.invalid", timeout=_SECONDS) as smtp:
            smtp.sendmail("", [recipient], raw)
    except smtplib.SMTPRecipientsRefused as error:
        ((code, reply),) = error.recipients.values()
        token = recipient.partition("@")[0].rpartition(".")[2]
        shown = recipient.replace(token, "...")
        raise OperatorError(
            f"{where} does not take mail for {shown}: {code} {reply_text(reply)}"
        ) from error
    except smtplib.SMTPResponseException as error:
        raise OperatorError(
            f"{where} does not take the probe: {error.smtp_code} {reply_text(error.smtp_error)}"
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        raise OperatorError(f"{where} does not answer as a mail server ({error}).") from error


def _await(session: OperatorSession, token: str, seconds: float) -> Arrival:
    end = time.monotonic() + seconds
    while True:
        with session.look() as work:
            arrival = upstream_mta.arrival_of(work, token)
        if arrival is not None:
            return arrival
        if time.monotonic() > end:
            raise OperatorError(
                f"The probe has not arrived within {seconds:g} seconds. Does pbm serve run, and "
                "does that mail server pass mail on to it? Its log will say."
            )
        time.sleep(_LOOK_AGAIN)
