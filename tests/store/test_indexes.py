"""What is asked often, or of tables that only grow, is found by an index."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import event

from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import migrate
from pbm.store.values.players import CountedBoard, Pool
from tests.table import START

GROWING = "inbox|outbox|changes|boards|seats|results|ratings|seeks|seekers"
COUNTED = CountedBoard(7, 1, "abalone", Pool.TWO, START)

ASKED: dict[str, tuple[Callable[[UnitOfWork], Any], tuple[str, ...]]] = {
    "next mail": (lambda work: work.inbox.claim(START), ("ix_inbox_place",)),
    "mails that wait": (lambda work: work.inbox.waiting(), ("ix_inbox_place", "ix_inbox_stuck")),
    "the mail that waits longest": (
        lambda work: work.inbox.longest_waiting(),
        ("ix_inbox_place",),
    ),
    "mails that wait, counted": (lambda work: work.inbox.count("new"), ("ix_inbox_place",)),
    "post that waits, counted": (lambda work: work.outbox.count("due"), ("ix_outbox_due",)),
    "post": (
        lambda work: work.outbox.claim_due(START, most=16, passing_over=()),
        ("ix_outbox_due", "ix_outbox_order"),
    ),
    "post that waits": (
        lambda work: work.outbox.waiting(),
        ("ix_outbox_due", "ix_outbox_failed"),
    ),
    "failed post": (lambda work: work.outbox.count("failed"), ("ix_outbox_failed",)),
    "journal of a player": (
        lambda work: work.changes.about(player_id=1),
        ("ix_changes_player_id",),
    ),
    "journal of a board": (lambda work: work.changes.about(board_id=1), ("ix_changes_board_id",)),
    "who turned us down": (
        lambda work: work.questions.turned_down({"a@example.org", "a+b@example.org"}),
        ("ix_questions_address_key",),
    ),
    "words held back that are old": (
        lambda work: work.questions.forget_held_words(START),
        ("ix_errands_unsent (asked_at<?)",),
    ),
    "numbers of a player's boards": (
        lambda work: work.boards.numbers_of(1, most=300),
        ("ix_seats_of_player",),
    ),
    "standings": (
        lambda work: work.ratings.standings("abalone", Pool.TWO, 1000),
        ("ix_ratings_place",),
    ),
    "games of a month": (
        lambda work: work.ratings.meetings(COUNTED, [1, 2], START),
        (
            "ix_results_player_id (player_id=? AND game=? AND pool=? AND rated_id>? AND rated_id<",
            "sqlite_autoindex_results_1 (rated_id=? AND player_id>?)",
            "ix_rated_boards_counted_at (counted_at<?)",
        ),
    ),
    "ratings of a player": (lambda work: work.ratings.of_player(1), ("ix_ratings_player_id",)),
    "players by handle": (lambda work: work.players.some_from("m", most=30), ("(handle>?)",)),
    "ratings before a board": (
        lambda work: work.ratings.last("abalone", Pool.TWO, [1, 2], before=2),
        ("ix_results_player_id (player_id=? AND game=? AND pool=? AND rated_id<?)",),
    ),
    "finished games": (
        lambda work: work.history.finished(1, below=None, most=20),
        ("ix_seats_of_player (player_id=? AND playing=? AND board_id<?)",),
    ),
    "games of two players": (
        lambda work: work.history.meetings(1, 2, seen_by=3),
        ("ix_seats_of_player (player_id=? AND playing=? AND board_id<?)", "(board_id=?)"),
    ),
    "games in time": (
        lambda work: work.history.kept_time(1, most=100),
        ("ix_seats_of_player", "ix_departures_board_id"),
    ),
    "who is away": (
        lambda work: work.vacations.away_among([1, 2], START.date()),
        ("ix_vacations_player_id",),
    ),
    "boards that others began": (
        lambda work: work.beginnings.by_others(1, most=5),
        ("ix_seats_of_player",),
    ),
    "challenges that wait": (
        lambda work: work.challenges.of_player(1, START),
        ("ix_challenges_by_id", "ix_challenged_player_id"),
    ),
    "what others said on a board": (
        lambda work: work.words.of_others(1, 2, most=5),
        ("ix_words_board_id",),
    ),
    "what was said long ago": (lambda work: work.words.forget_before(START), ("ix_words_said_at",)),
    "boards to move on": (lambda work: work.boards.to_move(1), ("ix_boards_to_move_id",)),
    "open seeks": (lambda work: work.seeks.standing(5), ("ix_seeks_open",)),
    "seeks to pair": (
        lambda work: list(work.seeks.usual(5, "abalone", 1500, pairs=True, most=5)),
        ("ix_seeks_open",),
    ),
    "blocks between players": (
        lambda work: work.blocks.around(1, [2, 3]),
        ("(player_id=? AND blocked_id=?)",),
    ),
    "with whom one has played": (
        lambda work: work.seeks.met_since(1, [2, 3], START),
        ("ix_seats_of_player",),
    ),
    "search jobs to be claimed": (
        lambda work: work.search_jobs.claim(START, 2, "me", START),
        ("ix_thoughts_place",),
    ),
    "boards against robots": (
        lambda work: work.beginnings.with_robots(1, most=5),
        ("ix_seats_of_player",),
    ),
    "seeks of a player": (lambda work: work.seeks.of_player(1), ("ix_seekers_player_id",)),
}


@pytest.mark.parametrize("name", ASKED)
def test_it_is_found_by_an_index(name: str, sqlite_url: str) -> None:
    ask, indexes = ASKED[name]
    plan = _plan(sqlite_url, ask)
    for index in indexes:
        assert index in plan, plan
    assert not re.search(rf"SCAN ({GROWING})(?! USING)", plan), plan


def test_mails_of_one_thread_are_found_by_both_of_its_columns(sqlite_url: str) -> None:
    plan = _plan(sqlite_url, ASKED["post"][0])
    assert "ix_outbox_order (recipient_key=? AND thread=? AND id<?)" in plan, plan


def _plan(url: str, ask: Callable[[UnitOfWork], Any]) -> str:
    database = Database(url)
    migrate(database)
    asked: list[tuple[str, Any]] = []

    def note(_connection: object, _cursor: object, statement: str, values: Any, *_: object) -> None:
        asked.append((statement, values))

    event.listen(database.engine, "before_cursor_execute", note)
    with database.reading() as work:
        ask(work)
    event.remove(database.engine, "before_cursor_execute", note)
    statement, values = asked[-1]
    with database.engine.connect() as connection:
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", values).all()
    database.close()
    return "\n".join(str(row[-1]) for row in rows)
