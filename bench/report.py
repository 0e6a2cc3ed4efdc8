"""The page that the figures are kept on, a section for each part: `docs/benchmarks.md`."""

import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from bench.measure import CALIBRATION_ROUNDS, Row, table

PAGE = Path(__file__).resolve().parents[1] / "docs" / "benchmarks.md"


def machine(calibration_ms: float) -> str:
    """A line about where and when something was measured, and how fast a fixed loop is there."""
    return (
        f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()},"
        f" {date.today()}; calibration loop of {CALIBRATION_ROUNDS:,} rounds:"
        f" {calibration_ms:.1f} ms"
    )


def section(rows: Sequence[Row], where: str) -> str:
    """What stands between the markers of a part."""
    return f"{table(rows)}\n\n{where}"


def rewritten(page: str, sections: Mapping[str, str], *, by: str = "bench") -> str:
    """A page with the sections of some parts put anew; raises ValueError if one has no place.

    `by` is the program that measured them, and part of what marks their places.
    """
    for part, text in sections.items():
        first, last = f"<!-- {by} {part} -->", f"<!-- /{by} {part} -->"
        place = re.compile(f"(?<={re.escape(first)}\n).*?(?={re.escape(last)})", re.DOTALL)
        if len(place.findall(page)) != 1:
            raise ValueError(f"the page needs {first} and {last} once")
        page = place.sub(lambda _, text=text: f"{text}\n", page)
    return page


def _processor() -> str:
    """The processor's name as Linux tells it, or what Python knows of it."""
    try:
        told = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        told = ""
    model = re.search(r"^model name\s*:\s*(.+)$", told, re.MULTILINE)
    return model[1] if model else platform.processor() or platform.machine()
