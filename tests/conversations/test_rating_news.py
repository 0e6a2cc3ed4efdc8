"""Ratings that are counted anew after an upgrade, and who is told of that."""

import pytest
from sqlalchemy import insert, text

from pbm.store.schema.games import rated_boards
from pbm.store.values.queues import TimerKind
from tests.conversations.playing import board_mail, plays, plays_on
from tests.conversations.test_ratings import known, problems, quick_games
from tests.store.test_migrations import _moved
from tests.table import START, Table

TOLD = "The rules for ratings have changed, and all games were counted anew"
OLD = (
    "UPDATE ratings SET mu = 49.8 WHERE player_id IN (SELECT id FROM players WHERE handle <= 'bob')"
)


def go_back(table: Table) -> None:
    """Let the tables and ratings be those of before: a game of two plies counted as board 3."""
    _moved(table.database, "0024", down=True)
    with table.database.engine.begin() as connection:
        columns = {"game": "abalone", "pool": "two", "counted_at": START}
        connection.execute(insert(rated_boards).values(board_id=3, **columns))
        connection.execute(text(OLD))


@pytest.mark.on_postgresql
def test_who_is_told_and_when(table: Table) -> None:
    """Each whose rating is another now, in the next mail about a board, once; and nobody before
    all is counted."""
    alice, bob, carol, dave = (table.joins(name) for name in ("alice", "bob", "carol", "dave"))
    quick_games(table, "alice", "bob", 1)
    quick_games(table, "carol", "dave", 1)
    table.begins("carol", "alice")
    plays_on(table, 3, 2)
    carol.says("resign 3")
    alice.says("challenge bob")
    carol.says("challenge dave")
    right = known(table)
    go_back(table)
    _moved(table.database, "head")
    plays(table, [alice, bob], 4)
    assert not any(TOLD in " ".join(board_mail(one, 4).text.split()) for one in (alice, bob))
    with table.database.transaction() as work:  # the upgrade's clock is another
        assert work.timers.about(TimerKind.RATINGS, [""])
        work.timers.advance(TimerKind.RATINGS, [""], table.clock(), table.clock())
    table.days_pass(seconds=5)
    assert known(table) == pytest.approx(right)
    for number, people in ((4, [bob, alice]), (5, [carol, dave])):
        for times in range(2):
            for person in people:
                person.forgets()
            plays(table, people, number)
            for person in people:
                heard = " ".join(person.newest.text.split())
                assert (TOLD in heard) is (number == 4 and not times)
    assert not problems(table)
    assert not [row for row in table.rows("players") if row["rating_news"]]


def test_what_they_are_told(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    with table.database.transaction() as work:
        work.players.change(1, rating_news=[["abalone", "two", 2492], ["checkers", "two", 1700]])
        work.players.change(2, rating_news=[["abalone", "many", 1500]])
    plays(table, [alice, bob])
    alice.hears("Yours: games of two players none yet (before 2492).")
    assert "only your rating changes. Yours: games of three players and more none yet" in " ".join(
        bob.newest.text.split()
    )
