"""Lists of `pbm-admin`: as JSON with the documented keys, filtered, and as a table."""

import io
import json
import sys
from collections.abc import Iterator
from typing import Any

import click
import pytest

from pbm.admin.cli import main
from pbm.admin.listing import print_list
from tests.admin.conftest import Room
from tests.admin.test_cli import WHY, Admin, admin, lines

__all__ = ["admin"]
MAYBE = (str, type(None))
BOARD = {
    "board": int,
    "game": str,
    "status": str,
    "ply": int,
    "set_up": str,
    "options": dict,
    "players": list,
    "standing": str,
}
PLAYER = {
    "handle": str,
    "status": str,
    "addresses": list,
    "mail": str,
    "robot": MAYBE,
    "joined_at": str,
    "unreachable_since": MAYBE,
}
MAIL = {
    "name": str,
    "status": str,
    "since": str,
    "tries": int,
    "about": str,
    "trouble": str,
    "until": MAYBE,
}
CHANGE = {
    "at": str,
    "who": str,
    "why": str,
    "what": str,
    "handle": MAYBE,
    "details": dict,
    "board_id": (int, type(None)),
}
REPORT = {
    "id": int,
    "handle": str,
    "board_id": int,
    "reported_at": str,
    "lines": list,
    "words": list,
}
CHECK = {"what": str, "state": str, "text": str}
# The keys of each row and their types; docs/operating.md has them, too.
SCHEMAS: dict[str, dict[str, Any]] = {
    "games list": BOARD,
    "players list": PLAYER,
    "queue list": MAIL,
    "journal": CHANGE,
    "reports": REPORT,
    "bans": {"what": str, "at": str, "who": str, "why": str, "addresses": list},
    "keys list": {"key": str, "signs": bool},
    "trace 1": {"at": MAYBE, "about": str, "what": str, "facts": dict, "told": str},
    "status": CHECK,
    "check": CHECK,
    "games show 1": BOARD | {"state": str, "moves": list, "left": list, "journal": list},
    "players show bob": PLAYER | {"playing": list, "over": list, "journal": list},
    "queue show o1": MAIL | {"text": str},
}


@pytest.mark.on_postgresql
def test_json_has_the_documented_keys(admin: Admin, room: Room) -> None:
    admin("games", "resend", "1", *WHY)
    admin("ban", "@example.net", *WHY)
    with room.table.database.transaction() as work:
        work.reports.add(1, 1, ["rude"], [], room.table.clock())
    for words, schema in SCHEMAS.items():
        printed = json.loads(admin(*words.split(), "--json").stdout)
        rows = printed if isinstance(printed, list) else [printed]
        assert rows, words
        for row in rows:
            assert set(row) == set(schema), words
            wrong = [key for key, kind in schema.items() if not isinstance(row[key], kind)]
            assert not wrong, (words, wrong)


def test_no_list_tells_of_a_plan_or_a_note(admin: Admin, room: Room) -> None:
    room.alice.says(f"move 1 {room.some_move()}\nnote 1 canarynote").says("plan 1 otherwise e5,e6")
    assert room.table.rows("notes")
    assert room.table.rows("plans")
    listed = (words for words in SCHEMAS if words != "queue show o1")  # a mail is shown as it is
    for words in (*listed, "trace alice", "trace bob", "games export 1"):
        for form in ((), ("--json",)):
            told = admin(*words.split(), *form).stdout
            assert "canarynote" not in told, words
            assert "e5,e6" not in told, words


def test_filters(admin: Admin, room: Room) -> None:
    room.table.joins("carol").says("challenge -bowl alice")
    admin("players", "suspend", "carol", *WHY)
    admin("games", "resend", "1", *WHY)

    def first(*words: str) -> list[str]:
        return [line.split()[0] for line in lines(admin(*words))]

    assert first("games", "list") == ["1", "2"]
    assert first("games", "list", "--player", "carol") == ["2"]
    assert first("games", "list", "--player", "alice", "--limit", "1") == ["2"]
    assert first("games", "list", "--player", "bob", "--status", "finished") == []
    assert "there may be more" in admin("games", "list", "--limit", "1").stderr
    assert first("players", "list", "--search", "CARO") == ["carol"]
    assert first("players", "list", "--search", "ob@exam") == ["bob"]
    assert first("players", "list", "--search", "%") == []
    assert first("players", "list", "--limit", "1") == ["carol"]
    assert "suspended" in lines(admin("journal", "--about", "carol"))[0]
    assert len(lines(admin("journal", "--about", "carol"))) == 1
    assert "board sent again" in lines(admin("journal", "--about", "1"))[0]
    assert admin("journal", "--about", "77").exit_code == 1
    assert len(lines(admin("queue", "list", "--address", "carol@example.org"))) >= 1
    assert lines(admin("queue", "list", "--address", "@ample.org")) == ["There is no such mail."]
    assert lines(admin("queue", "list", "--status", "stuck")) == ["There is no such mail."]


def test_a_terminal_has_a_table_with_headings(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr(sys, "stdout", shown := Terminal())
    rows = [{"board": 7, "set_up": "bowl", "status": "closed", "players": ["bob", "alice"]}]
    print_list(rows, ("board", "set_up", "status", "players"), as_json=False, most=9)
    heading, line = shown.getvalue().rstrip("\n").split("\n")
    assert "set up" in heading
    assert "bob, alice" in line
    assert "\x1b[33m" in line  # the colour of what is closed
    monkeypatch.setattr(sys, "stdout", piped := io.StringIO())
    more = {"board": 12, "set_up": "", "status": "playing", "players": ["bob", "carol"]}
    print_list([*rows, more], ("board", "set_up", "status", "players"), as_json=False)
    assert piped.getvalue() == ("7   bowl  closed   bob, alice\n12        playing  bob, carol\n")


def every_command(group: click.Group = main, *path: str) -> Iterator[tuple[str, ...]]:
    """The words of each command, through the whole tree."""
    for name in group.list_commands(click.Context(group)):
        command = group.get_command(click.Context(group), name)
        assert command, name
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from every_command(command, *path, name)


@pytest.mark.on_postgresql
def test_each_command_has_help_and_refuses_what_it_does_not_know(admin: Admin) -> None:
    found = list(every_command())
    assert len(found) > 40
    for words in found:
        shown = admin(*words, "--help")
        assert (shown.exit_code, shown.stderr) == (0, ""), words
        assert shown.stdout.startswith(f"Usage: main {' '.join(words)}"), words
        if "Print JSON" in shown.stdout:
            assert any(schema.startswith(" ".join(words)) for schema in SCHEMAS), words
        for wrong in ("--nonsense", "\udcff"):
            result = admin(*words, wrong, *(["x"] * 9))
            assert result.exit_code == 2, (words, wrong)
            assert "Error: " in result.stderr, words
    assert "Exit codes: 0 done, 1 " in admin("--help").stdout
