"""What a kind of thought is: what to compute, and what to do with the answer."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pbm.play.turn import Turn
from pbm.service.robots.minds import Question
from pbm.store.db import UnitOfWork
from pbm.store.values.thoughts import Thought


@dataclass(frozen=True, kw_only=True)
class Thinking(Turn):
    """The turn in which something comes of a thought."""

    thought: Thought


@dataclass(frozen=True)
class Kind:
    """What is done about thoughts of one kind.

    `question` is what to compute, None where nobody wants to know any more. With the thought's
    tries that failed it should become easier. `conclude` does something with the answer, and
    `resort` something where there will be none; both return what came of it, for the log. Both are
    done with the board's row locked, and look whether it is still wanted; what they do is one
    transaction with the thought's end.
    """

    question: Callable[[UnitOfWork, Thought], Question | None]
    conclude: Callable[[Thinking, Any], str]
    resort: Callable[[Thinking], str]
