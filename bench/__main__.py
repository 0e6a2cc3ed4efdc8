"""Run some measurements or all, print the tables, and put them into `docs/benchmarks.md`."""

import argparse
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import structlog

from bench import cost, due, fair, growth, pairs, report, robots, rules, turns, whole
from bench.measure import Line, calibration_ms
from bench.place import Size

PARTS: Mapping[str, Callable[[], Sequence[Line]]] = {
    "rules": rules.measure,
    "turns": turns.measure,
    "whole": whole.measure,
    "cost": cost.measure,
    "growth": growth.measure,
    "fair": fair.measure,
    "due": due.measure,
    "robots": robots.measure,
}


def main(
    arguments: Sequence[str] | None = None,
    parts: Mapping[str, Callable[[], Sequence[Line]]] = PARTS,
    page: Path = report.PAGE,
) -> None:
    """Measure and tell; `pairs` compares two versions and writes on no page."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["pairs"]:
        pairs.main(arguments[1:])
        return
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(parts)}; or all")
    parser.add_argument("--rounds", type=int, default=Size.rounds, help="of whole turns")
    parser.add_argument("--boards", type=int, default=Size.boards, help="in a round of whole turns")
    parser.epilog = "`pairs --against COMMIT` compares whole turns with those of another commit."
    asked = parser.parse_args(arguments)
    if (asked.boards, asked.rounds) != (Size.boards, Size.rounds):
        parts = {**parts, "whole": partial(whole.measure, Size(asked.boards, asked.rounds))}
    chosen = asked.parts or list(parts)
    if not set(chosen) <= set(parts):
        parser.error(f"the parts are {', '.join(parts)}")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    where = report.machine(calibration_ms())
    print(where)
    sections = {}
    for part in chosen:
        sections[part] = report.section(parts[part](), where)
        print(f"\n{part}\n\n{sections[part]}", flush=True)
    page.write_text(report.rewritten(page.read_text("utf-8"), sections), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
