"""Whether a robot that is not to move takes a draw: a thought of its own."""

from pbm.play.robot_answers import asked_draw, offered_to
from pbm.robots.draws import Standing, standing
from pbm.service.robots.courses import course_of, seed_of
from pbm.service.robots.draw_answers import say
from pbm.service.robots.minds import Question
from pbm.service.robots.thinking import Kind, Thinking
from pbm.service.telling.announce import announce_boards
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board, Offer
from pbm.store.values.thoughts import Thought


def ask(work: UnitOfWork, thought: Thought) -> Question | None:
    """What a robot has to think about: how it stands."""
    board = work.boards.find(thought.board_id)
    if board is None or not board.is_installed or _offer(board, thought) is None:
        return None
    seat = board.seats_of(thought.params["robot"])[0]
    given = (seat.robot, course_of(work, board), seat.seat, seed_of(board))
    return Question(standing, given)


def conclude(turn: Thinking, found: Standing) -> str:
    """Say yes or no."""
    return _answer(turn, takes=found.takes_draw)


def resort(turn: Thinking) -> str:
    """Say no, since nothing was found."""
    return _answer(turn, takes=False)


def _answer(turn: Thinking, *, takes: bool) -> str:
    board = turn.work.boards.get(turn.thought.board_id)
    offer, robot_id = _offer(board, turn.thought), turn.thought.params["robot"]
    if offer is None:
        return "nothing: no draw waits for it any more"
    announce_boards(turn, say(turn, board, offer, robot_id, takes=takes))
    return f"{board.handle_of(robot_id)} said {'yes' if takes else 'no'} on board {board.id}"


def _offer(board: Board, thought: Thought) -> Offer | None:
    """The draw that a thought is about, if it still waits."""
    robot_id = thought.params["robot"]
    offer = offered_to(board, robot_id)
    if offer is None or asked_draw(board, offer, robot_id) != thought.about:
        return None
    return offer


DRAWS = Kind(ask, conclude, resort)
