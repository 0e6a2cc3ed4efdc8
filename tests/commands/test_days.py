"""First and last days as people write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.commands.language.days import DaysKind
from pbm.errors import Refusal
from tests.rows import each_row

TODAY = date(2026, 11, 21)  # a Saturday
NEW_YEAR = date(2026, 12, 20), date(2027, 1, 3)
AT_THE_END = date(2026, 12, 24), date(2026, 12, 31)


@each_row(
    ("text", "days"),
    [
        ("2026-12-20 2027-01-03", NEW_YEAR),
        ("2026/12/20 - 2027/1/3", NEW_YEAR),
        ("20.12. 3.1.", NEW_YEAR),
        ("20.12.-3.1.", NEW_YEAR),
        ("20.12. bis 3.1.2027", NEW_YEAR),
        ("20.12.26 3.1.27", NEW_YEAR),
        ("20. 12. 2026 - 3. 1. 2027", NEW_YEAR),
        ("20.12 3.1", NEW_YEAR),
        ("20 Dec to 3 Jan", NEW_YEAR),
        ("from 20th of December until 3rd January 2027", NEW_YEAR),
        ("Dec 20 - Jan 3, 2027", NEW_YEAR),
        ("December 20th, 2026 through January 3rd", NEW_YEAR),
        ("Sun 2026-12-20 to Sun, 3 Jan", NEW_YEAR),
        ("12/20/2026 1/13/2027", (date(2026, 12, 20), date(2027, 1, 13))),
        ("20/12 to 13/1", (date(2026, 12, 20), date(2027, 1, 13))),
        ("20 dec for 2 weeks and 1 day", NEW_YEAR),
        ("20.12. 15d", NEW_YEAR),
        ("24-31 Dec", AT_THE_END),
        ("24.-31.12.", AT_THE_END),
        ("Dec 24-31", AT_THE_END),
        ("24th to 31st of December 2026", AT_THE_END),
        ("24 Dec, 8 days", AT_THE_END),
        ("today tomorrow", (TODAY, date(2026, 11, 22))),
        ("tomorrow tomorrow", (date(2026, 11, 22), date(2026, 11, 22))),
        ("tomorrow for a week", (date(2026, 11, 22), date(2026, 11, 28))),
        ("2 weeks", (TODAY, date(2026, 12, 4))),
        ("until Friday", (TODAY, date(2026, 11, 27))),
        ("till 3.12.", (TODAY, date(2026, 12, 3))),
        ("Monday to Wednesday", (date(2026, 11, 23), date(2026, 11, 25))),
        ("now 10d.", (TODAY, date(2026, 11, 30))),
        ("15.11. 25.11.", (date(2026, 11, 15), date(2026, 11, 25))),  # it has begun
        ("1.8. 14.8.", (date(2027, 8, 1), date(2027, 8, 14))),  # long past
        ("24.12. 20.12.", (date(2026, 12, 24), date(2027, 12, 20))),
        ("29.2. 2.3.", (date(2028, 2, 29), date(2028, 3, 2))),
    ],
)
def test_days(text: str, days: tuple[date, date]) -> None:
    assert DaysKind().read(text.split()).on(TODAY) == days


@each_row(
    ("text", "reason"),
    [
        ("20 Dec", "missing"),
        ("tomorrow", "missing"),
        ("from", "missing"),
        ("5/12 6/12", "day-two-ways"),
        ("20.12. 3.1. 5.1.", "day"),
        ("10d 20.12.", "day"),
        ("31.2. 3.3.", "day"),
        ("29.2.2027 3.3.", "day"),
        ("20-24", "day"),
        ("28-31 Feb", "day"),
        ("20.13. 3.1.", "day"),
        ("2026-12-20T10:00 2026-12-21", "day"),
        ("20 Dec 12h", "day"),
        ("soon later", "day"),
        ("3 wise men", "day"),
    ],
)
def test_what_is_none(text: str, reason: str) -> None:
    with pytest.raises(Refusal) as refused:
        DaysKind().read(text.split())
    assert refused.value.params["reason"] == reason


WORDS = st.sampled_from(
    "24 24. 24.12. 24.12 2026-12-24 24/12 5/5 dec december 24dec today 10d 2 weeks a and from to - "
    "31st fri 2028 29.2. 29 feb 99 0 0.0. 00/00 2026-00-00 may".split()
)


@given(words=st.lists(WORDS | st.text(max_size=6).filter(str.split), min_size=1, max_size=6))
def test_any_words(words: list[str]) -> None:
    try:
        read = DaysKind().read(" ".join(words).split())
    except Refusal:
        return
    assert all(isinstance(day, date) for day in read.on(TODAY))
