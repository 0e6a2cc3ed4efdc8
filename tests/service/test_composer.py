"""Mails of the outbox, written as bytes."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from jinja2 import FileSystemLoader

from pbm.mail.writing.render import templates_of
from pbm.service.post.composer import Composer, Unwritten, Written
from pbm.store.values.mails import OutboxMail
from tests.serving import take_next
from tests.table import SERVER, Table


@pytest.fixture
def mails(tmp_path: Path) -> list[OutboxMail]:
    """Board mails and answers that wait to be sent."""
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
    return due


def written(mails: list[OutboxMail]) -> list[Written]:
    return asyncio.run(Composer(SERVER).write(mails))


def test_a_broken_template_stops_no_mail_but_its_own(mails: list[OutboxMail]) -> None:
    broken = [replace(mails[0], template="no-such-template"), *mails[1:]]
    first, *others = written(broken)
    assert isinstance(first, Unwritten)
    assert "no-such-template" in first.reason
    assert "TemplateNotFound" in first.exception
    assert others == written(mails)[1:]
    assert others


def test_trouble_of_the_machine_is_not_the_mails_own(
    mails: list[OutboxMail], monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_files(*_: object) -> bytes:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("pbm.service.post.composer.compose", out_of_files)
    (unwritten,) = written(mails[:1])
    assert isinstance(unwritten, Unwritten)
    assert unwritten.passes


def test_no_template_is_read_from_its_file_later(
    mails: list[OutboxMail], monkeypatch: pytest.MonkeyPatch
) -> None:
    templates_of.cache_clear()  # what other tests have read already
    composer = Composer(SERVER)
    monkeypatch.setattr(FileSystemLoader, "get_source", lambda *_: 1 / 0)
    assert not any(isinstance(found, Unwritten) for found in asyncio.run(composer.write(mails)))
