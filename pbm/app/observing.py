"""Serves metrics and signs of life over HTTP, for a monitor on the same machine."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from threading import Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.health.metrics import REGISTRY, StoredNumbers
from pbm.store.db import Database

_TEXT = ("Content-Type", "text/plain; charset=utf-8")
_SECONDS = 10  # until a silent client is left
_App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class _Quiet(WSGIRequestHandler):
    timeout = _SECONDS

    def log_message(self, *_: Any) -> None:
        """Log no request: a monitor asks every few seconds."""


@contextmanager
def observed(settings: Settings, clock: Clock, stuck: Callable[[], list[str]]) -> Iterator[None]:
    """Serve /metrics, /healthz and /readyz on PBM_METRICS_LISTEN in threads; if unset, nothing.

    `stuck` returns the roles of this process that have stood still. Raises OperatorError if the
    port cannot be opened.
    """
    address = settings.metrics_address
    if address is None:
        yield
        return
    # A database of its own: however many ask, they use up no connection of a role.
    with closing(Database(settings.database_url, reads_only=True)) as database:
        numbers = StoredNumbers(settings, database, clock)
        REGISTRY.register(numbers)
        try:
            with _serving(address, _pages(database, stuck)):
                yield
        finally:
            REGISTRY.unregister(numbers)


def _pages(database: Database, stuck: Callable[[], list[str]]) -> _App:
    metrics = make_wsgi_app(REGISTRY)

    def healthz() -> str:
        return " ".join(f"The role {role} stands still." for role in stuck())

    def readyz() -> str:
        try:
            with database.glance() as work:
                work.timers.next_due_at()
        except DBAPIError as error:
            return f"The database does not answer: {type(error.orig).__name__}."
        return healthz()

    looks = {"/healthz": healthz, "/readyz": readyz}

    def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO")
        if path == "/metrics":
            found: Iterable[bytes] = metrics(environ, start)
            return found
        look = looks.get(str(path))
        if look is None:
            start("404 Not Found", [_TEXT])
            return [b"There is /metrics, /healthz and /readyz.\n"]
        trouble = look()
        start("503 Service Unavailable" if trouble else "200 OK", [_TEXT])
        return [f"{trouble or 'ok'}\n".encode()]

    return answer


@contextmanager
def _serving(address: tuple[str, int], pages: _App) -> Iterator[None]:
    """Serve pages in threads. Raises OperatorError if the port cannot be opened."""
    host, port = address
    try:
        server = make_server(host, port, pages, ThreadingWSGIServer, handler_class=_Quiet)
    except OSError as error:
        raise OperatorError(f"PBM_METRICS_LISTEN={host}:{port}: {error.strerror}.") from error
    Thread(target=server.serve_forever, name="pbm-metrics", daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
