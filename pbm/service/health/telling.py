"""Mails the operator what has become red: at most once a day, and only what is new."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from pbm.commands.turn import Turn
from pbm.service.health.results import CheckResult
from pbm.service.telling.mail_writer import MailWriter

_RED = "red"  # the fact with what was red at the last look, and what the operator was told of
_ONCE_IN = timedelta(days=1)
_TOLD_AT_ONCE = "queue"  # each cause has a mail of its own


def tell_what_is_red(turn: Turn, results: Iterable[CheckResult]) -> None:
    """Mail the operator of failed checks.

    A check counts once it has failed twice in a row: processes start one after the other. One that
    is good again is forgotten, and told anew when it fails the next time.
    """
    red = {one.what: one.text for one in results if not one.good and one.what != _TOLD_AT_ONCE}
    fact = turn.work.facts.find(_RED, lock=True)
    known: dict[str, Any] = fact.value if fact else {"seen": [], "told": [], "at": ""}
    told = [name for name in known["told"] if name in red]
    new = [name for name in known["seen"] if name in red and name not in told]
    # Also where the clock was ahead: then the last mail has a time that has not come yet.
    waits = known["at"] and abs(turn.now - datetime.fromisoformat(known["at"])) < _ONCE_IN
    if waits or not turn.site.operator:
        new = []
    if new:
        faults = [{"what": name, "text": red[name]} for name in new]
        MailWriter(turn).notice(turn.site.operator, "red-operator", {"faults": faults})
    at = turn.now.isoformat() if new else known["at"]
    turn.work.facts.note(_RED, {"seen": list(red), "told": told + new, "at": at}, turn.now)
