"""Games that players play out: how they begin, and how they end."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from arena.opponents import Player
from pbm.rules.abalone import GAME
from pbm.rules.abalone.board import LineMove
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import completed

OPENING_PLIES = 4
MOST_PLIES = 400
"""A game that is not over after so many plies has no result."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The board that a game starts from."""

    layout: str
    seats: int = 2
    teams: bool = False

    def start(self) -> AbalonePosition:
        """The first position."""
        chosen = {"layout": self.layout, "teams": self.teams}
        return GAME.start(self.seats, completed(GAME.info.options, chosen))


FOR_TWO = (Setup("standard"), Setup("bowl"))


@dataclass(frozen=True, slots=True)
class Match:
    """A game to be played: who sits where, and the seed of the opening and of all thoughts."""

    setup: Setup
    players: tuple[Player, ...]
    seed: int
    most: int = MOST_PLIES
    opening: int = OPENING_PLIES


@dataclass(frozen=True, slots=True)
class Result:
    """How a game went: the winning seats, none where there is no winner, and all its positions."""

    winners: tuple[int, ...]
    positions: tuple[AbalonePosition, ...]

    @property
    def plies(self) -> int:
        """How many plies were played."""
        return len(self.positions) - 1

    @property
    def is_over(self) -> bool:
        """Whether the game came to its end."""
        return not self.positions[-1].to_move


def opening(setup: Setup, seed: int, plies: int = OPENING_PLIES) -> list[AbalonePosition]:
    """The positions of some random plies from the start."""
    dice = random.Random(f"opening {seed}")
    positions = [setup.start()]
    for _ in range(plies):
        positions.append(after(positions[-1], dice.choice(positions[-1].legal_moves())))
    return positions


def play(match: Match) -> Result:
    """Play a game out, as long as it may last."""
    positions = opening(match.setup, match.seed, match.opening)
    while positions[-1].to_move and len(positions) <= match.most:
        now = positions[-1]
        player = match.players[now.to_move[0] - 1]
        known = positions[-1 - GAME.reversible(now) :]
        move = now.parse(player(known, match.seed), now.to_move[0])
        positions.append(after(now, move))
    outcome = positions[-1].outcome
    return Result(outcome.winners if outcome else (), tuple(positions))


def leaders_of(match: Match) -> tuple[int, ...]:
    """Play a game out; who won, or has most points where nobody did."""
    result = play(match)
    scores = result.positions[-1].scores
    most = tuple(seat for seat, score in enumerate(scores, 1) if score == max(scores))
    return result.winners or most


def winners_of(match: Match) -> tuple[tuple[int, ...], int, bool]:
    """Play a game out; who won, in how many plies, and whether it came to its end."""
    result = play(match)
    return result.winners, result.plies, result.is_over


def after(position: AbalonePosition, move: LineMove) -> AbalonePosition:
    """The position after a legal move."""
    return position.play_legal(move).position


def seated(one: Player, others: Player, seat: int, seats: int) -> tuple[Player, ...]:
    """One player at a seat, and the same other one at all the rest."""
    return tuple(one if number == seat else others for number in range(1, seats + 1))


def both_ways(first: Player, second: Player, seeds: Sequence[int]) -> list[Match]:
    """For each seed a pair of games with the colours changed, the boards in turn."""
    return [
        Match(FOR_TWO[number % len(FOR_TWO)], players, seed)
        for number, seed in enumerate(seeds)
        for players in ((first, second), (second, first))
    ]
