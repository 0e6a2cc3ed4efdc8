"""A whole server around a table, without sockets: real database, real mails, a clock that stands.

table = Table(url)
alice, bob = table.joins("alice"), table.joins("bob")
alice.says("challenge bob").hears("Your move on board 1.")
bob.hears("alice's move on board 1; nothing to do.")
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import format_datetime, parseaddr
from functools import cache, cached_property, lru_cache
from html import unescape
from ipaddress import ip_network
from itertools import compress
from typing import Any, Self
from urllib.parse import parse_qs, quote, unquote

from sqlalchemy import text

from pbm.mail.address import ServerAddress
from pbm.mail.keys import Key, Keyring
from pbm.mail.reading.auth_results import Front
from pbm.mail.site import Site
from pbm.mail.smtp_in.handler import Rejection
from pbm.mail.writing.render import Renderer
from pbm.play.boards import start_board
from pbm.service.intake.door import check_recipient
from pbm.service.intake.keeping import Intake
from pbm.service.intake.upstream_mta import forget_front, note_front
from pbm.service.post.post import raw_mail
from pbm.service.robots.jobs import RobotJobs
from pbm.service.running.heartbeat import LISTENING, note_listening
from pbm.service.running.writer import MOST_TOGETHER
from pbm.service.ticks.jobs import Ticks
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.db import Database
from pbm.store.migrate import migrate
from pbm.store.schema import metadata
from pbm.store.sql.driver import Call, execute
from pbm.store.values.boards import Board, Departure, Ply
from pbm.store.values.mails import InboxMail, OutboxMail
from pbm.store.values.players import Player
from tests.openings import Numbers, Opening
from tests.secrets_issued import ISSUED
from tests.serving import keep, take_next, think_next, tick_next
from tests.setups import abalone
from tests.sqlite_tables import make_tables

SERVER = "pbm@games.example"
OPERATOR = "operator@games.example"
FRONT = "mx.games.example"
PEER = "127.0.0.1"
TOLD = (  # columns that people read, in a mail or at the operator's desk
    ("inbox", "outcome"),
    ("outbox", "last_error"),
    ("outbox_contents", "params"),
    ("questions", "params"),
    ("errands", "lines"),
    ("errands", "comment"),
    ("changes", "why"),
    ("changes", "details"),
    ("facts", "value"),
    ("buckets", "key"),
    ("boards", "tags"),
)
_PAGE_LINK = re.compile(r"https://[^\s#]+#1\.[\w.-]+z\b")
_ALL_ROWS = {
    table: Call('SELECT "{}" FROM {}'.format('", "'.join(table.columns.keys()), table.name))
    for table in metadata.tables.values()
}
_FILLED = Call("SELECT " + ", ".join(f"EXISTS (SELECT 1 FROM {table.name})" for table in _ALL_ROWS))
_BY_WHEN = re.compile(
    r", by [A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2,8}(?: \d{4})?(?:, \d\d:\d\d(?: UTC)?)? \(\d+ \w+\)"
)
_WHO_MOVED = re.compile(
    r"\b(?:[a-z][a-z0-9_-]* moved|Reminder): (your|[a-z][a-z0-9_-]*'s) turn on board"
)
_LINK = re.compile(r'<a\nhref="mailto:([^"?]+)\?([^"]*)">')
_FILLED_IN = ("subject", "body")
_HEADERS = BytesParser()
START = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)


class Clock:
    """A clock that moves only when told to."""

    def __init__(self) -> None:
        self.time = START

    def __call__(self) -> datetime:
        return self.time

    def passes(self, **duration: float) -> None:
        """Let time go by."""
        self.time += timedelta(**duration)


@dataclass(frozen=True)
class Mail:
    """A mail of ours as its reader has it."""

    raw: bytes
    envelope_sender: str

    def __getitem__(self, header: str) -> str:
        value = self.header[header]
        return "" if value is None else _decoded(str(value))

    @cached_property
    def header(self) -> Message:
        """Its header alone, which is read in a tenth of the time that all of it takes."""
        return _HEADERS.parsebytes(self.raw.partition(b"\r\n\r\n")[0], headersonly=True)

    @cached_property
    def message(self) -> Message:
        """All of it, read by the standard library."""
        return message_from_bytes(self.raw)

    @cached_property
    def text(self) -> str:
        """The text part."""
        return _text(*self._parts["text/plain"])

    @cached_property
    def html(self) -> str:
        """The HTML part."""
        return _text(*self._parts["text/html"])

    @cached_property
    def reply_to(self) -> str:
        """The address that a reply goes to."""
        return parseaddr(self["Reply-To"] or self["From"])[1]

    @property
    def links(self) -> list[tuple[str, str, str]]:
        """The links of the HTML part: address, subject and words of the mail that each opens."""
        return [
            (unquote(address), *(parse_qs(unescape(fields))[name][0] for name in _FILLED_IN))
            for address, fields in _LINK.findall(self.html)
        ]

    @cached_property
    def html_unlinked(self) -> str:
        """The HTML part without its own reply address, which only links may hold."""
        return self.html.replace(f'href="mailto:{quote(self.reply_to, safe="@")}?', "")

    @cached_property
    def body_unlinked(self) -> str:
        """Both parts without what only links may hold: the reply address, or its tag."""
        return _PAGE_LINK.sub("", f"{self.text}\n{self.html_unlinked}")

    @property
    def references(self) -> list[str]:
        """The Message-IDs that it refers to, oldest first."""
        return self["References"].split()

    @cached_property
    def _parts(self) -> dict[str, tuple[Message, bytes]]:
        """The first part of each kind."""
        found: dict[str, tuple[Message, bytes]] = {}
        for kind, head, body in _parts(self.header, self.raw.partition(b"\r\n\r\n")[2]):
            found.setdefault(kind, (head, body))
        return found


def _parts(head: Message, body: bytes) -> Iterator[tuple[str, Message, bytes]]:
    """The parts of a mail of ours, found by their boundaries: the standard library looks at each
    line, which takes longer than to write the mail."""
    kind, boundary = _kind_of(str(head["Content-Type"] or "text/plain"))
    if not boundary:
        yield kind, head, body
        return
    _, *inner, _ = (b"\r\n" + body).split(f"\r\n--{boundary}".encode())
    for each in inner:
        fields, _, content = each.removeprefix(b"\r\n").partition(b"\r\n\r\n")
        yield from _parts(_head(fields), content)


def _text(head: Message, body: bytes) -> str:
    part = copy(head)
    part.set_payload(body.decode("ascii", "surrogateescape"))
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode("utf-8").replace("\r\n", "\n")


@lru_cache(maxsize=64)  # there are few of them, and to take one apart takes long
def _kind_of(content_type: str) -> tuple[str, str]:
    """What a header says of a part, and the boundary between the parts within."""
    head = Message()
    head["Content-Type"] = content_type
    return head.get_content_type(), head.get_boundary() or ""


@lru_cache(maxsize=64)  # that of each text part is the same
def _head(fields: bytes) -> Message:
    return message_from_bytes(fields)


class Table:
    """One server with its clock, its database and everybody's mailboxes."""

    def __init__(self, url: str) -> None:
        self.clock = Clock()
        make_tables(url)
        self.database = Database(url)
        if _is_bare(self.database):
            migrate(self.database)
        counter = Numbers()
        keyring = Keyring((Key("k1", b"a secret key that only tests know"),))
        self.site = Site(
            ServerAddress(SERVER),
            keyring,
            OPERATOR,
            unique=lambda: f"{next(counter):08d}",
            shuffled=lambda names: self.lots(list(names)),
        )
        self.lots: Callable[[list[str]], list[str]] = list
        self.intake = Intake(self.site, self.clock)
        self.turns = InboxWorker(self.database, self.site, self.clock)
        self.ticks = Ticks(self.database, self.site, self.clock)
        self.robots = RobotJobs(self.database, self.site, self.clock)
        self.renderer = _renderer()
        self.mailboxes: dict[str, list[Mail]] = {}
        self.peer = PEER
        self.network = ""
        self._stamped = b""
        self._sent = Numbers()
        self._opening = Opening(self.database, self.mailboxes, (counter, self._sent))
        self._as_made = self._usual()

    # -- people and their mail ---------------------------------------------------------------

    def person(self, address: str) -> "Person":
        """Somebody with a mailbox."""
        return Person(self, address)

    def joins(self, handle: str) -> "Person":
        """Somebody who signs up, as a newcomer does, and reads the welcome."""
        person = self.person(f"{handle}@example.org")

        def signs_up() -> None:
            person.writes(f"signup {handle}").says("yes")
            assert f"You play as {handle}" in person.newest.text

        self.opens(f"{handle} joins", signs_up)
        return person.forgets()

    def robots_join(self) -> None:
        """Let the robots be players, as they are once their role has begun."""
        self.opens("robots join", self.robots.begin)

    def robots_think(self) -> None:
        """Let robots move wherever a board waits for one, and send the mails."""
        while think_next(self.robots):
            pass
        self.posts()

    def start(self, *handles: str, bowl: bool = False) -> list["Person"]:
        """People who sign up and sit down at a board, in that order."""
        named = " ".join(handles[1:] if len(handles) == 2 else handles)
        challenge = f"challenge {named}{' -bowl' if bowl else ''}"
        with self._opening.in_one():
            return self._sits_down(handles, challenge)

    def _sits_down(self, handles: Sequence[str], challenge: str) -> list["Person"]:
        people = [self.joins(handle) for handle in handles]

        def sit_down() -> None:
            people[0].says(challenge)
            for person in people:
                person.gets(1)

        self.opens(f"{handles[0]}: {challenge}", sit_down)
        return [person.forgets() for person in people]

    def opens(self, words: str, play: Callable[[], object]) -> None:
        """Do what `play` does, or go on from what it once came to, by these words."""
        usual = type(self) is Table and self._usual() == self._as_made
        self._opening.step(words, play, usual=usual)

    def _usual(self) -> tuple[object, ...]:
        """What decides how a mail is taken, beside what is stored."""
        roles = (self, self.intake, self.turns, self.ticks, self.robots)
        sites = [id(each.site) for each in roles]
        said = (self.peer, self.network, self._stamped)
        return (self.clock(), self.lots, self.intake.rates, *said, *sites)

    def deliver(self, sender: str, recipient: str, raw: bytes) -> str:
        """Hand a mail to the server as the listener does; let it be obeyed and answered."""
        reply = self.hand_in(sender, recipient, raw)
        self.runs()
        return reply

    def hand_in(self, sender: str, recipient: str, raw: bytes) -> str:
        """Hand a mail to the server, which keeps or refuses it; return its reply."""
        reply = self._reply_to(sender, recipient, raw)
        ISSUED.none_in(reply, "a reply of the server")
        return reply

    def _reply_to(self, sender: str, recipient: str, raw: bytes) -> str:
        with self.database.reading() as work:
            rejection = check_recipient(work, self.site, self.clock(), recipient)
        if rejection is not None:
            return f"{rejection.code} {rejection.text}"
        kept = keep(self, sender, (recipient,), self._stamped + raw, self.peer, self.network)
        return f"{kept.code} {kept.text}" if isinstance(kept, Rejection) else f"250 {kept}"

    def behind_front(self, says: str, *, tried: bool = True) -> None:
        """Let mails come through a mail server that says this of each from now on.

        `tried`: the operator has found it in order.
        """
        self.has(authserv_id=FRONT, trusted_networks=(ip_network("127.0.0.0/8"),))
        stamps = f"Authentication-Results: {FRONT}; {says}\r\n" if says else ""
        stamps += (
            f"Received: from somewhere.example by {FRONT}; Sat, 21 Nov 2026 12:00:00 +0000\r\n"
        )
        self._stamped = stamps.encode()
        with self.database.transaction() as work:
            if tried:
                note_front(work, Front(FRONT, 1), self.clock())
            else:
                forget_front(work)

    def has(self, **settings: Any) -> None:
        """Let the server have other settings from now on."""
        self.site = replace(self.site, **settings)
        self.intake.site = self.turns.site = self.ticks.site = self.robots.site = self.site

    def runs(self) -> None:
        """Do everything that waits: turns, then the post."""
        while take_next(self.turns):
            pass
        self.posts()

    def days_pass(self, days: float = 0, **more: float) -> None:
        """Let time go by, and do everything at the moment at which it is due, and send the mails.

        What waits for its turn goes on waiting.
        """
        until = self.clock() + timedelta(days=days, **more)
        while (due_at := self.ticks.next_due_at()) is not None and due_at <= until:
            self.clock.time = max(self.clock.time, due_at)
            assert tick_next(self.ticks, most=MOST_TOGETHER)
            self.posts()
        self.clock.time = until
        self.posts()

    def is_down(self, days: float) -> None:
        """Let no process live for some days, and then begin again, with what is due by then."""
        with self.database.transaction() as work:
            note_listening(work, self.clock())
        self.clock.passes(days=days)
        self.days_pass(0)
        with self.database.transaction() as work:
            note_listening(work, self.clock())
            work.facts.forget(LISTENING)  # from now on no heart beats at this table

    def posts(self) -> None:
        """Send all due mails into the mailboxes."""
        with self.database.transaction() as work:
            while due := work.outbox.claim_due(self.clock(), most=50, passing_over=()):
                work.outbox.finish([mail.id for mail in due], "sent", self.clock())
                for mail in due:
                    self.arrive(mail)

    def arrive(self, mail: OutboxMail) -> None:
        """Put a mail into its reader's mailbox."""
        raw = raw_mail(mail, self.site.address.plain, self.renderer)
        arrived = Mail(raw, mail.sender)
        _check_secrets(arrived)
        self.mailboxes.setdefault(mail.recipient.lower(), []).append(arrived)

    def next_message_id(self) -> str:
        """A Message-ID for a mail that somebody sends."""
        return f"<{next(self._sent)}@mailer.example>"

    def begins(self, *handles: str, times: int = 1) -> None:
        """Begin boards that follow from no mail, and so count as nobody's challenge."""
        with self.database.transaction() as work:
            named = [work.players.by_handle(handle) for handle in handles]
            players = [player for player in named if player is not None]
            for _ in range(times):
                start_board(work, abalone(), players, self.clock())

    # -- what is stored ----------------------------------------------------------------------

    def board(self, number: int) -> Board:
        """A board as it is stored."""
        with self.database.reading() as work:
            return work.boards.get(number)

    def boards(self) -> list[int]:
        """The numbers of all boards."""
        with self.database.reading() as work:
            return list(work.boards.numbers())

    def plies(self, number: int) -> tuple[Ply, ...]:
        """The moves of a board."""
        with self.database.reading() as work:
            return work.plies.of(number)

    def moves(self, number: int) -> list[str]:
        """The moves of a board as text."""
        return [ply.text for ply in self.plies(number)]

    def departures(self, number: int) -> tuple[Departure, ...]:
        """The seats of a board that were given up."""
        with self.database.reading() as work:
            return work.plies.departures(number)

    def player(self, handle: str) -> Player | None:
        """A player as stored, None for a handle that nobody has."""
        with self.database.reading() as work:
            return work.players.by_handle(handle)

    def mail_kept(self, number: int) -> InboxMail:
        """A row of the inbox."""
        with self.database.reading() as work:
            return work.inbox.get(number)

    def rows(self, table: str) -> list[dict[str, Any]]:
        """All rows of a table by their keys; waits for nobody who writes."""
        reader = self.database.engine.execution_options(pbm_reading=True)
        with reader.connect() as connection:
            found = metadata.tables[table]
            query = found.select().order_by(*found.primary_key)
            return [dict(row) for row in connection.execute(query).mappings()]

    def everything_stored(self) -> str:
        """Every value in the database, to look for what must not be there."""
        with self.database.engine.connect() as connection:
            return "\n".join(
                str(tuple(row))
                for name in metadata.tables
                for row in connection.execute(text(f"SELECT * FROM {name}"))
            )

    def tables_with(self, value: str) -> list[str]:
        """The names of the tables of which a row holds this."""
        return [name for name in metadata.tables if value in str(self.rows(name))]

    def close(self) -> None:
        """Leave the table: what is kept holds no secret but where the server needs it."""
        stored = self._stored()
        for table, column in TOLD:
            told = "\n".join(str(row[column]) for row in stored[table])
            ISSUED.none_in(told, f"{table}.{column}")
        for table, rows in stored.items():
            kept = str([{**row, "raw": None} for row in rows])  # what waits is as it came
            assert not any(secret in kept for secret in ISSUED.texts), f"a password in {table}"
        self.database.close()

    def _stored(self) -> dict[str, Sequence[dict[str, Any]]]:
        """All rows of all tables. Most have none, and to read each takes longer than to ask."""
        with self.database.engine.execution_options(pbm_reading=True).connect() as connection:
            ((filled,),) = execute(connection, _FILLED)
            tables = list(compress(_ALL_ROWS, filled))
            found = execute(connection, *(_ALL_ROWS[table] for table in tables))
        stored: dict[str, Sequence[dict[str, Any]]] = dict.fromkeys(metadata.tables, ())
        for table, rows in zip(tables, found, strict=True):
            names = table.columns.keys()
            stored[table.name] = [dict(zip(names, row, strict=True)) for row in rows]
        return stored


def _is_bare(database: Database) -> bool:
    """Whether a database has no tables yet: files have them."""
    if database.embedded:
        return False
    with database.engine.connect() as connection:
        return connection.scalar(text("SELECT to_regclass('alembic_version')")) is None


@lru_cache(maxsize=1024)
def _decoded(value: str) -> str:
    """What a header says."""
    return str(make_header(decode_header(value)))


@cache
def _renderer() -> Renderer:
    """One for all tables of this process: to read its templates takes longer than most tests."""
    return Renderer()


def without_dates(said: str) -> str:
    """The same without the moments by which moves are due, and without who moved before."""
    return _WHO_MOVED.sub(_whose_move, _BY_WHEN.sub("", said))


def _whose_move(found: re.Match[str]) -> str:
    return f"{'Your' if found[1] == 'your' else found[1]} move on board"


def _check_secrets(mail: Mail) -> None:
    """Check one of our mails: a secret stands in its reply address and nowhere else; its links, and
    what ends digests, are sent there, too."""
    if mail.header.get_content_type() == "text/plain":
        return  # sent on to the operator as it came
    ISSUED.none_in(mail.body_unlinked, "the body of a mail")
    addresses = ("reply-to", "list-unsubscribe")
    others = [value for name, value in mail.header.items() if name.lower() not in addresses]
    ISSUED.none_in("\n".join(map(str, others)), "the header of a mail")


@dataclass
class Person:
    """Somebody who writes to the server, from one address."""

    table: Table
    address: str
    replied: str = field(default="", init=False)
    _read: int = field(default=0, init=False)

    @property
    def mails(self) -> list[Mail]:
        """Everything that has arrived."""
        return self.table.mailboxes.get(self.address.lower(), [])

    @property
    def newest(self) -> Mail:
        """The mail that arrived last."""
        return self.mails[-1]

    @property
    def arrived(self) -> list[Mail]:
        """What has arrived since the last time of reading."""
        return self.mails[self._read :]

    def mail(self, subject: str) -> Mail:
        """The newest mail whose subject begins so."""
        return next(mail for mail in reversed(self.mails) if mail["Subject"].startswith(subject))

    def writes(
        self,
        subject: str,
        body: str = "",
        *,
        to: str = SERVER,
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Send a new mail."""
        return self.sends(self.mail_bytes(subject, body, to=to, headers=headers), to=to)

    def says(
        self,
        body: str,
        *,
        answering: Mail | None = None,
        subject: str = "",
        to: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Self:
        """Answer a mail, the newest unless told otherwise."""
        mail = answering or self.newest
        references = " ".join([*mail.references, mail["Message-ID"]])
        thread = {"In-Reply-To": mail["Message-ID"], "References": references}
        return self.writes(
            subject or f"Re: {mail['Subject']}",
            body,
            to=to or mail.reply_to,
            headers={**thread, **(headers or {})},
        )

    def sends(self, raw: bytes, *, to: str = SERVER) -> Self:
        """Send a mail as it is."""
        self.replied = self.table.deliver(self.address, to, raw)
        return self

    def mail_bytes(
        self,
        subject: str,
        body: str = "",
        *,
        to: str = SERVER,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """A mail as this person's mailer writes it; a header given as empty is left out."""
        lines = {
            "From": self.address,
            "To": to,
            "Subject": subject,
            "Date": format_datetime(self.table.clock()),
            "Message-ID": self.table.next_message_id(),
            "MIME-Version": "1.0",
            "Content-Type": "text/plain; charset=utf-8",
            "Content-Transfer-Encoding": "8bit",
            **(headers or {}),
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value)
        return f"{head}\r\n{body}\r\n".replace("\r\n", "\n").replace("\n", "\r\n").encode()

    def hears(self, *expected: str) -> Self:
        """Check that what arrived since the last time of reading says all this.

        Line breaks count as blanks, since paragraphs are wrapped. By when a move is due and who
        moved before may be left out of the first line.
        """
        heard = "\n".join(f"{mail['Subject']}\n{mail.text}" for mail in self.arrived)
        self.forgets()
        found = " ".join(heard.split())
        for words in expected:
            said = " ".join(words.split())
            assert said in found or said in without_dates(found), f"{words!r} not in:\n{heard}"
        return self

    def hears_nothing(self) -> Self:
        """Check that nothing has arrived since the last time of reading."""
        assert not self.arrived, self.arrived[0].text
        return self

    def gets(self, count: int) -> Self:
        """Check how many mails have arrived since the last time of reading."""
        assert len(self.arrived) == count, [mail["Subject"] for mail in self.arrived]
        return self

    def forgets(self) -> Self:
        """Take everything so far as read."""
        self._read = len(self.mails)
        return self
