"""A backup brings everything back, keys included, or says why it cannot."""

import gzip
import hashlib
import io
import json
import os
import socket
import sqlite3
import stat
import sys
import tarfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.keys import load_keyring
from pbm.mail.reading.auth_results import Front
from pbm.play.actions import play_move
from pbm.rules import abalone as rules
from pbm.service.intake.door import check_recipient
from pbm.service.intake.upstream_mta import known_front, note_front
from pbm.service.operator import copies
from pbm.service.operator.backup import _ALWAYS_ALLOWED, backup, restore
from pbm.service.operator.holding import release
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.verify import verify
from pbm.service.running.heartbeat import Heart
from pbm.store.db import Database
from pbm.store.id_sequences import last_skipped
from pbm.store.migrate import current_version, migrate, newest_version
from pbm.store.schema import metadata
from pbm.store.sql.driver import parse_url
from tests.admin.conftest import Room
from tests.admin.newer_program import NEWER, become_newer
from tests.e2e.ports import free_port
from tests.rows import each_row
from tests.table import START

SECRET = "a-key-of-the-tests-of-the-backup"
TOOL = """\
#!{python}
import os, sys
with open("{seen}", "w") as seen:
    seen.write(repr(sys.argv) + "|" + os.environ["PGPASSWORD"])
sys.exit("pg_dump: error: no")
"""


@pytest.fixture
def settings(room: Room, folder: Path) -> Settings:  # noqa: ARG001 - it is moved into
    """Settings of the room's server, which has its keys in a file."""
    url = room.table.database.engine.url.render_as_string(hide_password=False)
    made = Settings(database_url=url, listen=f"127.0.0.1:{free_port()}")
    load_keyring(made.key_file)
    return made


@pytest.fixture
def elsewhere(
    request: pytest.FixtureRequest, settings: Settings, tmp_path: Path
) -> Iterator[Settings]:
    """Settings for another, empty database of the same kind."""
    if settings.database_url.startswith("sqlite"):
        yield replace(settings, database_url=f"sqlite:///{tmp_path}/other/pbm.sqlite3")
        return
    server = request.getfixturevalue("postgres_server")
    with server.new_database() as url:
        yield replace(settings, database_url=url)


@pytest.fixture
def archived(settings: Settings) -> Path:
    """A backup of that server."""
    backup(settings, Path("b.tar.gz"))
    return Path("b.tar.gz")


def everything(url: str) -> dict[str, list[tuple[object, ...]]]:
    """All rows of all tables, but for what a restore notes of itself."""
    database = Database(url)
    try:
        with database.engine.connect() as connection:
            stored = {
                name: sorted(map(tuple, connection.execute(text(f"SELECT * FROM {name}"))), key=str)
                for name in [*metadata.tables, "alembic_version"]
            }
            for name in ("facts", "changes"):
                stored[name] = [
                    row for row in stored[name] if not ("held" in row or "restore" in row)
                ]
            return stored
    finally:
        database.close()


def moved_away(folder: Path, settings: Settings) -> bytes:
    """Take the key file away, as on another machine; return what was in it."""
    content = settings.key_file.read_bytes()
    settings.key_file.rename(folder / "gone")
    return content


class TestBackup:
    @pytest.mark.on_postgresql
    def test_everything_comes_back(
        self, room: Room, settings: Settings, elsewhere: Settings, folder: Path
    ) -> None:
        before = everything(settings.database_url)
        backup(settings, Path("b.tar.gz"))
        keys = moved_away(folder, settings)
        room.bob.says("resign")
        restored = restore(elsewhere, Path("b.tar.gz"))
        assert everything(elsewhere.database_url) == before
        assert restored.counts == {"players": 2, "boards": 1, "moves": 1}
        assert restored.old_keys is None
        assert settings.key_file.read_bytes() == keys
        assert stat.S_IMODE(settings.key_file.stat().st_mode) == 0o600

    def test_only_its_owner_can_read_it(self, settings: Settings, folder: Path) -> None:
        old = os.umask(0)
        try:
            backup(settings, Path("b.tar.gz"))
        finally:
            os.umask(old)
        assert stat.S_IMODE((folder / "b.tar.gz").stat().st_mode) == 0o600
        with tarfile.open("b.tar.gz") as archive:
            assert {member.mode for member in archive.getmembers()} == {0o600}

    def test_nothing_is_left_beside_it(self, settings: Settings, folder: Path) -> None:
        before = {entry.name for entry in folder.iterdir()}
        backup(settings, Path("b.tar.gz"))
        assert {entry.name for entry in folder.iterdir()} - before == {"b.tar.gz"}

    def test_the_manifest_says_what_it_is(self, settings: Settings) -> None:
        manifest = backup(settings, Path("b.tar.gz"))
        assert manifest.kind == settings.database_url.partition(":")[0].partition("+")[0]
        assert manifest.schema == newest_version()
        assert manifest.keys == "file"
        assert set(manifest.files) == {"database", "secret.key"}

    def test_the_server_goes_on_meanwhile(
        self, room: Room, settings: Settings, elsewhere: Settings
    ) -> None:
        """Moves are played all the time, hundreds a second; each copy is a whole one of some
        moment."""
        stop, played = threading.Event(), threading.Event()

        def play() -> None:
            while not stop.wait(0.002):
                with room.table.database.transaction() as work:
                    board = work.boards.find(1, lock=True)
                    assert board is not None
                    play_move(work, board, _quiet_move(board.position), room.table.clock())
                played.set()

        playing = threading.Thread(target=play)
        playing.start()
        played.wait()
        try:
            before = len(room.table.plies(1))
            for number in range(3):
                backup(settings, Path(f"{number}.tar.gz"))
            assert len(room.table.plies(1)) > before + 3
        finally:
            stop.set()
            playing.join()
        for number in range(3):
            restore(elsewhere, Path(f"{number}.tar.gz"), force=True)
            _check_sound(room, elsewhere)
        room.is_sound()

    def test_no_file_is_overwritten(self, settings: Settings, folder: Path) -> None:
        (folder / "b.tar.gz").write_text("mine")
        with pytest.raises(OperatorError, match=r"b\.tar\.gz is there already"):
            backup(settings, Path("b.tar.gz"))
        assert (folder / "b.tar.gz").read_text() == "mine"

    def test_a_folder_that_is_not_there(self, settings: Settings) -> None:
        with pytest.raises(OperatorError, match="cannot be written: No such file or directory"):
            backup(settings, Path("nowhere/b.tar.gz"))

    def test_keys_that_others_can_read(self, settings: Settings, folder: Path) -> None:
        settings.key_file.chmod(0o644)
        with pytest.raises(OperatorError, match="chmod 600"):
            backup(settings, Path("b.tar.gz"))
        assert not (folder / "b.tar.gz").exists()

    @pytest.mark.on_postgresql
    def test_a_database_that_waits_for_a_migration(
        self,
        settings: Settings,
        elsewhere: Settings,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """One backs up before migrating; the restore migrates."""
        before = become_newer(tmp_path, monkeypatch)
        assert backup(settings, Path("b.tar.gz")).schema == before
        restore(elsewhere, Path("b.tar.gz"))
        restored = Database(elsewhere.database_url)
        assert current_version(restored) == NEWER
        restored.close()

    @pytest.mark.on_postgresql
    def test_back_to_an_older_pbm_and_up_again(
        self, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        backup(settings, Path("b.tar.gz"))
        with closing(Database(settings.database_url)) as database:
            with monkeypatch.context() as newer:
                become_newer(tmp_path / "up", newer)
                migrate(database)
            restore(settings, Path("b.tar.gz"), force=True)
            become_newer(tmp_path / "again", monkeypatch)
            # As an earlier pbm left it, whose restore dropped only the tables that it knew
            with database.engine.begin() as connection:
                connection.execute(text("CREATE TABLE added_later (id INTEGER)"))
            with pytest.raises(OperatorError, match="DROP TABLE added_later CASCADE;"):
                migrate(database)
            with database.engine.begin() as connection:
                connection.execute(text("DROP TABLE added_later"))
            migrate(database)
            assert current_version(database) == NEWER

    def test_nothing_to_back_up(
        self, settings: Settings, folder: Path, elsewhere: Settings
    ) -> None:
        with pytest.raises(OperatorError):
            backup(elsewhere, Path("b.tar.gz"))
        assert settings.database_url != elsewhere.database_url
        assert not (folder / "other").exists()
        assert not (folder / "b.tar.gz").exists()


class TestRestore:
    def test_not_over_data(self, settings: Settings, room: Room) -> None:
        backup(settings, Path("b.tar.gz"))
        room.bob.says("resign")
        before = everything(settings.database_url)
        with pytest.raises(OperatorError, match=r"holds data already.*--force"):
            restore(settings, Path("b.tar.gz"))
        assert everything(settings.database_url) == before

    def test_over_data_when_forced(self, settings: Settings, room: Room) -> None:
        before = everything(settings.database_url)
        backup(settings, Path("b.tar.gz"))
        room.bob.says("resign")
        restore(settings, Path("b.tar.gz"), force=True)
        assert everything(settings.database_url) == before
        room.is_sound()

    def test_the_game_goes_on(self, settings: Settings, room: Room) -> None:
        """The mails from before are answered after it."""
        backup(settings, Path("b.tar.gz"))
        room.bob.says("resign")
        restore(settings, Path("b.tar.gz"), force=True)
        release(room.office, sends_waiting=False)
        room.bob.says("i5-g5,h5", answering=room.bob.mail("Abalone Board 1"))
        assert room.board().ply == 2
        assert room.is_sound()

    def test_numbers_given_out_since_the_backup_do_not_come_again(
        self, settings: Settings, room: Room
    ) -> None:
        """carol's old mail does not play on the board of those who come after the restore."""
        backup(settings, Path("b.tar.gz"))
        carol = room.table.joins("carol")
        carol.says("challenge alice")
        old = carol.mail("Abalone Board 2").reply_to
        restored = restore(settings, Path("b.tar.gz"), force=True)
        mails = {"inbox": 2001, "outbox": 2001}
        assert restored.next_numbers == {"boards": 2001, "players": 2001, **mails}
        release(room.office, sends_waiting=False)
        room.everybody_forgets(carol)
        dave = room.table.joins("dave")
        dave.says("challenge alice")
        assert dave.mail("Abalone Board 2001")
        assert room.player("dave").id == 2001
        with room.table.database.reading() as work:
            rejection = check_recipient(work, room.table.site, room.table.clock(), old)
        assert rejection is not None
        assert "is not valid any more" in rejection.text

    @pytest.mark.on_postgresql
    def test_what_the_replaced_database_gave_out_counts(
        self, settings: Settings, room: Room
    ) -> None:
        backup(settings, Path("b.tar.gz"))
        _give_out(room, settings, 31_700)
        restored = restore(settings, Path("b.tar.gz"), force=True)
        assert restored.next_numbers["boards"] == 35_001
        assert restored.next_numbers["players"] == 2001
        restored = restore(settings, Path("b.tar.gz"), force=True)
        assert restored.next_numbers["boards"] == 39_001
        assert restored.next_numbers["players"] == 3001

    def test_into_tables_without_rows(self, settings: Settings, elsewhere: Settings) -> None:
        heart = Heart(lambda: START, ["turn"])  # a process that was killed is no data
        database = Database(elsewhere.database_url)
        migrate(database)
        for each in (database, Database(settings.database_url)):
            with each.transaction() as work:
                heart.beat(work)
            each.close()
        backup(settings, Path("b.tar.gz"))
        restore(elsewhere, Path("b.tar.gz"))
        restored, stored = everything(elsewhere.database_url), everything(settings.database_url)
        assert len(stored.pop("heartbeats")) == 1
        assert restored.pop("heartbeats") == []
        assert stored.pop("facts")[0][0] == "backup"  # noted once the file is there
        assert restored.pop("facts") == []
        assert restored == stored

    def test_not_while_a_server_runs(self, settings: Settings, room: Room) -> None:
        backup(settings, Path("b.tar.gz"))
        with socket.create_server(("127.0.0.1", 0)) as server:
            greeting = threading.Thread(target=_greet, args=(server,))
            greeting.start()
            port = server.getsockname()[1]
            running = replace(settings, listen=f"127.0.0.1:{port}")
            with pytest.raises(OperatorError, match=f"running on 127.0.0.1 port {port}. Stop it"):
                restore(running, Path("b.tar.gz"), force=True)
            greeting.join()
        room.is_sound()

    @pytest.mark.on_postgresql
    def test_not_while_any_process_uses_the_database(self, settings: Settings, room: Room) -> None:
        """One that only takes turns answers at no port; on SQLite there is none."""
        backup(settings, Path("b.tar.gz"))
        clock = room.table.clock
        with room.table.database.transaction() as work:
            Heart(clock, ["turn"]).beat(work)
        clock.passes(seconds=60)
        if work.is_shared:
            mine = f"The database .* is used by process {os.getpid()} on .*Stop all processes"
            with pytest.raises(OperatorError, match=mine):
                restore(settings, Path("b.tar.gz"), force=True, clock=clock)
            clock.passes(seconds=1)
        restore(settings, Path("b.tar.gz"), force=True, clock=clock)

    def test_a_damaged_archive_touches_nothing(self, settings: Settings, room: Room) -> None:
        backup(settings, Path("b.tar.gz"))
        room.bob.says("resign")
        before, keys = everything(settings.database_url), settings.key_file.read_bytes()
        for part in ("database", "secret.key"):
            _rewrite(Path("b.tar.gz"), Path("bad.tar.gz"), part, lambda content: content + b"x")
            with pytest.raises(OperatorError, match=f"bad.tar.gz is damaged: {part}"):
                restore(settings, Path("bad.tar.gz"), force=True)
            assert everything(settings.database_url) == before
            assert settings.key_file.read_bytes() == keys

    @each_row(
        ("name", "value", "words"),
        [
            ("format", 99, "another version of pbm"),
            ("schema", "9999", "newer than this one"),
            ("kind", "oracle", "was made of oracle, but PBM_DATABASE_URL is"),
            ("files", {}, "its manifest cannot be read"),
            ("files", {"../x": "0", "database": "0"}, "its manifest cannot be read"),
            ("files", None, "its manifest cannot be read"),
            ("keys", None, "its manifest cannot be read"),
            ("made", 7, "its manifest cannot be read"),
        ],
    )
    def test_a_manifest_that_does_not_fit(
        self, settings: Settings, archived: Path, room: Room, name: str, value: object, words: str
    ) -> None:
        before = everything(settings.database_url)

        def changed(content: bytes) -> bytes:
            return json.dumps({**json.loads(content), name: value}).encode()

        _rewrite(archived, Path("bad.tar.gz"), "manifest.json", changed)
        with pytest.raises(OperatorError, match=words):
            restore(settings, Path("bad.tar.gz"), force=True)
        assert everything(settings.database_url) == before
        room.is_sound()

    @each_row("content", [b"", b"junk", b"\x1f\x8b junk"])
    def test_what_is_no_archive(self, settings: Settings, content: bytes) -> None:
        Path("bad.tar.gz").write_bytes(content)
        with pytest.raises(OperatorError, match=r"bad\.tar\.gz cannot be read as a backup"):
            restore(settings, Path("bad.tar.gz"), force=True)

    @each_row(
        ("manifest", "words"),
        [
            (b"[" * 90_000, "its manifest cannot be read"),
            (b'{"format": 1, "files": ' + b'{"a":' * 15_000, "its manifest cannot be read"),
            (b"[1]", "its manifest cannot be read"),
            (b"\xff\xfe", "its manifest cannot be read"),
            (b" " * 200_000, "manifest.json unpacks to 1 MB, and 1 MB are allowed"),
        ],
        ids=["deep", "deep too", "a list", "no text", "long"],
    )
    def test_a_manifest_that_is_none(
        self, settings: Settings, archived: Path, manifest: bytes, words: str
    ) -> None:
        _rewrite(archived, Path("bad.tar.gz"), "manifest.json", lambda _: manifest)
        with pytest.raises(OperatorError, match=words):
            restore(settings, Path("bad.tar.gz"), force=True)

    @each_row("other", [b"junk", b"", b"SQLite format 3\0" + bytes(4096), None])
    def test_another_database_takes_no_place(
        self, room: Room, settings: Settings, archived: Path, other: bytes | None
    ) -> None:
        """Junk, nothing, half a head, and a sound database that is none of ours."""
        if other is None:
            with closing(sqlite3.connect("another")) as made:
                made.execute("CREATE TABLE players (id INTEGER)")
            other = Path("another").read_bytes()
        content = other
        _rewrite(archived, Path("bad.tar.gz"), "database", lambda _: content, sound=True)
        before = everything(settings.database_url)
        with pytest.raises(
            OperatorError, match=r"cannot be read|is no backup of pbm|pg_restore failed"
        ):
            restore(settings, Path("bad.tar.gz"), force=True)
        assert everything(settings.database_url) == before
        room.is_sound()

    def test_no_more_is_unpacked_than_is_allowed(self, settings: Settings) -> None:
        """A small file may unpack to any size: the declared one counts, and holds."""
        backup(settings, Path("b.tar.gz"))
        large = _ALWAYS_ALLOWED + 1
        with tarfile.open("b.tar.gz") as old, tarfile.open("bad.tar.gz", "w:gz") as new:
            head = old.getmember("manifest.json")
            new.addfile(head, old.extractfile(head))
            member = tarfile.TarInfo("database")
            member.size = large
            new.addfile(member, _Zeros())
        with pytest.raises(OperatorError, match=r"unpacks to 257 MB, and 256 MB .* say --most"):
            restore(settings, Path("bad.tar.gz"), force=True)
        size = os.path.getsize("b.tar.gz")
        with pytest.raises(OperatorError, match=r"database unpacks to .* say --most"):
            restore(settings, Path("b.tar.gz"), force=True, most=size // 100)

    def test_zeros_are_not_unpacked_in_search_of_a_head(self, settings: Settings) -> None:
        with gzip.open("bad.tar.gz", "wb") as packed:
            head = tarfile.TarInfo("pax")
            head.type, head.size = tarfile.XHDTYPE, 1 << 24
            packed.write(head.tobuf() + bytes(1 << 24))
        with pytest.raises(OperatorError, match="larger than it says"):
            restore(settings, Path("bad.tar.gz"), force=True)

    @each_row("kind", ["folder", "pipe", "device"])
    def test_what_is_no_file(self, settings: Settings, folder: Path, kind: str) -> None:
        path = Path("/dev/zero") if kind == "device" else folder / kind
        if kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        with pytest.raises(OperatorError, match="is no file"):
            restore(settings, path, force=True)

    def test_half_an_archive(self, settings: Settings) -> None:
        backup(settings, Path("b.tar.gz"))
        whole = Path("b.tar.gz").read_bytes()
        Path("bad.tar.gz").write_bytes(whole[: len(whole) // 2])
        with pytest.raises(OperatorError, match=r"bad\.tar\.gz cannot be read as a backup"):
            restore(settings, Path("bad.tar.gz"), force=True)

    def test_no_archive_there(self, settings: Settings) -> None:
        with pytest.raises(OperatorError, match="cannot be read as a backup"):
            restore(settings, Path("none.tar.gz"), force=True)


@each_row(
    ("highest", "last"),
    [
        (0, 1_000),
        (1, 2_000),
        (1_000, 2_000),
        (1_001, 3_000),
        (20_000, 22_000),
        (999_999_999, 999_999_999),
    ],
)
def test_how_far_numbers_leap(highest: int, last: int) -> None:
    """No further than reply addresses have room for."""
    assert last_skipped(highest) == last


def test_the_mail_server_in_front_is_tried_again_after_a_restore(
    settings: Settings, elsewhere: Settings
) -> None:
    database = Database(settings.database_url)
    with database.transaction() as work:
        note_front(work, Front("mx.games.example", 1), START)
        assert known_front(work, "mx.games.example")
    database.close()
    backup(settings, Path("b.tar.gz"))
    restore(elsewhere, Path("b.tar.gz"))
    database = Database(elsewhere.database_url)
    with database.reading() as work:
        assert known_front(work, "mx.games.example") is None
    database.close()


class TestKeys:
    def test_another_key_file_is_kept_beside(
        self, settings: Settings, elsewhere: Settings, folder: Path
    ) -> None:
        backup(settings, Path("b.tar.gz"))
        ours = moved_away(folder, settings)
        load_keyring(settings.key_file)
        others = settings.key_file.read_bytes()
        restored = restore(elsewhere, Path("b.tar.gz"))
        assert settings.key_file.read_bytes() == ours
        assert restored.old_keys is not None
        assert restored.old_keys.read_bytes() == others
        assert stat.S_IMODE(restored.old_keys.stat().st_mode) == 0o600

    def test_the_same_key_file_stays(self, settings: Settings, elsewhere: Settings) -> None:
        backup(settings, Path("b.tar.gz"))
        assert restore(elsewhere, Path("b.tar.gz")).old_keys is None
        assert [entry.name for entry in Path("var").iterdir()] == ["secret.key"]

    def test_a_key_from_the_settings_comes_back_as_a_file(
        self, settings: Settings, elsewhere: Settings
    ) -> None:
        """Unset on the new machine, the same key signs and verifies."""
        settings.key_file.unlink()
        keyed = replace(settings, secret_key=SECRET)
        backup(keyed, Path("b.tar.gz"))
        assert not settings.key_file.exists()
        restore(elsewhere, Path("b.tar.gz"))
        (key,) = load_keyring(settings.key_file).keys
        assert (key,) == load_keyring(settings.key_file, SECRET).keys

    def test_several_from_the_settings_come_back_in_their_order(
        self, settings: Settings, elsewhere: Settings
    ) -> None:
        settings.key_file.unlink()
        both = f"{SECRET[::-1]},{SECRET}"
        backup(replace(settings, secret_key=both), Path("b.tar.gz"))
        restore(elsewhere, Path("b.tar.gz"))
        assert load_keyring(settings.key_file).keys == load_keyring(Path("none"), both).keys

    def test_a_rotated_key_in_the_settings_still_holds_the_backups(
        self, settings: Settings, elsewhere: Settings
    ) -> None:
        settings.key_file.unlink()
        backup(replace(settings, secret_key=SECRET), Path("b.tar.gz"))
        restore(replace(elsewhere, secret_key=f"{SECRET[::-1]}, {SECRET}"), Path("b.tar.gz"))
        assert not settings.key_file.exists()

    def test_a_key_from_the_settings_stays_there(
        self, settings: Settings, elsewhere: Settings
    ) -> None:
        settings.key_file.unlink()
        backup(replace(settings, secret_key=SECRET), Path("b.tar.gz"))
        restore(replace(elsewhere, secret_key=SECRET), Path("b.tar.gz"))
        assert not settings.key_file.exists()

    def test_another_key_in_the_settings(self, settings: Settings, elsewhere: Settings) -> None:
        backup(settings, Path("b.tar.gz"))
        other = replace(elsewhere, secret_key=SECRET)
        with pytest.raises(OperatorError, match="does not hold the key of this backup"):
            restore(other, Path("b.tar.gz"))
        before = settings.key_file.read_bytes()
        restore(other, Path("b.tar.gz"), force=True)
        assert settings.key_file.read_bytes() == before

    def test_a_key_that_no_file_can_hold(self, settings: Settings, elsewhere: Settings) -> None:
        backup(replace(settings, secret_key=f"two words {SECRET}"), Path("b.tar.gz"))
        with pytest.raises(OperatorError, match="Set it again before restoring") as caught:
            restore(elsewhere, Path("b.tar.gz"))
        assert SECRET not in str(caught.value)
        restore(replace(elsewhere, secret_key=f"two words {SECRET}"), Path("b.tar.gz"))


def test_the_password_is_on_no_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other users see the command lines of a machine."""
    tool = tmp_path / "bin" / "pg_dump"
    tool.parent.mkdir()
    tool.write_text(TOOL.format(python=sys.executable, seen=tmp_path / "seen"))
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    url = parse_url("postgresql://pbm:se%40same@db.example:5433/games?sslmode=require")
    with pytest.raises(OperatorError, match=r"^pg_dump failed: pg_dump: error: no$"):
        copies.copy_out(url, tmp_path / "copy")
    command, _, password = (tmp_path / "seen").read_text().partition("|")
    assert password == "se@same"
    assert "same" not in command
    for part in ("host=db.example", "port=5433", "user=pbm", "dbname=games", "sslmode=require"):
        assert part in command


def _quiet_move(position: rules.AbalonePosition) -> str:
    """A move that ejects nothing, so that the game never ends."""
    played = (position.play(move) for move in position.legal_moves())
    return next(str(item.move) for item in played if not item.ejected)


def _give_out(room: Room, settings: Settings, number: int) -> None:
    """Let a board have had that number, and be gone."""
    if settings.database_url.startswith("sqlite"):
        room.tampers(f"UPDATE sqlite_sequence SET seq = {number} WHERE name = 'boards'")
    else:
        room.tampers(f"SELECT setval('boards_id_seq', {number})")


def _greet(server: socket.socket) -> None:
    connection, _ = server.accept()
    with connection:
        connection.sendall(b"220 localhost ESMTP\r\n")


def _check_sound(room: Room, settings: Settings) -> None:
    database = Database(settings.database_url)
    try:
        office = OperatorSession(database, room.table.site, room.table.clock, "root")
        assert [verdict.problems for verdict in verify(office)] == [()]
    finally:
        database.close()


class _Zeros(io.RawIOBase):
    """As many zeros as anybody likes to read."""

    def read(self, size: int = -1, /) -> bytes:
        return bytes(size)


def _rewrite(
    source: Path,
    target: Path,
    name: str,
    change: Callable[[bytes], bytes],
    *,
    sound: bool = False,
) -> None:
    """Write an archive anew with one member changed; `sound` if its digest is to fit."""
    with tarfile.open(source) as old, tarfile.open(target, "w:gz") as new:
        contents = {}
        for member in old.getmembers():
            stream = old.extractfile(member)
            assert stream is not None
            contents[member.name] = stream.read()
        contents[name] = change(contents[name])
        if sound:
            manifest = json.loads(contents["manifest.json"])
            manifest["files"][name] = hashlib.sha256(contents[name]).hexdigest()
            contents["manifest.json"] = json.dumps(manifest).encode()
        for member in old.getmembers():
            content = contents[member.name]
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
