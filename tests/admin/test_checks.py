"""`check` finds what a server lacks, says what to do, and changes nothing."""

import asyncio
import os
import shutil
import socket
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import text
from structlog.testing import capture_logs

from pbm import resources
from pbm.clock import system_clock
from pbm.config import Settings
from pbm.mail.keys import load_keyring
from pbm.mail.writing import render
from pbm.play.boards import start_board
from pbm.service.health import stored
from pbm.service.health.results import CheckResult
from pbm.service.operator import checks
from pbm.service.operator.checks import check
from pbm.service.robots.jobs import enlist
from pbm.service.running import disks
from pbm.service.running.heartbeat import ROLES, Heart
from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import migrate
from pbm.store.repositories import server_state
from pbm.store.repositories.server_state import Heartbeats
from pbm.store.values.mails import OutboxStatus
from pbm.store.values.queues import TimerKind
from tests.admin.newer_program import NEWER, become_newer
from tests.e2e.ports import free_port
from tests.e2e.sink import running_sink
from tests.serving import take_next
from tests.setups import abalone
from tests.table import START, Clock, Table


@pytest.fixture
def settings(database_url: str, folder: Path) -> Settings:  # noqa: ARG001 - it is moved into
    """Settings of a server that has run before, and does not run now."""
    made = Settings(
        database_url=database_url,
        address="pbm@games.example",
        operator="op@games.example",
        listen=f"127.0.0.1:{free_port()}",
    )
    load_keyring(made.key_file)
    return made


def findings(settings: Settings, clock: Clock | None = None) -> dict[str, CheckResult]:
    return {finding.what: finding for finding in check(settings, clock or Clock())}


def finding(settings: Settings, what: str, clock: Clock | None = None) -> CheckResult:
    (found,) = (item for name, item in findings(settings, clock).items() if name.startswith(what))
    return found


@contextmanager
def saying(greeting: bytes) -> Iterator[int]:
    """Somebody who greets on a port, once."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def greet() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(greeting)

        greeting_thread = threading.Thread(target=greet)
        greeting_thread.start()
        yield server.getsockname()[1]
        greeting_thread.join()


def test_what_is_looked_at_in_which_order(settings: Settings) -> None:
    port = settings.doorways[0].port
    assert list(findings(settings)) == [
        "program",
        "address",
        "operator",
        "keys",
        "database",
        "disk",
        "role listen",
        "role turn",
        "role post",
        "role ticks",
        "role robots",
        "clocks",
        "queue",
        "inbox",
        "outbox",
        "robots",
        "backup",
        "boards",
        "mails",
        "size",
        f"port {port} on 127.0.0.1",
        "game abalone",
        "templates",
        "maildir",
    ]
    assert [name for name, found in findings(settings).items() if not found.good] == [
        "role listen",
        "role turn",
        "role post",
        "role ticks",
        "role robots",
        f"port {port} on 127.0.0.1",
    ]


def test_robots_that_are_missing_and_boards_that_wait_for_one(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert finding(settings, "robots").text.startswith("none yet")
    database = Database(settings.database_url)
    now = START
    with database.transaction() as work:
        alice = work.players.add("alice", "alice@example.org", now)
        work.players.add("boulder", "b@example.org", now)
        enlist(work, now)
        pebble = work.players.by_handle("pebble")
        assert pebble is not None
        start_board(work, abalone(), [pebble, alice], now)
    database.close()
    found = finding(settings, "robots")
    assert (found.good, found.warning) == (True, True)
    assert "No robots here: boulder." in found.text
    monkeypatch.setattr(stored, "_LATE_THOUGHT", timedelta(seconds=-1))
    found = finding(settings, "robots")
    assert not found.good
    assert "Board 1 has waited for a robot since" in found.text


def test_what_a_game_lacks(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    assert finding(settings, "game") == CheckResult(True, "game abalone", "nothing is missing")
    monkeypatch.setattr("pbm.rules.abalone.engine.compiled.why_not", lambda: "it is not there")
    lacking = finding(settings, "game")
    assert (lacking.good, lacking.warning) == (True, True)
    assert "plain Python, more slowly: it is not there." in lacking.text
    assert f"{sys.executable} -m pbm.rules.abalone.engine.compiling" in lacking.text


def test_nothing_is_made(folder: Path) -> None:
    bare = Settings(listen=f"127.0.0.1:{free_port()}")
    found = findings(bare)
    assert not found["database"].good
    assert f"There is no database at {folder}/var/pbm.sqlite3 yet" in found["database"].text
    assert "queue" not in found
    assert found["keys"].good
    assert "is made when the server starts" in found["keys"].text
    assert found["maildir"].good
    assert list(folder.iterdir()) == []


class TestAddresses:
    def test_ours(self, settings: Settings) -> None:
        assert finding(settings, "address") == CheckResult(True, "address", "pbm@games.example")
        bad = finding(replace(settings, address="pbm at home"), "address")
        assert not bad.good
        assert bad.text.startswith("PBM_ADDRESS: ")

    def test_the_operators(self, settings: Settings) -> None:
        assert finding(settings, "operator") == CheckResult(True, "operator", "op@games.example")
        unset = finding(replace(settings, operator=""), "operator")
        assert unset.good
        assert unset.warning
        assert "PBM_OPERATOR is not set" in unset.text
        for wrong in ("op", "PBM@games.example"):
            bad = finding(replace(settings, operator=wrong), "operator")
            assert not bad.good
            assert "PBM_OPERATOR" in bad.text


class TestKeys:
    def test_in_a_file_of_the_right_mode(self, settings: Settings) -> None:
        assert finding(settings, "keys").text == "1 in var/secret.key, mode 0600"

    def test_in_a_file_that_others_can_read(self, settings: Settings) -> None:
        settings.key_file.chmod(0o644)
        found = finding(settings, "keys")
        assert not found.good
        assert "chmod 600 var/secret.key" in found.text

    def test_in_a_broken_file(self, settings: Settings) -> None:
        settings.key_file.write_text("junk")
        assert not finding(settings, "keys").good

    def test_in_a_setting(self, settings: Settings) -> None:
        secret = "a-key-of-the-tests-of-all-checks"
        found = finding(replace(settings, secret_key=secret), "keys")
        assert found == CheckResult(True, "keys", "from PBM_SECRET_KEY")
        short = finding(replace(settings, secret_key="short-secret"), "keys")
        assert not short.good
        assert "short-secret" not in short.text


def test_a_locked_file(
    settings: Settings, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checks, "_LOCKED_SECONDS", 0)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as other:
        other.execute("PRAGMA locking_mode=EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        found = finding(replace(settings, database_url=sqlite_url), "database")
    assert not found.good
    assert "is locked by another program" in found.text


def test_a_broken_template(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    templates = tmp_path / "templates"
    shutil.copytree(resources.resource_path("templates"), templates)
    (templates / "board.txt").write_text("{% if %}")
    monkeypatch.setattr(render, "resource_path", lambda _: templates)
    found = finding(settings, "templates")
    assert not found.good
    assert "board.txt, line 1" in found.text


class TestWhoCanReadIt:
    """Others can, where a file's mode and that of every folder down to it let them."""

    @pytest.fixture
    def file(self, folder: Path) -> Path:
        """A database under var, that anybody can read."""
        file = folder / "var" / "pbm.sqlite3"
        database = Database(f"sqlite:///{file}")
        migrate(database)
        database.close()
        for place, mode in ((folder, 0o755), (file.parent, 0o755), (file, 0o644)):
            place.chmod(mode)
        return file

    def test_others(self, file: Path) -> None:
        (found,) = (item for item in check(Settings(), Clock()) if item.what == "database")
        assert found.good
        assert found.warning
        assert "other users of this machine can read it" in found.text
        assert found.text.endswith("Run: chmod go= var/pbm.sqlite3*")
        assert file.exists()

    @pytest.mark.parametrize(
        ("closed", "mode"),
        [(".", 0o700), ("var", 0o700), ("var/pbm.sqlite3", 0o600), ("var/pbm.sqlite3", 0o620)],
    )
    def test_nobody_else(self, file: Path, folder: Path, closed: str, mode: int) -> None:
        (folder / closed).chmod(mode)
        (found,) = (item for item in check(Settings(), Clock()) if item.what == "database")
        assert (found.good, found.warning) == (True, False)
        assert file.exists()

    def test_the_group(self, file: Path, folder: Path) -> None:
        (folder / "var").chmod(0o710)
        file.chmod(0o640)
        (found,) = (item for item in check(Settings(), Clock()) if item.what == "database")
        assert found.warning


@pytest.mark.on_postgresql
class TestDatabase:
    def test_up_to_date(self, settings: Settings) -> None:
        assert finding(settings, "database").good
        assert "of the tables" in finding(settings, "database").text

    def test_empty(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "empty.sqlite3").touch()
        empty = replace(settings, database_url="sqlite:///empty.sqlite3")
        found = finding(empty, "database")
        assert not found.good
        assert "has no tables yet. " in found.text
        assert found.text.endswith("Run: pbm-admin migrate")

    def test_behind(
        self, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = become_newer(tmp_path, monkeypatch)
        found = finding(settings, "database")
        assert not found.good
        assert f"it has version {before} of the tables, and {NEWER} is needed" in found.text
        assert found.text.endswith("Run: pbm-admin migrate")

    def test_ahead(self, settings: Settings) -> None:
        _set_version(settings, "9999")
        found = finding(settings, "database")
        assert not found.good
        assert "newer pbm" in found.text

    def test_out_of_reach_and_no_password_shown(self, settings: Settings) -> None:
        url = f"postgresql://pbm:sesame@127.0.0.1:{free_port()}/pbm"
        found = finding(replace(settings, database_url=url), "database")
        assert not found.good
        assert "pbm:***@127.0.0.1" in found.text
        assert "sesame" not in found.text

    def test_no_database_at_all(self, settings: Settings) -> None:
        found = finding(replace(settings, database_url="mysql://root:sesame@x/y"), "database")
        assert not found.good
        assert "PBM_DATABASE_URL must look like" in found.text
        assert "sesame" not in found.text

    def test_a_file_that_is_no_database(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "junk").write_text("junk " * 1000)
        found = finding(replace(settings, database_url="sqlite:///junk"), "database")
        assert not found.good


class TestQueue:
    def test_stuck_mail(self, settings: Settings) -> None:
        with _table(settings) as table:
            _sends(table)
            assert finding(settings, "queue").text == "nothing stuck or failed"
            with table.database.transaction() as work:
                work.inbox.set_stuck(1)
        found = finding(settings, "queue")
        assert found == CheckResult(
            False,
            "queue",
            "Stuck incoming mails: 1; failed outgoing mails: 0. See: pbm-admin queue list",
        )

    def test_stuck_timer(self, settings: Settings) -> None:
        with _table(settings) as table, table.database.transaction() as work:
            work.timers.set(TimerKind.DAILY_ERASURE, "", START, START)
            work.timers.set_stuck(*work.timers.claim(START, 1))
        found = finding(settings, "queue")
        assert not found.good
        assert found.text.startswith("Timers that are stuck: 1. The log has why")

    def test_failed_mail(self, settings: Settings) -> None:
        with _table(settings) as table:
            _is_answered(table)
            with table.database.transaction() as work:
                work.outbox.fail(1, "550 no", START)
        assert finding(settings, "queue").text.startswith(
            "Stuck incoming mails: 0; failed outgoing mails: 1."
        )

    def test_mail_that_is_not_sent(self, settings: Settings) -> None:
        clock = Clock()
        with _table(settings) as table:
            _is_answered(table)
        clock.passes(minutes=59)
        assert finding(settings, "outbox", clock).text == "1 waiting"
        clock.passes(minutes=2)
        found = finding(settings, "outbox", clock)
        assert not found.good
        assert "was due at 2026-11-21 12:00 UTC and is not sent" in found.text

    def test_failed_mail_to_a_dead_mailbox(self, settings: Settings) -> None:
        with _table(settings) as table:
            table.joins("alice")
            with table.database.transaction() as work:
                player = work.players.by_handle("alice")
                assert player is not None
                work.outbox.change(1, player_id=player.id)
                work.outbox.fail(1, "550 5.1.1 no such user", START)
        assert not finding(settings, "queue").good
        with _table(settings) as table, table.database.transaction() as work:
            work.players.change(player.id, unreachable_since=START)
        found = finding(settings, "queue")
        assert found.good
        assert found.text == ("nothing stuck; 1 failed, all to players who cannot be reached")

    def test_nothing_leaves(self, settings: Settings) -> None:
        clock = Clock()
        with _table(settings) as table:
            _is_answered(table)
            with table.database.transaction() as work:
                work.outbox.defer(1, "451 4.3.0 try later", START + timedelta(hours=3))
        clock.passes(minutes=60)
        assert finding(settings, "outbox", clock).text == "1 waiting, 1 of them tried in vain"
        clock.passes(minutes=1)
        found = finding(settings, "outbox", clock)
        assert not found.good
        assert found.text.startswith("No mail has left yet, and 1 wait. The next server says: 451")
        with _table(settings) as table:
            _sends(table)
            _is_answered(table)
            with table.database.transaction() as work:
                newest = work.outbox.waiting()[-1]
                work.outbox.finish([newest.id], OutboxStatus.SENT, clock())
        assert finding(settings, "outbox", clock).good

    def test_mail_that_waits_for_its_turn(self, settings: Settings) -> None:
        clock = Clock()
        assert finding(settings, "inbox", clock).text == "no mail waits for its turn"
        with _table(settings) as table:
            _sends(table)
        clock.passes(minutes=5)
        assert finding(settings, "inbox", clock).text == "1 waiting, mail i1 since 12:00:00 UTC"
        clock.passes(seconds=1)
        found = finding(settings, "inbox", clock)
        assert not found.good
        assert found.text.startswith("Mail i1 has waited for its turn since 2026-11-21 12:00 UTC.")


class TestRoles:
    """A process beats for its roles; what is told of them later."""

    def test_while_it_lives_and_after_its_end(self, settings: Settings) -> None:
        assert (
            finding(settings, "role turn").text == "No process runs it. Start one with: pbm serve"
        )
        clock = Clock()
        heart = Heart(clock, ROLES)
        _beats(settings, heart)
        clock.passes(seconds=60)
        me = f"process {os.getpid()} on {socket.gethostname()}"
        alone = "" if settings.database_url.startswith("sqlite") else " --roles=turn"
        for role in ROLES:
            assert finding(settings, f"role {role}", clock).text == f"run by {me}"
        clock.passes(seconds=1)
        found = finding(settings, "role turn", clock)
        assert not found.good
        assert found.text == (
            f"No process runs it. The {me} was last heard of at 2026-11-21 12:00:00 UTC: "
            f"it died, was killed, or hangs. Start it again: pbm serve{alone}"
        )
        _beats(settings, heart, Heart.end)
        assert "was last heard of" not in finding(settings, "role turn", clock).text

    def test_that_it_lives_all_the_same_is_seen_on_its_machine(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As where a disk is full, so that it can write nothing down."""
        began = system_clock()
        _beats(settings, Heart(lambda: began, ROLES))
        for host, told in (
            (socket.gethostname(), "lives, but was last heard of"),
            ("elsewhere", "it died, was killed, or hangs. Start it again"),
        ):
            monkeypatch.setattr(socket, "gethostname", lambda host=host: host)
            found = finding(settings, "role turn", lambda: began + timedelta(seconds=61))
            assert not found.good
            assert told in found.text
            assert ("Start it again" in found.text) == (host == "elsewhere")

    def test_one_loop_of_a_role_that_stands_still(self, settings: Settings) -> None:
        clock = Clock()
        heart = Heart(clock, ROLES)
        for loop in range(3):
            heart.alive("turn", loop)
        clock.passes(seconds=61)
        for loop in range(2):
            heart.alive("turn", loop)
        _beats(settings, heart)
        found = finding(settings, "role turn", clock)
        assert "has stood still in this role since 2026-11-21 12:00:00" in found.text

    def test_a_role_that_stands_still(self, settings: Settings) -> None:
        clock = Clock()
        heart = Heart(clock, (*ROLES, "tick"))
        heart.alive("turn")
        clock.passes(seconds=61)
        _beats(settings, heart)
        found = findings(settings, clock)
        assert not found["role turn"].good
        assert "has stood still in this role since 2026-11-21 12:00:00" in found["role turn"].text
        assert found["role listen"].good
        assert found["role tick"].good

    def test_one_of_several_that_died_is_told_for_a_day(self, settings: Settings) -> None:
        clock = Clock()
        _beats(settings, Heart(clock, ["turn"]))
        other = Heart(clock, ["turn"])
        for hours, told in ((1, True), (22, True), (1, False)):
            clock.passes(hours=hours)
            _beats(settings, other)
            found = finding(settings, "role turn", clock)
            assert (found.good, found.warning) == (True, told)
            assert ("died, was killed, or hangs" in found.text) is told

    def test_one_of_another_version(self, settings: Settings) -> None:
        heart = Heart(system_clock, ["turn"])
        heart._versions = "0.2.9", "0007"
        _beats(settings, heart)
        found = finding(settings, "role turn", system_clock)
        assert not found.good
        assert ", with pbm 0.2.9, which is for other tables than these." in found.text

    def test_dead_ones_are_few(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server_state, "MOST_ROWS", 8)
        clock = Clock()
        for _ in range(20):
            clock.passes(minutes=2)
            _beats(settings, Heart(clock, ["turn"]))
        text = finding(settings, "role turn", clock).text
        assert text.count("died, was killed, or hangs.") == 5
        assert "So did 2 more." in text


class TestDisk:
    @pytest.mark.parametrize(
        ("free", "files", "how"),
        [
            (1 << 30, 10_000, (True, False)),
            (1 << 30, 10, (False, False)),  # a disk may run out of files first
            (100 << 20, 10_000, (True, True)),
            (1 << 20, 10_000, (False, False)),
        ],
    )
    def test_how_much_is_left(
        self,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
        free: int,
        files: int,
        how: tuple[bool, bool],
    ) -> None:
        said = SimpleNamespace(f_bavail=free >> 12, f_frsize=1 << 12, f_files=1, f_favail=files)
        monkeypatch.setattr(os, "statvfs", lambda _: said)
        found = finding(settings, "disk")
        assert (found.good, found.warning) == how
        assert f"{free >> 20:,}.0 MB are free at " in found.text
        assert ("make room" in found.text.lower()) == (how != (True, False))

    def test_the_log_tells_once_of_each_change(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        states = [False, True, OSError("stale file handle"), True, False]

        def look(_: Settings) -> list[disks.Disk]:
            if not states:
                raise RuntimeError  # the end
            state = states.pop(0)
            if isinstance(state, OSError):
                raise state
            return [disks.Disk(Path("var"), 1 << 20, is_short=False, is_little=bool(state))]

        monkeypatch.setattr(disks, "disks", look)
        monkeypatch.setattr(disks, "LOOK_EVERY", 0.0)
        with capture_logs() as logged, pytest.raises(RuntimeError):
            asyncio.run(disks.watch_disks(settings))
        told = ["little room", "disks cannot be looked at", "room again"]
        assert [line["event"] for line in logged] == told


class TestClocks:
    """Each process notes how far its clock is ahead of the database's."""

    def finding_of(
        self,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
        ahead: float | None,
        others: Sequence[tuple[str, float | None]],
    ) -> CheckResult:
        """What is found where this clock, and those of other machines, are off so far."""

        def off(seconds: float | None) -> Clock:
            clock = Clock()
            clock.passes(seconds=seconds or 0)
            monkeypatch.setattr(Heartbeats, "clock_ahead", lambda *_: seconds)
            return clock

        for host, seconds in others:
            with monkeypatch.context() as there:
                there.setattr(socket, "gethostname", lambda host=host: host)
                heart = Heart(off(seconds), ["turn"])
            _beats(settings, heart)
        return finding(settings, "clocks", off(ahead))

    def test_whose_is_off(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        me = socket.gethostname()
        for ahead, others, told in (
            (0, [("a", 3)], None),
            (0, [("a", 3), ("b", -200)], " on b is 0:03:20 behind it. Set it right"),
            (301, [("a", 1)], f"that of this machine, {me} is 0:05:01 ahead of it. "),
            (301, [("a", 300)], "The clock of the database's machine is 0:05:01 behind those of"),
        ):
            found = self.finding_of(settings, monkeypatch, ahead, others)
            assert found.good == (told is None)
            assert (told or "within 30 seconds") in found.text
            assert finding(settings, "role turn", Clock()).good or told  # however clocks differ
            database = Database(settings.database_url)
            with database.transaction() as work:
                work.heartbeats.forget_all()
            database.close()

    def test_what_is_written_in_the_future(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where the database has no clock of its own."""
        assert self.finding_of(settings, monkeypatch, None, [("a", None)]).good
        clock = Clock()
        clock.passes(minutes=5)
        _beats(settings, Heart(clock, ["turn"]))
        found = finding(settings, "clocks")
        assert not found.good
        assert "has written at 2026-11-21 12:05 UTC, which has not come yet" in found.text


class TestPorts:
    def test_nobody_answers(self, settings: Settings) -> None:
        found = finding(settings, "port")
        assert found.text.startswith("No mail server answers. Start it with: pbm serve. ")
        assert "PBM_LISTEN" in found.text

    def test_we_answer(self, settings: Settings) -> None:
        with saying(b"220 games.example ESMTP\r\n") as port:
            found = finding(replace(settings, listen=f"127.0.0.1:{port}"), "port")
        assert (found.good, found.text) == (True, "answers: 220 games.example ESMTP")

    @pytest.mark.parametrize(
        "greeting",
        [b"220 other.example ESMTP\r\n", b"SSH-2.0-x\r\n", b"421 games.example busy\r\n"],
    )
    def test_somebody_else_answers(self, settings: Settings, greeting: bytes) -> None:
        with saying(greeting) as port:
            found = finding(replace(settings, listen=f"127.0.0.1:{port}"), "port")
        assert not found.good
        assert found.text.startswith("Somebody else answers: ")

    def test_each_port_is_looked_at(self, settings: Settings) -> None:
        with saying(b"220 games.example ESMTP\r\n") as port:
            both = f"127.0.0.1:{port}, localhost:{free_port()}"
            found = findings(replace(settings, listen=both))
        ports = [item.good for name, item in found.items() if name.startswith("port ")]
        assert ports == [True, False]

    def test_lmtp_and_a_local_socket(self, settings: Settings, tmp_path: Path) -> None:
        with saying(b"220 games.example LMTP\r\n") as port:
            listen = f"lmtp://127.0.0.1:{port}, lmtp://{tmp_path}/lmtp"
            found = findings(replace(settings, listen=listen))
        assert found[f"port {port} on 127.0.0.1"].text == "answers: 220 games.example LMTP"
        assert not found[f"socket {tmp_path}/lmtp"].good


class TestWayOut:
    def test_a_smarthost(self, settings: Settings) -> None:
        with running_sink() as sink:
            found = findings(replace(settings, smarthost=sink.url))
        assert "maildir" not in found
        assert found["smarthost"] == CheckResult(
            True, "smarthost", f"127.0.0.1 port {sink.port} takes mail, not encrypted"
        )

    def test_no_smarthost_there(self, settings: Settings) -> None:
        url = f"smtp://user:sesame@127.0.0.1:{free_port()}"
        found = finding(replace(settings, smarthost=url), "smarthost")
        assert not found.good
        assert found.text.endswith("). Look at 127.0.0.1 itself. Check PBM_SMARTHOST.")
        assert "sesame" not in found.text

    @pytest.mark.parametrize("scheme", ["smtp", "smtps"])
    def test_a_login_that_is_not_offered(self, settings: Settings, scheme: str) -> None:
        with running_sink() as sink:
            url = f"{scheme}://user:sesame@127.0.0.1:{sink.port}"
            found = finding(replace(settings, smarthost=url), "smarthost")
        assert not found.good
        assert "sesame" not in found.text

    def test_an_url_that_is_none(self, settings: Settings) -> None:
        found = finding(replace(settings, smarthost="mail.example:25"), "smarthost")
        assert not found.good
        assert found.text.startswith("PBM_SMARTHOST must start with")

    def test_a_maildir_that_is_a_file(self, settings: Settings, tmp_path: Path) -> None:
        (tmp_path / "mail").touch()
        found = finding(replace(settings, maildir="mail"), "maildir")
        assert not found.good
        assert found.text == "PBM_MAILDIR: mail is no folder."


def _beats(
    settings: Settings, heart: Heart, how: Callable[[Heart, UnitOfWork], None] = Heart.beat
) -> None:
    database = Database(settings.database_url)
    with database.transaction() as work:
        how(heart, work)
    database.close()


@contextmanager
def _table(settings: Settings) -> Iterator[Table]:
    table = Table(settings.database_url)
    try:
        yield table
    finally:
        table.database.close()


def _sends(table: Table) -> None:
    raw = b"From: x@example.org\r\n\r\nhi\r\n"
    table.hand_in("x@example.org", "pbm@games.example", raw)


def _is_answered(table: Table) -> None:
    _sends(table)
    while take_next(table.turns):
        pass


def _set_version(settings: Settings, version: str) -> None:
    database = Database(settings.database_url)
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :v"), {"v": version})
    database.close()
