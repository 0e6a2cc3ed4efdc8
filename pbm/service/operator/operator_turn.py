"""What the operator does: each change is a transaction, recorded in a journal with its reason."""

from dataclasses import dataclass
from typing import Any

from pbm.commands.turn import Turn
from pbm.errors import WrongArgumentError
from pbm.events.by_operator import OperatorActed
from pbm.service.operator.operator_session import find_board
from pbm.service.telling.announce import shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.trouble.masking import one_line
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

MOST_WHY = 500  # characters of a reason
_MOST_WHO = 80


@dataclass(frozen=True, kw_only=True)
class OperatorTurn(Turn):
    who: str
    why: str

    def board(self, number: int) -> Board:
        """Find and lock a board."""
        return find_board(self.work, number, lock=True)

    def note(
        self, what: str, *, player: Player | None = None, board: Board | None = None, **details: Any
    ) -> None:
        """Record the change in the journal; `what` is one or two words."""
        self.work.changes.add(
            who=self.who,
            why=self.why,
            what=what,
            now=self.now,
            player_id=player.id if player else None,
            board_id=board.id if board else None,
            details=details,
        )

    def send_board(self, board: Board, player: Player, done: OperatorActed) -> bool:
        """Mail a board and what the operator has `done`. Returns False if there is no address."""
        if not player.addresses:
            return False
        MailWriter(self).board(player, board, shown_to(self, player, board, done))
        return True

    def tell(self, whom: Player | str, template: str, /, **params: Any) -> None:
        """Mail a notice to `whom`, a player or an address. A player without address gets none."""
        postmaster = f"postmaster@{self.site.address.domain}"  # where players can object
        told = {"why": self.why, "postmaster": postmaster, **params}
        if isinstance(whom, Player):
            told = {"handle": whom.handle, **told}
        if isinstance(whom, str) or whom.addresses:
            MailWriter(self).notice(whom, f"operator/{template}", told)


def reason_of(why: str) -> str:
    reason = one_line(why)
    if not reason:
        raise WrongArgumentError("Give a reason with --why; the players concerned will read it.")
    if len(reason) > MOST_WHY:
        raise WrongArgumentError(f"The reason may have {MOST_WHY} characters at most.")
    return reason


def hand_of(who: str) -> str:
    """Return the operator's name as the journal has it: on one line, cut to a limit."""
    return one_line(who)[:_MOST_WHO]
