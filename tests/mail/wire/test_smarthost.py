import asyncio
import gc
import re
from typing import Any

import pytest

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.mail.smtp_out.smarthost import (
    NoConnectionError,
    Smarthost,
    SmarthostTransport,
    Timeouts,
)
from pbm.mail.writing.compose import OutgoingMail, compose
from tests.mail.wire.fake_smarthost import (
    CERTIFICATE,
    DROP,
    HANG,
    USUAL,
    FakeSmarthost,
    fake_smarthost,
    patient,
)
from tests.mail.wire.talk import GUARD_SECONDS, Inbox, listening, run
from tests.mail.wire.test_compose import mail

RAW = b"Subject: hello\r\n\r\nYour move.\r\n.\r\n..\r\n"
TO = "alice@example.org"
SENDER = "pbm+b.u7.secrettagsecrettag@localhost"


@pytest.fixture(autouse=True, params=["in turn", "at once"])
def pipelining(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Each scene is played with a server that takes several commands at once, and with one that
    does not say so."""
    at_once = bool(request.param == "at once")
    if at_once:
        monkeypatch.setitem(USUAL, "EHLO", "250-fake\n250-PIPELINING\n250 SIZE 1000000")
    return at_once


def transport_to(fake: FakeSmarthost, *, login: str = "", **options: Any) -> SmarthostTransport:
    return patient(f"smtp://{login}127.0.0.1:{fake.port}", **options)


async def deliver(transport: SmarthostTransport, raw: bytes = RAW) -> Delivery:
    return await transport.deliver(SENDER, TO, raw)


def test_a_mail_goes_out_as_it_is() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            transport = transport_to(fake, helo="pbm.example")
            assert await deliver(transport) == Sent()
            await transport.close()
            assert fake.commands == [
                "EHLO pbm.example",
                f"MAIL FROM:<{SENDER}> SIZE={len(RAW)}",
                f"RCPT TO:<{TO}>",
                "DATA",
                "QUIT",
            ]
            assert fake.mails == [RAW.replace(b"\r\n.", b"\r\n..")]

    run(scene)


def test_our_own_listener_gets_what_was_composed() -> None:
    async def scene() -> None:
        inbox = Inbox()
        async with listening(inbox) as port:
            transport = patient(f"smtp://127.0.0.1:{port}")
            raw = compose(mail(text=".\n..\nFrom here\nä\n"))
            assert await transport.deliver("", "pbm@localhost", raw) == Sent()
            assert inbox.mails == [("", ("pbm@localhost",), raw, Caller("127.0.0.1"))]
            await transport.close()

    run(scene)


def test_promise_05_a_resent_mail_is_the_same_mail() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script("DOT", DROP, "451 4.3.0 later", "250 2.0.0 queued")
            transport = transport_to(fake)
            raw = compose(mail())
            outcomes = [await deliver(transport, raw) for _ in range(3)]
            assert [type(outcome) for outcome in outcomes] == [Deferred, Deferred, Sent]
            assert fake.mails == [raw]
            await transport.close()

    run(scene)


def test_an_open_connection_is_used_again() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            transport = transport_to(fake)
            for _ in range(5):
                assert await deliver(transport) == Sent()
            assert fake.connections == 1
            await transport.close()
            assert await deliver(transport) == Sent()
            assert fake.connections == 2
            await transport.close()

    run(scene)


def test_no_more_connections_than_the_pool_has() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            transport = transport_to(fake, pool_size=3)
            outcomes = await asyncio.gather(*(deliver(transport) for _ in range(30)))
            assert set(outcomes) == {Sent()}
            assert fake.most_open <= 3
            assert len(fake.mails) == 30
            await transport.close()

    run(scene)


def test_old_connections_are_not_trusted() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            transport = transport_to(fake, idle_seconds=0)
            assert [await deliver(transport) for _ in range(2)] == [Sent(), Sent()]
            assert fake.connections == 2
            await transport.close()

    run(scene)


@pytest.mark.parametrize("last_word", [DROP, "421 4.4.2 idle for too long"])
def test_a_kept_connection_that_is_dead_is_replaced_at_once(last_word: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script("MAIL", "250 2.1.0 fine", last_word)
            transport = transport_to(fake)
            assert [await deliver(transport) for _ in range(2)] == [Sent(), Sent()]
            assert fake.connections == 2
            assert len(fake.mails) == 2
            await transport.close()

    run(scene)


def test_a_kept_connection_that_hangs_is_replaced() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            transport = transport_to(fake, timeouts=Timeouts(command=0.05))
            fake.script("MAIL", "250 2.1.0 fine", HANG)
            outcomes = [await deliver(transport) for _ in range(2)]
            # On a machine that sleeps for 50 ms the usual replies come too late as well.
            assert all(isinstance(outcome, Sent | Deferred) for outcome in outcomes)
            assert fake.connections >= 2
            await transport.close()

    run(scene)


def test_a_fresh_connection_is_tried_once_only() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["MAIL"] = DROP
            transport = transport_to(fake)
            assert isinstance(await deliver(transport), Deferred)
            assert fake.connections == 1

    run(scene)


@pytest.mark.parametrize("verb", ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "DOT"])
@pytest.mark.parametrize(
    "trouble", [DROP, "421 4.3.2 going down", "450 4.2.0 later", "garbage", ""]
)
def test_promise_05_passing_trouble_at_each_verb(verb: str, trouble: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script(verb, trouble)
            transport = transport_to(fake)
            outcome = await deliver(transport)
            assert isinstance(outcome, Deferred)
            assert outcome.reason
            assert fake.mails == []
            assert await deliver(transport) == Sent()
            assert len(fake.mails) == 1
            await transport.close()

    run(scene)


@pytest.mark.parametrize("verb", ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA", "DOT"])
def test_promise_05_a_server_that_does_not_answer(verb: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual[verb] = HANG
            short: Any = {"CONNECT": "connect", "EHLO": "connect", "DATA": "data", "DOT": "data"}
            transport = transport_to(fake, timeouts=Timeouts(**{short.get(verb, "command"): 0.05}))
            assert isinstance(await deliver(transport), Deferred)
            assert fake.mails == []

    run(scene)


@pytest.mark.parametrize(
    ("verb", "reply", "kind"),
    [
        ("RCPT", "550 5.1.1 no such user", Failed),
        ("RCPT", "551 5.1.6 moved", Failed),
        ("RCPT", "553 5.1.3 bad address", Failed),
        ("RCPT", "552 5.5.3 too many", Deferred),
        ("RCPT", "530 5.7.0 log in first", Deferred),
        ("RCPT", "503 5.5.1 out of order", Deferred),
        ("RCPT", "251 2.1.5 will forward", Sent),
        ("DATA", "554 5.5.1 no valid recipients", Failed),
        ("DATA", "250 what?", Deferred),
        ("DOT", "554 5.7.1 that is spam", Failed),
        ("DOT", "552 5.3.4 too large", Failed),
        ("DOT", "354 what?", Deferred),
        ("MAIL", "552 5.3.4 too large", Failed),
        ("MAIL", "550 5.7.1 your sender is not welcome", Deferred),
        ("MAIL", "535 5.7.8 log in first", Deferred),
        ("CONNECT", "554 5.7.1 you are blocked", Deferred),
    ],
)
def test_what_is_refused_for_good(verb: str, reply: str, kind: type[Delivery]) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script(verb, reply)
            transport = transport_to(fake)
            outcome = await deliver(transport)
            assert isinstance(outcome, kind)
            if not isinstance(outcome, Sent):
                assert reply in outcome.reason
            assert await deliver(transport) == Sent()
            await transport.close()

    run(scene)


@pytest.mark.parametrize(
    ("verb", "reply", "outcome", "status"),
    [
        ("RCPT", "550 5.1.1 no such user", Failed, "5.1.1"),
        ("RCPT", "550-5.1.10 no\n550 5.1.10 such user", Failed, "5.1.10"),
        ("RCPT", "550 no such user", Failed, "5.0.0"),
        ("RCPT", "554 4.2.2 odd", Failed, "5.0.0"),
        ("RCPT", "550 5.1.1x odd", Failed, "5.0.0"),
        ("RCPT", "452 4.2.2 mailbox full", Deferred, "4.2.2"),
        ("RCPT", "450 later", Deferred, "4.0.0"),
        ("RCPT", "421 4.7.0 goodbye", Deferred, ""),
        ("RCPT", "552 5.5.3 too many", Deferred, ""),
        ("RCPT", "530 5.7.0 log in first", Deferred, ""),
        ("DOT", "554 5.7.1 that is spam", Failed, ""),
        ("DATA", "554 5.5.1 no valid recipients", Failed, ""),
        ("MAIL", "550 5.7.1 your sender is not welcome", Deferred, ""),
    ],
)
def test_promise_09_what_is_said_against_the_recipient(
    verb: str, reply: str, outcome: type[Deferred | Failed], status: str
) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script(verb, reply)
            transport = transport_to(fake)
            found = await deliver(transport)
            assert isinstance(found, outcome)
            assert found.recipient_status == status
            await transport.close()

    run(scene)


def test_after_a_refusal_the_connection_is_used_again() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script("RCPT", "550 5.1.1 no such user")
            transport = transport_to(fake)
            assert isinstance(await deliver(transport), Failed)
            assert await deliver(transport) == Sent()
            assert fake.connections == 1
            assert "RSET" in fake.commands
            await transport.close()

    run(scene)


@pytest.mark.parametrize("verb", ["MAIL", "RCPT"])
def test_no_empty_mail_goes_to_a_server_that_takes_content_all_the_same(verb: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.goes_on = True
            fake.script(verb, "450 4.2.0 later")
            transport = transport_to(fake)
            assert isinstance(await deliver(transport), Deferred)
            assert fake.mails == []
            assert await deliver(transport) == Sent()
            assert len(fake.mails) == 1
            await transport.close()

    run(scene)


@pytest.mark.parametrize("raw", [b".\n..\na\r.b\r\n\r\n.", b"a", b"\n", b"a\r\n.\r\nb\r\n"])
def test_content_is_the_same_however_it_is_said(raw: bytes) -> None:
    """What the library makes of lone line ends and of dots is what we make of them."""

    async def scene() -> None:
        async with fake_smarthost() as fake:
            transport = transport_to(fake)
            assert await deliver(transport, b"Subject: x\r\n\r\n" + raw) == Sent()
            lines = re.split(rb"\r\n|\r|\n", raw.removesuffix(b"\r\n").removesuffix(b"\n"))
            stuffed = [b"." + line if line.startswith(b".") else line for line in lines]
            assert fake.mails == [
                b"".join(line + b"\r\n" for line in (b"Subject: x", b"", *stuffed))
            ]
            await transport.close()

    run(scene)


@pytest.mark.parametrize("too_much", ["250 queued\r\n", "25", "552 too large\r\n"])
def test_a_reply_before_the_content_is_no_reply_to_it(too_much: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250 PIPELINING"
            fake.script("DATA", f"354 go on\r\n{too_much}".removesuffix("\r\n"))
            transport = transport_to(fake)
            assert isinstance(await deliver(transport), Deferred)
            assert await deliver(transport) == Sent()
            assert len(fake.mails) == 1
            await transport.close()

    run(scene)


@pytest.mark.parametrize("reply", ["250 fine", "251 2.1.5 will do", "252 2.0.0 perhaps"])
@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DOT"])
def test_the_first_digit_says_that_a_mail_is_taken(verb: str, reply: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250 PIPELINING"
            fake.script(verb, reply)
            transport = transport_to(fake)
            assert await deliver(transport) == Sent()
            assert fake.commands.count("DATA") == 1
            await transport.close()

    run(scene)


def test_a_server_that_takes_several_commands_gets_them_before_its_replies() -> None:
    async def scene() -> None:
        heard: list[bytes] = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(b"220 fake\r\n")
            await reader.readline()
            writer.write(b"250-fake\r\n250 PIPELINING\r\n")
            heard.append(await reader.readuntil(b"DATA\r\n"))
            writer.write(b"250 fine\r\n250 fi")
            await writer.drain()
            writer.write(b"ne\r\n354-go\r\n354 on\r\n")
            heard.append(await reader.readuntil(b"\r\n.\r\n"))
            writer.write(b"250 queued\r\n")
            await reader.read()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        transport = patient(f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        async with asyncio.timeout(GUARD_SECONDS):
            assert await deliver(transport) == Sent()
        await transport.close()
        server.close()
        assert [line.split(b" ")[0] for line in heard[0].splitlines()] == [
            b"MAIL",
            b"RCPT",
            b"DATA",
        ]

    run(scene)


@pytest.mark.parametrize("last_word", ["421 4.3.2 going down", "354 what?", "garbage"])
def test_a_connection_that_is_out_of_step_is_not_used_again(last_word: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.lingers = True
            fake.script("DOT", last_word)
            transport = transport_to(fake)
            assert isinstance(await deliver(transport), Deferred)
            assert await deliver(transport) == Sent()
            assert fake.connections == 2
            assert "RSET" not in fake.commands
            await transport.close()

    run(scene)


def test_no_server_at_all() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            pass
        outcome = await deliver(transport_to(fake))
        assert isinstance(outcome, Deferred)
        assert "No connection to the smarthost" in outcome.reason

    run(scene)


@pytest.mark.parametrize(
    ("sender", "recipient"),
    [
        ("", "nobody"),
        ("", ""),
        ("", "a@b\r\nRCPT TO:<c@d>"),
        ("", "ä@example.org"),
        ("", "a@b> SIZE=1 <c@d"),
        ("no address", TO),
    ],
)
def test_what_is_no_address_is_not_even_tried(sender: str, recipient: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            outcome = await transport_to(fake).deliver(sender, recipient, RAW)
            assert isinstance(outcome, Failed)
            assert fake.connections == 0

    run(scene)


def test_a_mail_of_eight_bits_says_so_where_it_may() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250 8BITMIME"
            transport = transport_to(fake)
            assert await deliver(transport, b"\r\n\xe4\r\n") == Sent()
            assert f"MAIL FROM:<{SENDER}> BODY=8BITMIME" in fake.commands
            await transport.close()

    run(scene)


def test_a_server_that_knows_helo_only() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "502 5.5.1 what?"
            fake.usual["HELO"] = "250 fake"
            transport = transport_to(fake)
            assert await deliver(transport) == Sent()
            assert f"MAIL FROM:<{SENDER}>" in fake.commands
            await transport.close()

    run(scene)


def test_starttls_is_used_where_it_is_offered_and_this_machine_is_trusted() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250-STARTTLS\n250 AUTH PLAIN"
            transport = transport_to(fake, login="bob:swordfish@")
            assert await deliver(transport) == Sent()
            assert fake.encrypted
            verbs = [command.split(" ")[0] for command in fake.commands]
            assert verbs == ["EHLO", "STARTTLS", "EHLO", "AUTH", "MAIL", "RCPT", "DATA"]
            await transport.close()

    run(scene)


@pytest.mark.parametrize("tls", [False, True])
def test_a_bad_certificate_defers(tls: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Smarthost, "is_loopback", False)

    async def scene() -> None:
        async with fake_smarthost(tls=tls) as fake:
            fake.usual["EHLO"] = "250-fake\n250 STARTTLS"
            url = f"{'smtps' if tls else 'smtp'}://127.0.0.1:{fake.port}"
            outcome = await deliver(patient(url))
            assert isinstance(outcome, Deferred)
            assert "certificate" in outcome.reason
            assert fake.mails == []

    run(scene)


@pytest.mark.parametrize("tls", [False, True])
def test_a_good_certificate(tls: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setattr(Smarthost, "is_loopback", False)

    async def scene() -> None:
        async with fake_smarthost(tls=tls) as fake:
            fake.usual["EHLO"] = "250-fake\n250 STARTTLS" if not tls else "250 fake"
            url = f"{'smtps' if tls else 'smtp'}://127.0.0.1:{fake.port}"
            transport = patient(url)
            assert await deliver(transport) == Sent()
            await transport.close()

    run(scene)


def test_smtps_on_this_machine() -> None:
    async def scene() -> None:
        async with fake_smarthost(tls=True) as fake:
            transport = patient(f"smtps://127.0.0.1:{fake.port}")
            assert await deliver(transport) == Sent()
            await transport.close()

    run(scene)


def test_starttls_that_is_offered_and_refused_defers() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250 STARTTLS"
            fake.usual["STARTTLS"] = "454 4.7.0 not now"
            assert isinstance(await deliver(transport_to(fake)), Deferred)
            assert fake.mails == []

    run(scene)


def test_promise_22_no_password_goes_out_in_the_clear() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250 AUTH PLAIN LOGIN"
            url = f"smtp://bob:swordfish@somewhere.example:{fake.port}"
            transport = patient(url)
            outcome = await deliver_here(transport, fake.port)
            assert isinstance(outcome, Deferred)
            assert "encryption" in outcome.reason
            assert not any(command.startswith("AUTH") for command in fake.commands)

    run(scene)


async def deliver_here(transport: SmarthostTransport, port: int) -> Delivery:
    """Deliver with every connection of the loop led to this machine."""
    loop = asyncio.get_running_loop()
    connect = loop.create_connection

    async def lead(factory: Any, **options: Any) -> Any:
        return await connect(factory, "127.0.0.1", port, ssl=options.get("ssl"))

    loop.create_connection = lead  # type: ignore[method-assign, assignment]
    return await deliver(transport)


@pytest.mark.parametrize(
    ("ehlo", "auth"),
    [
        ("250-fake\n250 AUTH PLAIN LOGIN", "535 5.7.8 AGJvYgBzd29yZGZpc2g= is wrong, swordfish"),
        ("250-fake\n250 AUTH PLAIN", "454 4.7.0 later"),
        ("250-fake\n250 AUTH PLAIN", DROP),
        ("250-fake\n250 AUTH PLAIN", "421 4.7.0 swordfish"),
        ("250-fake\n250 AUTH CRAM-MD5", "334 not base64!"),
        ("250-fake\n250 AUTH GSSAPI", ""),
        ("250 fake", ""),
    ],
)
def test_a_login_that_does_not_work_defers(ehlo: str, auth: str) -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = ehlo
            fake.usual["AUTH"] = auth
            outcome = await deliver(transport_to(fake, login="bob:swordfish@"))
            assert isinstance(outcome, Deferred)
            assert "swordfish" not in outcome.reason
            assert "AGJvYgBzd29yZGZpc2g=" not in outcome.reason
            assert not any(command.startswith("MAIL") for command in fake.commands)

    run(scene)


def test_promise_22_reasons_hold_no_secret_and_no_line_break() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["EHLO"] = "250-fake\n250 AUTH PLAIN"
            fake.usual["RCPT"] = (
                f"550-5.1.1 <{SENDER}> swordfish c3dvcmRmaXNo\n550 5.1.1 \x1b[31m\tödd" + "x" * 900
            )
            outcome = await deliver(transport_to(fake, login="bob:swordfish@"))
            assert isinstance(outcome, Failed)
            assert outcome.reason.isprintable()
            assert outcome.reason.isascii()
            assert len(outcome.reason) < 300
            for secret in ("secrettag", "swordfish", "c3dvcmRmaXNo"):
                assert secret not in outcome.reason

    run(scene)


def test_a_cancelled_delivery_leaves_no_half_used_connection() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.script("RCPT", HANG)
            transport = transport_to(fake, pool_size=1)
            delivery = asyncio.create_task(deliver(transport))
            while "DATA" not in fake.commands and not any(
                command.startswith("RCPT") for command in fake.commands
            ):
                await asyncio.sleep(0)
            delivery.cancel()
            with pytest.raises(asyncio.CancelledError):
                await delivery
            async with asyncio.timeout(GUARD_SECONDS):  # sooner than a reply of the old one's
                assert await deliver(transport) == Sent()
            assert fake.connections == 2
            await transport.close()

    run(scene)


def test_promise_05_a_thousand_mails_with_the_garbage_collected_in_between() -> None:
    async def scene() -> None:
        gc.freeze()  # what other tests have left takes long to look through
        async with fake_smarthost() as fake:
            transport = transport_to(fake, pool_size=4)

            async def one(number: int) -> Delivery:
                if number % 50 == 0:
                    gc.collect()
                return await deliver(transport, b"Message-ID: <%d@x>\r\n\r\n" % number)

            outcomes = await asyncio.gather(*(one(number) for number in range(1000)))
            assert set(outcomes) == {Sent()}
            assert len(set(fake.mails)) == 1000
            await transport.close()

    try:
        run(scene)
    finally:
        gc.unfreeze()


def test_closing_a_dead_connection_is_no_trouble() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            fake.usual["QUIT"] = DROP
            transport = transport_to(fake)
            await deliver(transport)
            await transport.close()
            await transport.close()

    run(scene)


def test_the_operators_check() -> None:
    async def scene() -> None:
        async with fake_smarthost() as fake:
            assert await transport_to(fake).check() == "not encrypted"
            fake.usual["EHLO"] = "250-fake\n250-STARTTLS\n250 AUTH PLAIN"
            assert await transport_to(fake).check() == "STARTTLS"
            fake.usual["AUTH"] = "535 5.7.8 no"
            with pytest.raises(
                NoConnectionError, match=r"^The smarthost refused our login \(535\)\.$"
            ):
                await transport_to(fake, login="bob:pw@").check()

    run(scene)


def test_a_mail_of_ours_is_seven_bit() -> None:
    parts: OutgoingMail = mail(text="ä", html="<p>ö</p>")
    assert compose(parts).isascii()
