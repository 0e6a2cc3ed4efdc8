"""What a turn asks of the database: locks where something changes, and no more statements."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from sqlalchemy import event

from tests.serving import take_next
from tests.table import Person, Table

MOVE = "a1-c3,d4"
TURN = [
    "SELECT inbox_raw",  # with its row of the inbox
    "SELECT players",
    "SAVEPOINT",
    "SELECT boards",
    "SELECT seats",
    "INSERT moves",
    "UPDATE seats",
    "UPDATE boards",
    "RELEASE",
    "SELECT players",
    "SELECT moves",
    "SELECT vacations",  # by when the next move is due
    "INSERT outbox",
    "INSERT outbox_contents",
    "UPDATE inbox",
    "DELETE inbox_raw",
]
_PLAYED = TURN.index("RELEASE")
# A move after which it is somebody's turn for the first time: the time for that begins.
FIRST = [*TURN[:_PLAYED], "INSERT due", *TURN[_PLAYED:]]
_SAID = "UPDATE seats"  # who says something on a board has answered there
OFFER = [form for form in TURN if form not in ("INSERT moves", "UPDATE seats")]
OFFER.insert(OFFER.index("RELEASE") + 1, _SAID)
_SET = OFFER.index("UPDATE boards")  # where an offer is written down
OFFER.insert(_SET + 1, "INSERT buckets")  # nobody floods the others with them
# A shared database is asked for all that a turn may look up at once, before the turn.
_AHEAD = ["boards", "seats", "players", "unnest", "vacations", "unnest"]  # plies, and marks
_LOOKS = [f"SELECT {name}" for name in ("players", "boards", "seats", "moves", "vacations")]
_LATE = {"INSERT moves", "UPDATE seats", "UPDATE boards"}  # written at the end, for all turns
_FORM = re.compile(r"(SAVEPOINT|RELEASE|\w+)(?: .*?(?:FROM|INTO) (\w+)| (?<=UPDATE )(\w+))?")


@pytest.fixture
def table(database_url: str) -> Iterator[Table]:
    table = Table(database_url)
    yield table
    table.database.close()


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


def forms(statements: list[str]) -> list[str]:
    """Each statement as its verb and the table that it is about."""
    matches = (_FORM.match(item) for item in statements)
    return [" ".join(filter(None, match.groups())) for match in matches if match]


def whole(table: Table, statements: list[str]) -> list[str]:
    """Statements between a transaction's beginning and its end, which only an embedded database
    does not hear of as a statement."""
    if table.database.embedded:
        return ["BEGIN", *statements]
    first, *others = (form for form in statements if form not in _LOOKS)
    ahead = [f"SELECT {name}" for name in _AHEAD]
    return ["BEGIN", first, *ahead, *without_idle_savepoints(others), "COMMIT"]


def without_idle_savepoints(statements: list[str]) -> list[str]:
    """Those savepoints inside which all is written late are never begun."""
    found: list[str] = []
    for form in statements:
        begun = len(found) - found[::-1].index("SAVEPOINT") if "SAVEPOINT" in found else 0
        if form == "RELEASE" and _LATE.issuperset(found[begun:]):
            del found[begun - 1]
        else:
            found.append(form)
    return found


def of_others(statements: list[str]) -> list[str]:
    """The same, where others read of it whose turn it is not: their mails are counted at once."""
    where = len(statements) - statements[::-1].index("SELECT moves") - 1
    return [*statements[:where], "INSERT buckets", *statements[where:]]


def board_reads(statements: list[str]) -> list[bool]:
    """Whether each reading of a board locks it."""
    return [
        "FOR NO KEY UPDATE" in item for item in statements if " FROM boards WHERE boards.id" in item
    ]


def test_a_turn_of_two_and_a_turn_of_six_cost_the_same(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    turn(table, alice, MOVE)
    assert forms(turn(table, bob, "i9-g7,f6")) == whole(table, TURN)
    six = table.start("carol", "dave", "erin", "frank", "grace", "heidi")
    move = str(table.board(2).position.legal_moves()[0])
    first = of_others(FIRST)
    first.insert(first.index("INSERT buckets") + 1, "SELECT buckets")  # of who is to move
    assert forms(turn(table, six[0], move)) == whole(table, first)
    assert [len(person.arrived) for person in six] == [1] * 6


def test_a_turn_of_a_match_costs_no_more(table: Table) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob -rounds=2")
    assert forms(turn(table, alice, MOVE)) == whole(table, FIRST)


def test_an_offer_is_one_update_and_so_is_its_answer(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    turn(table, alice, MOVE)
    turn(table, bob, "i9-g7,f6")
    for person, said in ((alice, "draw"), (bob, "reject"), (bob, "draw")):
        assert forms(turn(table, person, said)) == whole(table, of_others(OFFER))
    moved_on = list(TURN)
    moved_on.insert(TURN.index("RELEASE") + 1, _SAID)
    moved_on.insert(TURN.index("UPDATE boards"), "UPDATE boards")  # that is a no to the draw
    assert forms(turn(table, alice, "a2-c4,b3")) == whole(table, moved_on)
    asked = [*OFFER[: _SET + 1], "SELECT moves", *OFFER[_SET + 1 :]]  # which move it is
    assert forms(turn(table, alice, "takeback")) == whole(table, of_others(asked))
    six = table.start("carol", "dave", "erin", "frank", "grace", "heidi")
    turn(table, six[0], str(table.board(2).position.legal_moves()[0]))
    assert forms(turn(table, six[3], "draw")) == whole(table, of_others(OFFER))
    assert forms(turn(table, six[4], "accept draw")) == whole(table, of_others(OFFER))


def test_an_offer_with_a_move_costs_both(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    played, told = FIRST[: FIRST.index("RELEASE") + 1], FIRST[FIRST.index("RELEASE") + 1 :]
    known = ("SELECT boards", "SELECT seats")  # since the move
    offered = OFFER[OFFER.index("SAVEPOINT") : OFFER.index("RELEASE") + 1]
    offered = [form for form in offered if form not in known]
    said = forms(turn(table, alice, f"{MOVE}\ndraw"))
    assert said == whole(table, played + offered + [_SAID] + told)


def test_whoever_changes_or_tells_a_board_locks_it_once(postgres_url: str) -> None:
    table = Table(postgres_url)
    alice, _ = table.start("alice", "bob")
    reads = board_reads(turn(table, alice, MOVE))
    assert reads == [True]
    table.database.close()


def test_a_list_of_games_does_not_cost_more_the_longer_it_is(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    turn(table, alice, "games all")  # the next answers are to a list, and not to a board
    few = len(turn(table, alice, "games all"))
    table.begins("alice", "bob", times=3)
    assert len(turn(table, alice, "games all")) == few


def test_whoever_looks_locks_nothing(postgres_url: str) -> None:
    """Where the mail does not come to a board's own address, which is locked ahead."""
    table = Table(postgres_url)
    alice, _ = table.start("alice", "bob")
    turn(table, alice, "games")
    reads = board_reads(turn(table, alice, "show 1"))
    assert reads
    assert not any(reads)
    table.database.close()
