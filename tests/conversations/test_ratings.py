"""Ratings: which games count, what they do, and how they are counted anew."""

import re

import pytest
from openskill.models import PlackettLuce
from sqlalchemy import delete, update

from pbm.events.board import RobotBeaten
from pbm.play.actions import leave_board
from pbm.play.ratings import MOVES, recount_from
from pbm.service.operator import boards
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.verify import verify
from pbm.service.ticks.expiry import AT_ONCE
from pbm.store.schema.games import ratings, results
from pbm.store.values.players import Pool
from tests.conversations.playing import board_mail, plays, plays_on, plays_silently
from tests.growth import asked
from tests.serving import tick_next
from tests.table import SERVER, Person, Table

MODEL = PlackettLuce()
RATE = MODEL.rate


def known(table: Table, pool: Pool = Pool.TWO) -> dict[str, float]:
    """The means of all who have a rating."""
    with table.database.reading() as work:
        handles = {player.id: player.handle for player in work.players.all()}
        known = work.ratings.current("abalone", pool, handles)
    return {handles[player_id]: rating.mu for player_id, rating in known.items()}


def resigns(person: Person, number: int) -> None:
    person.says("resign", answering=board_mail(person, number))


def a_game(table: Table, people: list[Person], number: int, loser: Person) -> None:
    """A short game that counts: everybody moves ten times, and one resigns."""
    gets_somewhere(table, people, number)
    resigns(loser, number)


def gets_somewhere(table: Table, people: list[Person], number: int) -> None:
    """Everybody moves ten times, for the first time by mail."""
    plays(table, people, number, plies=len(people))
    plays_on(table, number, MOVES * len(people) - len(people))


def quick_games(table: Table, loser: str, winner: str, times: int) -> None:
    """Games that count, without their mails."""
    first = max(table.boards(), default=0) + 1
    table.begins(loser, winner, times=times)
    player = table.player(loser)
    assert player is not None
    for number in range(first, first + times):
        plays_on(table, number, 2 * MOVES)
        with table.database.transaction() as work:
            leave_board(work, work.boards.get(number), player, "resigned", table.clock())


def problems(table: Table) -> list[str]:
    office = OperatorSession(table.database, table.site, table.clock, "operator")
    return [problem for verdict in verify(office) for problem in verdict.problems]


@pytest.mark.on_postgresql
def test_both_values_stand_in_the_last_mail(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    a_game(table, [alice, bob], 1, loser=bob)
    [[won], [lost]] = RATE([[MODEL.rating()], [MODEL.rating()]], ranks=[1, 2])
    assert known(table) == {"alice": won.mu, "bob": lost.mu}
    up, down = (round(1500 + 40 * (mu - 25)) for mu in (won.mu, lost.mu))
    off = round(40 * won.sigma)
    for person in (alice, bob):
        text = " ".join(board_mail(person, 1).text.split())
        assert f"Ratings: alice {up}? give or take {off} (a first game), bob" in text
        assert 'A "?" marks a rating based on few games' in text
    bob.says("rematch", answering=board_mail(bob, 1))
    a_game(table, [bob, alice], 2, loser=alice)
    text = " ".join(board_mail(bob, 2).text.split())
    assert f"(before {down}? give or take {off}), alice" in text
    assert not problems(table)


def test_standings(table: Table) -> None:
    """Ten games with two people bring a place; those of whom little is known stand apart."""
    alice, bob = table.start("alice", "bob")
    table.joins("carol")
    table.robots_join()
    alice.says("standings", to=SERVER).hears("That takes ten rated games against two different")
    quick_games(table, "alice", "pebble", 2)
    quick_games(table, "alice", "bob", 9)
    assert listed(alice) == []
    assert "(place" not in alice.says("info alice").hears("games of two players:").newest.text
    quick_games(table, "bob", "carol", 1)
    assert listed(alice) == ["bob"]
    quick_games(table, "alice", "carol", 1)
    alice.says("standings", to=SERVER).hears(
        "All have few games yet, or most of them in a small circle:"
    )
    assert listed(alice) == ["bob", "alice"]
    with table.database.transaction() as work:
        certain = update(ratings).where(ratings.c.player_id == 1)
        work.execute(certain.values(sigma=3.0, wide=True))
    alice.says("standings", to=SERVER).hears("1 alice", "These have few games yet, or most of")
    assert listed(alice) == ["alice", "bob"]
    bob.says("info alice").hears("12 games (place 1)")
    bob.says("info pebble").hears("Rating: 950. It was measured, and no game changes it.")
    bob.says("players").hears("950 measured")


def test_three_of_four_games_won_name_the_next_robot_once(table: Table) -> None:
    table.joins("alice")
    table.robots_join()
    told = []
    for number, loser in enumerate((*["pebble"] * 4, *["alice"] * 2, *["pebble"] * 3), 1):
        table.begins("alice", "pebble")
        plays_on(table, number, 2 * MOVES)
        player = table.player(loser)
        assert player is not None
        with table.database.transaction() as work:
            board = work.boards.get(number)
            events = leave_board(work, board, player, "resigned", table.clock())
            beaten = [item.next for item in events if isinstance(item, RobotBeaten)]
            told += [(number, work.players.get(robot).handle) for robot in beaten]
    assert told == [(3, "flint"), (9, "flint")]


@pytest.mark.parametrize(("sigma", "robot"), [(3.0, "cobble"), (14.0, "pebble")])
def test_play_offers_the_robot_that_fits_a_rating(table: Table, sigma: float, robot: str) -> None:
    alice, _ = table.start("alice", "bob")
    table.robots_join()
    quick_games(table, "alice", "bob", 1)
    with table.database.transaction() as work:
        work.execute(update(ratings).values(mu=26.0, sigma=sigma).where(ratings.c.player_id == 1))
    words = "a robot of about your strength" if robot == "cobble" else "that beginners can beat"
    alice.says("play").hears(f'answer with "challenge {robot}"', words)


def listed(person: Person) -> list[str]:
    """Who stands in the standings."""
    lines = person.says("standings", to=SERVER).newest.text.split("\n")
    handles = re.compile(r" *[0-9]* +([a-z]+) +[0-9]+[? ] \+- [0-9]+, [0-9]+ games?")
    return [found[1] for line in lines if (found := handles.fullmatch(line))]


def test_what_does_not_count(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob -unrated").hears("This game is not rated.")
    a_game(table, [alice, bob], 1, loser=bob)
    assert "nobody's rating" not in board_mail(alice, 1).text
    alice.says("challenge bob")
    resigns(bob, 2)  # who has not moved
    alice.says("rematch", answering=board_mail(alice, 1)).hears("This game is not rated.")
    assert known(table) == {}
    assert "Ratings:" not in board_mail(alice, 2).text
    assert not problems(table)


@pytest.mark.parametrize(
    ("plies", "scored", "counts"),
    [(19, False, False), (20, False, True), (9, True, False), (10, True, True)],
)
def test_a_game_that_got_somewhere(plies: int, scored: bool, counts: bool, table: Table) -> None:
    """Ten moves each, or five each and a marble that has fallen; before that nothing counts."""
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob -layout=alien")
    plays_silently(table, 1, ["g5-h6,h6"] if scored else [])
    plays_on(table, 1, plies - scored)
    alice.says("draw 1")
    bob.says("accept 1")
    assert bool(known(table)) is counts
    told = "This game changes no rating. A game counts if its own rules end it, or each side has"
    for person in (alice, bob):
        text = " ".join(person.newest.text.split())
        assert (told in text, "Ratings: " in text) == (not counts, counts)
    assert not problems(table)


@pytest.mark.on_postgresql
def test_a_board_that_goes_on_takes_its_rating_back(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    a_game(table, [alice, bob], 1, loser=bob)
    alice.says("challenge bob")
    a_game(table, [alice, bob], 2, loser=alice)
    carol = table.joins("carol")
    carol.says("challenge bob")
    a_game(table, [carol, bob], 3, loser=carol)
    before = known(table)
    office = OperatorSession(table.database, table.site, table.clock, "operator")
    boards.undo(office, 1, "a wrong click")
    table.days_pass(seconds=5)
    [[b1], [a1]] = RATE([[MODEL.rating()], [MODEL.rating()]], ranks=[1, 2])
    [[b2], [c1]] = RATE([[b1], [MODEL.rating()]], ranks=[1, 2])
    assert known(table) == pytest.approx({"alice": a1.mu, "bob": b2.mu, "carol": c1.mu}, abs=1e-3)
    assert known(table) != before
    assert not problems(table)
    plays(table, [alice, bob], 1, plies=1)
    resigns(bob, 1)
    assert known(table)["bob"] < b2.mu
    assert not problems(table)


def test_three_players_have_ratings_of_their_own(table: Table) -> None:
    people = [table.joins(name) for name in ("alice", "bob", "carol")]
    people[0].says("challenge me bob carol -bowl")
    gets_somewhere(table, people, 1)
    resigns(people[1], 1)
    resigns(people[0], 1)
    people[0].hears("Places: 1st carol, 2nd bob, 3rd alice.")  # by their last moves
    [[carol], [bob], [alice]] = RATE([[MODEL.rating()] for _ in range(3)], ranks=[1, 2, 3])
    expected = {"carol": carol.mu, "alice": alice.mu, "bob": bob.mu}
    assert known(table, Pool.MANY) == pytest.approx(expected)
    assert known(table) == {}


def test_partners_share_a_place(table: Table) -> None:
    people = [table.joins(name) for name in ("alice", "bob", "carol", "dave")]
    people[0].says("challenge alice+carol bob+dave")
    gets_somewhere(table, people, 1)
    resigns(people[1], 1)
    resigns(people[3], 1)
    found = known(table, Pool.TEAMS)
    assert found["alice"] == found["carol"] > found["bob"] == found["dave"]


def test_a_partner_moves_for_nobody_who_has_not_moved(table: Table) -> None:
    people = [table.joins(name) for name in ("alice", "bob", "carol", "dave")]
    people[0].says("challenge alice+carol bob+dave")
    plays(table, people, 1, plies=2)
    resigns(people[2], 1)
    plays_on(table, 1, MOVES * 4)  # alice for carol, and the others
    assert all(seat.last_ply for seat in table.board(1).seats)
    resigns(people[0], 1)
    assert known(table, Pool.TEAMS) == {}
    assert "Ratings:" not in board_mail(people[0], 1).text
    assert not problems(table)


def test_the_uncertainty_grows_without_play(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    a_game(table, [alice, bob], 1, loser=bob)

    def off() -> int:
        alice.says("info alice", to=SERVER)
        line = next(line for line in alice.newest.text.split("\n") if "+-" in line)
        return int(line.split("+-")[1].split(",")[0])

    before = off()
    table.days_pass(120)
    assert off() > before
    table.days_pass(4000)
    assert off() == round(40 * 25 / 3)


@pytest.mark.parametrize(
    ("winners", "counts"), [(None, False), ((), True), (("alice",), True)], ids=str
)
def test_what_the_operator_ends(
    table: Table, winners: tuple[str, ...] | None, counts: bool
) -> None:
    """A decision is a result; a board that is closed has none."""
    alice, bob = table.start("alice", "bob")
    gets_somewhere(table, [alice, bob], 1)
    office = OperatorSession(table.database, table.site, table.clock, "operator")
    boards.end(office, 1, "a long silence", winners)
    assert bool(known(table)) is counts
    assert not problems(table)


@pytest.mark.parametrize(
    ("begun", "agreed"),
    [("challenge bob -unrated -rounds=2", False), ("challenge dan@example.net -unrated", True)],
)
def test_unrated_stays_so(table: Table, begun: str, agreed: bool) -> None:
    """In the next round of a match, and where somebody was invited."""
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says(begun)
    if agreed:
        bob = table.person("dan@example.net").says("yes")
    a_game(table, [alice, bob], 1, loser=bob)
    number = max(table.boards())
    assert not table.board(number).rated
    assert known(table) == {}


def test_a_recount_goes_in_pieces(table: Table) -> None:
    """However many boards there are, each piece asks for as much."""
    table.joins("alice")
    table.joins("bob")
    quick_games(table, "alice", "bob", 2 * AT_ONCE + 2)
    before = known(table)
    with table.database.transaction() as work:
        work.execute(delete(results).where(results.c.rated_id > 1))
        work.execute(update(ratings).values(mu=20.0))
        recount_from(work, 1, table.clock())
    asked_for = []
    while (due_at := table.ticks.next_due_at()) and table.rows("facts"):
        table.clock.time = max(due_at, table.clock.time)
        with asked(table) as statements:
            assert tick_next(table.ticks)
        asked_for.append(len(statements))
    assert len(asked_for) == 3
    assert max(asked_for) <= 10 * AT_ONCE
    assert known(table) == before
    assert not problems(table)


def test_verify_tells_what_does_not_follow_from_the_boards(table: Table) -> None:
    table.joins("alice")
    table.joins("bob")
    quick_games(table, "alice", "bob", 2)
    with table.database.transaction() as work:
        work.execute(update(ratings).values(mu=20.0).where(ratings.c.player_id == 1))
    assert problems(table) == ["in the standings alice stands otherwise than the last game says"]
    with table.database.transaction() as work:
        work.execute(update(results).values(mu=21.0).where(results.c.rated_id == 2))
    assert "what it did to the ratings of its players is not what its result makes of it" in (
        problems(table)
    )


def test_who_has_left_stands_nowhere(table: Table) -> None:
    """Their games count for the others as ever, also when all is counted anew."""
    alice, bob = table.joins("alice"), table.joins("bob")
    table.joins("carol")
    quick_games(table, "alice", "bob", 2)
    quick_games(table, "bob", "carol", 1)
    alice.says("delete").says("yes")
    kept = {handle: mu for handle, mu in known(table).items() if handle != "alice"}
    assert kept == known(table)
    with table.database.transaction() as work:
        recount_from(work, 1, table.clock())
    table.days_pass(seconds=5)
    assert known(table) == kept
    assert not problems(table)
    bob.says("standings", to=SERVER)
    assert "alice" not in bob.newest.text


def test_a_game_that_is_not_installed_keeps_its_ratings(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.joins("alice")
    table.joins("bob")
    quick_games(table, "alice", "bob", 1)
    before = known(table)
    with table.database.transaction() as work:
        recount_from(work, 1, table.clock())
    with monkeypatch.context() as patch:
        patch.setattr("pbm.store.values.boards.games", dict)
        table.days_pass(seconds=5)
    assert known(table) == before
    assert not [row for row in table.rows("due") if row["kind"] == "ratings"]
