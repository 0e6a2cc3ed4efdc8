"""Records of games as text: APGN, moves in Aba-Pro notation, JSON, and a diagram.

Each record is played through. `docs/records.md` describes the forms.
"""

import re

from pbm.rules.abalone.records.apgn import format_apgn, format_list, read_moves
from pbm.rules.abalone.records.json_form import format_json, parse_json
from pbm.rules.abalone.records.text_parts import board_named, checked, replay_of
from pbm.rules.contract import GameRecord, Options, RecordError
from pbm.rules.record import quoted

LONGEST_TEXT = 65_536  # bytes in UTF-8 of a text that is read

_JSON = re.compile(r'\s*\{\s*["}]')
_PICTURE = re.compile(r"\s*(?:1 2 3 4 5\s|[A-I]- [.ox1-6#]|State:|[.1-6]{5}/[.1-6]{6}/)")


def format_record(record: GameRecord, chosen: Options) -> str:
    """Return a record as text in the chosen form, with a line feed at the end.

    `apgn`, the default, and `json` are the whole record. `abapro` is only the steps and the result.
    `diagram` is the last position. `apgn` and `abapro` together are APGN with moves in Aba-Pro
    notation. Raises RecordError if the rules do not allow the record, or if other forms are
    combined.
    """
    asked = {name for name in ("apgn", "abapro", "json", "diagram") if chosen.get(name)}
    if len(asked) > 1 and asked != {"apgn", "abapro"}:
        raise RecordError("one-form")
    replay = replay_of(record)
    checked(record, replay)
    if asked == {"json"}:
        return format_json(record, replay)
    if asked == {"abapro"}:
        return format_list(record, replay)
    if asked == {"diagram"}:
        return f"{replay.position.drawn()}\n\nState: {replay.position.state()}\n"
    return format_apgn(record, replay, "Aba-Pro" if asked > {"apgn"} else "pbm")


def parse_record(text: str, chosen: Options) -> GameRecord:
    """Return the record in a text. Raises no other error than RecordError.

    A text that begins like JSON is read as JSON, any other text as APGN. The options `abapro`,
    `layout` and `pillar` say what the tags of the text do not say. With `abapro` either the text or
    `layout` must name the board.

    >>> parse_record("1. a1b2 i5h5", {"abapro": True, "layout": "Belgian Daisy"}).steps
    ('i5-g5,h5', 'a1-c3,b2')
    """
    if len(text) > LONGEST_TEXT or len(text.encode("utf-8", "replace")) > LONGEST_TEXT:
        raise RecordError("too-long", most=LONGEST_TEXT)
    text = text.removeprefix("\ufeff")
    asked = str(chosen.get("layout") or "")
    board = board_named(asked) if asked else None
    if asked and board is None:
        raise RecordError("unknown-board", board=quoted(asked))
    if _JSON.match(text) and not chosen.get("abapro"):
        return parse_json(text, board)
    if _PICTURE.match(text):
        raise RecordError("not-a-game")
    return read_moves(
        text, "Aba-Pro" if chosen.get("abapro") else "pbm", board, bool(chosen.get("pillar"))
    )
