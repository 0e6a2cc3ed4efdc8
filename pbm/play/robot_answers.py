"""What robots say to what the others of a board ask for: at once, unless it takes a thought."""

from datetime import datetime

from pbm.events import Event
from pbm.events.board import OfferKind
from pbm.play.awaited import asked_by
from pbm.play.offers import (
    DRAW,
    TAKEBACK,
    agree,
    make_offer,
    mark_of,
    open_offers,
    refuse,
    waiting_for,
)
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Offer
from pbm.store.values.thoughts import ThoughtKind


def ask_all(
    work: UnitOfWork, board: Board, kind: OfferKind, player_id: int, now: datetime
) -> list[Event]:
    """Ask the others of a board, and let the robots among them answer. Raises Refusal."""
    events = make_offer(work, board, kind, player_id)
    for robot_id in dict.fromkeys(seat.player_id for seat in board.seats if seat.robot):
        events += _answer(work, work.boards.get(board.id), kind, robot_id, now)
    return events


def offered_to(board: Board, robot_id: int, kind: str = DRAW) -> Offer | None:
    """The draw, or another offer, that a robot of a board has still to answer."""
    found = (offer for offer in open_offers(board) if offer.kind == kind)
    return next((offer for offer in found if robot_id in waiting_for(board, offer)), None)


def asked_draw(board: Board, offer: Offer, robot_id: int) -> str:
    """What names the draw that a robot is asked about."""
    return f"{board.id}.{mark_of(offer)}.{robot_id}"


def _answer(work: UnitOfWork, board: Board, kind: str, robot_id: int, now: datetime) -> list[Event]:
    offer = offered_to(board, robot_id, kind)
    if offer is None:
        return []
    if kind == DRAW:
        _think(work, board, offer, robot_id, now)
        return []
    if kind == TAKEBACK and board.rated:
        return refuse(work, board, offer, robot_id)
    return agree(work, board, offer, robot_id, now)


def _think(work: UnitOfWork, board: Board, offer: Offer, robot_id: int, now: datetime) -> None:
    """Let a robot think about a draw, unless it is about to move: then it answers with its move."""
    if board.to_move and board.to_move.player_id == robot_id:
        return
    work.thoughts.ask(
        *(ThoughtKind.DRAW, asked_draw(board, offer, robot_id), now),
        board_id=board.id,
        ply=board.ply,
        player_id=asked_by(board),
        params={"robot": robot_id},
    )
