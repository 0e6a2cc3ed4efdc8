"""Find better weights by fast games: `python -m arena.tune`, SPSA (Spall 1998).

Each round draws a direction in which all weights change at once, a step forwards against a step
back, in two games of both colours from one opening. The weights then move a little towards the
winner. What is found is printed all the time, and can be gone on from; at the end it plays against
what it began with, which tells the gain. Nothing is changed by itself: the numbers that won go into
`pbm/rules/abalone/engine/judging.py` by hand.
"""

import argparse
import random
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.elo import told
from arena.games import FOR_TWO, Match, winners_of
from arena.ladder import Pairing, score_of
from arena.opponents import EnginePlayer
from arena.plan import Plan, table
from pbm.rules.abalone.engine.judging import Weights
from pbm.rules.contract import Budget

Numbers = dict[str, float]

STEPS: Mapping[str, float] = {
    "greed": 150,
    "ring1": 12,
    "ring2": 16,
    "ring3": 24,
    "ring4": 36,
    "cohesion": 5,
    "danger": 50,
    "push": 16,
}
"""How far each number is moved to try it. `greed` is by how much each marble pushed off is worth
more than the one before."""

_PULL = 0.03
_PATIENCE = 0.1  # of all rounds, in which the pull is held back
_CALMING, _NARROWING = 0.602, 0.101  # Spall's exponents


def numbers_of(weights: Weights) -> Numbers:
    """The numbers that are tuned."""
    rings = {f"ring{ring}": float(weights.rings[ring]) for ring in (1, 2, 3, 4)}
    greed = (weights.scores[5] - 5 * weights.scores[1]) / 10
    others = {name: float(getattr(weights, name)) for name in ("cohesion", "danger", "push")}
    return {"greed": greed, **rings, **others}


def weights_of(numbers: Mapping[str, float]) -> Weights:
    """The weights with these numbers."""
    first, greed = Weights().scores[1], numbers["greed"]
    one, two, three, four = (round(numbers[f"ring{ring}"]) for ring in (1, 2, 3, 4))
    scores = tuple(round(first * n + greed * n * (n - 1) / 2) for n in range(6))
    return replace(
        Weights(),
        scores=scores,  # type: ignore[arg-type]  # six of them
        rings=(0, one, two, three, four),
        cohesion=round(numbers["cohesion"]),
        danger=max(0, round(numbers["danger"])),
        push=round(numbers["push"]),
    )


def tuned(begin: Numbers, rounds: int, nodes: int, seed: int) -> Numbers:
    """Where so many rounds lead to."""
    dice = random.Random(seed)
    numbers = dict(begin)
    for number in range(1, rounds + 1):
        calm = ((_PATIENCE + 1) / (_PATIENCE + number / rounds)) ** _CALMING
        width = (rounds / number) ** _NARROWING
        signs = {name: dice.choice((-1, 1)) for name in STEPS}
        gain = gain_of(numbers, signs, width, nodes, dice.randrange(1, 2**31))
        for name, sign in signs.items():
            numbers[name] += _PULL * calm / width * STEPS[name] * sign * gain
        if number % 20 == 0 or number == rounds:
            print(number, told_numbers(numbers), flush=True)
    return numbers


def gain_of(numbers: Numbers, signs: Mapping[str, int], width: float, nodes: int, seed: int) -> int:
    """By how many games of two a step forwards beats a step back."""
    forwards, back = (
        EnginePlayer(
            Budget(nodes),
            weights_of(
                {name: numbers[name] + way * width * STEPS[name] * signs[name] for name in STEPS}
            ),
        )
        for way in (1, -1)
    )
    setup = FOR_TWO[seed % len(FOR_TWO)]
    gain = 0
    for seat, players in ((1, (forwards, back)), (2, (back, forwards))):
        winners, _, _ = winners_of(Match(setup, players, seed, most=200))
        if winners:
            gain += 1 if seat in winners else -1
    return gain


def told_numbers(numbers: Mapping[str, float]) -> str:
    """The numbers as text, from which `--begin` reads them."""
    return ",".join(f"{name}={value:.1f}" for name, value in numbers.items())


def read_numbers(text: str) -> Numbers:
    """The numbers that a text tells, the others as they are."""
    told_pairs = (pair.split("=") for pair in text.split(",") if pair)
    return numbers_of(Weights()) | {name: float(value) for name, value in told_pairs}


def gain_table(before: Weights, after: Weights, plan: Plan) -> str:
    """What changed, and what the new weights win against the old ones at several nodes."""
    old, new = numbers_of(before), numbers_of(after)
    changed = [(name, f"{old[name]:.0f}", f"{new[name]:.0f}") for name in STEPS]
    rows = []
    for nodes in (plan.nodes // 10, plan.nodes):
        one, other = (EnginePlayer(Budget(nodes), weights) for weights in (after, before))
        pairing = Pairing("", one, other)
        score, plies = score_of(plan, pairing, f"tuned {nodes}", plan.count(400))
        rows.append((f"{nodes:,}", score.won, score.drawn, score.lost, plies, told(score)))
        print(*rows[-1], flush=True)
    games = table(("nodes", "won", "no result", "lost", "plies, median", "Elo, 95 of 100"), rows)
    return f"{table(('weight', 'before', 'after'), changed)}\n\n{games}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Tune, and tell the gain."""
    parser = argparse.ArgumentParser(prog="python -m arena.tune", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--nodes", type=int, default=3_000)
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--begin", default="", help="numbers to go on from, as they are printed")
    parser.add_argument("--games", type=int, default=400, help="of the match at the end")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="of them at once")
    chosen = parser.parse_args(arguments)
    print(f"{chosen.rounds} rounds at {chosen.nodes} nodes, seed {chosen.seed}", flush=True)
    numbers = tuned(read_numbers(chosen.begin), chosen.rounds, chosen.nodes, chosen.seed)
    plan = Plan(chosen.seed, chosen.games, 10 * chosen.nodes, chosen.jobs)
    print(gain_table(Weights(), weights_of(numbers), plan), flush=True)


if __name__ == "__main__":
    main()
