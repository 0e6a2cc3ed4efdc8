"""The search in plain Python. `core.c` is its twin, line for line.

Principal variation search: this is alpha-beta in which all moves but the first are tried with a
null window. Values are from the view of the side that moves. If the same side moves again, values
keep their sign. All sides but the root's play as one side. With `Ways.best_reply`, only one seat of
these sides moves between two moves of the root's side.
"""

from collections.abc import Callable, Iterator
from time import monotonic

from pbm.rules.abalone.board import RINGS, shifted
from pbm.rules.abalone.engine.boards import (
    CODE_MASK,
    NO_SIDE,
    NOBODY,
    SHAPES,
    SearchBoard,
    Table,
    mixed,
)
from pbm.rules.abalone.engine.judging import Judge, Ways, Weights
from pbm.rules.abalone.engine.roots import DEEPEST, Outlook, Root, SearchLimits, table_size

WIN = 1_010_000  # value of an immediate win; a later one is worth `PLY` less for each ply

PLY = 10
SURE = 1_000_000  # the least value of a win

_INFINITE = 2_000_000
_DEEPEST_PLY = 120
_EXACT, _LOWER, _UPPER = 0, 1, 2
_HISTORY_BITS = 14
_CLOCK = 255


class _StopError(Exception):
    """The search has used up its nodes or seconds."""


class _Search:
    def __init__(self, root: Root, weights: Weights, ways: Ways, limits: SearchLimits) -> None:
        self._ways = ways
        self._limits = limits
        self._table = Table(root, best_reply=bool(ways.best_reply))
        self._board = self._table.board(root.marbles, root.turn)
        self._judge = Judge(root, weights)
        self._tempo = weights.tempo
        self._size = table_size(limits.nodes)
        self._known: dict[int, tuple[int, int, int, int, int]] = {}
        self._history: dict[int, int] = {}
        self._killers = [[0, 0] for _ in range(_DEEPEST_PLY + 1)]
        self._gains = gains(weights)
        self._path: list[int] = []
        self._past = {self._table.board(*past).key for past in root.past}
        self._lines: list[list[int]] = [[] for _ in range(_DEEPEST_PLY + 2)]
        self._until = None if limits.seconds is None else monotonic() + limits.seconds
        self._bounded = False
        self.nodes = 0
        self.cut = False

    def find(self) -> Outlook:
        """Return the best lines, by iterative deepening until a limit is reached."""
        board = self._board
        self._path.append(board.key)
        moves = self._root_moves(board)
        wanted = min(self._limits.best, len(moves))
        lines: list[tuple[int, tuple[int, ...]]] = []
        reached = 0
        for depth in range(1, min(self._limits.depth, DEEPEST) + 1):
            self._bounded = depth > 1  # so that there always is a line
            found: list[tuple[int, tuple[int, ...]]] = []
            self._best: tuple[int, tuple[int, ...]] | None = None
            try:
                for number in range(wanted):
                    taken = {line[0] for _, line in found}
                    left = [move for move in moves if move not in taken]
                    guess = lines[number][0] if lines else None
                    found.append(self._aspire(board, left, depth, guess))
            except _StopError:
                if wanted == 1 and self._best:
                    lines = [self._best]
                break
            found.sort(key=lambda line: -line[0])
            lines, reached = found, depth
            if self._limits.told:
                self._limits.told(Outlook(tuple(lines), reached, self.nodes))
            first = [line[0] for _, line in lines]
            moves = first + [move for move in moves if move not in first]
            if all(WIN - abs(value) <= PLY * depth for value, _ in lines):
                break  # won or lost whatever is done, and no deeper search can tell more
        return Outlook(tuple(lines), reached, self.nodes, self.cut)

    def _root_moves(self, board: SearchBoard) -> list[int]:
        """Return the root's moves: first ejections, then other pushes, then the rest."""
        pushing, quiet = self._table.other_moves(board)
        classes = (self._table.ejections(board), pushing, quiet)
        keyed = []
        for number, moves in enumerate(classes):
            for move in moves:
                drawn = mixed(self._limits.seed << 16 ^ move) if self._limits.seed else 0
                keyed.append((number, -self._gains[move & CODE_MASK], drawn, move))
        keyed.sort(key=lambda entry: entry[:3])
        self._quiet_at_root = frozenset(quiet)
        return [move for *_, move in keyed]

    def _aspire(
        self, board: SearchBoard, moves: list[int], depth: int, guess: int | None
    ) -> tuple[int, tuple[int, ...]]:
        """Return the best value and its line. A narrow window around `guess` is tried first."""
        alpha, beta = -_INFINITE, _INFINITE
        margin = self._ways.aspiration
        if guess is not None and margin and depth > 3 and abs(guess) < SURE:
            alpha, beta = guess - margin, guess + margin
        while True:
            value, line = self._root(board, moves, depth, alpha, beta)
            if value <= alpha:
                alpha = -_INFINITE
            elif value >= beta:
                beta = _INFINITE
                moves = [line[0], *(move for move in moves if move != line[0])]
            else:
                return value, line

    def _root(
        self, board: SearchBoard, moves: list[int], depth: int, alpha: int, beta: int
    ) -> tuple[int, tuple[int, ...]]:
        best = -_INFINITE
        line: tuple[int, ...] = (moves[0],)
        for count, move in enumerate(moves):
            late = self._reduction(depth, count) if move in self._quiet_at_root else 0
            value = self._try(board, move, depth, max(alpha, best), beta, 0, count, late)
            if value > best:
                best = value
                if value > alpha:
                    line = (move, *self._lines[1])
                    self._best = value, line
                    if value >= beta:
                        break
        return best, line

    def _search(self, board: SearchBoard, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the value of a position, from the view of the side that moves in it."""
        self._count()
        self._lines[ply].clear()
        own = self._table.is_own(board.turn)
        if board.turn == NOBODY:
            if board.won == NO_SIDE:
                return 0
            return PLY * ply - WIN if board.won == self._table.own else WIN - PLY * ply
        key = board.key
        if key in self._path or key in self._past:
            return -self._ways.contempt if own else self._ways.contempt
        if depth <= 0 or ply >= _DEEPEST_PLY:
            return self._quiesce(board, own, alpha, beta, ply)
        is_open = beta - alpha > 1
        hint = 0
        known = self._known.get(key & self._size - 1)
        if known and known[0] == key:
            _, hint, value, known_depth, bound = known
            if known_depth >= depth and not is_open:
                if abs(value) >= SURE:
                    value += -PLY * ply if value > 0 else PLY * ply
                if (
                    bound == _EXACT
                    or (bound == _LOWER and value >= beta)
                    or (bound == _UPPER and value <= alpha)
                ):
                    return value
        self._path.append(key)
        value = self._best_of(board, own, depth, alpha, beta, ply, hint)
        self._path.pop()
        return value

    def _best_of(
        self, board: SearchBoard, own: bool, depth: int, alpha: int, beta: int, ply: int, hint: int
    ) -> int:
        is_narrow = beta - alpha == 1
        best = self._guess(board, own, depth, alpha) if is_narrow else -_INFINITE
        if best >= beta:
            return best
        skips_quiet = best > -_INFINITE
        best_move, first_alpha = 0, alpha
        tried: list[int] = []
        for count, (move, quiet) in enumerate(self._ordered(board, hint, ply, skips_quiet)):
            if quiet and is_narrow and best > -SURE and self._is_enough(depth, len(tried)):
                break
            late = self._reduction(depth, count) if quiet else 0
            value = self._try(board, move, depth, alpha, beta, ply, count, late)
            if value > best:
                best = value
                if value > alpha:
                    alpha, best_move = value, move
                    if not is_narrow:
                        self._lines[ply][:] = [move, *self._lines[ply + 1]]
                    if value >= beta:
                        if quiet:
                            self._reward(move, tried, depth, ply)
                        break
            if quiet:
                tried.append(move)
        bound = _LOWER if best >= beta else _EXACT if best > first_alpha else _UPPER
        self._keep(board.key, best_move or hint, best, depth, bound, ply)
        return best

    def _guess(self, board: SearchBoard, own: bool, depth: int, alpha: int) -> int:
        """Return a value by futility pruning, or -infinity if all moves must be searched."""
        if depth > 3 or abs(alpha) >= SURE:
            return -_INFINITE
        ways, still = self._ways, self._static(board, own)
        if ways.margin and still - ways.margin * depth > alpha:
            return still
        if ways.futility and depth == 1 and still + ways.futility <= alpha:
            return still + ways.futility
        return -_INFINITE

    def _try(
        self,
        board: SearchBoard,
        move: int,
        depth: int,
        alpha: int,
        beta: int,
        ply: int,
        count: int,
        late: int,
    ) -> int:
        """Return the value of `move`. After `count` other moves, a null window is tried first."""
        child = self._table.play(board, move)
        same = self._table.is_own(child.turn) == self._table.is_own(board.turn)
        if count:
            value = self._reply(child, same, depth - 1 - late, alpha, alpha + 1, ply)
            if late and value > alpha:
                value = self._reply(child, same, depth - 1, alpha, alpha + 1, ply)
            if value <= alpha or value >= beta or beta - alpha == 1:
                return value
        return self._reply(child, same, depth - 1, alpha, beta, ply)

    def _reply(
        self, child: SearchBoard, same: bool, depth: int, alpha: int, beta: int, ply: int
    ) -> int:
        if same:
            return self._search(child, depth, alpha, beta, ply + 1)
        return -self._search(child, depth, -beta, -alpha, ply + 1)

    def _quiesce(self, board: SearchBoard, own: bool, alpha: int, beta: int, ply: int) -> int:
        """Return the best value by ejections alone. It is at least the static value."""
        best = self._static(board, own)
        if best >= beta or not self._ways.quiescence or ply >= _DEEPEST_PLY:
            return best
        is_open = beta - alpha > 1
        alpha = max(alpha, best)
        for move in self._table.ejections(board):
            value = self._try(board, move, 1, alpha, beta, ply, 0, 0)
            if value > best:
                best = value
                if value > alpha:
                    alpha = value
                    if is_open:
                        self._lines[ply][:] = [move, *self._lines[ply + 1]]
                    if value >= beta:
                        break
        return best

    def _ordered(
        self, board: SearchBoard, hint: int, ply: int, skips_quiet: bool
    ) -> Iterator[tuple[int, bool]]:
        """Yield the moves to try, each with whether it is quiet. A legal `hint` comes first."""
        table = self._table
        hint_is_quiet = False
        if hint and table.is_legal(board, hint):
            hint_is_quiet = table.is_quiet(board, hint)
            if not (hint_is_quiet and skips_quiet):
                yield hint, hint_is_quiet
        for move in table.ejections(board):
            if move != hint:
                yield move, False
        pushing, quiet = table.other_moves(board)
        key = self._rank(ply)
        pushing.sort(key=key, reverse=True)
        for move in pushing:
            if move != hint:
                yield move, False
        if not skips_quiet:
            quiet.sort(key=key, reverse=True)
            for move in quiet:
                if move != hint:
                    yield move, True

    def _rank(self, ply: int) -> Callable[[int], int]:
        """Return the sort key of moves that eject nothing. A higher key is tried first."""
        first, second = self._killers[ply]
        history, gains = self._history, self._gains

        def rank(move: int) -> int:
            if move == first:
                return 2 << _HISTORY_BITS + 1
            if move == second:
                return 1 << _HISTORY_BITS + 1
            return history.get(move, 0) + gains[move & CODE_MASK]

        return rank

    def _reward(self, move: int, tried: list[int], depth: int, ply: int) -> None:
        """Rank a quiet move higher, since it caused a cutoff. Those in `tried` get lower."""
        killers = self._killers[ply]
        if killers[0] != move:
            killers[:] = move, killers[0]
        history, bonus = self._history, min(depth * depth, 400)
        before = history.get(move, 0)
        history[move] = before + bonus - (before * bonus >> _HISTORY_BITS)
        for other in tried:
            before = history.get(other, 0)
            history[other] = before - bonus - (before * bonus >> _HISTORY_BITS)

    def _keep(self, key: int, move: int, value: int, depth: int, bound: int, ply: int) -> None:
        if abs(value) >= SURE:
            value += PLY * ply if value > 0 else -PLY * ply
        self._known[key & self._size - 1] = key, move, value, depth, bound

    def _is_enough(self, depth: int, number: int) -> bool:
        """Return whether late move pruning skips the quiet moves after the first `number`."""
        patience = self._ways.patience
        return bool(patience) and depth <= 3 and number >= patience * (1 + depth * depth)

    def _reduction(self, depth: int, count: int) -> int:
        """Return by how many plies less deep a quiet move is searched, after `count` others."""
        if not self._ways.reductions or depth < 3 or count < 3:
            return 0
        if depth > 5 and count > 20:
            return 3
        return 2 if depth > 3 and count > 7 else 1

    def _static(self, board: SearchBoard, own: bool) -> int:
        value = self._judge.value(board.marbles, board.scores)
        return (value if own else -value) + self._tempo

    def _count(self) -> None:
        """Count a node, and stop if the nodes or the seconds are used up."""
        if self._bounded:
            if self.nodes >= self._limits.nodes:
                raise _StopError
            if not self.nodes & _CLOCK and (
                (self._limits.stop and self._limits.stop.value)
                or (self._until is not None and monotonic() >= self._until)
            ):
                self.cut = True
                raise _StopError
        self.nodes += 1


def search(root: Root, weights: Weights, ways: Ways, limits: SearchLimits) -> Outlook:
    """Return the best lines from a root. The game must not be over in the root."""
    return _Search(root, weights, ways, limits).find()


def gains(weights: Weights) -> dict[int, int]:
    """Map the code of each move to the gain of the move.

    The gain is how much more the marbles of the line are worth after it (`Weights.rings`).
    """
    values = tuple(zip(RINGS, weights.rings, strict=True))

    def worth(cells: int) -> int:
        return sum(value * (ring & cells).bit_count() for ring, value in values)

    return {
        code: worth(shifted(shape.line, shape.step)) - worth(shape.line)
        for code, shape in SHAPES.items()
    }
