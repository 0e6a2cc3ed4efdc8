"""Each step of the schema keeps what was there, and together they make the tables we use."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import insert, text
from structlog.testing import capture_logs

from pbm.app.opening import ready_database
from pbm.passwords import PasswordHash
from pbm.resources import resource_path
from pbm.service.accounts import CLEARED
from pbm.store.db import Database
from pbm.store.migrate import current_version, is_known_version, migrate, newest_version
from pbm.store.repositories.buckets import Rate
from pbm.store.schema import metadata
from pbm.store.values.boards import Stop
from pbm.store.values.queues import TimerKind
from tests.table import Table


def _moved(database: Database, target: str, *, down: bool = False) -> None:
    config = Config()
    config.set_main_option("script_location", str(resource_path("migrations")))
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        (command.downgrade if down else command.upgrade)(config, target)


@pytest.mark.on_postgresql
# SQLite's expression indexes cannot be read back; PostgreSQL's are compared.
@pytest.mark.filterwarnings("ignore:.*expression-based index.*")
def test_the_steps_make_the_tables_of_the_schema(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    migrate(database)
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
    database.close()


def test_their_files_are_numbered_in_their_order() -> None:
    scripts = ScriptDirectory(str(resource_path("migrations")))
    assert newest_version() == scripts.get_current_head()
    for script in scripts.walk_revisions():
        assert is_known_version(script.revision)
    assert not is_known_version("9999")


def test_down_and_up_again(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    migrate(database)
    _moved(database, "base", down=True)
    assert current_version(database) is None
    migrate(database)
    assert current_version(database) == newest_version()
    database.close()


OURS = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43
FOREIGN = OURS.replace("t=2", "t=4294967295")
SPOILT = OURS[:-1] + "B"  # no text of 32 bytes ends so
WAITS = "change password argon2id:" + FOREIGN


def test_hashes_of_foreign_costs_are_cleared_and_leave_the_lines(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    _moved(database, "0006")
    at = datetime(2026, 11, 1, tzinfo=UTC)
    with database.engine.begin() as connection:
        for name, kept in (("a", FOREIGN), ("b", OURS), ("c", None), ("d", "x"), ("e", SPOILT)):
            row = {"handle": name, "status": "active", "epoch": 1, "joined_at": at}
            connection.execute(insert(metadata.tables["players"]).values(password_hash=kept, **row))
        for lines in ([WAITS, "newkey"], ["move 1#1 a1-c3,b2"]):
            written = {"lines": json.dumps(lines), "comment": "[]", "asked_at": f"{at:%F %T}"}
            connection.execute(
                text(
                    "INSERT INTO errands (player_id, lines, comment, status, asked_at)"
                    " VALUES (1, :lines, :comment, 'held', :asked_at)"
                ),
                written,
            )
    migrate(database)
    with database.reading() as work:
        kept = [player.password_hash for player in work.players.all()]
        assert kept == [None, PasswordHash(OURS), None, None, None]
        fact = work.facts.find(CLEARED)
        assert fact is not None
        assert fact.value == [1, 4, 5]  # whoever has no password now, and had one
        first, second = work.questions.open_errands([1, 2])
        assert first.lines == ("change password ****", "newkey")
        assert first.password is None
        assert second.lines == ("move 1#1 a1-c3,b2",)
    _moved(database, "0006", down=True)
    with database.engine.connect() as connection:
        lines = connection.execute(text("SELECT lines FROM errands ORDER BY id")).scalars().all()
        assert "argon2id" not in str(lines)
        assert "newkey" in str(lines)
    database.close()


BOARDS_OF_BEFORE = (
    ("standard", "11111/111111/..111../......../........./......../..222../222222/22222 1 0,0 -"),
    (
        "official",
        "1111./.111.2/..11.22/.....222/444...222/444...../44.33../4.333./.3333 1 0,0,0,0 teams",
    ),
    ("german", "...../11..22/111.222/.11..22./....#..../.22..11./222.111/22..11/..... 1 0,0 -"),
)


def test_what_was_there_before_is_awaited_from_the_upgrade_on(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    _moved(database, "0010")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    with database.engine.begin() as connection:
        for name in ("a", "b"):
            row = {"handle": name, "status": "active", "epoch": 1, "joined_at": at}
            connection.execute(insert(metadata.tables["players"]).values(**row))
        for number, (status, to_move, played) in enumerate(
            (("playing", 1, 0), ("playing", 1, 3), ("playing", 2, 1), ("closed", None, 0)), 1
        ):
            connection.execute(
                text(
                    "INSERT INTO boards (id, layout, rules_version, subject, start_state, state,"
                    " ply, status, to_move_id, started_at, changed_at, taken_back) VALUES (:id,"
                    " 'standard', 1, 'x', :state, :state, :ply, :status, :to_move, :at, :at, :id)"
                ),
                {
                    "id": number,
                    "state": BOARDS_OF_BEFORE[0][1],
                    "ply": played,
                    "status": status,
                    "to_move": to_move,
                    "at": f"{at:%F %T}",
                },
            )
            for seat, last_ply in ((1, played), (2, 0)):
                seated = {"board_id": number, "seat": seat, "player_id": seat, "playing": True}
                connection.execute(
                    insert(metadata.tables["seats"]).values(last_ply=last_ply, **seated)
                )
        for token, answer in (("open", None), ("answered", "yes")):
            asked = {"asked_at": at, "expires_at": at + timedelta(days=2), "params": {}}
            connection.execute(
                insert(metadata.tables["questions"]).values(
                    **asked,
                    token_digest=token,
                    kind="signup",
                    address="",
                    address_key="",
                    answer=answer,
                )
            )
    before = datetime.now(UTC)
    migrate(database)
    with database.transaction() as work:
        lapse, *first_moves = work.timers.claim(before + timedelta(days=3), 9)
    assert (lapse.kind, lapse.about, lapse.question_id) == ("question-lapse", "1", 1)
    assert lapse.due_at == at + timedelta(days=2) < before <= lapse.since
    assert [(timer.kind, timer.about) for timer in first_moves] == [
        ("first-move-reminder", "1.1.1"),
        ("first-move-reminder", "3.2.3"),
    ]
    for timer in first_moves:
        assert timer.since >= before
        assert timer.due_at - timer.since == timedelta(days=2)
    _moved(database, "0014", down=True)
    due = metadata.tables["due"]
    reminded = due.update().where(due.c.about == "1.1.1")
    with database.engine.begin() as connection:
        connection.execute(reminded.values(kind="first-move-decline", since=at))
    again = datetime.now(UTC)
    migrate(database)
    with database.reading() as work:
        first, second, third = (work.boards.get(number).waits_since for number in (1, 2, 3))
        assert (first, third) == (at - timedelta(days=2), first_moves[1].since)
        assert second is not None
        assert second >= again
        clocks = work.timers.about(TimerKind.CLOCK, ["1", "2", "3", "4"])
    assert set(clocks) == {"1", "2", "3"}
    assert {timer.due_at - timer.since for timer in clocks.values()} == {timedelta(days=3)}
    _moved(database, "0010", down=True)
    migrate(database)


def test_a_board_of_before_holds_the_only_game_that_there_was(bare_database_url: str) -> None:
    database = Database(bare_database_url)
    _moved(database, "0010")
    at = datetime(2026, 11, 1, tzinfo=UTC)
    insert_board = text(
        "INSERT INTO boards (layout, rules_version, subject, start_state, state, ply, status,"
        " started_at, changed_at, taken_back) VALUES (:layout, 1, 'x', :state, :state, 0,"
        " 'playing', :at, :at, 0)"
    )
    with database.engine.begin() as connection:
        for layout, state in BOARDS_OF_BEFORE:
            connection.execute(
                insert_board, {"layout": layout, "state": state, "at": f"{at:%F %T}"}
            )
        season = {"layout": "bowl", "state": BOARDS_OF_BEFORE[0][1], "at": f"{at:%F %T}"}
        connection.execute(insert_board, [season] * 500)
    migrate(database)
    with database.reading() as work:
        found = work.boards.get_many([1, 2, 3, 503])
        assert {board.game for board in found} == {"abalone"}
        assert [dict(board.options) for board in found] == [
            {"layout": "standard"},
            {"layout": "official", "teams": True},
            {"layout": "german", "pillar": True},
            {"layout": "bowl"},
        ]
    _moved(database, "0010", down=True)
    with database.engine.connect() as connection:
        layouts = connection.execute(text("SELECT layout FROM boards ORDER BY id")).scalars().all()
        assert layouts == ["standard", "official", "german", *["bowl"] * 500]
    database.close()


def test_what_grows_is_tidied_up_in_time(bare_postgres_url: str) -> None:
    database = Database(bare_postgres_url)
    query = text("SELECT reloptions FROM pg_class WHERE relname = :table")

    def chosen(table: str) -> set[str]:
        with database.engine.connect() as connection:
            return set(connection.scalar(query, {"table": table}) or ())

    migrate(database)
    tidying = {
        f"autovacuum_{it}_scale_factor=0.02" for it in ("vacuum", "vacuum_insert", "analyze")
    }
    assert chosen("inbox") == tidying == chosen("outbox")
    assert chosen("seats") == tidying | {"fillfactor=90"}
    _moved(database, "0023", down=True)
    assert chosen("inbox") == chosen("seats") == set()
    database.close()


def test_what_clocks_have_stood_still_for_is_counted(bare_database_url: str) -> None:
    table = Table(bare_database_url)
    table.start("alice", "bob")
    at, hour = table.clock(), timedelta(hours=1)
    stops = (Stop(at, at + hour, bounced=True), Stop(at, at), Stop(at, at + 2 * hour, bounced=True))
    with table.database.transaction() as work:
        work.boards.set(work.boards.get(1), stops=stops)
    _moved(table.database, "0024", down=True)
    migrate(table.database)
    assert [seat.stopped for seat in table.board(1).seats] == [3 * 3600, 0]
    table.close()


def test_a_yes_that_stands_goes_on_standing(bare_database_url: str) -> None:
    table = Table(bare_database_url)
    table.start("alice", "bob")
    now, day, origin = table.clock(), timedelta(days=1), "fedcba9876543210" * 2
    with table.database.transaction() as work:
        alice, bob = (work.players.by_handle(handle) for handle in ("alice", "bob"))
        assert alice is not None
        assert bob is not None
        for key in (f"{alice.id}:{alice.epoch}", f"{bob.id}:{bob.epoch + 1}"):
            Rate("yes-stands", 1, day).take(work, now, key, origin)
    _moved(table.database, "0032", down=True)
    migrate(table.database)
    with table.database.transaction() as work:
        assert work.consents.stands(alice, origin, since=now - timedelta(seconds=1))
        assert not work.consents.stands(alice, origin, since=now)
        assert not work.consents.stands(bob, origin, since=now - day)
    table.close()


def test_an_invitation_of_before_goes_on_waiting(bare_database_url: str) -> None:
    table = Table(bare_database_url)
    alice, _ = table.start("alice", "bob")
    dave, erin = table.person("dave@example.net"), table.person("erin@example.net")
    line = "challenge me dave@example.net bob erin@example.net"
    options = "-bowl -rounds=2 -forfeittime=5d -bank=3d+1d12h -unrated"
    alice.says(f"{line} {options}\n\nHello!")
    alice.says("challenge dave@example.net carol@example.net me").hears("and ask nobody twice")
    erin.says("yes")
    with table.database.transaction() as work:
        before = work.challenges.get(1)
    for _ in range(2):
        _moved(table.database, "0033", down=True)
        with table.database.engine.connect() as connection:
            kept = connection.execute(text("SELECT lines FROM errands")).scalars().all()
            assert "dave@example.net bob erin" in str(kept)
        migrate(table.database)
    with table.database.transaction() as work:
        (number,) = work.challenges.with_player(2)
        after = work.challenges.get(number)
        assert (after.setup, after.comment, after.seats, after.command) == (
            before.setup,
            before.comment,
            before.seats,
            before.command,
        )
    alice.forgets()
    dave.says("yes").hears("| Hello!")
    assert [seat.handle for seat in table.board(2).seats] == ["alice", "dave", "bob", "erin"]
    alice.hears("| Hello!").says("challenge dave@example.net").hears("We have asked")
    table.close()


def test_a_new_database_is_reported_once(tmp_path: Path) -> None:
    for reported in (["new database"], []):
        database = Database(f"sqlite:///{tmp_path}/new/pbm.sqlite3")
        with capture_logs() as logs:
            ready_database(database)
        assert [entry["event"] for entry in logs] == reported
        database.close()


def test_news_that_waited_for_a_digest_is_told_after_the_upgrade(database_url: str) -> None:
    table = Table(database_url)
    alice, bob = table.start("alice", "bob")
    alice.says("a1-c3,b2").says("set digest daily")
    bob.says("Nice weather here, my friend.")
    alice.says("takeback 1")
    alice.says("draw 1")
    alice.forgets()
    bob.forgets()
    _moved(table.database, "0039", down=True)
    said = {"handle": "bob", "head": ["Nice weather here, my friend."], "rest": []}
    lead = [{"what": "player-back", "handle": name} for name in ("bob", "nobody")]
    told = {"lead": [*lead, {"what": "mail-came-back"}], "comments": [said]}
    news = {"told": json.dumps(told), "kept_at": f"{table.clock():%F %T}"}
    with table.database.engine.begin() as connection:
        connection.execute(
            text(
                "INSERT INTO kept_news (player_id, board_id, after_ply, told, size, kept_at)"
                " VALUES (1, 1, 1, :told, 99, :kept_at)"
            ),
            news,
        )
    _moved(table.database, "head")
    kinds = [row["kind"] for row in table.rows("board_events")]
    offers = ["takeback-asked", "offer-made"]
    assert kinds == ["move-played", *offers, "player-back", "commented"]
    seen = {row["player_id"]: (row["seen"], row["waiting"]) for row in table.rows("readers")}
    assert seen == {1: (3, 99), 2: (5, 0)}
    table.days_pass(1)
    alice.gets(1).hears("bob is back", "bob writes: | Nice weather here, my friend.")
    bob.hears_nothing()
    table.close()
