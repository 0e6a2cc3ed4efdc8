"""Each robot against the one below it, and against simple players."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from arena.elo import Score, told
from arena.games import MOST_PLIES, both_ways, winners_of
from arena.opponents import (
    GreedyPlayer,
    Player,
    RandomMover,
    RingPlayer,
    RobotPlayer,
)
from arena.plan import Plan, table
from pbm.rules.robots import ROBOTS, Robot

_STRONG = ROBOTS["boulder"].budget.nodes


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players, how many games they play, and how long one may last."""

    name: str
    first: Player
    second: Player
    games: int = 400
    most: int = MOST_PLIES


def robot(player: Robot, nodes: int | None = None) -> RobotPlayer:
    """A robot as a player whom no clock disturbs, with other nodes than its own if given."""
    budget = replace(player.budget, seconds=None, nodes=nodes or player.budget.nodes)
    return RobotPlayer(replace(player, budget=budget))


def in_proportion(player: Robot, plan: Plan) -> RobotPlayer:
    """A robot for fast games: `boulder` and stronger ones with fewer nodes, in proportion."""
    nodes = player.budget.nodes
    return robot(player, nodes * plan.nodes // _STRONG if nodes >= _STRONG else nodes)


def pairings(plan: Plan) -> Iterator[Pairing]:
    """Each robot beside a random mover and its neighbour, and the simple players beside robots."""
    for each in ROBOTS.values():
        one = in_proportion(each, plan)
        yield Pairing(f"{_name(one.robot)} v any move", one, RandomMover(), 40)
    for weaker, stronger in pairwise(ROBOTS.values()):
        one, other = in_proportion(stronger, plan), in_proportion(weaker, plan)
        yield Pairing(f"{_name(one.robot)} v {_name(other.robot)}", one, other)
    for name, player, (weaker, stronger) in SIMPLE:
        yield Pairing(f"{name} v `{weaker}`", player, robot(ROBOTS[weaker]))
        yield Pairing(f"`{stronger}` v {name}", robot(ROBOTS[stronger]), player)


def _name(player: Robot) -> str:
    """Its name, and its nodes where they are not its own."""
    nodes = player.budget.nodes
    own = ROBOTS[player.name].budget.nodes
    return f"`{player.name}`" + (f" at {nodes:,} nodes" if nodes != own else "")


SIMPLE: tuple[tuple[str, Player, tuple[str, str]], ...] = (
    ("one ply, 20 % random", GreedyPlayer(), ("pebble", "flint")),
    ("depth 2, material and rings", RingPlayer(2), ("stone", "rock")),
    ("depth 4, material and rings", RingPlayer(), ("rock", "slab")),
)
"""The simple players, each with the robots that it stands between."""


def ladder(plan: Plan) -> str:
    """What each pairing came to, as a difference in Elo too."""
    rows = []
    for pairing in pairings(plan):
        score, plies = score_of(plan, pairing, pairing.name, plan.count(pairing.games))
        rows.append((pairing.name, score.won, score.drawn, score.lost, plies, told(score)))
        print(*rows[-1], flush=True)
    return table(("who", "won", "no result", "lost", "plies, median", "Elo, 95 of 100"), rows)


def score_of(plan: Plan, pairing: Pairing, name: str, count: int) -> tuple[Score, int]:
    """The score of some games, half with each colour, and their median length in plies."""
    matches = both_ways(pairing.first, pairing.second, plan.seeds(name, count // 2))
    matches = [replace(match, most=pairing.most) for match in matches]
    played = plan.run(winners_of, matches)
    scores = [
        _score(winners, match.players.index(pairing.first) + 1)
        for match, (winners, _, _) in zip(matches, played, strict=True)
    ]
    plies = sorted(plies for _, plies, _ in played)
    return sum(scores, Score()), plies[len(plies) // 2]


def _score(winners: tuple[int, ...], seat: int) -> Score:
    if not winners:
        return Score(drawn=1)
    return Score(won=1) if seat in winners else Score(lost=1)
