"""Runs tests on a broken copy of the program: a program of its own, in the copy's folder.

It has loaded whatever imports no broken file, and forks for each mutant; so a run takes some one or
two seconds of a processor. Its only word is the mutants, as JSON.
"""

import json
import os
import resource
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

_LOADED = "hypothesis jinja2 PIL.Image psycopg sqlalchemy.dialects.postgresql structlog".split()
_LOADED += "alembic.context alembic.command argon2 openskill orjson selectolax asyncio".split()
_LOADED += "pbm.rules.abalone pbm.mail.site pbm.mail.smtp_in.handler".split()
_LOADED += "pbm.mail.reading.inbound pbm.mail.writing.render pbm.store.schema".split()
_MOST_SECONDS = 60  # of a processor; for what runs in circles
_OPTIONS = "-q -x --tb=line -p no:randomly -p no:xdist -p no:cacheprovider".split()


def main() -> None:
    """Note for each mutant how pytest ended, and which tests failed."""
    for name in _LOADED:
        import_module(name)
    for mutant in json.loads(sys.argv[1]):
        file = Path("pbm", mutant["file"])
        if ".".join(file.with_suffix("").parts) in sys.modules:
            raise ImportError(f"{file} is loaded already, so no fork would see how it is broken")
        whole = file.read_text("utf-8")
        file.write_text(whole.replace(mutant["old"], mutant["new"]), "utf-8")
        child = os.fork()
        if not child:
            _run(mutant)
        os.waitpid(child, 0)
        file.write_text(whole, "utf-8")


def _run(mutant: dict[str, Any]) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (_MOST_SECONDS, _MOST_SECONDS))
    os.environ["TESTS_LENT"] = mutant["lent"]
    noted = _Failed()
    ended = pytest.main([*_OPTIONS, *mutant["tests"]], plugins=[noted])
    found = {"ended": int(ended), "failed": noted.names}
    Path(mutant["told"]).write_text(json.dumps(found), "utf-8")
    os._exit(0)


class _Failed:
    """The tests that failed, apart from those whose fixtures did."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and report.when == "call":
            self.names.append(report.nodeid)


if __name__ == "__main__":
    main()
