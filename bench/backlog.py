"""Turns that are behind: so many mails wait that every process that takes turns has enough to do.

They are kept in one transaction, so that all of them are there at once. Nothing else runs but a
listener to whom nobody speaks: neither a load nor a post takes the processor from the turns.
"""

import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import TextClause, text

from bench import running, season
from bench.costs import DATABASE, PROCESSOR, OnPostgres, OnSqlite, Used, meter
from bench.place import Place, Setting
from pbm.clock import system_clock
from pbm.mail.address import ServerAddress
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.tags import load_keyring
from pbm.service.intake.keeping import Intake
from pbm.service.intake.limits import MailRates
from pbm.store.channels import Channel
from pbm.store.db import Database
from tests.polling import until
from tests.serving import keeping

_WARM = 2  # rounds in which each process does for the first time what it will do again and again
_COUNTED = ("turn", DATABASE)
_HERE = Caller("127.0.0.1")
_GROUPS = text("SELECT count(*), count(DISTINCT done_at) FROM inbox WHERE id > :last")
_LAST = text("SELECT coalesce(max(id), 0) FROM inbox")
_TELL = text(f"SELECT pg_notify('{Channel.MAIL_KEPT}', '')")


@dataclass(frozen=True)
class Caught:
    """A round: turns a second, those that shared a transaction, and what all of them cost."""

    turns: int
    rate: float
    together: float
    used: Used

    @property
    def milliseconds(self) -> float:
        """Of the processor, for a turn of the processes that take them."""
        return self.used["turn", PROCESSOR] / self.turns


@contextmanager
def backlog(here: Place, number: int, mails: int) -> Iterator["Backlog"]:
    """So many processes that take turns, and the boards whose mails wait for them."""
    setting = Setting("", postgresql=True, processes=("listen", *["turn"] * number))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = stack.enter_context(here.database(setting, folder))
        boards = season.begin(url, folder, mails, picture=False)
        _, processes = stack.enter_context(
            running.pbm(
                *(folder, url, here.next_server.port),
                processes=setting.processes,
                own_users=True,
            )
        )
        named = list(zip(setting.processes, processes, strict=True))
        database = Database(url)
        stack.callback(database.close)
        waiting = Backlog(database, boards, meter(url, named, here.counting, here.postgres))
        for _ in range(_WARM):
            waiting.round()
        yield waiting


class Backlog:
    """Boards whose mails wait all at once, and processes that take them."""

    def __init__(
        self, database: Database, boards: season.Season, counts: OnSqlite | OnPostgres
    ) -> None:
        self._database = database
        self._boards = boards
        self._counts = counts
        keyring = load_keyring(boards.keyring_folder / "none", season.SECRET)
        site = Site(ServerAddress(season.SERVER), keyring, "")
        self._intake = Intake(site, system_clock, MailRates(per_address=0))

    def round(self) -> Caught:
        """A ply on every board, from the moment at which all mails are there to the last turn."""
        letters = self._boards.round()
        used: Used = defaultdict(float)
        with ExitStack() as counted:
            last = self._asked(_LAST)[0]
            with self._database.transaction() as work:
                for letter in letters:
                    sender, recipient = letter.sender.decode(), letter.recipient.decode()
                    keeping(self._intake, sender, (recipient,), letter.raw, _HERE)(work)
                work.flush()
                counted.enter_context(self._counts.watched(used))
            begun = time.monotonic()
            self._asked(_TELL)
            until(self._is_empty, "the turns")
            took = time.monotonic() - begun
        turns, groups = self._asked(_GROUPS, last=last)
        assert turns == len(letters), "a mail was kept twice or not at all"
        theirs = {key: amount for key, amount in used.items() if key[0] in _COUNTED}
        return Caught(turns, turns / took, turns / groups, defaultdict(float, theirs))

    def _asked(self, query: TextClause, **values: object) -> Sequence[Any]:
        """The row that a question is answered with."""
        with self._database.engine.begin() as connection:
            return connection.execute(query, values).one()

    def _is_empty(self) -> bool:
        with self._database.glance() as work:
            return work.inbox.longest_waiting() is None
