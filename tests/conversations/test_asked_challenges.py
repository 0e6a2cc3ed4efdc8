"""Who may challenge a player: everybody, nobody, or whoever is given a yes first."""

import pytest

from pbm.play.limits import CHALLENGE_AGAIN, MOST_CHALLENGES
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.players import remove, suspend
from tests.table import Person, Table

ASKS = "Please confirm: a game of Abalone with alice"


def asking(table: Table, *handles: str) -> list[Person]:
    """Players who want to be asked before a challenge becomes a board."""
    people = [table.joins(handle) for handle in handles]
    for person in people:
        person.says("challenges ask").gets(1).hears('"challenges" is now set to "ask".')
    return people


def office(table: Table) -> OperatorSession:
    return OperatorSession(table.database, table.site, table.clock, "root")


@pytest.mark.parametrize(
    ("line", "set_to"),
    [
        ("challenges off", "off: challenges are refused"),
        ("challenges ask", "ask: you are asked before a challenge becomes a board"),
        ("challenges on", "on: a challenge of another player brings you a board at once"),
        ("set challenges off", "off: challenges are refused"),
        ("reject all", "off: challenges are refused"),
        ("accept all", "on: a challenge of another player brings you a board at once"),
    ],
)
def test_it_is_said_in_a_line(table: Table, line: str, set_to: str) -> None:
    alice = table.joins("alice")
    alice.says(line).gets(1).hears(f"- challenges {set_to} (on, off, ask)")


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("challenges", "Something is missing: one of on, off, ask."),
        ("challenges perhaps", 'I do not know "perhaps" here; it is one of on, off, ask.'),
        ("set challenges perhaps", '"challenges" can be on, off or ask'),
        ("limit many", '"many" is not a number of games: send such as "limit 5", up to 999'),
        ("limit 1000", '"1000" is not a number of games'),
        ("set limit -1", '"-1" is not a number'),
        ("accept challenge", "There is no challenge that waits for this."),
        ("accept challenge bob", "There is no challenge between you and bob that waits"),
        ("reject challenge", "There is no challenge that waits for this."),
        ("accept draw bob", 'I could not read "bob" at the end of your line.'),
        ("accept challenge 12", 'I could not read "12" at the end of your line.'),
    ],
)
def test_what_cannot_be_done_is_told(table: Table, line: str, answer: str) -> None:
    alice = table.joins("alice")
    alice.says(line).gets(1).hears(answer)


def test_with_off_nobody_is_challenged_but_challenges(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    bob.says("challenges off").forgets()
    alice.says("challenge bob").gets(1).hears("bob takes no challenges at present.")
    bob.hears_nothing().says("challenge alice").gets(1)
    alice.gets(1).says("resign").forgets()
    bob.forgets()
    alice.says("rematch").gets(1).hears("bob takes no challenges at present.")
    bob.says("rematch 1").gets(1).hears("Abalone Board 2: alice v bob")


def test_who_is_asked_gets_the_board_with_the_yes_and_not_before(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob -bowl -rounds=2 -unrated -bank=30d+1d\n\nShall we?").gets(1).hears(
        "bob wants to be asked first, so we have asked.",
        'To withdraw it, answer "reject challenge bob".',
        "Your words are part of our question, and come once more with the first mail",
    )
    bob.gets(1).hears(
        ASKS,
        "alice challenges you to a game of Abalone. Reply yes to play",
        "alice writes: | Shall we?",
        "A match of 2 games: alice and bob, on the bowl board. alice begins. It is not rated.",
        "You have up to 3 weeks for a move, but never more than is left in your time bank.",
    )
    assert not table.boards()
    alice.says("games").hears("Your challenge to a game of Abalone waits for bob until 2026-11-28.")
    bob.says("whoami", answering=bob.mails[0]).hears('answer "accept challenge alice" or "reject')
    bob.says("Yes please!\nHave fun.", answering=bob.mail(ASKS)).gets(1)
    for person in (alice, bob):
        person.gets(1).hears("Abalone Board 1: alice v bob", "| Shall we?", ": | Have fun.")
    board = table.board(1)
    assert (board.options["layout"], board.rated) == ("bowl", False)
    assert board.round is not None
    bob.says("yes", answering=bob.mail(ASKS)).gets(1).hears(
        "does not wait for your answer any more"
    )
    alice.says("games").hears("Board 1: alice, bob.")
    assert "challenge to a game" not in alice.newest.text
    assert not table.rows("challenges")


@pytest.mark.parametrize("answer", ["No.", "reject", "reject challenge alice", "decline", "nein"])
def test_a_no_is_told_with_its_words(table: Table, answer: str) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    bob.forgets().says(f"{answer}\nNot this week.").gets(1)
    bob.hears("There will be no game. alice is told that you would rather not play.")
    alice.gets(1).hears(
        "The game of Abalone that you wanted to start is off: bob would rather not play.",
        "| Not this week.",
    )
    table.days_pass(8)
    alice.hears_nothing()
    assert not table.boards()


@pytest.mark.parametrize("answer", ["yes", "accept", "accept challenge", "accept challenge alice"])
def test_a_yes_has_many_forms(table: Table, answer: str) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    bob.says(answer).hears("Abalone Board 1: alice v bob")
    assert table.boards() == [1]


def test_other_words_are_asked_about_and_commands_below_are_done(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    asked = bob.newest
    bob.forgets().says("Who are you?").gets(1).hears(
        "I could not read that as yes or as no", "alice would like to play with you."
    )
    bob.says("settings").gets(1).hears("- challenges ask")
    assert not table.boards()
    bob.says("yes\nset picture off", answering=asked).gets(2).hears(
        '"picture" is now set to "off".'
    )
    assert table.boards() == [1]


def test_all_who_want_to_be_asked_must_say_yes_and_the_others_wait(table: Table) -> None:
    alice, dave = table.joins("alice"), table.joins("dave")
    bob, carol = asking(table, "bob", "carol")
    alice.says("challenge bob carol dave -teams").gets(1).hears(
        "bob and carol want to be asked first", "You named only the others"
    )
    bob.gets(1).hears(
        "A game: alice and carol against bob and dave",
        "The board starts when bob and carol have said yes.",
    )
    dave.hears_nothing()
    bob.says("yes\nHave fun!").gets(1).hears(
        "The game with alice starts when carol has said yes, too",
        "Your words went to nobody",
    )
    alice.hears_nothing()
    bob.says("games").gets(1).hears("alice's challenge to a game of Abalone has your yes")
    bob.says("accept challenge").gets(1).hears("There is no challenge that waits for this.")
    carol.says("yes").hears("Abalone Board 1: alice, bob +2")
    for person in (alice, bob, dave):
        person.gets(1).forgets()
    assert [seat.handle for seat in table.board(1).seats] == ["alice", "bob", "carol", "dave"]


def test_a_no_of_one_is_told_to_all_who_were_asked(table: Table) -> None:
    alice, dave = table.joins("alice"), table.joins("dave")
    bob, carol = asking(table, "bob", "carol")
    alice.says("challenge bob carol dave").forgets()
    bob.says("yes").forgets()
    carol.forgets().says("no").gets(1).forgets()
    for person in (alice, bob):
        person.gets(1).hears("is off: carol would rather not play.")
    bob.says("reject challenge alice").gets(1).hears("There is no challenge between you and alice")
    dave.hears_nothing()


def test_it_lapses_after_seven_days_with_a_word_to_all(table: Table) -> None:
    alice, (bob, carol) = table.joins("alice"), asking(table, "bob", "carol")
    alice.says("challenge bob carol").forgets()
    asked = bob.newest
    carol.says("yes").forgets()
    table.days_pass(6.9)
    alice.hears_nothing()
    table.days_pass(1)
    alice.gets(1).hears("that you wanted to start is off: bob has not answered within seven days.")
    for person in (bob.forgets(), carol.hears("that alice wanted to start is off")):
        person.hears_nothing()
    bob.says("yes", answering=asked).gets(1).hears("does not wait for your answer any more")
    assert not table.boards()


def test_it_can_be_withdrawn_and_one_waits_at_a_time(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    alice.says("challenge bob").gets(1).hears("Your challenge to bob waits for an answer already.")
    bob.gets(1).forgets()
    alice.says("accept challenge bob").gets(1).hears("There is no challenge between you and bob")
    alice.says("reject challenge bob").gets(1).hears("Your challenge is withdrawn.")
    bob.gets(1).hears("is off: alice has withdrawn the challenge.")
    for _ in range(CHALLENGE_AGAIN.most - 1):
        alice.says("challenge bob").says("reject challenge").forgets()
    alice.says("challenge bob").gets(1).hears("We have asked bob 3 times within a day for you")
    table.clock.passes(days=1)
    alice.says("challenge bob").gets(1).hears("so we have asked")


def test_a_number_of_them_may_wait(table: Table) -> None:
    alice = table.joins("alice")
    others = asking(table, *(f"player{number}" for number in range(MOST_CHALLENGES + 1)))
    for number in range(MOST_CHALLENGES):
        alice.says(f"challenge player{number}").gets(1).forgets()
    alice.says(f"challenge player{MOST_CHALLENGES}").gets(1).hears("At most 10 of your challenges")
    others[-1].forgets().hears_nothing()
    alice.says("reject challenge").gets(1).hears(
        'Name whose you mean: "reject challenge player0" or "reject challenge player1" or'
    )


def test_a_bare_accept_asks_where_an_offer_waits_too(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("challenges ask").forgets()
    alice.says("draw 1").says("challenge bob").forgets()
    bob.forgets().says("accept", to="pbm@games.example", answering=bob.mails[0])
    bob.says("accept", answering=bob.mail("pbm: your settings")).hears(
        'Write "accept challenge", "accept draw" or "accept takeback".'
    )
    assert table.board(1).playing
    bob.says("accept challenge", answering=bob.mail("pbm: your settings"))
    assert table.boards() == [1, 2]


def test_several_who_challenge_are_told_apart(table: Table) -> None:
    alice, carol, (bob,) = table.joins("alice"), table.joins("carol"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    carol.says("challenge bob").forgets()
    settings = bob.mail("pbm: your settings")
    bob.forgets().says("accept challenge", answering=settings).hears(
        'Name whose you mean: "accept challenge alice" or "accept challenge carol".'
    )
    bob.says("accept the challenge from carol", answering=settings)
    bob.hears("Abalone Board 1: carol v bob")


def test_a_plain_mail_is_asked_about_first(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    bob.forgets().writes("accept").gets(1).hears('Did you send "accept challenge alice"?')
    bob.says("yes").hears(": alice v bob", "A new game")


def test_who_leaves_calls_it_off(table: Table) -> None:
    alice, dave, (bob, carol) = (
        table.joins("alice"),
        table.joins("dave"),
        asking(table, "bob", "carol"),
    )
    alice.says("challenge bob carol").forgets()
    dave.says("challenge bob").forgets()
    bob.forgets()
    carol.says("delete").says("yes").forgets()
    alice.gets(1).hears("is off: carol has left this server.")
    bob.gets(1).hears("that alice wanted to start is off: carol has left this server.")
    remove(office(table), "dave", "spam")
    table.posts()
    bob.gets(1).hears("that dave wanted to start is off: dave has left this server.")
    assert not table.rows("challenged")


def test_who_cannot_play_any_more_is_named(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob").forgets()
    suspend(office(table), "alice", "quarrels")
    bob.forgets().says("yes\nHave fun!").gets(1).hears("will not take place", "| Have fun!")
    assert not table.boards()


def test_what_has_become_impossible_is_called_off(table: Table) -> None:
    alice, (bob, carol) = table.joins("alice"), asking(table, "bob", "carol")
    alice.says("challenge bob carol").forgets()
    bob.says("yes").says("block dave").forgets()  # nobody so called
    with table.database.transaction() as work:
        people = {handle: work.players.by_handle(handle) for handle in ("bob", "carol")}
        work.blocks.add(people["bob"].id, people["carol"].id, table.clock())
    bob.forgets()
    carol.says("yes\nHave fun!").hears(
        "will not take place", "did not pass on your words", "| Have fun!"
    )
    alice.gets(1).hears("it could not begin when all had said yes. Send the challenge again")
    bob.gets(1).hears("that alice wanted to start is off")
    assert not table.boards()


@pytest.mark.parametrize("line", ["challenges off", "challenges ask", "limit 1", "block alice"])
def test_whoever_was_not_asked_may_want_no_more_challenges_meanwhile(
    table: Table, line: str
) -> None:
    alice, carol, (bob,) = table.joins("alice"), table.joins("carol"), asking(table, "bob")
    alice.says("challenge carol").forgets()
    alice.says("challenge bob carol").forgets()
    carol.says(line).forgets()
    alice.forgets()
    bob.forgets().says("yes").gets(1).hears("will not take place")
    alice.gets(1).hears("it could not begin when all had said yes. Send the challenge again")
    carol.hears_nothing()
    assert table.boards() == [1]


def test_somebody_invited_by_address_comes_before_those_who_are_asked(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    dave = table.person("dave@example.net")
    alice.says("challenge bob dave@example.net").forgets()
    bob.forgets().hears_nothing()
    dave.says("yes").hears("starts when the others who were asked have said yes, too.")
    alice.hears("bob wants to be asked first")
    bob.gets(1).says("yes").hears("Abalone Board 1: alice, bob +1")
    dave.hears("Abalone Board 1: alice, bob +1")


@pytest.mark.parametrize("line", ["challenges off", "limit 1", "block alice"])
def test_an_invitation_by_address_brings_nobody_else_along(table: Table, line: str) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob").forgets()
    dave = table.person("dave@example.net")
    alice.says("challenge bob dave@example.net -unrated").gets(1)
    bob.forgets().says(line).forgets()
    dave.says("yes").hears("will not take place")
    assert table.boards() == [1]
    alice.forgets().says("challenge bob erin@example.net").gets(1).hears("bob takes no")
    table.person("erin@example.net").hears_nothing()


def test_a_rematch_and_rounds_are_not_asked_about(table: Table) -> None:
    alice, (bob,) = table.joins("alice"), asking(table, "bob")
    alice.says("challenge bob -rounds=2").forgets()
    bob.says("yes").says("resign").says("resign 2").forgets()
    assert table.boards() == [1, 2]
    alice.forgets().says("rematch 2").gets(1).hears("A rematch of board 2")


def test_a_limit_counts_the_games_that_others_began(table: Table) -> None:
    alice, bob, carol = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    bob.says("limit 1").gets(1).hears(
        "- limit 1: a challenge is refused while 1 game that another has begun is going"
    )
    bob.says("challenge carol").forgets()
    alice.says("challenge bob -rounds=2").forgets()
    carol.forgets().says("challenge bob").gets(1).hears(
        "bob takes no further challenge at present: 1 game that others began is as many"
    )
    alice.says("resign 2").forgets()  # the second round counts as the first did
    carol.says("challenge bob").gets(1).hears("bob takes no further challenge")
    bob.forgets().says("challenge carol").gets(1).hears("bob v carol")  # one's own are not held up
    alice.says("resign 3").forgets()
    carol.forgets().says("challenge bob").gets(1).hears("carol v bob").says("challenge bob")
    bob.says("set limit none").hears("- limit none: challenges are taken however many games")
    carol.forgets().says("challenge bob").gets(1).hears("carol v bob")


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("stop", '"challenges off" keeps new games of others away'),
        ("No more challenges, please!", '"challenges off" keeps new games of others away'),
        ("How do I turn off challenges?", "- challenges on: a challenge of another player brings"),
    ],
)
def test_plain_words_are_told_of_it(table: Table, words: str, answer: str) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(words).gets(1).hears(answer)
    bob.hears_nothing()
