"""Questions to the installed games about a text: whether it is a move, or mentions a place.

A mail may be about any game. So if a game's code fails on a text, this game's answer counts as no.
"""

from functools import lru_cache
from traceback import extract_tb
from typing import Any

import structlog

from pbm.errors import Refusal
from pbm.nearest import nearest
from pbm.rules.contract import (
    Game,
    ListsMoves,
    NotationError,
    Position,
    ReadsLoosely,
    ReadsTexts,
    RulesError,
    has,
)
from pbm.rules.registry import games

_log = structlog.get_logger("pbm.games")
_MOST_COMPARED = 500  # moves


def may_be_move(text: str) -> bool:
    """Return whether a text that stands where a move is expected may be a move of some game."""
    return any(is_bare_move(text, game) or not has(game, ReadsTexts) for game in games().values())


def is_bare_move(text: str, game: Game) -> bool:
    return _says(game, ReadsTexts, "is_move_text", text)


def is_nearly_move(text: str, game: Game) -> bool:
    """Return whether a text is almost certainly meant as a move, even if it is not exact."""
    return _says(game, ReadsLoosely, "is_nearly_move", text)


def moves_meant(text: str, game: Game, position: Position) -> tuple[str, ...]:
    """Return the legal moves that an inexact text may mean: by the game, or by their letters."""
    if has(game, ReadsLoosely):
        return game.moves_meant(position, text)
    moves = game.legal_moves(position) if has(game, ListsMoves) else ()
    return tuple(nearest(text, map(str, moves[:_MOST_COMPARED])))


def is_any_bare_move(text: str) -> bool:
    return any(is_bare_move(text, game) for game in games().values())


def mentions_place(text: str) -> bool:
    return any(_says(game, ReadsTexts, "mentions_place", text) for game in games().values())


def check_place(text: str, game: Game) -> None:
    """Raise Refusal if a text meant as a move names a place that the boards do not have."""
    try:
        if has(game, ReadsTexts):
            game.check_place(text)
    except NotationError as error:
        raise Refusal("no-such-place", **why(game, error)) from error
    except Exception as error:  # noqa: BLE001 - the mail may be about another game
        note_failure(game, error)


def why(game: Game, error: RulesError, **more: Any) -> dict[str, Any]:
    """Return what the game's templates need to explain a rules error, and the items of `more`."""
    return {"game": game.info.name, "why": {"reason": error.reason, **error.params, **more}}


def _says(game: Game, protocol: type, member: str, text: str) -> bool:
    """Return a game method's answer about a text; False if the method is missing or fails."""
    if not has(game, protocol):
        return False
    try:
        return bool(getattr(game, member)(text))
    except Exception as error:  # noqa: BLE001 - the mail may be about another game
        note_failure(game, error)
        return False


def note_failure(game: Game, error: Exception) -> None:
    """Log which line of a game's code failed. The player's text is not logged."""
    *_, last = extract_tb(error.__traceback__)
    _log_once(game.info.name, type(error).__name__, f"{last.filename}:{last.lineno}")


@lru_cache(maxsize=100)
def _log_once(game: str, error: str, where: str) -> None:
    _log.error("the code of a game failed", game=game, error=error, where=where)
