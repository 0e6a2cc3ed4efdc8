"""Records of games as text, each played through, in the forms of `docs/records.md`."""

import json
import re
from dataclasses import replace
from typing import TypeVar

from pbm.rules.abalone.records.apgn import (
    MOST_PLIES,
    check_board,
    format_apgn,
    format_list,
    read_moves,
)
from pbm.rules.abalone.records.text_parts import (
    board_named,
    checked,
    format_result,
    options_of,
    replay_of,
    winners_of,
)
from pbm.rules.contract import (
    ENDING_HOWS,
    LEAVING_HOWS,
    Ending,
    GameRecord,
    Leaving,
    Options,
    RecordError,
    Step,
)
from pbm.rules.record import Replay, Replayed, quoted

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


# -- JSON, read strictly -----------------------------------------------------------------------

FORMAT = "pbm-record"
FORMAT_VERSION = 1

_FIELDS = "format version board players teams pillar names tags result ended steps states".split()
_Value = TypeVar("_Value")
_KINDS: dict[type, str] = {str: "text", int: "number", bool: "flag", list: "list", dict: "object"}


def format_json(record: GameRecord, replay: Replay) -> str:
    value = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "board": record.options["layout"],
        "players": record.seats,
        "teams": bool(record.options.get("teams")),
        "pillar": bool(record.options.get("pillar")),
        "names": list(record.names),
        "tags": dict(record.tags),
        "result": format_result(winners_of(record, replay.position), record.seats),
        "ended": record.ended and {"how": record.ended.how, "winners": list(record.ended.winners)},
        "steps": [
            {"seat": item.seat, "left": item.step.how}
            if isinstance(item.step, Leaving)
            else item.step
            for item in replay.steps
        ],
    }
    return json.dumps(value, indent=1) + "\n"


def parse_json(text: str, board: str | None = None) -> GameRecord:
    """Parse a JSON record. Raises RecordError if it is malformed or not of the given board."""
    fields = _Fields(_load(text), "record")
    if fields.get("format", str, "") != FORMAT:
        raise RecordError("not-a-record", format=FORMAT)
    if fields.get("version", int) != FORMAT_VERSION:
        raise RecordError("bad-version", version=FORMAT_VERSION)
    fields = _Fields(fields.values, "record", _FIELDS)
    tags = fields.get("tags", dict, {})
    layout, seats = fields.get("board", str), fields.get("players", int, 2)
    teams, pillar = fields.get("teams", bool, False), fields.get("pillar", bool, False)
    names = tuple(fields.list("names", str))
    record = GameRecord(
        seats,
        options_of(layout, teams, pillar),
        names,
        _read_steps(fields),
        _read_ended(fields),
        tuple((name, _typed(value, str, "tags")) for name, value in tags.items()),
    )
    replay = replay_of(record)
    record = checked(replace(record, names=names or ("",) * seats), replay)
    check_board(board, layout)
    made = format_result(winners_of(record, replay.position), seats)
    if fields.get("result", str, made) != made:
        raise RecordError("result-differs", made=made)
    _check_states(fields, replay.steps)
    return record


class _Fields:
    def __init__(self, value: object, what: str, known: list[str] | None = None) -> None:
        if not isinstance(value, dict):
            raise RecordError("bad-json", fault="object", what=what)
        self.values: dict[str, object] = value
        # An unknown field may change the meaning, so it is not ignored.
        if known is not None and not value.keys() <= set(known):
            raise RecordError("bad-json", fault="fields", what=what, fields=known)

    def word(self, name: str, known: tuple[str, ...]) -> str:
        """Return a required field whose value is one of the words in `known`."""
        word = self.get(name, str)
        if word not in known:
            raise RecordError("bad-json", fault="word", name=name, words=list(known))
        return word

    def get(self, name: str, kind: type[_Value], default: _Value | None = None) -> _Value:
        """Return a field, or `default` if it is missing. Raises RecordError."""
        return _typed(self.values.get(name, default), kind, name)

    def list(self, name: str, kind: type[_Value]) -> list[_Value]:
        """Return a field that is a list of values of the type `kind`; [] if it is missing."""
        values = _typed(self.values.get(name, []), list, name)
        return [_typed(value, kind, name) for value in values]


def _typed(value: object, kind: type[_Value], name: str) -> _Value:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise RecordError("bad-json", fault="kind", name=name, kind=_KINDS[kind])
    return value


def _read_steps(fields: _Fields) -> tuple[Step, ...]:
    steps = fields.list("steps", object)
    if "steps" not in fields.values:
        raise RecordError("bad-json", fault="no-steps")
    read: list[Step] = []
    for step in steps:
        if not isinstance(step, str):
            left = _Fields(step, "step", ["seat", "left"])
            step = Leaving(left.get("seat", int), left.word("left", LEAVING_HOWS))
        read.append(step)
    if sum(isinstance(step, str) for step in read) > MOST_PLIES:
        raise RecordError("too-many-plies", most=MOST_PLIES)
    return tuple(read)


def _read_ended(fields: _Fields) -> Ending | None:
    if fields.values.get("ended") is None:
        return None
    ended = _Fields(fields.values["ended"], "ended", ["how", "winners"])
    return Ending(ended.word("how", ENDING_HOWS), tuple(ended.list("winners", int)))


def _check_states(fields: _Fields, steps: list[Replayed]) -> None:
    if "states" not in fields.values:
        return
    states = fields.list("states", str)
    if len(states) != len(steps):
        raise RecordError("bad-json", fault="states", states=len(states), steps=len(steps))
    for state, each in zip(states, steps, strict=True):
        made = each.position.state()
        if state != made:
            where = {"ply": each.ply, "seat": each.seat, "given": str(each.step)}
            raise RecordError("state-differs", state=made, **where)


def _load(text: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=int)  # no NaN
    except (ValueError, RecursionError) as error:
        if isinstance(error, RecordError):
            raise
        raise RecordError("bad-json", fault="syntax") from None


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise RecordError("bad-json", fault="twice")
    return values
