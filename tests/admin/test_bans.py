"""Who is banned is refused at the door; the operator sees whom a ban hits."""

import asyncio
from ipaddress import ip_network

import pytest

from pbm.errors import OperatorError
from pbm.mail.smtp_in.connection_limits import LOOPBACK, ConnectionLimits, ListenerLimits, peer_of
from pbm.mail.smtp_in.handler import Rejection
from pbm.service.intake.bans import READ_EVERY
from pbm.service.intake.door import Door
from pbm.service.operator import bans, players
from pbm.service.operator.trace import trace
from pbm.service.running.writer import Writer, here
from tests.admin.conftest import Room
from tests.serving import keep
from tests.table import Person

WHY = "sold watches here"
PLAIN = "pbm@games.example"


class At:
    """The door of a running server, to which mails come from an address."""

    def __init__(self, room: Room) -> None:
        self._room, database = room, room.table.database
        self._door = Door(room.table.intake, database, here, Writer(database, here), here)

    def hands_in(
        self,
        person: Person,
        to: str = PLAIN,
        peer: str = "",
        forwarded: str = "",
        mail_from: str = "",
    ) -> str:
        """What becomes of a mail: `refused`, `dropped`, or `kept`."""
        limits = ConnectionLimits(ListenerLimits(), LOOPBACK)
        named = peer_of((forwarded, 25)) if forwarded else None
        caller = limits.caller(peer_of((peer or "127.0.0.1", 25)), named)
        sender = mail_from or person.address
        raw = person.mail_bytes("help", "help")

        async def talk() -> Rejection | str | None:
            for each in to.split():
                if refused := await self._door.accept_recipient(each, sender, caller):
                    return refused
            return await self._door.keep(sender, tuple(to.split()), raw, caller)

        answer = asyncio.run(talk())
        if not isinstance(answer, Rejection):
            return "dropped" if answer == "2.0.0 taken" else "kept"
        assert (answer.code, answer.text.startswith("5.7.1 This server takes no mail")) == (
            550,
            True,
        )
        assert not any(word in answer.text for word in (person.address, "ban", WHY))
        return f"refused: {answer.why}"

    def later(self) -> None:
        self._room.table.clock.passes(seconds=READ_EVERY.total_seconds())


def test_a_banned_player_is_suspended_and_nothing_is_taken(room: Room) -> None:
    door = At(room)
    assert door.hands_in(room.bob) == "kept"
    hit = bans.look(room.office, "bob")
    assert (hit.players, hit.mails > 0) == (("bob",), True)
    bans.ban(room.office, "BOB", WHY)
    room.posts()
    room.bob.hears("The operator has suspended you, bob.", f"| {WHY}")
    room.alice.gets(1).hears("The operator suspended bob; the game waits.")
    assert door.hands_in(room.bob) == "kept"  # a process reads the bans every ten seconds
    door.later()
    for to in (PLAIN, room.bob.newest.reply_to):
        assert door.hands_in(room.bob, to) == "refused: bob is banned"
    assert door.hands_in(room.bob, mail_from="x@example.com") == "refused: bob is banned"
    assert door.hands_in(room.alice) == "kept"
    assert door.hands_in(room.bob, "postmaster@games.example") == "kept"
    told = [entry.told for entry in trace(room.office, room.bob.address)]
    assert any("bob is banned since 2026-11-21" in line and WHY in line for line in told)
    assert any("not taken at the door, as it is banned" in line for line in told)
    with pytest.raises(OperatorError, match=r"bob is banned already.*pbm-admin unban bob"):
        bans.ban(room.office, "bob", WHY)
    with pytest.raises(OperatorError, match=r"bob is banned\. Run: pbm-admin unban bob"):
        players.unsuspend(room.office, "bob", WHY)
    bans.unban(room.office, "bob", "it was somebody else")
    room.posts()
    room.bob.hears("it was somebody else")
    door.later()
    assert door.hands_in(room.bob) == "kept"
    whats = [change.what for change in room.journal(handle="bob")]
    assert whats == ["banned", "suspended", "unbanned", "unsuspended"]
    assert room.is_sound()


STRANGERS = [
    ("eve@spam.example", "eve@spam.example", True),
    ("eve@spam.example", "EVE+more@Spam.example", True),
    ("Eve+x@spam.example", "eve@spam.example", True),
    ("eve@spam.example", "evelyn@spam.example", False),
    ("@spam.example", "anyone@spam.example", True),
    ("@SPAM.example", "anyone@mx.spam.example", True),
    ("@spam.example", "anyone@nospam.example", False),
    ("@mx.spam.example", "anyone@spam.example", False),
]
NETWORKS = [  # with the peer, and whom it names
    ("203.0.113.0/24", "203.0.113.77", "", "refused"),
    ("203.0.113.0/24", "203.0.114.77", "", "kept"),
    ("203.0.113.0/24", "127.0.0.1", "203.0.113.77", "dropped"),
    ("203.0.113.0/24", "127.0.0.1", "", "kept"),
    ("203.0.113.0/24", "198.51.100.1", "203.0.113.77", "kept"),  # it is not trusted
    ("203.0.113.7", "203.0.113.7", "", "refused"),
    ("203.0.113.7", "203.0.113.8", "", "kept"),
    ("203.0.113.7", "127.0.0.1", "203.0.113.8", "kept"),
    ("2001:db8::/32", "2001:db8:1::7", "", "refused"),
]
IN_THE_INBOX = [  # who is banned once a mail is there, with the peer and the network it came from
    ("eve@spam.example", "127.0.0.1", "", False),
    ("@spam.example", "127.0.0.1", "203.0.113.0/24", False),
    ("203.0.113.0/24", "127.0.0.1", "203.0.113.0/24", False),
    ("203.0.113.7", "127.0.0.1", "203.0.113.0/24", True),  # it may be from 203.0.113.8
    ("203.0.113.7", "203.0.113.7", "203.0.113.0/24", False),
    ("@other.example", "203.0.113.7", "203.0.113.0/24", True),
]
TRUSTED = (ip_network("127.0.0.0/8"),)


def test_strangers(room: Room) -> None:
    """A front server gets no 550, as it would tell a sender who may be forged."""
    room.table.has(trusted_networks=TRUSTED)
    for banned, address, is_refused in STRANGERS:
        bans.ban(room.office, banned, WHY)
        door, eve = At(room), room.table.person(address)
        for mail_from in (address, "bounces@lists.example"):
            for peer, done in (("192.0.2.1", "refused"), ("127.0.0.1", "dropped")):
                answer = door.hands_in(eve, mail_from=mail_from, peer=peer)
                assert answer.startswith(done if is_refused else "kept"), (banned, address, peer)
                told = str([entry.told for entry in trace(room.office, address)])
                assert ("the last time" in told) is is_refused
        told = str([entry.told for entry in trace(room.office, address)])
        assert ("banned since" in told) is is_refused
        bans.unban(room.office, banned, WHY)
    bans.ban(room.office, "@spam.example", WHY)
    postmaster = "postmaster@games.example"
    assert At(room).hands_in(eve, f"{PLAIN} {postmaster}") == "kept"
    with room.table.database.reading() as work:
        came = work.inbox.newest(1000, recipient=[PLAIN, postmaster])
    assert [mail.recipient for mail in came if mail.sender == eve.address][-1] == postmaster


@pytest.mark.parametrize(("banned", "peer", "network", "is_answered"), IN_THE_INBOX)
def test_mail_that_is_there_when_its_sender_is_banned(
    room: Room, banned: str, peer: str, network: str, is_answered: bool
) -> None:
    eve = room.table.person("eve@spam.example")
    keep(room.table, eve.address, (PLAIN,), eve.mail_bytes("help", "help"), peer, network)
    bans.ban(room.office, banned, WHY)
    room.plays_what_waits()
    room.posts()
    assert bool(eve.arrived) is is_answered
    told = str([entry.told for entry in trace(room.office, eve.address)])
    assert (f"done: nothing: {banned}" in told.replace("/32", "")) is not is_answered


def test_networks(room: Room) -> None:
    room.table.has(trusted_networks=TRUSTED)
    for banned, peer, forwarded, done in NETWORKS:
        bans.ban(room.office, banned, WHY)
        answer = At(room).hands_in(room.alice, peer=peer, forwarded=forwarded)
        assert answer.startswith(done), (banned, peer)
        bans.unban(room.office, banned, WHY)
    assert room.player("alice").is_active


def test_whom_a_ban_would_have_hit(room: Room) -> None:
    door = At(room)
    before = bans.look(room.office, "@example.org").mails
    door.hands_in(room.alice, peer="203.0.113.77")
    hit = bans.look(room.office, "203.0.113.0/25")
    assert (hit.players, hit.mails) == (("alice",), 1)
    assert bans.look(room.office, "203.0.113.128/25").mails == 0
    hit = bans.look(room.office, "@example.org")
    assert (hit.players, hit.mails) == (("alice", "bob"), before + 1)
    room.table.clock.passes(days=32)
    assert bans.look(room.office, "203.0.113.0/25").mails == 0


def test_what_cannot_be_banned(room: Room) -> None:
    for what, words in [
        (room.bob.address, "is an address of bob, .* Run: pbm-admin ban bob"),
        ("nobody", "no player called nobody"),
        ("@", "has the form name@example.org"),
        ("eve@", "has the form name@example.org"),
    ]:
        with pytest.raises(OperatorError, match=words):
            bans.ban(room.office, what, WHY)
    room.table.person("carol+games@example.org").writes("signup carol").says("yes")
    for what in ("carol+games@example.org", "carol@example.org"):  # one mailbox
        with pytest.raises(OperatorError, match=r"is an address of carol, .* ban carol"):
            bans.look(room.office, what)
    with pytest.raises(OperatorError, match=r"is not banned\. To see who is: pbm-admin bans"):
        bans.unban(room.office, "@example.org", WHY)
