"""The server: a process with some or all of the roles, such as taking mail in or sending it."""

import asyncio
import signal
import ssl
from contextlib import AsyncExitStack
from functools import partial

import structlog

from pbm.app.backing_up import keep_backups
from pbm.app.observing import observed
from pbm.app.opening import open_to_serve, open_transport
from pbm.app.public_pages import showing
from pbm.clock import system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.site import own_address
from pbm.mail.smtp_in.certificate import good_between, load_certificate, why_not_now
from pbm.mail.smtp_in.handler import Handler
from pbm.mail.smtp_in.listener import Listener
from pbm.rules.registry import left_out
from pbm.service.health.machine import machine_results
from pbm.service.intake.door import Door, SessionLog, log_fault
from pbm.service.intake.keeping import Intake, MailRates
from pbm.service.post.post import Composer, Post, send_post
from pbm.service.robots.jobs import RobotJobs, RobotWorker
from pbm.service.robots.worker_processes import WorkerProcesses
from pbm.service.running.disks import watch_disks
from pbm.service.running.heartbeat import (
    BEAT_EVERY,
    LISTEN,
    POST,
    ROBOTS,
    ROLES,
    TICKS,
    TURN,
    WEB,
    Heart,
    beat,
    keep_beating,
    stop_beating,
)
from pbm.service.running.rounds import until_done
from pbm.service.running.writer import Threads, Writer, here
from pbm.service.ticks.jobs import Ticks, keep_time
from pbm.service.trouble.failures import CrashMarker, Watchdog
from pbm.service.turns.inbox_worker import InboxWorker, take_turns
from pbm.store.channels import Channel
from pbm.store.db import Database
from pbm.store.processes.locks import acquire_server_lock
from pbm.store.processes.notify import Notifier
from pbm.web.serving import WebServer

DRAIN_SECONDS = 20.0
TURNS_AT_ONCE = 3  # on a shared database, each with its own transaction and thread
_HEART = "heart"  # has its own writer, so that a blocked role does not stop heartbeats
_CHANNELS = {
    TURN: Channel.MAIL_KEPT,
    POST: Channel.MAIL_WRITTEN,
    TICKS: Channel.TIMER_SET,
    ROBOTS: Channel.JOB_ADDED,
}
_log = structlog.get_logger("pbm.app")


class Server:
    """Does the work of one process: some or all roles, such as taking mail in or sending it."""

    def __init__(self, settings: Settings, roles: frozenset[str] = frozenset(ROLES)) -> None:
        self._settings = settings
        self._roles = roles = self._wanted(settings, roles)
        self._database = Database(settings.database_url)
        if self._database.embedded and not roles.issuperset(ROLES):
            raise OperatorError("One process does everything on SQLite: leave out --roles.")
        self._alone = acquire_server_lock(self._database)
        self._transport = open_transport(settings)
        self._tls = load_certificate(settings.tls_cert, settings.tls_key)
        self._look_at_certificate(self._tls)
        site = open_to_serve(settings, self._database)
        rates = MailRates(*settings.most_mails, settings.trusted_networks)
        self._intake = Intake(site, system_clock, rates)
        self._crash_marker = CrashMarker(settings.key_file.with_name("turn-in-hand"))
        self._watchdog = Watchdog()
        self._inbox_workers = [
            InboxWorker(self._database, site, system_clock, self._crash_marker, self._watchdog)
            for _ in range(1 if self._database.embedded else TURNS_AT_ONCE)
        ]
        tick_marker = CrashMarker(settings.key_file.with_name("tick-in-hand"))
        look = partial(machine_results, settings, system_clock)
        backs_up = settings.backup_folder is not None
        self._ticks = Ticks(self._database, site, system_clock, tick_marker, look, backs_up)
        self._robots = RobotJobs(self._database, site, system_clock)
        self._workers = WorkerProcesses(settings.search_workers)
        composer = Composer(site.address.plain)
        self._post = Post(self._database, site, system_clock, self._transport, composer)
        self._woken = {role: asyncio.Event() for role in _CHANNELS}
        events = {_CHANNELS[role]: event for role, event in self._woken.items() if role in roles}
        self._notifier = Notifier(self._database, events)
        self._stopping = asyncio.Event()
        self._hung_up = asyncio.Event()
        self._threads = Threads()
        # Roles begin in a thread: not in an embedded database's writer's, which may have to wait
        # for the event loop.
        self._aside = self._threads.one("read" if self._database.embedded else "store")
        self._looking = here if self._database.embedded else self._threads.one("store")
        self._writers = self._open_writers()
        self._heart = Heart(system_clock, roles)

    @staticmethod
    def _wanted(settings: Settings, roles: frozenset[str]) -> frozenset[str]:
        """Return the roles without `web` if no address is set for it. Raises OperatorError."""
        if settings.web_address:
            return roles
        if roles == {WEB}:
            raise OperatorError("--roles=web: set PBM_WEB_LISTEN, such as to 127.0.0.1:8080.")
        return roles - {WEB}

    def _open_writers(self) -> dict[str, Writer]:
        """Return the writers to the database by name. On SQLite, all names share one writer."""
        tell = self._notifier.notify
        names = (*ROLES, *(f"turns-{number}" for number in range(len(self._inbox_workers))), _HEART)
        if self._database.embedded:
            return dict.fromkeys(names, Writer(self._database, self._threads.one("store"), tell))
        threads = {name: self._threads.one("store" if name in ROLES else name) for name in names}
        return {name: Writer(self._database, thread, tell) for name, thread in threads.items()}

    async def run(self) -> None:
        """Serve until SIGTERM or SIGINT, then drain. SIGHUP reloads the certificate."""
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGHUP, self._hung_up.set)
        for name in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(name, self._stopping.set)
        for game, why in left_out().items():
            _log.error("game left out", game=game, why=why)
        async with AsyncExitStack() as stack:
            stack.callback(self._close)
            stack.push_async_callback(self._notifier.close)
            stack.push_async_callback(self._transport.close)
            stack.push_async_callback(stop_beating, self._heart, self._writers[_HEART])
            await beat(self._heart, self._writers[_HEART])
            # Listen first: if a port cannot be opened, no other work has begun.
            listener: Listener | None = None
            if LISTEN in self._roles:
                listener = self._listener(self._writers[LISTEN])
                await listener.start(self._settings.doorways)
                stack.push_async_callback(listener.stop)
            if TURN in self._roles:
                stack.enter_context(self._watchdog.running())
            stack.enter_context(observed(self._settings, system_clock, self._heart.stuck))
            web = WEB in self._roles and stack.enter_context(showing(self._settings))
            loops = {
                TURN: self._take_turns,
                TICKS: self._keep_time,
                ROBOTS: self._run_robots,
                POST: self._send_post,
            }
            folder = self._settings.backup_folder if TICKS in self._roles else None
            work = (
                self._woken_by_others(),
                keep_beating(self._heart, self._writers[_HEART]),
                self._read_again(listener),
                watch_disks(self._settings),
                *([keep_backups(self._settings, folder)] if folder else []),
                *([self._watch_pages(web)] if web else []),
                *(loops[role]() for role in loops if role in self._roles),
            )
            tasks = [asyncio.create_task(it) for it in work]
            self._say_ready()
            try:
                await self._until_stopped(tasks)
            finally:
                for writer in self._writers.values():
                    await writer.idle()
        _log.info("stopped")

    async def _woken_by_others(self) -> None:
        await self._notifier.listen()
        await self._stopping.wait()

    async def _read_again(self, listener: Listener | None) -> None:
        """Reload the certificate at each SIGHUP; keep the old one if the new one is unusable."""
        certificate, key = self._settings.tls_cert, self._settings.tls_key
        while True:
            await self._hung_up.wait()
            self._hung_up.clear()
            if listener is None or not certificate:
                _log.info("SIGHUP", reads_again="nothing, as no certificate is shown here")
                continue
            try:
                shown = await asyncio.to_thread(load_certificate, certificate, key)
                listener.handler.tls = shown  # open connections keep the old one
            except OperatorError as error:
                _log.error("certificate not read again, the old one is shown", error=str(error))
            else:
                _log.info("certificate read again", certificate=certificate)
                self._look_at_certificate(shown)

    def _look_at_certificate(self, shown: ssl.SSLContext | None) -> None:
        """Log a warning if clients will reject the certificate."""
        if shown is None:
            return
        certificate = self._settings.tls_cert
        try:
            why = why_not_now(*good_between(shown, certificate), system_clock())
        except OperatorError as error:
            why = str(error)
        if why:
            _log.warning("certificate is not good now", certificate=certificate, why=f"it {why}")

    async def _take_turns(self) -> None:
        for number in range(len(self._inbox_workers)):
            self._heart.alive(TURN, number)
        await until_done(partial(self._aside, self._inbox_workers[0].begin), "nothing begins")
        async with asyncio.TaskGroup() as group:
            for number, worker in enumerate(self._inbox_workers):
                writer, in_thread = self._writers[f"turns-{number}"], self._threads.one("mails")
                alive = partial(self._heart.alive, TURN, number)
                turns = take_turns(worker, writer, in_thread, self._woken[TURN], alive)
                group.create_task(turns)

    async def _keep_time(self) -> None:
        alive = partial(self._heart.alive, TICKS)
        alive()
        await until_done(partial(self._aside, self._ticks.begin), "nothing begins")
        writer, woken = self._writers[TICKS], self._woken[TICKS]
        await keep_time(self._ticks, self._looking, writer, woken, alive)

    async def _run_robots(self) -> None:
        alive = partial(self._heart.alive, ROBOTS)
        alive()
        await until_done(partial(self._aside, self._robots.begin), "nothing begins")
        writer, woken = self._writers[ROBOTS], self._woken[ROBOTS]
        await RobotWorker(self._robots, self._workers, writer, self._looking, woken).run(alive)

    async def _send_post(self) -> None:
        alive = partial(self._heart.alive, POST)
        await send_post(self._post, self._looking, self._writers[POST], self._woken[POST], alive)

    async def _watch_pages(self, web: WebServer) -> None:
        while True:
            await web.answers()
            self._heart.alive(WEB)
            await asyncio.sleep(BEAT_EVERY / 2)

    async def _until_stopped(self, tasks: list[asyncio.Task[None]]) -> None:
        stopping = asyncio.create_task(self._stopping.wait())
        await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
        _log.info("stopping", finishing="what is at hand")
        for task in (stopping, *tasks):
            task.cancel()
        done, _ = await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
        for task in done:
            if not task.cancelled() and (error := task.exception()):
                raise error

    def _listener(self, writer: Writer) -> Listener:
        door = Door(self._intake, self._database, self._looking, writer, self._threads.one("door"))
        handler = Handler(
            hostname=own_address(self._settings).domain,
            accept_recipient=door.accept_recipient,
            keep=door.keep,
            is_known=door.is_known,
            report_fault=log_fault,
            report_session=SessionLog(),
            tls=self._tls,
        )
        return Listener(handler, self._settings.trusted_networks)

    def _close(self) -> None:
        self._workers.close()
        self._threads.close()
        self._post.holds.close()
        self._crash_marker.close()
        self._ticks.crash_marker.close()
        self._database.close()
        if self._alone:
            self._alone.close()

    def _say_ready(self) -> None:
        settings, roles = self._settings, self._roles
        told = {"address": settings.address, "roles": ",".join(sorted(roles))}
        if LISTEN in roles:
            told["listening"] = settings.listen
        if WEB in roles:
            told["pages"] = settings.web_listen
        if POST in roles:
            maildirs = f"Maildirs under {settings.maildir}"
            told["mail_goes_to"] = "a smarthost" if settings.smarthost else maildirs
        _log.info("ready", **told)
