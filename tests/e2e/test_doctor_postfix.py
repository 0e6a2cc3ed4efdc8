"""`pbm-admin doctor` and a real Postfix in front, set up with the handbook's own lines."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.milter import Milter, running_milter
from tests.e2e.player import text_of
from tests.e2e.sink import Sink
from tests.e2e.test_doctor import doctor
from tests.e2e.test_postfix import Site, site

pytestmark = pytest.mark.thorough

HANDBOOK = Path(__file__).resolve().parents[2] / "docs" / "operating.md"
NAME = "mx.example.org"
CHECKS = "header_checks = regexp:/etc/postfix/header_checks\n"


def line_of_the_handbook() -> str:
    """The line for `header_checks`."""
    (line,) = re.findall(r"`(/\^Authentication-Results\S* IGNORE)`", HANDBOOK.read_text("utf-8"))
    return f"{line}\n"


@contextmanager
def believing(folder: Path, sink: Sink, *, heading: str = "", main: str = "") -> Iterator[Site]:
    """A site whose server knows the name of the Postfix in front."""
    with site(folder, sink, heading, main) as here:
        here.server.stop()
        here.server.settings = {**here.server.settings, "PBM_AUTHSERV_ID": NAME}
        here.server.start()
        yield here


@pytest.fixture
def milter() -> Iterator[Milter]:
    with running_milter(NAME) as milter:
        yield milter


@pytest.mark.parametrize("heading", ["", "### By a local socket", "### By SMTP"])
def test_promise_12_postfix_removes_them_by_the_line_of_the_handbook(
    heading: str, tmp_path: Path, sink: Sink
) -> None:
    with believing(tmp_path, sink, heading=heading, main=CHECKS) as here:
        here.postfix.write("header_checks", "/^nothing/ IGNORE\n")
        here.postfix.reload()
        status, found = doctor(here.server, here.postfix)
        assert status == 1
        assert "plain" in found["forged results"]
        here.postfix.write("header_checks", line_of_the_handbook())
        here.postfix.reload()
        status, found = doctor(here.server, here.postfix)
        assert status == 0, found
        assert found["Received"] == "ok 1 added on the way"
        assert found["own results"].startswith("ok none of mx.example.org")


@pytest.mark.parametrize(("index", "place"), [(0, "on top"), (1, "right below its Received")])
def test_promise_12_a_milter_of_postfix_is_believed(
    index: int, place: str, tmp_path: Path, sink: Sink, milter: Milter
) -> None:
    milter.index = index
    main = f"smtpd_milters = inet:127.0.0.1:{milter.port}\nmilter_default_action = tempfail\n"
    with believing(tmp_path, sink, main=main) as here:
        alice, bob = here.player("alice"), here.player("bob")
        for player in (alice, bob):
            player.signs_up()
        board = alice.challenges(bob)
        milter.says = "dmarc=pass header.from=players.example"
        alice.writes("move 1 a1-c3,d4")
        assert text_of(alice.receives()).startswith("Did you send")  # not tried yet
        status, found = doctor(here.server, here.postfix)
        assert status == 0, found
        assert found["own results"].startswith(f"ok {NAME} has put its own {place}")
        alice.writes("move 1 a1-c3,d4")
        assert text_of(alice.receives()).startswith("bob's move on board 1")
        milter.says = "dmarc=fail header.from=players.example"
        alice.answers(board, "resign")
        assert "its DMARC check has failed" in " ".join(text_of(alice.receives()).split())


def test_promise_12_a_milter_that_removes_nothing_is_not(
    tmp_path: Path, sink: Sink, milter: Milter
) -> None:
    milter.removes = False
    main = f"smtpd_milters = inet:127.0.0.1:{milter.port}\n"
    with believing(tmp_path, sink, main=main) as here:
        status, found = doctor(here.server, here.postfix)
        assert status == 1
        assert found["forged results"].startswith("FAIL")
        assert not sink.mails
