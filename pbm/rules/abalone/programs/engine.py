"""`pbm-engine`: plays matches against other programs. Its manual is `docs/engine-protocol.md`."""

import sys
import time
from collections.abc import Callable, Sequence
from ctypes import c_int32
from dataclasses import dataclass, field
from functools import partial
from threading import Event, Lock, Thread
from typing import BinaryIO

from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.engine.searching import search
from pbm.rules.abalone.layouts import BOARDS, LAYOUT, start
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePosition, parse_state
from pbm.rules.abalone.programs import read_lines, run_program
from pbm.rules.contract import Budget, RulesError, SearchResult
from pbm.version import version

_NO_MOVE = "(none)"

LONGEST_LINE = 1 << 20  # bytes with the newline

MOST = {"nodes": 10**15, "movetime": 10**9, "depth": DEEPEST}
"""The largest number after each word of `go`; `movetime` is in milliseconds."""

OPTIONS = {"MultiPV": (1, 1, MOST_LINES), "Seed": (0, 0, 2**32 - 1)}  # default, least, greatest

_STATE_WORDS = 4


class OrderError(ValueError):
    """A line that the engine cannot obey. The error's text is a sentence."""


def read_position(words: Sequence[str]) -> list[AbalonePosition]:
    """Return the position of a `position` command and those after its moves. Raises OrderError."""
    kind, *rest = words or ("",)
    at = rest.index("moves") if "moves" in rest else len(rest)
    set_up, moves = rest[:at], rest[at + 1 :]
    try:
        positions = [_set_up(kind, set_up)]
        for move in moves:
            positions.append(positions[-1].play(parse_move(move, positions[-1])).position)
    except RulesError as error:
        raise OrderError(f"{error}") from error
    return positions


def _set_up(kind: str, words: Sequence[str]) -> AbalonePosition:
    """Return the position that a `position` command sets up. Raises OrderError, RulesError."""
    if kind == "state" and len(words) == _STATE_WORDS:
        return parse_state(" ".join(words))
    if kind != "start":
        raise OrderError("a position is: state LINE [moves ...], or: start [BOARD] [moves ...]")
    board, players = None, None
    for word in words:
        if word.isascii() and word.isdecimal() and len(word) == 1:
            players = int(word)
        elif word not in ("teams", "pillar"):
            board = LAYOUT.find(word)
            if board is None:
                raise OrderError(f"no board is called {word}; there are {', '.join(BOARDS)}")
    return start(board, players, teams="teams" in words, pillar="pillar" in words)


def read_go(words: Sequence[str]) -> Budget | None:
    """Return the limits in a `go` command; None for a search until `stop`. Raises OrderError."""
    numbers: dict[str, int] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word in MOST:
            numbers[word] = _number(word, rest.pop(0) if rest else "", 1, MOST[word])
        elif word != "infinite":
            raise OrderError(f"after go there may be {', '.join(MOST)} or infinite, not {word}")
    if "infinite" in words or not numbers:
        return None
    milliseconds = numbers.get("movetime")
    return Budget(
        numbers.get("nodes", MOST["nodes"]),
        milliseconds / 1000 if milliseconds else None,
        numbers.get("depth"),
    )


def _number(name: str, text: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most))):
        raise OrderError(f"{name} needs a whole number from {least} to {most}")
    if not least <= int(text) <= most:
        raise OrderError(f"{name} is from {least} to {most}")
    return int(text)


@dataclass(eq=False)
class SearchThread:
    """One search in a thread of its own. Its last output line is `bestmove`."""

    positions: Sequence[AbalonePosition]
    budget: Budget | None
    best: int
    seed: int
    say: Callable[[str], None]
    over: bool = field(default=False, init=False)  # the search has ended

    def __post_init__(self) -> None:
        self._began = time.monotonic()
        self._stop = c_int32(0)
        self._stopped = Event()
        self._thread = Thread(target=self._think)
        self._thread.start()

    def stop(self) -> None:
        """Stop the search, and wait until it has written its `bestmove`."""
        self._stop.value = 1
        self._stopped.set()
        self._thread.join()

    def finish(self) -> None:
        """Wait for the end of the search. A search without a budget is stopped."""
        if self.budget is None:
            self.stop()
        self._thread.join()

    def _think(self) -> None:
        try:
            found = search(
                self.positions,
                self.budget or Budget(MOST["nodes"]),
                best=self.best,
                seed=self.seed,
                stop=self._stop,
                told=self._tell,
            )
            self._tell(found)
            if self.budget is None:
                self._stopped.wait()
        finally:
            self.over = True
        # Last, since the other program may go on at once.
        self.say(f"bestmove {found.lines[0].moves[0] if found.lines else _NO_MOVE}")

    def _tell(self, found: SearchResult) -> None:
        seconds = time.monotonic() - self._began
        rate = round(found.nodes / seconds) if seconds else 0
        for number, line in enumerate(found.lines, 1):
            self.say(
                f"info depth {found.depth} multipv {number} score cp {line.score}"
                f" nodes {found.nodes} time {round(1000 * seconds)} nps {rate}"
                f" pv {' '.join(line.moves)}"
            )


class Engine:
    """The state of `pbm-engine`. `say` is called with each line of its answers."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._positions = [start()]  # none after an invalid one, so that it is not searched
        self._options = {name: usual for name, (usual, _, _) in OPTIONS.items()}
        self._thinking: SearchThread | None = None
        self._orders: dict[str, Callable[[list[str]], None]] = {
            "uai": self._greet,
            "isready": lambda _: self._say("readyok"),
            "newgame": lambda _: self._read_position(["start"]),
            "setoption": self._set,
            "position": self._read_position,
            "go": self._go,
            "stop": lambda _: self.stop(),
            "show": self._show,
        }

    def obey(self, line: bytes) -> bool:
        """Obey a line. Return False if it is `quit`, else True."""
        word, *words = line.decode(errors="replace").split() or ("",)
        if word == "quit":
            return False
        try:
            if len(line) > LONGEST_LINE:
                raise OrderError(f"a line has at most {LONGEST_LINE} bytes")
            if word and word not in self._orders:
                raise OrderError(f"there is no {word[:20]!r}; {', '.join(self._orders)}, quit")
            if word:
                self._orders[word](words)
        except OrderError as error:
            self._say(f"info string error: {error}.")
        return True

    def finish(self) -> None:
        if self._thinking:
            self._thinking.finish()

    def stop(self) -> None:
        if self._thinking:
            self._thinking.stop()

    def _greet(self, _: list[str]) -> None:
        self._say(f"id name pbm {version()}")
        self._say("id author the authors of pbm")
        for name, (usual, least, most) in OPTIONS.items():
            self._say(f"option name {name} type spin default {usual} min {least} max {most}")
        self._say("uaiok")

    def _set(self, words: list[str]) -> None:
        self._check_idle()
        by_name = {name.lower(): name for name in OPTIONS}
        match words:
            case ["name", name, "value", number] if name.lower() in by_name:
                name = by_name[name.lower()]
                _, least, most = OPTIONS[name]
                self._options[name] = _number(name, number, least, most)
            case _:
                names = ", ".join(OPTIONS)
                raise OrderError(f"setoption needs: name NAME value NUMBER; a name is {names}")

    def _read_position(self, words: list[str]) -> None:
        self._check_idle()
        self._positions = []
        self._positions = read_position(words)

    def _go(self, words: list[str]) -> None:
        self._check_idle()
        try:
            self._check_understood()
            budget = read_go(words)
        except OrderError:
            self._say(f"bestmove {_NO_MOVE}")  # each go has a bestmove
            raise
        self._thinking = SearchThread(
            self._positions, budget, self._options["MultiPV"], self._options["Seed"], self._say
        )

    def _show(self, _: list[str]) -> None:
        self._check_understood()
        self._say(self._positions[-1].drawn())
        self._say(f"State: {self._positions[-1].state()}")

    def _check_understood(self) -> None:
        if not self._positions:
            raise OrderError("the last position was not understood")

    def _check_idle(self) -> None:
        if self._thinking and not self._thinking.over:
            raise OrderError("it is thinking; send stop first")


class Speaker:
    """Writes lines to standard output, for any thread. Lines are dropped if the pipe is closed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.is_heard = True

    def __call__(self, text: str) -> None:
        with self._lock:
            try:
                if self.is_heard:
                    # A line may quote characters that the locale cannot encode.
                    sys.stdout.write(f"{text.encode('ascii', 'backslashreplace').decode()}\n")
                    sys.stdout.flush()
            except BrokenPipeError:
                self.is_heard = False


def run(requests: BinaryIO, say: Speaker) -> None:
    """Obey lines until `quit` or the end of the input. Raises BrokenPipeError if nobody listens."""
    engine = Engine(say)
    try:
        for line in read_lines(requests, LONGEST_LINE):
            if not engine.obey(line) or not say.is_heard:
                break
        else:
            engine.finish()
    finally:
        engine.stop()
    if not say.is_heard:
        raise BrokenPipeError


def main(arguments: Sequence[str] | None = None) -> int:
    about = (
        "Plays Abalone against other programs, by lines of text such as"
        " `position start bowl moves a1,b2` and `go movetime 1000`."
    )
    return run_program("pbm-engine", about, arguments, partial(run, sys.stdin.buffer, Speaker()))


if __name__ == "__main__":
    sys.exit(main())
