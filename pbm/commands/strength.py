"""How strong the robots are, for the help: read from the table that `make arena` writes."""

import re
from collections.abc import Iterator

from pbm.resources import strength_file

_PART = re.compile(r"<!-- arena ladder -->(.*?)<!-- /arena ladder -->", re.DOTALL)
_ROW = re.compile(r"\| `(\w+)` v `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|")


def strength_told(only: str = "") -> str:
    """What came of the robots' games with each other, a sentence for each pair of them; of `only`
    one robot, if it is named. Empty where they were not measured."""
    path = strength_file()
    return " ".join(_told(path.read_text(encoding="utf-8"), only)) if path else ""


def _told(page: str, only: str) -> Iterator[str]:
    part = _PART.search(page)
    for first, second, won, neither, lost in _ROW.findall(part[1] if part else ""):
        if only in ("", first, second):
            games = int(won) + int(neither) + int(lost)
            drawn = f"; {neither} had no winner" if int(neither) else ""
            yield f"{first} won {won} of {games} games against {second}{drawn}."
