"""Texts for the reader of records: the first byte says as what they are read."""

from dataclasses import replace
from itertools import product

from pbm.rules import abalone as rules
from tests.fuzz.targets import Target
from tests.rules.reasons import REASONS, RECORD_REASONS
from tests.rules.records.random_records import random_record
from tests.rules.sentences import told

_AS = list(product((False, True), (None, "belgian", "standard"), (False, True)))
_WORDS = (
    *('[Event "', '[Players "3"]', '[Result "1-0"]', '[Notation "Aba-Pro"]', '[Variant "', '"]'),
    *('[Termination "agreed"]', "{seat 2 resigned}", "1.", "12...", "--", "1-0", "1/2-1/2", "*"),
    *("a1-c3,b2", "i5-g5,h5", "a1b2", "i5h5", "draw", "1+3", "\ufeff", "$1", ";", "(", ")", "\\"),
    *('"format": "pbm-record"', '"version": 1', '"steps": [', '"names"', '"ended"', '"players"'),
)


def check(data: bytes) -> None:
    """Read a text as a record: one that is written and read back alike, or RecordError."""
    abapro, layout, pillar = _AS[data[0] % len(_AS)] if data else _AS[0]
    text = data[1:].decode("utf-8", "surrogateescape")
    try:
        record = rules.parse_record(
            text, {"abapro": abapro, "layout": layout or "", "pillar": pillar}
        )
    except rules.RecordError as error:
        _check_refusal(error)
        return
    for written in ("apgn", "json"):
        assert rules.parse_record(rules.format_record(record, {written: True}), {}) == record


def _check_refusal(error: rules.RecordError) -> None:
    assert error.reason in (*REASONS, *RECORD_REASONS)
    assert 0 < len(told(error)) < 500
    # Both are mailed, so both must be text that can be.
    told(error).encode()
    (error.params.get("given") or "").encode()


def _seeds() -> tuple[bytes, ...]:
    found = []
    for seed in range(0, 200, 7):
        whole = random_record(seed)
        record = replace(whole, steps=whole.steps[:9], tags=whole.tags[:2])
        found += [rules.format_record(record, {form: True}) for form in ("apgn", "json")]
        found.append(rules.format_record(record, {"apgn": True, "abapro": True}))
    return tuple(b"\0" + text.encode() for text in found)


TARGET = Target(check, _seeds(), tuple(word.encode() for word in _WORDS), longest=1500)
