"""Ratings find out who plays how strong."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations, product
from math import sqrt
from random import Random

import pytest
from openskill.models import PlackettLuce

from pbm.play.ratings import PROVISIONAL, _met, after_game, at, is_wide, shown
from pbm.play.results import places_of
from pbm.rules.registry import default_game
from pbm.store.values.boards import Board, Seat
from pbm.store.values.players import Rating
from tests.rows import each_row

NOW = datetime(2026, 11, 22, tzinfo=UTC)
NEW = at(None, NOW)
PLAYERS, GAMES = 40, 10_000


def test_as_the_library_rates_it() -> None:
    """Four players, two of them level, and a game in teams."""
    model = PlackettLuce()
    expected = model.rate([[model.rating()] for _ in range(4)], ranks=[1, 2, 2, 4])
    found = after_game([NEW] * 4, [[1], [2], [3], [4]], (1, 2, 2, 4))
    assert found == [(side[0].mu, side[0].sigma) for side in expected]
    pairs = [[model.rating(), model.rating()] for _ in range(2)]
    teams = model.rate(pairs, ranks=[2, 1])
    found = after_game([NEW] * 4, [[1, 3], [2, 4]], (3, 1, 3, 1))
    assert [found[0], found[2], found[1], found[3]] == [
        (item.mu, item.sigma) for side in teams for item in side
    ]


FOUR = "1111./1111.2/.....22/4.....22/44.....22/44.....2/44...../4.3333/.3333"
LESS = FOUR.replace("44...../4", "4....../.")  # seat 4 has lost two


@each_row(
    ("state", "winners", "last", "places"),
    [
        (f"{FOUR} - 6,0,0,0 won=1", (1,), (), (1, 2, 2, 2)),
        (f"{FOUR} - 2,6,1,3 won=2", (2,), (), (3, 1, 4, 2)),
        (f"{LESS} - 6,2,1,2 won=1", (1,), (), (1, 2, 4, 3)),  # as many, but 4 has lost more
        (f"{FOUR} - 6,2,1,1 out=2+4;won=1", (1,), (37, 34, 39, 32), (1, 3, 2, 4)),
        (f"{FOUR} - 0,0,0,5 out=1+2+4;won=3", (3,), (21, 26, 39, 12), (3, 2, 1, 4)),
        (f"{FOUR} - 0,0,0,5 out=1+2+4;won=3", (3,), (1, 0, 39, 0), (2, 3, 1, 3)),  # never moved
        (f"{FOUR} 1 0,0,0,3 -", (), (), (1, 1, 1, 1)),  # a draw by word
        (f"{FOUR} 1 0,0,0,3 out=3", (), (), (1, 1, 4, 1)),
        (f"{FOUR} - 6,2,6,2 teams;won=1+3", (1, 3), (), (1, 3, 1, 3)),
        (f"{FOUR} - 6,2,6,2 teams;out=1+2;won=1+3", (1, 3), (), (1, 3, 1, 3)),
        (f"{FOUR} - 1,2,1,2 teams;out=2+4;won=1+3", (1, 3), (), (1, 3, 1, 3)),
        (f"{FOUR} 1 1,2,1,2 -", (3,), (), (4, 2, 1, 2)),  # decided by the operator
    ],
)
def test_places(
    state: str, winners: tuple[int, ...], last: Sequence[int], places: tuple[int, ...]
) -> None:
    """Winners, then who is still in by what they ejected and lost, then who is out, by their
    `last` plies, the latest first."""
    assert places_of(finished(state, winners, last)) == places


def finished(state: str, winners: tuple[int, ...], last: Sequence[int]) -> Board:
    """A board of four that is over."""
    game = default_game()
    teams = {"teams": True, "layout": "standard"} if "teams" in state else {}
    start = game.start(4, teams)
    plies = last or (1, 2, 3, 4)
    seats = tuple(Seat(seat, seat, f"p{seat}", ply) for seat, ply in enumerate(plies, 1))
    moments = {"started_at": NOW, "changed_at": NOW}
    return Board(
        *(1, game.info.name, game.info.version, teams, "", start.state(), state),
        *(40, "finished", "ejections", winners),
        **moments,
        seats=seats,
    )


def test_a_rating_is_forgotten_slowly() -> None:
    known = Rating(30.0, 3.0, 50, NOW)
    year = at(known, NOW + timedelta(days=360))
    assert (year.mu, year.games) == (30.0, 50)
    assert 3.5 < year.sigma < PROVISIONAL
    assert at(known, NOW + timedelta(days=20_000)).sigma == NEW.sigma
    assert at(known, NOW - timedelta(days=1)).sigma == 3.0  # a clock that was set back


def test_few_games_say_little() -> None:
    assert shown(NEW.mu, NEW.sigma).provisional
    assert not shown(NEW.mu, PROVISIONAL).provisional
    assert shown(NEW.mu, PROVISIONAL, wide=False).provisional


CLUB, PUPPETS = "mnopq", "uvwxy"
ELSEWHERE = list(zip("rst", "abc", [1] * 3, strict=True))


def all_play(one: str, other: str = "", games: int = 2) -> list[tuple[str, str, int]]:
    """Games of everybody in one group with everybody in another, or of all in a group."""
    pairs = product(one, other) if other else combinations(one, 2)
    return [(*pair, games) for pair in pairs]


@each_row(
    ("games", "wide", "narrow"),
    [
        # As it was found: two players draw, and five puppets lose to both.
        ([("a", "b", 14), *all_play("ab", PUPPETS)], "", "ab"),
        ([("a", "b", 9), *all_play("ab", PUPPETS), *all_play(PUPPETS)], "", "ab"),
        ([*all_play("abc"), *all_play("abc", PUPPETS)], "", "abc"),
        ([("a", "b", 90), *all_play("ab", "rstuvwxyz")], "", "ab"),  # whom many have met
        # Each puppet plays a game with somebody else, and so do both.
        ([*all_play("ab", PUPPETS), *zip(PUPPETS, CLUB, [1] * 5, strict=True)], "", "ab"),
        ([*all_play("abh"), *all_play("ab", PUPPETS), *all_play("h", CLUB + "rst")], "", "ab"),
        (all_play(CLUB), "", CLUB),
        # All have played one another and nobody else, or hardly anybody else; or they are many.
        (all_play(CLUB + "rst"), "", CLUB + "rst"),
        (all_play(CLUB + "rstu", games=1), "", CLUB + "rstu"),
        ([*all_play(CLUB + "rst"), ("r", "a", 2)], "", CLUB + "st"),
        (all_play(CLUB + PUPPETS, games=1), CLUB + PUPPETS, ""),  # a tournament of ten
        (all_play(CLUB + PUPPETS + "rst", games=1), CLUB + PUPPETS + "rst", ""),
        # A club, and three visitors who play elsewhere, too; or each has played two others, or one.
        ([*all_play(CLUB), *all_play(CLUB, "rst", 1), *ELSEWHERE], CLUB, ""),
        ([*all_play(CLUB), *all_play(CLUB, "rst", 2), *ELSEWHERE], CLUB, ""),
        (
            [*all_play(CLUB), *zip(CLUB * 2, "rstrstrstr", [1] * 10, strict=True), *ELSEWHERE],
            CLUB,
            "",
        ),
        ([*all_play(CLUB), *zip(CLUB * 2, "abcdefghij", [1] * 10, strict=True)], CLUB, ""),
        ([*all_play(CLUB), *zip(CLUB, PUPPETS, [2] * 5, strict=True)], CLUB, ""),
    ],
)
def test_whose_ratings_are_made_in_a_small_circle(
    games: list[tuple[str, str, int]], wide: str, narrow: str
) -> None:
    known: dict[int, Rating] = {}
    for one, other, count in games:
        weight = sum(0.5 ** max(0, number - 1) for number in range(count))
        for own, met in ((ord(one), ord(other)), (ord(other), ord(one))):
            rating = known.get(own, Rating(25, 3.0, 20, NOW, people_games=10))
            known[own] = replace(rating, met=_met(rating, [met], weight))
    assert {name for name in wide + narrow if is_wide(ord(name), known)} == set(wide)


@pytest.mark.parametrize(("seats", "least"), [(2, 0.95), (4, 0.9)])
def test_players_of_known_strength(seats: int, least: float) -> None:
    random = Random(20261122 + seats)
    strengths = [random.gauss(0, 1) for _ in range(PLAYERS)]
    known = [NEW] * PLAYERS
    for _ in range(GAMES):
        players = random.sample(range(PLAYERS), seats)
        results = [strengths[player] + random.gauss(0, 1) for player in players]
        places = [1 + sum(other > own for other in results) for own in results]
        sides = [[seat] for seat in range(1, seats + 1)]
        after = after_game([known[player] for player in players], sides, places)
        for player, (mu, sigma) in zip(players, after, strict=True):
            known[player] = Rating(mu, sigma, known[player].games + 1, NOW)
    assert _rank_correlation(strengths, [rating.mu for rating in known]) >= least


def _rank_correlation(one: list[float], other: list[float]) -> float:
    """Spearman's, without ties."""
    ranks = [[sorted(values).index(value) for value in values] for values in (one, other)]
    middle = (PLAYERS - 1) / 2
    products = sum(
        (first - middle) * (second - middle) for first, second in zip(*ranks, strict=True)
    )
    spread = sqrt(sum((rank - middle) ** 2 for rank in range(PLAYERS)) ** 2)
    return float(products / spread)
