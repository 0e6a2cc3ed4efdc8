"""Promise 7: two servers that play with each other, and robots that ignore every rule."""

from pathlib import Path

import pytest

from tests.e2e.player import Player, text_of
from tests.e2e.relay import Relay, running_relay
from tests.e2e.running import RunningServer
from tests.polling import until

ROBOT, SECOND = "robot@robots.example", "second@robots.example"
ROBOTS = {
    ROBOT: "I am on holiday, and will read your mail when I am back.",
    SECOND: "Your mail was received, and has the number {number}.",
}
WHY = ("--why", "a test")
MOST = 400  # mails altogether; a loop has no end


def server_at(folder: Path, domain: str, relay: Relay) -> RunningServer:
    """A server with an address of its own that sends everything to the relay."""
    folder.mkdir()
    return RunningServer(
        folder, {"PBM_ADDRESS": f"pbm@{domain}", "PBM_SMARTHOST": relay.url, "PBM_OPERATOR": ""}
    )


def is_quiet(relay: Relay, *servers: RunningServer) -> bool:
    """Whether nothing waits anywhere, and nothing has moved while that was looked at."""
    before = len(relay.mails)
    assert before < MOST, "the mails do not stop"
    queues = [server.admin("queue", "list").stdout.strip() for server in servers * 2]
    return set(queues) == {"The queue is empty."} and len(relay.mails) == before


def plays_from(handle: str, address: str, server: RunningServer, relay: Relay) -> Player:
    """A player whose mail goes to an address that nobody reads."""
    player = Player(handle, server, relay)
    player.signs_up()
    moved = server.admin("players", "set-address", handle, address, *WHY)
    assert moved.returncode == 0, moved.stderr
    return player


@pytest.mark.thorough
@pytest.mark.parametrize("strips", [False, True])
def test_promise_07_the_mails_stop(tmp_path: Path, strips: bool) -> None:
    with running_relay(ROBOTS, strips=strips) as relay:
        first = server_at(tmp_path / "first", "one.example", relay)
        second = server_at(tmp_path / "second", "two.example", relay)
        relay.ports.update({"one.example": first.port, "two.example": second.port})
        with first, second:
            alice, bea = Player("alice", first, relay), Player("bea", second, relay)
            alice.signs_up()
            bea.signs_up()
            plays_from("mirror", "pbm@two.example", first, relay)
            plays_from("echo", "pbm@one.example", second, relay)
            plays_from("answerer", ROBOT, first, relay)
            plays_from("second", SECOND, first, relay)
            alice.answers(alice.welcome, "challenge me mirror answerer second")
            bea.answers(bea.welcome, "challenge me echo")
            board = alice.receives()
            until(lambda: is_quiet(relay, first, second), "the mails to stop", patience=300)
            assert len(relay.answered) == len(relay.to(ROBOT)) + len(relay.to(SECOND)) > 10
            assert all(said.startswith(("250 ", "450 ")) for said in relay.answered)
            assert relay.to("pbm@two.example")
            assert relay.to("pbm@one.example")
            alice.read = len(alice.mails)
            alice.answers(board, "show")  # the server still listens to people
            assert "Your move on board 1" in text_of(alice.receives())
