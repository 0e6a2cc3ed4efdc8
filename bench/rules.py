"""The rules beside the naive oracle of the tests."""

from bench.measure import Row, rate_of
from pbm import rules
from tests.rules import oracle
from tests.rules.random_positions import some_positions

_POSITIONS = 200


def measure() -> list[Row]:
    """All legal moves of varied two-player midgame positions, by both."""
    positions = [p for p in some_positions(_POSITIONS * 11) if p.players == 2][:_POSITIONS]
    games = [oracle.read_state(rules.format_state(position)) for position in positions[:40]]

    def ours() -> int:
        for position in positions:
            rules.legal_moves(position)
        return len(positions)

    def naive() -> int:
        for game in games:
            oracle.legal_moves(game)
        return len(games)

    by_oracle, by_rules = rate_of(naive), rate_of(ours)
    return [
        Row("naive oracle, legal moves", "positions", by_oracle, "itself", 1.0),
        Row("rules.legal_moves", "positions", by_rules, "the naive oracle", by_rules / by_oracle),
    ]
