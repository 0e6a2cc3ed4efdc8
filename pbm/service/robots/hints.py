"""A hint: what the strongest robot finds for a player's move, and the mail that tells it."""

from pbm.events import Answered
from pbm.robots.advice import Advice, advise
from pbm.service.robots.courses import course_of, seed_of
from pbm.service.robots.minds import Question
from pbm.service.robots.thinking import Kind, Thinking
from pbm.service.telling.announce import shown_to
from pbm.service.telling.answer import announce_answer, may_answer
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.thoughts import Thought

_GONE_ON = "nothing: the board has gone on"


def ask(work: UnitOfWork, thought: Thought) -> Question | None:
    """What is to be thought about."""
    board = work.boards.find(thought.board_id)
    if board is None or not _is_wanted(board, thought):
        return None
    return Question(advise, (course_of(work, board), seed_of(board), thought.tries))


def conclude(turn: Thinking, advice: Advice) -> str:
    """Tell the player the move, in the board's thread."""
    board = turn.work.boards.get(turn.thought.board_id)
    if not _is_wanted(board, turn.thought):
        return _GONE_ON
    player = turn.work.players.get(turn.thought.player_id)
    if not player.addresses or not may_answer(turn, player):
        return f"{player.handle} had enough answers, so was told no hint"
    view = shown_to(turn, player, board)
    told = {
        "section": "hint",
        "move": advice.move,
        "line": list(advice.line),
        "reasons": list(advice.reasons),
        "ply": board.ply + 1,
        "game": board.game,
        "players": view["players"],
        "you": view["you"],
    }
    # The example of a move that stands in such a mail is the one that is told.
    view = {**view, "example": advice.move, "sections": [told]}
    MailWriter(turn).answer_on_board(player, board, view)
    return f"{player.handle} was told {advice.move} on board {board.id}"


def resort(turn: Thinking) -> str:
    """Tell the player that there is none."""
    board = turn.work.boards.get(turn.thought.board_id)
    if not _is_wanted(board, turn.thought):
        return _GONE_ON
    player = turn.work.players.get(turn.thought.player_id)
    told = {"title": "your hint", "number": board.id}
    announce_answer(turn, player, [Answered("hint-failed", told, board.id)])
    return f"no hint for {player.handle} on board {board.id}"


def _is_wanted(board: Board, thought: Thought) -> bool:
    """Whether the board still stands as it did, and waits for the player's move."""
    if not board.is_installed or not board.playing:
        return False
    stands = (board.ply, board.taken_back) == (thought.ply, thought.params["taken_back"])
    return stands and board.to_move is not None and board.to_move.player_id == thought.player_id


HINTS = Kind(ask, conclude, resort)
