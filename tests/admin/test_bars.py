"""How far a long task is: on a terminal a bar, elsewhere nothing."""

import io
import re
import sys
from pathlib import Path

import click
import pytest

from pbm.admin import bars
from pbm.config import Settings
from pbm.service.operator.backup import backup, restore
from pbm.service.operator.progress import counted, progress, watched_by
from pbm.service.operator.trial import try_backup
from tests.admin.conftest import Room

OF_SQLITE = {"copying", "checking the copy", "restoring"}
OF_POSTGRESQL = {"pg_dump runs", "pg_restore runs", "psql runs"}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_has_a_bar_and_a_pipe_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(bars, "_MOMENT", 0)
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    monkeypatch.setattr(sys, "stdout", piped := io.StringIO())
    with bars.bars():
        for number in counted((12, 13), "verifying boards"):
            click.echo(f"board {number}: wrong")
        progress("pg_dump runs")
        click.echo("It is done.")
    for words in ("verifying boards", "0%", "pg_dump runs"):
        assert words in shown.getvalue()
    assert "wrong" not in shown.getvalue()
    assert piped.getvalue() == "board 12: wrong\nboard 13: wrong\nIt is done.\n"


def test_lines_on_a_terminal_are_above_the_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(bars, "_MOMENT", 0)
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(sys, "stdout", shown)
    with bars.bars():
        for number in counted((12, 13), "verifying boards"):
            click.echo(f"board {number}: wrong")
        progress("pg_dump runs")
        click.echo("It is done.")
    assert re.findall(r"\r\x1b\[2K([\w: .]+)\n", shown.getvalue()) == [
        "board 12: wrong",
        "board 13: wrong",
        "It is done.",
    ]
    assert sys.stdout is shown


def test_elsewhere_is_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    with bars.bars():
        assert list(counted("ab", "verifying boards")) == ["a", "b"]
    assert shown.getvalue() == ""


@pytest.mark.on_postgresql
def test_backup_and_restore_tell_how_far_they_are(room: Room, settings: Settings) -> None:
    told: dict[str, tuple[int, int | None]] = {}
    room.posts()
    with watched_by(lambda what, *how_far: told.update({what: how_far})):
        backup(settings, Path("a.tar.gz"))
        try_backup(settings, Path("a.tar.gz"), Path())
        restore(settings, Path("a.tar.gz"), force=True)
    by_kind = OF_SQLITE if room.table.database.embedded else OF_POSTGRESQL
    assert set(told) == {"packing", "unpacking", "replaying boards", *by_kind}
    assert all(done == total for done, total in told.values() if total is not None)
