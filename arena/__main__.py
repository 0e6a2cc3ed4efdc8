"""Let the robots play, print what came of it, and put the tables into `docs/strength.md`."""

import argparse
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from arena import alone, ladder, several, speed, tactics
from arena.plan import FAST_NODES, Plan
from bench import report
from bench.measure import calibration_ms
from pbm.rules.abalone import GAME
from pbm.rules.contract import Budget

PARTS: Mapping[str, Callable[[Plan], str]] = {
    "speed": speed.speed,
    "ladder": ladder.ladder,
    "several": several.several,
    "ways": several.ways,
    "alone": alone.alone,
    "tactics": tactics.tactics,
}
PAGE = report.PAGE.with_name("strength.md")


def main(
    arguments: Sequence[str] | None = None,
    parts: Mapping[str, Callable[[Plan], str]] = PARTS,
    page: Path = PAGE,
) -> None:
    """Play the parts asked for, and tell."""
    parser = argparse.ArgumentParser(prog="python -m arena", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(parts)}; or all")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    parser.add_argument("--games", type=int, help="games, or positions, of each kind")
    parser.add_argument("--nodes", type=int, default=FAST_NODES, help="of boulder in fast games")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="games at once")
    parser.add_argument("--print", action="store_true", help="write nothing on the page")
    chosen = parser.parse_args(arguments)
    names = chosen.parts or list(parts)
    if not set(names) <= set(parts):
        parser.error(f"the parts are {', '.join(parts)}")
    plan = Plan(chosen.seed, chosen.games, chosen.nodes, chosen.jobs)
    where = f"{report.machine(calibration_ms())}; {_core()} core, seed {plan.seed}"
    print(where, flush=True)
    for name in names:
        print(f"\n{name}", flush=True)
        told = f"{parts[name](plan)}\n\n{where}"
        print(f"\n{told}", flush=True)
        if not chosen.print:
            text = page.read_text("utf-8")
            page.write_text(report.rewritten(text, {name: told}, by="arena"), "utf-8")


def _core() -> str:
    """The word for the core that searches here."""
    return GAME.search([GAME.start(2, {})], Budget(1)).by


if __name__ == "__main__":
    sys.exit(main())
