"""What a turn asks of the database: locks where something changes, and no more statements."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import event

from tests.serving import take_next
from tests.table import Person, Table

MOVE = "a1-c3,d4"
# Statements of one turn at most, by what it does; a few more are no fault.
TURN = 20
OFFER = TURN + 6
FIRST_OF_SIX = TURN + 8  # with the timer, and the counts of mails to four others
_OF_TRANSACTIONS = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


@contextmanager
def counted(table: Table) -> Iterator[list[str]]:
    """The statements issued inside, savepoints among them."""
    statements: list[str] = []
    engine = table.database.engine

    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(" ".join(statement.split()))

    event.listen(engine, "before_cursor_execute", note)
    yield statements
    event.remove(engine, "before_cursor_execute", note)


def turn(table: Table, person: Person, said: str) -> list[str]:
    """The statements of the one turn that obeys an answer to the newest mail."""
    mail = person.newest
    thread = {"In-Reply-To": mail["Message-ID"]}
    raw = person.mail_bytes(f"Re: {mail['Subject']}", said, to=mail.reply_to, headers=thread)
    table.hand_in(person.address, mail.reply_to, raw)
    with counted(table) as statements:
        assert take_next(table.turns)
    table.posts()
    return statements


def queries(statements: list[str]) -> int:
    """How many statements are about tables."""
    return sum(not item.startswith(_OF_TRANSACTIONS) for item in statements)


def board_reads(statements: list[str]) -> list[bool]:
    """Whether each reading of a board locks it."""
    return [
        "FOR NO KEY UPDATE" in item for item in statements if " FROM boards WHERE boards.id" in item
    ]


def test_a_turn_of_two_and_a_turn_of_six_cost_about_the_same(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    turn(table, alice, MOVE)
    assert queries(turn(table, bob, "i9-g7,f6")) <= TURN
    six = table.start("carol", "dave", "erin", "frank", "grace", "heidi")
    move = str(table.board(2).position.legal_moves()[0])
    assert queries(turn(table, six[0], move)) <= FIRST_OF_SIX
    assert [len(person.arrived) for person in six] == [1] * 6


def test_the_work_of_a_turn_does_not_grow_with_the_game(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    moves = ["a1-c3,b2", "i9-g7,h8", *["c3,d3", "g7,f7", "d3,c3", "f7,g7"] * 3]
    counts = [queries(turn(table, (alice, bob)[at % 2], move)) for at, move in enumerate(moves)]
    assert counts[-1] == counts[2]


def test_an_offer_and_its_answer_cost_little_more_than_a_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    turn(table, alice, MOVE)
    turn(table, bob, "i9-g7,f6")
    for person, said in ((alice, "draw"), (bob, "reject"), (bob, "draw")):
        assert queries(turn(table, person, said)) <= OFFER
    assert queries(turn(table, alice, "a2-c4,b3\ndraw")) <= 2 * OFFER


def test_whoever_changes_or_tells_a_board_locks_it_once(shared: Table) -> None:
    alice, _ = shared.start("alice", "bob")
    reads = board_reads(turn(shared, alice, MOVE))
    assert reads.count(True) == 1


def test_a_list_of_games_does_not_cost_more_the_longer_it_is(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    turn(table, alice, "games all")  # the next answers are to a list, and not to a board
    few = len(turn(table, alice, "games all"))
    table.begins("alice", "bob", times=3)
    assert len(turn(table, alice, "games all")) == few


def test_whoever_looks_locks_nothing(shared: Table) -> None:
    """Where the mail does not come to a board's own address, which is locked ahead."""
    alice, _ = shared.start("alice", "bob")
    turn(shared, alice, "games")
    reads = board_reads(turn(shared, alice, "show 1"))
    assert reads
    assert not any(reads)
