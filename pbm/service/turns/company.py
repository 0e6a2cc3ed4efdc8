"""Which mails share a transaction: one that may wait for others, and then some that never do.

Transactions that wait for nobody cannot wait for each other. So those that go together ask only
for what is free, and whatever is not known to do so goes first, while nothing else is held.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pbm.mail.address import PlayerReply, ServerAddress
from pbm.store.db import UnitOfWork
from pbm.store.values.mails import InboxMail

_MOST_REMEMBERED = 1000  # mails; of one that is forgotten it is found out again


@dataclass(frozen=True)
class Company:
    """Mails that share a transaction: one that comes first and may wait, and some that wait for
    nobody."""

    first: InboxMail | None
    others: Sequence[InboxMail]


class Companies:
    """Finds who goes with whom, and remembers who has to go first."""

    def __init__(self, own: ServerAddress) -> None:
        self._own = own
        self._alone: set[int] = set()

    def of(self, work: UnitOfWork, mails: Iterable[InboxMail]) -> Company:
        """Those of some mails that go together now; the rest comes later."""
        first: InboxMail | None = None
        others: list[InboxMail] = []
        for mail in mails:
            if not self._goes_alone(work, mail):
                others.append(mail)
            elif first is None:
                first = mail
        if first is None and len(others) == 1 and not work.is_shared:
            return Company(others[0], ())  # nobody has its board in hand
        return Company(first, others)

    def hold(self, work: UnitOfWork, mails: Sequence[InboxMail]) -> list[InboxMail]:
        """Lock the boards of mails that go together, as far as they are free, and read all that
        their turns will ask for; return those whose turns can come."""
        known = {mail.id: about for mail in mails if (about := self._about(mail))}
        if not known:
            return list(mails)
        ahead = work.take_ahead(
            {board_id for _, board_id in known.values()},
            {player_id for player_id, _ in known.values()},
        )
        if not work.is_shared:
            return list(mails)
        for number, (player_id, board_id) in known.items():
            if player_id not in ahead.players:  # who may sit at another board, or at none
                self.must_go_alone([number])
            elif board_id not in ahead.boards and work.boards.game_of(board_id) is None:
                self.must_go_alone([number])  # nobody has that board in hand, it is not there
        return [mail for mail in mails if ahead.holds(*known[mail.id])]

    def must_go_alone(self, numbers: Iterable[int]) -> None:
        """Let mails come first in their transactions from now on."""
        if len(self._alone) > _MOST_REMEMBERED:
            self._alone.clear()
        self._alone.update(numbers)

    def forget(self, numbers: Iterable[int]) -> None:
        """Forget mails whose turns are over."""
        self._alone.difference_update(numbers)

    def _goes_alone(self, work: UnitOfWork, mail: InboxMail) -> bool:
        """Whether a turn may wait, as far as is known; in an embedded database none does."""
        return mail.id in self._alone or (work.is_shared and self._about(mail) is None)

    def _about(self, mail: InboxMail) -> tuple[int, int] | None:
        """The numbers of the player and the board that the address of a mail names."""
        to = self._own.parse(mail.recipient)
        if not isinstance(to, PlayerReply) or to.board_id is None:
            return None
        return to.player_id, to.board_id
