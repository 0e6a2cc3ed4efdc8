"""Records as tags and numbered moves, or as a bare list of moves in Aba-Pro notation."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from pbm.rules.abalone.board import CENTRE, LineMove, format_cell
from pbm.rules.abalone.layouts import IN_TEAMS
from pbm.rules.abalone.notation import format_abapro, parse_abapro, parse_move, read_canonical
from pbm.rules.abalone.placement import TEAMS
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.abalone.records.text_parts import (
    RESERVED,
    Notation,
    Winners,
    begun,
    board_named,
    checked,
    cut,
    format_result,
    format_tag,
    is_result,
    is_termination,
    options_of,
    parse_result,
    usual_board,
    variant_of,
    winners_of,
)
from pbm.rules.contract import ENDING_HOWS, Ending, GameRecord, Leaving, NotationError, RecordError
from pbm.rules.record import Replay, Replayed, quoted

WIDTH = 40  # columns of a line of moves
MOST_PLIES = 5_000  # read from a text
_MOST_SEATS = 6
_COLOURS = ("Black", "White")
_ABAPRO_MOVE = re.compile("(?:[a-i][1-9]){2,3}", re.ASCII | re.IGNORECASE)
_DASHES = frozenset("-‐‑‒–—―−")
_SIDES = " ".join("+".join(map(str, side)) for side in TEAMS)


def format_apgn(record: GameRecord, replay: Replay, notation: Notation) -> str:
    """Return a record as text of tags and moves. `read_moves` reads it back as an equal record."""
    tags = [*record.tags, *_made_tags(record, replay, notation)]
    lines = [format_tag(name, value) for name, value in tags]
    remarks = _remarks(dict(record.better), replay, notation)
    return "\n".join(lines) + "\n\n" + _format_moves(record, replay, notation, remarks)


def format_list(record: GameRecord, replay: Replay) -> str:
    """Return a record's moves in Aba-Pro notation. Raises RecordError for more than two players."""
    if record.seats != len(_COLOURS):
        raise RecordError("only-for-two")
    return _format_moves(record, replay, "Aba-Pro", {})


def _format_moves(
    record: GameRecord, replay: Replay, notation: Notation, remarks: Mapping[int, str]
) -> str:
    """Return the moves and the result as text, with each remark after the move of its ply."""
    words: list[str] = []
    for each in replay.steps:
        if isinstance(each.step, Leaving):
            words.append(f"{{{each.step}}}")
            continue
        for seat in (*each.skipped, each.seat):
            text = _text(notation, each) if seat == each.seat else "--"
            words.append(f"{each.number}. {text}" if seat == 1 else text)
        if each.ply in remarks:
            words += f"{{{remarks[each.ply]}}}".split()
    lines: list[str] = []
    for word in (*words, format_result(winners_of(record, replay.position), record.seats)):
        if lines and len(lines[-1]) + 1 + len(word) <= WIDTH:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return "\n".join(lines) + "\n"


def _text(notation: Notation, each: Replayed) -> str:
    move = str(each.step)
    return move if notation == "pbm" else format_abapro(read_canonical(move), each.before)


def _remarks(
    better: Mapping[int, Sequence[str]], replay: Replay, notation: Notation
) -> dict[int, str]:
    """Return comments that show better lines. The key of a comment is the ply before it."""
    said = dict[int, str]()
    for each in replay.steps if better else ():
        if isinstance(each.step, Leaving):
            continue
        if each.ply in better:
            said[each.ply] = f"better: {_line(each.before, better[each.ply], notation)}"
        if each.ply == replay.ply and each.ply + 1 in better:
            line = f"best line: {_line(each.position, better[each.ply + 1], notation)}"
            said[each.ply] = "; ".join(filter(None, (said.get(each.ply), line)))
    return said


def _line(position: AbalonePosition, moves: Sequence[str], notation: Notation) -> str:
    replay = Replay(position)
    return " ".join(_text(notation, replay.move(move)) for move in moves)


def _made_tags(record: GameRecord, replay: Replay, notation: Notation) -> Iterator[tuple[str, str]]:
    for seat, name in enumerate(record.names, 1):
        if name:
            yield (_COLOURS[seat - 1] if record.seats == len(_COLOURS) else f"Seat{seat}"), name
    yield "Variant", variant_of(str(record.options["layout"]), notation, record.seats)
    if record.seats != len(_COLOURS):
        yield "Players", str(record.seats)
    if record.options.get("teams"):
        yield "Teams", _SIDES
    if record.options.get("pillar"):
        yield "Pillar", format_cell(CENTRE)
    yield "Notation", notation
    yield "Result", format_result(winners_of(record, replay.position), record.seats)
    if record.ended and record.ended.how != "record":
        yield "Termination", record.ended.how


def read_moves(text: str, notation: Notation, board: str | None, pillar: bool) -> GameRecord:
    """Parse tags and moves. The further arguments replace missing tags. Raises RecordError."""
    said_tags, words = cut(text)
    if not said_tags and not words:
        raise RecordError("not-a-record")
    values = {key: value for key, (_, value) in said_tags.items()}
    tags = defaultdict(str, {name: value.strip() for name, value in values.items()})
    read = _notation(tags["notation"], notation)
    teams, seats = bool(tags["teams"]), _seats(tags)
    is_asked = pillar or bool(tags["pillar"])
    if tags["pillar"].lower() not in ("", format_cell(CENTRE)):
        raise _bad("Pillar", tags["pillar"].lower(), known=[format_cell(CENTRE)])
    if not tags["variant"] and board is None and notation == "Aba-Pro":
        raise RecordError("no-board")
    usual = board or ("official" if teams else usual_board(read, seats))
    layout = board_named(tags["variant"], read, seats) if tags["variant"] else usual
    if layout is None:
        raise RecordError("unknown-variant", variant=quoted(tags["variant"]))
    check_board(board, layout)
    names = _names(values, seats)
    words, winners = _result_apart(words, tags["result"], seats)
    options = options_of(layout, teams, is_asked)
    replay = begun(seats, options)
    _play(words, replay, read, is_tagged=bool(tags["notation"]))
    ended = _ending(tags["termination"], winners, replay.position)
    others = tuple(
        (name, value)
        for key, (name, value) in said_tags.items()
        if key not in RESERVED and not (key == "termination" and is_termination(value))
    )
    return checked(GameRecord(seats, options, names, (), ended, others), replay)


def _notation(said: str, default: Notation) -> Notation:
    known: dict[str, Notation] = {"": default, "pbm": "pbm", "abapro": "Aba-Pro"}
    name = "".join(filter(str.isalnum, said.lower()))
    if name not in known:
        raise _bad("Notation", said, known=["pbm", "Aba-Pro"])
    return known[name]


def _seats(tags: Mapping[str, str]) -> int:
    """Return the number of players that the tags state, such as Players. Raises RecordError."""
    teams, said = tags["teams"], tags["players"]
    partners = [int(character) for character in teams if character in "123456"]
    sides = {frozenset(partners[:2]), frozenset(partners[2:])}
    if teams and sides != set(map(frozenset, TEAMS)):
        raise _bad("Teams", teams, known=[_SIDES])
    if not said:
        named = (seat for seat in range(3, _MOST_SEATS + 1) if tags[f"seat{seat}"])
        return IN_TEAMS if teams else max(named, default=2)
    if said not in map(str, range(2, _MOST_SEATS + 1)):
        raise _bad("Players", said, numbers=[2, _MOST_SEATS])
    return int(said)


def _names(values: Mapping[str, str], seats: int) -> tuple[str, ...]:
    names = [values.get(f"seat{seat}", "") for seat in range(1, _MOST_SEATS + 1)]
    for seat, colour in enumerate(_COLOURS):
        names[seat] = values.get(colour.lower(), "") or names[seat]
    if any(names[seats:]):
        raise RecordError("bad-names", fault="seat", players=seats)
    return tuple(names[:seats])


def check_board(given: str | None, board: str) -> None:
    """Raise RecordError if the player has `given` another board than the record's `board`."""
    if given not in (None, board):
        raise RecordError("board-differs", board=board, asked=given)


def _bad(tag: str, value: str, **can_be: list[str] | list[int]) -> RecordError:
    return RecordError("bad-tag", fault="value", tag=tag, value=quoted(value), **can_be)


def _result_apart(
    words: list[str | Leaving], tag: str, players: int
) -> tuple[list[str | Leaving], Winners]:
    """Return the words before the result at their end, and that result or else the tag's.

    Raises RecordError, also if the two differ.
    """
    results = [parse_result(tag, players)] if tag else []
    for index, word in enumerate(words):
        last = index == len(words) - 1
        # With more players a digit at the very end is the seat that won; elsewhere it is a number.
        is_seat = last and players > 2
        if isinstance(word, Leaving) or not (is_result(word) or (is_seat and word.isdecimal())):
            continue
        if not last:
            more = quoted(str(words[index + 1]))
            raise RecordError("after-result", result=quoted(word), more=more)
        results.append(parse_result(word, players))
        words = words[:index]
    known = list(dict.fromkeys(winners for winners in results if winners is not None))
    if len(known) > 1:
        both = [format_result(winners, players) for winners in known]
        raise RecordError("bad-result", fault="two", results=both)
    return words, known[0] if known else None


def _play(
    words: list[str | Leaving], replay: Replay, notation: Notation, *, is_tagged: bool
) -> None:
    """Play the steps. `is_tagged` says whether a tag names the notation. Raises RecordError."""
    usual = parse_move if is_tagged else _parse_untagged
    parse = parse_abapro if notation == "Aba-Pro" else usual
    for word in words:
        if isinstance(word, Leaving):
            replay.step(word)
        elif _DASHES.issuperset(word):
            replay.skip(word)
        elif not (word.isdecimal() or set(word) <= {".", "…"}):
            if replay.ply == MOST_PLIES:
                raise RecordError("too-many-plies", most=MOST_PLIES)
            replay.move(word, parse)


def _parse_untagged(text: str, position: AbalonePosition) -> LineMove:
    """Parse a move of a record that does not name its notation."""
    try:
        return parse_move(text, position)
    except NotationError as error:
        if not _ABAPRO_MOVE.fullmatch(text):
            raise
        raise NotationError("not-a-move", perhaps_abapro=True) from error


def _ending(termination: str, winners: Winners, final: AbalonePosition) -> Ending | None:
    """Return the ending that a record states; None if its game goes on or was ended by a move."""
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
