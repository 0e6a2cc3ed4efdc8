"""Commands to block players and to report them to the operator."""

from collections.abc import Iterator, Sequence

from pbm.commands.language.context import BOARDS_NAMED, Context, no_such_player, which_board
from pbm.commands.language.declare import BoardCommand, Command, Danger, operand
from pbm.commands.language.words import ME, Handle, Sentence, lowered
from pbm.errors import Refusal
from pbm.events import Answered, Event, NeedsConfirmation, Reported
from pbm.play.challenges import call_off_between
from pbm.play.limits import MAILED_OF_PLAYER, MOST_BLOCKED, REPORTS, REPORTS_MAILED, WORDS_KEPT
from pbm.play.seeks import leave_seeks_with
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, PlayerStatus

_MOST_MESSAGES = 10  # of others, in a report
_MOST_LINES = 40
_LONGEST = 400  # characters of a line


class BlockPlayer(Command, group="lobby"):
    """Have nothing to do with a player in new games, and read no words of theirs."""

    words = ("block",)
    examples = ("block bob", "block")
    danger = Danger.UNPROVEN

    who: str | None = operand(Handle(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        if self.who is None:
            yield _blocks(context)
            return
        player, other = context.player, _named(context, self.who)
        blocked = context.work.blocks.handles_of(player.id)
        if other.handle not in blocked:
            if len(blocked) >= MOST_BLOCKED:
                raise Refusal("too-many-blocked", most=MOST_BLOCKED)
            context.work.blocks.add(player.id, other.id, context.now)
            context.work.watchings.end_following(player.id, other.id)
        yield from call_off_between(context.work, player, other, context.now)
        yield from leave_seeks_with(context.work, player, other)
        # Last, because a CalledOff event in last place would be sent with the words below.
        yield _blocks(context, blocked=other.handle)


class UnblockPlayer(Command, group="lobby"):
    """Lift a block: the player can challenge you again, and you read what they write."""

    words = ("unblock",)
    examples = ("unblock bob",)
    danger = Danger.UNPROVEN

    who: str = operand(Handle())

    def run(self, context: Context) -> Iterator[Event]:
        other = _named(context, self.who)
        if not context.work.blocks.drop(context.player.id, other.id):
            raise Refusal("not-blocked", handle=other.handle)
        yield _blocks(context, unblocked=other.handle)


class ReportBoard(BoardCommand, group="lobby"):
    """Tell the operator that somebody behaves badly on one of your boards."""

    words = ("report",)
    examples = ("report 12 bob insults me", "report bob insults me")
    takes_text = True

    text: str | None = operand(Sentence(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        board = self._find(context)
        if not board.seats_of(context.player.id):
            raise Refusal("not-your-board", number=board.id)
        lines = tuple(filter(None, (self.text, *context.text)))
        if not lines:
            raise Refusal("nothing-reported", number=board.id)
        if self.board is None and context.hints:  # "report from Paris: it rains"
            line = self.pinned(context)
            yield NeedsConfirmation(line, "report-meant", {}, board.id, context.text)
            return
        work, player, now = context.work, context.player, context.now
        if not REPORTS.take(work, now, player.id):
            raise Refusal("too-many-reports", most=REPORTS.most)
        words = [
            {"handle": item.handle, "at": item.said_at.isoformat(), "lines": _cut(item.lines)}
            for item in work.words.of_others(board.id, player.id, most=_MOST_MESSAGES)
            if item.said_at > now - WORDS_KEPT
        ]
        own = _cut(lines)
        number = work.reports.add(player.id, board.id, own, words, now)
        has_operator = bool(context.turn.site.operator)
        is_first = has_operator and MAILED_OF_PLAYER.take(work, now, player.id)
        mailed = is_first and REPORTS_MAILED.take(work, now)
        last = mailed and REPORTS_MAILED.is_empty(work, now)
        yield Reported(number, board.id, player.handle, tuple(own), tuple(words), mailed, last)
        told = {"number": board.id, "most": REPORTS.most}
        yield Answered("reported", {**told, "mailed": mailed, "today": has_operator})

    def pinned(self, context: Context) -> str:
        return " ".join(filter(None, (self.words[0], str(self._find(context).id), self.text)))

    def _find(self, context: Context) -> Board:
        """Return the board that the player reports. Raises Refusal if that is not clear."""
        if self.board is not None or context.hints:
            return context.board(self.board)
        boards = context.work.boards.of_player(context.player.id, playing=True, most=BOARDS_NAMED)
        text = lowered(" ".join((self.text or "", *context.text)))
        said = {word.strip(".,:;!?") for word in text.split()}
        said.discard(context.player.handle.lower())
        named = [board for board in boards if said & {seat.handle.lower() for seat in board.seats}]
        found = named or boards
        if len(found) == 1:
            return found[0]
        raise which_board(found)


def _named(context: Context, handle: str) -> Player:
    if handle in (ME, context.player.handle):
        raise Refusal("block-yourself")
    players = context.work.players
    player = players.by_handle(handle)
    if player is None:
        former = players.formerly(handle)
        if not former:
            raise no_such_player(context, handle)
        player = players.get(former)
    if player.status == PlayerStatus.REMOVED:
        raise Refusal("has-left", handle=handle)
    return player


def _blocks(context: Context, **done: str) -> Answered:
    handles = list(context.work.blocks.handles_of(context.player.id))
    return Answered("blocks", {"handles": handles, **done})


def _cut(lines: Sequence[str]) -> list[str]:
    return [line[:_LONGEST] for line in lines[:_MOST_LINES]]
