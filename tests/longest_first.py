"""The order of a run: it must not end with one worker that plays a whole season."""

from collections.abc import Sequence
from pathlib import Path

import pytest

LONGEST = (
    *("season", "bench", "rules/engine/test_twins.py", "service/test_memory.py"),
    *("understood", "mail/reading/test_cost.py", "help/test_first_game.py"),
)
"""What takes a minute and more, the longest first; and, in `make test`, some seconds."""


def longest_first(items: Sequence[pytest.Item], workers: int) -> list[pytest.Item]:
    """Put the longest at the heads of as many equal parts as there are workers.

    Each worker begins with one part, and takes from the ends of others' when it is through.
    """
    folder = Path(__file__).parent
    places = {
        path: place
        for path in {item.path for item in items}
        for place, name in enumerate(LONGEST)
        if path.is_relative_to(folder / name)
    }
    rank = {item: places[item.path] for item in items if item.path in places}
    longest = sorted(rank, key=lambda item: rank[item])
    others = [item for item in items if item not in rank]
    ordered: list[pytest.Item] = []
    for worker in range(workers):
        own = longest[worker::workers]
        size = (len(items) - len(ordered)) // (workers - worker)
        count = max(size - len(own), 0) if worker < workers - 1 else len(others)
        ordered += own + others[:count]
        del others[:count]
    return ordered
