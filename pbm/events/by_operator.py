"""Acts of the operator on a board or its players."""

from dataclasses import dataclass

from pbm.events.board import BoardFact


@dataclass(frozen=True)
class OperatorActed(BoardFact):
    """Everybody on the board is told what was done, and `why`."""

    why: str

    exempt = for_leavers = True


@dataclass(frozen=True)
class PlyUndone(OperatorActed):
    """The last ply was taken back: `handle`'s move, and forfeits of these players with it."""

    ply: int
    move: str
    handle: str
    lifted: tuple[str, ...] = ()


class ClosedByOperator(OperatorActed):
    """The board ended without a result."""


@dataclass(frozen=True)
class EndedByOperator(OperatorActed):
    """The game ended with a result: these have won, or it is a draw."""

    winners: tuple[str, ...]


@dataclass(frozen=True)
class ReopenedByOperator(OperatorActed):
    """A game that had ended by word goes on, or by the forfeits of these players."""

    lifted: tuple[str, ...] = ()


@dataclass(frozen=True)
class SeatHandedOver(OperatorActed):
    """Another player, `by`, plays on in the place of one."""

    handle: str
    by: str


class BoardSentAgain(OperatorActed):
    """The board is sent once more, as it stands."""


@dataclass(frozen=True)
class _AboutPlayer(OperatorActed):
    """It was done to a player."""

    handle: str


class AddressReplaced(_AboutPlayer):
    """The player's mails go to another address."""


class PlayerSuspended(_AboutPlayer):
    """The player can do nothing until further notice."""


class SuspensionLifted(_AboutPlayer):
    """The player can play again."""


class MailResumed(_AboutPlayer):
    """Mail is sent to the player again, to whom it came back."""


class PlayerRemoved(_AboutPlayer):
    """The player is off this server."""


class RecordKept(OperatorActed):
    """A game from elsewhere is kept as a record."""


class GameTakenOver(OperatorActed):
    """A game from elsewhere goes on here."""
