"""Who hears of what happens on a board: the one place that chooses to whom a board is sent.

What is for the speaker alone goes into the one answer. What is sent to somebody by name, such as a
board that the operator sends again, is not chosen here.
"""

from collections.abc import Collection, Mapping, Sequence

from pbm.events import BoardEvent
from pbm.play.offers import open_offers, waiting_for
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
    """Those of some players who sit there who are sent a board for what happened on it.

    Words of a player who is `hidden` from another, by the other's number, send that one nothing,
    and neither does news of that player's account.

    Whose mail brought it about always is. Where the board itself shows what happened, and of
    accounts, the others are who want to be told of each move (`mails=all`, or in digests) or have
    something to do. Who has left a game that goes on hears of its end.
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
    """Whether a player is to be written what an own mail brought about: not a move alone, or with
    words, where none are wanted."""
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
    return any(player.id in waiting_for(board, offer) for offer in open_offers(board))
