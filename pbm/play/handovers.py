"""Seats that change hands while a game goes on."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from pbm.errors import Refusal
from pbm.events import Event
from pbm.events.board import OfferVoid
from pbm.play.begin import check_challenge, check_meeting, check_with_robots, may_meet
from pbm.play.plans import end_plans
from pbm.play.results import is_behind
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

WhoMoved = Callable[[int, int], str]  # from a seat and a ply to a handle


def check_guest(work: UnitOfWork, board: Board, player_id: int, guest: Player) -> None:
    """Raise Refusal if a player cannot play on for another one on a board."""
    if guest.robot:
        raise Refusal("substitute-robot", handle=guest.handle)
    if board.seats_of(guest.id):
        raise Refusal("substitute-plays-there", handle=guest.handle, number=board.id)
    if not (guest.is_active and guest.addresses):
        raise Refusal("player-away", handle=guest.handle)
    leaver = work.players.get(player_id)
    check_meeting(work, leaver, [leaver, guest])
    people = {seat.player_id for seat in board.seats if not seat.robot}
    others = work.players.some(sorted(people - {player_id}))
    if len(may_meet(work, guest, others)) < len(others):
        raise Refusal("substitute-not-together", handle=guest.handle, number=board.id)
    check_challenge(work, guest)
    if any(seat.robot for seat in board.seats):
        check_with_robots(work, guest, own=False)


def hand_over(
    work: UnitOfWork, board: Board, player_id: int, by: int, now: datetime
) -> tuple[Board, list[Event]]:
    """Give a player's seats to the player `by`. All offers and plans on the board end."""
    off = [OfferVoid(board.id, offer.by, offer.kind) for offer in board.open_offers]
    ended = end_plans(work, board, "handed-over", player_id)
    behind = [seat.seat for seat in board.seats_of(player_id) if is_behind(board, seat.seat)]
    watched = (item for item in work.watchings.of_watcher(by) if item.board_id == board.id)
    work.watchings.end(by, [item.id for item in watched])
    return work.boards.hand_over(board, player_id, by, behind, now), [*off, *ended]


def handed_over(work: UnitOfWork, board: Board) -> list[dict[str, Any]]:
    """Return who had seats of a board before, and to which ply, as data for templates."""
    had = work.boards.handovers(board)
    handles = work.players.handles_of({item.player_id for item in had}) if had else {}
    return [
        {"seat": item.seat, "handle": handles[item.player_id], "ply": item.after_ply}
        for item in had
    ]


def who_moved(work: UnitOfWork, board: Board) -> WhoMoved:
    """Return a function that gives the handle of who had a seat when a ply was played."""
    had = handed_over(work, board)

    def handle(seat: int, ply: int) -> str:
        before = (it["handle"] for it in had if it["seat"] == seat and ply <= it["ply"])
        return next(before, board.seats[seat - 1].handle)

    return handle
