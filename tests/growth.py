"""Turns of every kind around one board, and what each asks of the database."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import QueuePool, event, text

from pbm.mail.smtp_out.delivery import Sent
from pbm.service.post.post import Composer, Post
from pbm.store.values.mails import OutboxMail
from tests.table import Person, Table

Asked = tuple[str, Any]  # SQL, and the values of its first run
_NO_MAIL = 0
LOOKS = ("standings", "history left1", "history left1 right1", "info left1", "players", "players m")


@dataclass
class Season:
    """A table at which alice and bob have a board, whatever else is in the database."""

    table: Table
    alice: Person
    bob: Person
    number: int

    @classmethod
    def begun(cls, table: Table) -> "Season":
        """Let them sign up and begin."""
        alice, bob = table.start("alice", "bob")
        return cls(table, alice, bob, max(table.boards()))

    def steps(self) -> Iterator[tuple[str, Callable[[], object], str]]:
        """What happens, in this order, and what the server then notes of it.

        Each is a mail, which is kept, obeyed and answered.
        """
        alice, bob, number = self.alice, self.bob, self.number
        stranger = self.table.person("newcomer@example.net")

        def board(person: Person, said: str) -> Callable[[], object]:
            return lambda: person.says(said, answering=person.mail(f"Abalone Board {number}"))

        def alone(person: Person, said: str) -> Callable[[], object]:
            return lambda: person.says(said, answering=person.mail("pbm: welcome"))

        robot = {"Auto-Submitted": "auto-replied"}
        yield "a move", board(alice, "a1-c3,d4"), "alice: move"
        yield "the answer to it", board(bob, "i9-g7,f6"), "bob: move"
        yield "a move with words", board(alice, "a2-c4,b3\nHere I come."), "alice: move"
        yield "words", board(alice, "Well?"), "alice: chat"
        yield "no move", board(alice, "a1-a2"), "alice: unclear-move"
        yield "an offer", board(bob, "draw"), "bob: draw"
        yield "its answer", board(alice, "reject"), "alice: reject"
        yield "a take-back asked for", board(alice, "takeback"), "alice: takeback"
        yield "a take-back", board(bob, "accept takeback"), "bob: accept"
        yield "a claim", board(bob, "claim"), "bob: claim"
        yield "a look", board(bob, "show"), "bob: show"
        yield "the games", alone(alice, "games"), "alice: games"
        yield "all games", alone(alice, "games all"), "alice: games"
        yield "who one is", alone(alice, "whoami"), "alice: whoami"
        yield "help", alone(alice, "help"), "alice: help"
        yield "settings", alone(alice, "settings"), "alice: settings"
        yield "a setting", alone(alice, "set picture off"), "alice: set"
        yield "a handle", alone(alice, "change handle alicia"), "asked to confirm change"
        yield "yes to it", lambda: alice.says("yes"), "alicia said yes"
        yield "another address", alone(alice, "add alice@example.net"), "asked to confirm add"
        yield "yes to that", lambda: alice.says("yes"), "alicia said yes"
        yield "a record", alone(alice, f"export {number}"), "alicia: export"
        yield "all about oneself", alone(alice, "export me"), "alicia: export"
        yield "a match", alone(alice, "challenge bob -rounds=2"), "alicia: challenge"
        yield "no thanks", lambda: bob.says("decline"), "bob: decline"
        yield "an invitation", alone(alice, "challenge me friend@example.net"), "alicia: challenge"
        mine = f"move {number} c3,d3"
        yield "a line alone", lambda: alice.writes("", mine), "asked to confirm"
        yield "yes, it was me", lambda: alice.says("yes"), "alicia said yes"
        to = bob.mail(f"Abalone Board {number}").reply_to
        yield "from elsewhere", lambda: stranger.writes("", "show", to=to), "asked bob about"
        yield "a stranger", lambda: stranger.writes("hello"), "asked newcomer@example.net"
        yield "a newcomer", lambda: stranger.says("yes"), "newcomer signed up"
        yield "a robot", lambda: bob.writes("x", to=to, headers=robot), "automatic mail"
        yield "mail comes back", lambda: self._comes_back(bob), "mail to bob counts as coming back"
        yield "somebody is back", alone(bob, "whoami"), "bob: whoami"
        yield "the end", board(alice, "resign"), "alicia: resign"
        yield "a rematch", board(bob, "rematch"), "bob: rematch"
        yield "new keys", alone(alice, "newkey"), "asked to confirm newkey"
        yield "no more mails", alone(bob, "stop"), "bob: stop"
        yield "leaving", alone(bob, "delete"), "asked to confirm delete"
        yield "gone", lambda: bob.says("yes"), "bob said yes"

    def looks(self) -> Iterator[Callable[[], object]]:
        """What is looked at that may be long."""
        for line in LOOKS:
            yield lambda line=line: self.alice.says(line, answering=self.alice.mail("pbm: welcome"))

    def _of(self, person: Person) -> str:
        return person.mail(f"Abalone Board {self.number}").reply_to

    def _comes_back(self, person: Person) -> None:
        raw = (
            "From: mailer-daemon@players.example\r\nMessage-ID: <back@players.example>\r\n"
            "Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n"
            "--b\r\n\r\nIt did not arrive.\r\n"
            "--b\r\nContent-Type: message/delivery-status\r\n\r\n"
            "Reporting-MTA: dns; players.example\r\n\r\n"
            f"Final-Recipient: rfc822; {person.address}\r\nAction: failed\r\nStatus: 5.1.1\r\n"
            "\r\n--b--\r\n"
        )
        sender = person.mail(f"Abalone Board {self.number}").envelope_sender
        self.table.deliver("", sender, raw.encode())


class SendingTable(Table):
    """A table whose mails are claimed and recorded as the real post does it."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.post = Post(
            self.database, self.site, self.clock, _NoTransport(), Composer(self.site.address.plain)
        )
        # Its locks have a connection of their own; all else shares the other one.
        self.post.holds.take([_NO_MAIL])

    def posts(self) -> None:
        """Send all due mails into the mailboxes."""
        while due := self.post.claim():
            self.send(due)
        self.post.next_due_at()

    def send(self, mails: Sequence[OutboxMail]) -> None:
        """Send mails that the post has in hand."""
        for mail in mails:
            self.arrive(mail)
        with self.database.transaction() as work:
            self.post.record(work, [(mail, Sent()) for mail in mails])
        for mail in mails:
            self.post.holds.let_go([mail.id])
            self.post._under_way.discard(mail.id)

    def leave(self) -> None:
        """Close the database."""
        self.post.holds.close()
        self.database.close()


class _NoTransport:
    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Sent:
        raise NotImplementedError

    async def close(self) -> None: ...


@contextmanager
def asked(table: Table) -> Iterator[list[Asked]]:
    """The statements inside, each with the values of its first run."""
    found: list[Asked] = []

    def note(_c: object, _cursor: object, sql: str, bound: Any, _x: object, many: bool) -> None:
        found.append((sql, bound[0] if many else bound))

    event.listen(table.database.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(table.database.engine, "before_cursor_execute", note)


@dataclass
class Cost:
    """What a step made the database do."""

    statements: int = 0
    work: int = 0  # instructions on SQLite, rows read on PostgreSQL


@contextmanager
def work_for(table: Table) -> Iterator[Cost]:
    """Count what the statements inside make the database do."""
    with (instructions if table.database.embedded else rows_read)(table) as cost:
        yield cost


@contextmanager
def instructions(table: Table) -> Iterator[Cost]:
    """Count what SQLite's machine executes."""
    cost = Cost()

    def count() -> int:
        cost.work += 1
        return 0

    def begin(connection: Any, *_: object) -> None:
        connection.set_progress_handler(count, 1)

    def end(connection: Any, *_: object) -> None:
        connection.set_progress_handler(None, 1)

    engine = table.database.engine
    event.listen(engine, "checkout", begin)
    event.listen(engine, "checkin", end)
    try:
        yield cost
    finally:
        event.remove(engine, "checkout", begin)
        event.remove(engine, "checkin", end)


@contextmanager
def rows_read(table: Table) -> Iterator[Cost]:
    """Count the rows that PostgreSQL reads."""
    cost = Cost()
    before = _rows_so_far(table)
    yield cost
    cost.work = _rows_so_far(table) - before


def _rows_so_far(table: Table) -> int:
    pool = table.database.engine.pool
    assert isinstance(pool, QueuePool)
    assert pool.checkedin() == 1  # what others have read is told up to a second later
    with table.database.engine.connect() as connection:
        connection.execute(text("SELECT pg_stat_force_next_flush()"))
        connection.commit()
        query = "SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables"
        return int(connection.scalar(text(query)) or 0)
