"""Who hears of what happens on a board: the one place that chooses to whom a board is sent.

What is for the speaker alone goes into the one answer. What is sent to somebody by name, such as a
board that the operator sends again, is not chosen here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from pbm.events import (
    AddressWanted,
    Answered,
    BoardEnded,
    BoardReopened,
    CalledOff,
    Commented,
    Event,
    Forgotten,
    Invited,
    MovePlayed,
    NeedsConfirmation,
    PlayerLeft,
    Proposed,
    Reported,
    SeekNews,
)
from pbm.events.board import AccountNews, Forfeited
from pbm.events.by_operator import OperatorActed
from pbm.play.offers import open_offers, waiting_for
from pbm.play.turn import Turn
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

FOR_THE_SPEAKER = (
    Answered
    | NeedsConfirmation
    | Invited
    | AddressWanted
    | Forgotten
    | Proposed
    | CalledOff
    | Reported
)
_SEEN_ON_THE_BOARD = MovePlayed | PlayerLeft | BoardEnded | BoardReopened  # without another word


def audience(
    turn: Turn,
    board: Board,
    seated: Sequence[Player],
    events: Iterable[Event],
    hidden: Mapping[int, Collection[str]],
) -> list[Player]:
    """Those of some players who sit there who are sent a board for what happened on it.

    Words of a player who is `hidden` from another, by the other's number, send that one nothing,
    and neither does news of that player's account.

    Whose mail brought it about always is. Where the board itself shows what happened, and of
    accounts, the others are who want to be told of each move (`mails=all`, or in digests) or have
    something to do. Who has left a game that goes on hears of its end.
    """
    happened = [event for event in events if _is_told_on(board, event)]
    return [
        player
        for player in seated
        if player.addresses
        and (
            _wants_receipt(player, board, happened)
            if turn.wrote(player)
            else any(_hears(player, board, event, hidden) for event in happened)
        )
    ]


def _is_told_on(board: Board, event: Event) -> bool:
    return not isinstance(event, FOR_THE_SPEAKER | SeekNews) and event.board_id == board.id


def _wants_receipt(player: Player, board: Board, events: Sequence[Event]) -> bool:
    """Whether a player is to be written what an own mail brought about: not a move alone, or with
    words, where none are wanted."""
    if player.settings.receipts or not board.playing:
        return True
    moved = any(isinstance(event, MovePlayed) for event in events)
    only = all(isinstance(event, MovePlayed | Commented) for event in events)
    return not (moved and only) or _is_asked(player, board)


def _hears(
    player: Player, board: Board, event: Event, hidden: Mapping[int, Collection[str]]
) -> bool:
    if board.playing and player.id not in board.still_in and not _is_about(player, event):
        return False
    if isinstance(event, Commented | AccountNews) and event.handle in hidden.get(player.id, ()):
        return False
    if not isinstance(event, _SEEN_ON_THE_BOARD | AccountNews) or not board.playing:
        return True
    settings = player.settings
    return settings.wants_digests or settings.mails == "all" or _is_asked(player, board)


def _is_about(player: Player, event: Event) -> bool:
    """Whether a player's own place in the game is what it is about."""
    if isinstance(event, BoardReopened | OperatorActed):
        return True
    return isinstance(event, PlayerLeft | Forfeited) and event.handle == player.handle


def _is_asked(player: Player, board: Board) -> bool:
    """Whether it is the player's move, or the player is asked to agree to something."""
    if board.to_move and board.to_move.player_id == player.id:
        return True
    return any(player.id in waiting_for(board, offer) for offer in open_offers(board))
