"""Serves pages over HTTP/1.1, with a thread, an event loop and threads for pages of its own.

Nothing that a reader does here holds up mail: connections, headers, waits and work are bounded.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from queue import SimpleQueue
from threading import Thread
from typing import Any

import h11
import structlog
from sqlalchemy.exc import DBAPIError

from pbm.errors import OperatorError
from pbm.files import why_no_port
from pbm.web.pages import Answer, Pages
from pbm.web.rates import Network, Rates, asking

_SECONDS = 10.0  # for a request to come, for an answer to go, and between two requests
_MOST_CONNECTIONS, _MOST_OF_NETWORK = 256, 40
_MOST_WAITING = 64  # pages that are being made, or wait for a thread
_MOST_BYTES = 8_192  # of a request with its header
_THREADS = 2
_HEADERS = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-cache"),
)
_OF_BODY = (b"content-length", b"transfer-encoding")
_ALSO = {405: ("Allow", "GET, HEAD"), 429: ("Retry-After", "30"), 503: ("Retry-After", "30")}
_log = structlog.get_logger("pbm.web")


class _PageThreads(Executor):
    """Threads that end with the process, so that no stop of the server waits for a page."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        for number in range(_THREADS):
            Thread(target=self._run, name=f"pbm-web-page-{number}", daemon=True).start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        future = Future[Any]()
        self._asked.put(partial(_settle, future, partial(work, *args, **named)))
        return future

    def shutdown(self, *_: object, **__: object) -> None:
        for _thread in range(_THREADS):
            self._asked.put(None)

    def _run(self) -> None:
        while settle := self._asked.get():
            settle()


def _settle(future: Future[Any], work: Callable[[], Any]) -> None:
    if future.set_running_or_notify_cancel():
        try:
            future.set_result(work())
        except BaseException as error:  # noqa: BLE001 - raised at the caller
            future.set_exception(error)


class WebServer:
    """The door for browsers."""

    port: int  # known while it runs
    _loop: asyncio.AbstractEventLoop
    _stopping: asyncio.Event

    def __init__(self, pages: Pages, trusted: Sequence[Network]) -> None:
        self._pages, self._trusted = pages, trusted
        self._rates = Rates()
        self._threads = _PageThreads()
        self._waiting = 0
        self._connections: Counter[Network | None] = Counter()

    @contextmanager
    def running(self, host: str, port: int) -> Iterator["WebServer"]:
        """Serve until the block ends. Raises OperatorError if the port cannot be opened."""
        opened: Future[int] = Future()
        run = self._run(host, port, opened)
        thread = Thread(target=asyncio.run, args=(run,), name="pbm-web", daemon=True)
        thread.start()
        try:
            self.port = opened.result()
        except OSError as error:
            raise OperatorError(
                f"PBM_WEB_LISTEN={host}:{port}: {why_no_port(error)}. Name another address, or "
                "none for no pages."
            ) from error
        try:
            yield self
        finally:
            self._loop.call_soon_threadsafe(self._stopping.set)
            thread.join(_SECONDS)
            self._threads.shutdown()

    async def answers(self) -> None:
        """Return once the threads have done a piece of work; for another thread's event loop."""
        await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(self._work(), self._loop))

    async def _work(self) -> None:
        await self._loop.run_in_executor(self._threads, int)

    async def _run(self, host: str, port: int, opened: "Future[int]") -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        try:
            server = await asyncio.start_server(self._connected, host, port)
        except OSError as error:
            opened.set_exception(error)
            return
        opened.set_result(server.sockets[0].getsockname()[1])
        await self._stopping.wait()
        server.close()  # what still runs is cancelled at the end of the event loop

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = str(writer.get_extra_info("peername")[0])
        network, count = asking(peer, "", self._trusted), self._connections
        if count.total() >= _MOST_CONNECTIONS or (network and count[network] >= _MOST_OF_NETWORK):
            writer.transport.abort()
            return
        count[network] += 1
        writer.transport.set_write_buffer_limits(high=0)  # `drain` waits until all is sent
        try:
            await self._talk(reader, writer, peer)
            writer.close()
        except (OSError, TimeoutError, asyncio.CancelledError):  # cancelled when the loop ends
            writer.transport.abort()
        finally:
            count[network] -= 1
            if not count[network]:
                del count[network]

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, peer: str
    ) -> None:
        """Answer requests until the client or the protocol ends the connection."""
        connection = h11.Connection(h11.SERVER, max_incomplete_event_size=_MOST_BYTES)
        goes_on = True
        while goes_on:
            try:
                async with asyncio.timeout(_SECONDS):
                    request = await _next_request(connection, reader)
                if request is None:
                    return
                ends = isinstance(connection.next_event(), h11.EndOfMessage)
                # A proxy in front may see another end of a body, and so another next request.
                goes_on = ends and not any(_header(request, name) for name in _OF_BODY)
            except h11.RemoteProtocolError:
                request, goes_on = None, False
            answer = await self._answered(request, peer)
            known = _header(request, b"if-none-match") if request else ""
            async with asyncio.timeout(_SECONDS):
                writer.write(_written(connection, answer, known, goes_on, request))
                await writer.drain()
            if goes_on := goes_on and connection.our_state is h11.DONE:
                connection.start_next_cycle()

    async def _answered(self, request: h11.Request | None, peer: str) -> Answer:
        if request is None:
            return self._pages.told("broken", 400)
        forwarded = _header(request, b"x-forwarded-for")
        if not self._rates.take(asking(peer, forwarded, self._trusted)):
            return self._pages.told("often", 429)
        if request.method not in (b"GET", b"HEAD"):
            return self._pages.told("method", 405)
        if self._waiting >= _MOST_WAITING:
            return self._pages.told("busy", 503)
        path = request.target.decode("ascii", "replace").partition("?")[0]
        self._waiting += 1
        try:
            return await self._loop.run_in_executor(self._threads, self._page, path)
        finally:
            self._waiting -= 1

    def _page(self, path: str) -> Answer:
        try:
            return self._pages.answer(path)
        except DBAPIError as error:
            _log.warning("database away, no page", error=str(error.orig))
            return self._pages.told("away", 503)
        except Exception:  # noqa: BLE001 - a bug stops one page, not the others
            _log.exception("no page", path=path[:80])
            return self._pages.told("fault", 500)


async def _next_request(
    connection: h11.Connection, reader: asyncio.StreamReader
) -> h11.Request | None:
    """Return a request; None at the end. Raises RemoteProtocolError, also for a long header."""
    while (event := connection.next_event()) is h11.NEED_DATA:
        connection.receive_data(await reader.read(_MOST_BYTES))
    return event if isinstance(event, h11.Request) else None


def _header(request: h11.Request, name: bytes) -> str:
    return ",".join(value.decode("latin-1") for key, value in request.headers if key == name)


def _written(
    connection: h11.Connection,
    answer: Answer,
    known: str,
    goes_on: bool,
    request: h11.Request | None,
) -> bytes:
    """Return an answer's bytes; without its body if the client knows it or asks for the head."""
    is_known = answer.status == 200 and answer.tag in known
    status = 304 if is_known else answer.status
    headers = [("ETag", answer.tag)] if answer.status == 200 else []
    headers += [*_HEADERS, ("Content-Security-Policy", answer.policy)]
    if not is_known:
        headers += [("Content-Type", answer.kind), ("Content-Length", str(len(answer.body)))]
    headers += [_ALSO[status]] if status in _ALSO else []
    headers += [] if goes_on else [("Connection", "close")]
    parts = [
        connection.send(
            h11.Response(status_code=status, headers=headers, reason=HTTPStatus(status).phrase)
        )
    ]
    if not is_known and not (request and request.method == b"HEAD"):
        parts.append(connection.send(h11.Data(data=answer.body)))
    parts.append(connection.send(h11.EndOfMessage()))
    return b"".join(part or b"" for part in parts)
