"""Answers to refused commands."""

from typing import Any, TypeGuard

from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.registry import Problem, nearly_move
from pbm.commands.script import Script
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play.boards import check_move

_REFUSAL = "refusal"
_PERHAPS_WORDS = ("unclear-move", "no-such-place")


def refused(
    command: Command, refusal: Refusal, context: Context, *, alone: bool = True
) -> Answered:
    """Answer a refused command; `alone`: it was the only one."""
    told: dict[str, Any] = {"title": command.words[0], "nearest": None, "example": None}
    told |= {"talk": False, "comment": [], "alone": alone}
    told |= {"line": command.line, "code": refusal.code, "params": refusal.params}
    number = refusal.params.get("number")
    return Answered(_REFUSAL, told, _board_shown(context, number, about_board=command.about_board))


def problem_answer(context: Context, script: Script, problem: Problem) -> Answered:
    """Answer a misread command line; nothing of it was done or sent on."""
    number = problem.params.get("number")
    board_id = _board_shown(context, number, about_board=problem.about_board)
    code, params, nearest = problem.code, problem.params, problem.nearest
    clearer = _what_the_position_says(context, problem, board_id)
    if clearer is not None:
        code, params, nearest = clearer.code, clearer.params, None
    told = {
        "title": "your line was not understood",
        "line": problem.line,
        "code": code,
        "nearest": nearest,
        "example": None if clearer or nearest else problem.example,
        "talk": problem.code in _PERHAPS_WORDS,
        "comment": list(script.comment),
        "alone": True,
        "params": params,
    }
    return Answered(_REFUSAL, told, board_id)


def is_refusal(event: Event) -> TypeGuard[Answered]:
    """Whether an event answers a refused command or line."""
    return isinstance(event, Answered) and event.section == _REFUSAL


def _board_shown(context: Context, number: int | None, *, about_board: bool) -> int | None:
    """The board to show with a refusal: the named one, else the mail's for a board command."""
    if number:
        return number if context.sits_at(number) else None
    return context.own_hint if about_board else None


def _what_the_position_says(
    context: Context, problem: Problem, board_id: int | None
) -> Refusal | None:
    """The board's own refusal of an unreadable move, which suggests legal ones."""
    unreadable = problem.params.get("reason") == "move" or problem.code == "unclear-move"
    board = context.work.boards.find(board_id) if board_id and unreadable else None
    if board is None or not board.to_move:
        return None
    if context.actor_id and board.to_move.player_id != context.actor_id:
        # An example of another player's moves would mislead.
        is_move = nearly_move(problem.params["word"], board.rules) is not None
        told = {"turn": board.to_move.handle, "number": board.id}
        return Refusal("not-your-turn", **told) if is_move else None
    try:
        check_move(board, problem.params["word"])
    except Refusal as refusal:
        return refusal
    return None
