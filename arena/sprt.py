"""Test whether this version is stronger than another: `python -m arena.sprt --against COMMIT`.

Both play through `pbm-engine`, each opening twice with the colours changed. A sequential
probability ratio test (Wald 1945) ends the match as soon as the pairs of games decide between two
Elo differences. The pairs are kept in a file, from which the same command goes on.
"""

import argparse
import hashlib
import json
import math
import shlex
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from arena.elo import Score, told
from arena.games import FOR_TWO, MOST_PLIES, OPENING_PLIES, Setup, after, opening
from arena.plan import FAST_NODES, Plan
from bench.checkout import HERE, checked_out
from pbm.rules.abalone import GAME
from pbm.rules.abalone.engine.compiling import SOURCE
from pbm.rules.contract import RulesError

_ERROR = 0.05  # the chance of either wrong decision
_LEAST_VARIANCE = 0.02  # of a share: a few equal results alone must not decide


class EngineError(Exception):
    """A program did not answer as `docs/engine-protocol.md` says."""


class EngineProcess:
    """A program that speaks the protocol of `pbm-engine`, on pipes; calls raise EngineError."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = shlex.join(command)
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )
        self._has_seed = any(line.startswith("option name Seed ") for line in self._ask("uai"))

    def begin(self) -> None:
        """Announce a game."""
        self._ask("newgame\nisready")

    def move(self, state: str, moves: Sequence[str], seed: int, limit: str) -> str:
        """Its move after these from a `State:` line, within a limit as for `go`."""
        since = f" moves {' '.join(moves)}" if moves else ""
        option = f"setoption name Seed value {seed}\n" if self._has_seed else ""
        return self._ask(f"{option}position state {state}{since}\ngo {limit}")[-1].split()[1]

    def _ask(self, text: str) -> list[str]:
        """Send lines; what it says, until the answer to the last of them."""
        assert self._process.stdin
        assert self._process.stdout
        last = text.splitlines()[-1]
        answer = {"uai": "uaiok", "isready": "readyok", "go": "bestmove "}[last.split()[0]]
        said = ["nothing"]
        with suppress(BrokenPipeError):
            self._process.stdin.write(f"{text}\n")
            for line in self._process.stdout:
                said.append(line.strip())
                if line.startswith(answer):
                    return said
                if not line.startswith(("id ", "option ", "info ")) or "string error" in line:
                    break
        self.close()
        raise EngineError(f"{self._command} said {said[-1]!r} to {last!r}, not {answer!r}")

    def close(self) -> None:
        """End the program."""
        self._process.kill()
        self._process.communicate()


@dataclass(frozen=True, slots=True)
class Bounds:
    """The two Elo differences between which the test decides."""

    low: float = 0
    high: float = 10

    def ratio(self, pairs: Sequence[float]) -> float:
        """The log-likelihood ratio of `high` over `low` for the shares of pairs of games.

        The generalised test with a normal approximation: pairs have fewer surprises than games.
        """
        number = len(pairs)
        if number < 2:
            return 0.0
        mean = sum(pairs) / number
        variance = max(_LEAST_VARIANCE, sum((share - mean) ** 2 for share in pairs) / number)
        low, high = share_of(self.low), share_of(self.high)
        return number * (high - low) * (2 * mean - low - high) / (2 * variance)

    def decision(self, pairs: Sequence[float]) -> str:
        """`accepted` or `refused` for `high`, or an empty text if the pairs do not decide yet."""
        limit = math.log((1 - _ERROR) / _ERROR)
        ratio = self.ratio(pairs)
        return "accepted" if ratio >= limit else "refused" if ratio <= -limit else ""


def share_of(elo: float) -> float:
    """The share of the points that an Elo difference stands for.

    >>> share_of(0), round(share_of(191), 2)
    (0.5, 0.75)
    """
    return 1 / (1 + 10 ** (-elo / 400))


@dataclass(frozen=True, slots=True)
class Trial:
    """This version's engine and the other one's, and what each is told after `go`."""

    engines: tuple[EngineProcess, EngineProcess]
    limits: tuple[str, str]

    def pair(self, setup: Setup, seed: int) -> list[float]:
        """This version's points in two games from one opening: first it begins, then the other."""
        return [self._game(setup, seed, (0, 1)), self._game(setup, seed, (1, 0))]

    def _game(self, setup: Setup, seed: int, seats: tuple[int, int]) -> float:
        positions, moves = opening(setup, seed)[-1:], list[str]()
        for engine in self.engines:
            engine.begin()
        while (turn := positions[-1].turn) and len(moves) < MOST_PLIES - OPENING_PLIES:
            player = seats[turn - 1]
            since = len(moves) - min(len(moves), GAME.reversible(positions[-1]))
            move = self.engines[player].move(
                positions[since].state(), moves[since:], seed, self.limits[player]
            )
            try:
                positions.append(after(positions[-1], positions[-1].parse(move, turn)))
            except RulesError as error:
                state = positions[-1].state()
                raise EngineError(f"{move} is no move in {state}: {error}") from error
            moves.append(move)
        outcome = positions[-1].outcome
        if outcome is None or not outcome.winners:
            return 0.5
        return float(seats[outcome.winners[0] - 1] == 0)


@contextmanager
def trials(commands: Sequence[Sequence[str]], limits: tuple[str, str]) -> Iterator[Trial]:
    """A trial whose two programs run until the end."""
    with ExitStack() as stack:
        engines = [stack.enter_context(closing(EngineProcess(command))) for command in commands]
        yield Trial((engines[0], engines[1]), limits)


def version() -> str:
    """The hash of this version's engine, so that pairs of another one do not count."""
    sources = (*sorted(SOURCE.parent.glob("*.py")), SOURCE)
    return hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:12]


def played(path: Path, key: str) -> dict[int, list[float]]:
    """The pairs that a file holds for this match, by their seeds."""
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    rows = map(json.loads, lines)
    return {row["seed"]: row["points"] for row in rows if row["match"] == key}


def run(
    trial: Trial, bounds: Bounds, seeds: Sequence[int], path: Path, key: str
) -> tuple[list[list[float]], str]:
    """Play pairs until they decide or the seeds are used up; the pairs, and the decision."""
    known = played(path, key)
    pairs: list[list[float]] = []
    decision = ""
    with path.open("a", encoding="utf-8") as file:
        for number, seed in enumerate(seeds):
            points = known.get(seed)
            if points is None:
                points = trial.pair(FOR_TWO[number % len(FOR_TWO)], seed)
                file.write(json.dumps({"match": key, "seed": seed, "points": points}) + "\n")
                file.flush()
            pairs.append(points)
            shares = [sum(points) / 2 for points in pairs]
            if decision := bounds.decision(shares):
                break
            if len(pairs) % 10 == 0:
                print(f"{report(pairs)}; ratio {bounds.ratio(shares):+.2f}", flush=True)
    return pairs, decision


def report(pairs: Sequence[Sequence[float]]) -> str:
    """The score of all games, and the Elo difference with its error bars."""
    games = [points for pair in pairs for points in pair]
    score = Score(games.count(1), games.count(0.5), games.count(0))
    return f"{score.won} won, {score.drawn} without a result, {score.lost} lost: Elo {told(score)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the match, and print its decision."""
    parser = argparse.ArgumentParser(prog="python -m arena.sprt", description=__doc__)
    other = parser.add_mutually_exclusive_group(required=True)
    other.add_argument("--against", help="a commit, or a folder with a checkout and its .venv")
    other.add_argument("--engine", help="the command of a program that speaks the protocol")
    parser.add_argument(
        "--go", default=f"nodes {FAST_NODES}", help="this version's limit, as `movetime 100`"
    )
    parser.add_argument("--their-go", help="the other's limit, if it is not the same")
    parser.add_argument("--bounds", type=float, nargs=2, default=(0, 10), metavar="ELO")
    parser.add_argument("--games", type=int, default=4_000, help="at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--file", type=Path, default=Path("sprt.jsonl"), help="of pairs played")
    chosen = parser.parse_args(arguments)
    limits = (chosen.go, chosen.their_go or chosen.go)
    bounds = Bounds(*chosen.bounds)
    seeds = Plan(chosen.seed).seeds("sprt", chosen.games // 2)
    here = [str(HERE.program.with_name("pbm-engine"))]
    with ExitStack() as stack:
        if chosen.engine:
            there = shlex.split(chosen.engine)
        else:
            checkout = stack.enter_context(checked_out(chosen.against))
            there = [str(checkout.program.with_name("pbm-engine"))]
        trial = stack.enter_context(trials((here, there), limits))
        key = f"{chosen.against or chosen.engine} {limits} {version()}"
        pairs, decision = run(trial, bounds, seeds, chosen.file, key)
    print(f"{report(pairs)}\n{bounds.high:+g} Elo is {decision or 'not decided'}", flush=True)


if __name__ == "__main__":
    main()
