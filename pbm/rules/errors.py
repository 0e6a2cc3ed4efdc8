"""What can be wrong with a move, a state line or a set-up: one class and one reason code for each.

Every error carries a `reason`, a code from a closed list that programs may rely on, and a text of
one or two sentences for a person. `docs/rules-protocol.md` explains the reasons; a test holds the
page and these lists together.
"""

from typing import Literal, get_args

NotationReason = Literal[
    "not-a-move",
    "no-such-cell",
    "same-cell",
    "not-one-step",
    "not-straight",
    "too-many",
    "no-direction",
]
IllegalMoveReason = Literal[
    "game-over",
    "empty-cell",
    "gap",
    "not-yours",
    "fixed-marble",
    "no-own-marble",
    "partner-at-rear",
    "own-in-the-way",
    "partner-in-the-way",
    "pillar-in-the-way",
    "one-cannot-push",
    "outnumbered",
    "push-blocked",
    "push-against-partner",
    "push-against-pillar",
    "own-off-board",
    "partner-off-board",
    "sideways-push",
    "sideways-blocked",
    "sideways-off-board",
    "no-such-seat",
    "already-out",
]
StateReason = Literal["bad-state"]
SetupReason = Literal["unknown-board", "wrong-players", "centre-taken"]

Reason = NotationReason | IllegalMoveReason | StateReason | SetupReason

REASONS: tuple[str, ...] = (
    *get_args(NotationReason),
    *get_args(IllegalMoveReason),
    *get_args(StateReason),
    *get_args(SetupReason),
)


class RulesError(ValueError):
    """Something that the rules do not allow: `reason` is for programs, `str()` for people."""

    def __init__(self, reason: Reason, text: str) -> None:
        super().__init__(text)
        self.reason: Reason = reason


class NotationError(RulesError):
    """A text that names no move, in this or any other position."""

    def __init__(self, reason: NotationReason, text: str) -> None:
        super().__init__(reason, text)


class IllegalMoveError(RulesError):
    """A move, or a seat's leaving, that this position does not allow."""

    reason: IllegalMoveReason

    def __init__(self, reason: IllegalMoveReason, text: str) -> None:
        super().__init__(reason, text)


class StateError(RulesError):
    """A state line that describes no position."""

    def __init__(self, reason: StateReason, text: str) -> None:
        super().__init__(reason, text)


class SetupError(RulesError):
    """A board that does not exist, or not for that many players or with a pillar."""

    def __init__(self, reason: SetupReason, text: str) -> None:
        super().__init__(reason, text)
