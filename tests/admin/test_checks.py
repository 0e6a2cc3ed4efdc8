"""`check` finds what a server lacks, says what to do, and changes nothing."""

import shutil
import socket
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from pbm import resources
from pbm.config import Settings
from pbm.mail.writing import render
from pbm.play.boards import start_board
from pbm.service.health import stored
from pbm.service.health.results import CheckResult
from pbm.service.operator import checks
from pbm.service.operator.checks import check
from pbm.service.robots.jobs import enlist
from pbm.store.db import Database
from pbm.store.migrate import migrate
from pbm.store.sql import driver
from pbm.store.values.mails import OutboxStatus
from pbm.store.values.queues import TimerKind
from tests.admin.checking import finding, findings
from tests.admin.newer_program import NEWER, become_newer
from tests.e2e.ports import free_port
from tests.e2e.sink import running_sink
from tests.serving import take_next
from tests.setups import abalone
from tests.table import START, Clock, Table


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


@pytest.mark.parametrize("how", ["EXCLUSIVE", "NORMAL"])
def test_a_locked_file(
    settings: Settings, sqlite_url: str, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(checks, "_LOCKED_SECONDS", 0)
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as other:
        other.execute(f"PRAGMA locking_mode={how}")
        other.execute("BEGIN IMMEDIATE")
        found = finding(replace(settings, database_url=sqlite_url), "database")
    assert not found.good
    assert "is locked by another program" in found.text


@pytest.mark.parametrize(
    ("name", "what"),
    [("alembic_version", "database"), ("facts", "keys"), ("outbox", "tables"), ("moves", "tables")],
)
def test_a_locked_table(
    settings: Settings,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    what: str,
) -> None:
    monkeypatch.setattr(driver, "_READER_SECONDS", 0.2)
    at = replace(settings, database_url=postgres_url)
    with closing(Database(postgres_url)) as database, database.engine.begin() as connection:
        connection.execute(text(f"LOCK TABLE {name}"))
        found = findings(at)
    assert not found[what].good
    assert "statement timeout. Has another program locked a table? psql tells" in found[what].text
    assert ("clocks" in found) is (what != "database")
    assert list(found)[-1] == "maildir"  # the others are looked at


def test_backups_that_a_server_from_before_does_not_make(settings: Settings) -> None:
    found = finding(replace(settings, backup_dir="backups"), "backup")
    assert not found.good
    assert found.text.endswith("was started without PBM_BACKUP_DIR. Start it again.")


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
        assert "pbm-admin restore FILE" in found.text


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
            "Stuck incoming mails: 1; failed outgoing mails: 0. See: pbm-admin queue list. "
            "Once it is mended: pbm-admin queue retry --all",
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
