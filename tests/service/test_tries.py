"""Mails during whose turns the server died are suspected, and no others."""

import os
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import event

from pbm.service.trouble.failures import CrashMarker
from pbm.service.turns.inbox_worker import ASIDE_FOR, MOST_TRIES, InboxWorker
from pbm.store.db import Database
from tests.serving import keep, take_next
from tests.table import SERVER, Table

MAIL = b"From: a@b.example\r\nMessage-ID: <%d@b.example>\r\nSubject: help\r\n\r\n"


def status(database: Database, number: int) -> tuple[str, int]:
    with database.reading() as work:
        mail = work.inbox.get(number)
        return mail.status, mail.tries


def kept(table: Table, count: int) -> None:
    for number in range(count):
        keep(table, "a@b.example", (SERVER,), MAIL % number)


def killed_with(path: Path, *numbers: int) -> None:
    """Leave the file of a process that was killed while it obeyed these mails."""
    path.write_text(" ".join(map(str, numbers)))


def test_starting_with_a_backlog_counts_nothing(table: Table, tmp_path: Path) -> None:
    kept(table, 2)
    for _ in range(MOST_TRIES + 1):
        InboxWorker(
            table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand")
        ).begin()
    assert status(table.database, 1) == ("new", 0)


def test_the_mail_in_hand_is_counted_and_put_aside(table: Table, tmp_path: Path) -> None:
    kept(table, 2)
    for life in range(1, MOST_TRIES + 1):
        killed_with(tmp_path / "in-hand", 2)
        InboxWorker(
            table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand")
        ).begin()
        assert status(table.database, 2)[1] == life
    assert status(table.database, 2)[0] == "stuck"
    assert status(table.database, 1) == ("new", 0)


def test_mails_in_hand_together_twice_are_taken_one_by_one(table: Table, tmp_path: Path) -> None:
    for number, name in enumerate("abc"):
        mail = (MAIL % number).replace(b"a@", f"{name}@".encode())
        keep(table, f"{name}@b.example", (SERVER,), mail)
    for life, found in enumerate([[[1, 2, 3]], [[1], [1, 2], [1, 2, 3]]], start=1):
        killed_with(tmp_path / "in-hand", 3, 1, 2)
        marker = CrashMarker(tmp_path / "in-hand")
        InboxWorker(table.database, table.site, table.clock, marker).begin()
        marker.close()
        assert [status(table.database, number) for number in (1, 2, 3)] == [("new", life)] * 3
        for minutes, numbers in enumerate(found):
            now = table.clock() + minutes * ASIDE_FOR + timedelta(seconds=1)
            with table.database.transaction() as work:
                assert [mail.id for mail in work.inbox.claim(now, 3)] == numbers
    killed_with(tmp_path / "in-hand", 1, 2, 3)
    InboxWorker(table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand")).begin()
    with table.database.transaction() as work:
        for number in (1, 2, 3):
            work.inbox.retry(number)
        assert len(work.inbox.claim(table.clock() + timedelta(seconds=1), 3)) == len("abc")


def test_a_marker_that_cannot_be_written_is_no_fault_of_the_mail(
    table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept(table, 1)
    turns = InboxWorker(table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "pwrite", full)
        assert take_next(turns)
    assert status(table.database, 1)[0] == "done"
    with turns.crash_marker.holding(2):
        assert turns.crash_marker.left_over() == (2,)


def full(*_: object) -> None:
    raise OSError("the disk is full")


def test_after_a_turn_no_mail_is_in_hand(table: Table, tmp_path: Path) -> None:
    kept(table, 1)
    turns = InboxWorker(table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand"))
    assert take_next(turns)
    turns.crash_marker.close()
    assert CrashMarker(tmp_path / "in-hand").left_over() == ()
    assert status(table.database, 1)[0] == "done"


def test_a_mail_is_in_hand_until_what_it_wrote_is_there(table: Table, tmp_path: Path) -> None:
    kept(table, 1)
    turns = InboxWorker(table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand"))
    in_hand: list[str] = []

    def look(_connection: object, _cursor: object, statement: str, *_values: object) -> None:
        if statement.startswith("INSERT INTO outbox "):
            in_hand.append((tmp_path / "in-hand").read_text().strip())

    event.listen(table.database.engine, "before_cursor_execute", look)
    assert take_next(turns)
    turns.crash_marker.close()
    assert in_hand == ["1"]


def test_a_mail_that_was_finished_meanwhile_is_left_alone(table: Table, tmp_path: Path) -> None:
    kept(table, 1)
    assert take_next(table.turns)
    killed_with(tmp_path / "in-hand", 1)
    InboxWorker(table.database, table.site, table.clock, CrashMarker(tmp_path / "in-hand")).begin()
    assert status(table.database, 1) == ("done", 0)


def test_each_of_several_processes_remembers_its_own(tmp_path: Path) -> None:
    killed_with(tmp_path / "in-hand-2", 2, 3)
    one = CrashMarker(tmp_path / "in-hand")
    with one.holding(1):
        assert CrashMarker(tmp_path / "in-hand").left_over() == (2, 3)
        assert one.left_over() == (1,)
    assert one.left_over() == ()
