"""Promise 20: one thread a board in every mail program, and `References` that stay short."""

import itertools
from collections.abc import Callable
from email import message_from_bytes

import pytest

from pbm.mail.site import Site
from tests.conversations.playing import board_mail, plays_silently
from tests.table import Person, Table
from tests.threads import Kept, by_references, by_subject_and_reference, kept

PROGRAMS = [
    pytest.param(by_references, id="references"),
    pytest.param(lambda mails: by_references(mails, by_subject=True), id="references-and-subjects"),
    pytest.param(by_subject_and_reference, id="gmail"),
]
Program = Callable[[list[Kept]], list[list[Kept]]]
MOST = 2  # Message-IDs in `References`
LONGEST_ID = 450  # what msgid.py takes of others, in characters


class Mailboxes:
    """Everything that people sent and got, in the order in which it came."""

    def __init__(self, table: Table, *people: Person) -> None:
        self._people = {person.address: person for person in people}
        self._kept: dict[str, list[Kept]] = {address: [] for address in self._people}
        self._seen = dict.fromkeys(self._people, 0)
        self._deliver = table.deliver
        table.deliver = self._watched  # type: ignore[method-assign]
        self._look()

    def of(self, person: Person) -> list[Kept]:
        return self._kept[person.address]

    def _watched(self, sender: str, recipient: str, raw: bytes) -> str:
        self._kept[sender].append(kept(message_from_bytes(raw), ours=False))
        reply = self._deliver(sender, recipient, raw)
        self._look()
        return reply

    def _look(self) -> None:
        for address, person in self._people.items():
            new = person.mails[self._seen[address] :]
            self._kept[address] += [kept(mail.message, ours=True) for mail in new]
            self._seen[address] += len(new)


def threads_of(board: int, mails: list[Kept], program: Program) -> list[list[Kept]]:
    """The threads in which mails about a board stand."""
    wanted = [t for t in program(mails) if any(mail.board == str(board) for mail in t)]
    for thread in wanted:
        assert {mail.board for mail in thread if mail.ours} == {str(board)}
    return wanted


# What programs leave out of an answer: nothing, all but the newest, one field or the other.
HABITS = (
    {},
    {"References": "{id}"},
    {"References": ""},
    {"In-Reply-To": ""},
)


def answer(person: Person, words: str, habit: dict[str, str] = HABITS[0]) -> None:
    mail = board_mail(person, 1)
    headers = {name: value.format(id=mail["Message-ID"]) for name, value in habit.items()}
    person.says(words, answering=mail, headers=headers)


def many_moves(table: Table, alice: Person, bob: Person, plies: int) -> None:
    """A game in which much is said besides moves."""
    habits = itertools.cycle(HABITS)
    sides = {"alice": (alice, bob), "bob": (bob, alice)}
    for ply in range(plies):
        seat = table.board(1).to_move
        assert seat is not None
        mover, other = sides[seat.handle]
        match ply % 10:
            case 2:
                answer(mover, "A word or two.", next(habits))
            case 3:
                answer(other, "a1-a9", next(habits))
            case 4:
                answer(mover, "draw", next(habits))
                answer(other, "reject draw\nNot yet.", next(habits))
            case 6:
                answer(other, "takeback", next(habits))
                answer(mover, "reject takeback", next(habits))
            case 7:
                mover.writes("show 1")
            case 8:
                answer(other, "show 1", next(habits))
        move = str(table.board(1).position.legal_moves()[ply % 3])
        if ply % 10 == 9:
            mover.writes(f"move 1 {move}", to=board_mail(mover, 1).reply_to)
        else:
            answer(mover, f"{move}\nMove {ply}.", next(habits))
        table.clock.passes(hours=1)


@pytest.mark.parametrize("plies", [30, pytest.param(100, marks=pytest.mark.thorough)])
def test_promise_20_a_long_game_with_much_talk_is_one_thread(plies: int, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    boxes = Mailboxes(table, alice, bob)
    many_moves(table, alice, bob, plies)
    assert len(table.moves(1)) == plies
    for person in (alice, bob):
        mails = boxes.of(person)
        answers = [mail for mail in mails if not mail.ours and mail.line]
        assert len(answers) >= 0.6 * plies
        assert sum(mail.board == "1" for mail in mails) >= 1.3 * plies
        for program in (by_references, by_subject_and_reference):
            (thread,) = threads_of(1, mails, program)
            assert set(answers) <= set(thread)
        for mail in mails:
            assert len(mail.references) <= (MOST if mail.ours else MOST + 1)


@pytest.mark.parametrize("program", PROGRAMS)
def test_promise_20_two_boards_of_the_same_two_are_two_threads(
    table: Table, program: Program
) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    boxes = Mailboxes(table, alice, bob)
    alice.says("challenge bob\nchallenge bob")  # one mail for both, an answer to the welcome
    alice.says("a1-c3,d4", answering=board_mail(alice, 1))
    # An answer to the one board's mail that is about the other, and about both.
    alice.says("move 2 a1-c3,d4\nHello.", answering=board_mail(alice, 1))
    bob.says("show 1", answering=board_mail(bob, 2))
    bob.says("move 1 i9-g7,f6\nmove 2 i9-g7,f6", answering=board_mail(bob, 2))
    alice.writes("multiple", "move 1 a2-c4,d5\nmove 2 a2-c4,d5", to=board_mail(alice, 1).reply_to)
    alice.says("chat 1\nBoth at once.", answering=board_mail(alice, 2))
    assert [len(table.moves(number)) for number in (1, 2)] == [3, 3]
    for person in (alice, bob):
        for board in (1, 2):
            assert len(threads_of(board, boxes.of(person), program)) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_promise_20_a_rematch_is_a_thread_of_its_own(table: Table, program: Program) -> None:
    alice, bob = table.start("alice", "bob")
    boxes = Mailboxes(table, alice, bob)
    alice.says("resign")
    bob.says("rematch")
    assert table.boards() == [1, 2]
    bob.says("Well then!", answering=board_mail(bob, 2))
    alice.says("Here we go.", answering=board_mail(alice, 2))
    for person in (alice, bob):
        for board in (1, 2):
            assert len(threads_of(board, boxes.of(person), program)) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_promise_20_a_move_that_a_question_held_up_stays_in_its_thread(
    table: Table, program: Program
) -> None:
    alice, bob = table.start("alice", "bob")
    boxes = Mailboxes(table, alice, bob)
    alice.writes("move 1 a1-c3,d4")  # proves nothing, so that a question comes
    assert table.moves(1) == []
    alice.says("yes")
    assert len(table.moves(1)) == 1
    for person in (alice, bob):
        assert len(threads_of(1, boxes.of(person), program)) == 1


@pytest.mark.parametrize("program", PROGRAMS)
def test_promise_20_what_a_program_without_references_sends_splits_nothing_of_ours(
    table: Table, program: Program
) -> None:
    alice, bob = table.start("alice", "bob")
    boxes = Mailboxes(table, alice, bob)
    nothing = {"In-Reply-To": "", "References": ""}
    alice.says("a1-c3,d4\nHello!", headers=nothing)
    bob.says("Hello, too.", headers=nothing)
    alice.says("show 1", headers=nothing)
    for person in (alice, bob):
        assert len(threads_of(1, boxes.of(person), program)) == 1


def test_promise_20_the_classic_subject_is_one_thread_by_references(table: Table) -> None:
    """Gmail makes one conversation of each form of the subject, and no more."""
    alice, bob = table.start("alice", "bob")
    mail = alice.newest
    alice.writes("set subject classic", to=mail.reply_to)
    boxes = Mailboxes(table, alice, bob)
    alice.says("a1-c3,d4", answering=mail)
    for person, words in ((bob, "i9-g7,f6\nHi."), (alice, "a2-c4,d5"), (bob, "resign")):
        person.says(words, answering=person.mails[-1])
    mails = [mail for mail in boxes.of(alice) if mail.board]
    subjects = {mail.subject for mail in mails[-4:]}
    assert subjects == {
        "Abalone Board 1 bob",
        "Abalone Board 1 alice **",
        "Abalone Board 1 over",
    }
    assert len(threads_of(1, boxes.of(alice), by_references)) == 1
    assert len(threads_of(1, boxes.of(bob), by_subject_and_reference)) == 1
    forms = {mail.subject for mail in mails}
    assert len(threads_of(1, boxes.of(alice), by_subject_and_reference)) == len(forms)


def test_promise_20_references_at_move_500_are_as_short_as_at_the_first(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    plays_silently(
        table, 1, itertools.islice(itertools.cycle(("c3,d3", "g7,f7", "d3,c3", "f7,g7")), 500)
    )
    answer(alice, "show 1")
    answer(alice, "c3,d3")
    own = f"<{'x' * 195}@{'y' * 195}>"
    bob.says("g7,f7\nFrom afar.", headers={"Message-ID": own})
    assert len(table.moves(1)) == 502
    for person in (alice, bob):
        for mail in [mail for mail in person.mails if mail["X-PBM-Board"]]:
            assert len(mail.references) <= MOST
            assert len(str(mail.message["References"] or "")) <= MOST * LONGEST_ID
    root = bob.mails[2]["Message-ID"]
    assert bob.newest.references == [root, own]
    # What a program answers grows no longer, either: it adds one id to ours.
    long = " ".join(f"<{n:060d}@mailer.example>" for n in range(500))
    alice.says("Still there?", headers={"References": f"{long} {alice.newest['Message-ID']}"})
    assert len(alice.newest.references) <= MOST


def test_promise_20_the_thread_is_known_without_a_look_at_what_was_sent(table: Table) -> None:
    """Its first Message-ID is made from board and reader, and so is the same after 500 moves."""
    alice, _ = table.start("alice", "bob")
    assert isinstance(table.site, Site)
    root = alice.newest["Message-ID"]
    plays_silently(
        table, 1, itertools.islice(itertools.cycle(("c3,d3", "g7,f7", "d3,c3", "f7,g7")), 40)
    )
    answer(alice, "show 1")
    assert alice.newest.references[0] == root
