"""One yes to a mail from the plain `From:` stands for a day, for moves that come the same way."""

import pytest

from tests.table import Person, Table

OFFER = "After your yes, moves that you send from alice@example.org within a day"
QUESTION = "Reply yes"


def started(table: Table) -> tuple[Person, Person]:
    """A board on which alice has played her first move by a mail of its own, and a yes."""
    alice, bob = table.start("alice", "bob")
    alice.writes("move 1 c3,d3").gets(1).hears(QUESTION, OFFER, "When you answer a mail of ours")
    alice.says("yes").gets(1).hears("bob's move on board 1")
    return alice, bob


def test_moves_of_a_day_need_no_further_question(table: Table) -> None:
    alice, bob = started(table)
    bob.says("g7,f7").forgets()
    table.clock.passes(hours=12)
    alice.forgets().writes("move 1 d3,c3", "Good luck!").gets(1).hears("bob's move on board 1")
    bob.hears("| Good luck!").says("f7,g7").forgets()
    alice.forgets().writes("hello", "move 1 c3,d3\nand some words").gets(1).hears("bob's move")
    bob.hears("| and some words").says("g7,f7")
    table.clock.passes(hours=12)
    alice.forgets().writes("move 1 d3,c3").gets(1).hears(QUESTION, OFFER)
    assert len(table.moves(1)) == 6


def test_several_boards_in_one_mail(table: Table) -> None:
    alice, bob = started(table)
    table.begins("alice", "bob", times=2)
    bob.forgets()
    alice.forgets().writes("multiple", "move 2 c3,d3\nmove 3 a1-c3,d4\nshow 2").gets(3)
    assert [len(table.moves(number)) for number in (2, 3)] == [1, 1]
    bob.gets(2)


@pytest.mark.parametrize(
    "line", ["resign 1", "draw 1", "takeback 1", "challenge bob", "set picture off", "delete"]
)
def test_it_stands_for_moves_only(table: Table, line: str) -> None:
    alice, bob = started(table)
    bob.forgets()
    alice.forgets().writes(line).gets(1).hears(line.split()[0])
    alice.writes("multiple", f"move 1 d3,c3\n{line}")
    assert len(table.moves(1)) == 1
    bob.hears_nothing()


def test_nor_for_words_alone_nor_on_others_boards(table: Table) -> None:
    alice, bob = started(table)
    carol, _ = table.joins("carol"), table.joins("dave")
    table.begins("carol", "dave")
    bob.forgets()
    board = alice.mail("Abalone Board 1")
    alice.forgets().says("Some words", answering=board, to="pbm@games.example")
    alice.gets(1).hears("| Some words", QUESTION)
    alice.writes("move 2 c3,d3").gets(1).hears("You do not play on board 2.")
    bob.hears_nothing()
    carol.hears_nothing()


def test_a_mail_that_comes_another_way_is_asked_about(table: Table) -> None:
    table.peer = "198.51.100.7"
    alice, bob = started(table)
    bob.says("g7,f7")
    mail = alice.mail_bytes("move 1 d3,c3")
    for sender, peer in (
        ("somebody@example.net", "198.51.100.7"),
        (alice.address, "203.0.113.9"),
        (alice.address, ""),
    ):
        table.peer = peer
        alice.forgets()
        table.deliver(
            sender, "pbm@games.example", mail.replace(b"move 1", b" move 1", 1) + peer.encode()
        )
        alice.gets(1).hears(QUESTION)
    table.peer = "198.51.200.1"  # another machine of the same provider
    alice.writes("move 1 d3,c3").gets(1).hears("bob's move on board 1")


def test_behind_a_front_server_it_stands_for_one_network(table: Table) -> None:
    """All mails come from the front itself there, and so do forged ones."""
    table.behind_front("dmarc=none header.from=example.org")
    alice, bob = table.start("alice", "bob")
    moves = ("move 1 c3,d3", "move 1 d3,c3", "move 1 c3,d3")
    answers = iter(("g7,f7", "f7,g7"))
    for move, network, stands in zip(moves, ("", "192.0.2.0/24", ""), (0, 1, 0), strict=True):
        table.network = network
        alice.forgets().writes(move)
        assert ("After your yes, moves" in alice.newest.text) == stands
        alice.gets(1).hears(QUESTION)
        if answer := next(answers, ""):
            alice.says("yes").gets(1).hears("bob's move on board 1")
            bob.says(answer, answering=bob.mail("Abalone Board 1"))
    table.network = "203.0.113.0/24"
    alice.forgets().writes("move 1 c3,d3").gets(1).hears(QUESTION)
    table.network = "192.0.88.0/24"
    alice.forgets().writes("move 1 c3,d3", "hello").gets(1).hears("bob's move on board 1")


def test_a_yes_vouches_for_the_way_of_its_own_mail_alone(table: Table) -> None:
    """A yes to one's own move is none to whoever forges mails beside it."""
    alice, bob = table.start("alice", "bob")
    alice.writes("move 1 c3,d3").hears(OFFER)
    own = alice.newest
    forged = alice.mail_bytes("challenge bob")
    table.deliver("forger@example.net", "pbm@games.example", forged)
    assert OFFER not in " ".join(alice.newest.text.split())
    alice.says("yes", answering=own).forgets()
    bob.says("g7,f7", answering=bob.mail("Abalone Board 1"))
    table.deliver("forger@example.net", "pbm@games.example", alice.mail_bytes("move 1 d3,c3"))
    assert len(table.moves(1)) == 2
    alice.forgets().writes("move 1 d3,c3").gets(1).hears("bob's move on board 1")
    assert table.boards() == [1]


def test_a_mail_whose_envelope_is_of_another_domain_is_vouched_for_by_none(table: Table) -> None:
    """What the laziest forger sends: `From:` alone is forged."""
    alice, bob = table.start("alice", "bob")
    for move, answer in (("move 1 c3,d3", "g7,f7"), ("move 1 d3,c3", "f7,g7")):
        mail = alice.forgets().mail_bytes(move)
        table.deliver("alice@mail.example.net", "pbm@games.example", mail)
        assert "After your yes, moves" not in alice.newest.text
        alice.gets(1).hears(QUESTION).says("yes")
        bob.says(answer)
    mail = alice.forgets().mail_bytes("move 1 c3,d3")
    table.deliver("bounces-7@mail.example.org", "pbm@games.example", mail)
    alice.gets(1).hears(OFFER)


def test_a_no_and_newkey_end_it(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("move 1 c3,d3").says("no").forgets()
    alice.writes("move 1 c3,d3").gets(1).hears(QUESTION).says("yes").forgets()
    bob.says("g7,f7")
    alice.says("newkey").says("yes").forgets()
    alice.writes("move 1 d3,c3").gets(1).hears(QUESTION)


def test_a_strict_player_is_asked_about_each(table: Table) -> None:
    """Also where no mail server in front vouches for anybody."""
    alice, bob = started(table)
    bob.says("g7,f7")
    welcome = alice.mail("pbm: welcome")
    alice.forgets().says("set strict on", answering=welcome).gets(1)
    alice.hears("strict on: your answers to our mails are proof enough", "is asked about")
    alice.writes("move 1 d3,c3").gets(1).hears(QUESTION)
    assert "After your yes, moves" not in alice.newest.text
    alice.says("yes").gets(1).hears("bob's move on board 1")
    bob.says("f7,g7")
    alice.forgets().writes("move 1 c3,d3").gets(1).hears(QUESTION)
    alice.says("c3,d3", answering=alice.mail("Abalone Board 1")).gets(1).hears("bob's move")
    alice.says("set strict off", answering=welcome).hears("strict off")


def test_what_the_provider_denies_is_asked_about_all_the_same(table: Table) -> None:
    alice, bob = started(table)
    bob.says("g7,f7")
    table.behind_front("dmarc=fail header.from=example.org")
    alice.forgets().writes("move 1 d3,c3").gets(1).hears("DMARC check has failed", QUESTION)
    assert "After your yes, moves" not in alice.newest.text


def test_one_mail_that_the_domain_vouches_for_moves_on_several_boards(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    table.begins("alice", "bob", times=2)
    table.behind_front("dmarc=pass header.from=example.org")
    alice.writes("multiple", "move 1 c3,d3\nmove 2 c3,d3").gets(2).forgets()
    alice.writes("hello", "move 3 c3,d3\nwhoami\nGood luck").gets(2)
    bob.hears("| Good luck")
    assert [len(table.moves(number)) for number in (1, 2, 3)] == [1, 1, 1]


def test_a_refused_move_is_answered(table: Table) -> None:
    alice, _ = started(table)
    alice.forgets().writes("move 1 d3,c3").gets(1).hears("it is bob's turn")
