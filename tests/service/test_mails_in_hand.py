"""A mail that waits for a robot falls due just as a turn takes its place: it is told once.

On PostgreSQL the turn and the post are two processes, and the turn may come late, as another had
its board in hand.
"""

from collections.abc import Iterator
from threading import Thread

import pytest
from sqlalchemy import text

from pbm.store.db import Database
from tests.conversations.playing import board_mail
from tests.growth import SendingTable
from tests.polling import until
from tests.serving import take_next
from tests.table import Person

WAITS = 5.0  # seconds, at this table
_WAITING = text(
    "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    " AND datname = current_database()"
)


@pytest.fixture
def shared(postgres_url: str) -> Iterator[SendingTable]:
    table = SendingTable(postgres_url)
    table.robots_join()
    yield table
    table.leave()


@pytest.fixture
def alice(shared: SendingTable) -> Person:
    """Somebody whose move is told in some seconds, or as soon as pebble has answered it."""
    alice = shared.joins("alice")
    alice.says("challenge pebble").forgets()
    return alice.says("a1-c3,b2\n\nHello!").hears_nothing()


def test_what_the_post_has_in_hand_is_told_by_no_other_mail(
    shared: SendingTable, alice: Person
) -> None:
    board = board_mail(alice, 1)
    words = alice.mail_bytes(f"Re: {board['Subject']}", "resign")
    other = Database(str(shared.database.engine.url))
    with other.transaction() as beside:
        beside.boards.get(1, lock=True)
        shared.clock.passes(seconds=WAITS - 1)
        shared.hand_in(alice.address, board.reply_to, words)
        turn = Thread(target=take_next, args=(shared.turns,))
        turn.start()
        until(lambda: waits_for_a_lock(shared), "the turn waits for the board")
        shared.clock.passes(seconds=1)
        in_hand = shared.post.claim()
        assert [mail.kind for mail in in_hand] == ["awaiting"]
    other.close()
    turn.join()
    shared.send(in_hand)
    shared.days_pass(seconds=WAITS)
    receipt, said = alice.gets(2).arrived
    assert "| Hello!" in receipt.text
    assert "You resigned." in said.text
    assert "Hello" not in said.text


def test_what_a_turn_has_taken_the_post_does_not_send_before_the_commit(
    shared: SendingTable, alice: Person
) -> None:
    robots = shared.robots
    with shared.database.transaction() as work:
        (task,) = robots.claim(work, 1)
    assert task.computation is not None
    answer = task.computation()
    with shared.database.transaction() as work:
        robots.finish(work, task, answer)
        shared.clock.passes(seconds=WAITS)
        assert shared.post.claim() == []
    shared.posts()
    alice.gets(1).hears("Your move on board 1.", "You played", "pebble played", "| Hello!")


def test_what_somebody_lets_go_out_who_has_not_the_board_is_waited_for_by_nobody(
    shared: SendingTable, alice: Person
) -> None:
    """That one may wait for a board, and whoever takes turns in a group has it."""
    player = shared.player("alice")
    assert player is not None
    now = shared.clock()
    with shared.database.transaction() as other, shared.database.transaction() as group:
        other.outbox.release(player.id, player.address, now)
        group.execute(text("SET LOCAL lock_timeout = '1s'"))
        group.boards.get(1, lock=True)
        assert not group.outbox.take_awaiting(1, [player], now)
    with shared.database.transaction() as work:
        work.execute(
            text("UPDATE outbox SET due_at = due_at + interval '5 s' WHERE status = 'due'")
        )
        assert work.outbox.take_awaiting(1, [player], now)
    alice.hears_nothing()


def waits_for_a_lock(table: SendingTable) -> bool:
    """Whether a transaction waits for another."""
    with table.database.engine.connect() as connection:
        return bool(connection.scalar(_WAITING))
