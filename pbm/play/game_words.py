"""What the games that are installed say of words: the name of one, a move, a place on a board."""

from typing import Any

from pbm.errors import Refusal
from pbm.rules.contract import (
    Game,
    NotationError,
    Position,
    ReadsLoosely,
    ReadsTexts,
    RulesError,
    has,
)
from pbm.rules.registry import games


def is_game(word: str) -> bool:
    """Whether a word, in small letters, names a game."""
    return word in games()


def may_be_move(text: str) -> bool:
    """Whether a text that stands where a move belongs can be one, in any game."""
    return any(not has(game, ReadsTexts) or game.is_move_text(text) for game in _all())


def is_bare_move(text: str, game: Game) -> bool:
    """Whether a text alone is a move in a game, whatever stands around it."""
    return has(game, ReadsTexts) and game.is_move_text(text)


def is_nearly_move(text: str, game: Game) -> bool:
    """Whether a text can hardly be meant as anything but a move of a game."""
    return has(game, ReadsLoosely) and game.is_nearly_move(text)


def moves_meant(text: str, game: Game, position: Position) -> tuple[str, ...]:
    """The legal moves that a text which is nearly one may mean."""
    return game.moves_meant(position, text) if has(game, ReadsLoosely) else ()


def is_any_bare_move(text: str) -> bool:
    """Whether a text alone is a move in one of the games."""
    return any(is_bare_move(text, game) for game in _all())


def mentions_place(text: str) -> bool:
    """Whether a text names a place on a board of one of the games."""
    return any(has(game, ReadsTexts) and game.mentions_place(text) for game in _all())


def check_place(text: str, game: Game) -> None:
    """Raise Refusal for a text that was meant as a move of a game, and names no place of it."""
    try:
        if has(game, ReadsTexts):
            game.check_place(text)
    except NotationError as error:
        raise Refusal("no-such-place", **why(game, error)) from error


def why(game: Game, error: RulesError, **more: Any) -> dict[str, Any]:
    """What a template needs to say in the words of a game why something cannot be."""
    return {"game": game.info.name, "why": {"reason": error.reason, **error.params, **more}}


def _all() -> tuple[Game, ...]:
    return tuple(games().values())
