"""A held server accepts mail and does nothing else; a restored one is held until the release."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.play.clocks.calendar import LISTENING
from pbm.service.health.stored import stored_results
from pbm.service.operator import backup as backups
from pbm.service.operator import holding
from pbm.service.operator.doctor import examine_front
from pbm.service.operator.holding import Release
from pbm.service.robots.jobs import RobotJobs
from pbm.service.running.heartbeat import LISTEN, Heart
from pbm.service.running.hold import hold_of
from pbm.service.ticks import news
from pbm.service.ticks.jobs import Ticks
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.values.queues import TimerKind
from tests.admin.conftest import Room
from tests.serving import broken, take_next, think_next, tick_next
from tests.table import FRONT, START, Person

WHY = "the disk is changed"
ROUND = "pbm: please look at your boards"


def beats(room: Room) -> None:
    """Let the server say that it accepts mail, as it does every twenty seconds."""
    with room.table.database.transaction() as work:
        Heart(room.table.clock, [LISTEN]).beat(work)


def releases(room: Room, *, only_plan: bool = False, sends_waiting: bool = False) -> Release:
    office = replace(room.office, would_write=[]) if only_plan else room.office
    done = holding.release(office, sends_waiting=sends_waiting)
    if not only_plan:
        with room.table.database.transaction() as work:
            work.facts.forget(LISTENING)  # from now on no heart beats at this table
    return done


def obeyed(room: Room, person: Person, words: str) -> None:
    """Let a mail be obeyed whose answers are not sent yet."""
    mail = person.mail("Abalone Board")
    thread = {"In-Reply-To": mail["Message-ID"]}
    raw = person.mail_bytes(f"Re: {mail['Subject']}", words, to=mail.reply_to, headers=thread)
    room.table.hand_in(person.address, mail.reply_to, raw)
    while take_next(room.table.turns):
        pass


def dies_and_starts(room: Room) -> None:
    """Let another process take the place of one that was killed."""
    table = room.table
    given = (table.database, table.site, table.clock)
    table.turns, table.ticks, table.robots = InboxWorker(*given), Ticks(*given), RobotJobs(*given)
    for role in (table.turns, table.ticks, table.robots):
        role.begin()


def results(room: Room) -> dict[str, tuple[bool, bool]]:
    """Which checks are good, and which of them warn."""
    with room.table.database.reading() as work:
        found = stored_results(work, room.table.clock, FRONT)
        return {one.what: (one.good, one.warning) for one in found}


@pytest.mark.on_postgresql
def test_a_held_server_accepts_mail_and_does_nothing_else(room: Room) -> None:
    table, bob = room.table, room.bob
    beats(room)
    holding.hold(room.office, WHY)
    with pytest.raises(OperatorError, match=f"is held since .* by root: {WHY}. To let it go on"):
        holding.hold(room.office, WHY)
    tried = examine_front(Settings(authserv_id=FRONT), room.office, "127.0.0.1", 25, 0)
    with pytest.raises(OperatorError, match="reads no probe before pbm-admin release"):
        next(tried)
    bob.says("i5-g5,h5").hears_nothing()
    assert bob.replied.startswith("250 ")
    for _ in range(2):
        table.clock.passes(days=15)
        beats(room)
        assert not take_next(table.turns)
        assert not tick_next(table.ticks)
        dies_and_starts(room)
    now = results(room)
    assert now["hold"] == (True, True)
    assert now["inbox"] == now["outbox"] == now["robots"] == (True, False)
    assert now["front"] == (True, True)
    with table.database.transaction() as work:
        work.timers.set(TimerKind.HEALTH, "", table.clock(), table.clock())
    while tick_next(table.ticks):  # it looks at itself, and does nothing else
        pass
    with table.database.reading() as work:
        assert work.timers.about(TimerKind.HEALTH, [""])[""].due_at > table.clock()
    assert room.board().ply == 1
    assert releases(room).clocks_since == table.clock() - timedelta(days=30)
    assert results(room).get("hold") is None
    table.runs()
    bob.hears("alice's move on board 1")
    with table.database.reading() as work:
        assert [change.what for change in work.changes.newest(2)] == ["hold", "release"]
    with pytest.raises(OperatorError, match="not held, so there is nothing to release"):
        releases(room)


@pytest.mark.on_postgresql
def test_clocks_get_the_time_of_a_hold_back(room: Room) -> None:
    table = room.table
    room.bob.says("i5-g5,h5")
    beats(room)
    holding.hold(room.office, WHY)
    table.clock.passes(days=30)
    releases(room)
    table.days_pass(27.9)  # three weeks, and a week of vacation
    assert room.board().playing
    table.days_pass(0.2)
    assert not room.board().playing


def test_no_mail_is_sent_meanwhile(room: Room) -> None:
    obeyed(room, room.bob, "i5-g5,h5")
    holding.hold(room.office, WHY)
    room.posts()
    room.alice.hears_nothing()
    releases(room)
    room.posts()
    room.alice.gets(1)


@pytest.mark.on_postgresql
def test_no_robot_moves_meanwhile(room: Room) -> None:
    """Nor does one whose search had begun: it is searched again."""
    table = room.table
    table.robots_join()
    room.bob.says("challenge pebble").says("a1-c3,d4")
    assert room.board(2).ply == 1
    with table.database.transaction() as work:
        (leased,) = table.robots.claim(work, 1)
    holding.hold(room.office, WHY)
    assert leased.computation is not None
    found = leased.computation()
    with table.database.transaction() as work:
        table.robots.finish(work, leased, found)
    think_next(table.robots)
    assert room.board(2).ply == 1
    releases(room)
    think_next(table.robots)
    assert room.board(2).ply == 2
    assert room.is_sound()


@pytest.fixture
def restored(room: Room, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Room:
    """A server that was restored ten days after the backup, when alice and bob had moved once more.

    At the backup mails waited: of bob's move on board 1, and of carol's with words on board 2.
    """
    table = room.table
    monkeypatch.setattr(backups, "system_clock", table.clock)
    carol = table.joins("carol")
    carol.says("challenge alice")
    room.everybody_forgets(carol)
    obeyed(room, room.bob, "i5-g5,h5")
    obeyed(room, carol, "a1-c3,d4\n\nGood luck!")
    beats(room)
    backups.backup(settings, Path("b.tar.gz"))
    table.clock.passes(hours=1)
    room.posts()
    room.alice.says("a2-c4,d5", answering=room.alice.mail("Abalone Board 1"))
    room.bob.says("i6-g6,h6")
    assert room.board().ply == 4
    room.everybody_forgets(carol)
    table.clock.passes(days=10)
    backups.restore(settings, Path("b.tar.gz"), force=True, who="root", clock=table.clock)
    return room


@pytest.mark.on_postgresql
def test_after_a_restore_each_player_is_told_once(
    restored: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, table = restored, restored.table
    carol = table.person("carol@example.org").forgets()
    monkeypatch.setattr(holding, "_AT_ONCE", 1)
    assert room.board().ply == 2
    with table.database.transaction() as work:  # of a machine whose clock was ahead
        for mail in work.outbox.waiting():
            work.outbox.change(mail.id, written_at=table.clock() + timedelta(days=1))
    planned = releases(room, only_plan=True)
    assert planned.clocks_since == START
    assert (planned.boards, planned.readers) == ((1, 2), 3)
    assert (planned.given_up, planned.sent_again) == (2, 2)
    assert releases(room, only_plan=True, sends_waiting=True).given_up == 0
    with monkeypatch.context() as killed:
        killed.setattr(holding, "_end", interrupted)
        with pytest.raises(KeyboardInterrupt):
            releases(room)
    room.posts()
    with table.database.reading() as work:
        assert hold_of(work)
    for person in (room.alice, room.bob, carol):
        person.hears_nothing()
    assert (releases(room).given_up, hold_here(room)) == (0, None)
    with pytest.raises(OperatorError, match="not held"):
        releases(room)
    for _ in range(2):
        with monkeypatch.context() as killed:
            killed.setattr(news, "_tell_of_restore", then_dies(news._tell_of_restore))
            with pytest.raises(KeyboardInterrupt):
                table.days_pass(0)
        dies_and_starts(room)
        table.days_pass(0)
        table.clock.passes(seconds=0.2)
    table.days_pass(minutes=1)
    for person in (room.alice, room.bob, carol):
        told = [mail for mail in person.arrived if mail["Subject"].startswith(ROUND)]
        assert len(told) == 1
        assert "how it was on 2026-11-21 12:00\n(UTC). What" in told[0].text
    again = [mail for mail in room.alice.arrived if "Good luck!" in mail.text]
    assert again[0]["Message-ID"] in [mail["Message-ID"] for mail in room.alice.mails[:-2]]
    room.bob.gets(1).hears("alice's move on board 1", "You played i5-g5,h5.")


def test_after_a_restore_old_mails_are_answered_and_clocks_have_their_time(restored: Room) -> None:
    room, table = restored, restored.table
    old, lost = (
        next(mail for mail in room.alice.mails if mail["X-PBM-Ply"] == ply) for ply in "24"
    )
    releases(room)
    table.days_pass(20.9)
    assert room.board().playing
    room.alice.forgets().says("a3-c5,d6", answering=lost)
    room.alice.hears("You answered a mail with moves that are lost, since this server was set back")
    assert room.board().ply == 2
    room.alice.says("a2-c4,d5", answering=old)
    assert room.board().ply == 3
    assert room.is_sound()


def test_after_a_restore_a_damaged_board_keeps_nobody_from_being_told(restored: Room) -> None:
    room, carol = restored, restored.table.person("carol@example.org").forgets()
    room.tampers("UPDATE boards SET state = 'damaged' WHERE id = 2")  # alice's and carol's
    releases(room)
    room.table.days_pass(minutes=1)
    for person in (room.alice, room.bob, carol):
        (told,) = [mail.text for mail in person.arrived if mail["Subject"].startswith(ROUND)]
        assert ("What is kept of board 2 is damaged" in told) is (person is not room.bob)
        assert ("To move, answer with a line" in told) is (person is not carol)
        assert "You play on other boards" not in told


@pytest.mark.on_postgresql
def test_after_a_restore_a_fault_keeps_nobody_else_from_being_told(
    restored: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room, whole = restored, news._tell_of_restore
    with room.table.database.transaction() as work:  # of an earlier restore
        work.timers.set(TimerKind.RESTORED, "1", START, START, player_id=1)
    releases(room)
    with monkeypatch.context() as faulty:
        faulty.setattr(
            news, "_tell_of_restore", lambda *it: broken() if it[1].id == 1 else whole(*it)
        )
        room.table.days_pass(minutes=1)
    assert not [mail for mail in room.alice.arrived if mail["Subject"].startswith(ROUND)]
    room.bob.mail(ROUND)
    dies_and_starts(room)  # a stuck timer is tried again
    room.table.days_pass(minutes=1)
    assert "how it was on 2026-11-21" in room.alice.mail(ROUND).text


def hold_here(room: Room) -> object:
    with room.table.database.reading() as work:
        return hold_of(work)


def then_dies(whole: Callable[..., None]) -> Callable[..., None]:
    def told(*given: object) -> None:
        whole(*given)
        interrupted()

    return told


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt
