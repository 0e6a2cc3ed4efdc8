"""Records of games: a whole game as one value, and as text in several forms.

A `Record` names the board and holds every step: moves in canonical text, and seats that left.
Making one replays it, so a record is always a game that the rules allow; RecordError has the ply,
its number as people count it, the text, and the reason of the rules.

`parse_record` tells APGN and JSON apart. A bare list of moves does not say its board, so its caller
names form and board: `parse_record(text, "abapro", board="belgian")`. `docs/records.md` describes
the forms and what can be wrong with them.
"""

import re
from typing import Literal, get_args

from pbm.rules.abalone.records.apgn import format_apgn, format_list, read_moves
from pbm.rules.abalone.records.json_form import format_json, parse_json
from pbm.rules.abalone.records.record import Record, shown
from pbm.rules.abalone.records.text_parts import Notation, board_named
from pbm.rules.contract import Options, RecordError

__all__ = ["FORMS", "LONGEST_TEXT", "Record", "chosen_form", "format_record", "parse_record"]

Form = Literal["apgn", "abapro", "json", "diagram"]
FORMS: tuple[Form, ...] = get_args(Form)
"""The forms by the words that ask for them; `diagram` is only written."""

LONGEST_TEXT = 65_536
"""Bytes in UTF-8 that a text may have to be read."""

_JSON = re.compile(r'\s*\{\s*["}]')
_PICTURE = re.compile(r"\s*(?:1 2 3 4 5\s|[A-I]- [.ox1-6#]|State:|[.1-6]{5}/[.1-6]{6}/)")


def format_record(
    record: Record, form: Form = "apgn", *, notation: Notation = "pbm", states: bool = False
) -> str:
    """A record as text, with a line feed at its end.

    `apgn` and `json` hold all of it, `abapro` the steps and the result, `diagram` the last position
    with its state line. `notation` is for `apgn`, `states` (a state line after each step) for
    `json`. Raises RecordError only for `abapro` with more than two players.
    """
    if form == "json":
        return format_json(record, states=states)
    if form == "abapro":
        return format_list(record)
    if form == "diagram":
        return f"{record.final.drawn()}\n\nState: {record.final.state()}\n"
    return format_apgn(record, notation)


def chosen_form(chosen: Options) -> tuple[Form, Notation]:
    """The form and the notation that some flags ask for; raises RecordError for two forms.

    >>> chosen_form({}), chosen_form({"abapro": True}), chosen_form({"apgn": True, "abapro": True})
    (('apgn', 'pbm'), ('abapro', 'Aba-Pro'), ('apgn', 'Aba-Pro'))
    """
    forms: dict[Form, object] = {
        "json": chosen.get("json"),
        "diagram": chosen.get("diagram"),
        "abapro": chosen.get("abapro") and not chosen.get("apgn"),
    }
    asked = [form for form, wanted in forms.items() if wanted]
    if len(asked) > 1 or (chosen.get("apgn") and asked):
        raise RecordError("one-form")
    return asked[0] if asked else "apgn", "Aba-Pro" if chosen.get("abapro") else "pbm"


def parse_record(
    text: str, form: Form | None = None, *, board: str | None = None, pillar: bool = False
) -> Record:
    """The record in a text; raises RecordError, and nothing else, if there is none.

    Without a `form` it is read as JSON if it begins so, and else as `apgn` in the notation of the
    tag Notation, by default the usual one. As `abapro` a text without that tag is in Aba-Pro
    notation, and needs a `board`. `board` and `pillar` are for texts without these tags; one that
    names another board is refused.

    >>> parse_record("1. a1b2 i5h5", "abapro", board="Belgian Daisy").steps
    ('i5-g5,h5', 'a1-c3,b2')
    """
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "replace")) > LONGEST_TEXT:
        raise RecordError("too-long", most=LONGEST_TEXT)
    text = text.removeprefix("\ufeff")
    if board is not None:
        asked, board = board, board_named(board)  # in any spelling of a record
        if board is None:
            raise RecordError("unknown-board", board=shown(asked))
    if form == "json" or (form is None and _JSON.match(text)):
        return parse_json(text, board)
    if form == "diagram" or _PICTURE.match(text):
        raise RecordError("not-a-game")
    return read_moves(text, "Aba-Pro" if form == "abapro" else "pbm", board, pillar)
