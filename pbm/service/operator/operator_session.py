"""The operator's access to the database: to look, and to act."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pbm.clock import Clock
from pbm.errors import OperatorError
from pbm.mail.site import Site
from pbm.rules.contract import RulesError
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.mails import OutboxMail
from pbm.store.values.players import Player

if TYPE_CHECKING:
    from pbm.service.operator.operator_turn import OperatorTurn


class _DryRunError(Exception):
    """Rolls a transaction back."""


@dataclass(frozen=True)
class OperatorSession:
    """The operator's access to the database; `who` is named in the journal."""

    database: Database
    site: Site
    clock: Clock
    who: str
    would_write: list[OutboxMail] | None = None  # in a dry run: each change is rolled back

    @property
    def is_dry(self) -> bool:
        return self.would_write is not None

    @contextmanager
    def act(self, why: str | None) -> "Iterator[OperatorTurn]":
        """Begin a change; `why` is None if the change concerns no player."""
        from pbm.service.operator.operator_turn import OperatorTurn, hand_of, reason_of

        reason = "" if why is None else reason_of(why)
        with _sound(), suppress(_DryRunError), self.database.transaction() as work:
            last, now = work.outbox.last_number() if self.is_dry else 0, self.clock()
            yield OperatorTurn(
                work=work, site=self.site, now=now, who=hand_of(self.who), why=reason
            )
            if self.would_write is not None:
                self.would_write.extend(work.outbox.added_after(last, now))
                raise _DryRunError

    @contextmanager
    def look(self) -> Iterator[UnitOfWork]:
        """Open a read-only transaction."""
        with _sound(), self.database.reading() as work:
            yield work


def find_player(work: UnitOfWork, handle: str) -> Player:
    player = work.players.by_handle(handle) if handle.isascii() else None
    if player is None:
        from pbm.play.begin import handles_like

        near = handles_like(work, handle) if handle.isascii() else []
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise OperatorError(f"There is no player called {handle}.{meant}")
    return player


def find_board(work: UnitOfWork, number: int, *, lock: bool = False) -> Board:
    board = work.boards.find(number, lock=lock)
    if board is None:
        raise OperatorError(f"There is no board {number}.")
    return board


@contextmanager
def _sound() -> Iterator[None]:
    try:
        yield
    except RulesError as error:
        told = f"What is stored cannot be read: {error}. Run: pbm-admin verify"
        raise OperatorError(told) from error
