"""Run some measurements or all, print the tables, and put them into `docs/benchmarks.md`."""

import argparse
import logging
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import structlog

from bench import fair, pairs, report, rules, web
from bench.measure import Row, calibration_ms

PARTS: Mapping[str, Callable[[], Sequence[Row]]] = {
    "rules": rules.measure,
    "fair": fair.measure,
    "web": web.measure,
}


def main(
    arguments: Sequence[str] | None = None,
    parts: Mapping[str, Callable[[], Sequence[Row]]] = PARTS,
    page: Path = report.PAGE,
) -> None:
    """Measure and tell; `pairs` compares two versions and writes on no page."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments[:1] == ["pairs"]:
        pairs.main(arguments[1:])
        return
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(parts)}; or all")
    parser.epilog = "`pairs --against COMMIT` compares whole turns with those of another commit."
    chosen = parser.parse_args(arguments).parts or list(parts)
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
