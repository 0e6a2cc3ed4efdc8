"""Commands that only read boards."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

from pbm.commands.language.arguments import PlyRange
from pbm.commands.language.context import Context, player_named
from pbm.commands.language.declare import Command, flag, operand
from pbm.commands.language.words import (
    ME,
    WHICH,
    BoardKind,
    BoardRef,
    OneOf,
    Shown,
    begins_with_login,
)
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.boards import position_after
from pbm.play.clocks.view import clock_for
from pbm.play.listings import (
    Selection,
    Which,
    boards_listed,
    boards_waiting,
    waiting_for_others,
)
from pbm.play.previews import replayed
from pbm.play.subjects import games_subject
from pbm.play.views import board_view, past_view
from pbm.play.watching import watchers_of
from pbm.rules.registry import games
from pbm.store.values.boards import Board

_MINE = "mine"
_WHICH = "board|next|active|over|all"
_OWN_BOARDS = Shown(_WHICH, OneOf(shown=_WHICH, **WHICH))
_SIZES = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


class Show(Command, group="look"):
    """Show boards with all their moves."""

    words = ("show", "board")
    short = ("board",)
    examples = ("show", "show 12", "show 12#17 13", "show 12#-3", "show bob next")
    reads_only = True

    what: tuple[BoardRef | str, ...] = operand(Shown("board|handle"), many=True, optional=True)

    def on(self, board: BoardRef, line: str) -> Self | None:
        if self.what:
            return None
        self.what, self.line = (board,), line
        return self

    def run(self, context: Context) -> Iterator[Event]:
        yield from _all_shown(context, self.what or (BoardRef(),))


class ShowAs(Command, group="look"):
    """Show boards on which you play, each as seen from your side."""

    words = ("showas",)
    examples = ("showas", "showas 12", "showas next")
    reads_only = True
    takes_login = True

    what: tuple[BoardRef | str, ...] = operand(_OWN_BOARDS, many=True, optional=True)

    @classmethod
    def login_in(cls, words: list[str]) -> int | None:
        return 0 if begins_with_login(words) else super().login_in(words)

    def run(self, context: Context) -> Iterator[Event]:
        yield from _all_shown(context, self.what or (Which.ACTIVE.value,), own=True)


class Games(Command, group="look"):
    """List games: yours, or those of the players you name."""

    words = ("games",)
    examples = (
        *("games", "games waiting", "games finished", "games all"),
        *("games bob", "games bob next", "games all -three"),
    )
    reads_only = True

    who: tuple[str, ...] = operand(Shown("handle"), many=True, optional=True)
    two: bool = flag("two")
    three: bool = flag("three")
    four: bool = flag("four")
    five: bool = flag("five")
    six: bool = flag("six")
    teams: bool = flag("teams")

    def run(self, context: Context) -> Iterator[Event]:
        named = [str(word) for word in self.who]
        kinds = frozenset(word for word in named if word in games())
        asked = _asked_for(
            context,
            [word for word in named if word not in kinds],
            kinds=kinds,
            sizes=frozenset(size for size, name in _SIZES.items() if getattr(self, name)),
            teams=self.teams,
        )
        work, me, players = context.work, context.player, asked.players
        boards = asked.boards(work)
        others = [player.handle if player != me else None for player in players]
        line = ["games", *(handle or ME for handle in others if players != [me])]
        told = {
            "subject_line": games_subject(others, _counted(others, boards, asked)),
            **boards_listed(work, asked, boards, me, context.now),
            "line": " ".join(line),
        }
        if me in players:
            told |= waiting_for_others(work, me, context.turn.arrived)
        yield Answered("games", told)


def _all_shown(
    context: Context, what: Sequence[BoardRef | str], *, own: bool = False
) -> Iterator[Event]:
    """Show the boards that are named by number, then the boards of the named players."""
    refs = [item for item in what if isinstance(item, BoardRef)]
    words = [item for item in what if isinstance(item, str)]
    more = _asked_for(context, words).boards(context.work) if words else []
    room = context.room()
    boards = [(context.board(ref), ref.ply) for ref in refs[:room]]
    strange = [board.id for board, _ in boards if own and not board.seats_of(context.player_id)]
    if strange:
        raise Refusal("not-your-board", number=strange[0])
    boards += [(board, None) for board in more]
    if not boards:
        raise Refusal("no-boards")
    rest = [ref.number for ref in refs[room:]] + [board.id for board, _ in boards[room:]]
    if rest:
        yield Answered("more-boards", {"most": room, "numbers": rest})
    for board, ply in boards[:room]:
        yield _shown(context, board, ply)


def _counted(owners: Sequence[str | None], boards: Sequence[Board], asked: Selection) -> str:
    if asked.which is Which.OVER:
        return f"{len(boards)} over"
    movers = [board.to_move for board in boards if board.to_move]
    counted = f"{len(movers)} {'waiting' if asked.which is Which.NEXT else 'in progress'}"
    if len(asked.players) > 1:
        return counted
    own = sum(mover.player_id == asked.players[0].id for mover in movers)
    whose = f"{owners[0]}'s" if owners[0] else "your"
    told = f"{whose} move on {own or 'none'}"
    return told if asked.which is Which.NEXT else f"{counted}, {told}"


def _shown(context: Context, board: Board, ply: int | None) -> Answered:
    work, reader = context.work, context.actor
    if ply is None:
        view = board_view(work, board, reader, whole=True)
        view["clock"] = clock_for(work, board, context.now, reader)
        view |= watchers_of(work, board, reader)
        return Answered("board", view, board.id)
    counted = ply if ply >= 0 else board.ply + 1 + ply
    if not 0 <= counted <= board.ply:
        raise Refusal("no-such-ply", number=board.id, last=board.ply, ply=ply)
    position = position_after(work, board, counted)
    past = past_view(work, board, position, counted, reader)
    return Answered("past-board", dict(past), board.id)


def _asked_for(context: Context, words: Sequence[str], **narrow: Any) -> Selection:
    chosen = [WHICH[word] for word in words if word in WHICH]
    handles = [ME if word == _MINE else word for word in words if word not in WHICH] or [ME]
    players = [player_named(context, handle) for handle in handles]
    which = chosen[-1] if chosen else Which.ACTIVE
    named = list({player.id: player for player in players}.values())
    return Selection(which, named, context.actor_id, **narrow)


class Replay(Command, group="look"):
    """See a game from its beginning: its moves, with the board every few plies."""

    words = ("replay",)
    examples = ("replay", "replay 12", "replay 12 10-40")
    reads_only = True

    board: BoardRef | None = operand(BoardKind(), optional=True)
    plies: tuple[int, int] | None = operand(PlyRange(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        context.room()
        board = context.board(self.board)
        first, last = self.plies or (1, board.ply)
        if not board.ply:
            raise Refusal("nothing-to-replay", number=board.id)
        if not 1 <= first <= min(last, board.ply):
            raise Refusal("no-such-ply", number=board.id, last=board.ply, ply=first)
        last = min(last, board.ply)
        boards = replayed(context.turn, board, first, last, context.actor)
        told = {**boards[-1], "picture": None, "first": first, "boards": boards}
        yield Answered("replay", told, board.id)


class Next(Command, group="look"):
    """See every board on which it is your move, in one mail."""

    words = ("next",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        context.room()
        boards, more = boards_waiting(context.work, context.player, context.now)
        count = len(boards) + more
        if count == 1:
            yield Answered("board", boards[0], boards[0]["number"])
            return
        yield Answered("waiting", {"boards": boards, "more": more})
