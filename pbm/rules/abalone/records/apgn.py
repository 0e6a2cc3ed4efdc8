"""Games as text with tags and numbered moves, and as a bare list of moves in Aba-Pro notation."""

import re
from collections.abc import Iterator, Mapping, Sequence

from pbm.rules.abalone.abapro import format_abapro, parse_abapro
from pbm.rules.abalone.board import CENTRE, format_cell
from pbm.rules.abalone.layouts import IN_TEAMS
from pbm.rules.abalone.moves import LineMove
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.placement import TEAMS
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.abalone.records.record import (
    RESERVED,
    Record,
    RecordedStep,
    Replayer,
    is_termination,
    shown,
)
from pbm.rules.abalone.records.text_parts import (
    Notation,
    Pieces,
    Winners,
    board_named,
    cut,
    format_result,
    format_tag,
    is_result,
    parse_result,
    usual_board,
    variant_of,
)
from pbm.rules.contract import (
    ENDING_HOWS,
    Ending,
    Leaving,
    NotationError,
    RecordError,
    Step,
)

WIDTH = 40
"""Columns of a line of moves."""

MOST_PLIES = 5_000
"""Moves that a text may have to be read."""

_MOST_SEATS = 6
_COLOURS = ("Black", "White")
_ABAPRO_MOVE = re.compile("(?:[a-i][1-9]){2,3}", re.ASCII | re.IGNORECASE)
_DASHES = frozenset("-‐‑‒–—―−")
_SIDES = " ".join("+".join(map(str, side)) for side in TEAMS)


def format_apgn(record: Record, notation: Notation = "pbm") -> str:
    """A record as tags and moves; `read_moves` gives the same record back."""
    tags = [*record.tags, *_made_tags(record, notation)]
    lines = [format_tag(name, value) for name, value in tags]
    return "\n".join(lines) + "\n\n" + _format_moves(record, notation, _remarks(record, notation))


def format_list(record: Record) -> str:
    """The moves alone in Aba-Pro notation; raises RecordError for more than two players."""
    if record.players != len(_COLOURS):
        raise RecordError("only-for-two")
    return _format_moves(record, "Aba-Pro", {})


def _format_moves(record: Record, notation: Notation, remarks: Mapping[int, str]) -> str:
    """The numbered moves of a game, each remark after the move of its ply, then the result."""
    words: list[str] = []
    for each in record.replayed:
        if isinstance(each.step, Leaving):
            words.append(f"{{{each.step}}}")
            continue
        for seat in (*each.skipped, each.seat):
            text = _text(notation, each) if seat == each.seat else "--"
            words.append(f"{each.number}. {text}" if seat == 1 else text)
        if each.ply in remarks:
            words += f"{{{remarks[each.ply]}}}".split()
    lines: list[str] = []
    for word in (*words, format_result(record.winners, record.players)):
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines) + "\n"


def _text(notation: Notation, each: RecordedStep) -> str:
    assert each.played
    move = each.played.move
    return str(move) if notation == "pbm" else format_abapro(move, each.before)


def _remarks(record: Record, notation: Notation) -> dict[int, str]:
    """The comments on better moves, by the plies that they follow; raises RecordError."""
    better, said = dict(record.better), dict[int, str]()
    for each in record.replayed if better else ():
        if each.played and each.ply in better:
            said[each.ply] = f"better: {_line(each.before, better[each.ply], notation)}"
        if each.played and each.ply == record.plies and each.ply + 1 in better:
            line = f"best line: {_line(each.position, better[each.ply + 1], notation)}"
            said[each.ply] = "; ".join(filter(None, (said.get(each.ply), line)))
    return said


def _line(position: AbalonePosition, moves: Sequence[str], notation: Notation) -> str:
    replay = Replayer(position)
    return " ".join(_text(notation, replay.move(move)) for move in moves)


def _made_tags(record: Record, notation: Notation) -> Iterator[tuple[str, str]]:
    """The tags that follow from the other fields of a record."""
    for seat, name in enumerate(record.names, 1):
        if name:
            yield (_COLOURS[seat - 1] if record.players == len(_COLOURS) else f"Seat{seat}"), name
    yield "Variant", variant_of(record.board, notation, record.players)
    if record.players != len(_COLOURS):
        yield "Players", str(record.players)
    if record.teams:
        yield "Teams", _SIDES
    if record.pillar:
        yield "Pillar", format_cell(CENTRE)
    yield "Notation", notation
    yield "Result", format_result(record.winners, record.players)
    if record.ended and record.ended.how != "record":
        yield "Termination", record.ended.how


def read_moves(text: str, notation: Notation, board: str | None, pillar: bool) -> Record:
    """The record in a text of tags and moves, either of which may be missing.

    `notation`, `board` and `pillar` are for a text without their tags; with Aba-Pro notation one of
    both must name the board. Raises RecordError.
    """
    pieces = cut(text)
    if not pieces.tags and not pieces.words:
        raise RecordError("not-a-record")
    tags = _Tags(pieces, notation, board, pillar)
    said = [parse_result(result, tags.players) for result in (tags.get("result"),) if result]
    words = _without_result(pieces.words, tags.players, said)
    start = Record(tags.board, tags.players, tags.teams, tags.pillar).start
    steps, final = _play(words, start, tags)
    return Record(
        tags.board,
        tags.players,
        tags.teams,
        tags.pillar,
        tags.names,
        steps,
        _ending(tags.get("termination"), _agreed(said, tags.players), final),
        tags.others,
    )


class _Tags:
    """The values of tags, or the defaults of missing ones."""

    def __init__(self, pieces: Pieces, notation: Notation, board: str | None, pillar: bool) -> None:
        self._values: dict[str, str] = {}
        for name, value in pieces.tags:
            if self._values.setdefault(name.lower(), value) != value:
                raise RecordError("bad-tag", fault="twice", tag=name)
        self.others = tuple(
            (name, value)
            for name, value in dict(pieces.tags).items()
            if name.lower() not in RESERVED
            and not (name.lower() == "termination" and is_termination(value))
        )
        self.notation = self._notation(notation)
        self.teams = self._teams()
        self.players = self._players()
        self.pillar = self._pillar(pillar)
        self.board = self._board(board, notation == "Aba-Pro")
        self.names = self._names()

    def get(self, name: str) -> str:
        """The stripped value of a tag by its name in lower case, or an empty text."""
        return self._values.get(name, "").strip()

    def _notation(self, default: Notation) -> Notation:
        said = "".join(filter(str.isalnum, self.get("notation").lower()))
        known: dict[str, Notation] = {"": default, "pbm": "pbm", "abapro": "Aba-Pro"}
        if said not in known:
            raise _bad("Notation", self.get("notation"), known=["pbm", "Aba-Pro"])
        return known[said]

    def _teams(self) -> bool:
        said = self.get("teams")
        seats = [int(character) for character in said if character in "123456"]
        sides = {frozenset(seats[:2]), frozenset(seats[2:])}
        if said and sides != set(map(frozenset, TEAMS)):
            raise _bad("Teams", said, known=[_SIDES])
        return bool(said)

    def _players(self) -> int:
        said = self.get("players")
        if not said:
            named = (seat for seat in range(3, _MOST_SEATS + 1) if self.get(f"seat{seat}"))
            return IN_TEAMS if self.teams else max(named, default=2)
        if said not in map(str, range(2, _MOST_SEATS + 1)):
            raise _bad("Players", said, numbers=[2, _MOST_SEATS])
        return int(said)

    def _pillar(self, default: bool) -> bool:
        said, centre = self.get("pillar").lower(), format_cell(CENTRE)
        if said not in ("", centre):
            raise _bad("Pillar", said, known=[centre])
        return bool(said) or default

    def _board(self, given: str | None, needed: bool) -> str:
        variant = self.get("variant")
        if not variant:
            if given is None and needed:
                raise RecordError("no-board")
            return given or ("official" if self.teams else usual_board(self.notation, self.players))
        board = board_named(variant, self.notation, self.players)
        if board is None:
            raise RecordError("unknown-variant", variant=shown(variant))
        check_board(given, board)
        return board

    def _names(self) -> tuple[str, ...]:
        seats = range(1, _MOST_SEATS + 1)
        names = [self._values.get(f"seat{seat}", "") for seat in seats]
        for seat, colour in enumerate(_COLOURS):
            names[seat] = self._values.get(colour.lower(), "") or names[seat]
        if any(names[self.players :]):
            raise RecordError("bad-names", fault="seat", players=self.players)
        return tuple(names[: self.players])


def check_board(given: str | None, board: str) -> None:
    """Raise RecordError if a record is of another board than the one asked for."""
    if given not in (None, board):
        raise RecordError("board-differs", board=board, asked=given)


def _bad(tag: str, value: str, **can_be: list[str] | list[int]) -> RecordError:
    return RecordError("bad-tag", fault="value", tag=tag, value=shown(value), **can_be)


def _without_result(
    words: list[str | Leaving], players: int, said: list[Winners]
) -> list[str | Leaving]:
    """The words before the result, which is appended to `said`."""
    for index, word in enumerate(words):
        last = index == len(words) - 1
        # With more players a digit at the very end is the seat that won; elsewhere it is a number.
        is_seat = last and players > 2
        if isinstance(word, Leaving) or not (is_result(word) or (is_seat and word.isdecimal())):
            continue
        if not last:
            more = shown(str(words[index + 1]))
            raise RecordError("after-result", result=shown(word), more=more)
        said.append(parse_result(word, players))
        return words[:index]
    return words


def _agreed(said: list[Winners], players: int) -> Winners:
    """The result of tag and last word, which must agree unless one is `*`."""
    results = list(dict.fromkeys(winners for winners in said if winners is not None))
    if len(results) > 1:
        both = [format_result(winners, players) for winners in results]
        raise RecordError("bad-result", fault="two", results=both)
    return results[0] if results else None


def _play(
    words: list[str | Leaving], start: AbalonePosition, tags: _Tags
) -> tuple[tuple[Step, ...], AbalonePosition]:
    usual = parse_move if tags.get("notation") else _parse_unsaid
    parse = parse_abapro if tags.notation == "Aba-Pro" else usual
    replay, steps = Replayer(start), []
    for word in words:
        if isinstance(word, Leaving):
            steps.append(replay.leave(word).step)
        elif _DASHES.issuperset(word):
            replay.skip(word)
        elif not (word.isdecimal() or set(word) <= {".", "…"}):
            if replay.ply == MOST_PLIES:
                raise RecordError("too-many-plies", most=MOST_PLIES)
            steps.append(replay.move(word, parse).step)
    return tuple(steps), replay.position


def _parse_unsaid(text: str, position: AbalonePosition) -> LineMove:
    """Read a move of a record without the tag Notation: it is in the usual notation."""
    try:
        return parse_move(text, position)
    except NotationError as error:
        if not _ABAPRO_MOVE.fullmatch(text):
            raise
        raise NotationError("not-a-move", perhaps_abapro=True) from error


def _ending(termination: str, winners: Winners, final: AbalonePosition) -> Ending | None:
    """How the game ended beyond the rules, by the tags and the last word."""
    players, how = final.players, termination.lower()
    if how not in ENDING_HOWS or how == "record":
        if winners is not None and final.outcome and winners != final.outcome.winners:
            said, made = (format_result(w, players) for w in (winners, final.outcome.winners))
            raise RecordError("result-differs", said=said, made=made)
        return None if winners is None or final.outcome else Ending("record", winners)
    if how == "operator":
        if winners is None:
            raise RecordError("bad-result", fault="open", how=how)
        return Ending(how, winners)
    ending = Ending(how)
    if winners is not None and winners != ending.result:
        result = format_result(ending.result, players)
        raise RecordError("bad-result", fault="other", how=how, result=result)
    return ending
