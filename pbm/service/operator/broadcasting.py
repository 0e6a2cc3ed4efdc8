"""Words of the operator to all players."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path

from pbm.errors import OperatorError
from pbm.mail.writing.render import Renderer
from pbm.play import broadcasts
from pbm.service.operator.operator_session import OperatorSession
from pbm.store.db import UnitOfWork


@dataclass(frozen=True)
class Planned:
    """A broadcast: how many get it, who does not and why, and the mail as text."""

    readers: int
    minutes: int
    others: Mapping[str, int]
    mail: str


def broadcast(session: OperatorSession, text: str, why: str) -> Planned:
    """Let words, or those of a file, go out to all players.

    Raises OperatorError if there are none or too many, or another broadcast is still going out.
    """
    lines = _lines(text)
    with session.act(why) as act:
        planned = _planned(act.work, lines)
        broadcasts.begin(act.work, lines, act.now)
        act.note("broadcast", players=planned.readers)
        return planned


def _lines(text: str) -> list[str]:
    is_name = "\n" not in text and len(text) < 256
    if is_name and Path(text).is_file():
        try:
            text = Path(text).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise OperatorError(f"{text} cannot be read as text in UTF-8: {error}") from error
    lines = text.strip().splitlines()
    if not any(map(str.strip, lines)):
        raise OperatorError("There are no words to send.")
    if len(text) > broadcasts.LONGEST:
        raise OperatorError(f"A broadcast has {broadcasts.LONGEST} characters at most.")
    return lines


def _planned(work: UnitOfWork, lines: list[str]) -> Planned:
    why = [broadcasts.why_not(player) for player in work.players.all() if not player.robot]
    found = Counter(reason for reason in why if reason)
    section = {"section": broadcasts.SECTION, "lines": lines}
    rendered = Renderer().render("answer", {"sections": [section], "last": False})
    rounds = ceil(len(why) / broadcasts.AT_ONCE)
    minutes = ceil(rounds * broadcasts.EVERY / timedelta(minutes=1))
    mail = f"Subject: {rendered.subject}\n\n{rendered.text.rstrip()}"
    return Planned(why.count(None), minutes, found, mail)
