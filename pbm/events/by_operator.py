"""Acts of the operator on a board or its players."""

from pbm.events import PlayerId
from pbm.events.board import BoardFact


class OperatorActed(BoardFact):
    """Something that the operator did; everybody on the board is told it, with the reason `why`."""

    why: str

    exempt = for_leavers = True


class PlyUndone(OperatorActed):
    """The operator undid the last ply, the move `move` of the player `player`."""

    ply: int
    move: str
    player: PlayerId
    lifted: tuple[PlayerId, ...] = ()  # players who ran out of time after it, and play again

    for_watchers = True


class ClosedByOperator(OperatorActed):
    """The board ended without a result."""

    for_watchers = True


class EndedByOperator(OperatorActed):
    winners: tuple[PlayerId, ...]  # none in a draw

    for_watchers = True


class ReopenedByOperator(OperatorActed):
    lifted: tuple[PlayerId, ...] = ()  # players whose forfeits are undone

    for_watchers = True


class PausedByOperator(OperatorActed):
    """No clock runs on the board until it is resumed, for `days` at most."""

    days: int
    by_all: int  # days after which any player may resume it

    for_watchers = True


class ResumedByOperator(OperatorActed):
    """The clocks of the board run again."""

    for_watchers = True


class ExtendedByOperator(OperatorActed):
    """The player to move has more time for the move."""

    player: PlayerId
    time: int  # seconds


class SeatHandedOver(OperatorActed):
    """The player `by` takes over the seat of the player `player`."""

    player: PlayerId
    by: PlayerId

    for_watchers = True


class BoardSentAgain(OperatorActed):
    """The current board is sent once more."""

    is_kept = False


class _AboutPlayer(OperatorActed):
    player: PlayerId


class AddressReplaced(_AboutPlayer):
    """The player's mails go to another address."""

    is_kept = False


class PlayerSuspended(_AboutPlayer):
    """The player can do nothing until further notice."""


class SuspensionLifted(_AboutPlayer):
    """The player can play again."""


class MailResumed(_AboutPlayer):
    """The player, whose mail bounced for a while, is sent mail again."""


class PlayerRemoved(_AboutPlayer):
    """The player was removed from this server."""


class RecordKept(OperatorActed):
    """An imported game is stored as a record."""

    is_kept = False


class GameTakenOver(OperatorActed):
    """Players continue an imported game on this server."""
