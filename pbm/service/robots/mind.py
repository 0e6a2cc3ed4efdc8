"""A process that thinks: it computes what it is asked, one thing after another, at low priority.

Started by `pbm.service.robots.minds`. It imports nothing of the server: what a question needs comes
with the question.
"""

import os
import signal
import sys
import threading
from multiprocessing.connection import Connection
from traceback import format_exc

NICE = 19  # others go first


def main(asked: int, lifeline: int) -> None:
    """Answer questions from the connection `asked`, until `lifeline` ends with who has the other
    end of it."""
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, signal.SIG_IGN)  # the server says when it is over
    os.nice(NICE)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    with Connection(asked) as connection:
        while True:
            try:
                function, args = connection.recv()
            except EOFError:
                return
            try:
                answer, trouble = function(*args), None
            except Exception as error:  # noqa: BLE001 - whoever asked hears of it
                answer, trouble = None, (f"{type(error).__name__}: {error}", format_exc())
            connection.send((answer, trouble))


def _end_with(lifeline: int) -> None:
    """End at once when the server does, however that came."""
    os.read(lifeline, 1)
    os._exit(0)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
