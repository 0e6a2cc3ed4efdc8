"""The strongest robot against itself: does it come to an end?"""

from arena.games import MOST_PLIES, Match, Setup, winners_of
from arena.ladder import robot
from arena.plan import Plan, table
from pbm.rules.robots import ROBOTS


def alone(plan: Plan) -> str:
    """Games of the robot against itself, and how many of them had no result in time."""
    count = plan.count(200)
    player = robot(ROBOTS["boulder"], plan.nodes)
    rows = []
    for layout in ("standard", "bowl"):
        matches = [
            Match(Setup(layout), (player, player), seed) for seed in plan.seeds(layout, count)
        ]
        played = plan.run(winners_of, matches)
        open_ended = sum(not is_over for _, _, is_over in played)
        firsts = sum(1 in winners for winners, _, _ in played)
        plies = sorted(plies for _, plies, _ in played)
        rows.append((layout, count, firsts, open_ended, plies[count // 2], f"{count // 10}"))
        print(*rows[-1], flush=True)
    head = (
        f"board, {plan.nodes:,} nodes",
        "played",
        "won by the first",
        f"no result after {MOST_PLIES} plies",
        "plies, median",
        "at most",
    )
    return table(head, rows)
