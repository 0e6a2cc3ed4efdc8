"""How much place turns take in the database before anything is pruned."""

from pathlib import Path

import pytest

from tests.conversations.playing import plays
from tests.table import Table

TURNS, BOARDS = 2_000, 20
MOST_BYTES = 10_000_000


@pytest.mark.thorough
def test_two_thousand_turns_leave_at_most_ten_megabytes(sqlite_url: str) -> None:
    table = Table(sqlite_url)
    people = [table.joins("alice"), table.joins("bob")]
    for number in range(1, BOARDS + 1):
        people[0].says("challenge bob", answering=people[0].mail("pbm: welcome"))
        plays(table, people, number, plies=TURNS // BOARDS)
        table.clock.passes(hours=1)
        for box in table.mailboxes.values():  # the newest of the welcome and of the board will do
            box[:] = [*box[:2], *box[-4:]]
    assert sum(len(table.plies(number)) for number in table.boards()) == TURNS
    assert len(table.rows("inbox")) >= TURNS  # nothing was pruned
    table.database.close()  # what was written last is in the file then
    size = Path(sqlite_url.removeprefix("sqlite:///")).stat().st_size
    print(f"{TURNS} turns leave {size / 1e6:.1f} MB")
    assert size <= MOST_BYTES
