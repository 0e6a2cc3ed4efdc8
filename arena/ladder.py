"""Each robot against the one below it, and against simple players."""

from dataclasses import dataclass, replace

from arena.elo import Score, told
from arena.games import MOST_PLIES, both_ways, winners_of
from arena.opponents import MaterialPlayer, Player, RandomMover, RingPlayer, RobotPlayer
from arena.plan import Plan, table
from pbm.robots.thinking import BOULDER, COBBLE, PEBBLE, Robot
from pbm.rules.contract import Budget

_LONG = 4_000  # plies: both are weak, and nobody is in a hurry
_HALF_A_SECOND = replace(BOULDER, budget=Budget(10**9, 0.5))


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two players, how many of forty games the first has to win, and how long one may last."""

    name: str
    first: Player
    second: Player
    needed: int = 0
    most: int = MOST_PLIES


def robot(player: Robot, nodes: int | None = None) -> RobotPlayer:
    """A robot as a player whom no clock disturbs, with other nodes than its own if given."""
    budget = replace(player.budget, seconds=None, nodes=nodes or player.budget.nodes)
    return RobotPlayer(replace(player, budget=budget))


PAIRINGS = {
    "random": Pairing("`pebble` v any move", robot(PEBBLE), RandomMover(), 40, _LONG),
    "material": Pairing("depth 2, material v `pebble`", MaterialPlayer(), robot(PEBBLE), 20, _LONG),
    "pebble": Pairing("`cobble` v `pebble`", robot(COBBLE), robot(PEBBLE), 34),
    "cobble": Pairing("`boulder` v `cobble`", robot(BOULDER), robot(COBBLE), 34),
    "rings": Pairing(
        "`boulder` at half a second v depth 4, material and rings",
        RobotPlayer(_HALF_A_SECOND),
        RingPlayer(),
        40,
    ),
}


def ladder(plan: Plan) -> str:
    """What each pairing came to, beside what is asked of it."""
    count = plan.count(40)
    rows = []
    for name, pairing in PAIRINGS.items():
        score, plies = score_of(plan, pairing, name, count)
        rows.append((pairing.name, *_counted(score), plies, f"{pairing.needed} of 40"))
        print(*rows[-1], flush=True)
    return table(("who", "won", "no result", "lost", "plies, median", "asked"), rows)


def fast_pairings(plan: Plan) -> dict[str, Pairing]:
    """Neighbours in strength, and the strongest one with half its nodes."""
    fast = robot(BOULDER, plan.nodes)
    some = f"{plan.nodes:,} nodes"
    return {
        "pebble": Pairing("`cobble` v `pebble`", robot(COBBLE), robot(PEBBLE)),
        "cobble": Pairing(f"`boulder` at {some} v `cobble`", fast, robot(COBBLE)),
        "rings": Pairing(f"`boulder` at {some} v depth 4, material and rings", fast, RingPlayer()),
        "half": Pairing(f"`boulder` at {some} v at half", fast, robot(BOULDER, plan.nodes // 2)),
    }


def elo(plan: Plan) -> str:
    """Elo differences from many fast games, which a number of nodes bounds."""
    count = plan.count(400)
    rows = []
    for name, pairing in fast_pairings(plan).items():
        score, plies = score_of(plan, pairing, name, count)
        rows.append((pairing.name, *_counted(score), plies, told(score)))
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


def _counted(score: Score) -> tuple[int, int, int]:
    return score.won, score.drawn, score.lost
