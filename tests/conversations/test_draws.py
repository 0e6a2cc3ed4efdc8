"""A draw is offered, and agreed to by everybody who is still in, or not."""

import pytest

from tests.conversations.playing import board_mail, plays
from tests.table import Person, Table

OFFERED = "alice offers a draw"


def forget(*people: Person) -> None:
    for person in people:
        person.forgets()


def is_drawn(table: Table, number: int = 1) -> bool:
    board = table.board(number)
    return (board.status, board.ended_by, board.winners) == ("finished", "agreed", ())


@pytest.mark.on_postgresql
def test_a_draw_of_two(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw\n\nShall we?").gets(1).hears(
        "alice's move on board 1; nothing to do.",
        "You offered a draw.",
        "| Shall we?",
        "The draw that you offered waits for alice.",
    )
    alice.gets(1).hears(
        "Your move on board 1. bob offers a draw.",
        "| Shall we?",
        'bob offers a draw. Answer "accept draw" or "reject draw"; if you move instead, that is'
        " a no. You can also just answer yes or no.",
        "To move, send a line such as",
    )
    alice.says("accept draw\n\nWith pleasure.").gets(1)
    for person in (alice, bob):
        person.gets(1).hears(
            "Board 1 is over: a draw.",
            " agreed to the draw that ",
            "| With pleasure.",
        )
        assert person.newest["X-PBM-Turn"] == "-"
        assert "Everybody agreed" not in person.newest.text  # said already
    assert is_drawn(table)
    alice.says("show").hears("Board 1 is over: a draw.", "Everybody agreed to a draw.")
    alice.says("games all").hears("Board 1: alice, bob. Over, a draw.")
    alice.says("accept draw", answering=board_mail(alice, 1)).hears("Board 1 is over.")


def test_who_has_the_move_is_not_told_that_there_is_nothing_to_do(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("draw").hears("Your move on board 1.", "The draw that you offered waits for bob.")
    bob.hears("alice's move on board 1. Please answer: alice offers a draw.")
    alice.says("Well?").forgets()  # the offer stands, and later mails tell of it
    bob.hears("alice's move on board 1. Please answer: alice offers a draw.", "| Well?")


@pytest.mark.parametrize("word", ["draw", "propose", "abalone propose 1", "DRAW 1 bob secret"])
def test_who_offers_one_as_well_agrees(word: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("abalone propose 1").forgets()
    bob.says(word).hears("Board 1 is over: a draw.")
    assert is_drawn(table)


@pytest.mark.parametrize("word", ["accept", "accept 1", "accept 1 draw", "accept draw 1 bob pw"])
def test_ways_to_agree(word: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("draw").forgets()
    bob.says(word).hears("Board 1 is over: a draw.")
    assert is_drawn(table)


@pytest.mark.parametrize(
    "words",
    ["accept the draw", "Accept the draw offer", "accept draw offer", "accept the offer 1"],
)
def test_words_that_say_nothing_more_are_passed_over(words: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("draw").forgets()
    bob.says(words).hears("Board 1 is over: a draw.")
    assert is_drawn(table)


def test_who_offers_one_is_not_told_to_accept_it(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("draw").forgets().says("yes").gets(1).hears("When we ask, answer the mail that asks")
    assert "accept" not in alice.newest.text
    bob.forgets()
    alice.says("no")  # which nobody asked for, and so is for the others
    bob.gets(1).hears("alice writes: | no")


@pytest.mark.parametrize(
    "word", ["reject", "reject 1", "Reject draw.", "reject 1 draw", "reject the draw"]
)
def test_a_no(word: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw").forgets()
    alice.forgets().says(word.removesuffix(".")).gets(1)
    for person in (alice, bob):
        person.gets(1).hears(
            " said no to the draw that ", " offered. The game goes on.", "move on board 1"
        )
    assert "accept" not in alice.newest.text
    bob.says("draw").gets(1).hears(
        "| draw",
        "You have offered a draw on board 1 since your last move, and it came to nothing. You may"
        " offer one again after your next move.",
        "Nothing has changed.",
    )
    alice.hears_nothing()
    plays(table, [alice, bob], plies=2)
    bob.says("draw").hears("You offered a draw.")
    assert table.board(1).playing


def test_a_move_is_a_no(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw").forgets()
    alice.forgets().says("a1-c3,d4").gets(1)
    for person in (alice, bob):
        person.gets(1).hears(
            " moved on, so the draw that ", " offered is off.", " played a1-c3,b2."
        )
        assert "accept" not in person.newest.text
    alice.says("accept draw").gets(1).hears(
        "There is no draw on board 1 that waits for an answer of yours.", "Nothing has changed."
    )
    bob.hears_nothing()


def test_ones_own_move_leaves_the_offer_as_it_is(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("draw").says("a1-c3,d4").hears("The draw that you offered waits for bob.")
    bob.hears("Your move on board 1. alice offers a draw.").says("accept")
    assert is_drawn(table)


@pytest.mark.parametrize(
    "body", ["a1-c3,d4\ndraw", "draw\na1-c3,d4", "abalone draw 1\nmove 1 c3,d3"]
)
def test_an_offer_with_a_move_comes_after_it(body: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{body}\n\nEven, I think.").gets(1).hears("| Even, I think.")
    bob.gets(1).hears(
        "Your move on board 1. alice offers a draw.", "alice played", "| Even, I think."
    )
    bob.says("draw").hears("Board 1 is over: a draw.")
    assert len(table.moves(1)) == 1


def test_an_offer_with_a_move_answers_a_draw_with_no(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw").forgets()
    alice.says("draw\na1-c3,d4").forgets()
    bob.hears(
        "Your move on board 1. alice offers a draw.",
        "alice moved on, so the draw that you offered is off.",
    )
    assert table.board(1).playing


def test_no_draw_where_the_move_with_it_is_refused(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("draw").forgets()
    alice.forgets().says("a1-b2,c3\ndraw\n\nPerhaps.").gets(1).hears(
        "| a1-b2,c3",
        "| draw",
        "This was left undone, because it comes after your other lines, and one of those was"
        " refused.",
        "| Perhaps.",
    )
    bob.hears_nothing()
    assert table.board(1).playing
    alice.says("accept").hears("Board 1 is over: a draw.")


def test_a_draw_and_a_move_that_is_asked_about_wait_together(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    old = board_mail(alice, 1)
    plays(table, [alice, bob], plies=2)
    forget(alice, bob)
    alice.says("c3,d3\ndraw\n\nWell?", answering=old).gets(1).hears(
        "You answered an older mail. Board 1 is now at move 2 (#3):",
        "| move #3 on board 1: c3,d3 | draw 1",
        "| Well?",
    )
    assert alice.newest.text.count("You answered an older mail") == 1
    bob.hears_nothing()
    alice.says("yes").forgets()
    bob.gets(1).hears("Your move on board 1. alice offers a draw.", "alice played", "| Well?")


def test_in_a_new_mail_a_draw_means_the_board_of_the_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("challenge me bob").forgets()
    alice.writes("multiple", "move 2 c3,d3\ndraw").hears(
        "| move #1 on board 2: c3,d3 | draw 2"
    ).says("yes")
    bob.forgets().says("draw 2")
    assert (is_drawn(table, 2), table.board(1).ply) == (True, 0)


class TestThree:
    """alice, bob and carol; alice offers a draw with her first move."""

    @pytest.fixture
    def people(self, table: Table) -> list[Person]:
        people = table.start("alice", "bob", "carol")
        people[0].says("b1,c1\ndraw")
        people[0].hears("The draw that you offered waits for bob and carol.")
        people[1].hears("Your move on board 1. alice offers a draw.", "accept draw")
        people[2].hears("bob's move on board 1. Please answer: alice offers a draw.", "accept draw")
        return people

    def test_both_others_must_agree(self, table: Table, people: list[Person]) -> None:
        alice, bob, carol = people
        carol.says("accept draw").gets(1).hears(
            "bob's move on board 1; nothing to do.",
            "You agreed to the draw that alice offered.",
            "The draw that alice offered waits for bob.",
        )
        alice.gets(1).hears("carol agreed", "The draw that you offered waits for bob.")
        bob.gets(1).hears(
            "Your move on board 1. alice offers a draw.",
            "carol agreed to the draw that alice offered.",
            'Answer "accept draw" or "reject draw"',
        )
        assert table.board(1).playing
        carol.says("draw").gets(1).hears(
            "alice has offered a draw on board 1 already. It waits for bob."
        )
        carol.says("accept").gets(1).hears("There is nothing on board 1 that waits")
        alice.says("draw").gets(1).hears(
            "You have offered a draw on board 1 already. It waits for bob."
        )
        bob.says("accept").gets(1)
        for person in people:
            person.gets(1).hears("Board 1 is over: a draw.", "All agreed")
        assert is_drawn(table)

    def test_one_no_is_enough(self, table: Table, people: list[Person]) -> None:
        alice, bob, carol = people
        bob.says("accept").forgets()
        carol.says("reject").forgets()
        alice.hears("carol said no to the draw that you offered. The game goes on.")
        bob.hears("Your move on board 1.", "carol said no")
        bob.says("draw").hears("The draw that you offered waits for alice and carol.")
        assert table.board(1).playing

    def test_a_move_of_one_who_has_agreed_is_no_no(
        self, table: Table, people: list[Person]
    ) -> None:
        alice, bob, carol = people
        bob.says("accept").says("f8,f7", answering=board_mail(bob, 1))
        carol.forgets()
        alice.forgets()
        carol.says("d1,d2").hears(" moved on, so the draw that ", " offered is off.")
        alice.hears("Your move on board 1.", "carol moved on", "- carol played d1,d2.")
        assert table.board(1).playing

    def test_it_is_withdrawn(self, table: Table, people: list[Person]) -> None:
        alice, bob, carol = people
        bob.says("accept").forgets()
        forget(alice, carol)
        alice.says("reject draw").hears("You withdrew the offer of a draw.")
        for person in (bob, carol):
            person.gets(1).hears("alice withdrew the offer of a draw.")
            assert "accept" not in person.newest.text
        alice.says("draw").hears("You have offered a draw on board 1 since your last move")
        carol.says("accept").hears("There is nothing on board 1 that waits")
        assert table.board(1).playing

    def test_who_leaves_is_not_waited_for(self, table: Table, people: list[Person]) -> None:
        alice, bob, carol = people
        bob.says("accept").forgets()
        forget(alice, carol)
        carol.says("resign").gets(1)
        for person in people:
            person.gets(1).hears(
                "Board 1 is over: a draw.",
                " resigned.",
                "All agreed to the draw that ",
            )
        assert is_drawn(table)
        assert table.board(1).position.out == {3}

    def test_nobody_offers_for_one_who_has_left(self, table: Table, people: list[Person]) -> None:
        alice, bob, carol = people
        alice.says("resign").forgets()
        bob.forgets().says("accept").hears("There is nothing on board 1")
        alice.says("draw").hears("You have left board 1 already.")
        alice.says("accept draw").hears("You have left board 1 already.")
        bob.says("draw").forgets()
        carol.says("accept")
        assert is_drawn(table)


def test_strangers_and_boards_that_are_not_there(table: Table) -> None:
    table.start("alice", "bob")
    carol = table.joins("carol")
    for line in ("draw 1", "accept draw 1", "reject 1", "takeback 1", "claim 1"):
        carol.says(line).gets(1).hears("You do not play on board 1.")
        carol.says(line.replace("1", "7")).gets(1).hears("There is no board 7.")
    carol.says("draw").hears("You have no game in progress.")
    carol.says("accept cake").hears(
        'I do not know "cake" here; it is one of draw, takeback, pause, resume, substitute,'
        " challenge, all.",
        'The command is "accept [board] [what] [handle]".',
    )


class TestNoBoardNamed:
    """`accept` in a mail of its own, that answers none."""

    @pytest.fixture
    def people(self, table: Table) -> tuple[Person, Person]:
        alice, bob = table.start("alice", "bob")
        alice.says("challenge bob").says("challenge bob")
        forget(alice, bob)
        return alice, bob

    def fresh(self, person: Person, words: str) -> None:
        person.writes(words, to=person.mail("pbm: ").reply_to)

    @pytest.mark.parametrize("words", ["accept", "accept draw"])
    def test_the_only_offer_is_meant(
        self, words: str, people: tuple[Person, Person], table: Table
    ) -> None:
        alice, bob = people
        alice.says("draw", answering=board_mail(alice, 2))
        self.fresh(bob, words)
        assert [is_drawn(table, number) for number in (1, 2, 3)] == [False, True, False]

    def test_an_offer_of_another_kind_is_not_meant(
        self, people: tuple[Person, Person], table: Table
    ) -> None:
        alice, bob = people
        alice.says("draw", answering=board_mail(alice, 2))
        alice.says("a1-c3,d4", answering=board_mail(alice, 3))
        alice.says("takeback", answering=board_mail(alice, 3))
        bob.forgets()
        self.fresh(bob, "accept")
        bob.gets(1).hears("Which board", "- 3 (", "- 2 (")
        assert "- 1 (" not in bob.newest.text
        self.fresh(bob, "accept draw")
        assert is_drawn(table, 2)
        assert table.moves(3) == ["a1-c3,b2"]
        self.fresh(bob, "accept")
        assert table.moves(3) == []

    def test_of_two_nobody_knows_which(self, people: tuple[Person, Person], table: Table) -> None:
        alice, bob = people
        alice.says("draw", answering=board_mail(alice, 2))
        alice.says("draw", answering=board_mail(alice, 3))
        bob.forgets()
        self.fresh(bob, "accept")
        bob.gets(1).hears("Which board")
        assert not any(is_drawn(table, number) for number in (1, 2, 3))

    def test_ones_own_is_withdrawn_so(self, people: tuple[Person, Person], table: Table) -> None:
        alice, bob = people
        alice.says("draw", answering=board_mail(alice, 2))
        self.fresh(alice, "reject")
        bob.hears("alice withdrew the offer of a draw.")
        assert not is_drawn(table, 2)
