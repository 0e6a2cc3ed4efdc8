"""`pbm-admin doctor` sends forged results through the mail server in front of a running pbm."""

from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes

import pytest

from tests.e2e.front import NAME, Front, running_front
from tests.e2e.player import Player, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink

PASS = "dmarc=pass header.from=players.example"


@pytest.fixture
def server(server: RunningServer) -> RunningServer:
    """The same server, started again with the name of the one in front."""
    server.stop()
    server.settings = {**server.settings, "PBM_AUTHSERV_ID": NAME}
    server.start()
    return server


@pytest.fixture
def front(server: RunningServer) -> Iterator[Front]:
    """The mail server in front."""
    with running_front(server.port) as front:
        yield front


def doctor(server: RunningServer, front: Front, *, wait: int = 60) -> tuple[int, dict[str, str]]:
    """The exit status, and what was found: `ok` or `FAIL` with the text."""
    words = ("doctor", "--front", f"127.0.0.1:{front.port}", "--wait", str(wait))
    done = server.admin(*words)
    assert not done.stderr, done.stderr
    found = (line.split(maxsplit=1) for line in done.stdout.splitlines())
    told = {rest.split(": ")[0]: f"{how} {rest.partition(': ')[2]}" for how, rest in found}
    return done.returncode, told


def checked(server: RunningServer) -> str:
    """What `check` says about the front."""
    lines = server.admin("check").stdout.splitlines()
    return next(line for line in lines if " front: " in line)


def through(front: Front, server: RunningServer, player: Player) -> Player:
    """The same player, whose mail goes through the front from now on."""
    player.server = replace(server, port=front.port)
    return player


def test_promise_12_a_front_in_order_is_believed(
    server: RunningServer, front: Front, sink: Sink
) -> None:
    alice, bob = Player("alice", server, sink), Player("bob", server, sink)
    alice.signs_up()
    bob.signs_up()
    alice.challenges(bob)
    before = len(sink.mails)
    assert checked(server).startswith("warn")

    front.says = PASS
    through(front, server, alice).writes("move 1 a1-c3,d4")
    question = alice.receives()  # not yet
    assert message_from_bytes(question.raw)["Subject"].startswith("Please confirm")

    front.says = "dmarc=none"
    status, found = doctor(server, front)
    assert (status, {text.split()[0] for text in found.values()}) == (0, {"ok"})
    assert found["Received"] == "ok 1 added on the way"
    assert found["own results"] == f"ok {NAME} has put its own on top"
    assert checked(server).startswith("ok")
    assert "front believed" in server.admin("journal").stdout

    front.says = PASS
    alice.writes("move 1 a1-c3,d4")
    assert text_of(alice.receives()).startswith("bob's move on board 1")
    assert text_of(bob.receives()).startswith("alice moved: your turn on board 1")
    assert len(sink.mails) == before + 3  # the question and two boards: the probe has no answer
    assert "the doctor's probe has arrived" in server.log


def test_promise_12_a_front_that_lets_forged_ones_through(
    server: RunningServer, front: Front
) -> None:
    assert doctor(server, front)[0] == 0
    front.removes = False
    status, found = doctor(server, front)
    assert status == 1
    assert found["forged results"].startswith("FAIL")
    for spelling in ("plain", "in capitals", "in small letters", "folded", "below a Received"):
        assert spelling in found["forged results"]
    assert checked(server).startswith("FAIL")  # what was known before is forgotten
    assert "has not found mx.games.example in order" in checked(server)
    assert "forged results: Results of mx.games.example that the probe" in checked(server)

    front.removes, front.minds_case = True, True
    status, found = doctor(server, front)
    assert status == 1
    assert "(plain, without blanks, in capitals, folded, " in found["forged results"]


@pytest.mark.parametrize("trouble", ["removes Received", "adds none", "is a stranger"])
def test_promise_12_other_ways_not_to_be_believed(
    server: RunningServer, front: Front, trouble: str
) -> None:
    if trouble == "removes Received":
        front.keeps_received = False
        words = "its Received fields are removed"
    elif trouble == "adds none":
        front.adds_received = 0
        words = "it got no Received"
    else:
        server.stop()
        server.settings = {**server.settings, "PBM_TRUSTED_PEERS": "192.0.2.0/24"}
        server.start()
        words = "127.0.0.1 handed it over, which is not one of PBM_TRUSTED_PEERS"
    status, found = doctor(server, front)
    assert status == 1
    assert any(text.startswith(f"FAIL {words}") for text in found.values()), found
    assert checked(server).startswith("FAIL")


def test_hops_are_counted(server: RunningServer, front: Front) -> None:
    assert "Nobody has tried yet" in checked(server)
    front.passes_on = False
    server.admin("doctor", "--front", f"127.0.0.1:{front.port}", "--wait", "0")
    assert "The probe has not arrived within 0 seconds" in checked(server)
    front.passes_on = True
    front.adds_received = 3
    front.says = ""
    status, found = doctor(server, front)
    assert (status, found["Received"]) == (0, "ok 3 added on the way")
    assert found["own results"].startswith("ok none of mx.games.example in this probe")


def test_what_stops_it_is_said_in_a_sentence(server: RunningServer, front: Front) -> None:
    assert doctor(server, front)[0] == 0
    front.passes_on = False
    at = f"127.0.0.1:{front.port}"
    done = server.admin("doctor", "--front", at, "--wait", "0.2")
    assert done.returncode == 1
    assert "has not arrived within 0.2 seconds" in done.stderr
    assert checked(server).startswith("ok")  # nothing was learned
    for place, words in (("nowhere", "it is not host:port"), ("127.0.0.1:1", "does not answer")):
        done = server.admin("doctor", "--front", place)
        assert done.returncode != 0
        assert words in done.stderr
    server.settings = {**server.settings, "PBM_AUTHSERV_ID": ""}
    assert "PBM_AUTHSERV_ID is not set" in server.admin("doctor", "--front", at).stderr
    server.settings = {**server.settings, "PBM_AUTHSERV_ID": "two words"}
    assert "PBM_AUTHSERV_ID must be" in server.admin("doctor", "--front", at).stderr


def test_a_probe_is_taken_once_and_only_where_one_is_waited_for(
    server: RunningServer, front: Front, sink: Sink
) -> None:
    assert doctor(server, front)[0] == 0
    stranger = Player("stranger", server, sink)
    with pytest.raises(Exception, match="not valid any more"):
        stranger.writes("hello", to="pbm+probe.aaaaaaaaaaaaaaaaaaaaaaaa@games.example")
    assert not sink.mails
