"""What Prometheus reads: numbers of the database, of the log, and the alerts that they fire."""

import re
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

from pbm.app.observing import observed
from pbm.clock import system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.health import machine
from pbm.service.health.figures import note_backup
from pbm.service.health.metrics import count_line
from tests.e2e.ports import free_port
from tests.mail.wire.certificates import expire, issue
from tests.polling import until
from tests.table import Table

RULES = Path("contrib/prometheus/pbm.rules")
FIRED = Path(__file__).with_name("pbm.rules.test")
METRIC = re.compile(r"\bpbm_\w+")


@contextmanager
def watched(url: str, *stuck: str, **more: str) -> Iterator[str]:
    """The address of the metrics of a server with this database."""
    port = free_port()
    settings = Settings(database_url=url, metrics_listen=f"127.0.0.1:{port}", **more)
    with observed(settings, system_clock, lambda: list(stuck)):
        yield f"http://127.0.0.1:{port}"


def told(address: str) -> tuple[int, str]:
    try:
        with urlopen(address) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_numbers_of_the_database_and_of_the_log(table: Table) -> None:
    table.start("alice", "bob")
    with table.database.transaction() as work:
        note_backup(work, "/srv/backup", table.clock())
    line = {"event": "mail done", "seconds": 0.3, "refused": "not-your-move,off-board"}
    count_line(None, "info", dict(line))
    with watched(table.database.engine.url.render_as_string(hide_password=False)) as address:
        status, numbers = told(f"{address}/metrics")
    assert status == 200
    assert "\npbm_database_up 1.0\n" in numbers
    assert "\npbm_boards_playing 1.0\n" in numbers
    assert '\npbm_refusals_total{code="off-board"} ' in numbers
    assert "\npbm_turn_seconds_count " in numbers
    assert '\npbm_check_failed{what="role turn"} 1.0\n' in numbers
    for name in METRIC.findall(RULES.read_text(encoding="utf-8")):
        assert name in numbers or name == "pbm_certificate_left_seconds", name


def test_signs_of_life(database_url: str) -> None:
    with watched(database_url) as address:
        assert told(f"{address}/healthz") == (200, "ok\n")
        assert told(f"{address}/readyz") == (200, "ok\n")
        assert told(f"{address}/favicon.ico")[0] == 404
    with watched(database_url, "turn") as address:
        assert told(f"{address}/healthz") == (503, "The role turn stands still.\n")


def test_without_a_database(tmp_path: Path) -> None:
    with watched(f"sqlite:///{tmp_path / 'none' / 'pbm.sqlite3'}") as address:
        assert told(f"{address}/readyz")[0] == 503
        assert "\npbm_database_up 0.0\n" in told(f"{address}/metrics")[1]


def test_a_certificate_that_has_expired(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    for name in ("disks", "load_certificate"):
        at = partial(_noted, looked, getattr(machine, name))
        monkeypatch.setattr(machine, name, at)
    issued = issue(tmp_path)
    expire(issued)
    files = {"tls_cert": str(issued.certificate), "tls_key": str(issued.key)}
    with watched(f"sqlite:///{tmp_path / 'none' / 'pbm.sqlite3'}", **files) as address:
        until(
            lambda: "\npbm_certificate_left_seconds -" in told(f"{address}/metrics")[1], "its end"
        )
        looked.clear()
        told(f"{address}/metrics")
    assert sorted(looked) == ["disks", "load_certificate"]  # once each


def _noted(looked: list[str], function: Callable[..., object], *given: object) -> object:
    looked.append(function.__name__)
    return function(*given)


def test_a_port_that_is_taken(database_url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"
        settings = Settings(database_url=database_url, metrics_listen=listen)
        serving = observed(settings, system_clock, list)
        with pytest.raises(OperatorError, match="PBM_METRICS_LISTEN=127"), serving:
            pass


def test_the_alerts_fire() -> None:
    """Debian's promtool reads the rules, and lets hours pass over numbers."""
    for command in (["check", "rules", RULES], ["test", "rules", FIRED]):
        ran = subprocess.run(["promtool", *command], capture_output=True, text=True, check=False)
        assert ran.returncode == 0, ran.stdout + ran.stderr
    rules, fired = RULES.read_text(encoding="utf-8"), FIRED.read_text(encoding="utf-8")
    assert set(re.findall(r"alert: (\w+)", rules)) == set(re.findall(r"alertname: (\w+)", fired))
