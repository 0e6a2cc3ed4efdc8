"""The labelled board and the symbols on it."""

from pbm.rules import abalone as rules
from tests.rows import each_row


def test_six_players_are_digits() -> None:
    assert rules.start("standard", 6).drawn() == "\n".join(
        [
            "        1 2 3 4 5",
            "        / / / / / 6",
            "    A- . 1 1 1 . / 7",
            "   B- 6 . 1 1 . 2 / 8",
            "  C- 6 6 . 1 . 2 2 / 9",
            " D- 6 6 6 . . 2 2 2 /",
            "E- . . . . . . . . .",
            " F- 5 5 5 . . 3 3 3",
            "  G- 5 5 . 4 . 3 3",
            "   H- 5 . 4 4 . 3",
            "    I- . 4 4 4 .",
        ]
    )


@each_row(
    ("players", "symbols"),
    [(2, "ox"), (3, "123"), (4, "1234"), (5, "12345"), (6, "123456")],
)
def test_symbols(players: int, symbols: str) -> None:
    position = rules.start("bowl", players)
    assert "".join(rules.symbol(position, seat) for seat in position.seats) == symbols


def test_two_left_of_three_keep_their_digits() -> None:
    assert rules.symbol(rules.start("bowl", 3).leave(1), 2) == "2"


def test_the_fixed_marble_is_a_hash() -> None:
    plain = rules.start().drawn().split("\n")
    rows = rules.start(pillar=True).drawn().split("\n")
    assert rows[6] == "E- . . . . # . . . ."
    assert rows[:6] + rows[7:] == plain[:6] + plain[7:]
