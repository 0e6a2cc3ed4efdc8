"""What the server knows of its surroundings: on both databases the same."""

from datetime import UTC, datetime, timedelta

from pbm.store.db import Database

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
HOUR = timedelta(hours=1)


def test_facts_are_noted_over_and_forgotten(database: Database) -> None:
    with database.transaction() as work:
        assert work.facts.find("weather") is None
        work.facts.note("weather", {"sky": "grey"}, NOW)
        work.facts.note("weather", {"sky": "blue"}, NOW + HOUR)
    with database.transaction() as work:
        fact = work.facts.find("weather")
        assert fact is not None
        assert (fact.value, fact.noted_at) == ({"sky": "blue"}, NOW + HOUR)
        work.facts.forget("weather")
        assert work.facts.find("weather") is None
