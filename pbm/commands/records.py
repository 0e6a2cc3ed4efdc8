"""Games as records: a board written out, and a game from elsewhere brought in."""

import json
from collections.abc import Iterator, Sequence

from pbm.commands.context import Context
from pbm.commands.declare import Command, flag, operand, option
from pbm.commands.leaving import everything_about
from pbm.commands.words import ME, BoardName, BoardRef, Shown
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.boards import close_board, progress_at
from pbm.play.first_moves import await_first_move
from pbm.play.subjects import board_subject
from pbm.play.turn import Turn
from pbm.rules import abalone as rules
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Played, Seat

_LONGEST_NAME = 40
_BY_RECORD = "record"
_DRAWN: dict[str | None, rules.EndingHow] = {"agreed": "agreed", "claimed": "claimed"}


class Export(Command):
    """Get a game as a record: text that other programs, or `import`, can read.

    -apgn has tags and numbered moves (that is meant when you say nothing), -json is for
    programs, and -diagram is the board alone. -abapro writes the moves in the notation of
    the program Aba-Pro: alone it gives a bare list of moves, together with -apgn the tags
    as well. `export me` sends you everything that is kept about you, as JSON.
    """

    words = ("export",)
    group = "look"
    examples = ("export", "export 12", "export 12 -json", "export 12 -apgn -abapro", "export me")
    reads_only = True

    what: BoardRef | str | None = operand(Shown("board|me"), optional=True)
    apgn: bool = flag("apgn")
    abapro: bool = flag("abapro")
    json: bool = flag("json")
    diagram: bool = flag("diagram")

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the record."""
        if self.what == ME:
            text = json.dumps(everything_about(context), indent=1)
            yield Answered("record", {"title": "all about you", "text": text})
            return
        if isinstance(self.what, str):
            raise Refusal("not-a-board", word=self.what)
        board = context.board(self.what)
        record = record_of(context.work, board, context.server)
        try:
            text = rules.format_record(record, self._form(), notation=self._notation())
        except rules.RecordError as error:
            raise Refusal("no-such-form", text=str(error), number=board.id) from error
        title = f"board {board.id} as a record"
        yield Answered("record", {"title": title, "number": board.id, "text": text})

    def _form(self) -> rules.RecordForm:
        asked: list[tuple[bool, rules.RecordForm]] = [
            (self.json, "json"),
            (self.diagram, "diagram"),
            (self.abapro and not self.apgn, "abapro"),
        ]
        chosen = [form for wanted, form in asked if wanted]
        if len(chosen) > 1 or (self.apgn and chosen):
            raise Refusal("one-form")
        return chosen[0] if chosen else "apgn"

    def _notation(self) -> rules.RecordNotation:
        return "Aba-Pro" if self.abapro else "pbm"


class Import(Command):
    """Bring in the record of a game that was played elsewhere.

    Put the record below the command: text with tags and numbered moves, or JSON, as
    `export` writes them. A bare list of moves in Aba-Pro notation needs -abapro and the
    name of its board, as in `import -abapro -layout=belgian`. The game is played through;
    where the rules do not allow a move, nothing is kept, and we say which and why.
    It gets a number like any board, so that `show` and `export` work on it. It is over, and
    nobody can play on.
    """

    words = ("import",)
    group = "look"
    examples = ("import", "import -abapro -layout=belgian")
    takes_text = True

    layout: str | None = option("layout", BoardName())
    pillar: bool = flag("pillar")
    abapro: bool = flag("abapro")

    def run(self, context: Context) -> Iterator[Event]:
        """Replay it, and keep it."""
        record = self._record(context)
        seated = [context.player.id] * record.players
        names = shown_names(record)
        board = keep_record(context.turn, record, seated, names=names)
        told = {"title": "your record", "plies": board.ply, "board": board.layout}
        yield Answered("imported", {**told, "number": board.id}, board.id)

    def _record(self, context: Context) -> rules.Record:
        text = "\n".join(context.text)
        if not text.strip():
            raise Refusal("no-record")
        form: rules.RecordForm | None = "abapro" if self.abapro else None
        try:
            return rules.parse_record(text, form, board=self.layout, pillar=self.pillar)
        except rules.RecordError as error:
            no_board = error.reason == "no-board"
            raise Refusal("bad-record", text=str(error), no_board=no_board) from error


def record_of(work: UnitOfWork, board: Board, server: str) -> rules.Record:
    """The record of a board, as far as it has been played."""
    start = rules.parse_state(board.start_state)
    moves = [ply.text for ply in work.boards.plies(board.id)]
    left = [
        (item.after_ply, rules.Leaving(item.seat, _how(item.how)))
        for item in work.boards.departures(board.id)
    ]
    return rules.Record(
        board.layout,
        len(board.seats),
        teams=start.teams,
        pillar=start.pillar,
        names=tuple(_written(seat, board) for seat in board.seats),
        steps=rules.merged_steps(moves, left),
        ended=_ending(board),
        tags=_own_tags(board, server) if board.tags is None else board.tags,
    )


def shown_names(record: rules.Record) -> list[str]:
    """The names in a record as they stand in lists and subjects: short, none empty."""
    return [_name(name, seat) for seat, name in enumerate(record.names, 1)]


def keep_record(
    turn: Turn,
    record: rules.Record,
    player_ids: Sequence[int],
    *,
    names: Sequence[str],
    goes_on: bool = False,
) -> Board:
    """Put a game that was played elsewhere on the server: a record, or one that goes on here.

    A record is over, and its seats keep the names that it gives; one that goes on is played
    by the players whose names they are. Nothing has ended here, so no event tells of an end.
    """
    work, now = turn.work, turn.now
    played = [
        Played(item.ply, item.seat, item.step, rules.effect(item.played))
        for item in record.replay()
        if item.played is not None and isinstance(item.step, str)
    ]
    left = [
        (item.ply, item.seat, item.step.how)
        for item in record.replay()
        if isinstance(item.step, rules.Leaving)
    ]
    board = work.boards.add(
        record.board,
        record.start,
        player_ids,
        board_subject(names),
        now,
        names=None if goes_on else names,
        tags=record.tags or (None if goes_on else ()),
    )
    reached = progress_at(board, record.final, len(played))
    board = work.boards.fill(board, played, left, reached, now)
    if record.ended is None and (goes_on or not board.playing):
        await_first_move(work, board, now)
        return board
    if record.winners is None:
        return close_board(work, board, _BY_RECORD, now)
    by_word = _DRAWN.get(record.by, _BY_RECORD)
    return close_board(work, board, by_word, now, winners=record.winners)


def _own_tags(board: Board, server: str) -> tuple[tuple[str, str], ...]:
    """The tags of a game that was begun here."""
    number = (("Round", str(board.round.number)),) if board.round else ()
    return (
        ("Event", f"Board {board.id}"),
        ("Site", server.rpartition("@")[2]),
        ("Date", f"{board.started_at:%Y.%m.%d}"),
        *number,
    )


def _ending(board: Board) -> rules.Ending | None:
    """How a board ended that by its moves alone would go on."""
    if board.playing or board.position.outcome:
        return None
    if board.winners is None:
        return None if board.from_record else rules.Ending("closed")
    if board.ended_by in _DRAWN:
        return rules.Ending(_DRAWN[board.ended_by])
    how: rules.EndingHow = "record" if board.from_record else "operator"
    return rules.Ending(how, board.winners)


def _how(how: str) -> rules.LeavingHow:
    return "removed" if how == "removed" else "forfeited" if how == "forfeited" else "resigned"


def _written(seat: Seat, board: Board) -> str:
    """A name as a record has it: empty where nobody knows it."""
    unknown = board.from_record and seat.handle == _name("", seat.seat)
    return "" if unknown else seat.handle


def _name(name: str, seat: int) -> str:
    kept = " ".join("".join(c if c.isprintable() else " " for c in name).split())
    return kept[:_LONGEST_NAME] or f"seat {seat}"
