"""`pbm-admin trace`: why somebody got no mail, from the database alone, and without a secret."""

import json
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from pbm.errors import OperatorError
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.play import limits
from pbm.play.limits import SENT
from pbm.service.intake.door import REFUSED, WrongTag, check_recipient, count_wrong
from pbm.service.operator.trace import redacted, trace
from pbm.service.post.post import Composer, Post
from pbm.service.telling.later import SOON
from pbm.service.turns.inbox_worker import InboxWorker
from pbm.store.values.queues import TimerKind
from tests.admin.conftest import Room
from tests.conversations.test_bounces import REPORTS
from tests.secrets_issued import ISSUED
from tests.serving import broken, take_next

TAKEN = Sent("250 2.0.0 Ok: queued as 4F2ABC")
LATER = Deferred("RCPT: 451 4.7.1 Greylisted", "4.7.1", 451)
GONE = Failed("RCPT: 550 5.1.1 No such mailbox", "5.1.1", 550)
SPAM = Failed("DATA: 554 5.7.1 It looks like spam", "", 554)
PASSWORD = "hunter2horse"
PEER = "198.51.100.7"


class Desk:
    """The operator, and a next server that answers as it is told."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.table = room.table
        self.people = {"alice": room.alice, "bob": room.bob}

    def sit_down(self, *handles: str) -> None:
        """Let more players begin a board."""
        self.people |= dict(zip(handles, self.table.start(*handles), strict=True))

    def asks(self, what: str) -> str:
        """All that is told; no secret is among it, nor in the facts."""
        found = trace(self.room.office, what)
        told = "\n".join(f"{entry.about}: {entry.told}" for entry in found)
        facts = json.dumps([entry.facts for entry in found], default=str)
        ISSUED.none_in(f"{told}\n{facts}", f"trace {what}")
        assert PASSWORD not in f"{told}\n{facts}"
        return told

    def hands_in(self, person: str, words: str) -> str:
        """Let a player answer, and the mail be obeyed; return the mail's name."""
        who = self.people[person]
        reply = self.table.hand_in(
            who.address, who.newest.reply_to, who.mail_bytes(f"Re: {who.newest['Subject']}", words)
        )
        while take_next(self.table.turns):
            pass
        return reply.rpartition(" ")[2]

    def meets(self, answer: Delivery, person: str = "bob", others: Delivery = TAKEN) -> str:
        """Let what is due meet with an answer, by default that to others be taken.

        Return the person's last mail.
        """
        post = Post(self.table.database, self.table.site, self.table.clock, None, Composer(""))  # type: ignore[arg-type]
        mails, to = post.claim(), self.people[person].address
        with self.table.database.transaction() as work:
            post.record(
                work, [(mail, answer if mail.recipient == to else others) for mail in mails]
            )
        post.holds.close()
        return next(f"o{mail.id}" for mail in reversed(mails) if mail.recipient == to)


@pytest.fixture
def desk(room: Room) -> Desk:
    return Desk(room)


def taken(desk: Desk) -> str:
    desk.hands_in("alice", "Hello bob!")
    return desk.meets(TAKEN)


def deferred(desk: Desk) -> str:
    desk.hands_in("alice", "Hello bob!")
    return desk.meets(LATER)


def in_order(desk: Desk) -> str:
    first = int(deferred(desk)[1:])
    desk.hands_in("alice", "Are you there?")
    assert f"waits behind o{first}, as" in desk.asks("bob")
    return f"o{first + 2}"


def bounced(desk: Desk) -> str:
    desk.hands_in("alice", "Hello bob!")
    desk.meets(GONE)
    return desk.hands_in("alice", "Are you there?")


def reported(desk: Desk) -> str:
    """A mail that was taken, and of which a report says that it came back."""
    sent = taken(desk)
    with desk.table.database.transaction() as work:
        to = work.outbox.get(int(sent[1:])).sender
    raw = (REPORTS / "postfix-unknown-user.eml").read_bytes().replace(b"\n", b"\r\n")
    assert desk.table.hand_in("", to, raw).startswith("250")
    assert take_next(desk.table.turns)
    return sent


def refused_for_good(desk: Desk) -> str:
    desk.hands_in("alice", "Hello bob!")
    return desk.meets(SPAM)


def in_a_digest(desk: Desk) -> str:
    desk.hands_in("bob", "set digest daily")
    desk.hands_in("bob", "i9-g7,f6")
    return desk.hands_in("alice", "Hello bob!")


def over_the_limit(desk: Desk) -> str:
    bob = desk.room.player("bob")
    with desk.table.database.transaction() as work:
        while SENT.take(work, desk.table.clock(), bob.id):
            pass
    return desk.hands_in("alice", "Hello bob!")


def with_other_boards(desk: Desk) -> str:
    came = in_a_digest(desk)
    bob, now = desk.room.player("bob"), desk.table.clock()
    with desk.table.database.transaction() as work:
        at = now + SOON
        work.timers.set(TimerKind.KEPT_NEWS, f"{bob.id}.1", now, at, board_id=1, player_id=bob.id)
    return came


def without_answers(desk: Desk) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(limits, "_LIMITS", (replace(limits.ANSWERS_IN_HOUR, most=1),))
        patched.setattr(limits, "NEWCOMERS_ANSWERS", 1)
        for _ in range(3):
            desk.hands_in("bob", "show 1")
        return "bob"


def blocked(desk: Desk) -> str:
    desk.hands_in("bob", "block alice")
    return desk.hands_in("alice", "Hello bob!")


def without_receipts(desk: Desk) -> str:
    desk.hands_in("bob", "set receipts off")
    return desk.hands_in("bob", "i9-g7,f6")


def only_on_turn(desk: Desk) -> str:
    desk.sit_down("carol", "dave", "erin")
    desk.people["erin"].says("set mails turn")
    return desk.hands_in("carol", desk.room.some_move(2))


def left(desk: Desk) -> str:
    desk.sit_down("carol", "dave", "erin")
    desk.hands_in("dave", "resign")
    return desk.hands_in("carol", desk.room.some_move(2))


def with_a_robot(desk: Desk) -> str:
    desk.table.robots_join()
    desk.hands_in("bob", "challenge pebble")
    desk.table.posts()
    return desk.hands_in("bob", "a1-c3,d4")


def stuck(desk: Desk) -> str:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(InboxWorker, "_handle", broken)
        return desk.hands_in("bob", f"change password {PASSWORD}")


def at_the_door(desk: Desk) -> str:
    table, bob = desk.table, desk.room.bob
    old = bob.newest.reply_to
    with table.database.transaction() as work:
        work.players.renew_epoch(desk.room.player("bob").id)
    with table.database.transaction() as work:
        refused = check_recipient(work, table.site, table.clock(), old, bob.address)
        assert isinstance(refused, WrongTag)
        for sender in (bob.address, "guesser@example.net"):
            count_wrong(work, refused.by, table.clock(), sender)
    assert not [row for row in table.rows("buckets") if "guesser" in row["key"]]
    return "bob"


def unproven(desk: Desk) -> str:
    reply = desk.table.hand_in(
        "bob@example.org", "pbm@games.example", desk.room.bob.mail_bytes("resign 1")
    )
    assert take_next(desk.table.turns)
    return reply.rpartition(" ")[2]


WHY: list[tuple[Callable[[Desk], str], str]] = [
    (taken, "sent; the next server: 250 2.0.0 Ok: queued as 4F2ABC"),
    (deferred, "put off until 2026-11-21 12:01 UTC after 1 try: RCPT: 451 4.7.1 Greylisted"),
    (in_order, ", as mails to one reader about one board keep their order"),
    (bounced, "waits until 2026-11-22 12:00 UTC, as mail to that player comes back"),
    (reported, "came back (hard): 5.1.1"),
    (refused_for_good, "failed after 1 try: DATA: 554 5.7.1 It looks like spam. When"),
    (in_a_digest, "no mail of it to bob: it waits for the digest at 2026-11-22 07:00 UTC"),
    (over_the_limit, "over the limit of mails that others cause; it comes at 2026-11-21 13:00 UTC"),
    (with_other_boards, "it comes at 2026-11-21 12:05 UTC, with what happened on other boards"),
    (without_answers, "has had as many answers as the limit allows, and gets none for now"),
    (blocked, "no mail of it to bob: blocks whoever wrote, or has muted the board"),
    (without_receipts, "no mail of it to bob: wants no receipts"),
    (only_on_turn, "no mail of it to erin: wants mail only on the own turn (set mails turn)"),
    (left, "no mail of it to dave: has left the game"),
    (with_a_robot, "for the move of a robot, so that both come in one mail"),
    (stuck, "stuck after 3 tries: ZeroDivisionError: a planted bug. When that is mended"),
    (at_the_door, "it came to a reply address from before its player changed address"),
    (unproven, "taken for bob, unproven: only From says so; done: bob: asked to confirm resign"),
]


@pytest.mark.parametrize(("happens", "told"), WHY, ids=[how.__name__ for how, _ in WHY])
def test_why(desk: Desk, happens: Callable[[Desk], str], told: str) -> None:
    what = happens(desk)
    found = desk.asks(what)
    assert told in found, found


def test_by_message_id_by_board_and_by_address(desk: Desk) -> None:
    sent, came = taken(desk), "i" + str(max(row["id"] for row in desk.table.rows("inbox")))
    with desk.table.database.reading() as work:
        goes, ours = work.outbox.get(int(sent[1:])), work.inbox.get(int(came[1:])).message_id
    assert came in desk.asks(goes.message_id)
    assert desk.asks(str(ours)) == desk.asks(came)
    assert desk.asks(str(ours).strip("<>")) == desk.asks(came)
    assert f"because of {came}" in desk.asks(sent)
    told = desk.asks("1")
    assert f"board 1: commented by alice, because of {came}" in told
    assert f"{sent}: board 1 to bob: sent" in told
    assert "an address of bob; the log has it as ~" in desk.asks("BOB@example.org")


def test_of_what_is_not_there(desk: Desk) -> None:
    for what, told in (
        ("i77", "There is no incoming mail i77."),
        ("o77", "There is no outgoing mail o77."),
        ("77", "There is no board 77."),
        ("99999999999", "There is no player called 99999999999."),
        ("alcie", "Did you mean alice?"),
        ("<a.b@c>", "There is no mail with the Message-ID <a.b@c>."),
    ):
        with pytest.raises(OperatorError, match=re.escape(told)):
            trace(desk.room.office, what)
    assert "no address of a player" in desk.asks("dora@example.org")


def test_for_a_bug_report_people_have_stand_ins(desk: Desk) -> None:
    told = desk.asks(bounced(desk)) + f"\n{PEER} 2001:db8::/48 12:30:01 5.1.1 mx.bob.example"
    shown = redacted(desk.room.office, told)
    assert not re.search(r"alice|bob|example\.org|198\.51|2001:|mx\.", shown), shown
    assert "12:30:01 5.1.1 host-" in shown
    alice = f"player-{desk.room.player('alice').id}"
    assert f"taken for {alice}, by the signed reply address; done: {alice}: chat" in shown
    assert shown == redacted(desk.room.office, told)


def test_refusals_are_noted_so_often_and_of_players_alone(desk: Desk) -> None:
    """Whoever has an outdated address may use it as often as they like: no row comes of it."""
    table, bob = desk.table, desk.room.bob
    old = bob.newest.reply_to
    with table.database.transaction() as work:
        work.players.renew_epoch(desk.room.player("bob").id)
        assert not isinstance(
            check_recipient(work, table.site, table.clock(), old, "who@example.net"), WrongTag
        )
        noted = 0
        while isinstance(
            check_recipient(work, table.site, table.clock(), old, bob.address), WrongTag
        ):
            count_wrong(work, None, table.clock(), bob.address)
            noted += 1
    assert noted == REFUSED.most
