"""A season: months of clocks, vacations, bounces and an outage, and what must hold at the end."""

import faulthandler
import os
import sys
from datetime import timedelta
from random import Random, SystemRandom

import pytest

from pbm.play.clocks.waits import terms_of
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.verify import verify
from tests.season import oracle
from tests.season.season import Season, Size
from tests.table import Table

SMALL = Size(players=8, boards=10, days=35)
WHOLE = Size(players=40, boards=200, days=182)
WATCHED = 1500  # seconds until a season hangs for sure


@pytest.mark.parametrize(
    ("size", "seed"),
    [(SMALL, 1), pytest.param(WHOLE, 559251, marks=pytest.mark.thorough)],
    ids=["small", "whole"],
)
def test_a_season(size: Size, seed: int, embedded: Table) -> None:
    wanted = os.environ.get("SEASON_SEED", str(seed))
    seed = SystemRandom().randrange(10**6) if wanted == "any" else int(wanted)
    print(f"this season again: SEASON_SEED={seed}")
    if size is WHOLE:  # the watchdog gives every other test five minutes
        faulthandler.dump_traceback_later(WATCHED, exit=True, file=sys.__stderr__)
    season = Season(embedded, size, Random(seed))
    season.begin()
    season.live()
    season.falls_silent(days=150)
    season.check_settings()
    check_mails(season)
    check_boards(season)
    check_forfeits(season)
    check_ratings(season)
    assert season.table.rows("handovers")
    if size is WHOLE:
        check_what_people_did(season)
        assert {len(board.seats) for board, _ in oracle.forfeits(season)} >= {2, 3, 4, 6}


def check_what_people_did(season: Season) -> None:
    """Check that plans were played often, and notes, words and watchers' mails written."""
    table = season.table
    notes = table.rows("notes")
    plies = [ply for number in table.boards() for ply in table.plies(number)]
    planned = [ply for ply in plies if ply.planned]
    mails = [mail for box in table.mailboxes.values() for mail in box]
    words = [mail for mail in mails if mail["Subject"].startswith("pbm: words of")]
    watched = [mail for mail in mails if mail["List-Id"] == "<watch.games.example>"]
    counts = [len(done) for done in (table.rows("handovers"), notes, planned, words, watched)]
    print("handovers, notes, planned moves, messages, watchers' mails:", counts)
    assert min(counts) >= 10, counts


def check_mails(season: Season) -> None:
    table = season.table
    assert not [row["outcome"] for row in table.rows("inbox") if row["status"] != "done"]
    unsent = [row for row in table.rows("outbox") if row["status"] != "sent"]
    assert {row["last_error"] for row in unsent} <= {
        "the player has written",
        "a later mail shows the board",
    }
    assert not oracle.mails_sent_twice(season)
    assert not oracle.ends_told_again(season)


def check_boards(season: Season) -> None:
    table = season.table
    office = OperatorSession(table.database, table.site, table.clock, "root")
    assert not [verdict for verdict in verify(office) if verdict.problems]
    for number in table.boards():
        board = table.board(number)
        assert not board.playing or legally_waiting(season, number), number


def legally_waiting(season: Season, number: int) -> bool:
    """Whether a board waits for somebody whom no mail reaches."""
    seat = season.table.board(number).to_move
    return seat is not None and seat.unreachable


def check_forfeits(season: Season) -> None:
    found = oracle.forfeits(season)
    assert found
    reminded = oracle.reminders(season)
    for board, departure in found:
        assert oracle.was_warned(season, board, departure, reminded), (board.id, departure)
        terms = terms_of(board)
        if not terms.counts_used and board.id not in season.eased:
            over = oracle.waited(season, board, departure) - timedelta(seconds=terms.each)
            late = oracle.may_be_late(season, board, departure)
            assert -oracle.QUARTER <= over <= late, (board.id, departure, over)


def check_ratings(season: Season) -> None:
    counted = {row["board_id"] for row in season.table.rows("rated_boards")}
    assert counted == oracle.got_somewhere(season)
    assert counted
    again = oracle.ratings_again(season)
    kept = {
        (row["game"], row["pool"], row["player_id"]): (row["mu"], row["sigma"], bool(row["wide"]))
        for row in season.table.rows("ratings")
    }
    assert kept.keys() == again.keys()
    for key, rating in kept.items():
        assert rating == pytest.approx(again[key], abs=1e-6), key
