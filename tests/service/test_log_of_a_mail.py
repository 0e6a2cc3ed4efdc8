"""A mail has one name in all lines of the log, which tell no address unless they are asked to."""

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from pbm.addresses import digest_of
from pbm.app.log import processors
from pbm.config import load_settings
from pbm.errors import OperatorError
from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_out.delivery import Sent
from pbm.service.intake.door import Door
from pbm.service.post.post import Composer, Post
from pbm.service.running.writer import Writer, here
from tests.secrets_issued import ISSUED
from tests.serving import take_next
from tests.table import PEER, Table

BOB = "bob@example.org"
LINE = {
    "event": "session",
    "in": "i12",
    "sender": BOB,
    "outcome": f"RCPT TO:<pbm+g1.u2.****@games.example>: 451 no <{BOB.upper()}>; PBM@games.example",
    "message_id": "<1@mailer.example>",
    "exception": f"Traceback\n  @property\nKeyError: 'pbmx@games.example {BOB}'",
    "kept": 1,
}


@pytest.fixture
def at_debug() -> Iterator[None]:
    before = structlog.get_config()["wrapper_class"]
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.DEBUG))
    yield
    structlog.configure(wrapper_class=before)


@pytest.mark.usefixtures("at_debug")
def test_each_stage_is_a_line_about_the_mail(embedded: Table) -> None:
    alice, _ = embedded.start("alice", "bob")
    to, raw = alice.newest.reply_to, alice.mail_bytes("", "a1-c3,d4\nHello!")
    writer = Writer(embedded.database, here)
    door = Door(embedded.intake, embedded.database, here, writer, here)
    post = Post(embedded.database, embedded.site, embedded.clock, None, Composer(""))  # type: ignore[arg-type]
    with capture_logs() as logs:
        asyncio.run(door.keep(alice.address, (to,), raw, Caller(PEER, "")))
        assert take_next(embedded.turns)
        with embedded.database.transaction() as work:
            post.record(work, [(mail, Sent("250 Ok")) for mail in post.claim()])
    post.holds.close()
    (came,) = {line["in"] for line in logs if "in" in line}
    told = [[line.get(name) for name in ("event", "in", "board", "player")] for line in logs]
    assert told == [
        ["mail received", None, None, None],
        ["mail kept", came, None, None],
        ["mail read", came, None, None],
        ["mail understood", came, 1, "alice"],
        ["mail written", came, 1, "alice"],
        ["mail written", came, 1, "bob"],
        ["mail done", came, 1, None],
        ["mail sent", came, 1, "alice"],
        ["mail sent", came, 1, "bob"],
    ]
    assert logs[-3]["taken"] == "alice: tag"
    assert all(line["out"].startswith("o") and line["reply"] == "250 Ok" for line in logs[-2:])
    ISSUED.none_in(str(logs), "the log")
    assert "Hello" not in str(logs)


def rendered(**settings: str) -> str:
    """The line as the server writes it."""
    named = {f"PBM_LOG_{name.upper()}": value for name, value in settings.items()}
    environment = {"PBM_ADDRESS": "pbm@games.example", **named}
    line = dict(LINE)
    for process in processors(load_settings(environment, Path("no.toml"))):
        line = process(None, "info", line)  # type: ignore[assignment]
    return str(line)


def test_addresses_are_digests_unless_they_are_asked_for() -> None:
    told = rendered()
    assert "@example.org" not in told.lower()
    assert told.count(digest_of(BOB)) == 3
    assert "RCPT TO:<pbm+g1.u2.****@games.example>" in told
    assert "PBM@games.example" in told
    assert "pbmx@games.example" not in told
    assert "<1@mailer.example>" in told
    assert "\\n  @property" in told
    assert BOB in rendered(addresses="plain")


@pytest.mark.parametrize(
    "address",
    [
        "bob@[192.168.1.4]",
        "bob@[IPv6:fe80::1]",
        '"b ob"@example.org',
        "b\u00f6b@b\u00fccher.example",
    ],
)
def test_an_address_of_any_form_is_one_digest(address: str) -> None:
    """Beside marks that end a sentence; a quoted local part may have blanks."""
    line = {"event": "session", "sender": f"<{address}>", "outcome": f"from {address}."}
    for process in processors(load_settings({"PBM_ADDRESS": "pbm@games.example"}, Path("no.toml"))):
        line = process(None, "info", line)  # type: ignore[assignment]
    assert f"sender=<{digest_of(address)}>" in str(line)
    assert f"from {digest_of(address)}." in str(line)


def test_it_is_logfmt_or_json() -> None:
    assert " level=info event=session in=i12 sender=~" in rendered()
    told = json.loads(rendered(format="json", addresses="plain"))
    assert {**told, "timestamp": ""} == {**LINE, "level": "info", "timestamp": ""}
    assert list(told)[:4] == ["timestamp", "level", "event", "in"]


@pytest.mark.parametrize("name", ["format", "level", "addresses"])
def test_another_word_is_refused(name: str) -> None:
    with pytest.raises(OperatorError, match=rf"^PBM_LOG_{name.upper()} is one of \w+"):
        load_settings({f"PBM_LOG_{name.upper()}": "loud"}, Path("no.toml"))
