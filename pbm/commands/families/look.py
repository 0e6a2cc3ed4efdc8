"""Commands that only read boards."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pbm.commands.families.seeks import own_seeks, pending_challenges
from pbm.commands.language.context import Context, player_named
from pbm.commands.language.declare import Command, flag, operand
from pbm.commands.language.words import ME, WHICH, BoardRef, OneOf, Shown, Which, begins_with_login
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.boards import position_after
from pbm.play.clocks.view import clock_view
from pbm.play.limits import MOST_SHOWN
from pbm.play.subjects import games_subject
from pbm.play.views import board_view, boards_waiting, past_view
from pbm.rules.registry import games
from pbm.rules.sides import teams
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_MOST_LISTED = 50
_LOOKED_THROUGH = 200  # newest boards of a player, in a narrow search
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
        boards, players, me = asked.boards(context), asked.players, context.player
        others = [player.handle if player != me else None for player in players]
        over = context.work.boards.of_player
        line = ["games", *(handle or ME for handle in others if players != [me])]
        told = {
            "subject_line": games_subject(others, _counted(others, boards, asked)),
            "boards": [_listed(context, board) for board in boards[:_MOST_LISTED]],
            "more": max(0, len(boards) - _MOST_LISTED),
            "which": asked.which.value,
            "line": " ".join(line),
            "over": any(over(player.id, playing=False, most=1) for player in players),
            "narrowed": asked.is_narrow,
            "seeks": own_seeks(context) if me in players else [],
            "challenges": pending_challenges(context) if me in players else [],
        }
        yield Answered("games", told)


@dataclass(frozen=True)
class _Selection:
    which: Which
    players: Sequence[Player]
    kinds: frozenset[str] = frozenset()
    sizes: frozenset[int] = frozenset()
    teams: bool = False

    @property
    def is_narrow(self) -> bool:
        return bool(self.kinds or self.sizes or self.teams)

    def boards(self, context: Context) -> list[Board]:
        """Return the selected boards, newest first. Only the newest of each player are searched."""
        found: dict[int, Board] = {}
        for player in self.players:
            found |= {board.id: board for board in self._boards_of(context, player)}
        return list(filter(self._fits, (found[number] for number in sorted(found, reverse=True))))

    def _boards_of(self, context: Context, player: Player) -> Iterator[Board]:
        boards, most = context.work.boards, _LOOKED_THROUGH if self.is_narrow else _MOST_LISTED + 1
        if self.which is Which.NEXT:
            yield from boards.get_many(boards.to_move(player.id)[-most:])
        if self.which in (Which.ACTIVE, Which.ALL):
            yield from boards.of_player(player.id, playing=True, most=most)
        if self.which in (Which.OVER, Which.ALL):
            yield from boards.of_player(player.id, playing=False, most=most)

    def _fits(self, board: Board) -> bool:
        return (
            board.is_installed
            and (not self.kinds or board.game in self.kinds)
            and (not self.sizes or len(board.seats) in self.sizes)
            and (not self.teams or teams(board.position) is not None)
        )


def _all_shown(
    context: Context, what: Sequence[BoardRef | str], *, own: bool = False
) -> Iterator[Event]:
    """Show the boards that are named by number, then the boards of the named players."""
    refs = [item for item in what if isinstance(item, BoardRef)]
    words = [item for item in what if isinstance(item, str)]
    more = _asked_for(context, words).boards(context) if words else []
    room = MOST_SHOWN - context.shown
    if room <= 0:
        raise Refusal("enough-shown", most=MOST_SHOWN)
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


def _counted(owners: Sequence[str | None], boards: Sequence[Board], asked: _Selection) -> str:
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


def _listed(context: Context, board: Board) -> dict[str, Any]:
    yours = board.to_move is not None and board.to_move.player_id == context.player_id
    clock = clock_view(context.work, board, context.now, [context.player]) if yours else None
    return {
        "yours": yours,
        "by": clock.for_reader(context.player.settings.timezone)["by"] if clock else None,
        "number": board.id,
        "players": [seat.handle for seat in board.seats],
        "status": board.status,
        "turn": board.to_move.handle if board.to_move else None,
        "turn_unreachable": bool(board.to_move and board.to_move.unreachable),
        "ply": board.ply,
        "latest": board.latest,
        "paused": board.playing and board.paused_since is not None,
        "winners": [board.seats[seat - 1].handle for seat in board.winners or ()],
    }


def _shown(context: Context, board: Board, ply: int | None) -> Answered:
    work, actor, picture = context.work, context.actor, context.wants_picture
    if ply is None:
        view = board_view(work, board, player_id=context.actor_id, whole=True, picture=picture)
        clock = clock_view(work, board, context.now)
        zone = actor.settings.timezone if actor else "UTC"
        told = {**view, "clock": clock.for_reader(zone) if clock else None}
        return Answered("board", told, board.id)
    counted = ply if ply >= 0 else board.ply + 1 + ply
    if not 0 <= counted <= board.ply:
        raise Refusal("no-such-ply", number=board.id, last=board.ply, ply=ply)
    position = position_after(work, board, counted)
    reader = context.actor_id
    past = past_view(work, board, position, counted, player_id=reader, picture=picture)
    return Answered("past-board", dict(past), board.id)


def _asked_for(context: Context, words: Sequence[str], **narrow: Any) -> _Selection:
    chosen = [WHICH[word] for word in words if word in WHICH]
    handles = [ME if word == _MINE else word for word in words if word not in WHICH] or [ME]
    players = [player_named(context, handle) for handle in handles]
    which = chosen[-1] if chosen else Which.ACTIVE
    return _Selection(which, list({player.id: player for player in players}.values()), **narrow)


class Next(Command, group="look"):
    """See every board on which it is your move, in one mail."""

    words = ("next",)
    reads_only = True

    def run(self, context: Context) -> Iterator[Event]:
        if context.shown >= MOST_SHOWN:
            raise Refusal("enough-shown", most=MOST_SHOWN)
        boards, more = boards_waiting(context.work, context.player, context.now)
        count = len(boards) + more
        if count == 1:
            yield Answered("board", boards[0], boards[0]["number"])
            return
        title = f"your move on {count or 'no'} boards"
        yield Answered("waiting", {"title": title, "boards": boards, "more": more})
