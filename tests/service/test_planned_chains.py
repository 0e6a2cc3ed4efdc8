"""A chain of planned moves is played whole or not begun, even if its process is killed."""

import os
from signal import SIGKILL
from unittest.mock import patch

import pytest

from pbm.play import plans
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.db import Database
from tests.serving import take_next
from tests.table import Table

FIRST = "a1-c3,b2"
CHAIN = ["i5-g5,h5", "a2-c4,b3", "i6-g6,h6", "a3-c5,b4"]


def dies_in_its_midst(table: Table, at: int) -> None:
    """Take a turn in a process that is killed before planned move `at` of the chain, from 1."""
    child = os.fork()
    if child:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -SIGKILL
        return
    play, played = plans.play_planned, []

    def dying(*args: object) -> object:
        played.append(args)
        if len(played) == at:
            os.kill(os.getpid(), SIGKILL)
        return play(*args)  # type: ignore[arg-type]

    try:
        with patch.object(plans, "play_planned", dying):
            url = table.database.engine.url.render_as_string(hide_password=False)
            take_next(InboxWorker(Database(url), table.site, table.clock))
    finally:
        os._exit(1)


@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.thorough)])
def test_it_is_whole_or_not_begun(kills: int, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{FIRST}\nif {CHAIN[0]} then {CHAIN[1]} if {CHAIN[2]} then {CHAIN[3]}")
    to = bob.newest.reply_to
    table.hand_in(
        bob.address,
        to,
        bob.mail_bytes("", f"{CHAIN[0]}\nif {CHAIN[1]} then {CHAIN[2]}", to=to),
    )
    before = table.rows("plans"), len(alice.mails)
    for number in range(kills):
        dies_in_its_midst(table, 1 + number % 3)
        assert table.moves(1) == [FIRST]
        assert (table.rows("plans"), len(alice.mails)) == before
    table.runs()
    assert table.moves(1) == [FIRST, *CHAIN]
    assert not table.rows("plans")
    assert len(alice.mails) == before[1] + 1
