"""Keys are rotated beside a server that runs and is not told."""

from email import message_from_bytes
from email.utils import parseaddr
from smtplib import SMTPRecipientsRefused

import pytest

from tests.e2e.player import Player, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Delivered

SECRET = "only-for-tests-0123456789-abcdefghij"


def signed_by(mail: Delivered) -> str:
    """The id of the key behind a mail's reply address."""
    reply_to = parseaddr(message_from_bytes(mail.raw)["Reply-To"])[1]
    return reply_to.partition("@")[0].rpartition(".")[2][:-16]


def admin(server: RunningServer, *words: str) -> str:
    done = server.admin("keys", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_rotation_beside_the_server(server: RunningServer, alice: Player, bob: Player) -> None:
    board = alice.challenges(bob)
    old = signed_by(board)
    assert admin(server, "list").split()[0] == old

    new = admin(server, "rotate").split()[1]
    assert [line.split()[0] for line in admin(server, "list").splitlines()] == [new, old]
    alice.answers(board, "a1-c3,d4")
    played = alice.receives()
    assert text_of(played).startswith("bob's move on board 1")
    assert signed_by(played) == new

    assert f"Key {old} is dropped" in admin(server, "drop", old, "--why", "it leaked", "--yes")
    with pytest.raises(SMTPRecipientsRefused, match="not valid any more; please write to pbm@"):
        alice.answers(board, "resign")
    alice.answers(played, "Hello bob!")
    assert "Sent to bob." in text_of(alice.receives())
    (file,) = (server.folder / "var").glob("secret*")
    assert file.stat().st_mode & 0o777 == 0o600
    told = server.admin("journal").stdout
    assert f"key added (key {new})" in told
    assert f"key dropped (key {old}): it leaked" in told
    secrets = [line.split()[1] for line in file.read_text("ascii").splitlines() if line[0] != "#"]
    assert not any(secret in server.log + told for secret in secrets)


def test_keys_of_the_settings_are_rotated_there(server: RunningServer) -> None:
    server.settings = {**server.settings, "PBM_SECRET_KEY": f"{SECRET}, {SECRET[::-1]}"}
    assert len(admin(server, "list").splitlines()) == 2
    drop = ("drop", "aa", "--why", "it leaked", "--yes")
    for words, told in ((("rotate",), "Put a new one before"), (drop, "Take the one")):
        done = server.admin("keys", *words)
        assert done.returncode == 1
        assert "The keys are in PBM_SECRET_KEY" in done.stderr
        assert told in done.stderr
        assert SECRET not in done.stderr
