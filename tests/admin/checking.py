"""What a check finds, and a process that gives signs of life."""

from collections.abc import Callable

from pbm.config import Settings
from pbm.service.health.results import CheckResult
from pbm.service.operator.checks import check
from pbm.service.running.heartbeat import Heart
from pbm.store.db import Database, UnitOfWork
from tests.table import Clock


def findings(settings: Settings, clock: Clock | None = None) -> dict[str, CheckResult]:
    return {finding.what: finding for finding in check(settings, clock or Clock())}


def finding(settings: Settings, what: str, clock: Clock | None = None) -> CheckResult:
    (found,) = (item for name, item in findings(settings, clock).items() if name.startswith(what))
    return found


def beats(
    settings: Settings, heart: Heart, how: Callable[[Heart, UnitOfWork], None] = Heart.beat
) -> None:
    database = Database(settings.database_url)
    with database.transaction() as work:
        how(heart, work)
    database.close()
