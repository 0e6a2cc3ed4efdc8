"""Games as text with tags and numbered moves, and as a bare list of moves in Aba-Pro notation."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

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
    format_moves,
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
    Outcome,
    RecordError,
    Step,
)

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
    result = format_result(record.winners, record.players)
    return format_moves(record.replayed, _texts(record.replayed, notation), result, remarks)


def _texts(replayed: Iterable[RecordedStep], notation: Notation) -> Iterator[str]:
    for each in replayed:
        if each.played:
            usual = notation == "pbm"
            yield str(each.played.move) if usual else format_abapro(each.played.move, each.before)


def _remarks(record: Record, notation: Notation) -> dict[int, str]:
    """What comments say of better moves, by the plies behind which they stand.

    Raises RecordError for lines that the rules do not allow.
    """
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
    return " ".join(_texts(map(replay.move, moves), notation))


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


@dataclass(frozen=True, slots=True)
class Unsaid:
    """What holds where a text itself does not say it; no board means that the text must."""

    notation: Notation = "pbm"
    board: str | None = None
    pillar: bool = False
    needs_board: bool = False


def read_moves(text: str, unsaid: Unsaid) -> Record:
    """The record in a text of tags and moves, either of which may be missing.

    Raises RecordError.
    """
    pieces = cut(text)
    if not pieces.tags and not pieces.words:
        raise RecordError("not-a-record")
    tags = _Tags(pieces, unsaid)
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
    """What the tags of a text say, or what holds if they do not say it."""

    def __init__(self, pieces: Pieces, unsaid: Unsaid) -> None:
        self._values: dict[str, str] = {}
        for name, value in pieces.tags:
            if self._values.setdefault(name.lower(), value) != value:
                raise RecordError("bad-tag", fault="twice", tag=name)
        self._unsaid = unsaid
        self.others = tuple(
            (name, value)
            for name, value in dict(pieces.tags).items()
            if name.lower() not in RESERVED
            and not (name.lower() == "termination" and is_termination(value))
        )
        self.notation = self._notation()
        self.teams = self._teams()
        self.players = self._players()
        self.pillar = self._pillar()
        self.board = self._board()
        self.names = self._names()

    def get(self, name: str) -> str:
        """The value of a tag by its name in lower case, without blanks around it; or nothing."""
        return self._values.get(name, "").strip()

    def _notation(self) -> Notation:
        said = "".join(filter(str.isalnum, self.get("notation").lower()))
        known: dict[str, Notation] = {
            "": self._unsaid.notation,
            "pbm": "pbm",
            "abapro": "Aba-Pro",
        }
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
            named = [seat for seat in range(1, _MOST_SEATS + 1) if self.get(f"seat{seat}")]
            return IN_TEAMS if self.teams else max([2, *named])
        if said not in map(str, range(2, _MOST_SEATS + 1)):
            raise _bad("Players", said, numbers=[2, _MOST_SEATS])
        return int(said)

    def _pillar(self) -> bool:
        said, centre = self.get("pillar").lower(), format_cell(CENTRE)
        if said not in ("", centre):
            raise _bad("Pillar", said, known=[centre])
        return bool(said) or self._unsaid.pillar

    def _board(self) -> str:
        variant, given = self.get("variant"), self._unsaid.board
        if not variant:
            if given is None and self._unsaid.needs_board:
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
    """Raise RecordError if a record is of another board than its reader was told."""
    if given not in (None, board):
        raise RecordError("board-differs", board=board, asked=given)


def _bad(tag: str, value: str, **can_be: list[str] | list[int]) -> RecordError:
    return RecordError("bad-tag", fault="value", tag=tag, value=shown(value), **can_be)


def _without_result(
    words: list[str | Leaving], players: int, said: list[Winners]
) -> list[str | Leaving]:
    """The words before the result; the result itself joins what was said."""
    for index, word in enumerate(words):
        last = index == len(words) - 1
        if isinstance(word, Leaving) or not _is_result(word, players, last):
            continue
        if not last:
            more = shown(str(words[index + 1]))
            raise RecordError("after-result", result=shown(word), more=more)
        said.append(parse_result(word, players))
        return words[:index]
    return words


def _is_result(word: str, players: int, last: bool) -> bool:
    # With more players a digit at the very end is the seat that won; elsewhere it is a number.
    return is_result(word) or (last and players > 2 and word.isdecimal())


def _agreed(said: list[Winners], players: int) -> Winners:
    """What the tag and the last word say together; `*` leaves it to the other."""
    results = list(dict.fromkeys(winners for winners in said if winners is not None))
    if len(results) > 1:
        both = [format_result(winners, players) for winners in results]
        raise RecordError("bad-result", fault="two", results=both)
    return results[0] if results else None


def _play(
    words: list[str | Leaving], start: AbalonePosition, tags: _Tags
) -> tuple[tuple[Step, ...], AbalonePosition]:
    parse = _parser(tags)
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


def _parser(tags: _Tags) -> Callable[[str, AbalonePosition], LineMove]:
    if tags.notation == "Aba-Pro":
        return parse_abapro
    return parse_move if tags.get("notation") else _parse_unsaid


def _parse_unsaid(text: str, position: AbalonePosition) -> LineMove:
    """A move of a record that does not say its notation, which makes it the usual one."""
    try:
        return parse_move(text, position)
    except NotationError as error:
        if not _ABAPRO_MOVE.fullmatch(text):
            raise
        raise NotationError("not-a-move", perhaps_abapro=True) from error


def _ending(termination: str, winners: Winners, final: AbalonePosition) -> Ending | None:
    """How the game ended beyond the rules, as the tags and the last word have it."""
    players = final.players
    how = next((how for how in ENDING_HOWS if how == termination.lower()), None)
    if how is None or how == "record":
        _check_result(winners, final.outcome, players)
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


def _check_result(winners: Winners, outcome: Outcome | None, players: int) -> None:
    """What a record says must be what its moves make, unless it leaves it open."""
    if winners is None or outcome is None or winners == outcome.winners:
        return
    said, made = format_result(winners, players), format_result(outcome.winners, players)
    raise RecordError("result-differs", said=said, made=made)
