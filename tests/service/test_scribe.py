"""Mails written by helpers beside the server."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest
from jinja2 import FileSystemLoader

from pbm.service.post.scribe import FEWEST_TO_SHARE, MOST_FAILURES, Scribe, Unwritten, Written
from pbm.store.values import OutboxMail
from tests.polling import until
from tests.serving import take_next
from tests.table import SERVER, Table

# A server that has got itself a helper, says its number, and goes on.
_SERVER = """
import asyncio
import signal
from pbm.service.post.scribe import FEWEST_TO_SHARE, Scribe

if __name__ == "__main__":
    scribe = Scribe("pbm@games.example", helpers=1)
    asyncio.run(scribe.write([None] * FEWEST_TO_SHARE))
    print(*scribe._helpers._processes, flush=True)
    signal.pause()
"""


@pytest.fixture
def mails(tmp_path: Path) -> list[OutboxMail]:
    """More mails than are written without help."""
    table = Table(f"sqlite:///{tmp_path / 'table.sqlite3'}")
    alice, bob = table.start("alice", "bob")
    for words in ("a1-c3,d4", "help", "show", "games"):
        table.hand_in(alice.address, alice.newest.reply_to, alice.mail_bytes("", words))
        table.hand_in(bob.address, bob.newest.reply_to, bob.mail_bytes("", words))
    while take_next(table.turns):
        pass
    with table.database.reading() as work:
        due = work.outbox.claim_due(table.clock(), most=99, passing_over=())
    table.close()
    return [replace(mail, id=number) for number in range(FEWEST_TO_SHARE) for mail in due]


@pytest.fixture
def scribe() -> Iterator[Scribe]:
    """A scribe with a helper."""
    scribe = Scribe(SERVER, helpers=1)
    yield scribe
    scribe.close()


def written(scribe: Scribe, mails: list[OutboxMail]) -> list[Written]:
    """What a scribe writes, each time on an event loop of its own.

    The same before a helper that it calls is there, and then.
    """
    first = asyncio.run(scribe.write(mails))
    until(lambda: not scribe.is_getting_help, "a helper")
    assert asyncio.run(scribe.write(mails)) == first
    return first


def helpers_of(scribe: Scribe) -> list[int]:
    """The process numbers of the helpers."""
    return list(scribe._helpers._processes) if scribe._helpers else []


def test_a_helper_writes_the_same_bytes(mails: list[OutboxMail], scribe: Scribe) -> None:
    alone = Scribe(SERVER)
    assert written(scribe, mails) == written(alone, mails)
    assert len(helpers_of(scribe)) == 1
    assert not helpers_of(alone)


def test_several_helpers_keep_the_order(mails: list[OutboxMail]) -> None:
    scribe = Scribe(SERVER, helpers=3)
    try:
        assert written(scribe, mails) == written(Scribe(SERVER), mails)
    finally:
        scribe.close()


def test_few_mails_need_no_helper(mails: list[OutboxMail], scribe: Scribe) -> None:
    assert len(written(scribe, mails[: FEWEST_TO_SHARE - 1])) == FEWEST_TO_SHARE - 1
    assert not helpers_of(scribe)


def test_a_broken_template_stops_no_mail_but_its_own(
    mails: list[OutboxMail], scribe: Scribe
) -> None:
    broken = [replace(mails[0], template="no-such-template"), *mails[1:]]
    first, *others = written(scribe, broken)
    assert isinstance(first, Unwritten)
    assert "no-such-template" in first.reason
    assert "TemplateNotFound" in first.exception
    assert others == written(Scribe(SERVER), mails)[1:]


def test_trouble_of_the_machine_is_not_the_mails_own(
    mails: list[OutboxMail], monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_files(*_: object) -> bytes:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("pbm.service.post.scribe.compose", out_of_files)
    (unwritten,) = written(Scribe(SERVER), mails[:1])
    assert isinstance(unwritten, Unwritten)
    assert unwritten.passes


def test_no_template_is_read_from_its_file_later(
    mails: list[OutboxMail], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = Scribe(SERVER)
    monkeypatch.setattr(FileSystemLoader, "get_source", lambda *_: 1 / 0)
    assert not any(isinstance(found, Unwritten) for found in written(alone, mails))


def test_a_helper_that_hangs_is_waited_for_only_so_long(
    mails: list[OutboxMail], scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = written(scribe, mails)
    (helper,) = helpers_of(scribe)
    monkeypatch.setattr("pbm.service.post.scribe.LONGEST_HELP", 0.05)
    os.kill(helper, signal.SIGSTOP)
    assert written(scribe, mails) == expected
    until(lambda: not _is_running(helper), "the helper's end")


def test_what_a_dead_helper_had_to_do_is_done_here(mails: list[OutboxMail], scribe: Scribe) -> None:
    expected = written(scribe, mails)
    (helper,) = helpers_of(scribe)
    os.kill(helper, signal.SIGKILL)
    assert written(scribe, mails) == expected
    assert written(scribe, mails) == expected  # by a new one
    assert helpers_of(scribe)
    assert helper not in helpers_of(scribe)


def test_helpers_that_die_and_die_are_called_no_more(
    mails: list[OutboxMail], scribe: Scribe
) -> None:
    for _ in range(MOST_FAILURES):
        expected = written(scribe, mails)
        os.kill(helpers_of(scribe)[0], signal.SIGKILL)
        assert written(scribe, mails) == expected
    assert written(scribe, mails) == expected
    assert not helpers_of(scribe)


def test_where_no_helper_can_be_started_mails_are_written_here(
    mails: list[OutboxMail], scribe: Scribe, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(_self: object) -> None:
        raise BlockingIOError("Resource temporarily unavailable")

    monkeypatch.setattr(SpawnProcess, "start", start)
    assert written(scribe, mails) == written(Scribe(SERVER), mails)


def test_helpers_do_not_mind_the_signals_for_the_server(
    mails: list[OutboxMail], scribe: Scribe
) -> None:
    written(scribe, mails)
    (helper,) = helpers_of(scribe)
    for name in (signal.SIGTERM, signal.SIGINT):
        os.kill(helper, name)
    assert written(scribe, mails) == written(Scribe(SERVER), mails)
    assert helpers_of(scribe) == [helper]


def test_a_helper_leaves_with_a_server_that_is_killed(tmp_path: Path) -> None:
    program = tmp_path / "server.py"
    program.write_text(_SERVER)
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        helper = int(server.stdout.readline())
        assert _is_running(helper)
        server.kill()
    until(lambda: not _is_running(helper), "the helper's end")


def _is_running(process: int) -> bool:
    """Whether there is such a process, and it is no zombie whom nobody has buried yet."""
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return False
    return told.rpartition(")")[2].split()[0] != "Z"
