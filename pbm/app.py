"""Where concrete things meet: settings become a server, and `pbm serve` runs it."""

import asyncio
import gc
import logging
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TextIO, TypeVar, cast

import click
import structlog
from sqlalchemy.exc import DBAPIError

from pbm import __version__
from pbm.clock import system_clock
from pbm.config import Settings, load_settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, parse_address
from pbm.mail.reading.limits import is_long
from pbm.mail.site import Site
from pbm.mail.smtp_in.certificate import load_certificate
from pbm.mail.smtp_in.listener import Caller, Listener, Rejection
from pbm.mail.smtp_out.delivery import Transport
from pbm.mail.smtp_out.maildir import MaildirTransport, check_folders
from pbm.mail.smtp_out.smarthost import SmarthostTransport
from pbm.mail.tags import load_keyring
from pbm.rules.registry import GamesError, prefer
from pbm.service.intake.arriving import Arriving
from pbm.service.intake.guesses import WrongTag
from pbm.service.intake.mailrates import MailRates
from pbm.service.intake.receive import Intake, Named, log_fault
from pbm.service.intake.session_log import SessionLog
from pbm.service.own_address import own_address
from pbm.service.post.composer import Composer
from pbm.service.post.post import Post
from pbm.service.robots.loop import Thinkers
from pbm.service.robots.machine import Robots
from pbm.service.robots.minds import Minds
from pbm.service.running.gathering import Take, gathered, one_by_one
from pbm.service.running.heartbeat import (
    LISTEN,
    POST,
    ROBOTS,
    ROLES,
    TICKS,
    TURN,
    Heart,
    beat,
    keep_beating,
    stop_beating,
)
from pbm.service.running.loops import TurnTaker, begin, keep_time, send_post, take_turns
from pbm.service.running.steps import InThread
from pbm.service.running.writer import Reader, Writer
from pbm.service.ticks.machine import Ticks
from pbm.service.turns.crash_marker import CrashMarker
from pbm.service.turns.turn import Turns
from pbm.service.turns.watchdog import Watchdog
from pbm.store.channels import MAIL_KEPT, MAIL_WRITTEN, THOUGHT_ASKED, TIMER_SET, Channel
from pbm.store.db import Database, why_unusable
from pbm.store.migrate import is_current, migrate
from pbm.store.pooling import refuse_lent_sessions
from pbm.store.sole import hold_alone
from pbm.store.waking import Bell, Waking

SETTINGS_FILE = Path("pbm.toml")
DRAIN_SECONDS = 20.0
MOST_TURNS_TOGETHER = 16
MOST_TIMERS_TOGETHER = 16
_MOST_BYTES_SHARED = 65_536  # of a mail that is kept with others, all of which are sent at once
_HEART = "heart"  # has a writer of its own, so that it beats while a role stands still
_NEW_OBJECTS = 10_000  # between two looks for garbage; a turn makes some thousands
_log = structlog.get_logger("pbm.app")
T = TypeVar("T")


def settings_from_here() -> Settings:
    """Read the settings of this process's environment and folder. Raises OperatorError."""
    return load_settings(os.environ, SETTINGS_FILE)


def open_site(settings: Settings) -> tuple[Database, Site]:
    """Open the database and the keys. Raises OperatorError for a setting that cannot work."""
    address = own_address(settings)
    try:
        prefer(settings.game)
    except GamesError as error:
        raise OperatorError(str(error)) from error
    try:
        operator = parse_address(settings.operator) if settings.operator else ""
    except AddressError as error:
        raise OperatorError(f"PBM_OPERATOR: {error}") from error
    keyring = load_keyring(settings.key_file, settings.secret_key or None)
    site = Site(
        address,
        keyring,
        operator,
        authserv_id=settings.front_name,
        trusted_networks=settings.trusted_networks,
        robot_seconds=settings.seconds_for_robots,
    )
    return Database(settings.database_url), site


def open_transport(settings: Settings) -> Transport:
    """Open the way out: the smarthost, or Maildirs while there is none. Raises OperatorError."""
    if settings.smarthost:
        helo = own_address(settings).domain
        return SmarthostTransport(settings.smarthost, helo=helo)
    root = Path(settings.maildir)
    try:
        entries = list(root.iterdir()) if root.is_dir() else []
        check_folders(root, *(each for each in entries if each.is_symlink() or each.is_dir()))
    except OSError as error:
        raise OperatorError(f"PBM_MAILDIR: {error.strerror}.") from error
    return MaildirTransport(root)


def ready_database(database: Database) -> None:
    """Migrate an embedded database; refuse a shared one that is behind, or behind a pooler that
    lends its sessions. Raises OperatorError."""
    refuse_lent_sessions(database)
    try:
        if is_current(database):
            return
        if not database.embedded:
            raise OperatorError("The database is behind this program. Run: pbm-admin migrate")
        migrate(database)
    except DBAPIError as error:
        raise OperatorError(why_unusable(error)) from error


@contextmanager
def owner_only() -> Iterator[None]:
    """Let files and folders that are made meanwhile be for this process's user alone.

    Mails, addresses and keys are in them. It holds for the whole process.
    """
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


class Server:
    """Some roles, or all of them, in one process on one event loop; database work has threads."""

    def __init__(self, settings: Settings, roles: frozenset[str] = frozenset(ROLES)) -> None:
        self._settings = settings
        self._roles = roles
        self._database, site = open_site(settings)
        if self._database.embedded and roles != frozenset(ROLES):
            raise OperatorError("One process does everything on SQLite: leave out --roles.")
        self._alone = hold_alone(self._database)
        ready_database(self._database)
        self._transport = open_transport(settings)
        self._tls = load_certificate(settings.tls_cert, settings.tls_key)
        rates = MailRates(*settings.most_mails, settings.trusted_networks)
        self._intake = Intake(site, system_clock, rates)
        crash_marker = CrashMarker(settings.key_file.with_name("turn-in-hand"))
        self._watchdog = Watchdog()
        self._turns = Turns(self._database, site, system_clock, crash_marker, self._watchdog)
        tick_marker = CrashMarker(settings.key_file.with_name("tick-in-hand"))
        self._ticks = Ticks(self._database, site, system_clock, tick_marker)
        self._robots = Robots(self._database, site, system_clock)
        self._minds = Minds(settings.minds)
        composer = Composer(site.address.plain)
        self._post = Post(self._database, site, system_clock, self._transport, composer)
        self._mail_kept, self._mail_written, self._timer_set, self._thought_asked = (
            Bell() for _ in range(4)
        )
        self._waking = Waking(self._database, self._bells())
        self._stopping = asyncio.Event()
        self._hung_up = asyncio.Event()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._writers = self._open_writers()
        self._heart = Heart(system_clock, roles)

    def _open_writers(self) -> dict[str, Writer]:
        """SQLite has one writer at a time, so that all roles share it.

        Elsewhere the roles share a thread: several would only take Python's lock from each other
        (ADR 55).
        """
        tell = self._waking.tell
        in_store = self._in_pool("store")
        if self._database.embedded:
            return dict.fromkeys((*ROLES, _HEART), Writer(self._database, in_store, tell))
        writers = {role: Writer(self._database, in_store, tell) for role in ROLES}
        return {**writers, _HEART: Writer(self._database, self._in_pool(_HEART), tell)}

    @property
    def _aside(self) -> InThread:
        """Where a role begins: beside an embedded database's writer, which may have to wait for the
        event loop."""
        return self._in_pool("read" if self._database.embedded else "store")

    @property
    def _looking(self) -> InThread:
        """Where something is looked up."""
        return _here if self._database.embedded else self._in_pool("store")

    def _bells(self) -> dict[Channel, Bell]:
        """What the roles of this process wait for."""
        bells = {
            TURN: (MAIL_KEPT, self._mail_kept),
            POST: (MAIL_WRITTEN, self._mail_written),
            TICKS: (TIMER_SET, self._timer_set),
            ROBOTS: (THOUGHT_ASKED, self._thought_asked),
        }
        return dict(bells[role] for role in bells if role in self._roles)

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then drain. At SIGHUP read the certificate again."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, self._hung_up.set)
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._stopping.set)
        async with AsyncExitStack() as stack:
            stack.callback(self._close)
            stack.push_async_callback(self._waking.close)
            stack.push_async_callback(self._transport.close)
            stack.push_async_callback(stop_beating, self._heart, self._writers[_HEART])
            await beat(self._heart, self._writers[_HEART])
            # The doors first: where one cannot be opened, nothing is under way yet.
            listener: Listener | None = None
            if LISTEN in self._roles:
                listener = self._listener(self._writers[LISTEN])
                await listener.start(self._settings.doorways)
                stack.push_async_callback(listener.stop)
            always = (
                self._woken_by_others(),
                keep_beating(self._heart, self._writers[_HEART]),
                self._read_again(listener),
            )
            tasks = [asyncio.create_task(it) for it in always]
            if TURN in self._roles:
                stack.enter_context(self._watchdog.running())
                tasks.append(asyncio.create_task(self._take_turns()))
            if TICKS in self._roles:
                tasks.append(asyncio.create_task(self._keep_time()))
            if ROBOTS in self._roles:
                tasks.append(asyncio.create_task(self._let_robots_think()))
            if POST in self._roles:
                tasks.append(asyncio.create_task(self._send_post()))
            self._say_ready()
            try:
                await self._until_stopped(tasks)
            finally:
                for writer in self._writers.values():
                    await writer.idle()
        _log.info("stopped")

    async def _woken_by_others(self) -> None:
        await self._waking.listen()
        await self._stopping.wait()

    async def _read_again(self, listener: Listener | None) -> None:
        """Whenever SIGHUP has come, read the certificate again; one of no use changes nothing."""
        certificate, key = self._settings.tls_cert, self._settings.tls_key
        while True:
            await self._hung_up.wait()
            self._hung_up.clear()
            if listener is None or not certificate:
                _log.info("SIGHUP", reads_again="nothing, as no certificate is shown here")
                continue
            try:
                listener.show(await asyncio.to_thread(load_certificate, certificate, key))
            except OperatorError as error:
                _log.error("certificate not read again, the old one is shown", error=str(error))
            else:
                _log.info("certificate read again", certificate=certificate)

    async def _take_turns(self) -> None:
        alive = partial(self._heart.alive, TURN)
        alive()
        await begin(self._turns, self._aside)
        taker = TurnTaker(
            self._turns,
            self._writers[TURN],
            most_together=MOST_TURNS_TOGETHER,
            read_in_thread=self._in_pool("mails"),
            hash_in_thread=self._in_pool("passwords"),
        )
        woken = self._mail_kept, self._mail_written, self._timer_set, self._thought_asked
        await take_turns(taker, *woken, alive)

    async def _keep_time(self) -> None:
        alive = partial(self._heart.alive, TICKS)
        alive()
        await begin(self._ticks, self._aside)
        await keep_time(
            self._ticks,
            system_clock,
            self._looking,
            self._writers[TICKS],
            self._timer_set,
            self._mail_written,
            most_together=MOST_TIMERS_TOGETHER if self._database.embedded else 1,
            alive=alive,
        )

    async def _let_robots_think(self) -> None:
        alive = partial(self._heart.alive, ROBOTS)
        alive()
        await begin(self._robots, self._aside)
        thinkers = Thinkers(
            self._robots,
            self._minds,
            self._writers[ROBOTS],
            self._looking,
            self._thought_asked,
            self._mail_written,
        )
        await thinkers.run(alive)

    async def _send_post(self) -> None:
        await send_post(
            self._post,
            self._looking,
            self._writers[POST],
            self._mail_written,
            partial(self._heart.alive, POST),
        )

    async def _until_stopped(self, tasks: list[asyncio.Task[None]]) -> None:
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
        _log.info("stopping", finishing="what is at hand")
        for task in (stopping, *tasks):
            task.cancel()
        done, _ = await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
        for task in done:
            if not task.cancelled() and task.exception():
                raise task.exception() or RuntimeError

    def _listener(self, writer: Writer) -> Listener:
        reader = Reader(self._database, self._looking)

        async def check(named: Take[Named]) -> Sequence[Rejection | None]:
            return await reader.do(lambda work: self._intake.accept_recipients(work, named()))

        async def keep_some(mails: Take[Arriving]) -> Sequence[str | Rejection]:
            return await writer.do(lambda work: self._intake.keep_arrived(work, mails()))

        together = one_by_one if self._database.embedded else gathered
        check_one, keep_one = together(check), together(keep_some)

        async def accept_recipient(address: str, sender: str, caller: Caller) -> Rejection | None:
            rejection = await check_one(Named(address, sender, caller))
            if isinstance(rejection, WrongTag):
                wrong = rejection
                await writer.do(lambda work: self._intake.count_wrong(work, wrong))
            return rejection

        async def keep(
            sender: str, recipients: tuple[str, ...], raw: bytes, caller: Caller
        ) -> str | Rejection:
            look = partial(self._intake.look_at, sender, recipients, raw, caller)
            mail = await self._in_pool("door")(look) if is_long(raw) else look()
            if len(raw) > _MOST_BYTES_SHARED:
                (kept,) = await keep_some(lambda: [mail])
            else:
                kept = await keep_one(mail)
            self._mail_kept.set()
            return kept

        return Listener(
            hostname=own_address(self._settings).domain,
            accept_recipient=accept_recipient,
            keep=keep,
            report_fault=log_fault,
            report_session=SessionLog(),
            trusted_peers=self._settings.trusted_networks,
            tls=self._tls,
        )

    def _in_pool(self, name: str) -> InThread:
        if name not in self._pools:
            self._pools[name] = ThreadPoolExecutor(1, f"pbm-{name}")
        pool = self._pools[name]

        async def in_thread(work: Callable[[], T]) -> T:
            return await asyncio.get_running_loop().run_in_executor(pool, work)

        return in_thread

    def _close(self) -> None:
        self._minds.close()
        for pool in self._pools.values():
            pool.shutdown()
        self._post.holds.close()
        self._turns.close()
        self._ticks.close()
        self._database.close()
        if self._alone:
            self._alone.close()

    def _say_ready(self) -> None:
        settings = self._settings
        out = "a smarthost" if settings.smarthost else f"Maildirs under {settings.maildir}"
        _log.info("ready", address=settings.address, listening=settings.listen, mail_goes_to=out)


async def _here(work: Callable[[], T]) -> T:
    """Do what an embedded database answers sooner than a thread would wake."""
    return work()


class _LastingStream:
    """A stream that may be gone, as that of a closed terminal: then nobody reads, and no turn
    fails for it."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> None:
        with suppress(OSError, ValueError):
            self._stream.write(text)

    def flush(self) -> None:
        with suppress(OSError, ValueError):
            self._stream.flush()


def set_up_logging() -> None:
    """Log to standard error, one line an event."""
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"]),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, _LastingStream(sys.stderr))),
        cache_logger_on_first_use=True,
    )


@click.group(help="A server for playing by mail.")
@click.version_option(__version__, prog_name="pbm")
def main() -> None:
    """Run `pbm`."""


@main.command()
@click.option(
    "--roles",
    default=",".join(sorted(ROLES)),
    show_default=True,
    metavar="ROLES",
    help="What this process does; the others do the rest, on one PostgreSQL.",
)
def serve(roles: str) -> None:
    """Listen for mail, obey it and send the boards, all in this one process or in several."""
    set_up_logging()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the server listens to it
    try:
        with owner_only():
            asyncio.run(_serve(settings_from_here(), _parse_roles(roles)))
    except OperatorError as error:
        raise click.ClickException(str(error)) from error


def _parse_roles(text: str) -> frozenset[str]:
    """Read a comma list of roles. Raises OperatorError."""
    roles = frozenset(word.strip() for word in text.split(",") if word.strip())
    if not roles <= set(ROLES) or not roles:
        known = ", ".join(sorted(ROLES))
        raise OperatorError(f"--roles={text}: name one or more of {known}, with commas between.")
    return roles


async def _serve(settings: Settings, roles: frozenset[str]) -> None:
    server = Server(settings, roles)
    spare_garbage_looks()
    await server.run()


def spare_garbage_looks() -> None:
    """Look for garbage among what is made from now on, and less often than Python does: a look
    through all that is loaded by now would hold up everybody, by a tenth of a second."""
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
