"""What can go wrong with the next server, as dice will have it."""

import random
from collections import Counter
from dataclasses import dataclass, field

STAY = "stay"  # what a healthy server does
ANYWHERE = (
    "drop",  # the connection ends, nothing is said
    "reset",  # the same, and what was under way is lost
    "say 421",
    "say 451",
    "say nonsense",
    "tarpit",  # all is well, but slow
    "half-close",  # the answer, and then nothing more from this side
    "half an answer",
)
ABOUT_US = "say 554"  # no fault of a reader's, so that it passes
WITH_THE_MAIL = (
    "keep and drop",
    "keep and reset",
    "keep and half an answer",
    "keep, answer and drop",
    "keep and half-close",
    "keep and say 451",
    "keep and say nonsense",
)
IN_THE_MAIL = "drop in the mail"
REFUSE = "refuse connections"
STEPS = ("connect", "EHLO", "MAIL", "RCPT", "DATA", "mail", "dot", "RSET", "QUIT")


@dataclass
class Trouble:
    """Throws dice at each step of a conversation; counts what came of it."""

    dice: random.Random
    share: float = 0.0  # of the steps go wrong
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)

    def at(self, step: str) -> str:
        """What happens at a step of a conversation."""
        if self.dice.random() >= self.share:
            return STAY
        what = self.dice.choice(kinds(step))
        self.counted[step, what] += 1
        return what

    def tell(self) -> str:
        """What went wrong, and how often, in lines."""
        return "\n".join(
            f"  {times:6} times at {step}: {what}"
            for (step, what), times in sorted(self.counted.items())
        )


def kinds(step: str) -> tuple[str, ...]:
    """What may happen at a step."""
    if step == "mail":
        return (IN_THE_MAIL,)
    if step == "dot":
        return ANYWHERE + WITH_THE_MAIL
    if step == "connect":
        return (*ANYWHERE, ABOUT_US, REFUSE)
    return (*ANYWHERE, ABOUT_US) if step in ("EHLO", "MAIL") else ANYWHERE
