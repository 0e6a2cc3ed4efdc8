"""Three to six players, and teams."""

from collections.abc import Sequence

from arena.games import Match, Setup, leaders_of, seated, winners_of
from arena.ladder import robot
from arena.opponents import EnginePlayer, Player
from arena.plan import Plan, table
from pbm.rules.abalone.engine.judging import Ways
from pbm.rules.contract import Budget
from pbm.rules.robots import ROBOTS

MOST_PLIES = 200
"""For each seat: a game of several that is not over then has no winner."""


def several(plan: Plan) -> str:
    """One strong robot among weak ones: how much more than its share it wins."""
    count = plan.count(60)
    strong, weak = robot(ROBOTS["boulder"], plan.nodes), robot(ROBOTS["pebble"])
    rows = []
    for seats in (3, 4, 5, 6):
        won, none = _wins(plan, strong, weak, seats, count)
        rows.append((f"{seats} players", count, won, none, f"{won * seats / count:.2f}"))
        print(*rows[-1], flush=True)
    for name, partner in (("`pebble`", weak), ("`boulder`", strong)):
        won, none = _team_wins(plan, strong, partner, weak, count)
        rows.append((f"teams, with {name}", count, won, none, f"{won * 2 / count:.2f}"))
        print(*rows[-1], flush=True)
    head = (
        "game",
        "played",
        f"won by `boulder` at {plan.nodes:,} nodes",
        "no result",
        "of its share",
    )
    return table(head, rows)


def ways(plan: Plan) -> str:
    """All others in league against only the one of them who hurts most: who wins more often."""
    count = plan.count(60)
    budget = Budget(plan.nodes)
    league = EnginePlayer(budget, ways=Ways(best_reply=0))
    reply = EnginePlayer(budget, ways=Ways(best_reply=1))
    rows = []
    for seats in (3, 4, 5, 6):
        shares = []
        for one, others in ((reply, league), (league, reply)):
            own, matches = _one_among(plan, one, others, seats, count)
            leaders = plan.run(leaders_of, matches)
            points = sum((seat in led) / len(led) for seat, led in zip(own, leaders, strict=True))
            shares.append(f"{points * seats / count:.2f}")
        rows.append((f"{seats} players", count, *shares))
        print(*rows[-1], flush=True)
    head = (
        f"game, {plan.nodes:,} nodes",
        "played each",
        "share of one best-reply among paranoid",
        "share of one paranoid among best-reply",
    )
    return table(head, rows)


def _wins(plan: Plan, one: Player, others: Player, seats: int, count: int) -> tuple[int, int]:
    """How often one player wins among others, from each seat in turn; games without a winner."""
    own, matches = _one_among(plan, one, others, seats, count)
    return _counted(plan, matches, own)


def _one_among(
    plan: Plan, one: Player, others: Player, seats: int, count: int
) -> tuple[list[int], list[Match]]:
    """Games of one player among others, and its seat in each."""
    own = [number % seats + 1 for number in range(count)]
    seeds = plan.seeds(f"{seats} players", count)
    matches = [
        Match(
            Setup(("standard", "bowl")[number // seats % 2], seats),
            seated(one, others, seat, seats),
            seed,
            most=MOST_PLIES * seats,
        )
        for number, (seat, seed) in enumerate(zip(own, seeds, strict=True))
    ]
    return own, matches


def _team_wins(
    plan: Plan, one: Player, partner: Player, others: Player, count: int
) -> tuple[int, int]:
    """The same for two partners against two others."""
    own = [number % 4 + 1 for number in range(count)]
    matches = []
    for number, (seat, seed) in enumerate(zip(own, plan.seeds("teams", count), strict=True)):
        players = list(seated(one, others, seat, 4))
        players[(seat + 1) % 4] = partner
        setup = Setup(("official", "bowl")[number // 4 % 2], 4, teams=True)
        matches.append(Match(setup, tuple(players), seed, most=MOST_PLIES * 4))
    return _counted(plan, matches, own)


def _counted(plan: Plan, matches: Sequence[Match], own: Sequence[int]) -> tuple[int, int]:
    played = plan.run(winners_of, matches)
    won = sum(seat in winners for (winners, _, _), seat in zip(played, own, strict=True))
    return won, sum(not winners for winners, _, _ in played)
