"""The README's way to try it: one server on its defaults, and `pbm-admin` beside it."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.rules.robots import ROBOTS
from tests.e2e.running import RunningServer

ALICE, BOB = "alice@example.org", "bob@example.org"
WHY = ("--why", "a slip of the pen")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningServer]:
    """A server without any setting but the port, started by somebody who hides nothing."""
    before = os.umask(0o022)
    try:
        with RunningServer(tmp_path) as server:
            yield server
    finally:
        os.umask(before)


def done(server: RunningServer, *words: str) -> str:
    """What `pbm-admin` prints when all is well."""
    result = server.admin(*words)
    assert (result.returncode, result.stderr) == (0, ""), result
    return result.stdout


def says(server: RunningServer, who: str, *words: str) -> None:
    """Send a mail, and wait as long as it takes for something to come back."""
    sent = done(server, "send", "--as", who, "--wait", "60", *words)
    assert re.fullmatch(r"250 2\.0\.0 kept as i\d+\n((?:pbm|Abalone|Please).*: .+\n)+", sent), sent


def test_a_game_is_begun_watched_and_kept(server: RunningServer, tmp_path: Path) -> None:
    for handle, address in (("alice", ALICE), ("bob", BOB)):
        says(server, address, f"signup {handle}")
        assert f"Reply yes to play as {handle}" in done(server, "read", address)
        says(server, address, "yes")
    says(server, ALICE, "challenge bob")
    says(server, ALICE, "a1-c3,d4\nGood luck!")
    first, second = done(server, "read", ALICE, "-n", "2").split(f"{'-' * 76}\n")
    assert "Your move on board 1, by " in first
    assert "bob's move on board 1; nothing to do." in second

    said = server.admin("check")
    assert said.returncode == 0, said.stdout
    found = [line.split()[:2] for line in said.stdout.strip().split("\n")]
    assert [what for word, what in found if word == "warn"] == ["operator:", "backup:"]
    assert {word for word, _ in found} == {"ok", "warn"}
    assert "answers: 220 localhost ESMTP" in said.stdout

    done(server, "backup", "b.tar.gz")
    assert (tmp_path / "b.tar.gz").stat().st_mode & 0o777 == 0o600
    done(server, "--who", "carol", "games", "undo", "1", *WHY)
    shown = done(server, "games", "show", "1")
    assert re.search(r"UTC  carol {9}ply undone \(move a1-c3,b2, ply 1\): a slip of the pen", shown)
    assert done(server, "verify") == "1 board replayed, 0 wrong.\n"

    refused = server.admin("restore", "b.tar.gz", "--force")
    assert refused.returncode == 1
    assert refused.stderr == (
        f"Error: A server is running on 127.0.0.1 port {server.port}. Stop it before restoring.\n"
    )
    server.stop()
    assert [word for word in re.findall(r"event=(\w+)", server.log) if "stop" in word] == [
        "stopping",
        "stopped",
    ]
    restored = done(server, "restore", "b.tar.gz", "--force")
    assert f"{2 + len(ROBOTS)} players, 1 boards, 1 moves." in restored
    assert "New boards are numbered from 2001 and new players from 2001, so that" in restored
    assert "a1-c3,b2" in done(server, "games", "show", "1")
    server.start()
    assert "Boards in progress that may have lost moves, 1: 1\n" in done(server, "release")
    says(server, BOB, "i9-g7,f6")
    assert done(server, "verify", "1") == "1 board replayed, 0 wrong.\n"
    for made in (tmp_path / "var", *(tmp_path / "var").rglob("*")):
        assert made.stat().st_mode & 0o077 == 0, made


def test_in_the_wrong_folder_nothing_is_made(server: RunningServer, tmp_path: Path) -> None:
    elsewhere = RunningServer(tmp_path / "elsewhere", port=server.port)
    elsewhere.folder.mkdir()
    for words in (("players", "list"), ("verify",), ("backup", "b.tar.gz")):
        result = elsewhere.admin(*words)
        assert (result.returncode, result.stdout) == (1, "")
        assert result.stderr.startswith(f"Error: There is no database at {elsewhere.folder}/var/")
        assert result.stderr.count("\n") == 1
    assert list(elsewhere.folder.iterdir()) == []
