"""Main program of a worker process. It imports little, so that it starts fast."""

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from traceback import format_exc

NICE = 19  # the lowest priority


def main(asked: int, lifeline: int) -> None:
    """Run the computations that the pipe `asked` sends; exit when the pipe `lifeline` closes."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # the server kills this process itself
    os.nice(NICE)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    with Connection(asked) as connection:
        while True:
            try:
                computation = connection.recv()
            except EOFError:
                return
            try:
                answer, trouble = computation(), None
            except Exception as error:  # noqa: BLE001 - sent to the server
                answer, trouble = None, (f"{type(error).__name__}: {error}", format_exc())
            connection.send((answer, trouble))


def _end_with(lifeline: int) -> None:
    os.read(lifeline, 1)  # returns when the server is gone, which has the pipe's other end
    os._exit(0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
