"""Mails in and mails out: who is next, and who waits for whom."""

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from sqlalchemy import text

from pbm.rules import abalone as rules
from pbm.service.post.post import delay
from pbm.store.db import Database, UnitOfWork
from pbm.store.migrate import migrate
from pbm.store.schema.mails import inbox
from pbm.store.values.mails import ArrivedMail, Kind, NewMail, Queued
from tests.table import Table

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)


def keep(
    work: UnitOfWork,
    digest: str,
    now: datetime = NOW,
    same_for: timedelta = DAY,
    queued: Queued = Queued(),  # noqa: B008 - it is frozen
    raw: bytes = b"raw",
) -> int:
    mail: dict[str, Any] = {"digest": digest, "recipient": "r", "sender": "s", "peer": "p"}
    arrived = ArrivedMail(**mail, raw=raw, now=now, same_for=same_for, queued=queued)
    number = work.inbox.keep(arrived)
    assert number is not None
    return number


_numbers = count(1)


def write(
    work: UnitOfWork,
    recipient: str,
    board_id: int | None = None,
    due_at: datetime | None = None,
    words: str = "words",
) -> int:
    mail = NewMail(
        kind=Kind.ANSWER,
        recipient=recipient,
        template="answer",
        params={"text": words},
        headers={"subject": "x"},
        message_id=f"<{next(_numbers)}@x>",
        sender="",
        written_at=NOW,
        player_id=None,
        board_id=board_id,
        inbox_id=None,
        due_at=due_at,
    )
    work.outbox.add(mail)
    return work.outbox.waiting()[-1].id


def due(database: Database, now: datetime = NOW) -> list[int]:
    with database.reading() as work:
        return [mail.id for mail in work.outbox.claim_due(now, most=50, passing_over=())]


def test_the_oldest_new_mail_is_next(database: Database) -> None:
    with database.transaction() as work:
        numbers = [keep(work, digest) for digest in ("a", "b", "c")]
    for number in numbers:
        with database.transaction() as work:
            (mail,) = work.inbox.claim(NOW)
            assert mail.id == number
            work.inbox.finish([(mail.id, "done")], NOW)
    with database.transaction() as work:
        assert work.inbox.claim(NOW) == ()
        assert work.inbox.get(numbers[0]).raw == b""


def test_a_mail_of_a_kind_of_a_later_version_is_sent_like_a_notice(database: Database) -> None:
    with database.transaction() as work:
        number = write(work, "alice@x")
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE outbox SET kind = 'digest-day'"))
    with database.transaction() as work:
        (mail,) = work.outbox.claim_due(NOW, most=9, passing_over=())
        assert (mail.id, mail.kind) == (number, Kind.NOTICE)


def test_several_are_claimed_and_finished_at_once(database: Database) -> None:
    with database.transaction() as work:
        numbers = [keep(work, digest) for digest in ("a", "b", "c")]
        assert [mail.id for mail in work.inbox.claim(NOW, 2)] == numbers[:2]
        work.inbox.finish([(number, f"done {number}") for number in numbers], NOW)
        assert work.inbox.claim(NOW, 2) == ()
        assert [work.inbox.get(number).outcome for number in numbers] == [
            f"done {number}" for number in numbers
        ]


def test_no_two_mails_wait_for_each_other_whatever_their_places(database: Database) -> None:
    alice = Queued("alice", 12)
    with database.transaction() as work:
        first, second = keep(work, "a", queued=alice), keep(work, "b", queued=alice)
    with database.engine.begin() as connection:  # as clocks of two processes may have it
        connection.execute(inbox.update().where(inbox.c.id == second).values(place=0.0))
    with database.transaction() as work:
        assert [mail.id for mail in work.inbox.claim(NOW, 2)] == [first]
        work.inbox.finish([(first, "done")], NOW)
        assert [mail.id for mail in work.inbox.claim(NOW, 2)] == [second]


def test_a_claimed_mail_is_passed_over_by_others(shared: Table) -> None:
    with shared.database.transaction() as work:
        first, second = keep(work, "a"), keep(work, "b")
    with shared.database.transaction() as one, shared.database.transaction() as two:
        (mine,), (theirs,) = one.inbox.claim(NOW), two.inbox.claim(NOW)
        assert (mine.id, theirs.id) == (first, second)


def test_stuck_mails_wait_until_they_are_retried(database: Database) -> None:
    with database.transaction() as work:
        number = keep(work, "a")
        assert [work.inbox.count_try(number, "bug") for _ in range(3)] == [1, 2, 3]
        work.inbox.set_stuck(number)
        assert work.inbox.claim(NOW) == ()
        work.inbox.retry(number)
        (mail,) = work.inbox.claim(NOW)
        assert (mail.id, mail.tries, mail.status) == (number, 0, "new")


def test_the_same_digest_is_the_same_row_for_a_while(database: Database) -> None:
    with database.transaction() as work:
        first = keep(work, "a")
        assert keep(work, "a", NOW + DAY - timedelta(seconds=1)) == first
        second = keep(work, "a", NOW + DAY)
        assert second != first
        assert keep(work, "a", NOW + DAY) == second
        third = keep(work, "a", NOW + 3 * DAY)
        assert len({first, second, third}) == 3


def test_no_mail_overtakes_another_to_the_same_reader_of_a_board(database: Database) -> None:
    with database.transaction() as work:
        alice = work.players.add("alice", "alice@example.org", NOW)
        bob = work.players.add("bob", "bob@example.org", NOW)
        boards = [
            work.boards.add(
                "abalone",
                {},
                rules.GAME.start(2, {}),
                [alice.id, bob.id],
                "{number}",
                NOW,
            ).id
            for _ in range(2)
        ]
        a1 = write(work, "alice@example.org", boards[0])
        b1 = write(work, "bob@example.org", boards[0])
        a2 = write(work, "Alice@Example.org", boards[0])
        a3 = write(work, "alice@example.org", boards[1])
        a4 = write(work, "alice@example.org")
        a5 = write(work, "alice@example.org")
    assert due(database) == [a1, b1, a3, a4]
    with database.transaction() as work:
        work.outbox.defer(a1, "451", NOW + timedelta(minutes=1))  # a2 waits along
        work.outbox.finish([a4], "sent", NOW)
    assert due(database) == [b1, a3, a5]
    with database.transaction() as work:
        work.outbox.fail(a1, "550", NOW)
    assert due(database) == [b1, a2, a3, a5]


def test_what_waits_on_purpose_holds_nothing_back(database: Database) -> None:
    with database.transaction() as work:
        held = write(work, "a@example.org", due_at=NOW + DAY)
        later = write(work, "a@example.org")
    assert due(database) == [later]
    assert due(database, NOW + DAY) == [held]  # due now, it is in its place again


def test_a_mail_that_is_put_off_holds_others_back_for_some_hour(database: Database) -> None:
    with database.transaction() as work:
        first, second = write(work, "a@example.org"), write(work, "a@example.org")
    now, passed = NOW, []
    for attempts in range(9):
        with database.transaction() as work:
            work.outbox.defer(first, "451", now + delay(attempts, first))
        passed.append(due(database, now))
        assert due(database, now + delay(attempts, first) - timedelta(minutes=1)) == []
        now += delay(attempts, first)
        assert due(database, now) == [first]  # before the other, each time
    assert passed == [[]] * 6 + [[second]] * 3


def test_many_mails_that_are_put_off_together_are_tried_apart() -> None:
    assert {delay(0, number) for number in range(100)} == {timedelta(minutes=1)}
    for attempts in range(1, 6):
        usual = timedelta(minutes=2**attempts)
        pauses = {delay(attempts, number) for number in range(100)}
        assert min(pauses) == usual
        assert max(pauses) <= usual * 5 / 4
        assert len(pauses) >= 20
    assert {delay(9, number) for number in range(100)} == {timedelta(hours=1)}


def test_what_is_sent_is_forgotten_and_what_failed_is_kept(database: Database) -> None:
    with database.transaction() as work:
        sent, failed = write(work, "a@example.org"), write(work, "b@example.org")
        work.outbox.finish([sent], "sent", NOW)
        work.outbox.fail(failed, "550 no", NOW)
    with database.reading() as work:
        assert (work.outbox.get(sent).params, work.outbox.get(sent).headers) == ({}, {})
        assert work.outbox.get(failed).params == {"text": "words"}
        assert work.outbox.next_due_at() is None
    with database.transaction() as work:
        work.outbox.retry(failed, NOW)
    assert due(database) == [failed]


def test_who_was_asked_what(database: Database) -> None:
    with database.transaction() as work:
        alice = work.players.add("alice", "alice@example.org", NOW)
        work.questions.ask("alias", "alice@example.org", "one", {}, NOW, NOW + DAY, alice)
        work.questions.ask("invite", "Dave@example.org", "two", {}, NOW, NOW + DAY)
        assert work.questions.asked_player("alias", alice.id, NOW - DAY)
        assert not work.questions.asked_player("alias", alice.id, NOW)
        assert not work.questions.asked_player("confirm", alice.id, NOW - DAY)
        assert work.questions.asked_address("invite", "dave@example.org")
        assert not work.questions.asked_address("signup", "dave@example.org")
        question = work.questions.by_token("one", lock=True)
        assert question is not None
        assert (question.player_id, question.epoch, question.answer) == (alice.id, 1, None)
        work.questions.settle(question, "yes")
        settled = work.questions.by_token("one")
        assert settled is not None
        assert settled.answer == "yes"
        assert work.questions.by_token("three") is None


def test_mails_that_are_done_leave_no_holes(sqlite_url: str) -> None:
    """A mail that was emptied in a row that stays would leave most of a page empty."""
    database = Database(sqlite_url)
    migrate(database)
    before, turns, lanes = _bytes(database), 200, 4  # so many wait at any time
    kept, written = list[int](), list[int]()
    for number in range(turns):
        with database.transaction() as work:
            kept.append(keep(work, f"d{number}", raw=b"a mail\r\n" * 300))
            written += [write(work, name, words="board" * 900) for name in ("alice", "bob")]
        with database.transaction() as work:
            work.inbox.finish([(done, "done") for done in kept[:-lanes]], NOW)
            work.outbox.finish(written[: -2 * lanes], "sent", NOW)
        kept, written = kept[-lanes:], written[-2 * lanes :]
    assert _bytes(database) - before < 2_000 * turns
    database.close()


def _bytes(database: Database) -> int:
    with database.engine.connect() as connection:
        pages, size = (
            connection.exec_driver_sql(f"PRAGMA page_{what}").scalar_one()
            for what in ("count", "size")
        )
    return int(pages) * int(size)
