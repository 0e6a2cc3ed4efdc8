"""Seats that change hands: who is asked, what becomes of clocks, plans, mails and ratings."""

import pytest

from pbm.service.operator import boards
from pbm.service.operator.operator_session import OperatorSession
from pbm.store.values.players import Pool
from tests.conversations.playing import board_mail, handle, plays, plays_on, plays_silently
from tests.conversations.test_ratings import known, problems
from tests.table import Person, Table

FIRST, REPLY, SECOND = "a1-c3,b2", "i5-g5,h5", "a2-c4,b3"
# After these bob, who has moved five times, has lost a marble.
LOSING = (
    "g7,f7 b2-d4,c2 g5-g6,g6 a4-c4,b4 h7-g6,g6 a2-b3,b2 h5,g5 c4-e4,d4 g7-g5,g6 d4-f4,e4".split()
)


@pytest.fixture
def people(table: Table) -> list[Person]:
    """On board 1 it is bob's move; dora and erna have no board."""
    alice, bob = table.start("alice", "bob")
    found = [alice, bob, table.joins("dora"), table.joins("erna")]
    alice.says(FIRST)
    return forgotten(found)


def forgotten(people: list[Person]) -> list[Person]:
    for person in people:
        person.forgets()
    return people


def seated(table: Table, number: int = 1) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


def hands_over(person: Person, guest: Person, *others: Person, number: int = 1) -> None:
    person.says(f"substitute {number} {handle(guest)}")
    for other in others:
        other.says(f"accept substitute {number}")
    guest.says("yes", answering=guest.mail("Please confirm: play on for"))


@pytest.mark.on_postgresql
def test_everybody_agrees(table: Table, people: list[Person]) -> None:
    alice, bob, dora, _ = people
    bob.says(f"{REPLY}\n\nif {SECOND} then i6-g6,h6")
    old = bob.newest
    alice.says("draw")
    table.days_pass(5)
    forgotten(people)
    bob.says("Which colour am I?").hears("Not sent to alice.").forgets()
    bob.says("substitute dora").gets(1).hears(
        "You asked that dora plays on in your place. dora and everybody here has to agree.",
        "If you are behind in score when dora takes over, the game counts as lost for you",
        "The substitute that you asked for waits for alice and dora.",
    )
    alice.gets(1).hears("bob asks for a substitute", '"accept substitute" or "reject substitute"')
    dora.gets(1).hears("bob asks you to play on in bob's place on board 1. Reply yes")
    alice.says("yes").gets(1).hears("You agreed to the substitute that bob asked for.")
    assert seated(table) == ["alice", "bob"]
    dora.says("Yes, gladly!")
    assert seated(table) == ["alice", "dora"]
    told = "From here on dora plays in the place of bob"
    dora.gets(1).hears("From here on you play in the place of bob", "it was bob who played in")
    alice.hears(
        "Your move on board 1, by Sat 12 December", told, "The draw that you offered is off"
    )
    bob.hears(told, "Your plan has ended, since a place changed hands.", "| if a2-c4,b3 then")
    assert "again" not in bob.newest.text
    assert not table.rows("plans")
    for said in ("resign", "i6-g6,h6", "send"):
        bob.forgets().says(said, answering=old).gets(1).hears("You do not play on board 1")
    alice.says(SECOND)
    bob.hears_nothing()
    dora.hears(f"alice played {SECOND}.").says("i6-g6,h6")
    assert table.moves(1) == [FIRST, REPLY, SECOND, "i6-g6,h6"]
    dora.says("show 1").hears(
        "Up to move 1 (#2) it was bob who played in the place that is now dora's."
    )
    assert '[Substitutes "seat 2: bob to ply 2"]' in alice.says("export 1 -apgn").newest.text
    assert not problems(table)


WHO_CANNOT = """
bob: substitute -> substitute [board] handle
bob: substitute 1 nobody -> There is no player called nobody
bob: substitute dora@example.org -> substitute [board] handle
bob: substitute 1 alice -> alice plays on board 1 already
bob: substitute 1 bob -> bob plays on board 1 already
bob: substitute 1 pebble -> pebble is a robot, and robots take nobody's place
bob: accept substitute -> There is no wish for a substitute on board 1
dora: challenges off ->
bob: substitute 1 dora -> dora takes no challenges at present
dora: challenges on ->
dora: block bob ->
bob: substitute 1 dora -> dora takes no challenges from you
dora: unblock bob ->
bob: block dora ->
bob: substitute 1 dora -> You have blocked dora
bob: unblock dora ->
alice: block dora ->
bob: substitute 1 dora -> dora cannot play on board 1 with those who play there
alice: unblock dora ->
dora: substitute 1 erna -> You do not play on board 1
bob: substitute 1 dora -> You asked that dora plays on
bob: substitute 1 erna -> You have asked for a substitute on board 1 already. It waits for
erna: accept substitute 1 -> You do not play on board 1
bob: reject substitute -> You withdrew the request for a substitute
bob: substitute 1 dora ->
bob: reject substitute ->
bob: substitute 1 dora ->
bob: reject substitute ->
bob: substitute 1 dora -> We have asked dora 3 times within a day for you
bob: substitute 1 erna ->
bob: reject substitute ->
bob: substitute 1 erna ->
bob: reject substitute ->
bob: substitute 1 erna -> This can be sent 5 times in 24 hours
bob: resign 1 ->
alice: substitute 1 erna -> Board 1 is over
"""


def test_who_cannot(table: Table, people: list[Person]) -> None:
    table.robots_join()
    by_name = {handle(person): person for person in people}
    for row in WHO_CANNOT.strip().splitlines():
        step, _, told = row.partition("->")
        name, _, words = step.partition(": ")
        sits = by_name[name] in people[:2]
        mail = board_mail(by_name[name], 1) if sits else by_name[name].newest
        by_name[name].forgets().says(words.strip(), answering=mail)
        if told.strip():
            by_name[name].hears(told.strip())
    assert seated(table) == ["alice", "bob"]


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        (["dora: no"], "dora said no to the substitute that you asked for. The game goes on."),
        (["alice: reject substitute"], "alice said no to the substitute that you asked for."),
        (["bob: reject substitute"], "You withdrew the request for a substitute."),
        (["alice: yes", "dora: challenges off", "dora: yes"], "dora cannot play on for you."),
        (["days: 8"], "dora has not answered, so nobody plays on for you."),
    ],
)
def test_it_comes_to_nothing(
    steps: list[str], told: str, table: Table, people: list[Person]
) -> None:
    alice, bob, dora, erna = people
    bob.says(REPLY)
    alice.says(SECOND)
    bob.says("substitute dora")
    by_name = {handle(person): person for person in people}
    asked = {"dora": dora.newest, "alice": alice.newest, "bob": bob.newest}
    for step in steps:
        name, _, words = step.partition(": ")
        if name == "days":
            table.days_pass(float(words))
        else:
            by_name[name].says(words, answering=asked[name])
    bob.hears(told)
    assert seated(table) == ["alice", "bob"]
    assert not table.board(1).open_offers
    dora.forgets().says("yes", answering=asked["dora"]).gets(1)
    assert seated(table) == ["alice", "bob"]
    hands_over(bob, erna, alice)
    assert seated(table) == ["alice", "erna"]


def test_the_guest_hears_what_an_answer_does(people: list[Person]) -> None:
    alice, bob, dora, _ = people
    bob.says("substitute dora")
    dora.says("accept substitute").gets(2).hears(
        "You agreed to play on for bob on board 1. alice has"
    )
    bob.hears("dora agreed to the substitute that you asked for.")
    alice.says("yes")
    dora.gets(1).hears("Your move on board 1")
    forgotten(people)
    dora.says("substitute 1 erna")
    alice.says("yes")
    people[3].says("no").gets(2).hears("You do not play on for dora on board 1.")
    dora.says("show 1").hears("Up to move 1 (#1) it was bob who")
    alice.says("takeback 1")
    dora.says("accept takeback 1")
    alice.says(SECOND, answering=board_mail(alice, 1)).hears("Before the first move it was bob")


def test_a_player_with_several_seats_hands_over_all(table: Table, people: list[Person]) -> None:
    alice, _, dora, _ = people
    with table.database.transaction() as work:
        work.boards.set_seat(table.board(1), 2, player_id=table.board(1).seats[0].player_id)
        work.boards.change(1, to_move_id=table.board(1).seats[0].player_id)
    alice.says("substitute 1 dora")
    dora.says("yes")
    assert seated(table) == ["dora", "dora"]


def test_the_clock_begins_anew(table: Table) -> None:
    alice, bob = people = [table.joins("alice"), table.joins("bob")]
    dora = table.joins("dora")
    alice.says("challenge bob -bank=10d+1d")
    plays(table, people, plies=4)
    table.days_pass(8)
    alice.says("vacation", answering=board_mail(alice, 1))
    hands_over(alice, dora, bob)
    dora.hears("dora: 10 days")
    board = table.board(1)
    assert (board.seats[0].used, board.seats[0].banked) == (0, None)
    assert board.waits_since == table.clock()
    table.days_pass(9)
    assert table.board(1).playing


@pytest.mark.parametrize("behind", [True, False])
@pytest.mark.parametrize("by_operator", [True, False])
def test_two_players(behind: bool, by_operator: bool, table: Table, people: list[Person]) -> None:
    """Behind: a loss, however the game ends. Otherwise the game counts for nobody."""
    alice, bob, dora, _ = people
    if behind:
        plays_silently(table, 1, LOSING)
    else:
        plays_on(table, 1, 25)
    if by_operator:
        office = OperatorSession(table.database, table.site, table.clock, "operator")
        boards.replace(office, 1, "bob", "dora", "He is ill.")
    else:
        hands_over(bob, dora, alice)
    assert seated(table) == ["alice", "dora"]
    alice.says("resign 1")
    rated = known(table)
    assert set(rated) == ({"alice", "bob"} if behind else set())
    text = " ".join(dora.newest.text.split())
    if behind:
        assert rated["alice"] > 25 > rated["bob"]
        assert "bob" in text.partition("Ratings: alice")[2]
    else:
        assert "This game changes no rating, since a place changed hands." in text
    bob.says("history").hears("Board 1", "you handed over a place against alice")
    dora.says("history").hears("Board 1", "you won against alice")
    assert not problems(table)


@pytest.mark.parametrize(("teams", "rated"), [(False, {"alice", "bob"}), (True, set())])
def test_more_players(teams: bool, rated: set[str], table: Table) -> None:
    """A seat that is not behind is left out; in teams nobody is compared."""
    alice, bob, carol, dave, dora = (
        table.joins(name) for name in ("alice", "bob", "carol", "dave", "dora")
    )
    seats = 4 if teams else 3
    alice.says("challenge alice+carol bob+dave" if teams else "challenge bob carol")
    plays_on(table, 1, 10 * seats)
    hands_over(carol, dora, alice, bob, *([dave] if teams else []))
    assert "dora" in seated(table)
    alice.says("resign 1")
    dora.says("resign 1")
    assert not table.board(1).playing
    assert set(known(table, Pool.TEAMS if teams else Pool.MANY)) == rated
    assert not problems(table)


def test_an_absence_is_not_used_up_on_a_seat_taken_over(table: Table) -> None:
    """Who lets a puppet's lost game run out first still loses rating by an own one."""
    alice, bob, dora = (table.joins(name) for name in ("alice", "bob", "dora"))
    alice.says("challenge bob")
    alice.says("challenge dora")
    for number in (1, 2):
        plays_on(table, number, 23)
    hands_over(bob, dora, alice)
    table.days_pass(30)
    assert not table.board(1).playing
    assert not table.board(2).playing
    assert set(known(table)) == {"alice", "dora"}
    assert not any(item.spared for item in table.departures(2))
    assert not problems(table)


@pytest.mark.parametrize(
    "words", ["can dora take over my seat?", "Kann dora hier übernehmen?", "dora could replace me."]
)
def test_plain_words_are_asked_about(words: str, table: Table, people: list[Person]) -> None:
    alice, bob, dora, _ = people
    bob.says(words, answering=board_mail(bob, 1)).gets(1).hears(
        "Do you want to ask everybody on board 1 that dora plays on for you?"
    )
    alice.hears_nothing()
    bob.says("yes").hears("You asked that dora plays on in your place.")
    dora.hears("bob asks you to play on")
    assert table.board(1).open_offers


@pytest.mark.parametrize(
    ("guests", "others"),
    [
        ("Yes, I'd be happy to take over!", "Yes, fine with me."),
        ("Gern, ich springe ein.", "ja gern"),
        ("Oui, je prends sa place", "d'accord"),
        ("Va bene, subentro io", "sì"),
    ],
)
def test_how_people_agree(guests: str, others: str, table: Table, people: list[Person]) -> None:
    alice, bob, dora, _ = people
    bob.says("substitute dora")
    dora.says("Hm, who is winning there?").hears("play on for somebody on board 1")
    dora.says(guests, answering=dora.mail("Please confirm: play on"))
    alice.says(others, answering=board_mail(alice, 1))
    assert seated(table) == ["alice", "dora"]
