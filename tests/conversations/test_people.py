"""Who plays here, and how games went: `history`, `info`, `players`; nothing private among it."""

import pytest
from sqlalchemy import update

from pbm.play.actions import leave_board
from pbm.play.ratings import MOVES
from pbm.store.schema.games import ratings
from tests.conversations.playing import plays_on
from tests.table import SERVER, Person, Table


def over(
    table: Table, *handles: str, loser: str, how: str = "resigned", times: int = 1, moves: int = 2
) -> None:
    """Games that are over, without their mails."""
    for _ in range(times):
        table.begins(*handles)
        number = max(table.boards())
        plays_on(table, number, moves)
        player = table.player(loser)
        assert player is not None
        with table.database.transaction() as work:
            leave_board(work, work.boards.get(number), player, how, table.clock())


def have_places(table: Table) -> None:
    """Let all who have a rating be known well from many games."""
    with table.database.transaction() as work:
        work.execute(update(ratings).values(people_games=10, rival_id=None, sigma=3.0, wide=True))


def answer(person: Person, line: str) -> str:
    """What comes back for a line, as one line, from somebody's address without a proof."""
    person.writes(line).gets(1)
    text = " ".join(person.newest.text.split())
    person.forgets()
    return text


@pytest.fixture
def people(table: Table) -> list[Person]:
    return [table.joins(name) for name in ("alice", "bob", "carol")]


@pytest.mark.on_postgresql
def test_history(table: Table, people: list[Person]) -> None:
    alice, bob, _ = people
    assert "You have finished no game yet." in answer(alice, "history")
    over(table, "alice", "bob", loser="bob")
    over(table, "carol", "alice", loser="alice", how="forfeited")
    table.begins("alice", "carol")  # which goes on
    own = answer(alice, "history")
    assert "- Board 1, 2026-11-21: you won against bob, 1 move (#2). bob resigned." in own
    assert (
        "- Board 2, 2026-11-21: you lost against carol, 1 move (#2). alice ran out of time." in own
    )
    assert own.index("Board 2") < own.index("Board 1")
    assert "Board 3" not in own
    theirs = own.replace(": you ", ": alice ")
    assert answer(bob, "history alice") == theirs
    assert "carol has finished" not in answer(bob, "history carol")


@pytest.mark.on_postgresql
def test_two_with_each_other(table: Table, people: list[Person]) -> None:
    alice, _, carol = people
    over(table, "alice", "bob", loser="bob", times=2)
    over(table, "bob", "alice", loser="alice")
    over(table, "bob", "carol", loser="bob")
    table.begins("alice", "bob")
    found = answer(carol, "history alice bob")
    assert "alice won 2, bob 1." in found
    assert [number for number in range(1, 6) if f"Board {number}," in found] == [1, 2, 3]
    assert "You won 2, bob 1." in answer(alice, "history me bob")
    told = "alice and carol have finished no game with each other"
    assert told in answer(carol, "history alice carol")


def test_more_than_two_sides_have_places(table: Table, people: list[Person]) -> None:
    table.begins("alice", "bob", "carol")
    plays_on(table, 1, 2)
    with table.database.transaction() as work:
        for handle in ("bob", "alice"):
            player = table.player(handle)
            assert player is not None
            leave_board(work, work.boards.get(1), player, "resigned", table.clock())
    found = answer(people[0], "history bob")
    assert (
        "- Board 1, 2026-11-21: bob was 2nd of three against alice and carol, 1 move (#2)." in found
    )
    assert "Somebody else won 1." in answer(people[0], "history alice bob")


def test_a_long_history_comes_in_parts(table: Table, people: list[Person]) -> None:
    alice = people[0]
    over(table, "alice", "bob", loser="bob", times=22)
    first = answer(alice, "history")
    assert "Board 22," in first
    assert "Board 2," not in first
    assert 'For those before them send "history me -before=3".' in first
    rest = answer(alice, "history me -before=3")
    assert "Board 2," in rest
    assert "Board 1," in rest
    assert "For those before" not in rest
    both = answer(alice, "history alice bob")
    assert '"history alice bob -before=3"' in both
    assert "Board 2," in answer(alice, "history alice bob -before=3")


def test_info(table: Table, people: list[Person]) -> None:
    alice, bob, _ = people
    assert "Languages" not in answer(alice, "info bob")
    bob.says("set languages English and deutsch").hears(
        '"languages" is now set to "English, German".'
    )
    bob.says("vacation today 10d").forgets()
    over(table, "alice", "bob", loser="bob", how="forfeited")
    over(table, "alice", "bob", loser="alice", moves=2 * MOVES)
    have_places(table)
    table.begins("alice", "bob")
    found = answer(alice, "info bob")
    for told in (
        "bob has played here since 2026-11-21. bob is on vacation until 2026-11-30.",
        "Languages: English and German.",
        "Games in progress: 1. The newest 2 games finished, 1 lost on time.",
        "games of two players: 1",
        "(place 1)",
    ):
        assert told in found, found
    assert answer(bob, "info") == answer(bob, "info me") == answer(bob, "info bob")
    bob.says("set languages none")
    assert "Languages" not in answer(alice, "info bob")


def test_nothing_private_is_told(table: Table, people: list[Person]) -> None:
    alice, bob, _ = people
    bob.says("add secret@example.net").says("set timezone Europe/Berlin").forgets()
    over(table, "alice", "bob", loser="bob")
    for line in ("info bob", "players", "history bob", "standings", "history alice bob"):
        alice.writes(line)
        body = alice.newest.text.split("-- ")[0].replace(SERVER, "")
        shown = [word for word in ("bob@", "secret", "Berlin") if word in body]
        assert not shown, line
        alice.forgets()


@pytest.mark.on_postgresql
def test_players(table: Table, people: list[Person]) -> None:
    alice, bob, carol = people
    over(table, "alice", "bob", loser="bob", moves=2 * MOVES)
    bob.says("vacation today 3d").forgets()
    found = answer(alice, "players")
    assert "alice 2026-11-21 1605? +- " in found
    assert "away until 2026-11-23" in found
    assert answer(alice, "list") == answer(alice, "list abalone") == found
    assert answer(alice, "abalone list") == answer(alice, "list players") == found
    assert answer(alice, "list seeks") == answer(alice, "seeks")
    later = answer(alice, "players BO")
    assert "alice 2026" not in later
    assert later.index("bob 2026") < later.index("carol 2026")
    assert 'Nobody is called "x" or follows' in answer(alice, "players x")
    carol.says("delete").says("yes")
    assert "carol" not in answer(alice, "players").split("Player, here since")[1]


def test_many_players_come_in_parts(table: Table, people: list[Person]) -> None:
    with table.database.transaction() as work:
        for number in range(60):
            work.players.add(f"p{number:02}", f"p{number:02}@example.net", table.clock())
    found = answer(people[0], "players")
    assert "p26 2026" in found
    assert "p27 2026" not in found
    assert 'For those who follow send "players p27".' in found
    assert "p59 2026" in answer(people[0], "players p57")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("history zoe", "There is no player called zoe."),
        ("history alice bob carol", "Name one player for the games of that one, or two"),
        ("history 12", 'All moves of a board come with "show 12".'),
        ("info zoe", "There is no player called zoe."),
        ("info bo", "Did you mean"),
        ("standings chess", '"chess" is no game that is played here. It is abalone.'),
        ("players a b c", 'I could not read "b c" at the end of your line.'),
        ("set languages Klingon", 'I know no language "Klingon".'),
        ("set languages Germn", "Did you mean"),
        ("set languages en, de, fr, it, es, pt, nl", "You can name 6 languages at most."),
        ("set picture off please", 'I could not read "please" at the end of your line.'),
        ("set languages , and", 'I know no language ", and".'),
        ("info bob please", 'I could not read "please" at the end of your line.'),
    ],
)
def test_refusals(people: list[Person], line: str, told: str) -> None:
    people[0].says(line).gets(1)
    assert told in " ".join(people[0].newest.text.split())


def test_who_has_left(table: Table, people: list[Person]) -> None:
    """Nothing is told of them but the games of others."""
    alice, bob, _ = people
    over(table, "alice", "bob", loser="bob")
    bob.says("delete").says("yes")
    assert "bob has left this server." in answer(alice, "info bob")
    assert "you won against bob" in answer(alice, "history me bob")


def test_the_place_of_who_is_not_among_the_first(table: Table, people: list[Person]) -> None:
    with table.database.transaction() as work:
        for number in range(25):
            work.players.add(f"p{number:02}", f"p{number:02}@example.net", table.clock())
    for number in range(25):
        over(table, f"p{number:02}", "bob", loser="bob", moves=2 * MOVES)
    have_places(table)
    found = answer(people[1], "abalone ratings")
    assert "26 bob" in found
    assert "20 p" in found
    assert "21 p" not in found
    assert "bob" not in answer(people[0], "standings abalone").split("Place, player")[1]


@pytest.mark.usefixtures("people")
def test_a_stranger_learns_nothing(table: Table) -> None:
    over(table, "alice", "bob", loser="bob", moves=2 * MOVES)
    stranger = table.person("nosy@example.net")
    for line in ("info bob", "players", "history bob", "standings"):
        stranger.writes(line)
        assert "bob" not in stranger.newest.text
        assert "1605" not in stranger.newest.text


def test_all_show_is_show(table: Table, people: list[Person]) -> None:
    table.begins("alice", "bob")
    people[2].writes("all show alice active").hears("Abalone Board 1: alice v bob")
