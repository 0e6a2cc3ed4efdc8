"""`pbm-admin` as the operator types it: what it prints, and what it says when it cannot."""

import json
import os
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from pbm.admin import console
from pbm.admin.cli import main
from pbm.clock import system_clock
from pbm.config import settings_from_here
from pbm.mail.keys import load_keyring
from pbm.service.operator.correspondence import why_held
from pbm.service.running.heartbeat import Heart
from pbm.service.running.hold import begin_hold
from pbm.store.schema import metadata
from tests.admin.conftest import Room
from tests.admin.newer_program import NEWER, become_newer
from tests.table import START

Admin = Callable[..., Result]
WHY = ("--why", "a slip of the pen")
MISTYPED = [
    ("games", "undo", "1"),
    ("games", "undo", "0", *WHY),
    ("games", "undo", "99999999999999999999", *WHY),
    ("games", "end", "1", "--draw", "--winner", "bob", *WHY),
    ("games", "pause", *WHY),
    ("games", "extend", "1", *WHY),
    ("games", "extend", "1", "--days", "1", "--until", "2030-01-01", *WHY),
    ("games", "extend", "1", "--until", "tomorrow", *WHY),
    ("games", "list", "--status", "lost"),
    ("read", "-n", "0", "alice@example.org"),
    ("nonsense",),
    ("games", "end", "1", "--why", " "),
    ("games", "end", "1", "--why", "x" * 501),
    ("players", "set-address", "bob", "nobody", *WHY),
    ("queue", "show", "77"),
    ("queue", "drop", "x", *WHY),
    ("read", "nobody"),
    ("ban", "@", *WHY),
    ("copy-database", "mysql://x", "sqlite:///y.sqlite3"),
    ("copy-database", "sqlite:///y.sqlite3", "sqlite:///y.sqlite3"),
]
IMPOSSIBLE = [
    (("players", "show", "nobody"), "There is no player called nobody."),
    (("players", "show", "alcie"), "There is no player called alcie. Did you mean alice?"),
    (("players", "suspend", "nobody", *WHY), "There is no player called nobody."),
    (("players", "show", "\udcff"), "no player called"),
    (("games", "show", "77"), "There is no board 77."),
    (("games", "undo", "77", *WHY), "There is no board 77."),
    (("games", "resend", "1", "nobody"), "nobody does not play on board 1."),
    (("trace", "nobody"), "There is no player called nobody."),
    (("trace", "i77"), "There is no incoming mail i77."),
    (("queue", "show", "i77"), "There is no incoming mail i77."),
    (("queue", "retry", "o77"), "There is no outgoing mail o77."),
    (("verify", "77"), "There is no board 77."),
    (("read", "nobody@example.org"), "There is no mail to nobody@example.org"),
    (("ban", "nobody", *WHY), "There is no player called nobody."),
    (("ban", "bob@example.org", *WHY), "is an address of bob"),
    (("unban", "bob", *WHY), "bob is not banned. To see who is: pbm-admin bans"),
    (("restore", "nonesuch.tar"), "nonesuch.tar"),
    (("backup", "no/such/folder/file"), "cannot be written"),
]


@pytest.fixture
def admin(
    room: Room,
    database_url: str,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Admin:
    """`pbm-admin` beside the server of the room, run by root."""
    monkeypatch.chdir(tmp_path_factory.mktemp("server"))
    monkeypatch.setenv("PBM_DATABASE_URL", database_url)
    monkeypatch.setenv("PBM_ADDRESS", room.table.site.address.plain)
    load_keyring(Path("var/secret.key"))  # made

    def run(*words: str, answer: str | None = None) -> Result:
        result = CliRunner().invoke(main, ["--who", "root", *words], input=answer)
        assert result.exception is None or isinstance(result.exception, SystemExit)
        return result

    return run


def lines(result: Result) -> list[str]:
    """What was printed by a command that went well."""
    assert result.exit_code == 0, result.output
    return [" ".join(line.split()) for line in result.stdout.split("\n") if line.strip()]


@pytest.mark.parametrize("group", [(), ("players",), ("games",), ("queue",), ("keys",)])
def test_no_summary_is_cut_at_eighty_columns(group: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(main, [*group, "--help"], terminal_width=80).output
    listed = shown.partition("Commands:\n")[2].rstrip("\n").split("\n")
    assert listed
    assert all(line.endswith(".") and not line.endswith("...") for line in listed), shown


def test_an_empty_journal_says_so(admin: Admin) -> None:
    assert lines(admin("journal")) == ["The journal is empty: nothing was changed here yet."]


def test_reports_are_shown_with_the_words_and_nothing_that_a_terminal_obeys(
    admin: Admin, room: Room
) -> None:
    assert lines(admin("reports")) == ["Nobody has reported anything."]
    at = datetime(2026, 11, 22, 9, 30, tzinfo=UTC)
    said = {"handle": "bob", "at": at.isoformat(), "lines": ["You \x1b[31mfool."]}
    with room.table.database.transaction() as work:
        for text in ("once", "again"):
            work.reports.add(1, 1, [f"he insults me {text}"], [said], at)
    shown = admin("reports", "-n", "1").output
    assert lines(admin("reports", "-n", "1")) == [
        "2026-11-22 09:30 UTC alice, board 1",
        "he insults me again",
        "bob wrote there, 2026-11-22:",
        "You \N{REPLACEMENT CHARACTER}[31mfool.",
    ]
    assert "\x1b" not in shown


def test_hold_and_release(admin: Admin, room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(console, "system_clock", room.table.clock)
    assert lines(admin("hold", "--why", "a disk"))[1] == "To let it go on: pbm-admin release"
    why = "held since 2026-11-21 12:00 UTC by root: a disk"
    assert why_held(settings_from_here()) == why
    released = [f"The server was {why}.", "The server goes on within five seconds."]
    assert lines(admin("release", "--dry-run"))[1:-1] == released
    assert lines(admin("release")) == released
    assert why_held(settings_from_here()) == ""
    assert admin("release").exit_code == 1
    with room.table.database.transaction() as work:
        begin_hold(work, START, "root", "restored", START)
    assert lines(admin("release"))[1:-1] == [
        "Boards in progress that may have lost moves, 1: 1",
        "Players who are mailed how their boards stand, five a second: 2.",
        "Waiting mails that tell the same and are given up: 0.",
        "Other waiting mails: 0. Those that went out after the backup come twice, with the same "
        "Message-ID.",
    ]


class TestTrace:
    def test_as_lines_as_json_and_for_a_bug_report(self, admin: Admin) -> None:
        told = lines(admin("trace", "alice@example.org", "2026-11-21"))
        assert told[0] == "2026-11-21"
        assert "a1-c3,d4" not in " ".join(told)
        assert all(len(line) <= 80 for line in admin("trace", "1").output.split("\n"))
        assert lines(admin("trace", "alice@example.org", "2026-11-20"))[0].startswith("now ")
        facts = json.loads(admin("trace", "1", "--json").output)
        assert {"at", "about", "what", "facts", "told"} == set(facts[0])
        shown = lines(admin("trace", "alice", "--redact"))
        assert (shown[0], shown[-1]) == ("```", "```")
        assert re.fullmatch(r"pbm \S+, tables \d{4}", shown[1])
        assert "alice" not in " ".join(shown)
        assert admin("trace", "alice@example.org", "yesterday").exit_code == 2


class TestPlayers:
    def test_list(self, admin: Admin) -> None:
        assert lines(admin("players", "list")) == [
            "alice active alice@example.org",
            "bob active bob@example.org",
        ]

    def test_changes_and_their_journal(self, admin: Admin, room: Room) -> None:
        changes = [
            (("suspend", "bob"), "bob is suspended."),
            (("unsuspend", "bob"), "bob is active again."),
            (("set-address", "bob", "bob@new.example"), "bob gets mail at bob@new.example now."),
            (("remove", "bob", "--yes"), "bob is removed."),
        ]
        for words, answer in changes:
            assert lines(admin("players", *words, *WHY)) == [answer]
            if words[0] == "suspend":
                assert "board 1: to move, ply 1" in lines(admin("players", "show", "BOB"))
        shown = lines(admin("players", "show", "bob"))
        assert shown[0].startswith("bob, removed, since ")
        assert shown[1:3] == ["addresses: none", "board 1: finished (last)"]
        assert len(shown) == 3 + len(changes)
        assert all("UTC root " in line and "a slip of the pen" in line for line in shown[3:])
        newest = lines(admin("journal", "-n", "2"))
        assert "UTC root bob: removed (boards 1): a slip of the pen" in newest[1]
        assert "UTC root board 1: player removed (handle bob): a slip of the pen" in newest[0]
        room.is_sound()


class TestWhatIsForGood:
    """It is asked about at a terminal; a script says yes beforehand."""

    REMOVE = ("players", "remove", "bob")
    DROP = ("keys", "drop")

    def test_nobody_can_be_asked(self, admin: Admin, room: Room) -> None:
        for words in (self.REMOVE, (*self.DROP, "k1")):
            done = admin(*words, *WHY)
            assert done.exit_code == 1
            assert "Nothing was done: it asks first" in done.stderr
            assert "Add --yes" in done.stderr
            assert admin(*words, "--yes").exit_code == 2  # a reason is wanted all the same
        assert room.player("bob").status == "active"
        assert not room.journal(handle="bob")

    @pytest.mark.parametrize(("answer", "status"), [("n\n", "active"), ("y\n", "removed")])
    def test_somebody_is_asked(
        self,
        admin: Admin,
        room: Room,
        monkeypatch: pytest.MonkeyPatch,
        answer: str,
        status: str,
    ) -> None:
        monkeypatch.setattr(console, "somebody_is_there", lambda: True)
        done = admin(*self.REMOVE, *WHY, answer=answer)
        assert "Remove bob for good? Boards given up: 1." in done.output
        assert ("Nothing was done." in done.output) == (status == "active")
        assert done.exit_code == (status == "active")
        assert room.player("bob").status == status

    def test_a_key_is_dropped_for_a_reason(self, admin: Admin) -> None:
        admin("players", "list")  # makes the first, as the server does
        (old,) = (line.split()[0] for line in lines(admin("keys", "list")))
        lines(admin("keys", "rotate"))
        blank = admin(*self.DROP, old, "--why", " ", "--yes")
        assert "Give a reason with --why" in blank.stderr
        assert len(lines(admin("keys", "list"))) == 2
        assert lines(admin(*self.DROP, old, *WHY, "--yes"))[0].startswith(f"Key {old} is dropped.")
        assert lines(admin("journal"))[-1].endswith(
            f"root key dropped (key {old}): a slip of the pen"
        )


class TestBans:
    def test_nobody_bans_a_domain_of_players_by_mistake(self, admin: Admin, room: Room) -> None:
        assert lines(admin("bans")) == ["Nobody is banned."]
        told = "@example.org: players: alice, bob; mails in the last 31 days: "
        assert lines(admin("ban", "@Example.org", "--dry-run", *WHY))[1].startswith(told)
        done = admin("ban", "@example.org", *WHY)
        assert (done.exit_code, done.stdout.startswith(told)) == (1, True)
        assert "Add --yes" in done.stderr
        assert lines(admin("bans")) == ["Nobody is banned."]
        assert lines(admin("ban", "@example.org", "--yes", *WHY))[1] == "@example.org is banned."
        assert lines(admin("ban", "203.0.113.9/24", *WHY))[1] == "203.0.113.0/24 is banned."
        assert [line.split(maxsplit=2)[2] for line in lines(admin("bans"))] == [
            "root @example.org a slip of the pen",
            "root 203.0.113.0/24 a slip of the pen",
        ]
        assert lines(admin("unban", "@example.org", *WHY)) == [
            "@example.org is not banned any more."
        ]
        assert lines(admin("journal"))[-1].endswith(
            "root unbanned (mail from @example.org): a slip of the pen"
        )
        assert admin("ban", "eve@example.net").exit_code == 2
        assert room.player("bob").is_active


class TestMerge:
    MERGE = ("players", "merge", "bob", "robert", *WHY)

    def test_it_is_shown_and_asked_about_before(self, admin: Admin, room: Room) -> None:
        room.table.joins("robert")
        told = "robert has bob's addresses: bob@example.org; boards: 1."
        assert lines(admin(*self.MERGE, "--dry-run"))[1:] == [
            told,
            "Mails that would be written: 3.",
            "robert@example.org: pbm: your accounts are one",
            "alice@example.org: Abalone Board 1: alice v bob",
            "robert@example.org: Abalone Board 1: alice v bob",
        ]
        assert admin(*self.MERGE).exit_code == 1
        assert room.player("bob").is_active
        assert lines(admin(*self.MERGE, "--yes")) == [told]
        assert lines(admin("verify")) == ["1 board replayed, 0 wrong."]


class TestBounces:
    def test_who_cannot_be_reached(self, admin: Admin, room: Room) -> None:
        with room.table.database.transaction() as work:
            bob = work.players.by_handle("bob")
            assert bob is not None
            work.players.change(
                bob.id,
                bounces=0,
                bounced_at=room.table.clock(),
                unreachable_since=room.table.clock(),
            )
        told = "(mail comes back since 2026-11-21)"
        assert lines(admin("players", "list"))[1].endswith(f" bob@example.org {told}")
        assert f"addresses: bob@example.org {told}" in lines(admin("players", "show", "bob"))
        (answer,) = lines(admin("players", "reachable", "bob", *WHY))
        assert answer == "bob gets mail at bob@example.org again."
        assert "comes back" not in admin("players", "list").output

    def test_who_could_not_be_reached_for_now(self, admin: Admin, room: Room) -> None:
        with room.table.database.transaction() as work:
            bob = work.players.by_handle("bob")
            assert bob is not None
            work.players.change(
                bob.id, bounces=1, bounced_at=room.table.clock(), unreachable_since=None
            )
        shown = lines(admin("players", "show", "bob"))
        assert "mail came back for now, last on 2026-11-21" in shown


class TestGames:
    def test_list_and_show(self, admin: Admin) -> None:
        (listed,) = lines(admin("games", "list"))
        assert listed.startswith("1 playing 1 standard alice, bob bob to move")
        assert lines(admin("games", "list", "--status", "finished")) == []
        shown = admin("games", "show", "1").stdout
        assert "Abalone Board 1" in shown
        assert "a1-c3,b2" in shown
        assert "A- " in shown  # the board is drawn

    def test_boards_are_listed_by_status_and_shown_with_all_that_happened(
        self, admin: Admin, room: Room
    ) -> None:
        room.table.joins("carol").says("challenge -bowl alice")
        admin("games", "resend", "1", "bob", *WHY)
        room.bob.says("resign 1")
        statuses = {None: "12", "playing": "2", "finished": "1", "closed": ""}
        for status, numbers in statuses.items():
            listed = lines(admin("games", "list", *(("--status", status) if status else ())))
            assert [line[0] for line in listed] == list(numbers)
        shown = lines(admin("games", "show", "1"))
        assert any(line.endswith("a1-c3,b2") for line in shown)
        assert "bob resigned after ply 1" in shown
        assert "board sent again" in shown[-1]

    def test_changes(self, admin: Admin, room: Room) -> None:
        room.table.joins("carol")
        changes = [
            (("replace", "1", "bob", "carol", *WHY), "carol plays for bob on board 1 now."),
            (("resend", "1"), "Board 1 is on its way to alice, carol."),
            (("undo", "1", *WHY), "Ply 1, a1-c3,b2, is taken back."),
            (("end", "1", *WHY), "Board 1 is closed: "),
            (("reopen", "1", *WHY), "Board 1 goes on."),
            (("end", "1", "--draw", *WHY), "Board 1 is finished: "),
            (("reopen", "1", *WHY), "Board 1 goes on."),
            (("pause", "1", *WHY), "Board 1 is paused."),
            (("resume", "1", *WHY), "The clocks of board 1 run again."),
            (("end", "1", "--winner", "carol", *WHY), "Board 1 is finished: carol"),
        ]
        for words, answer in changes:
            assert lines(admin("games", *words))[0].startswith(answer)
        journal = lines(admin("journal"))
        assert len(journal) >= len(changes)
        assert any(
            "UTC root bob: replaced (board number 1, by carol): " in line for line in journal
        )
        assert "UTC root board 1: finished (winners 2): a slip of the pen" in journal[-1]
        assert lines(admin("verify")) == ["1 board replayed, 0 wrong."]

    def test_several_at_once(self, admin: Admin, room: Room) -> None:
        room.alice.says("challenge bob").says(f"move 2 {room.some_move(2)}")
        result = admin("games", "pause", "1", "7", "2", "1", *WHY)
        assert (result.exit_code, result.stderr) == (1, "Error: There is no board 7.\n")
        assert result.stdout == "Board 1 is paused.\nBoard 2 is paused.\n"
        assert "bob to move, paused since " in admin("games", "list").stdout
        assert "bob to move, paused since " in admin("games", "show", "2").stdout
        assert "bob to move, paused since " in admin("trace", "2").stdout
        room.bob.says(f"move 1 {room.some_move()}")
        room.bob.says(f"move 2 {room.some_move(2)}")
        result = admin("games", "extend", "1", "2", "--days", "3", *WHY)
        assert lines(result) == [f"alice has more time on board {number}." for number in (1, 2)]

    def test_what_is_typed_wrong_changes_nothing(self, admin: Admin, room: Room) -> None:
        for words in MISTYPED:
            result = admin(*words)
            assert result.exit_code == 2, words
            assert "Error: " in result.stderr
        assert room.board().playing
        assert room.journal(board=1) == []


class TestQueue:
    def test_list_show_retry_drop(self, admin: Admin, room: Room) -> None:
        assert lines(admin("queue", "list")) == ["The queue is empty."]
        mail = room.bob.mail_bytes("signup bob hunter2")
        number = room.table.hand_in("bob@example.org", "pbm@games.example", mail).split()[-1]
        assert re.match(rf"{number} new \d{{4}}-", lines(admin("queue", "list"))[0])
        shown = admin("queue", "show", number).stdout
        assert "Subject: signup bob ****" in shown
        assert "hunter2" not in shown
        result = admin("queue", "retry", number)
        assert (result.exit_code, result.stdout) == (1, "")
        assert result.stderr == f"Error: Mail {number} is not stuck; its turn comes by itself.\n"
        assert lines(admin("queue", "drop", number, *WHY)) == [f"Mail {number} is dropped."]
        assert re.match(r"o\d+ due ", lines(admin("queue", "list"))[0])

    def test_all_that_failed(self, admin: Admin, room: Room) -> None:
        assert admin("queue", "retry").exit_code == 2
        assert admin("queue", "retry", "o1", "--all").exit_code == 2
        assert lines(admin("queue", "retry", "--all")) == ["No mail is stuck or has failed."]
        room.tampers("UPDATE outbox SET status = 'failed' WHERE recipient LIKE '%@%'")
        with room.table.database.reading() as work:
            mails = work.outbox.waiting()
        of_bob = [f"o{mail.id}" for mail in mails if mail.recipient == room.bob.address]
        assert 0 < len(of_bob) < len(mails)
        told = lines(admin("queue", "retry", "--all", "--address", room.bob.address))
        assert [line.split()[1] for line in told] == of_bob
        told = lines(admin("queue", "drop", "--all", *WHY))
        assert len(told) == len(mails) - len(of_bob)


class TestVerify:
    def test_what_is_wrong_is_told_and_ends_with_status_1(self, admin: Admin, room: Room) -> None:
        assert lines(admin("verify", "1")) == ["1 board replayed, 0 wrong."]
        room.tampers("UPDATE boards SET ply = 5")
        result = admin("verify")
        assert result.exit_code == 1
        assert result.stdout == (
            "board 1: it counts 5 plies, and 1 are recorded\n1 board replayed, 1 wrong.\n"
        )


class TestMigrate:
    def test_nothing_to_do(self, admin: Admin) -> None:
        assert lines(admin("migrate"))[0].startswith("Nothing to do: the tables have version ")

    def test_after_an_upgrade(
        self, admin: Admin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = become_newer(tmp_path, monkeypatch)
        refused = admin("players", "list")
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert refused.stderr.endswith("Run: pbm-admin migrate\n")
        told = f"The tables had version {before} and have version {NEWER} now."
        shown, *of_copy = lines(admin("migrate"))
        assert shown == told
        if of_copy:  # of SQLite
            copy = Path(of_copy[0].partition(" is the database as it was.")[0])
            assert copy.name == f"pbm.sqlite3-before-{before}"
            assert copy.stat().st_mode & 0o777 == 0o600
            with closing(sqlite3.connect(copy)) as kept:
                version = kept.execute("SELECT version_num FROM alembic_version").fetchone()
            assert version == (before,)
        assert len(lines(admin("players", "list"))) == 2

    def test_not_under_an_older_program_that_runs(
        self, admin: Admin, room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        heart = Heart(system_clock, ["turn"])
        with room.table.database.transaction() as work:
            heart.beat(work)
        become_newer(tmp_path, monkeypatch)
        refused = admin("migrate")
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert f"by an older pbm: process {os.getpid()} on " in refused.stderr
        with room.table.database.transaction() as work:
            heart.end(work)
        assert lines(admin("migrate"))[0].startswith("The tables had version ")

    def test_of_a_newer_pbm(self, admin: Admin, room: Room) -> None:
        room.tampers("UPDATE alembic_version SET version_num = '9999'")
        for words in (("migrate",), ("players", "list")):
            result = admin(*words)
            assert (result.exit_code, result.stdout) == (1, "")
            assert result.stderr == (
                "Error: The database belongs to a newer pbm than this; install that one.\n"
            )


def test_what_cannot_be_done_is_said_in_a_sentence(admin: Admin) -> None:
    for words, sentence in IMPOSSIBLE:
        result = admin(*words)
        assert (result.exit_code, result.stdout) == (1, ""), words
        assert result.stderr.startswith("Error: ")
        assert result.stderr.count("\n") == 1
        assert sentence in result.stderr


CHANGES = [
    ("players", "set-address", "bob", "b@example.net", *WHY),
    ("players", "suspend", "bob", *WHY),
    ("players", "remove", "bob", *WHY),
    ("games", "undo", "1", *WHY),
    ("games", "end", "1", "--winner", "bob", *WHY),
    ("games", "resend", "1"),
    ("games", "pause", "1", *WHY),
    ("hold", *WHY),
    ("ban", "bob", *WHY),
    ("broadcast", "Hello, all!", *WHY),
    ("keys", "rotate"),
    ("keys", "forget", *WHY),
    ("migrate",),
]
UNTOUCHED = {"migrate", "forget"}  # say in words of their own what they would do


def test_a_dry_run_tells_what_would_be_done_and_does_nothing(admin: Admin, room: Room) -> None:
    def stored() -> dict[str, list[dict[str, object]]]:
        return {name: room.table.rows(name) for name in metadata.tables}

    keys, before = Path("var/secret.key").read_bytes(), stored()
    for words in CHANGES:
        shown = lines(admin(*words, "--dry-run"))
        if UNTOUCHED.isdisjoint(words):
            assert shown[0] == "Nothing is changed. Without --dry-run you would read:"
            assert any(line.startswith("Mails that would be written: ") for line in shown)
        assert stored() == before, words
        assert Path("var/secret.key").read_bytes() == keys
    shown = lines(admin("games", "end", "1", "--draw", "--dry-run", *WHY))
    assert shown[1:] == [
        "Board 1 is finished: a draw (operator).",
        "Mails that would be written: 2.",
        "alice@example.org: Abalone Board 1: alice v bob",
        "bob@example.org: Abalone Board 1: alice v bob",
    ]
    assert lines(admin("backup", "b.tgz"))
    assert admin("restore", "b.tgz", "--dry-run").exit_code == 1
    (line,) = lines(admin("restore", "b.tgz", "--dry-run", "--force"))
    assert re.match(r"b\.tgz is sound, as of .* would be lost\.", line)
    assert {**stored(), "facts": []} == {**before, "facts": []}  # but that a backup was made
