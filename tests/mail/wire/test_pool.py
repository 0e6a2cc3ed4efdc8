"""Several mails over one connection: what goes wrong with one is no trouble for the others."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.mail.smtp_out.smarthost import SmarthostTransport
from tests.mail.wire.fake_smarthost import DROP, HANG, FakeSmarthost, fake_smarthost, patient
from tests.mail.wire.talk import GUARD_SECONDS, run
from tests.torture.sink import Sink
from tests.torture.trouble import Trouble

NAMES = ("alice", "bob", "carol")
GOODBYE = "421 4.3.2 going down"
GOOD = {
    "MAIL": "250 2.1.0 fine",
    "RCPT": "250 2.1.5 fine",
    "DATA": "354 go on",
    "DOT": "250 2.0.0 queued",
}


def to(name: str) -> str:
    return f"{name}@example.org"


def content(name: str) -> bytes:
    return f"Subject: for {name}\r\n\r\nHello {name}.\r\n".encode()


@asynccontextmanager
async def fake_at_once() -> AsyncIterator[FakeSmarthost]:
    """It takes the commands of a mail in one write (RFC 2920)."""
    async with fake_smarthost() as fake:
        fake.usual["EHLO"] = "250-fake\n250 PIPELINING"
        yield fake


def transport_to(port: int, **options: Any) -> SmarthostTransport:
    return patient(f"smtp://127.0.0.1:{port}", **{"pool_size": 1, **options})


async def deliver(transport: SmarthostTransport, name: str) -> Delivery:
    return await transport.deliver("pbm@localhost", to(name), content(name))


async def deliver_all(
    transport: SmarthostTransport, names: Sequence[str] = NAMES
) -> list[Delivery]:
    """One connection for all of them, one after the other."""
    async with asyncio.timeout(GUARD_SECONDS):
        return list(await asyncio.gather(*(deliver(transport, name) for name in names)))


def begin(transport: SmarthostTransport, *names: str) -> "list[asyncio.Task[Delivery]]":
    return [asyncio.create_task(deliver(transport, name)) for name in names]


async def until_content(fake: FakeSmarthost) -> None:
    """Until a content was read."""
    async with asyncio.timeout(GUARD_SECONDS):
        while not fake.contents:
            await asyncio.sleep(0)


async def sees_all_is_well(fake: FakeSmarthost, transport: SmarthostTransport) -> None:
    """Whatever happened, each content went to its own recipient, the next mail arrives, and no
    connection is forgotten."""
    async with asyncio.timeout(GUARD_SECONDS):
        assert await deliver(transport, "dave") == Sent()
        await transport.close()
        fake.release.set()
        while fake.open:
            await asyncio.sleep(0)
    for recipient, mail in fake.arrived:
        assert mail == content(recipient.partition("@")[0])


def arrivals(fake: FakeSmarthost) -> dict[str, int]:
    return Counter(recipient.partition("@")[0] for recipient, _ in fake.arrived)


@pytest.mark.parametrize(
    "trouble", [DROP, GOODBYE, "450 4.2.0 later", "550 5.0.0 no", "garbage", ""]
)
@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA", "DOT"])
def test_promise_05_trouble_with_the_second_mail(verb: str, trouble: str) -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.script(verb, GOOD[verb], trouble)
            transport = transport_to(fake.port)
            alice, bob, carol = await deliver_all(transport)
            assert (alice, carol) == (Sent(), Sent())
            kind: Any = Failed if trouble[:3] == "550" and verb != "MAIL" else Deferred
            if trouble in (DROP, GOODBYE) and verb == "MAIL":
                kind = Sent  # over another connection
            assert isinstance(bob, kind)
            assert arrivals(fake) == Counter(alice=1, carol=1, bob=int(bob == Sent()))
            await sees_all_is_well(fake, transport)

    run(scene)


@pytest.mark.parametrize("lingers", [False, True])
@pytest.mark.parametrize(
    ("trouble", "kind", "connections"),
    [
        (DROP, Deferred, 2),
        (GOODBYE, Deferred, 2),
        ("354 what?", Deferred, 2),
        ("garbage", Deferred, 2),
        ("", Deferred, 2),
        ("451 4.3.0 later", Deferred, 1),
        ("554 5.7.1 that is spam", Failed, 1),
    ],
)
def test_promise_05_trouble_with_the_first_mail(
    trouble: str, kind: type[Delivery], connections: int, lingers: bool
) -> None:
    """The others arrive, once: over this connection if it is good, or another."""

    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.lingers = lingers
            fake.script("DOT", trouble)
            transport = transport_to(fake.port)
            alice, bob, carol = await deliver_all(transport)
            assert isinstance(alice, kind)
            assert (bob, carol) == (Sent(), Sent())
            assert arrivals(fake) == {"bob": 1, "carol": 1}
            assert fake.connections == connections
            await sees_all_is_well(fake, transport)

    run(scene)


def test_nothing_is_believed_that_comes_behind_nonsense() -> None:
    """Not even what would be good answers to the next commands."""

    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.script("DOT", "\n".join(["354 what?", *list(GOOD.values())[:3]]))
            transport = transport_to(fake.port)
            alice, bob, carol = await deliver_all(transport)
            assert isinstance(alice, Deferred)
            assert (bob, carol) == (Sent(), Sent())
            assert arrivals(fake) == {"bob": 1, "carol": 1}
            assert fake.connections == 2
            await sees_all_is_well(fake, transport)

    run(scene)


def test_a_server_that_takes_one_mail_a_connection() -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.script("MAIL", *[GOOD["MAIL"], "421 4.7.0 too many", GOOD["MAIL"], DROP] * 5)
            transport = transport_to(fake.port)
            names = [f"player{number}" for number in range(10)]
            assert await deliver_all(transport, names) == [Sent()] * 10
            assert arrivals(fake) == dict.fromkeys(names, 1)
            assert fake.connections == 10
            await sees_all_is_well(fake, transport)

    run(scene)


@pytest.mark.parametrize("verb", ["MAIL", "RCPT"])
def test_no_empty_mail_from_one_that_was_refused(verb: str) -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.goes_on = True
            fake.script(verb, GOOD[verb], "450 4.2.0 later")
            transport = transport_to(fake.port)
            alice, bob, carol = await deliver_all(transport)
            assert (alice, carol) == (Sent(), Sent())
            assert isinstance(bob, Deferred)
            assert arrivals(fake) == {"alice": 1, "carol": 1}
            await sees_all_is_well(fake, transport)

    run(scene)


@pytest.mark.parametrize("extra", ["250 and more", "354 and more", "554 no", "25"])
@pytest.mark.parametrize("verb", ["MAIL", "RCPT", "DATA", "DOT"])
def test_a_server_that_says_too_much_gets_no_content_for_it(verb: str, extra: str) -> None:
    """Whether it says it to the first mail or to the second."""

    async def scene(before: list[str]) -> None:
        async with fake_at_once() as fake:
            fake.script(verb, *before, f"{GOOD[verb]}\n{extra}")
            transport = transport_to(fake.port)
            outcomes = await deliver_all(transport)
            assert sum(outcome != Sent() for outcome in outcomes) <= 1
            for name, outcome in zip(NAMES, outcomes, strict=True):
                assert arrivals(fake)[name] == (outcome == Sent())
            await sees_all_is_well(fake, transport)

    run(lambda: scene([]))
    run(lambda: scene([GOOD[verb]]))


@pytest.mark.parametrize("refused", ["MAIL", "RCPT"])
def test_an_answer_too_many_does_not_make_up_for_a_refusal(refused: str) -> None:
    """The second mail's envelope is refused, after an extra answer to the first's content."""

    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.goes_on = True
            fake.script("DOT", f"{GOOD['DOT']}\n250 and more")
            fake.script(refused, GOOD[refused], "550 5.1.1 no")
            transport = transport_to(fake.port)
            alice, bob, carol = await deliver_all(transport)
            assert (alice, carol) == (Sent(), Sent())
            assert bob != Sent()
            assert arrivals(fake) == {"alice": 1, "carol": 1}
            await sees_all_is_well(fake, transport)

    run(scene)


def test_a_mail_that_is_given_up_lets_the_next_go_on() -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.script("DOT", HANG)
            transport = transport_to(fake.port)
            alice, bob, carol = begin(transport, *NAMES)
            await until_content(fake)
            alice.cancel()
            async with asyncio.timeout(GUARD_SECONDS):
                assert await asyncio.gather(bob, carol) == [Sent(), Sent()]
            assert alice.cancelled()
            assert arrivals(fake) == {"bob": 1, "carol": 1}
            assert fake.connections == 2
            await sees_all_is_well(fake, transport)

    run(scene)


def test_a_mail_that_is_given_up_as_its_turn_comes_passes_it_on() -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            transport = transport_to(fake.port)

            async def first() -> None:
                assert await deliver(transport, "alice") == Sent()
                bob.cancel()  # which was called, and did not run yet

            alice = asyncio.create_task(first())
            bob, carol = begin(transport, "bob", "carol")
            async with asyncio.timeout(GUARD_SECONDS):
                await alice
                assert await carol == Sent()
            assert bob.cancelled()
            assert arrivals(fake) == {"alice": 1, "carol": 1}
            await sees_all_is_well(fake, transport)

    run(scene)


def test_those_who_are_given_up_while_they_wait_are_passed_over() -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            transport = transport_to(fake.port)
            alice, bob, carol = begin(transport, *NAMES)
            await asyncio.sleep(0)  # all of them wait or work now
            bob.cancel()
            async with asyncio.timeout(GUARD_SECONDS):
                assert await asyncio.gather(alice, carol) == [Sent(), Sent()]
            assert arrivals(fake) == {"alice": 1, "carol": 1}
            assert fake.connections == 1
            await sees_all_is_well(fake, transport)

    run(scene)


class Patience:
    """Timeouts that are as long as usual; but one wait for content is short, the so-manieth."""

    connect = command = quit = GUARD_SECONDS

    def __init__(self, *, data: int) -> None:
        self._until_short = data

    @property
    def data(self) -> float:
        self._until_short -= 1
        return GUARD_SECONDS if self._until_short else 0.01


def test_promise_05_a_mail_behind_one_that_is_never_answered() -> None:
    async def scene() -> None:
        async with fake_at_once() as fake:
            fake.script("DOT", HANG)
            patience: Any = Patience(data=2)  # the first is that for the reply to DATA
            transport = transport_to(fake.port, timeouts=patience)
            alice, bob, carol = await deliver_all(transport)
            assert isinstance(alice, Deferred)
            assert (bob, carol) == (Sent(), Sent())
            assert arrivals(fake) == {"bob": 1, "carol": 1}
            await sees_all_is_well(fake, transport)

    run(scene)


@pytest.mark.parametrize("seed", range(4))
def test_promise_05_whatever_goes_wrong_each_content_goes_to_its_recipient(seed: int) -> None:
    kept: list[tuple[str, bytes]] = []
    sent: list[str] = []

    async def scene() -> None:
        sink = Sink(
            lambda recipient, raw: kept.append((recipient, raw)),
            Trouble(random.Random(seed), share=0.1),
        )
        async with sink.running():
            transport = transport_to(sink.port, pool_size=2)

            async def one(name: str) -> None:
                while (outcome := await deliver(transport, name)) != Sent():
                    assert isinstance(outcome, Deferred)
                sent.append(name)

            names = [f"player{number}" for number in range(200)]
            await asyncio.gather(*(one(name) for name in names))
            await transport.close()
            assert sorted(sent) == sorted(names)
            assert {recipient for recipient, _ in kept} == {to(name) for name in names}
            for recipient, raw in kept:
                assert raw == content(recipient.partition("@")[0])

    run(scene)
