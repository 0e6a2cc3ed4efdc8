"""Mails of the outbox, written as bytes."""

import asyncio
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jinja2 import FileSystemLoader

from pbm.errors import OperatorError
from pbm.mail.smtp_out.delivery import Deferred
from pbm.mail.writing.render import templates_of
from pbm.service.post.post import Composer, Written
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
    assert isinstance(first, Deferred)  # it may be read again after an upgrade
    assert "TemplateNotFound: no-such-template" in first.reason
    assert others == written(mails)[1:]
    assert others


@pytest.mark.parametrize(
    ("name", "written", "told"),
    [
        ("board.txt", b"Hello\n{% if %}\n", "board.txt, line 2: Expected an expression"),
        ("page.html", b"{{ body", "page.html, line 1: unexpected end of template"),
        (
            "help.txt",
            b"{{ v.name | shouted }}",
            "help.txt, line 1: No filter named 'shouted'. Mend",
        ),
        ("odd.txt", b"\xff", "odd.txt is not written in UTF-8"),
    ],
)
def test_a_template_with_a_slip_is_a_sentence_with_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, written: bytes, told: str
) -> None:
    (tmp_path / "page.html").write_text("{{ body }}", encoding="utf-8")
    (tmp_path / name).write_bytes(written)
    monkeypatch.setattr("pbm.mail.writing.render.resource_path", lambda _: tmp_path)
    with pytest.raises(OperatorError, match=re.escape(told)):
        Composer(SERVER)


def test_trouble_of_the_machine_is_not_the_mails_own(
    mails: list[OutboxMail], monkeypatch: pytest.MonkeyPatch
) -> None:
    def out_of_files(*_: object) -> bytes:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr("pbm.service.post.post.compose", out_of_files)
    (unwritten,) = written(mails[:1])
    assert isinstance(unwritten, Deferred)


def test_no_template_is_read_from_its_file_later(
    mails: list[OutboxMail], monkeypatch: pytest.MonkeyPatch
) -> None:
    templates_of.cache_clear()  # what other tests have read already
    composer = Composer(SERVER)
    monkeypatch.setattr(FileSystemLoader, "get_source", lambda *_: 1 / 0)
    assert all(isinstance(found, bytes) for found in asyncio.run(composer.write(mails)))
