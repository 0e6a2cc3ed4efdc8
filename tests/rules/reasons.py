"""The closed lists of reasons to refuse a move, a state line, a set-up, a record or a claim.

`test_reasons` compares them with the code, with the sentences in the game's `reasons.txt`, and with
the pages: `docs/rules-protocol.md` explains the reasons, `docs/records.md` those of records.
"""

NOTATION_REASONS = tuple(
    "not-a-move no-such-cell same-cell not-one-step not-straight too-many no-direction"
    " no-pass".split()
)

ILLEGAL_MOVE_REASONS = tuple(
    "game-over empty-cell gap not-yours fixed-marble no-own-marble partner-at-rear"
    " own-in-the-way partner-in-the-way pillar-in-the-way one-cannot-push outnumbered"
    " push-blocked push-against-partner push-against-pillar own-off-board partner-off-board"
    " sideways-push sideways-blocked sideways-off-board no-such-seat already-out".split()
)

SETUP_REASONS = "unknown-board", "wrong-players", "centre-taken"

REASONS = (*NOTATION_REASONS, *ILLEGAL_MOVE_REASONS, "bad-state", *SETUP_REASONS)

RECORD_REASONS = tuple(
    "too-long too-many-plies not-a-record not-a-game several-games bad-bracket bad-tag bad-names"
    " bad-json bad-version no-board unknown-variant board-differs not-skipped after-result"
    " bad-result bad-ending result-differs state-differs only-for-two one-form".split()
)
"""Reasons of records, besides those of moves and boards."""

CLAIM_REASONS = ("nothing-to-claim",)
