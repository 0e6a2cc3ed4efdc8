"""Commands to watch games of others."""

from collections.abc import Iterator
from typing import ClassVar

from pbm.commands.language.context import Context, player_named
from pbm.commands.language.declare import Command, flag, operand
from pbm.commands.language.words import BoardRef, Shown
from pbm.commands.sentences.clauses import SENTENCE_WORDS
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play import watching
from pbm.store.values.boards import Board
from pbm.store.values.happened import How, Watching
from pbm.store.values.players import Player, PlayerStatus

_ALL = "all"


class _Watched(Shown):
    """A board's number or a handle. "Watch this" names no player."""

    before = ("board", "game", "player")
    no_handles = (SENTENCE_WORDS["to you"] | SENTENCE_WORDS["words"]) - {_ALL}


class Watch(Command, group="look"):
    """Be told of a board on which others play, or of all boards of a player."""

    words: ClassVar[tuple[str, ...]] = ("watch", "subscribe")
    examples: ClassVar[tuple[str, ...]] = ("watch 12", "watch bob", "watch 12 -moves", "watch")

    what: BoardRef | str | None = operand(_Watched("board|handle"), optional=True)
    moves: bool = flag("moves")
    how: ClassVar[How | None] = None  # by default as `moves` says

    def run(self, context: Context) -> Iterator[Event]:
        what, work, player = self._meant(context), context.work, context.player
        how = self.how or (How.MOVES if self.moves else How.DAILY)
        if what is None:
            listed = watching.told(work, work.watchings.of_watcher(player.id))
            yield Answered("watching", {**listed, "ended": None})
        elif isinstance(what, Board):
            watching.watch_board(work, player, what, how, context.now)
            yield Answered("watching-board", {"number": what.id, "how": how}, what.id)
        else:
            watching.follow(work, player, what, how, context.now)
            yield Answered("watching-player", {"handle": what.handle, "how": how})

    def pinned(self, context: Context) -> str:
        what = self._meant(context)
        named = what.id if isinstance(what, Board) else what.handle if what else ""
        return " ".join(filter(None, (self.words[0], str(named), "-moves" if self.moves else "")))

    def _meant(self, context: Context) -> Board | Player | None:
        """Return what is to be watched; None if the command only lists. Raises Refusal."""
        if isinstance(self.what, str):
            player = player_named(context, self.what)
            if player.status == PlayerStatus.REMOVED:
                raise Refusal("has-left", handle=player.handle)
            return player
        if self.what is not None or self.moves:
            return context.board(self.what)
        number = next(iter(context.hints), None)
        if number is None or context.sits_at(number):
            return None
        board = context.board(BoardRef(number))
        return board if board.playing and not covering(context) else None


class Notify(Watch):
    """Be told once a game of others is over, or each time a player's is."""

    words = ("notify",)
    examples: ClassVar[tuple[str, ...]] = ("notify 12", "notify bob")

    moves: bool = False  # no option
    how: ClassVar[How | None] = How.END


class Unwatch(Command, group="look"):
    """Be told no more of a board, of a player's boards, or of all that you watch."""

    words = ("unwatch",)
    examples = ("unwatch 12", "unwatch bob", "unwatch all", "unwatch")

    what: BoardRef | str | None = operand(_Watched("board|handle|all"), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        work, own = context.work, context.work.watchings.of_watcher(context.player_id)
        if isinstance(self.what, str) and self.what != _ALL:
            other = player_named(context, self.what)
            ended = tuple(item for item in own if item.followed_id == other.id)
            if not ended:
                raise Refusal("not-watched", handle=other.handle)
        elif isinstance(self.what, BoardRef) and self.what.number:
            ended = covering(context, self.what.number)
            if not ended:
                raise Refusal("not-watched", board=self.what.number)
        else:
            ended = own if self.what else covering(context) or own
            if not ended:
                raise Refusal("nothing-watched")
            if not (self.what or covering(context)) and len(own) > 1:
                raise Refusal("which-watching", **watching.told(work, own))
        yield Answered("watching", watching.end(work, ended))

    def pinned(self, context: Context) -> str:
        number = next(iter(context.hints), None) if self.what is None else self.what
        return " ".join(filter(None, (self.words[0], str(number or ""))))


def covering(context: Context, *numbers: int) -> tuple[Watching, ...]:
    """Return for what reasons the sender is told of boards, by default of the answered mail's."""
    shown = numbers or context.hints or [item.number for item in context.mailed]
    if context.actor_id is None or any(map(context.sits_at, shown)):
        return ()
    boards = filter(None, map(context.work.boards.find, shown))
    return watching.covering(context.work, context.actor_id, *boards)
