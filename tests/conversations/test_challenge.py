"""A challenge starts a board at once, and everybody gets it."""

import pytest

from pbm.play.limits import SENT
from pbm.rules.abalone import BOARDS
from tests.table import Table

NAMES = ("alice", "bob", "carol", "dave", "erin", "frank", "grace")

BY_ADDRESS = 'A mail address can be challenged, too: "challenge friend@example.org".'


def seats(table: Table, number: int = 1) -> list[str]:
    return [seat.handle for seat in table.board(number).seats]


@pytest.mark.on_postgresql
def test_one_name_sits_opposite_and_the_challenger_begins(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob\nGood luck!").gets(1)
    alice.hears(
        "Abalone Board 1: alice v bob",
        "Your move on board 1.",
        "A new game: alice and bob, on the standard board. alice begins.",
        "| Good luck!",
        "You are o (top). Scores: you 0, bob 0; to win, push six off.",
        "To move, send a line such as a1-c3,b2 or",
    )
    bob.gets(1).hears(
        "alice's move on board 1; nothing to do.",
        "| Good luck!",
        "You are x (bottom).",
        'Before your first move you can still leave: answer "decline".',
    )
    assert "To move" not in bob.newest.text
    assert seats(table) == ["alice", "bob"]
    assert table.board(1).options["layout"] == "standard"


def test_the_order_of_the_names_is_the_seating(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in NAMES[:3])
    alice.says("challenge carol me bob").gets(1).hears("carol's move on board 1")
    assert seats(table) == ["carol", "alice", "bob"]
    carol.gets(1).hears("Abalone Board 1: carol, alice +1", "Your move on board 1.", "You are 1")
    bob.gets(1).hears("You are 3")
    alice.says("CHALLENGE Bob ALICE", subject="x").gets(1).hears("bob's move on board 2")
    assert seats(table, 2) == ["bob", "alice"]


@pytest.mark.parametrize("board", ["standard", "bowl"])
def test_from_two_to_six_play_on_both_boards(board: str, table: Table) -> None:
    people = [table.joins(name) for name in NAMES[:6]]
    for players in BOARDS[board]:
        named = " ".join(NAMES[:players])
        people[0].writes(f"challenge {named}{' -bowl' if board == 'bowl' else ''}")
        people[0].says("yes")
        for person in people[1:players]:
            person.says(f"Let us play, says {person.address}.")
        number = table.boards()[-1]
        stored = table.board(number)
        assert (stored.options["layout"], len(stored.seats)) == (board, players)
        for person in people[:players]:
            person.hears(f"{board} board", f"Board {number}:")
    assert len(table.boards()) == 5


@pytest.mark.parametrize(
    "line",
    [
        "challenge -bowl bob",
        "challenge bob -bowl",
        "challenge bob --bowl",
        "challenge –bowl bob",
        "challenge —bowl bob",
        "chall bob -BOWL",
        "challange bob -bowl",
        "abalone challenge me bob -bowl",
        "pbm abalone chall alice -bowl bob",
        "  Challenge   bob\u00a0-bowl ",
        "challenge bob bob@example.org"[:13] + " ** -bowl",
    ],
)
def test_options_stand_anywhere_and_short_forms_count(line: str, table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says(line).gets(1)
    bob.gets(1)
    assert (table.board(1).options["layout"], seats(table)) == ("bowl", ["alice", "bob"])


@pytest.mark.parametrize(
    ("line", "sentences"),
    [
        (
            "challenge -seats=bob,carol",
            [
                "You are not among these players yourself.",
                'For example: "challenge me bob carol"',
            ],
        ),
        ("challenge bob -seats=carol,me", ["The seats in -seats= do not fit the rest"]),
        ("challenge bob carol -seats=bob,me", ["-seats= do not fit", "-seats=carol,me,bob"]),
        ("challenge bob -seats=me,bob,bob", ["A game needs two different players or more."]),
        ("challenge bob -seats", ["The option -seats needs a value", "-seats=handle,..."]),
        ("challenge bob -seats=", ["The option -seats needs a value"]),
        ("challenge -seats=,", ["Something is missing: the handle,..."]),
        ("challenge -seats=me,b!b", ['"b!b" is not a player\'s handle']),
        ("challenge -random -seats=bob,me", ["With -random lots are drawn", "Leave out one"]),
        (
            "challenge me+carol bob+dave -seats=me,carol,bob,dave",
            ["The seats in -seats= do not fit the rest of the line."],
        ),
        ("challenge bob carol -layout=german", ["for 2 players. With you they are 3 players."]),
        ("challenge bob carol dave erin -teams", ["for 4 players. With you they are 5 players."]),
        ("challenge me vs bob and carol", ['two teams of two: "challenge me+alice bob+carol".']),
        (
            "challenge me and d@example.net vs bob and carol",
            ['"d@example.net" is a mail address', "Invite with -teams"],
        ),
        ("challenge +bob", ['"+" is not a player\'s handle']),
        ("challenge and with", ["Something is missing: the handle."]),
        (
            "challenge bob -wide",
            ["This command has no option -wide.", '"help challenge" says how to write it.'],
        ),
        ("challenge bob -layout=daisy", ['There is no board called "daisy".', "korean_daisy"]),
        ("challenge bob -board=daisy", ["This command has no option -board=."]),
        ("challenge bob -layout german", ["The option -layout needs a value", "-layout=name"]),
        ("challenge bob -layout= german", ["The option -layout needs a value"]),
        ("challenge bob -bowl -layout=german", ["from the bowl or from the german board"]),
        ("challenge me bob carol -layout=german", ["The german board is for 2", "3 players"]),
        ("challenge bob -teams", ["A game in teams is for 4 players."]),
        ("challenge bob -rounds=1", ['"1" is not a number of rounds; a match has 2 to 20.']),
        ("challenge bob -rounds=many", ['"many" is not a number of rounds']),
        ("challenge alice+carol bob", ["Partners are written with a + between them"]),
        ("challenge me+ bob+carol", ["there are two teams of two"]),
        ("challenge me+bob carol+", ['"+" is not a player\'s handle']),
        ("challenge alice+bob+carol dave", ["there are two teams of two"]),
        ("challenge bob -bowl=3", ["This command has no option -bowl=."]),
        ("challenge nobody1", ["There is no player called nobody1.", BY_ADDRESS]),
        ("challenge me bob carol nobody1", ["There is no player called nobody1.", BY_ADDRESS]),
        ("challenge bob me bob", ["A game needs two different players or more."]),
        ("challenge me", ["You cannot challenge yourself: name somebody else."]),
        ("challenge alice", ["You cannot challenge yourself: name somebody else."]),
        ("challenge me alice bob", ["A game needs two different players or more."]),
        ("challenge me " + " ".join(NAMES[1:]), ["At most 6 can play on one board."]),
        ("challenge", ["Something is missing: the handle."]),
        ("challenge bob!", ['"bob!" is not a player\'s handle']),
        ("challenge bob@", ['"bob@" is not a mail address I can use.']),
        ("challenge pbm@games.example", ["Nobody plays from pbm@games.example", "or of this one"]),
        ("challenge fan@Games.Example", ["We ask nobody at the domain of this server itself"]),
    ],
)
def test_what_cannot_be_started_says_why(line: str, sentences: list[str], table: Table) -> None:
    people = [table.joins(name) for name in NAMES]
    people[0].says(f"{line}\n\nHave fun!").gets(1)
    people[0].hears(f"| {line}", *sentences, "Nothing has changed.", "| Have fun!")
    assert not table.boards()
    for person in people[1:]:
        person.hears_nothing()


def test_the_comment_in_a_mail_with_the_command_as_subject(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.writes("Fwd: [club] challenge bob", "Shall we?\nI am alice.")
    assert not table.boards()
    alice.says("yes")
    bob.hears("alice writes:", "| Shall we?\n| I am alice.")


def test_somebody_suspended_cannot_be_challenged(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    with table.database.transaction() as work:
        player = work.players.by_handle("bob")
        assert player is not None
        work.players.change(player.id, status="suspended")
    alice.says("challenge bob").hears("bob cannot play at present.")
    bob.hears_nothing()
    assert not table.boards()


def test_boards_are_numbered_on_and_stand_side_by_side(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("challenge alice").gets(1).hears("Abalone Board 2: bob v alice")
    alice.says("c3,d3", answering=alice.mail("Abalone Board 1")).hears("bob's move on board 1")
    assert (table.moves(1), table.moves(2)) == (["c3,d3"], [])


def test_commas_and_a_leading_at_sign_are_read_over(table: Table) -> None:
    for handle in ("alice", "bob", "carol"):
        table.joins(handle)
    alice = table.joins("dora").forgets()
    alice.says("challenge me, @bob, carol").hears("A new game: dora, bob and carol")


@pytest.mark.parametrize(
    ("line", "seated"),
    [
        ("challenge carol bob", "alice carol bob"),
        ("challenge bob, carol", "alice bob carol"),
        ("challenge bob,carol", "alice bob carol"),
        ("challenge bob and carol", "alice bob carol"),
        ("challenge bob & carol", "alice bob carol"),
        ("challenge bob&carol.", "alice bob carol"),
        ("challenge bob vs carol", "alice bob carol"),
        ("Challenge Bob, Carol and Dave.", "alice bob carol dave"),
        ("challenge with bob and with carol", "alice bob carol"),
        ("challenge bob, carol, me and dave", "bob carol alice dave"),
        ("challenge me, bob, carol and dave", "alice bob carol dave"),
        ("challenge me vs. bob", "alice bob"),
        ("challenge bob v me", "bob alice"),
        ("challenge carol bob -seats=carol,me,bob", "carol alice bob"),
        ("challenge -seats=carol,me,bob", "carol alice bob"),
        ("challenge -seats=carol, me, bob", "carol alice bob"),
        ("challenge bob -seats=bob,alice", "bob alice"),
        ("challenge -seats=Bob,@carol,ME -bowl", "bob carol alice"),
        ("challenge bob+dave me+carol", "bob alice dave carol"),
        ("challenge bob + dave vs me + carol", "bob alice dave carol"),
        ("challenge bob and me vs carol and dave", "bob carol alice dave"),
        ("challenge bob+me carol+dave -seats=carol,bob,dave,me", "carol bob dave alice"),
        ("challenge -seats=carol+dave,bob+me", "carol bob dave alice"),
        ("challenge -teams bob carol dave", "alice bob carol dave"),
    ],
)
def test_who_plays_is_read_as_people_write_it(line: str, seated: str, table: Table) -> None:
    alice, *others = [table.joins(name) for name in NAMES[:4]]
    alice.says(line).gets(1).hears("A new game: ")
    assert seats(table) == seated.split()
    in_teams = "+" in line or "-teams" in line or " and me vs" in line
    assert table.board(1).options.get("teams", False) == in_teams
    unsaid = "You named only the others, so the first seat is yours"
    told = len(seated.split()) > 2 and "me" not in line.lower()
    assert (unsaid in " ".join(alice.newest.text.split())) == told
    for other in others:
        assert "You named" not in "".join(mail.text for mail in other.arrived)


def test_what_the_mail_offers_as_another_order_is_one(table: Table) -> None:
    alice, *_ = [table.joins(name) for name in NAMES[:4]]
    alice.says("challenge carol dave bob").gets(1)
    told = " ".join(alice.newest.text.split())
    line = told.partition('for another order send "')[2].partition('"')[0]
    assert line == "challenge -seats=carol,me,dave,bob"
    alice.says(line)
    assert seats(table, 2) == ["carol", "alice", "dave", "bob"]


def test_who_is_invited_may_be_named_by_seat(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge -seats=bob,d@example.net,me").gets(1).hears("We have asked d@example.net")
    alice.says("challenge bob e@example.net").gets(1).hears("the first seat will be yours")
    for number, name in enumerate("de", start=1):
        guest = table.person(f"{name}@example.net")
        guest.says(f"{name}{name}", answering=guest.newest).says("yes")
        assert table.boards() == list(range(1, number + 1))
    assert [seats(table, number) for number in (1, 2)] == [
        ["bob", "dd", "alice"],
        ["alice", "bob", "ee"],
    ]
    bob.forgets()


def test_an_unproven_challenge_is_asked_about_with_its_seats(table: Table) -> None:
    alice, *_ = [table.joins(name) for name in NAMES[:3]]
    alice.writes("challenge -seats=carol, me, bob").hears(
        'Did you send "challenge carol alice bob"?'
    )
    alice.says("yes")
    # On PostgreSQL a board that was only tried has used up a number.
    assert seats(table, table.boards()[-1]) == ["carol", "alice", "bob"]
    alice.forgets().writes("challenge carol and bob").hears(
        'Did you send "challenge alice carol bob"?'
    )


def test_an_example_is_not_said_to_be_meant(table: Table) -> None:
    alice = table.joins("alice").forgets()
    alice.says("challenge bob -bowel").hears('For example: "challenge bob".')
    assert "Perhaps you meant" not in alice.newest.text


def test_who_fills_a_readers_mails_keeps_nobody_else_from_a_challenge(table: Table) -> None:
    alice, bob, carol = (table.joins(name) for name in NAMES[:3])
    player = table.player("bob")
    assert player is not None
    with table.database.transaction() as work:
        while SENT.take(work, table.clock(), player.id):
            pass
    for number in (1, 2):
        alice.says("challenge bob").hears(f"Board {number}: alice v bob")
    alice.says("challenge bob").hears("bob has had many mails from other players lately")
    carol.says("challenge bob").hears("carol v bob")
    bob.hears("carol v bob")
