"""Behind a real Postfix and out through it, set up with the handbook's own lines."""

import re
import shutil
import smtplib
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from pbm.play.limits import OF_ORIGIN
from tests.e2e.handbook import files_under
from tests.e2e.player import SERVER, Player, position_in, text_of
from tests.e2e.ports import free_port
from tests.e2e.postfix import Postfix, running_postfix
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.polling import PATIENCE, until

pytestmark = pytest.mark.thorough

OWN_DOMAIN = "## Behind Postfix"
WAYS = {
    "LMTP": ("", "+"),
    "LMTP by a local socket": ("### By a local socket", "+"),
    "SMTP": ("### By SMTP", "+"),
    "another separator": ("### Where a plus does not get through", "-"),
    "other mailboxes": ("### At a domain with other mailboxes", "+"),
}
REFUSED = """\
/^gone@/    550 5.1.1 There is nobody of that name.
/^barred@/  550 5.7.1 We take no mail from you.
/^busy@/    450 4.2.1 The mailbox is busy.
"""


@dataclass
class Site:
    """pbm, and the Postfix in front of it and behind it."""

    server: RunningServer
    postfix: Postfix
    sink: Sink

    def player(self, handle: str) -> Player:
        """Somebody who writes through Postfix."""
        return Player(handle, self.postfix, self.sink)


@contextmanager
def site(
    folder: Path, sink: Sink, heading: str = "", main: str = "", **more: str
) -> Iterator[Site]:
    """Everything set up as the handbook says, but for ports, folders and the domain."""
    files = files_under(OWN_DOMAIN)
    settings = files.pop("pbm.toml")
    if heading:
        other = files_under(heading)
        settings += other.pop("pbm.toml")
        files |= other
    port, lmtp_port = free_port(), free_port()

    def here(text: str) -> str:
        # Both domains of the handbook are the players' SERVER here.
        text = text.replace("you@example.org", "operator@world.example")
        text = re.sub(r"(?:games(\\?)\.)?example(?:\\?)\.org", r"games\1.example", text)
        return text.replace(":8024", f":{lmtp_port}").replace(":8025", f":{port}")

    placed = {name: here(text) for name, text in files.items()}
    refused = "smtpd_recipient_restrictions = check_recipient_access regexp:/etc/postfix/refused\n"
    placed["refused"] = REFUSED
    with running_postfix(sink.port, placed, main=main + refused) as postfix:
        (postfix.queue / "pbm").mkdir(mode=0o750)
        shutil.chown(postfix.queue / "pbm", group="postfix")
        wanted = here(settings).replace("/var/spool/postfix", str(postfix.queue))
        wanted = wanted.replace('127.0.0.1:25"', f'127.0.0.1:{postfix.port}"')
        chosen = settings_of(wanted) | more
        listen = {chosen["PBM_LISTEN"], f"127.0.0.1:{port}"}
        chosen["PBM_LISTEN"] = ", ".join(sorted(listen))
        with RunningServer(folder, chosen, port=port) as server:
            yield Site(server, postfix, sink)


def settings_of(toml: str) -> dict[str, str]:
    """The settings of those lines; of two lines for one setting the later counts."""
    settings: dict[str, str] = {}
    for line in filter(None, toml.split("\n")):
        settings |= tomllib.loads(line)
    return settings


@pytest.mark.parametrize("way", WAYS)
def test_a_small_game_through_postfix_in_and_out(way: str, tmp_path: Path, sink: Sink) -> None:
    heading, separator = WAYS[way]
    main = "mydestination = games.example\n" if way == "other mailboxes" else ""
    with site(tmp_path, sink, heading, main) as here:
        alice, bob = here.player("alice"), here.player("bob")
        for player in (alice, bob):
            player.signs_up()  # to the plain address, and the yes to a question's address
        board = alice.challenges(bob)
        alice.answers(board, "a1-c3,d4\n\nHave fun!")
        assert position_in(text_of(alice.receives())).turn == 2
        answered = bob.receives()
        assert "Have fun!" in text_of(answered)
        tag = rf"pbm{re.escape(separator)}g1\.u\d+\.".encode()
        assert re.search(tag, answered.raw)
        bob.answers(answered, "i9-g7,f6")
        assert position_in(text_of(bob.receives())).turn == 1
        assert position_in(text_of(alice.receives())).turn == 1
        here.server.until_all_is_sent()
        by = "smtp" if way == "SMTP" else "lmtp"
        taken = [line for line in here.postfix.log.split("\n") if "2.0.0 kept as" in line]
        assert len(taken) == 7
        assert all(f"postfix/{by}" in line for line in taken)
        log = here.server.log
    assert "Traceback" not in log


def test_postfix_refuses_who_is_not_there(tmp_path: Path, sink: Sink) -> None:
    with site(tmp_path, sink) as here, smtplib.SMTP("127.0.0.1", here.postfix.port) as smtp:
        smtp.ehlo()
        smtp.mail("x@wild.example")
        assert smtp.rcpt("pbmx@games.example")[0] == 550
        assert smtp.rcpt(SERVER)[0] == 250


def test_a_wrong_tag_comes_back_in_a_sentence(tmp_path: Path, sink: Sink) -> None:
    with site(tmp_path, sink) as here:
        alice = here.player("alice")
        alice.signs_up()
        alice.writes("whoami", to="pbm+u1.kexample0example0@games.example")
        bounce = alice.receives()
        assert bounce.sender in ("", "<>")
        assert "This reply address is not valid any more" in " ".join(text_of(bounce).split())


def test_one_mail_to_two_of_our_addresses_is_answered_for_each(tmp_path: Path, sink: Sink) -> None:
    with site(tmp_path, sink) as here:
        alice = here.player("alice")
        alice.signs_up()
        raw = b"From: alice@players.example\r\nSubject: hello\r\nMessage-ID: <1@x>\r\n\r\nhi\r\n"
        with smtplib.SMTP("127.0.0.1", here.postfix.port, timeout=PATIENCE) as smtp:
            smtp.sendmail(alice.address, ["postmaster@games.example", SERVER], raw)
        until(lambda: sink.to("operator@world.example"), "the operator's copy")
        alice.receives()
        assert here.postfix.log.count("2.0.0 kept as") == 4


def test_postfix_tells_for_whom_it_speaks(tmp_path: Path, sink: Sink) -> None:
    (main,) = files_under("### Who writes, behind a front server").values()
    with site(tmp_path, sink, main=main, PBM_TRUSTED_PEERS="127.0.0.1") as here:

        def writes(name: str, source: str) -> None:
            raw = f"From: {name}@forged.example\r\nSubject: hello {name}\r\n\r\nhi\r\n"
            port, place = here.postfix.port, (source, 0)
            with smtplib.SMTP("127.0.0.1", port, timeout=60, source_address=place) as smtp:
                smtp.sendmail(f"{name}@forged.example", [SERVER], raw)

        for number in range(OF_ORIGIN.most):
            writes(f"p{number}", "127.0.8.1")
            until(lambda: here.postfix.log.count("2.0.0 kept as") > number, "a mail taken")  # noqa: B023
        writes("late", "127.0.8.2")
        writes("elsewhere", "127.0.9.1")
        until(lambda: sink.to("elsewhere@forged.example"), "an answer to another network")
        until(lambda: "450 4.7.1 More people who are new here" in here.postfix.log, "the 450")
        assert not sink.to("late@forged.example")


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("handle", "code", "status"), [("barred", 550, "failed"), ("busy", 450, "due")]
)
def test_postfix_refuses_a_recipient_of_ours(
    handle: str, code: int, status: str, tmp_path: Path, sink: Sink
) -> None:
    with site(tmp_path, sink) as here:
        alice = here.player("alice")
        alice.signs_up()
        Player(handle, here.server, sink).writes(f"signup {handle}")
        listed = until(lambda: queue_with(here.server, str(code)), "the refusal in the queue")
        (line,) = [line for line in listed.split("\n") if f"question to {handle}@" in line]
        assert status in line.split()
        # Nobody else's mail waits for it.
        alice.answers(alice.welcome, "whoami")
        assert "You are alice" in text_of(alice.receives())
        # Postfix reads its tables anew once nobody is connected.
        here.server.stop()
        here.postfix.write("refused", "/^nobody@/ OK\n")
        here.postfix.reload()
        here.server.start()
        (number,) = re.findall(r"\bo\d+\b", line)
        retried = here.server.admin("queue", "retry", number)
        assert retried.returncode == 0, retried.stderr
        asked = until(lambda: sink.to(f"{handle}@players.example"), "the mail at last")
        assert f"Reply yes to play as {handle}" in text_of(asked[0])


@pytest.mark.thorough
def test_a_question_to_a_mailbox_that_is_gone_troubles_nobody(tmp_path: Path, sink: Sink) -> None:
    with site(tmp_path, sink) as here:
        Player("gone", here.server, sink).writes("signup gone")
        refused = "dropped: RCPT: 550 5.1.1"

        def traced() -> bool:
            return refused in " ".join(here.server.admin("trace", "i1").stdout.split())

        until(traced, "the refusal in the trace")
        assert "The queue is empty" in here.server.admin("queue", "list").stdout


def queue_with(server: RunningServer, word: str) -> str:
    """The queue's list, once a word is in it."""
    listed = server.admin("queue", "list")
    assert listed.returncode == 0, listed.stderr
    return listed.stdout if word in listed.stdout else ""
