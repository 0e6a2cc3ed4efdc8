"""Killed at every step of a turn: nothing is lost and nothing is played twice."""

import signal
import smtplib
from contextlib import suppress
from email import message_from_bytes
from email.message import EmailMessage
from smtplib import SMTPServerDisconnected

import pytest

from pbm.service.trouble.failures import HUNG
from tests.e2e.dying_server import STEPS
from tests.e2e.player import Player, position_in, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Delivered
from tests.polling import PATIENCE, until

DEADLY = sorted(set(STEPS) - {"planted-bug", "hangs", "hangs-alone"})


def dying(server: RunningServer, step: str) -> RunningServer:
    """The same server, on the same port and data, that dies at a step."""
    return RunningServer(server.folder, server.settings, ("dying-server", step), server.port)


@pytest.mark.parametrize(
    "step",
    [
        step if step == "after-playing-the-ply" else pytest.param(step, marks=pytest.mark.thorough)
        for step in DEADLY
    ],
)
def test_promise_01_and_promise_05_killed_at(
    step: str, server: RunningServer, alice: Player, bob: Player
) -> None:
    board = alice.challenges(bob)
    move = alice.answer_to(board, "a1-c3,d4")
    server.stop()
    doomed = dying(server, step)
    doomed.start_process()
    acknowledged = hand_over(doomed, alice, move)
    assert doomed.process is not None
    assert doomed.process.wait(PATIENCE) == -9
    server.start()
    if not acknowledged:
        alice.sends(move)
    for player in (alice, bob):
        played = until(lambda player=player: with_ply(player, 1), "the board after the move")
        assert len({message_from_bytes(mail.raw)["Message-ID"] for mail in played}) == 1
        assert position_in(text_of(played[0])).turn == 2
    # The game goes on, and the database agrees with its own moves.
    bob.answers(with_ply(bob, 1)[0], "i9-g7,f6")
    after = until(lambda: with_ply(alice, 2), "the answer")
    assert position_in(text_of(after[0])).state().split()[1:] == ["1", "0,0", "quiet=2"]
    verified = server.admin("verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


@pytest.mark.parametrize(
    ("step", "line", "status"),
    [
        ("after-playing-the-ply", "a1-c3,d4", -signal.SIGKILL),
        pytest.param("hangs", "resign", HUNG, marks=pytest.mark.thorough),
        pytest.param("hangs-alone", "resign", -signal.SIGALRM, marks=pytest.mark.thorough),
    ],
)
def test_a_mail_that_kills_the_server_or_hangs_is_put_aside(
    step: str,
    line: str,
    status: int,
    server: RunningServer,
    alice: Player,
    bob: Player,
) -> None:
    board = alice.challenges(bob)
    server.stop()
    doomed = dying(server, step)
    doomed.start()
    with suppress(SMTPServerDisconnected):  # it may die before it says that the mail is kept
        alice.answers(board, line)
    assert doomed.process is not None
    assert doomed.process.wait(PATIENCE) == status
    for _ in range(2):
        doomed.start_process()
        assert doomed.process.wait(PATIENCE) == status
    doomed.start()  # three tries are over: it serves again
    assert ("turn hangs, so the server ends" in doomed.log) is (status == HUNG)
    assert ("dying_server.py" in doomed.log) is (status != -signal.SIGKILL)  # where it was
    notice = until(lambda: alice.sink.to("operator@games.example"), "word to the operator")
    assert "is stuck" in message_from_bytes(notice[0].raw)["Subject"]
    assert "ran into a fault of ours" in text_of(alice.receives())
    doomed.stop()


@pytest.mark.thorough
def test_a_bug_stops_one_mail_and_nothing_else(
    server: RunningServer, alice: Player, bob: Player
) -> None:
    board = alice.challenges(bob)
    server.stop()
    buggy = dying(server, "planted-bug")
    buggy.start()
    bob.answers(bob.mails[-1], "resign\n\nSorry!")
    notice = until(lambda: alice.sink.to("operator@games.example"), "word to the operator")[0]
    number = message_from_bytes(notice.raw)["Subject"].split()[2]
    assert "ZeroDivisionError: a planted bug" in text_of(notice)
    assert "ran into a fault of ours" in text_of(bob.receives())
    alice.answers(board, "a1-c3,d4")
    assert position_in(text_of(alice.receives())).turn == 2
    bob.receives()
    buggy.stop()
    server.start()
    retried = server.admin("queue", "retry", number)
    assert retried.returncode == 0, retried.stdout + retried.stderr
    over = text_of(alice.receives())
    assert over.startswith("Board 1 is over: you ")
    assert "| Sorry!" in over


def hand_over(server: RunningServer, player: Player, mail: EmailMessage) -> bool:
    """Send a mail; say whether it was acknowledged."""
    until(server.greets_or_ended, "the doomed server")
    try:
        player.sends(mail)
    except (ConnectionError, smtplib.SMTPServerDisconnected):
        return False
    return True


def with_ply(player: Player, ply: int) -> list[Delivered]:
    """The board mails that show the board after a ply."""
    mark = f"X-PBM-Ply: {ply}\r\n".encode()
    return [mail for mail in player.mails if mark in mail.raw]
