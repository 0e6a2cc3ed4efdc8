"""`pbm serve` whose robots think until they are let go on: `slow-robot` of `tests.preloaded`.

A thought writes down which process thinks, and waits for the file `go-on`, both in the folder that
`SLOW_ROBOT` names. Nothing of this is in the server itself.
"""

import os
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

from tests.polling import until

FOLDER = "SLOW_ROBOT"


def think_slowly(folder: str, *given: Any) -> Any:
    """What a robot finds, as soon as it may."""
    from pbm.robots.thinking import think_about

    place = Path(folder)
    (place / f"thinks-{os.getpid()}").touch()
    until((place / "go-on").exists, "leave to go on")
    return think_about(*given)


def main() -> None:
    """Be that server."""
    from pbm.app import cli
    from pbm.service.robots import jobs
    from pbm.service.robots.worker_processes import Computation
    from pbm.store.values.queues import SearchKind

    folder = os.environ[FOLDER]

    def ask(*args: Any) -> Computation:
        return partial(think_slowly, folder, *handler.prepare(*args).args)

    handler = jobs.HANDLERS[SearchKind.MOVE]
    jobs.HANDLERS = {SearchKind.MOVE: replace(handler, prepare=ask)}  # type: ignore[misc]
    # What a dead process had leased is another's soon, which no test waits half a minute for.
    jobs.LEASE, jobs.EXTEND_EVERY = timedelta(seconds=5), 1.0
    cli.main(["serve", *os.environ.get("SLOW_ROBOT_WORDS", "").split()])
