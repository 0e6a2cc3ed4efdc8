"""What `check` tells of mail that does not leave: red where somebody can mend it, only there."""

from collections.abc import Callable

from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed
from pbm.service.health.stored import stored_results
from pbm.service.operator.players import set_address
from tests.admin.conftest import Room
from tests.admin.test_trace import GONE, LATER, SPAM, TAKEN, Desk
from tests.serving import take_next
from tests.table import OPERATOR, SERVER, Person

NOT_NOW = Deferred("MAIL: 451 4.3.0 Try later", "", 451)
NOT_FOR_YOU = Failed("RCPT: 550 5.7.1 Relaying denied", "5.7.1", 550)


def comes_upon(desk: Desk, answer: Delivery, others: Delivery = TAKEN) -> None:
    """Let mails to both players meet with answers, that to bob with the first."""
    desk.table.clock.passes(minutes=1)
    desk.hands_in("alice", "Hello bob!")
    desk.meets(answer, others=others)


def nothing_leaves(desk: Desk) -> None:
    comes_upon(desk, NOT_NOW, NOT_NOW)
    desk.table.clock.passes(hours=5)
    desk.meets(NOT_NOW, others=NOT_NOW)


def one_is_put_off(desk: Desk) -> None:
    comes_upon(desk, LATER)
    desk.table.clock.passes(hours=5)
    desk.meets(LATER)


def nobody_is_taken(desk: Desk) -> None:
    comes_upon(desk, NOT_FOR_YOU, NOT_FOR_YOU)


def one_mail_is_refused(desk: Desk) -> None:
    comes_upon(desk, SPAM)


def a_mailbox_is_gone(desk: Desk) -> None:
    comes_upon(desk, GONE)


def and_its_player_writes(desk: Desk) -> None:
    a_mailbox_is_gone(desk)
    desk.hands_in("bob", "show 1")


def and_has_another_address(desk: Desk) -> None:
    a_mailbox_is_gone(desk)
    set_address(desk.room.office, "bob", "bob@new.example", "it is gone")
    desk.meets(GONE)  # bob's old address is told, too


def a_stranger_has_none(desk: Desk) -> None:
    eve = desk.people["eve"] = Person(desk.table, "eve@example.net")
    desk.table.hand_in(eve.address, SERVER, eve.mail_bytes("signup eve"))
    assert take_next(desk.table.turns)
    desk.meets(GONE, "eve")


def the_operator_has_none(desk: Desk) -> None:
    desk.people["operator"] = Person(desk.table, OPERATOR)
    one_mail_is_refused(desk)
    desk.meets(GONE, "operator")


REFUSED = "The last one: RCPT: 550 5.7.1 Relaying denied. See: pbm-admin queue list. Once it is "
TOLD: list[tuple[Callable[[Desk], None], str, bool, str]] = [
    (nothing_leaves, "outbox", False, "The next server says: MAIL: 451 4.3.0 Try later. They are"),
    (one_is_put_off, "outbox", True, "1 waiting, 1 of them tried in vain"),
    (nobody_is_taken, "queue", False, REFUSED + "mended: pbm-admin queue retry --all"),
    (one_mail_is_refused, "queue", False, "The last one: DATA: 554 5.7.1 It looks like spam. See"),
    (a_mailbox_is_gone, "queue", True, "1 failed, all to players who cannot be reached"),
    (and_its_player_writes, "queue", True, "nothing stuck or failed"),
    (a_stranger_has_none, "queue", True, "nothing stuck or failed"),
    (the_operator_has_none, "queue", False, "The last one: RCPT: 550 5.1.1 No such mailbox. See"),
    (and_has_another_address, "queue", True, "nothing stuck or failed"),
]


def test_mail_that_does_not_leave(room: Room) -> None:
    desk = Desk(room)
    for happens, what, good, told in TOLD:
        happens(desk)
        with room.table.database.reading() as work:
            found = {each.what: each for each in stored_results(work, room.table.clock, "")}
        assert found[what].good is good, (happens.__name__, found[what].text)
        assert told in found[what].text, (happens.__name__, found[what].text)
        room.tampers("UPDATE outbox SET status = 'dropped' WHERE status <> 'sent'")
        room.tampers("UPDATE players SET bounces = 0, bounced_at = NULL, unreachable_since = NULL")
        room.table.clock.passes(days=2)  # the operator is told of each cause once a day
