"""A robot's move: what it thinks about, and the turn in which it is played."""

from pbm.errors import Refusal
from pbm.events import Event
from pbm.play.awaited import awaited_move
from pbm.play.claims import claim_draw
from pbm.play.move import play_move
from pbm.robots.courses import think_about
from pbm.robots.thinking import Thought as Found
from pbm.rules.contract import Suggests
from pbm.service.robots.courses import course_of, seed_of
from pbm.service.robots.draw_answers import answer_with_move
from pbm.service.robots.minds import Question
from pbm.service.robots.thinking import Kind, Thinking
from pbm.service.telling.announce import announce_boards
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.thoughts import Thought

_AS_STRONG = 2  # tries, after which a weaker robot thinks
_GONE_ON = "nothing: the board has gone on"


def ask(work: UnitOfWork, thought: Thought) -> Question | None:
    """What a robot has to think about for its move."""
    board = work.boards.find(thought.board_id)
    if board is None or not _still_waits(board, thought):
        return None
    mover = board.to_move
    if mover is None or work.players.get(mover.player_id).status != "active":
        return None  # it is asked for again when that robot may play
    easier = max(0, thought.tries - _AS_STRONG + 1)
    return Question(think_about, (mover.robot, course_of(work, board), seed_of(board), easier))


def conclude(turn: Thinking, found: Found) -> str:
    """Play the move that was found."""
    return _play(turn, found.move, found.score)


def resort(turn: Thinking) -> str:
    """Play any legal move, since none was found."""
    board = turn.work.boards.get(turn.thought.board_id)
    game = board.rules
    return _play(turn, (isinstance(game, Suggests) and game.example_move(board.position)) or "")


def _play(turn: Thinking, move: str, score: int | None = None) -> str:
    """Play a move as a person's is played: with all that comes of it, and the mails. A draw that
    is offered is answered first, by its score."""
    board = turn.work.boards.get(turn.thought.board_id)
    if not _still_waits(board, turn.thought):
        return _GONE_ON
    mover = board.to_move
    assert mover is not None
    events = answer_with_move(turn, board, mover.player_id, score) or _claimed(turn, board)
    board = turn.work.boards.get(board.id) if events else board
    if not board.playing:
        announce_boards(turn, events)
        return f"{mover.handle} has taken a draw on board {board.id}"
    try:
        events += play_move(turn.work, board, move, turn.now)
    except Refusal as refusal:
        raise ValueError(f"{mover.handle} found the move {move} on board {board.id}") from refusal
    announce_boards(turn, events)
    return f"{mover.handle} has played {move} on board {board.id}"


def _claimed(turn: Thinking, board: Board) -> list[Event]:
    """Claim the draw that may be claimed where robots are left alone: else nobody ever would."""
    mover = board.to_move
    if mover is None or not board.is_left_to_robots:
        return []
    try:
        return claim_draw(turn.work, board, turn.work.players.get(mover.player_id), turn.now)
    except Refusal:
        return []


def _still_waits(board: Board, thought: Thought) -> bool:
    mover = board.to_move if board.is_installed else None
    if mover is None or mover.robot is None:
        return False
    return awaited_move(board, mover.player_id) == thought.about


MOVES = Kind(ask, conclude, resort)
