"""Chooses the readers of a board's mails, by properties of its events.

Events for the sender alone are in the one answer. Mails to one named player, such as a board that
the operator sends again, are not chosen here.
"""

from collections.abc import Collection, Mapping, Sequence

from pbm.events import BoardEvent
from pbm.play.turn import Turn
from pbm.store.values.boards import Board
from pbm.store.values.players import Player


def audience(
    turn: Turn,
    board: Board,
    seated: Sequence[Player],
    events: Sequence[BoardEvent],
    hidden: Mapping[int, Collection[str]],
) -> list[Player]:
    """The seated players who are sent a board for the events on it.

    The sender gets a receipt, unless that is switched off. Others read events with `only_if_wanted`
    if they want each move (`mails=all`, or digests) or have something to do. Players who have left
    a running game read only of its end. `hidden` has the handles that a player has blocked: their
    words and account news cause no mail.
    """
    return [
        player
        for player in seated
        if player.addresses
        and (
            _wants_receipt(player, board, events)
            if turn.wrote(player)
            else any(_hears(player, board, event, hidden) for event in events)
        )
    ]


def _wants_receipt(player: Player, board: Board, events: Sequence[BoardEvent]) -> bool:
    """Whether a sender gets a receipt. If switched off: not for a move, with or without words."""
    if player.settings.receipts or not board.playing:
        return True
    moved = any(event.played_ply for event in events)
    only = all(event.played_ply or event.is_chat for event in events)
    return not (moved and only) or _is_asked(player, board)


def _hears(
    player: Player, board: Board, event: BoardEvent, hidden: Mapping[int, Collection[str]]
) -> bool:
    reads_as_leaver = event.for_leavers or event.leaver == player.handle
    if board.playing and player.id not in board.still_in and not reads_as_leaver:
        return False
    if event.speaker in hidden.get(player.id, ()):
        return False
    if not event.only_if_wanted or not board.playing:
        return True
    settings = player.settings
    return settings.wants_digests or settings.mails == "all" or _is_asked(player, board)


def _is_asked(player: Player, board: Board) -> bool:
    """Whether it is the player's move, or the player is asked to agree to something."""
    if board.to_move and board.to_move.player_id == player.id:
        return True
    return any(player.id in waiting for waiting in board.open_offers.values())
