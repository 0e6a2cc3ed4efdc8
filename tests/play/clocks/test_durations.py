"""Durations as people write them."""

from datetime import timedelta

from pbm.mail.writing.render import templates_of
from pbm.play.clocks.terms import parse_duration
from pbm.resources import resource_path
from tests.rows import each_row


@each_row(
    ("text", "days"),
    [
        ("10d", 10),
        ("10", 10),
        ("10 days", 10),
        ("2w", 14),
        ("2 weeks", 14),
        ("1 week, 2 days", 9),
        ("1 Week and 2 Days", 9),
        ("36h", 1.5),
        ("90 min", 0.0625),
        ("3 months", 90),
    ],
)
def test_durations(text, days):
    assert parse_duration(text) == timedelta(days=days)


@each_row("text", ["", "d", "ten days", "-3d", "1.5d", "5 parsecs", "9999w", "1d1x", "1 2x"])
def test_what_is_none(text):
    assert parse_duration(text) is None


@each_row(
    ("told", "duration"),
    [
        ("3 weeks", timedelta(days=21)),
        ("10 days", timedelta(days=10)),
        ("1 day 12 hours", timedelta(hours=36)),
        ("1 hour 1 minute", timedelta(minutes=61)),
        ("0 minutes", timedelta()),
    ],
)
def test_said_and_read_again(told, duration):
    words = templates_of(resource_path("templates")).get_template("words.txt").module
    assert words.duration(int(duration.total_seconds())) == told
    assert parse_duration(told) == duration


@each_row(
    ("told", "length"),
    [
        ("1 minute", timedelta(seconds=50)),
        ("90 minutes", timedelta(minutes=90)),
        ("2 hours", timedelta(hours=2)),
        ("7 days", timedelta(days=6, hours=23)),
        ("2 months", timedelta(days=61)),
        ("1 year", timedelta(days=365)),
    ],
)
def test_said_in_one_number(told, length):
    words = templates_of(resource_path("templates")).get_template("words.txt").module
    assert words.about(int(length.total_seconds())) == told


def test_words_that_an_earlier_version_froze_stay_as_they_are() -> None:
    words = templates_of(resource_path("templates")).get_template("words.txt").module
    assert words.moment("Tue 2026-11-24 12:00 UTC") == "Tue 2026-11-24 12:00 UTC"
    assert words.duration("3 weeks") == "3 weeks"
    assert words.about("7 days") == "7 days"
