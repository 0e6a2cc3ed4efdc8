"""Torture servers: kills at random, then a long season with a failing smarthost: `make torture`.

It prints its seed; SEED=… throws the same dice again, though real processes never do quite the
same twice.
"""

import argparse
import secrets
import sys
from collections.abc import Sequence

from tests.secrets_issued import ISSUED
from tests.torture.fleet import STORES
from tests.torture.runs import Report, run_kills, run_season


def main(arguments: Sequence[str] | None = None) -> int:
    """Torture; the result is 1 if anything was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.torture", description=main.__doc__)
    parser.add_argument("--kills", type=int, default=200, help="on each store")
    parser.add_argument("--store", choices=STORES, action="append", help="both, unless given")
    parser.add_argument("--turns", type=int, default=10_000, help="of the season")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**9))
    options = parser.parse_args(arguments)
    ISSUED.watch()
    stores = options.store or STORES
    print(f"SEED={options.seed}: {options.kills} kills, {options.turns} turns", flush=True)
    reports = []
    if options.kills:
        for store in stores:
            report = run_kills(store, options.kills, f"{options.seed} {store}", _tell)
            reports.append(_show(f"kills on {store}", report))
    if options.turns:
        reports.append(_show("season", run_season(options.turns, f"{options.seed}", _tell)))
    return 1 if any(report.findings for report in reports) else 0


def _tell(what: str) -> None:
    print(what, flush=True)


def _show(name: str, report: Report) -> Report:
    for finding in report.findings:
        _tell(f"{name}: {finding}")
    _tell(f"{name}: {report}")
    return report


if __name__ == "__main__":
    sys.exit(main())
