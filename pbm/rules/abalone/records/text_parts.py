"""Parts of all forms of records: tags and words, results, names of boards, and checks.

Some parts of a text are skipped: comments, variations in round brackets, move numbers, and marks
such as `!?` and `$1`. A comment that says that a seat has left is not skipped: it is a step.

The name "standard" in a record in Aba-Pro notation means our `classic`, where the first player is
at the bottom. Such a record calls our `standard` "pbm standard".
"""

import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pbm.rules.abalone.layouts import BOARDS, start_game
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import (
    ENDING_HOWS,
    LEAVING_HOWS,
    GameRecord,
    Leaving,
    Options,
    RecordError,
    SetupError,
)
from pbm.rules.record import Replay, quoted

LONGEST_VALUE = 200  # characters of a tag's value, or of a player's name
MOST_TAGS = 50
# Tags that repeat other fields of a record, in lower case.
RESERVED = frozenset(
    "black white variant players teams pillar notation result".split()
    + [f"seat{seat}" for seat in range(1, 7)]
)
LONGEST_NAME = 40  # characters of a tag's name
_TAG_NAME = re.compile(f"[A-Za-z][A-Za-z0-9_]{{0,{LONGEST_NAME - 1}}}", re.ASCII)
_WITHOUT_WINNERS = ("agreed", "claimed", "closed")

_CELL = "[a-iA-I][0-9]{1,2}"
_PIECE = re.compile(
    rf"""
    (?P<blank> \s+ | ;[^\n]* | \$[0-9]+ | [0-9]{{1,6}}\.+ )
    | (?P<tag> \[\s* (?P<name> [A-Za-z][A-Za-z0-9_]{{0,39}} ) \s*
        (?: "(?P<value> (?: [^"\\] | \\. )* )" | [“”„](?P<curly> [^“”"]* )[“”"] ) \s*\] )
    | \{{ (?P<comment> [^}}]* ) \}}
    | (?P<bracket> [()] )
    | (?P<move> {_CELL} (?: \s*[-‐‑‒–—―−]\s* {_CELL} )? \s*(?:->|[,;:>])\s* {_CELL} (?!\w) )
    | (?P<word> [^\s(){{}}\[\]]+ )
    """,
    re.VERBOSE | re.DOTALL,
)
_LEAVING = re.compile(rf"seat ([1-6]) ({'|'.join(LEAVING_HOWS)})", re.ASCII | re.IGNORECASE)
_LINE_BREAK = re.compile(r"[ \t]*[\r\n]+[ \t]*")
_MARKS = "!?,;"
_LONGEST_REST = 30


Tags = dict[str, tuple[str, str]]  # names and values, by the name in lower case


def cut(text: str) -> tuple[Tags, list[str | Leaving]]:
    """Cut a text into tags and words, such as moves and results. Raises RecordError."""
    tags: Tags = {}
    words: list[str | Leaving] = []
    depth = place = 0
    while place < len(text):
        match = _PIECE.match(text, place)
        if match is None:
            raise _unreadable(text[place:])
        place = match.end()
        if bracket := match["bracket"]:
            depth += 1 if bracket == "(" else -1
            if depth < 0:
                raise _unreadable(")")
        elif depth:
            continue
        elif match["tag"]:
            _add_tag(tags, match, is_first=not words)
        elif leaving := _LEAVING.fullmatch(" ".join((match["comment"] or "").split())):
            words.append(Leaving(int(leaving[1]), leaving[2].lower()))
        elif word := match["move"] or (match["word"] or "").rstrip(_MARKS):
            words.append(word)
    if depth:
        raise _unreadable("(")
    return tags, words


def _add_tag(tags: Tags, match: re.Match[str], *, is_first: bool) -> None:
    """Add a tag to `tags`. Line breaks in its value become blanks. Raises RecordError."""
    if not is_first:
        raise RecordError("several-games")
    name, value = match["name"], match["curly"] or match["value"] or ""
    if len(value) > 3 * LONGEST_VALUE:
        raise RecordError("bad-tag", fault="length", tag=name, most=LONGEST_VALUE)
    plain = _LINE_BREAK.sub(" ", re.sub(r'\\(["\\])', r"\1", value))
    value = "".join(" " if _is_control(character) else character for character in plain)
    if tags.setdefault(name.lower(), (name, value)) != (name, value):
        raise RecordError("bad-tag", fault="twice", tag=name)


def _unreadable(rest: str) -> RecordError:
    if rest.startswith("["):
        return RecordError("bad-tag", fault="form", rest=quoted(rest[:_LONGEST_REST]))
    return RecordError("bad-bracket", rest=quoted(rest[:_LONGEST_REST]))


def format_tag(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{escaped}"]'


Winners = tuple[int, ...] | None  # the winning seats, none for a draw; None if there is no result


def winners_of(record: GameRecord, final: AbalonePosition) -> Winners:
    if record.ended:
        return record.ended.result
    return final.outcome.winners if final.outcome else None


def options_of(board: str, teams: bool, pillar: bool) -> Options:
    flags = {"teams": teams, "pillar": pillar}
    return {"layout": board, **{name: True for name, is_set in flags.items() if is_set}}


def begun(seats: int, options: Options) -> Replay:
    """Return the replay of a game before its first step. Raises RecordError for wrong options."""
    try:
        return Replay(start_game(seats, options))
    except SetupError as error:
        raise RecordError(error.reason, **error.params) from error


def replay_of(record: GameRecord) -> Replay:
    """Return the replay of a whole record. Raises RecordError."""
    replay = begun(record.seats, record.options)
    for step in record.steps:
        replay.step(step)
    return replay


def checked(record: GameRecord, replay: Replay) -> GameRecord:
    """Check a record, and return it with its steps in canonical text. Raises RecordError."""
    if len(record.names) != record.seats:
        told = {"names": len(record.names), "players": record.seats}
        raise RecordError("bad-names", fault="count", **told)
    for seat, name in enumerate(record.names, 1):
        if not _is_writable(name):
            raise RecordError("bad-names", fault="letters", whose=seat, most=LONGEST_VALUE)
    _check_tags(record)
    if record.ended:
        ended, final = record.ended, replay.position
        if ended.how not in ENDING_HOWS:
            raise RecordError("bad-ending", fault="ending", words=list(ENDING_HOWS))
        if ended.winners and ended.how in _WITHOUT_WINNERS:
            raise RecordError("bad-ending", fault="no-winners", how=ended.how)
        if ended.winners != tuple(seat for seat in final.seats if seat in ended.winners):
            raise RecordError("bad-ending", fault="winners", last=final.players)
        if final.outcome:
            raise RecordError("bad-ending", fault="over", how=ended.how)
    return replace(record, steps=tuple(each.step for each in replay.steps))


def _check_tags(record: GameRecord) -> None:
    if len(record.tags) > MOST_TAGS:
        raise RecordError("bad-tag", fault="number", most=MOST_TAGS)
    known: set[str] = set()
    for name, value in record.tags:
        if not _TAG_NAME.fullmatch(name):
            raise RecordError("bad-tag", fault="name", most=LONGEST_NAME)
        if name.lower() in known:
            raise RecordError("bad-tag", fault="twice", tag=name)
        known.add(name.lower())
        # A Termination could be read as the way in which the game ended.
        if name.lower() in RESERVED or (
            name.lower() == "termination"
            and (is_termination(value) or (record.ended and record.ended.how != "record"))
        ):
            raise RecordError("bad-tag", fault="made", tag=name)
        if not _is_writable(value):
            raise RecordError("bad-tag", fault="letters", tag=name, most=LONGEST_VALUE)


def is_termination(text: str) -> bool:
    """Return whether a value of the tag Termination is one that our own records may have."""
    return text.strip().lower() in ENDING_HOWS


def _is_control(character: str) -> bool:
    """Return whether a character is a control character, a line break or a surrogate."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def _is_writable(text: str) -> bool:
    return len(text) <= LONGEST_VALUE and not any(map(_is_control, text))


_WON = {"1-0": (1,), "0-1": (2,)}
_DRAWN = ("1/2-1/2", "draw", "½-½", "1/2")
_OPEN = ("*", "?", "-", "")

_SEATS = re.compile(r"[1-6](?:\+[1-6]){0,5}", re.ASCII)
_DASHES = str.maketrans(dict.fromkeys("‐‑‒–—―−", "-"))


def format_result(winners: Winners, players: int) -> str:
    """Return a result as text.

    >>> format_result((2,), 2), format_result((), 2), format_result((1, 3), 4)
    ('0-1', '1/2-1/2', '1+3')
    """
    if winners is None:
        return "*"
    if not winners:
        return _DRAWN[0] if players == 2 else "draw"
    named = (text for text, seats in _WON.items() if seats == winners and players == 2)
    return next(named, "+".join(map(str, winners)))


def parse_result(text: str, players: int) -> Winners:
    """Return the winners that a result names. Raises RecordError if the text is no result."""
    plain = _plain(text)
    if plain in _OPEN:
        return None
    if plain in _DRAWN:
        return ()
    if players == 2 and plain in _WON:
        return _WON[plain]
    if _SEATS.fullmatch(plain):
        winners = tuple(sorted(set(map(int, plain.split("+")))))
        if winners[-1] <= players:
            return winners
    drawn = format_result((), players)
    raise RecordError("bad-result", fault="word", word=quoted(text), players=players, drawn=drawn)


def is_result(word: str) -> bool:
    """Return whether a word is a result. A single digit is not: it may be a move's number."""
    plain = _plain(word)
    return plain in (*_WON, *_DRAWN, "*") or ("+" in plain and bool(_SEATS.fullmatch(plain)))


def _plain(text: str) -> str:
    return "".join(text.split()).lower().translate(_DASHES)


Notation = Literal["pbm", "Aba-Pro"]

_OURS = "pbm "
_FILE = Path(__file__).with_name("board_names.txt")


def _key(name: str) -> str:
    """Return a name for comparison: lower case, only letters and digits, no leading "the"."""
    key = "".join(character for character in name.casefold() if character.isalnum())
    return key.removeprefix("the")


# By the names of other programs, and by our own; our `standard` is one of several standards.
_BOARDS = {
    _key(name): board
    for board, names in re.findall("(.+) = (.+)", _FILE.read_text(encoding="ascii"))
    for name in names.split(", ")
} | {_key(board): board for board in BOARDS}
_EXACTLY = {_key(_OURS + board): board for board in BOARDS}


def board_named(name: str, notation: Notation = "pbm", players: int = 2) -> str | None:
    """Return our name for the board that a record names; None if the board is unknown.

    >>> board_named("Belgian Daisy"), board_named("Standard", "Aba-Pro"), board_named("Standard")
    ('belgian', 'classic', 'standard')
    """
    key = _key(name)
    if key in _EXACTLY:
        return _EXACTLY[key]
    board = _BOARDS.get(key)
    return usual_board(notation, players) if board == usual_board("pbm") else board


def usual_board(notation: Notation, players: int = 2) -> str:
    """Return the board of a record that names no board, or calls it "standard"."""
    return "classic" if notation == "Aba-Pro" and players == 2 else "standard"


def variant_of(board: str, notation: Notation, players: int) -> str:
    """Return the name for a board in a record. `board_named` reads it as the same board."""
    return board if board_named(board, notation, players) == board else _OURS + board
