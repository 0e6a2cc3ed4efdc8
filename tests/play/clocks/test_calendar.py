"""Which days count for a clock."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given
from hypothesis import strategies as st

from pbm.play.clocks.calendar import Calendar, Stretch
from tests.rows import each_row

BERLIN = ZoneInfo("Europe/Berlin")
FRIDAY = datetime(2026, 3, 27, 17, 0, tzinfo=UTC)  # six in the evening in Berlin
WEEK = timedelta(days=7)


def days_off(first: date, last: date) -> Stretch:
    return datetime.combine(first, time()), datetime.combine(last + timedelta(days=1), time())


@each_row(
    ("calendar", "ends"),
    [
        (Calendar(ZoneInfo("UTC")), datetime(2026, 4, 3, 17, tzinfo=UTC)),
        # Summer time begins on the 29th: six in the evening is an hour earlier then.
        (Calendar(BERLIN), datetime(2026, 4, 3, 16, tzinfo=UTC)),
        (Calendar(BERLIN, weekends_off=True), datetime(2026, 4, 7, 16, tzinfo=UTC)),
        # A day of 23 hours that does not count, beside six of 24.
        (
            Calendar(BERLIN, away=(days_off(date(2026, 3, 29), date(2026, 3, 29)),)),
            datetime(2026, 4, 4, 16, tzinfo=UTC),
        ),
        (
            Calendar(BERLIN, away=(days_off(date(2026, 3, 30), date(2026, 4, 1)),)),
            datetime(2026, 4, 6, 16, tzinfo=UTC),
        ),
        (
            Calendar(BERLIN, stopped=((FRIDAY - WEEK, FRIDAY + timedelta(hours=2)),)),
            datetime(2026, 4, 3, 18, tzinfo=UTC),
        ),
    ],
)
def test_seven_days(calendar, ends):
    assert calendar.after(FRIDAY, WEEK) == ends
    assert calendar.elapsed(FRIDAY, ends) == WEEK


@each_row(
    ("calendar", "ends"),
    [
        # Summer time ends on the 25th: six in the evening is an hour later then.
        (Calendar(BERLIN), datetime(2026, 10, 30, 17, tzinfo=UTC)),
        (Calendar(BERLIN, weekends_off=True), datetime(2026, 11, 3, 17, tzinfo=UTC)),
        (
            Calendar(BERLIN, away=(days_off(date(2026, 10, 25), date(2026, 10, 25)),)),
            datetime(2026, 10, 31, 17, tzinfo=UTC),
        ),
        # On the other half of the earth it begins then, and there it had begun before.
        (Calendar(ZoneInfo("Pacific/Auckland")), datetime(2026, 10, 30, 16, tzinfo=UTC)),
        (Calendar(ZoneInfo("America/New_York")), datetime(2026, 10, 30, 16, tzinfo=UTC)),
    ],
)
def test_seven_days_in_autumn(calendar, ends):
    since = datetime(2026, 10, 23, 16, tzinfo=UTC)
    assert calendar.after(since, WEEK) == ends
    assert calendar.elapsed(since, ends) == WEEK


@each_row("minutes", range(0, 181, 30))
def test_no_clock_runs_backwards_where_an_hour_comes_twice(minutes):
    """It stands still for that hour, which is given back, and never costs more than has gone by."""
    since = datetime(2026, 10, 25, 0, 0, tzinfo=UTC)  # two in the morning, for the first time
    gone = timedelta(minutes=minutes)
    elapsed = Calendar(BERLIN).elapsed(since, since + gone)
    assert timedelta() <= elapsed <= gone
    assert elapsed >= gone - timedelta(hours=1)


def test_stops_that_overlap_are_given_back_once():
    hour = timedelta(hours=1)
    stops = ((FRIDAY, FRIDAY + 3 * hour), (FRIDAY + hour, FRIDAY + 2 * hour))
    assert Calendar(BERLIN, stopped=stops).elapsed(FRIDAY, FRIDAY + 5 * hour) == 2 * hour


def test_nobody_can_be_away_for_ever():
    assert Calendar(BERLIN, away=((datetime.min, datetime.max),)).after(FRIDAY, WEEK) is None


@given(
    since=st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)),
    allowed=st.timedeltas(timedelta(minutes=1), timedelta(days=60)),
    zone=st.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
    weekends_off=st.booleans(),
    away=st.lists(st.dates(date(2026, 1, 1), date(2027, 12, 31)), max_size=5),
)
def test_what_is_allowed_has_elapsed_then(since, allowed, zone, weekends_off, away):
    calendar = Calendar(ZoneInfo(zone), weekends_off, tuple(days_off(day, day) for day in away))
    begin = since.replace(tzinfo=UTC)
    end = calendar.after(begin, allowed)
    assert end is not None
    # In the hour that comes twice, or is left out, a wall clock cannot tell more exactly.
    assert abs(calendar.elapsed(begin, end) - allowed) <= timedelta(hours=1)
