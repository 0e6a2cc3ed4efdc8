"""`pbm-engine`: whole searches over two pipes, and nothing that can be sent stops it."""

import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pbm.rules import abalone as rules
from pbm.rules.abalone.engine import compiled, searching
from pbm.rules.abalone.engine.roots import DEEPEST, MOST_LINES
from pbm.rules.abalone.programs.engine import LONGEST_LINE, OPTIONS, Engine
from pbm.rules.contract import Budget
from tests.polling import PATIENCE, until

COMMAND = [sys.executable, "-m", "pbm.rules.abalone.programs.engine"]
MANUAL = Path(__file__).resolve().parents[2] / "docs" / "engine-protocol.md"
START = rules.start()


class Program:
    """A running `pbm-engine`; whatever it says waits until it is heard."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._said: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._said.put(line.rstrip("\n"))

    def told(self, *lines: str) -> None:
        """Send it some lines."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def says(self, beginning: str) -> list[str]:
        """What it says, until a line that begins so."""
        heard: list[str] = []
        while not (heard and heard[-1].startswith(beginning)):
            heard.append(self._said.get(timeout=PATIENCE))
        return heard

    def ends(self) -> list[str]:
        """What it still says after the end of its input."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(timeout=PATIENCE) == 0
        self._reader.join(timeout=PATIENCE)
        return list(self._said.queue)


@contextmanager
def running() -> Iterator[Program]:
    poor = {**os.environ, "PYTHONIOENCODING": "ascii"}  # a terminal that knows no other letters
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=poor
    ) as process:
        try:
            yield Program(process)
        finally:
            process.kill()


@pytest.fixture(scope="module")
def shared() -> Iterator[Program]:
    with running() as program:
        yield program


@pytest.fixture
def program(shared: Program) -> Program:
    """It thinks of nothing, and is at the start."""
    shared.told("newgame", "setoption name MultiPV value 1", "isready")
    assert shared.says("readyok") == ["readyok"]
    return shared


def fields(info: str) -> dict[str, str]:
    """The fields of an `info` that have one word each, and the line as `pv`."""
    head, _, line = info.partition(" pv ")
    assert re.fullmatch(
        r"info depth \d+ multipv \d+ score cp -?\d+ nodes \d+ time \d+ nps \d+", head
    )
    words = head.replace("score cp", "score").split()[1:]
    return dict(zip(words[::2], words[1::2], strict=True)) | {"pv": line}


def test_the_handshake(program: Program) -> None:
    program.told("uai")
    greeting = program.says("uaiok")
    assert greeting[0].startswith("id name pbm ")
    named = [line.split()[2] for line in greeting if line.startswith("option name ")]
    assert named == list(OPTIONS)


def test_a_number_of_nodes_finds_the_same_as_the_search_itself(program: Program) -> None:
    program.told("setoption name MultiPV value 2", "go nodes 400")
    *told, best = program.says("bestmove")
    found = searching.search([START], Budget(400), best=2)
    last = [fields(info) for info in told[-2:]]
    assert [one["pv"].split() for one in last] == [list(line.moves) for line in found.lines]
    assert [int(one["score"]) for one in last] == [line.score for line in found.lines]
    assert {one["nodes"] for one in last} == {str(found.nodes)}
    assert [one["multipv"] for one in last] == ["1", "2"]
    depths = [int(fields(info)["depth"]) for info in told[::2]]
    assert depths == [*range(1, found.depth + 1), found.depth]
    assert best == f"bestmove {found.lines[0].moves[0]}"


def test_positions_by_moves(program: Program) -> None:
    moves = ("a1-c3,d4", "i9-g7,h8")
    played = START
    for move in moves:
        played = played.play(rules.parse_move(move, played)).position
    state = f"State: {played.state()}"
    for line in (f"start moves {' '.join(moves)}", f"state {state.removeprefix('State: ')}"):
        program.told(f"position {line}", "show", "go depth 1")
        drawn = program.says("State: ")
        assert "\n".join(drawn) == f"{played.drawn()}\n{state}"
        move = program.says("bestmove")[-1].split()[1]
        played.play(rules.parse_move(move, played))


def test_starts_of_any_kind(program: Program) -> None:
    program.told("position start bowl 4 teams pillar", "show", "go depth 1")
    start = rules.start("bowl", 4, teams=True, pillar=True)
    assert program.says("State: ")[-1] == f"State: {start.state()}"
    assert program.says("bestmove")[-1] != "bestmove (none)"


def test_it_stops_while_it_thinks(program: Program) -> None:
    program.told("go infinite")
    program.says("info depth 2 ")
    program.told("isready", "position start", "go", "stop", "isready")
    heard = program.says("bestmove")
    answers = [line for line in heard if not line.startswith("info depth")]
    assert answers[0] == "readyok"
    assert answers[1:3] == ["info string error: it is thinking; send stop first."] * 2
    rules.parse_move(answers[3].removeprefix("bestmove "), START)
    assert program.says("readyok") == ["readyok"]


def test_the_plain_twin_stops_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "why_not", lambda: "it is away")
    said: list[str] = []
    engine = Engine(said.append)
    assert engine.obey(b"go")
    until(lambda: said, "a first depth")
    engine.stop()
    assert said[-1].startswith("bestmove ")


def test_an_end_that_is_found_waits_for_stop(program: Program) -> None:
    over = START.leave(2).state()
    program.told(f"position state {over}", "go infinite", "isready", "go depth 1", "stop")
    assert program.says("bestmove") == [
        "readyok",
        "info string error: it is thinking; send stop first.",
        "bestmove (none)",
    ]


def test_time_ends_it(program: Program) -> None:
    program.told("go movetime 1")
    assert program.says("bestmove")[-1] != "bestmove (none)"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("uci", "there is no 'uci'"),
        ("setoption name Hash value 3", "setoption needs: name NAME value NUMBER"),
        ("setoption name seed value -1", "Seed needs a whole number from 0 to"),
        (f"setoption name MultiPV value {MOST_LINES + 1}", f"MultiPV is from 1 to {MOST_LINES}"),
        ("position", "a position is: "),
        ("position state", "a position is: "),
        ("position state a b c d", "bad-state"),
        ("position start soup", "no board is called soup"),
        ("position start größer", r"no board is called gr\xf6\xdfer"),
        ("position start 7", "wrong-players"),
        ("position start 5 pillar", "centre-taken"),
        ("position start moves e5,e6", "empty-cell"),
        ("position start moves hello", "not-a-move"),
        ("x" * LONGEST_LINE, "a line has at most"),
    ],
    ids=lambda value: value[:30],
)
def test_errors(line: str, error: str, program: Program) -> None:
    program.told(line, "", "isready")
    first, last = program.says("readyok")
    assert first.startswith(f"info string error: {error}")
    assert last == "readyok"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ("nodes", "nodes needs a whole number"),
        ("nodes 0", "nodes is from 1"),
        ("depth 1.5", "depth needs a whole number"),
        (f"depth {DEEPEST + 1}", f"depth is from 1 to {DEEPEST}"),
        ("movetime -1", "movetime needs a whole number"),
        (f"nodes {'9' * 5000}", "nodes needs a whole number"),
        ("ponder", "after go there may be nodes, movetime, depth or infinite, not ponder"),
    ],
    ids=lambda value: value[:30],
)
def test_each_go_has_its_best_move(words: str, error: str, program: Program) -> None:
    program.told(f"go {words}")
    assert program.says("info")[0] == "bestmove (none)"
    program.told(f"go {words}")
    assert program.says("info")[-1].startswith(f"info string error: {error}")


def test_a_wrong_position_is_not_played_from(program: Program) -> None:
    program.told("position start moves a1,a1", "go depth 1", "show", "newgame", "go depth 1")
    heard = program.says("info depth")
    assert [line for line in heard if "not understood" not in line][1] == "bestmove (none)"
    assert len([line for line in heard if "not understood" in line]) == 2
    assert program.says("bestmove")[-1] != "bestmove (none)"


@pytest.mark.parametrize("go", ["go depth 2", "go infinite"])
def test_the_end_of_the_input_ends_it(go: str) -> None:
    with running() as program:
        program.told(go)
        assert program.ends()[-1].startswith("bestmove ")


def test_a_reader_who_goes_away_ends_it_quietly() -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE
    ) as process:
        os.close(reading)
        os.close(writing)
        _, errors = process.communicate(b"go depth 1\nisready\nisready\n", timeout=PATIENCE)
    assert (process.returncode, errors) == (1, b"")


def test_the_manual_names_every_order_and_the_limits(program: Program) -> None:
    program.told("nonsense")
    orders = program.says("info")[0].rstrip(".").partition("; ")[2].split(", ")
    manual = MANUAL.read_text("utf-8")
    assert len(orders) > 5
    for order in orders:
        assert re.search(rf"^- `{order}\b", manual, re.MULTILINE), order
    for _, least, most in OPTIONS.values():
        assert f"{least} to\n  {most}" in manual or f"{least} to {most}" in manual
    assert f"1 to {DEEPEST};" in manual
    assert f"at most {LONGEST_LINE} bytes" in manual
