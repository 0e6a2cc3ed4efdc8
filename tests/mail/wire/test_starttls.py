"""STARTTLS (RFC 3207): what is offered, what is forgotten, and what an attacker slips in."""

import contextlib
import ssl
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from pbm.config import Doorway
from pbm.errors import OperatorError
from pbm.mail.smtp_in.certificate import load_certificate
from pbm.mail.smtp_in.connection_limits import ListenerLimits
from pbm.mail.smtp_in.conversation import Conversation
from tests.mail.wire.certificates import Issued, issue, openssl
from tests.mail.wire.talk import BY_SMTP, MAIL, Client, Inbox, listening, run, talking_to

BY_LMTP = Doorway("127.0.0.1", 0, is_lmtp=True)
ENCRYPTED = "220 2.0.0 Go on in TLS."


@pytest.fixture(scope="session")
def issued(tmp_path_factory: pytest.TempPathFactory) -> Issued:
    return issue(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def options(issued: Issued) -> dict[str, Any]:
    return {"tls": load_certificate(str(issued.certificate), str(issued.key))}


def trusting(issued: Issued) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=str(issued.certificate))
    context.check_hostname = False
    return context


async def encrypt(client: Client, issued: Issued) -> None:
    assert await client.say("STARTTLS") == ENCRYPTED
    await client.writer.start_tls(trusting(issued))


@contextlib.asynccontextmanager
async def conversation(
    inbox: Inbox, options: dict[str, Any], doorway: Doorway = BY_SMTP
) -> AsyncIterator[Client]:
    verb = "LHLO" if doorway.is_lmtp else "EHLO"
    async with (
        listening(inbox, doorway=doorway, **options) as port,
        talking_to(port, verb=verb) as client,
    ):
        yield client


@pytest.mark.parametrize(("doorway", "verb"), [(BY_SMTP, "EHLO"), (BY_LMTP, "LHLO")])
def test_a_mail_in_tls(
    doorway: Doorway, verb: str, issued: Issued, options: dict[str, Any]
) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with conversation(inbox, options, doorway) as client:
            assert "250-STARTTLS" in (await client.say(f"{verb} x")).split("\n")
            await encrypt(client, issued)
            assert "STARTTLS" not in await client.say(f"{verb} x")
            assert (await client.say("STARTTLS")).startswith("503 5.5.1 ")
            big = MAIL + b"x" * 60_000 + b"\r\n" + (b"y" * 76 + b"\r\n") * 10_000
            for mail in (MAIL, big, MAIL):
                assert await client.send_mail(mail) == "250 2.0.0 Kept as 1."
            assert inbox.raws == [MAIL, big, MAIL]
            assert (await client.say("QUIT")).startswith("221")
            assert await client.reply() == ""

    run(scene)


def test_without_a_certificate_it_is_not_there() -> None:
    async def scene() -> None:
        async with conversation(Inbox(), {}) as client:
            assert "STARTTLS" not in await client.say("EHLO x")
            assert (await client.say("STARTTLS")).startswith("500 5.5.1 ")

    run(scene)


def test_what_was_said_before_is_forgotten(issued: Issued, options: dict[str, Any]) -> None:
    async def scene() -> None:
        async with conversation(Inbox(), options) as client:
            assert (await client.say("STARTTLS now")).startswith("501 5.5.4 ")
            await client.say_all("MAIL FROM:<a@example.org>", "RCPT TO:<pbm@localhost>")
            await encrypt(client, issued)
            assert (await client.say("DATA")).startswith("503 5.5.1 ")
            assert (await client.say("MAIL FROM:<>")) == "503 5.5.1 Say EHLO first."
            assert (await client.say("EHLO x")).startswith("250")
            assert (await client.say("RCPT TO:<pbm@localhost>")).startswith("503 5.5.1 ")

    run(scene)


INJECTED = [
    b"RSET\r\n",
    b"EHLO evil.example\r\nMAIL FROM:<evil@evil.example>\r\nRCPT TO:<pbm@localhost>\r\n",
    b"MAIL FROM:<evil@evil.example>\r\nRCPT TO:<pbm@localhost>\r\nDATA\r\n",
    b"EHLO half a line",
    b"NOOP\r\n" * 20_000,
]


@pytest.mark.parametrize("injected", INJECTED, ids=lambda injected: injected[:12])
@pytest.mark.parametrize("behind_a_mail", [False, True])
def test_commands_injected_behind_starttls_are_never_obeyed(
    injected: bytes, behind_a_mail: bool, issued: Issued, options: dict[str, Any]
) -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with conversation(inbox, options) as client:
            if behind_a_mail:
                # What follows a mail in one segment waits in another place than the rest.
                await client.until_data()
                client.send(MAIL + b".\r\nSTARTTLS\r\n" + injected)
                assert await client.reply() == "250 2.0.0 Kept as 1."
            else:
                client.send(b"STARTTLS\r\n" + injected)
            assert await client.reply() == ENCRYPTED
            kept = len(inbox.mails)
            try:
                await client.writer.start_tls(trusting(issued))
            except OSError:
                # So much of it that some had not arrived: it was taken for the client's TLS.
                assert len(injected) > 65_536
                return
            # The first answer is that to the first thing said in TLS, and nothing was begun.
            assert (await client.say("MAIL FROM:<>")) == "503 5.5.1 Say EHLO first."
            assert (await client.say("EHLO x")).startswith("250-mx.example")
            assert (await client.say("RCPT TO:<pbm@localhost>")).startswith("503 5.5.1 ")
            assert await client.send_mail() == "250 2.0.0 Kept as 1."
            assert len(inbox.mails) == kept + 1
            assert not any(b"evil" in raw or "evil" in sender for sender, _, raw, _ in inbox.mails)

    run(scene)


@pytest.mark.parametrize("said", [b"EHLO this is no TLS\r\n", b""], ids=["nonsense", "nothing"])
def test_promise_15_a_failed_handshake_ends_the_connection_and_frees_its_place(
    said: bytes, options: dict[str, Any]
) -> None:
    async def scene() -> None:
        limits = ListenerLimits(connections_per_peer=1, handshake_seconds=0.2)
        capped = {**options, "trusted_peers": (), "limits": limits}
        inbox = Inbox()
        async with listening(inbox, **capped) as port:
            for _ in range(3):
                async with talking_to(port) as client:
                    assert await client.say("STARTTLS") == ENCRYPTED
                    client.send(said)
                    await client.reader.read()  # a TLS alert perhaps, and the end
            async with talking_to(port) as client:
                assert await client.send_mail() == "250 2.0.0 Kept as 1."
        assert inbox.faults == []

    run(scene)


def test_a_client_that_leaves_in_the_handshake_leaves_nothing(options: dict[str, Any]) -> None:
    async def scene() -> None:
        inbox = Inbox()
        limits = ListenerLimits(connections_per_peer=1, handshake_seconds=0.2)
        async with listening(inbox, trusted_peers=(), limits=limits, **options) as port:
            async with talking_to(port) as client:
                assert await client.say("STARTTLS") == ENCRYPTED
            while True:
                async with talking_to(port, hello=False) as client:
                    if (await client.reply()).startswith("220"):
                        break
        assert inbox.faults == []

    run(scene)


def test_stop_waits_for_no_handshake(options: dict[str, Any]) -> None:
    async def scene() -> None:
        async with listening(Inbox(), **options) as port, talking_to(port) as client:
            assert await client.say("STARTTLS") == ENCRYPTED
        assert b"421" not in await client.reader.read()

    run(scene)


def test_promise_03_a_commit_survives_leaving_in_tls(
    issued: Issued, options: dict[str, Any]
) -> None:
    async def scene() -> None:
        inbox = Inbox()
        inbox.may_end.clear()
        async with listening(inbox, **options) as port:
            async with talking_to(port) as client:
                await encrypt(client, issued)
                await client.say("EHLO x")
                await client.until_data()
                client.send(MAIL + b".\r\n")
                await inbox.begun.wait()
            async with talking_to(port) as another:
                await another.say("NOOP")
            inbox.may_end.set()
            await inbox.ended.wait()
        assert inbox.raws == [MAIL]

    run(scene)


def test_promise_15_silence_is_ended_in_tls(
    issued: Issued, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    shake_hands = Conversation._shake_hands

    async def in_a_hurry_then(self: Conversation) -> None:
        await shake_hands(self)
        self._timeout_duration = 0.01

    monkeypatch.setattr(Conversation, "_shake_hands", in_a_hurry_then)

    async def scene() -> None:
        async with conversation(Inbox(), options) as client:
            await encrypt(client, issued)
            assert (await client.reply()).startswith("421 4.4.2 ")
            assert await client.reply() == ""

    run(scene)


def test_a_chain_is_sent_whole(tmp_path: Path) -> None:
    ca, host = issue(tmp_path, "ca.example"), issue(tmp_path, "mx.example")
    request = str(tmp_path / "request")
    openssl("req", "-new", "-key", str(host.key), "-subj", "/CN=mx.example", "-out", request)
    openssl("x509", "-req", "-in", request, "-CA", str(ca.certificate), "-CAkey", str(ca.key),
            "-days", "30", "-out", str(host.certificate))  # fmt: skip
    both = tmp_path / "both.pem"
    both.write_bytes(
        host.certificate.read_bytes() + ca.certificate.read_bytes() + host.key.read_bytes()
    )

    async def scene() -> None:
        inbox = Inbox()
        async with conversation(inbox, {"tls": load_certificate(str(both), str(both))}) as client:
            await encrypt(client, ca)
            await client.say("EHLO x")
            assert await client.send_mail() == "250 2.0.0 Kept as 1."

    run(scene)


def test_neither_file_is_no_tls() -> None:
    assert load_certificate("", "") is None


def test_files_that_make_no_tls(tmp_path: Path, issued: Issued) -> None:
    other = issue(tmp_path, "other.example")
    locked = tmp_path / "locked.key"
    openssl("pkcs8", "-topk8", "-in", str(other.key), "-out", str(locked), "-passout", "pass:pw")
    damaged = tmp_path / "damaged.crt"
    lines = other.certificate.read_text().split("\n")
    damaged.write_text("\n".join([lines[0], *lines[3:]]))
    (tmp_path / "empty").touch()
    certificate, key = str(other.certificate), str(other.key)
    for files, words in (
        ((certificate, ""), "PBM_TLS_KEY is not set, but PBM_TLS_CERT is"),
        (("", key), "PBM_TLS_CERT is not set, but PBM_TLS_KEY is"),
        (("/nowhere", key), "PBM_TLS_CERT: /nowhere cannot be read: No such file"),
        ((certificate, str(tmp_path)), f"PBM_TLS_KEY: {tmp_path} is no file."),
        ((key, key), "holds no certificate in PEM form"),
        ((certificate, str(tmp_path / "empty")), "holds no private key in PEM form"),
        ((certificate, str(issued.key)), "belongs to another certificate"),
        ((certificate, str(locked)), "is closed with a password"),
        ((str(damaged), key), "cannot be used ("),
    ):
        with pytest.raises(OperatorError) as told:
            load_certificate(*files)
        assert words in str(told.value)
        assert str(told.value).endswith(".")
        assert "\n" not in str(told.value)
