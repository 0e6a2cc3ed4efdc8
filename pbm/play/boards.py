"""Set-ups, teams and positions of a game, and changes of a board.

What follows from such a change elsewhere is done by the callers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from itertools import islice

from pbm.errors import Refusal
from pbm.plain import from_plain, to_plain
from pbm.play.clocks.terms import REMINDED_AFTER, Terms
from pbm.play.clocks.waits import start_clock
from pbm.play.game_words import note_failure, why
from pbm.play.subjects import board_subject
from pbm.rules.contract import (
    LEAVING_HOWS,
    Claims,
    Game,
    HasCopies,
    Leaving,
    ListsMoves,
    Move,
    Option,
    Options,
    Position,
    RulesError,
    SetupError,
    Step,
    completed,
    has,
)
from pbm.rules.record import merged_steps, positions
from pbm.rules.registry import game_named
from pbm.rules.robots import ADVISER, ROBOTS
from pbm.rules.sides import mover, turn
from pbm.store.db import UnitOfWork
from pbm.store.values.asking import Wish
from pbm.store.values.boards import MARK, Board, BoardStatus, NewPly, Progress, Round
from pbm.store.values.players import Player
from pbm.store.values.queues import SearchKind, TimerKind


def mark(game: Game, position: Position) -> str | None:
    """Return a text that is equal for repeated positions; None if the game has no draw claims."""
    if not has(game, Claims):
        return None
    return blake2b(game.sameness(position).encode(), digest_size=MARK // 2).hexdigest()


def marks_alike(game: Game, position: Position) -> frozenset[str]:
    """Return the keys (see `mark`) of a position and of its mirrored or turned copies."""
    copies = game.copies(position) if has(game, HasCopies) else (position,)
    return frozenset(filter(None, (mark(game, copy) for copy in copies)))


def counted_from(board: Board, position: Position, ply: int, stood: str | None) -> dict[str, int]:
    """Return arguments for `add_ply` to count repetitions of a position, whose key is `stood`."""
    game = board.rules
    if stood is None or not has(game, Claims):
        return {}
    since = ply - game.reversible(position)
    from_start = since <= 0 and stood == mark(board.rules, board.start)
    return {"since": since, "first": 2 if from_start else 1, "most": board.rules.info.repetitions}


def position_after(work: UnitOfWork, board: Board, ply: int) -> Position:
    """Return the position after `ply` plies. Those who had left are out. Raises RulesError."""
    *_, position = islice(positions(board.start, steps_of(work, board)), ply + 1)
    return position


def positions_since(work: UnitOfWork, board: Board, ply: int) -> list[Position]:
    """Return the positions after `ply` plies and after each later ply."""
    return list(islice(positions(board.start, steps_of(work, board)), ply, None))


def steps_of(work: UnitOfWork, board: Board) -> tuple[Step, ...]:
    left = [
        (item.after_ply, Leaving(item.seat, item.how if item.how in LEAVING_HOWS else "resigned"))
        for item in work.plies.departures(board.id)
    ]
    return merged_steps([ply.text for ply in work.plies.of(board.id)], left)


@dataclass(frozen=True)
class Setup:
    """What a challenger chooses for a new game."""

    game: str
    options: Options
    rounds: int | None = None  # of a match
    rated: bool = True
    clock: Terms | None = None  # None: the default
    private: bool = False

    def position(self, players: int) -> Position:
        """Return the starting position. Raises Refusal for choices that exclude each other."""
        game = game_named(self.game)
        try:
            return game.start(players, self.options)
        except SetupError as error:
            wrong = error.reason == "wrong-players"
            boards = any(option.sets_up for option in game.info.options)
            params = {"players": players, "wrong_number": wrong, "boards": boards}
            raise Refusal("bad-setup", **params, **why(game, error)) from error

    def is_for(self, players: int) -> bool:
        try:
            self.position(players)
        except Refusal:
            return False
        return True


def setup_of(it: Board | Wish) -> Setup:
    clock = from_plain(Terms, it.clock) if it.clock else None
    return Setup(it.game, it.options, it.rounds, it.rated, clock, it.private)


def start_board(
    work: UnitOfWork,
    setup: Setup,
    seated: Sequence[Player],
    now: datetime,
    *,
    round_of: Round | None = None,
    rematch_of: int | None = None,
    begun_by: int | None = None,
) -> Board:
    """Start a new board, with the players `seated` in seat order. Raises Refusal.

    `round_of` is the board's place in a match that has begun. If it is None and the setup has
    `rounds`, a match begins. `begun_by` is None if nobody asked for the board.
    """
    board = work.boards.add(
        setup.game,
        setup.options,
        setup.position(len(seated)),
        [player.id for player in seated],
        board_subject(setup.game, [player.handle for player in seated]),
        now,
        round_of=round_of,
        rounds=setup.rounds,
        rematch_of=rematch_of,
        begun_by=begun_by,
        rated=setup.rated,
        clock=to_plain(setup.clock),
        private=setup.private,
    )
    start_clock(work, board, now)
    request_move(work, board, now)
    return board


def check_rules(board: Board) -> None:
    """Raise Refusal if a board was begun under another version of the rules."""
    if board.rules_version != board.rules.info.version:
        raise Refusal("other-rules", number=board.id, title=board.rules.info.title)


def check_move(board: Board, text: str) -> Move:
    """Parse a move for the seat to move. Raises Refusal."""
    with refusing(board):
        return board.position.parse(text, turn(board.position) or 1)


@contextmanager
def refusing(board: Board) -> Iterator[None]:
    """Turn an error of the rules or of the game's code into a Refusal."""
    check_rules(board)
    try:
        yield
    except RulesError as error:
        raise Refusal("illegal-move", number=board.id, **why(board.rules, error)) from error
    except Refusal:
        raise
    except Exception as error:  # a fault in the game's code ends this move, not the mail
        note_failure(board.rules, error)
        title = board.rules.info.title
        raise Refusal("game-failed", title=title, number=board.id) from error


def add_move(
    work: UnitOfWork, board: Board, text: str, now: datetime, *, planned: bool = False
) -> tuple[Board, str]:
    """Play a move for the seat to move; return the board and the move. Raises Refusal.

    `planned` means that a plan of its player plays it.
    """
    position, game = board.position, board.rules
    with refusing(board):
        seat = turn(position) or 1  # always a turn: the rules refuse other moves
        move = position.parse(text, seat)
        played = game.play_legal(position, move) if has(game, ListsMoves) else position.play(move)
    number, stood = board.ply + 1, mark(game, played.position)
    ply = NewPly(number, seat, str(played.move), dict(played.effect), stood, planned)
    progress = progress_at(board, played.position, number)
    counted = counted_from(board, played.position, number, stood)
    return work.playing.add_ply(board, ply, progress, now, **counted), ply.text


def take_out(
    work: UnitOfWork,
    board: Board,
    seats: Sequence[int],
    how: str,
    now: datetime,
    *,
    spared: bool = False,
) -> Board:
    """Take seats out of the game; their pieces stay. `spared` means that it costs no rating."""
    for seat in seats:
        if board.playing and seat not in board.position.out:
            progress = progress_at(board, board.position.leave(seat), board.ply)
            board = work.playing.add_departure(board, seat, how, progress, now, spared=spared)
    return board


def go_back(work: UnitOfWork, board: Board, ply: int, now: datetime) -> Board:
    """Take back all plies after `ply`. Players who left the game after it are in the game again."""
    position = position_after(work, board, ply)
    return work.playing.go_back(board, progress_at(board, position, ply), now)


def close_board(
    work: UnitOfWork,
    board: Board,
    ended_by: str,
    now: datetime,
    *,
    winners: Sequence[int] | None = None,
) -> Board:
    """End a board, but not by a move. `winners` is () for a draw, and None for no result."""
    status = BoardStatus.CLOSED if winners is None else BoardStatus.FINISHED
    seats = None if winners is None else tuple(winners)
    progress = Progress(board.state, board.ply, None, status, ended_by, seats)
    return work.playing.set_progress(board, progress, now)


def progress_at(board: Board, position: Position, ply: int) -> Progress:
    seat = mover(position)
    to_move = board.seats[seat - 1].player_id if seat else None
    outcome = position.outcome
    end = (BoardStatus.FINISHED, outcome.by, outcome.winners) if outcome else ()
    return Progress(position.state(), ply, to_move, *end)


def seconds_of(robot: str | None = None) -> float:
    """Return how many seconds of processor time a search is expected to take.

    Without a robot, it is a search for a hint. Settings do not change this (docs/adr/robots.md).
    """
    return ROBOTS.get(robot or "", ROBOTS[ADVISER]).seconds


def request_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """Queue the search for the move of a robot, or set the reminder of a person's first move."""
    mover = board.to_move
    if mover is None or mover.robot is None:
        request_first_move(work, board, now)
    else:
        work.search_jobs.ask(
            *(SearchKind.MOVE, move_key(board, mover.player_id), now, board, asked_by(board)),
            seconds=seconds_of(mover.robot),
        )


def move_key(board: Board, player_id: int) -> str:
    """Return the key of the search job for a robot's move. Each state of the board has its own."""
    return f"{board.id}.{board.ply}.{board.taken_back}.{player_id}.{len(board.still_in)}"


def asked_by(board: Board) -> int:
    """Return the id of the player for whom a robot's move is searched, if possible a person."""
    mover = board.to_move
    people = [seat.player_id for seat in board.seats if seat.robot is None]
    still_in = board.still_in
    first = next((player for player in people if player in still_in), None)
    return first or (people[0] if people else mover.player_id if mover else 0)


def request_first_move(work: UnitOfWork, board: Board, now: datetime) -> None:
    """If a first move is awaited, set the timer that reminds the player to move of it."""
    awaited, mover = board.awaited_first_move, board.to_move
    if awaited and mover:
        work.timers.set(
            *(TimerKind.FIRST_MOVE_REMINDER, awaited, now, now + REMINDED_AFTER),
            board_id=board.id,
            player_id=mover.player_id,
        )


Team = Sequence[str]


def partners_option(game: Game) -> Option | None:
    return next((option for option in game.info.options if option.partners), None)


def in_seats(game: Game, teams: Sequence[Team]) -> list[str]:
    """Return the names of the players of all teams in seat order. Raises Refusal."""
    option = partners_option(game)
    if option is None:
        raise Refusal("no-partners", title=game.info.title)
    numbers = option.seats or game.info.seats
    found = [sides for players in numbers if (sides := _sides(game, players))]
    for sides in found:
        if list(Counter(sides).values()) == [len(team) for team in teams]:
            names = [iter(team) for team in teams]
            places = list(dict.fromkeys(sides))
            return [next(names[places.index(side)]) for side in sides]
    raise Refusal("bad-partners", teams=[list(Counter(sides).values()) for sides in found])


def in_teams(game: Game, names: Sequence[str]) -> list[Team]:
    """Group names, given in seat order, by team."""
    sides = _sides(game, len(names)) or tuple(range(len(names)))
    return [
        [name for name, own in zip(names, sides, strict=True) if own == side]
        for side in dict.fromkeys(sides)
    ]


def _sides(game: Game, players: int) -> tuple[int, ...] | None:
    """Return each seat's side in a game of partners, or None if so many players cannot play it."""
    option = partners_option(game)
    if option is None:
        return None
    chosen = completed(game.info.options, {option.name: True})
    try:
        return game.start(players, chosen).sides
    except SetupError:
        return None
