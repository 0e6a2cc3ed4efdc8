"""Offers on a board (draws, take-backs, pauses, substitutes), and draws by claim.

An offer is open until all other players agree to it, or one player refuses it. Robots answer at
once. Only for an offered draw a robot may need a search before it answers.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from pbm.errors import Refusal
from pbm.events import Event
from pbm.events import board as news
from pbm.play.advance import MOST_PLANNED, Changed, advance
from pbm.play.boards import asked_by, close_board, go_back, positions_since, seconds_of, take_out
from pbm.play.clocks.pauses import check_pause, check_resume, resume
from pbm.play.clocks.waits import PAUSED_AT_MOST, PAUSED_BY_ALL
from pbm.play.game_words import why
from pbm.play.handovers import check_guest, hand_over
from pbm.play.plans import sent_before
from pbm.rules.contract import ClaimError, Claims, has
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Departure, Offer, Ply
from pbm.store.values.players import Player
from pbm.store.values.queues import SearchKind

DRAW: Final = "draw"
TAKEBACK: Final = "takeback"
PAUSE: Final = "pause"
RESUME: Final = "resume"
SUBSTITUTE: Final = "substitute"
# What may leave a player without an open offer, so that a plan goes on.
ENDS: Final = (news.OfferSeconded, news.OfferRefused, news.OfferWithdrawn, news.SubstituteOff)
_OF_CLOCKS = {PAUSE: check_pause, RESUME: check_resume}  # with their checks


def takeback_ply(work: UnitOfWork, board: Board, player_id: int) -> int:
    """Return the first ply that a player's take-back undoes; 0 before the player's first move.

    It is the player's last move, also one for a partner who had left. Of moves that plans played it
    is the move, of whomever, that was sent and led to them.
    """
    own = board.seats_of(player_id)
    plies = [seat.last_ply for seat in own]
    gone = {partner for seat in own for partner in board.gone_partners(seat.seat)}
    if gone:
        for item in work.plies.departures(board.id):
            last = board.seats[item.seat - 1].last_ply
            if item.seat in gone and last > item.after_ply:
                plies.append(last)
    last = max(plies, default=0)
    latest = work.plies.of(board.id, since=max(0, last - MOST_PLANNED - 1)) if last else ()
    return sent_before(last, latest)


def mark_of(offer: Offer) -> str:
    """Return an offer's key in its board. `draw7p16` is by player 7, whose last move was ply 16."""
    return f"{offer.kind}{offer.by}p{offer.moved}"


def make_offer(
    work: UnitOfWork,
    board: Board,
    kind: news.OfferKind,
    player_id: int,
    guest: Player | None = None,
) -> list[Event]:
    """Make an offer to the other players of a board, and to a `guest`. Raises Refusal."""
    moved = takeback_ply(work, board, player_id)
    last = board.offer(kind)
    if last and last.open:
        waiting = board.waiting_for(last)
        raise Refusal(
            "offer-is-open",
            what=kind,
            handle=board.handle_of(last.by),
            own=last.by == player_id,
            to_you=player_id in waiting,
            waiting=list(map(work.players.handles_of(waiting).get, waiting)),
            number=board.id,
        )
    if last and last.by == player_id and last.moved == moved:
        raise Refusal("offer-turned-down", what=kind, number=board.id)
    if kind in _OF_CLOCKS:
        _OF_CLOCKS[kind](board)
    offer = Offer(kind, player_id, moved, guest=guest.id if guest else None)
    _keep(work, board, offer)
    if guest:
        return [news.SubstituteAsked(board.id, player_id, guest.id)]
    if kind == TAKEBACK:
        return [news.TakebackAsked(board.id, player_id, *_taken(work, board, offer))]
    return [news.OfferMade(board.id, player_id, kind)]


def agree(
    work: UnitOfWork, board: Board, offer: Offer, player_id: int, now: datetime
) -> list[Event]:
    """Agree to an offer. If nobody else has to agree any more, the offer is carried out."""
    if offer.guest:
        try:
            check_guest(work, board, offer.by, work.players.get(offer.guest))
        except Refusal:
            return end_substitute(work, board, offer)
    offer = replace(offer, agreed=(*offer.agreed, player_id))
    board = _keep(work, board, offer)
    if not board.waiting_for(offer):
        return advance(work, board, _fulfil(work, board, offer, now), now)
    return [_answered(news.OfferSeconded, board, offer, player_id)]


def refuse(work: UnitOfWork, board: Board, offer: Offer, player_id: int) -> list[Event]:
    """Refuse an offer for a player. If the player has made the offer, it is withdrawn."""
    if offer.kind in _OF_CLOCKS or offer.guest:
        _drop(work, board, offer)
    else:
        _keep(work, board, replace(offer, open=False))
    fact = news.OfferWithdrawn if player_id == offer.by else news.OfferRefused
    return [_answered(fact, board, offer, player_id)]


def end_substitute(
    work: UnitOfWork, board: Board, offer: Offer, *, is_silent: bool = False
) -> list[Event]:
    """End the wish for a substitute, who cannot play or has not answered."""
    _drop(work, board, offer)
    return [news.SubstituteOff(board.id, offer.by, offer.guest or 0, is_silent)]


def after_a_move(work: UnitOfWork, board: Board, player_id: int) -> list[Event]:
    """Close the offers that a move ends: all take-backs, and draws that the mover had to answer."""
    events: list[Event] = []
    for offer, waiting in board.open_offers.items():
        is_draw = offer.kind == DRAW and player_id in waiting
        if offer.kind == TAKEBACK or is_draw:
            board = _keep(work, board, replace(offer, open=False))
            events.append(_answered(news.OfferLapsed, board, offer, player_id))
    return events


def set_paused(work: UnitOfWork, board: Board, now: datetime, *, pauses: bool) -> Board:
    """Stop the clocks of a board, or let them run again. Offers to do either end."""
    kept = tuple(offer for offer in board.offers if offer.kind not in _OF_CLOCKS)
    board = work.boards.set(board, offers=kept)
    if pauses:
        return work.boards.set(board, paused_since=board.paused_since or now)
    resume(work, board, now)
    return work.boards.get(board.id)


def after_leaving(work: UnitOfWork, board: Board, now: datetime) -> Changed:
    """Settle a board's open offers. Players who have left need not agree any more."""
    events: list[Event] = []
    for offer in board.open_offers:
        if not board.playing:
            break
        if offer.by not in board.still_in:
            board = _keep(work, board, replace(offer, open=False))
        elif not board.waiting_for(offer):
            board, caused = _fulfil(work, board, offer, now)
            events += caused
    return board, events


def _fulfil(work: UnitOfWork, board: Board, offer: Offer, now: datetime) -> Changed:
    if offer.kind == DRAW:
        # Closed first, so that it is not open if the operator reopens the game.
        board = _keep(work, board, replace(offer, open=False))
        drawn = close_board(work, board, "agreed", now, winners=())
        return drawn, [news.DrawAgreed(board.id, offer.by)]
    if offer.guest:
        board, off = hand_over(work, _drop(work, board, offer), offer.by, offer.guest, now)
        return board, [news.SeatTakenOver(board.id, offer.by, offer.guest), *off]
    if offer.kind in _OF_CLOCKS:
        board = set_paused(work, board, now, pauses=offer.kind == PAUSE)
        if offer.kind == RESUME:
            return board, [news.PauseEnded(board.id, offer.by)]
        days = PAUSED_AT_MOST.days, PAUSED_BY_ALL.days
        return board, [news.PauseBegun(board.id, offer.by, *days)]
    done = news.TakebackDone(board.id, offer.by, *_taken(work, board, offer))
    void = [other for other in board.open_offers if other.kind != offer.kind]
    ply = offer.moved - 1
    since = [item for item in work.plies.departures(board.id) if item.after_ply > ply]
    after = go_back(work, board, ply, now)
    for item in since:  # these players stay out of the game
        after = take_out(work, after, [item.seat], item.how, now, spared=item.spared)
    voided = (news.OfferVoid(board.id, it.by, it.kind) for it in void)
    return after, [done, *voided]


def _answered(
    fact: Callable[[int, int, int, news.OfferKind], news.BoardNews],
    board: Board,
    offer: Offer,
    player_id: int,
) -> news.BoardNews:
    return fact(board.id, player_id, offer.by, offer.kind)


def _taken(work: UnitOfWork, board: Board, offer: Offer) -> tuple[int, str, int]:
    """Return the first ply that a take-back undoes, its move, and the number of later plies."""
    taken, *later = work.plies.of(board.id, since=offer.moved - 1)
    return taken.ply, taken.text, len(later)


def _drop(work: UnitOfWork, board: Board, offer: Offer) -> Board:
    """Delete an offer from a board, so that the same player may make it again at once."""
    return work.boards.set(board, offers=tuple(item for item in board.offers if item != offer))


def _keep(work: UnitOfWork, board: Board, offer: Offer) -> Board:
    others = (other for other in board.offers if other.kind != offer.kind)
    return work.boards.set(board, offers=(*others, offer))


def ask_all(
    work: UnitOfWork,
    board: Board,
    kind: news.OfferKind,
    player_id: int,
    now: datetime,
    guest: Player | None = None,
) -> list[Event]:
    """Make an offer, and have the robots on the board answer it. Raises Refusal.

    A pause that has lasted `PAUSED_BY_ALL` is ended at once.
    """
    if kind == RESUME and board.paused_since and now - board.paused_since >= PAUSED_BY_ALL:
        set_paused(work, board, now, pauses=False)
        return [news.PauseEnded(board.id, player_id, alone=True)]
    events = make_offer(work, board, kind, player_id, guest)
    for robot_id in dict.fromkeys(seat.player_id for seat in board.seats if seat.robot):
        events += _answer(work, work.boards.get(board.id), kind, robot_id, now)
    return events


def offered_to(board: Board, player_id: int, kind: str = DRAW) -> Offer | None:
    """Return the open offer of a kind that a player still has to answer; None if there is none."""
    asked = (offer for offer, waiting in board.open_offers.items() if player_id in waiting)
    return next((offer for offer in asked if offer.kind == kind), None)


def asked_draw(board: Board, offer: Offer, robot_id: int) -> str:
    """Return the key of the search job by which a robot decides whether to agree to a draw."""
    return f"{board.id}.{mark_of(offer)}.{robot_id}"


def _answer(work: UnitOfWork, board: Board, kind: str, robot_id: int, now: datetime) -> list[Event]:
    offer = offered_to(board, robot_id, kind)
    if offer is None:
        return []
    if kind == DRAW:
        if not (board.to_move and board.to_move.player_id == robot_id):  # else its move answers
            work.search_jobs.ask(
                *(SearchKind.DRAW, asked_draw(board, offer, robot_id), now),
                *(board, asked_by(board)),
                params={"robot": robot_id},
                seconds=min(seconds_of(), seconds_of(board.seats_of(robot_id)[0].robot)),
            )
        return []
    if kind == TAKEBACK and board.rated:
        return refuse(work, board, offer, robot_id)
    return agree(work, board, offer, robot_id, now)


def claim_draw(work: UnitOfWork, board: Board, player: Player, now: datetime) -> list[Event]:
    """End a game as a draw if a player may claim one, else raise Refusal."""
    game = board.rules
    if not has(game, Claims):
        raise Refusal("no-claims", number=board.id)
    since = max(0, board.ply - game.reversible(board.position))
    positions = positions_since(work, board, since)
    moves = work.plies.by_seat(board.id, since=since)
    try:
        reason = game.claim(positions, moves)
    except ClaimError as error:
        raise Refusal("nothing-to-claim", number=board.id, **why(board.rules, error)) from error
    drawn = close_board(work, board, "claimed", now, winners=())
    return advance(work, board, (drawn, [news.DrawClaimed(board.id, player.id, reason)]), now)


def claimable(
    work: UnitOfWork, board: Board, plies: Sequence[Ply], departures: Sequence[Departure]
) -> str | None:
    """Return the game's word for why a draw may be claimed now; None if it may not."""
    game = board.rules
    if not board.playing or not has(game, Claims):
        return None

    def moves(latest: int) -> dict[int, int]:
        return work.plies.by_seat(board.id, since=board.ply - latest)

    # A ply stored by an old version has no count of repetitions: the reason may then come late.
    is_new = not plies or any(item.after_ply == board.ply for item in departures)
    return game.claimable(board.position, 1 if is_new else plies[-1].times or 1, moves)
