"""What a score in some games says of the difference in strength."""

import math
from dataclasses import dataclass

_NORMAL_95 = 1.96


@dataclass(frozen=True, slots=True)
class Score:
    """Games of a player against another, as the first of them sees them."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def games(self) -> int:
        """How many there were."""
        return self.won + self.drawn + self.lost

    @property
    def share(self) -> float:
        """Points for each game: a draw is half of one."""
        return (self.won + self.drawn / 2) / self.games

    def __add__(self, other: "Score") -> "Score":
        return Score(self.won + other.won, self.drawn + other.drawn, self.lost + other.lost)


def points_of(share: float) -> float:
    """The Elo difference that a share of the points stands for.

    >>> round(points_of(0.75)), points_of(0.5), points_of(1)
    (191, 0.0, inf)
    """
    if not 0 < share < 1:
        return math.copysign(math.inf, share - 0.5)
    return 400 * math.log10(share / (1 - share))


def interval(score: Score) -> tuple[float, float]:
    """The Elo differences between which the true one lies in 95 of 100 cases (Wilson's interval).

    >>> [round(points) for points in interval(Score(200, 0, 200))]
    [-34, 34]
    """
    games, share, z = score.games, score.share, _NORMAL_95
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    spread = share * (1 - share) / games + z * z / (4 * games * games)
    half = z * math.sqrt(spread) / (1 + z * z / games)
    return points_of(middle - half), points_of(min(1.0, middle + half))


def told(score: Score) -> str:
    """The difference with its error bars, as text; where all was won, what it exceeds.

    >>> told(Score(300, 0, 100)), told(Score(400, 0, 0)), told(Score(0, 0, 400))
    ('+191 (+152 to +230)', 'over +807', 'under -807')
    """
    low, high = interval(score)
    if score.share == 1:
        return f"over {low:+.0f}"
    if score.share == 0:
        return f"under {high:+.0f}"
    return f"{points_of(score.share):+.0f} ({low:+.0f} to {high:+.0f})"
