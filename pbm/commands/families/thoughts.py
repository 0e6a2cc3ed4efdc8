"""Commands answered by a robot: a hint, and the analysis of a game."""

from collections.abc import Iterator

from pbm.commands.language.context import Context
from pbm.commands.language.declare import BoardCommand
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.advice import (
    analysis_params,
    ask_analysis,
    ask_hint,
    check_analysable,
    kept_analysis,
    played_elsewhere,
)
from pbm.store.values.boards import Board


class Hint(BoardCommand, group="play"):
    """Get a hint against robots: a move that is good here, and why.

    It is for your own move in a game that is not rated and in which all your opponents are robots:
    `challenge pebble -unrated` begins one. The strongest robot thinks about the board, and what it
    would play comes as a mail of its own, mostly within seconds. Nothing is played for you: answer
    with that move, or with another. You get 30 hints in 24 hours.
    """

    words = ("hint",)
    examples = ("hint", "hint 12")

    def run(self, context: Context) -> Iterator[Event]:
        """Ask for a hint."""
        board = context.own_game(self.board)
        yield ask_hint(context.work, board, context.player, context.now)


class Analyse(BoardCommand, group="look"):
    """Learn where a game that is over was won and lost.

    A robot looks at each move of all players beside the best one that it finds. A mail tells the
    three moves that cost most, what would have been better and why, and how the game would best
    have gone on after its last move. That takes some minutes. It is kept, so whoever asks for it
    later gets it at once, and `export` puts the better moves into the record as comments. You can
    have 3 games analysed in 24 hours; those that have been already do not count. A game has to wait
    while a board of yours stands as it did, also turned or mirrored.
    """

    words = ("analyse", "analyze")
    examples = ("analyse", "analyse 12")

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the analysis, or request one."""
        board = self._find(context)
        check_analysable(board)
        elsewhere = played_elsewhere(context.work, board, context.player)
        if elsewhere:
            raise Refusal("analyse-when-gone-on", **elsewhere)
        kept = kept_analysis(context.work, board)
        if kept and kept.finished_at:
            yield Answered("analysis", analysis_params(board, kept, context.player.id), board.id)
            return
        ask_analysis(context.work, board, context.player, context.now)
        told = {"title": "your analysis", "number": board.id, "plies": board.ply}
        yield Answered("analysis-begun", told, board.id)

    def pinned(self, context: Context) -> str:
        """The line with the board's number."""
        return f"{self.words[0]} {self._find(context).id}"

    def _find(self, context: Context) -> Board:
        """The board, locked, so that two requests start one analysis."""
        return context.work.boards.get(context.board(self.board).id, lock=True)
