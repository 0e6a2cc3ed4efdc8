"""The commands for moves that are shown and kept, and played once their player says so."""

from collections.abc import Iterator

from pbm.commands.families.play import PlayMove, state_of
from pbm.commands.language.context import Context, which_board
from pbm.commands.language.declare import BoardCommand
from pbm.commands.language.words import BoardRef
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.plans import is_stopped
from pbm.store.values.asking import ErrandStatus, PendingCommands
from pbm.store.values.boards import Board


class Submit(PlayMove, group="play"):
    """See the board as your move would leave it; playing it waits for your word."""

    words = ("submit",)
    slips = frozenset()
    prefix = "sub"
    plainly = ""
    asks_first = True


class _Settle(BoardCommand):
    takes_login = True
    passes_over = frozenset("it the that this my move please on board".split())


class Confirm(_Settle, group="play"):
    """Play the move that you have submitted."""

    words = ("confirm",)
    covered_by_yes = True

    # The board's state and the move, in the line that is stored: `confirm 12#17 @STATE MOVE`.
    kept: tuple[str, str] | None = None

    def _read(self, words: list[str]) -> None:
        if words[1:2] and words[1].startswith("@"):
            self.kept, words = (words[1], " ".join(words[2:])), words[:1]
        super()._read(words)

    def run(self, context: Context) -> Iterator[Event]:
        if self.kept is None or self.board is None:
            yield from stored(submitted(context, self.board)).run(context)
            return
        board, (_, move) = context.own_game(self.board), self.kept
        mine = board.to_move is not None and board.to_move.player_id == context.player_id
        if not (mine and self.move_on(board)):
            raise Refusal("submit-void", number=board.id, move=move)
        context.work.questions.settle_submitted(context.player_id, board.id, ErrandStatus.DONE)
        yield from context.play(board, move)

    def move_on(self, board: Board) -> str | None:
        """Return the kept move if the board is as it was when it was submitted, else None."""
        state, move = self.kept or ("", "")
        is_same = (self.board, state) == (BoardRef(board.id, board.ply + 1), state_of(board))
        return move if is_same else None

    def question(self) -> str:
        kept, board = self.kept, self.board
        return f"Do you want to play {kept[1]} on board {board.number}?" if kept and board else ""

    def pinned(self, context: Context) -> str:
        return self.line if self.kept else submitted(context, self.board).lines[0]


class Drop(_Settle, group="play"):
    """Drop the move that you have submitted."""

    words = ("drop",)

    def run(self, context: Context) -> Iterator[Event]:
        errand = submitted(context, self.board)
        context.work.questions.settle_errand(errand, ErrandStatus.DROPPED)
        ref, kept = stored(errand).board, stored(errand).kept
        lines = [f"move #{ref.ply} on board {ref.number}: {kept[1]}"] if ref and kept else []
        told = {"lines": lines, "comment": list(errand.comment)}
        yield Answered("dropped", told, errand.board_id)

    def pinned(self, context: Context) -> str:
        return f"{self.words[0]} {submitted(context, self.board).board_id}"


def submitted(context: Context, board: BoardRef | None) -> PendingCommands:
    """Return the submitted move that is meant: on `board`, the mail's, or the only one.

    Of several those count that are not void. Raises Refusal, also if no board is named and an
    offer on it waits for an answer.
    """
    work = context.work
    found = {it.board_id: it for it in work.questions.submitted(context.player_id) if it.board_id}
    named = board.number if board else next((it for it in context.hints if it in found), None)
    numbers = [number for number in found if named in (None, number)]
    if len(numbers) > 1:
        boards = work.boards.get_many(numbers)
        fit = [board for board in boards if stored(found[board.id]).move_on(board)]
        if len(fit) != 1:
            raise which_board(fit or boards)
        numbers = [fit[0].id]
    if not numbers:
        raise Refusal("nothing-submitted", number=named)
    if board is None and is_stopped(work.boards.get(numbers[0]), context.player_id):
        raise Refusal("submitted-or-offered", number=numbers[0])
    return found[numbers[0]]


def stored(errand: PendingCommands) -> Confirm:
    word, *words = errand.lines[0].split()
    return Confirm.parse(word, words)


def waiting_on(context: Context, board: Board) -> str | None:
    """Return the move that the player has submitted on a board and can confirm now, or None."""
    found = context.work.questions.submitted(context.player_id)
    return next(filter(None, (stored(item).move_on(board) for item in found)), None)
