"""The failing smarthost: it keeps a mail or it does not, and the server's own way out can tell."""

import asyncio
import random
from dataclasses import dataclass

import pytest

from pbm.mail.smtp_out.delivery import Deferred, Sent
from tests.mail.wire.fake_smarthost import patient
from tests.torture.sink import Sink
from tests.torture.trouble import IN_THE_MAIL, REFUSE, STAY, STEPS, Trouble, kinds

RAW = b"Subject: x\r\n\r\nwords\r\n"
HARMLESS = ("tarpit", "half-close")


@dataclass
class Planned(Trouble):
    """One thing goes wrong at one step, once."""

    step: str = ""
    what: str = ""

    def at(self, step: str) -> str:
        """What happens at a step."""
        if step != self.step:
            return STAY
        self.step = ""
        return self.what


async def deliver(trouble: Trouble) -> tuple[list[bytes], list[type]]:
    """Send a mail over a fresh connection and then others until all was told."""
    kept: list[bytes] = []
    sink = Sink(lambda _, raw: kept.append(raw), trouble)
    outcomes = []
    async with sink.running():
        transport = patient(sink.url)
        outcomes.append(type(await transport.deliver("a@b.example", "c@d.example", RAW)))
        while outcomes[-1] is not Sent:
            outcomes.append(type(await transport.deliver("a@b.example", "c@d.example", RAW)))
        await transport.close()
    return kept, outcomes


@pytest.mark.parametrize(
    ("step", "what"),
    [
        (step, what)
        for step in STEPS
        if step not in ("RSET", "QUIT")  # which come after another failure, or at the end
        for what in kinds(step)
    ],
)
def test_a_mail_arrives_in_the_end(step: str, what: str) -> None:
    kept, outcomes = asyncio.run(deliver(Planned(random.Random(1), step=step, what=what)))
    assert set(kept) == {RAW}
    assert set(outcomes[:-1]) <= {Deferred}
    if what.startswith("keep") and what not in ("keep, answer and drop", "keep and half-close"):
        assert (len(kept), outcomes) == (2, [Deferred, Sent])
    elif what not in HARMLESS and not what.startswith("keep"):
        assert len(kept) == 1
        assert len(outcomes) >= 2 or what == REFUSE


def test_everything_happens_by_the_dice() -> None:
    trouble = Trouble(random.Random(1), share=1.0)
    for _ in range(200):
        for step in STEPS:
            assert trouble.at(step) != STAY
    assert set(trouble.counted) == {(step, what) for step in STEPS for what in kinds(step)}
    assert f"at mail: {IN_THE_MAIL}" in trouble.tell()
    assert Trouble(random.Random(1)).at("MAIL") == STAY
