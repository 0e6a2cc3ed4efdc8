"""The operator's access: each change is a transaction, recorded in a journal with its reason."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pbm.clock import Clock
from pbm.commands.turn import Turn
from pbm.errors import OperatorError
from pbm.events.by_operator import OperatorActed
from pbm.mail.site import Site
from pbm.play.begin import handles_like
from pbm.rules.contract import RulesError
from pbm.service.telling.announce import shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.trouble.masking import one_line
from pbm.store.db import Database, UnitOfWork
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


@dataclass(frozen=True)
class OperatorSession:
    """The operator's access to the database; `who` is named in the journal."""

    database: Database
    site: Site
    clock: Clock
    who: str

    @contextmanager
    def act(self, why: str | None) -> Iterator[OperatorTurn]:
        """Begin a change; `why` is None if the change concerns no player."""
        reason = "" if why is None else reason_of(why)
        with _sound(), self.database.transaction() as work:
            yield OperatorTurn(
                work=work, site=self.site, now=self.clock(), who=hand_of(self.who), why=reason
            )

    @contextmanager
    def look(self) -> Iterator[UnitOfWork]:
        """Open a read-only transaction."""
        with _sound(), self.database.reading() as work:
            yield work


def find_player(work: UnitOfWork, handle: str) -> Player:
    player = work.players.by_handle(handle) if handle.isascii() else None
    if player is None:
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


def reason_of(why: str) -> str:
    reason = one_line(why)
    if not reason:
        raise OperatorError("Give a reason with --why; the players concerned will read it.")
    if len(reason) > MOST_WHY:
        raise OperatorError(f"The reason may have {MOST_WHY} characters at most.")
    return reason


def hand_of(who: str) -> str:
    """Return the operator's name as the journal has it: on one line, cut to a limit."""
    return one_line(who)[:_MOST_WHO]
