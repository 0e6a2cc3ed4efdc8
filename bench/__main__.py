"""Run all measurements and print the table."""

import logging
import platform

import structlog

from bench import rules, turns
from bench.measure import calibration, table


def main() -> None:
    """Measure and tell."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    print(f"Python {platform.python_version()}, calibration {calibration():,.0f} rounds a second\n")
    print(table([*rules.measure(), *turns.measure()]))


main()
