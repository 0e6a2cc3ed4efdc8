"""Ratings that cannot be made: by puppets, by robots, by games of two plies, by being away."""

from itertools import pairwise
from random import Random
from traceback import extract_stack

import pytest

from pbm.play.advance import advance
from pbm.play.boards import close_board
from pbm.play.ratings import MOVES, PROVISIONAL, measured
from pbm.rules.registry import default_game
from tests.conversations.playing import plays_on, plays_silently
from tests.conversations.test_ratings import MODEL, RATE, known, problems, quick_games
from tests.table import SERVER, Person, Table

FRESH = MODEL.rating().mu


def numbers(table: Table) -> dict[str, int]:
    """The ratings as people see them."""
    return {handle: round(1500 + 40 * (mu - FRESH)) for handle, mu in known(table).items()}


@pytest.mark.thorough
def test_thirty_puppets_that_resign_after_one_move(table: Table) -> None:
    alice = table.joins("alice")
    for number in range(1, 31):
        table.clock.passes(minutes=5)  # so many do not sign up at once
        puppet = table.joins(f"puppet{number}")
        table.begins("alice", f"puppet{number}")
        plays_on(table, number, 2)
        puppet.says(f"resign {number}").hears("This game changes no rating")
    assert known(table) == {}
    alice.says("standings", to=SERVER).hears("Nobody stands in the standings")


@pytest.mark.thorough
def test_what_runs_out_after_two_plies_counts_for_nobody(table: Table) -> None:
    table.joins("alice")
    for number in range(1, 15):
        table.clock.passes(minutes=10)  # so many do not sign up at once
        table.joins(f"puppet{number}")
        table.begins(f"puppet{number}", "alice")
        plays_on(table, number, 2)
    table.days_pass(40)
    assert not any(table.board(number).playing for number in range(1, 15))
    assert {item.how for number in range(1, 15) for item in table.departures(number)} == {
        "forfeited"
    }
    assert known(table) == {}


def test_games_with_one_player_count_less_and_less(table: Table) -> None:
    """Thirty of them within a month bring what three do, and the next month it begins again."""
    table.joins("alice")
    bob = table.joins("bob")
    quick_games(table, "bob", "alice", 2)
    two = known(table)["alice"] - FRESH
    quick_games(table, "bob", "alice", 28)
    thirty = known(table)["alice"] - FRESH
    assert two < thirty < 1.5 * two
    plays_on(table, begun(table, "bob", "alice"), 2 * MOVES)
    resigns_lately(bob, 31)
    bob.hears(
        "It counted less, as the third and further games with the same player within 30 days do."
    )
    assert not problems(table)
    before = known(table)["alice"]
    quick_games(table, "alice", "bob", 1)  # the other way round it counts as little
    assert known(table)["alice"] == pytest.approx(before)
    table.clock.passes(days=31)
    quick_games(table, "bob", "alice", 1)
    assert known(table)["alice"] > before + 0.05 * two
    assert not problems(table)


def test_draws_with_one_player_count_less_and_less(table: Table) -> None:
    """However many there are, they make nobody more certain than three games do."""
    table.joins("alice")
    table.joins("bob")
    sigmas = []
    for _ in range(8):
        quick_draw(table, "alice", "bob")
        sigmas.append(table.rows("ratings")[0]["sigma"])
    steps = [before - after for before, after in pairwise(sigmas)]
    assert steps[1] < 0.6 * steps[0]
    assert all(later < 0.55 * former for former, later in pairwise(steps[1:]))
    assert not problems(table)


@pytest.mark.thorough
def test_two_players_and_five_puppets_have_no_places(table: Table) -> None:
    """In 34 games they took the first two; here they take half a year for it."""
    alice = table.joins("alice")
    names = ["bob", *(f"puppet{number}" for number in range(5))]
    for name in names:
        table.joins(name)
    for puppet in names[1:]:
        quick_games(table, puppet, "alice", 2)
        quick_games(table, puppet, "bob", 2)
    for number in range(14):
        table.clock.passes(days=31 * (number % 2))  # each draw counts in full
        quick_draw(table, "alice", "bob")
    rows = {row["player_id"]: row for row in table.rows("ratings")}
    assert all(rows[number]["sigma"] < PROVISIONAL for number in (1, 2))
    assert [number for number in rows if not rows[number]["wide"]] == [1, 2]
    alice.says("standings").hears("All have few games yet, or most of them in a small circle:")
    assert not problems(table)


def quick_draw(table: Table, *handles: str) -> None:
    number = begun(table, *handles)
    plays_on(table, number, 2 * MOVES)
    with table.database.transaction() as work:
        board = work.boards.get(number)
        now = table.clock()
        advance(work, board, (close_board(work, board, "agreed", now, winners=()), []), now)


def begun(table: Table, *handles: str) -> int:
    table.begins(*handles)
    return max(table.boards())


def resigns_lately(person: Person, number: int) -> None:
    person.forgets().says(f"resign {number}")


@pytest.mark.thorough
def test_sixty_games_given_to_a_robot(table: Table) -> None:
    """They lift it by nothing, and who wins against it then gains no more than ever, and less with
    each win."""
    table.robots_join()
    for handle in ("alice", "bob", "carol"):
        table.joins(handle)
    quick_games(table, "alice", "pebble", 60)
    quick_games(table, "pebble", "bob", 5)
    assert numbers(table).keys() == {"alice", "bob"}
    quick_games(table, "pebble", "carol", 1)
    robot = measured("pebble")
    [[won], _] = RATE([[MODEL.rating()], [MODEL.rating(robot.mu, robot.sigma)]], ranks=[1, 2])
    assert known(table)["carol"] == pytest.approx(won.mu)
    assert numbers(table)["carol"] < 1575
    assert numbers(table)["bob"] < 1500 + 3 * (numbers(table)["carol"] - 1500)
    assert not problems(table)
    bob = table.person("bob@example.org")
    plays_on(table, begun(table, "bob", "pebble"), 2 * MOVES)
    resigns_lately(bob, 67)
    bob.hears("pebble 950 (measured, and stays so).")


# -- what runs out in one absence ----------------------------------------------------------------

OTHERS = ("bob", "carol", "dave")
SCORES = "g5-h6,h6"  # on the board "alien"


def boards_that_run_out(table: Table, *first: str) -> list[Person]:
    """Three boards on which it is alice's move, the others having begun with `first`."""
    people = [table.joins(name) for name in ("alice", *OTHERS)]
    for number, other in enumerate(people[1:], 1):
        other.says("challenge alice -layout=alien")
        plays_silently(table, number, first)
        plays_on(table, number, 2 * MOVES + 1 - len(first))
    return people


def quiet_moves(seed: int) -> list[str]:
    """Moves at random on the board "alien" after which it is the second player's turn."""
    position, chance, moves = default_game().start(2, {"layout": "alien"}), Random(seed), []
    while len(moves) < 2 * MOVES + 1:
        every = (position.play(move) for move in position.legal_moves())
        played = chance.choice([played for played in every if played.position.quiet])
        position = played.position
        moves.append(str(played.move))
    return moves


def lost_by(table: Table) -> list[str]:
    """From whom alice has lost rating, by the mails of the last boards."""
    spared = "(as before, since another board ran out in the same absence)"
    mails = {name: table.person(f"{name}@example.org").newest.text for name in OTHERS}
    assert all("Ratings:" in text for text in mails.values())
    return [name for name, text in mails.items() if spared not in " ".join(text.split())]


def test_what_runs_out_in_one_absence_costs_once(table: Table) -> None:
    boards_that_run_out(table)
    table.days_pass(60)  # vacations and all
    assert len(lost_by(table)) == 1
    [_, [lost]] = RATE([[MODEL.rating()], [MODEL.rating()]], ranks=[1, 2])
    assert known(table)["alice"] == pytest.approx(lost.mu, abs=1e-2)
    assert not problems(table)


@pytest.mark.parametrize("lost", ["by score", "in two moves"])
def test_lost_boards_are_not_spared(
    lost: str, table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    callers, search = set[str](), default_game().search  # type: ignore[attr-defined]  # it has the capability

    def noted(*given: object) -> object:
        callers.update(frame.name for frame in extract_stack())
        return search(*given)

    monkeypatch.setattr(default_game(), "search", noted)
    boards_that_run_out(table, *([SCORES] if lost == "by score" else quiet_moves(109)))
    if lost != "by score":
        assert {table.board(number).position.scores for number in (1, 2, 3)} == {(0, 0)}
    table.days_pass(60)
    assert lost_by(table) == list(OTHERS)
    assert not problems(table)
    assert bool(callers) == (lost != "by score")
    assert "take_next" not in callers  # no transaction is open


def test_nor_who_moves_by_a_yes_of_the_day(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("move 1 c3,d3")
    alice.says("yes")
    bob.says("g7,f7")
    with table.database.transaction() as work:
        work.players.begin_absence(1, table.clock())
    alice.writes("move 1 d3,c3").hears("bob's move on board 1")
    assert table.player("alice").absent_since is None  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "words", [pytest.param("whoami", marks=pytest.mark.thorough), "chat 1\nNo time just now."]
)
def test_who_writes_is_not_absent(words: str, table: Table) -> None:
    """Whatever they write, and wherever."""
    alice, *_ = boards_that_run_out(table)
    for _ in range(60):
        table.days_pass(1)
        alice.says(words)
    assert lost_by(table) == list(OTHERS)
    assert table.player("alice").absent_since is None  # type: ignore[union-attr]


@pytest.mark.thorough
def test_one_absence_in_180_days(table: Table) -> None:
    alice, *_others = boards_that_run_out(table)
    table.days_pass(60)
    for days, cost in ((10, 3), (175, 1)):
        alice.says("whoami")
        table.days_pass(days)
        first = max(table.boards()) + 1
        for other in OTHERS:
            plays_on(table, begun(table, other, "alice"), 2 * MOVES + 1)
        table.days_pass(60)
        assert not any(table.board(number).playing for number in range(first, first + 3))
        assert len(lost_by(table)) == cost
    assert not problems(table)
