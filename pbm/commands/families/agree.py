"""Commands for what other players must agree to, such as draws, take-backs and challenges.

Also `claim`, which ends a game as a draw if it gets nowhere; nobody needs to agree to that.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

from pbm.clock import local_moment
from pbm.commands.families.lobby import opponent_named
from pbm.commands.families.settings import set_challenges
from pbm.commands.families.submit import Drop, waiting_on
from pbm.commands.language.context import BOARDS_NAMED, Context, which_board
from pbm.commands.language.declare import BoardCommand, Command, operand
from pbm.commands.language.words import BoardKind, BoardRef, Handle, OneOf, lowered, misread
from pbm.errors import Refusal
from pbm.events import Answered, CalledOff, Event
from pbm.play import limits, offers
from pbm.play.actions import claim_forfeit, claimable_from
from pbm.play.challenges import accept_challenge, refuse_challenge
from pbm.play.handovers import check_guest
from pbm.play.offers import DRAW, PAUSE, RESUME, SUBSTITUTE, TAKEBACK
from pbm.store.values.asking import PendingChallenge
from pbm.store.values.boards import Board, Offer

CHALLENGE = "challenge"
_ALL = "all"  # all challenges, as on older servers
_LOOKED_AT = 200  # boards of a player that are searched for offers
_WHAT = OneOf(  # shown short, so that the usage line fits a phone
    *(DRAW, TAKEBACK, PAUSE, RESUME, SUBSTITUTE, CHALLENGE), undo=TAKEBACK, all=_ALL, shown="what"
)


class Draw(BoardCommand, group="play"):
    """Offer the others a draw, or agree to the one that somebody offers."""

    takes_login = True
    words = ("draw", "propose")
    passes_over = (DRAW,)  # "propose draw"
    comes_last = True

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        offer = offers.offered_to(board, context.player.id)
        if offer:
            yield from offers.agree(context.work, board, offer, context.player.id, context.now)
        else:
            yield from offers.ask_all(context.work, board, DRAW, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        board = context.own_game(self.board)
        offer = offers.offered_to(board, context.player.id)
        return f"{'accept draw' if offer else 'draw'} {board.id}"


class TakeBack(BoardCommand, group="play"):
    """Ask the others to let you take back your latest move, and all that came after it."""

    takes_login = True
    words = ("takeback", "undo")

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        if instead := self._drops(context, board):
            yield from instead.run(context)
            return
        latest = offers.takeback_ply(context.work, board, context.player.id)
        if not latest:
            raise Refusal("nothing-to-take-back", number=board.id)
        if self.board and self.board.ply not in (None, latest):
            plies = {"meant": self.board.ply, "latest": latest}
            raise Refusal("not-your-latest-move", number=board.id, **plies)
        yield from offers.ask_all(context.work, board, TAKEBACK, context.player.id, context.now)

    def pinned(self, context: Context) -> str:
        board = context.own_board(self.board)
        if instead := self._drops(context, board):
            return instead.pinned(context)
        latest = offers.takeback_ply(context.work, board, context.player.id)
        return f"takeback {board.id}#{self.board.ply if self.board and self.board.ply else latest}"

    def _drops(self, context: Context, board: Board) -> Drop | None:
        """Return the command for `undo` on a board on which the player has submitted a move."""
        is_undo = {"undo", *lowered(self.line).split()} <= {"undo", str(board.id)}
        if not is_undo or not waiting_on(context, board):
            return None
        return Drop.parse(Drop.words[0], [str(board.id)])


class _Answer(Command):
    takes_login = True
    passes_over = ("the", "offer", "from")
    refuses: ClassVar[bool] = False  # and withdraws the speaker's own offers and challenges

    board: BoardRef | None = operand(BoardKind(), optional=True, anywhere=True)
    what: str | None = operand(_WHAT, optional=True)
    who: str | None = operand(Handle(), optional=True)

    def _read(self, words: list[str]) -> None:
        super()._read(words)
        left = None if self.what in (CHALLENGE, SUBSTITUTE) else self.who
        left = str(self.board) if self.what == CHALLENGE and self.board else left
        if left is not None:
            raise misread("left-over", word=left)

    def _asked(self, context: Context) -> PendingChallenge | tuple[Board, Offer] | None:
        """Return the challenge, or the board and the offer on it, that the command answers.

        Returns None if the command answers "all". Raises Refusal.
        """
        if self.what == _ALL:
            return None
        return self._challenge(context) or self._offer(context)

    def _challenge(self, context: Context) -> PendingChallenge | None:
        """Return the challenge that the command answers, or None if it answers an offer."""
        if self.what != CHALLENGE and (self.what or self.board or context.hints):
            return None
        me = context.player.id
        waiting = context.work.challenges.of_player(me, context.turn.arrived)
        found = [item for item in waiting if me in self._who_may_answer(item)]
        if self.what != CHALLENGE and not found:
            return None
        if self.what != CHALLENGE and self._asked_boards(context)[1]:
            raise Refusal("challenge-or-offer", word=self.words[0])
        if self.who:
            found = [item for item in found if self.who in _others_in(item, me)]
        if len(found) > 1:
            found = [item for item in found if item.by_id != me] or found
        if len(found) > 1:
            handles = [_others_in(item, me)[0] for item in found]
            raise Refusal("which-challenge", word=self.words[0], handles=handles)
        locked = context.work.challenges.find(found[0].id) if found else None
        if locked is None or me not in self._who_may_answer(locked):
            raise Refusal("no-challenge-waits", handle=self.who)
        return locked

    def _who_may_answer(self, challenge: PendingChallenge) -> Collection[int]:
        return (challenge.by_id, *challenge.asked) if self.refuses else challenge.waiting

    def _asked_boards(self, context: Context) -> tuple[Sequence[Board], list[Board]]:
        """Return the sender's newest boards in progress, and which of them have an open offer."""
        boards = context.work.boards.of_player(context.player.id, playing=True, most=_LOOKED_AT)
        return boards, [board for board in boards if self._offers(board, context)]

    def _offer(self, context: Context) -> tuple[Board, Offer]:
        ref = self.board
        if self.what == SUBSTITUTE and (invited := self._invited(context)):
            return invited
        if not context.hints and (ref is None or ref.number is None):
            boards, asked = self._asked_boards(context)
            if len(asked) > 1 or len(boards) == _LOOKED_AT:
                raise which_board((asked or boards)[:BOARDS_NAMED])
            ref = BoardRef(asked[0].id, ref.ply if ref else None) if asked else ref
        board = context.own_game(ref)
        found = self._offers(board, context)
        if not found:
            raise Refusal("nothing-offered", what=self.what, number=board.id)
        if len(found) > 1:
            kinds = [offer.kind for offer in found]
            raise Refusal("which-offer", word=self.words[0], kinds=kinds, number=board.id)
        return board, found[0]

    def _invited(self, context: Context) -> tuple[Board, Offer] | None:
        """Return the board on which somebody asks for the sender, who does not play there."""
        number = (self.board and self.board.number) or next(iter(context.hints), None)
        if number is None or context.sits_at(number):
            return None
        board = context.work.boards.find(number, lock=True)
        found = board.offer(SUBSTITUTE) if board and board.is_installed else None
        is_asked = board and found and context.player_id in board.open_offers.get(found, ())
        return (board, found) if board and found and is_asked else None

    def _offers(self, board: Board, context: Context) -> list[Offer]:
        me, ply = context.player.id, self.board.ply if self.board else None
        return [
            offer
            for offer, asked in board.open_offers.items()
            if offer.kind == (self.what or offer.kind)
            and (me in asked or (self.refuses and me == offer.by))
            and (offer.kind != TAKEBACK or ply in (None, offer.moved))
        ]

    def run(self, context: Context) -> Iterator[Event]:
        match self._asked(context):
            case None:
                yield set_challenges(context, "off" if self.refuses else "on")
            case PendingChallenge() as challenge:
                yield from (_refused if self.refuses else _accepted)(context, challenge)
            case board, offer:
                of = (context.work, board, offer, context.player.id)
                yield from offers.refuse(*of) if self.refuses else offers.agree(*of, context.now)
                yield from _told_to_guest(context, board, offer)

    def pinned(self, context: Context) -> str:
        match self._asked(context):
            case None:
                return f"{self.words[0]} {_ALL}"
            case PendingChallenge() as challenge:
                handle = _others_in(challenge, context.player.id)[0]
                return f"{self.words[0]} {CHALLENGE} {handle}"
            case board, offer:
                ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
                return f"{self.words[0]} {offer.kind} {board.id}{ply}"


class Accept(_Answer, group="play"):
    """Agree to a draw, a take-back or a pause that another player asks for, or to a challenge."""

    words = ("accept",)
    examples = ("accept draw", "accept takeback 12", "accept", "accept challenge bob")


class Reject(_Answer, group="play"):
    """Say no to what another player asks for, or withdraw what you asked for yourself."""

    words = ("reject",)
    examples = ("reject draw", "reject takeback 12", "reject", "reject challenge bob")
    refuses = True


class Substitute(BoardCommand, group="play"):
    """Ask the others, and another player, that this player plays on in your place."""

    words = ("substitute",)
    examples = ("substitute dora", "substitute 12 dora")
    takes_login = True

    guest: str = operand(Handle())

    def run(self, context: Context) -> Iterator[Event]:
        board, player = context.own_game(self.board), context.player
        guest = opponent_named(context, self.guest)
        check_guest(context.work, board, player.id, guest)
        work, now = context.work, context.now
        yield from offers.ask_all(work, board, SUBSTITUTE, player.id, now, guest)
        limits.count_asking(context.work, player, guest, context.now)

    def pinned(self, context: Context) -> str:
        return f"{self.words[0]} {context.own_game(self.board).id} {self.guest}"


def _told_to_guest(context: Context, board: Board, offer: Offer) -> Iterator[Event]:
    """Tell a guest, who has no seat yet and so gets no mail of the board, what the answer does."""
    after = context.work.boards.get(board.id)
    if offer.guest == context.player_id and not after.seats_of(offer.guest):
        offer, waits = replace(offer, agreed=(*offer.agreed, offer.guest)), after.offer(offer.kind)
        others = [after.handle_of(one) for one in after.waiting_for(offer)] if waits else []
        told = {"number": board.id, "by": board.handle_of(offer.by), "waiting": others}
        yield Answered("substitute-answered", told)


def _refused(context: Context, challenge: PendingChallenge) -> Iterator[Event]:
    own = challenge.by_id == context.player.id
    told = {"own": own, "inviter": challenge.handle_of(challenge.by_id)}
    yield Answered("challenge-refused", told)
    yield refuse_challenge(context.work, challenge, context.player)


def _accepted(context: Context, challenge: PendingChallenge) -> Iterator[Event]:
    inviter = challenge.handle_of(challenge.by_id)
    events = accept_challenge(context.work, challenge, context.player, context.now)
    if any(isinstance(event, CalledOff) for event in events):
        yield Answered("invitation-off", {})
    yield from events
    if not events:
        others = [challenge.handle_of(other) for other in challenge.waiting]
        waiting = [handle for handle in others if handle != context.player.handle]
        told = {"inviter": inviter, "waiting": waiting, "until": f"{challenge.expires_at:%Y-%m-%d}"}
        yield Answered("challenge-accepted", told)


def _others_in(challenge: PendingChallenge, player_id: int) -> list[str]:
    """Return the handles of a challenge's players except `player_id`, the inviter first."""
    named = dict.fromkeys((challenge.by_id, *challenge.asked))
    return [challenge.handle_of(other) for other in named if other != player_id]


class Claim(BoardCommand, group="play"):
    """End a game as a draw if it gets nowhere; nobody needs to agree."""

    takes_login = True
    words = ("claim",)
    comes_last = True

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_game(self.board)
        if forfeit := claim_forfeit(context.turn, board, context.player):
            yield from forfeit
            return
        try:
            yield from offers.claim_draw(context.work, board, context.player, context.now)
        except Refusal:
            at = claimable_from(context.work, board, context.player, context.now)
            if not (at and board.to_move):
                raise
            told = local_moment(at, context.player.settings.timezone)
            handle = board.to_move.handle
            raise Refusal("claim-later", handle=handle, at=told, number=board.id) from None
