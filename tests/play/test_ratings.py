"""Ratings find out who plays how strong."""

from datetime import UTC, datetime, timedelta
from math import sqrt
from random import Random

import pytest
from openskill.models import PlackettLuce

from pbm.play.ratings import PROVISIONAL, after_game, at, shown
from pbm.store.values import Rating

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


@pytest.mark.thorough
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
