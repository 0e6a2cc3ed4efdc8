"""Crowds: what many accounts, or many forged senders, try to take from everybody else."""

import pytest

from pbm.mail.smtp_in.connection_limits import UNKNOWN, Caller
from pbm.play import records
from pbm.play.limits import (
    MOST_SEEKS,
    OF_CLAIM,
    OF_ORIGIN,
    PAIRING_STANDS,
    RESERVED,
    STRANGERS,
    VOUCHED,
)
from pbm.play.seeks import fewest_players, make_seek, usual_setup, wish_for
from pbm.rules.contract import Game, Options
from pbm.store.values.players import Player
from tests.serving import keeping
from tests.table import SERVER, Person, Table

TWENTY = 20


def puppets(table: Table, count: int = TWENTY) -> list[Player]:
    """Accounts of one person, each with an address of its own."""
    with table.database.transaction() as work:
        add, now = work.players.add, table.clock()
        return [add(f"puppet{n:03}", f"p{n}@puppets.example", now) for n in range(count)]


def they_seek(table: Table, crowd: list[Player], *, each: int = MOST_SEEKS) -> None:
    """Let each of them make as many seeks, for the game as it is usually played."""
    setup = usual_setup("abalone")
    wish = wish_for(setup, fewest_players(setup))
    with table.database.transaction() as work:
        for _ in range(each):
            for puppet in crowd:
                make_seek(work, wish, puppet, table.clock(), PAIRING_STANDS, list)


@pytest.mark.on_postgresql
def test_twenty_accounts_hide_nobodys_seek(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in ("alice", "bob", "carol"))
    alice.says("seek -unrated")
    crowd = puppets(table)
    they_seek(table, crowd)
    bob.says("seek -bowl")
    carol.says("seeks").hears("Number 1: alice", "Number 102: bob", "There are 62 more.")
    listed = [line for line in carol.newest.text.splitlines() if line.startswith("- Number")]
    assert "bob" in listed[0]  # what was made last
    told = sorted(sum(puppet.handle in line for line in listed) for puppet in crowd)
    assert told == [1] * 2 + [2] * 18
    table.days_pass(13)
    carol.says("seeks").hears("Number 1: alice", "Number 102: bob")


@pytest.mark.parametrize("blocking", [True, False])
def test_whoever_is_blocked_by_many_is_paired_with_the_others(blocking: bool, table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    crowd = puppets(table, 3 * TWENTY)
    they_seek(table, crowd, each=2)
    victim = table.player("alice")
    assert victim is not None
    with table.database.transaction() as work:
        for puppet in crowd:
            pair = (puppet.id, victim.id) if blocking else (victim.id, puppet.id)
            work.blocks.add(*pair, table.clock())
    bob.says("seek")
    alice.says("seeks").hears("You can join this game:", "bob (1500?)")
    alice.says("play").hears("on board 1")
    assert "bob" in [seat.handle for seat in table.board(1).seats]


# -- strangers ---------------------------------------------------------------------------------


def writes_in(person: Person) -> bool:
    """Let a stranger write; whether the mail was taken, and answered."""
    before = len(person.mails)
    taken = person.writes("hello").replied.startswith("250 ")
    assert len(person.mails) == before + taken
    return taken


def forge(table: Table, numbers: range, domains: int, caller: Caller = UNKNOWN) -> int:
    """Let one program write for as many strangers of some domains; how many mails are taken."""
    with table.database.transaction() as work:
        people = [table.person(f"v{number}@d{number % domains}.example") for number in numbers]
        kept = [
            keeping(table.intake, it.address, (SERVER,), it.mail_bytes("hello"), caller)(work)
            for it in people
        ]
    return sum(isinstance(reply, str) for reply in kept)


@pytest.mark.parametrize("domains", [1, pytest.param(5, marks=pytest.mark.thorough), 40])
def test_forged_strangers_shut_no_newcomer_out_for_long(domains: int, table: Table) -> None:
    taken = forge(table, range(50), domains)
    assert taken == (OF_CLAIM.most if domains == 1 else STRANGERS.most - RESERVED)
    assert forge(table, range(50, 51), 1, Caller("", "192.0.2.0/24"))  # a network not seen before
    newcomer = table.person("newcomer@d0.example")
    assert not writes_in(newcomer)
    for hour in range(2):
        table.clock.passes(minutes=59)
        forge(table, range(50 * hour, 50 * hour + 50), domains)  # who was put off comes again, too
        table.clock.passes(minutes=1)
        assert writes_in(newcomer)


@pytest.mark.parametrize("names", ["n{}.abc.de", "n{}.abc.co.uk", "a{}.b.abc.org"])
def test_names_below_one_domain_have_one_share(names: str, table: Table) -> None:
    forge(table, range(50), 40)  # answers that need no voucher are used up
    taken = 0
    for number in range(OF_ORIGIN.most + 5):
        domain = names.format(number)
        table.behind_front(f"dmarc=pass header.from={domain}")
        taken += writes_in(table.person(f"p@{domain}"))
    assert taken == OF_ORIGIN.most


def test_forged_and_vouched_ones_leave_room_for_other_domains(table: Table) -> None:
    forge(table, range(50), 40)
    taken = 0
    for number in range(49):
        domain = f"vouched{number % 5}.example"
        table.behind_front(f"dmarc=pass header.from={domain}")
        taken += writes_in(table.person(f"p{number}@{domain}"))
    assert taken == VOUCHED.most - RESERVED
    table.behind_front("dmarc=pass header.from=newcomer.example")
    table.person("anna@newcomer.example").writes("hello").gets(1)
    late = table.person("late@newcomer.example")
    assert not writes_in(late)
    table.clock.passes(minutes=30)
    assert writes_in(late)


@pytest.mark.on_postgresql
def test_two_accounts_use_up_nobodys_invitations(table: Table) -> None:
    people = [table.joins(name) for name in ("alice", "bob", "carol", "dave")]
    table.clock.passes(days=1, hours=1)
    for at, person in enumerate(people):
        lines = [f"challenge {person.address[:3]}{number}@guest.example" for number in range(5)]
        person.forgets().says("\n".join(lines), subject="multiple")
        asked = person.newest.text.count("We have asked")
        assert asked == (5, 5, 3, 1)[at], asked


# -- records -----------------------------------------------------------------------------------

WALK = ("c5,d5", "g5,f5", "d5,c5", "f5,g5")


def record(plies: int, tag: str = "") -> str:
    """A game of so many moves that leads nowhere."""
    moves = [WALK[ply % len(WALK)] for ply in range(plies)]
    return f'import\n[Event "{tag}"]\n\n' + "\n".join(moves)


@pytest.mark.on_postgresql
def test_a_record_is_replayed_while_no_transaction_is_open(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice = table.joins("alice")
    read = records.read_record

    def beside_others(game: Game, text: str, chosen: Options) -> object:
        with table.database.transaction() as work:  # it would wait for one that is open
            work.facts.note("others", {}, table.clock())
        return read(game, text, chosen)

    monkeypatch.setattr(records, "read_record", beside_others)
    alice.says(record(9)).gets(1).hears("Imported: 5 moves (#9)")
    alice.says(record(3).replace("d5", "e9")).hears('Move 1 (ply 1, seat 1) reads "c5,e9"')
    assert [row["tries"] for row in table.rows("inbox")] == [0] * 4
    assert len(table.rows("facts")) == 1
    assert [len(table.moves(number)) for number in table.boards()] == [9]


def test_a_flood_of_records_ends(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    alice, bob = table.start("alice", "bob")
    replayed = []
    read = records.read_record

    def counted(game: Game, text: str, chosen: Options) -> object:
        replayed.append(text)
        return read(game, text, chosen)

    monkeypatch.setattr(records, "read_record", counted)
    alice.says(record(2001)).hears("it has 2001 single moves, and a game here has 2000 at most.")
    alice.says(record(2000)).hears("Imported: 1000 moves (#2000)")
    for number in range(12):
        table.clock.passes(minutes=1)
        alice.forgets().says(record(1 + number % 2, f"game {number}"))
    alice.hears("This can be sent 30 times in 24 hours", "again from 2026-11-21 12:")
    assert len(replayed) < 13
    assert sum(row["status"] == "closed" for row in table.rows("boards")) == len(replayed) - 1
    forged = record(5).removeprefix("import\n")  # what anybody may have written counts apart
    alice.writes("import", forged).hears("Did you send")
    bob.says("a1-c3,d4")
    alice.says("show 1").hears("Board 1")


def test_a_record_goes_when_nobody_looks_at_it(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says(record(30)).says(record(20, "another"))
    table.days_pass(80)
    bob.says("show 1")
    table.days_pass(20)
    assert table.boards() == [1]
    alice.says("show 2").hears("There is no board 2.")
    alice.says("games all").hears("Board 1: seat 1, seat 2. Closed.")
    assert "Board 2" not in alice.newest.text
    table.days_pass(60)
    alice.says("export 1").hears("c5,d5 g5,f5")
    table.days_pass(91)
    assert table.boards() == table.rows("moves") == table.rows("seats") == []
