"""A hash that a stranger wrote, over a real socket: nobody waits for it, and it ends nothing."""

import smtplib

from tests.e2e.player import Player, position_in, text_of
from tests.e2e.running import RunningServer
from tests.polling import PATIENCE

CRAFTED = "argon2id:$argon2id$v=19$m=8,t=4294967295,p=1$c29tZXNhbHRzb21lc2FsdA$" + "A" * 43


def plain_mail(server: RunningServer, sender: str, subject: str) -> None:
    """A mail to the plain address, as anybody may write one."""
    with smtplib.SMTP("127.0.0.1", server.port, timeout=PATIENCE) as smtp:
        text = f"From: {sender}\r\nSubject: {subject}\r\n\r\n"
        smtp.sendmail(sender, ["pbm@games.example"], text)


def test_a_hash_with_costs_of_its_writers_stops_nobody(
    server: RunningServer, alice: Player, bob: Player
) -> None:
    board = alice.challenges(bob)
    bob.answers(bob.mails[-1], f"change password {CRAFTED}")
    question = bob.receives()
    assert "change password ****" in text_of(question)
    bob.answers(question, "yes")
    assert "You have a new password." in text_of(bob.receives())
    plain_mail(server, "anybody@example.net", "move 1 bob x i9-g7,f6")
    alice.answers(board, "a1-c3,d4")
    assert position_in(text_of(alice.receives())).turn == 2
    bob.receives()
    plain_mail(server, "anybody@example.net", f"move 1 bob {CRAFTED} i9-g7,f6")
    assert position_in(text_of(bob.receives())).turn == 1  # it is a password like any other
