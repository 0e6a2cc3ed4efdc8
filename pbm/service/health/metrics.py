"""The server in numbers for Prometheus: what is stored, and what this process has logged."""

from collections import Counter as Counts
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from threading import Lock

from prometheus_client import CollectorRegistry, Counter, Histogram, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from sqlalchemy.exc import DBAPIError
from structlog.typing import EventDict

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.health.figures import last_backup
from pbm.service.health.machine import Machine
from pbm.service.health.results import CheckResult
from pbm.service.health.stored import stored_results
from pbm.service.running.hold import hold_of
from pbm.store.db import Database, UnitOfWork
from pbm.store.values.mails import InboxStatus, OutboxStatus

REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
_EVENTS = Counter("pbm_events", "Lines of the log.", ["event", "level"], registry=REGISTRY)
_TURNS = Histogram("pbm_turn_seconds", "Time that turns took.", registry=REGISTRY)
_REPLIES = Counter(
    "pbm_replies", "Replies of the next server, by code.", ["code"], registry=REGISTRY
)
_REFUSALS = Counter("pbm_refusals", "Refused commands, by code.", ["code"], registry=REGISTRY)


def count_line(_logger: object, level: str, line: EventDict) -> EventDict:
    """Count a line of the log: a processor for structlog, which changes nothing of the line."""
    _EVENTS.labels(line["event"], level).inc()
    if "seconds" in line and line["event"] == "mail done":
        _TURNS.observe(line["seconds"])
    if "code" in line:
        _REPLIES.labels(line["code"]).inc()
    if line["event"] == "mail done" and line.get("refused"):
        for code in line["refused"].split(","):
            _REFUSALS.labels(code).inc()
    return line


class StoredNumbers(Collector):
    """What the database and this machine tell when they are asked. It asks at each scrape."""

    def __init__(self, settings: Settings, database: Database, clock: Clock) -> None:
        self._settings = settings
        self._database = database
        self._clock = clock
        self._asking = Lock()  # one scrape at a time, however many ask

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics; without a database `pbm_database_up` 0, and those of the machine."""
        with self._asking:
            yield from self._collect()

    def _collect(self) -> Iterator[Metric]:
        now = self._clock()
        machine = Machine(self._settings, now)
        results = machine.results()
        found: list[Metric] = []
        try:
            with self._database.reading() as work:
                found += self._stored(work, now)
                results += stored_results(work, self._clock, self._settings.front_name)
        except DBAPIError:
            found.clear()
        yield GaugeMetricFamily("pbm_database_up", "Whether it answers.", float(bool(found)))
        yield from found
        yield _failed(results)
        yield from self._of_machine(machine, now)

    def _stored(self, work: UnitOfWork, now: datetime) -> Iterator[Metric]:
        def age(name: str, what: str, since: datetime | None) -> Metric:
            seconds = (now - since).total_seconds() if since else 0.0
            return GaugeMetricFamily(f"pbm_{name}_seconds", what, max(0.0, seconds))

        def count(name: str, what: str, number: int) -> Metric:
            return GaugeMetricFamily(f"pbm_{name}", what, number)

        came, goes = work.inbox.longest_waiting(), work.outbox.longest_waiting()
        thinks, due_at = work.search_jobs.longest_waiting(), work.timers.next_due_at()
        yield count("boards_playing", "Boards that are played on.", work.counts.boards())
        yield count("inbox_waiting", "Mails to obey.", work.inbox.count(InboxStatus.NEW))
        yield age("inbox_oldest", "Age of the oldest of them.", came and came[1])
        yield count("inbox_stuck", "Mails put aside.", work.inbox.count(InboxStatus.STUCK))
        yield count("outbox_waiting", "Mails to send.", work.outbox.count(OutboxStatus.DUE))
        yield age("outbox_oldest", "Age of the oldest of them.", goes and goes[1])
        yield count("outbox_failed", "Mails given up.", work.outbox.count(OutboxStatus.FAILED))
        yield age("timers_late", "By how much the next timer is late.", due_at)
        yield count("timers_stuck", "Timers put aside.", work.timers.count(stuck=True))
        yield count("robots_waiting", "Positions to think about.", work.search_jobs.count())
        yield age("robots_oldest", "Age of the oldest of them.", thinks and thinks[1])
        yield count("database_bytes", "Size of the database.", work.counts.bytes_stored())
        hold = hold_of(work)
        yield age("held", "Since when it is held.", hold.since if hold else None)
        if made := last_backup(work):
            yield age("backup_age", "Age of the last backup.", made)

    def _of_machine(self, machine: Machine, now: datetime) -> Iterator[Metric]:
        free = GaugeMetricFamily("pbm_disk_free_bytes", "Free room.", labels=["folder"])
        with suppress(OperatorError, OSError):
            for disk in machine.disks:
                free.add_metric([str(disk.folder)], disk.free)
        yield free
        if self._settings.tls_cert:
            with suppress(OperatorError):
                left = (machine.certificate[1] - now).total_seconds()
                yield GaugeMetricFamily("pbm_certificate_left_seconds", "Until it ends.", left)


def _failed(results: Iterable[CheckResult]) -> Metric:
    family = GaugeMetricFamily(
        "pbm_check_failed", "1 where `pbm-admin check` says FAIL.", labels=["what"]
    )
    failed = Counts[str]()
    for result in results:  # several are of disks
        failed[result.what] += not result.good
    for what, number in failed.items():
        family.add_metric([what], float(number > 0))
    return family
