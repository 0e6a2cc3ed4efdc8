"""What players of a board agree on: draws and take-backs (rules, section 5).

An offer is open until everybody else who is still in has agreed, or somebody says no. Silence is
never a yes. What comes of it are events: `run` of a command yields them.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from pbm.commands.boards import go_back
from pbm.commands.matches import after_the_end
from pbm.errors import Refusal
from pbm.events import BoardNews, Event
from pbm.store.db import UnitOfWork
from pbm.store.values import Board, Offer

DRAW = "draw"
TAKEBACK = "takeback"
_DONE = {DRAW: "agreed", TAKEBACK: "done"}


def waiting_for(board: Board, offer: Offer) -> tuple[int, ...]:
    """The players who have still to answer an offer."""
    return tuple(
        player_id
        for player_id in board.still_in
        if player_id != offer.by and player_id not in offer.agreed
    )


def open_offers(board: Board) -> tuple[Offer, ...]:
    """What is open on a board that is being played."""
    return tuple(offer for offer in board.offers if offer.open and board.playing)


def latest_ply(work: UnitOfWork, board: Board, player_id: int) -> int:
    """The ply that a player played last, also for a partner who had left; 0 before the first."""
    plies = [board.last_ply_of(player_id)]
    own = [seat.seat for seat in board.seats_of(player_id)]
    gone = {partner for seat in own for partner in board.gone_partners(seat)}
    if gone:
        for item in work.boards.departures(board.id):
            last = board.seats[item.seat - 1].last_ply
            if item.seat in gone and last > item.after_ply:
                plies.append(last)
    return max(plies)


def make_offer(work: UnitOfWork, board: Board, kind: str, player_id: int) -> Iterator[Event]:
    """Ask the others of a board. Raises Refusal."""
    moved = latest_ply(work, board, player_id)
    last = board.offer(kind)
    if last and last.open:
        waiting = waiting_for(board, last)
        raise Refusal(
            "offer-is-open",
            what=kind,
            handle=board.handle_of(last.by),
            own=last.by == player_id,
            to_you=player_id in waiting,
            waiting=[board.handle_of(waits) for waits in waiting],
            number=board.id,
        )
    if last and last.by == player_id and last.moved == moved:
        raise Refusal("offer-turned-down", what=kind, number=board.id)
    offer = Offer(kind, player_id, moved)
    _keep(work, board, offer)
    yield BoardNews(board.id, f"{kind}-asked", _told(work, board, offer))


def agree(
    work: UnitOfWork, board: Board, offer: Offer, player_id: int, now: datetime
) -> Iterator[Event]:
    """Say yes; the last one to do so makes it so."""
    offer = replace(offer, agreed=(*offer.agreed, player_id))
    board = _keep(work, board, offer)
    if not waiting_for(board, offer):
        yield from _fulfil(work, board, offer, now)
        return
    told = {"handle": board.handle_of(player_id), "by": board.handle_of(offer.by)}
    waiting = [board.handle_of(waits) for waits in waiting_for(board, offer)]
    yield BoardNews(board.id, f"{offer.kind}-seconded", {**told, "waiting": waiting})


def refuse(work: UnitOfWork, board: Board, offer: Offer, player_id: int) -> Iterator[Event]:
    """Say no: the offer is off, and its maker may not repeat it at once."""
    _keep(work, board, replace(offer, open=False))
    told = {"handle": board.handle_of(player_id), "by": board.handle_of(offer.by)}
    what = "withdrawn" if player_id == offer.by else "refused"
    yield BoardNews(board.id, f"{offer.kind}-{what}", told)


def after_a_move(work: UnitOfWork, board: Board, player_id: int) -> Iterator[Event]:
    """Close what a move of this player answers: a draw by moving on, a take-back in any case."""
    for offer in open_offers(board):
        if offer.kind == TAKEBACK or player_id in waiting_for(board, offer):
            board = _keep(work, board, replace(offer, open=False))
            told = {"handle": board.handle_of(player_id), "by": board.handle_of(offer.by)}
            yield BoardNews(board.id, f"{offer.kind}-lapsed", told)


def after_leaving(work: UnitOfWork, board: Board, now: datetime) -> Iterator[Event]:
    """Settle what was asked for by, or only waited for, somebody who has left the game."""
    for offer in open_offers(board):
        if not board.playing:
            return
        if offer.by not in board.still_in:
            board = _keep(work, board, replace(offer, open=False))
        elif not waiting_for(board, offer):
            yield from _fulfil(work, board, offer, now)
            board = work.boards.get(board.id)


def draw_board(work: UnitOfWork, board: Board, how: str, now: datetime) -> Iterator[Event]:
    """End a game as a draw, `agreed` or `claimed`."""
    board = work.boards.close(board, "finished", how, now, winners=())
    yield from after_the_end(work, board, now)


def _fulfil(work: UnitOfWork, board: Board, offer: Offer, now: datetime) -> Iterator[Event]:
    yield BoardNews(board.id, f"{offer.kind}-{_DONE[offer.kind]}", _told(work, board, offer))
    if offer.kind == DRAW:
        # Not open any more, since the operator may let the game go on.
        board = _keep(work, board, replace(offer, open=False))
        yield from draw_board(work, board, "agreed", now)
        return
    void = [other for other in open_offers(board) if other.kind != offer.kind]
    go_back(work, board, offer.moved - 1, now)
    for other in void:
        yield BoardNews(board.id, f"{other.kind}-void", {"by": board.handle_of(other.by)})


def _told(work: UnitOfWork, board: Board, offer: Offer) -> dict[str, Any]:
    """What a mail says of an offer; a take-back's has the move, and how many came after it."""
    told: dict[str, Any] = {"handle": board.handle_of(offer.by)}
    if offer.kind == TAKEBACK:
        taken, *later = work.boards.plies(board.id, since=offer.moved - 1)
        told |= {"ply": taken.ply, "move": taken.text, "later": len(later)}
    return told


def _keep(work: UnitOfWork, board: Board, offer: Offer) -> Board:
    others = [other for other in board.offers if other.kind != offer.kind]
    return work.boards.set_offers(board, [*others, offer])
