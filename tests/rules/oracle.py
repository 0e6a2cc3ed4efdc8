"""The rules of play a second time, naively, to hold `pbm.rules` against.

It is frozen: it changes only if the rules of play do.

Nothing here is shared with `pbm.rules`, not even the geometry: a board is a dictionary of cells,
(row, column) counted from 1, and a game speaks in the texts that both sides must agree on: state
lines and canonical moves. It tries every line in every direction and asks the rules one by one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

Cell = tuple[int, int]
Step = tuple[int, int]

ALL_CELLS: list[Cell] = [
    (row, column) for row in range(1, 10) for column in range(1, 10) if abs(row - column) < 5
]
ALL_STEPS: list[Step] = [(0, 1), (1, 1), (1, 0), (0, -1), (-1, -1), (-1, 0)]
FORWARD_IN_READING: list[Step] = [(0, 1), (1, 0), (1, 1)]
PARTNERS = {1: 3, 2: 4, 3: 1, 4: 2}
FIXED = 0
"""What stands on a cell with the fixed marble; other marbles are the number of their seat."""


def go(cell: Cell, step: Step) -> Cell:
    return cell[0] + step[0], cell[1] + step[1]


def every_line() -> Iterator[list[Cell]]:
    """All straight lines of one, two or three cells of the board, each from its first cell."""
    for cell in ALL_CELLS:
        yield [cell]
        for direction in FORWARD_IN_READING:
            second = go(cell, direction)
            third = go(second, direction)
            if second in ALL_CELLS:
                yield [cell, second]
            if third in ALL_CELLS:
                yield [cell, second, third]


ALL_LINES = list(every_line())


@dataclass
class Game:
    """A game that is going on: who stands where, and what was scored."""

    owner: dict[Cell, int | None]
    scores: list[int]
    turn: int | None
    out: set[int] = field(default_factory=set)
    quiet: int = 0
    won_by: list[int] | None = None
    teams: bool = False

    @property
    def seats(self) -> list[int]:
        return list(range(1, len(self.scores) + 1))

    def friends(self, seat: int) -> list[int]:
        """The seats of one side: a seat itself, and in teams its partner, in order."""
        return sorted([seat, PARTNERS[seat]]) if self.teams else [seat]

    def is_played(self, seat: int) -> bool:
        """Whether a player is left to move for a seat."""
        return any(friend not in self.out for friend in self.friends(seat))


def read_state(line: str) -> Game:
    """A game from its state line."""
    rows, turn, scores, flags = line.split(" ")
    signs = rows.replace("/", "")
    owner = {
        cell: {".": None, "#": FIXED}[sign] if sign in ".#" else int(sign)
        for cell, sign in zip(ALL_CELLS, signs, strict=True)
    }
    game = Game(owner, [int(score) for score in scores.split(",")], None)
    game.turn = None if turn == "-" else int(turn)
    for flag in flags.split(";"):
        name, _, value = flag.partition("=")
        if name == "out":
            game.out = {int(seat) for seat in value.split("+")}
        elif name == "quiet":
            game.quiet = int(value)
        elif name == "won":
            game.won_by = [int(seat) for seat in value.split("+")]
        elif name == "teams":
            game.teams = True
        elif name == "draw":
            game.won_by = []
    return game


def write_state(game: Game) -> str:
    """The state line of a game."""
    rows = []
    for row in range(1, 10):
        in_row = [cell for cell in ALL_CELLS if cell[0] == row]
        rows.append("".join(sign_of(game.owner[cell]) for cell in in_row))
    flags = ["teams"] if game.teams else []
    if game.out:
        flags.append("out=" + "+".join(str(seat) for seat in sorted(game.out)))
    if game.quiet > 0:
        flags.append("quiet=" + str(game.quiet))
    if game.won_by is not None:
        flags.append("won=" + "+".join(map(str, game.won_by)) if game.won_by else "draw")
    turn = "-" if game.turn is None else str(game.turn)
    scores = ",".join(str(score) for score in game.scores)
    return " ".join(["/".join(rows), turn, scores, ";".join(flags) or "-"])


def sign_of(marble: int | None) -> str:
    return "." if marble is None else "#" if marble == FIXED else str(marble)


def legal_moves(game: Game) -> list[str]:
    """The canonical texts of all legal moves, in no particular order."""
    return [] if game.turn is None else list(moves_of(game, game.turn))


def moves_of(game: Game, seat: int) -> Iterator[str]:
    """The canonical texts of the moves that a seat could make if it were its turn."""
    for line in ALL_LINES:
        if may_take(game, seat, line):
            for step in ALL_STEPS:
                if may_step(game, seat, line, step):
                    yield name(line, step)


def is_in_line(line: list[Cell], step: Step) -> bool:
    """Whether the first or the last cell of the line is where another one steps to."""
    return len(line) == 1 or go(line[0], step) == line[1] or go(line[1], step) == line[0]


def front_of(line: list[Cell], step: Step) -> Cell:
    """The one cell of a line in line that does not step onto the line itself."""
    (front,) = [cell for cell in line if go(cell, step) not in line]
    return front


def rear_of(line: list[Cell], step: Step) -> Cell:
    """The one cell of a line in line that no other one steps onto."""
    (rear,) = [cell for cell in line if all(go(other, step) != cell for other in line)]
    return rear


def is_enemy(game: Game, seat: int, other: int | None) -> bool:
    return other is not None and other != FIXED and other not in game.friends(seat)


def may_take(game: Game, seat: int, line: list[Cell]) -> bool:
    """Whether the marbles of a line are that seat's to move, with or without a partner's."""
    owners = [game.owner[cell] for cell in line]
    return seat in owners and all(owner in game.friends(seat) for owner in owners)


def may_step(game: Game, seat: int, line: list[Cell], step: Step) -> bool:
    """Whether nothing stands in the way of a line, or only what it can push."""
    if not is_in_line(line, step):
        targets = [go(cell, step) for cell in line]
        return all(cell in game.owner and game.owner[cell] is None for cell in targets)
    if game.owner[rear_of(line, step)] != seat:
        return False
    ahead = go(front_of(line, step), step)
    if ahead not in game.owner:
        return False
    enemies = 0
    while ahead in game.owner and is_enemy(game, seat, game.owner[ahead]):
        enemies += 1
        ahead = go(ahead, step)
    if ahead in game.owner and game.owner[ahead] is not None:
        return False
    return enemies < len(line)


def play(game: Game, text: str) -> tuple[Game, list[int]]:
    """The game after a legal move in canonical text, and the seats that lost a marble."""
    assert game.turn is not None
    line, step = read_move(text)
    moving = list(line)
    if is_in_line(line, step):
        ahead = go(front_of(line, step), step)
        while game.owner.get(ahead) is not None:
            moving.append(ahead)
            ahead = go(ahead, step)
    owner = dict(game.owner)
    for cell in moving:
        owner[cell] = None
    ejected = []
    for cell in moving:
        marble = game.owner[cell]
        assert marble is not None
        if go(cell, step) in owner:
            owner[go(cell, step)] = marble
        else:
            ejected.append(marble)
    scores = list(game.scores)
    for marble in ejected:
        if marble not in game.out:
            for friend in game.friends(game.turn):
                scores[friend - 1] += 1
    quiet = 0 if ejected else game.quiet + 1
    after = Game(owner, scores, game.turn, set(game.out), quiet, teams=game.teams)
    pass_turn(after)
    return after, ejected


def leave(game: Game, seat: int) -> Game:
    """The game after a seat has left it."""
    after = Game(dict(game.owner), list(game.scores), game.turn, game.out | {seat}, game.quiet)
    after.teams = game.teams
    if not is_over(after) and game.turn == seat and not after.is_played(seat):
        pass_turn(after)
    return after


def pass_turn(game: Game) -> None:
    """Give the turn to the next seat that can use it, or end the game."""
    if is_over(game):
        return
    assert game.turn is not None
    for offset in range(len(game.seats)):
        seat = (game.turn + offset) % len(game.seats) + 1
        if game.is_played(seat) and any(moves_of(game, seat)):
            game.turn = seat
            return
    game.turn = None
    game.won_by = []


def is_over(game: Game) -> bool:
    """Note the winner, if there is one."""
    remaining = [seat for seat in game.seats if game.is_played(seat)]
    on_board = [seat for seat in remaining if seat in game.owner.values()]
    if 6 in game.scores:
        game.won_by = [seat for seat in game.seats if game.scores[seat - 1] == 6]
    elif remaining == game.friends(remaining[0]):
        game.won_by = remaining
    elif on_board and set(on_board) <= set(game.friends(on_board[0])):
        game.won_by = game.friends(on_board[0])
    else:
        return False
    game.turn = None
    return True


def name(line: list[Cell], step: Step) -> str:
    """The canonical text of a move; the line comes in reading order."""
    first, last = line[0], line[-1]
    if is_in_line(line, step) and front_of(line, step) == first:
        first, last = last, first
    ends = cell_name(first) if len(line) == 1 else cell_name(first) + "-" + cell_name(last)
    return ends + "," + cell_name(go(first, step))


def cell_name(cell: Cell) -> str:
    return "?abcdefghi?"[cell[0]] + str(cell[1])


def read_move(text: str) -> tuple[list[Cell], Step]:
    """The line, in reading order, and the step of a canonical text."""
    cells = [("abcdefghi".index(r) + 1, int(c)) for r, c in re.findall("([a-i])([1-9])", text)]
    first, last, target = cells[0], cells[-2], cells[-1]
    step = (target[0] - first[0], target[1] - first[1])
    (line,) = [line for line in ALL_LINES if {line[0], line[-1]} == {first, last}]
    return line, step
