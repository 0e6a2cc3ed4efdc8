"""What can be wrong with a move, a state line, a set-up or a record: a class and codes for each.

Every error carries a `reason`, a code from a closed list that programs may rely on, and parameters
as plain data. Where a reason has several causes, `fault` says which. The sentences for people are
in the game's `reasons.txt`. `docs/rules-protocol.md` explains the reasons, `docs/records.md` those
that only a record can have; tests hold the pages, the sentences and these lists together.
"""

from typing import Any, Literal, get_args

from pbm.rules import contract

NotationReason = Literal[
    "not-a-move",
    "no-such-cell",
    "same-cell",
    "not-one-step",
    "not-straight",
    "too-many",
    "no-direction",
    "no-pass",
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
RecordReason = Literal[
    "too-long",
    "too-many-plies",
    "not-a-record",
    "not-a-game",
    "several-games",
    "bad-bracket",
    "bad-tag",
    "bad-names",
    "bad-json",
    "bad-version",
    "no-board",
    "unknown-variant",
    "board-differs",
    "not-skipped",
    "after-result",
    "bad-result",
    "bad-ending",
    "result-differs",
    "state-differs",
    "only-for-two",
    "one-form",
]
ClaimReason = Literal["nothing-to-claim"]

REASONS: tuple[str, ...] = (
    *get_args(NotationReason),
    *get_args(IllegalMoveReason),
    *get_args(StateReason),
    *get_args(SetupReason),
)

RECORD_REASONS: tuple[str, ...] = get_args(RecordReason)
"""What can be wrong with a record besides its moves and its board."""


RulesError = contract.RulesError


class NotationError(contract.NotationError):
    """A text that names no move, in this or any other position."""

    def __init__(self, reason: NotationReason, **params: Any) -> None:
        super().__init__(reason, **params)


class IllegalMoveError(contract.IllegalMoveError):
    """A move, or a seat's leaving, that this position does not allow."""

    def __init__(self, reason: IllegalMoveReason, **params: Any) -> None:
        super().__init__(reason, **params)


class StateError(contract.StateError):
    """A state line that describes no position."""

    def __init__(self, reason: StateReason, **params: Any) -> None:
        super().__init__(reason, **params)


class SetupError(contract.SetupError):
    """A board that does not exist, or not for that many players or with a pillar."""

    def __init__(self, reason: SetupReason, **params: Any) -> None:
        super().__init__(reason, **params)


class ClaimError(contract.ClaimError):
    """A draw that cannot be claimed."""

    def __init__(self, reason: ClaimReason, **params: Any) -> None:
        super().__init__(reason, **params)


class RecordError(contract.RecordError):
    """A record of a game that cannot be read or written, or whose moves the rules do not allow.

    For a step that is refused `reason` is the rules' own, and the rest says where: `ply` is the one
    that would have been played, `number` that of its round, as in `12.`, `seat` the one to move (or
    to leave), `given` the text as it stands in the record. They are None for everything else.
    """

    def __init__(self, reason: str, **params: Any) -> None:
        super().__init__(reason, **params)
        self.ply: int | None = params.get("ply")
        self.number: int | None = params.get("number")
        self.seat: int | None = params.get("seat")
        self.given: str | None = params.get("given")
