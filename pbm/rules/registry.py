"""The games that are installed, found by the entry point group `pbm.games` and looked at once."""

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from pbm.rules.contract import (
    CONTRACT,
    LONGEST_STATE,
    SHORTEST_STATE,
    Game,
    Position,
    StateError,
    View,
    completed,
)
from pbm.rules.playthrough import PlaythroughError, check

GROUP = "pbm.games"
_NAME = re.compile(r"[a-z][a-z0-9]{1,15}", re.ASCII)
_TITLE = re.compile(r"[A-Z][A-Za-z0-9 -]{1,29}", re.ASCII)
_preferred: list[str] = []


class GamesError(Exception):
    """What is installed cannot be played; the text is a sentence for the operator."""


@cache
def games() -> Mapping[str, Game]:
    """All games by name. Raises GamesError."""
    return MappingProxyType(load_games(entry_points(group=GROUP)))


def load_games(found: Iterable[EntryPoint]) -> dict[str, Game]:
    """The games that some entry points have, by name. Raises GamesError for one that is unfit."""
    loaded: dict[str, Game] = {}
    where: dict[str, str] = {}
    for point in sorted(set(found), key=lambda point: (point.name, point.value)):
        if point.name in loaded:
            text = f"Two packages bring a game called {point.name}: {where[point.name]} and"
            raise GamesError(f"{text} {point.value}. Keep one of them.")
        loaded[point.name], where[point.name] = _load(point), point.value
    if not loaded:
        raise GamesError("No game is installed. Install this server with: pip install pbm-server")
    return loaded


def game_named(name: str) -> Game:
    """An installed game; raises StateError for one that is not."""
    game = games().get(name)
    if game is None:
        raise StateError("no-such-game", name=name)
    return game


def prefer(name: str) -> None:
    """Let a game be meant where none is named; for none, the usual one. Raises GamesError."""
    if name not in ("", *games()):
        raise GamesError(
            f"PBM_GAME: there is no game {name!r} here. There are: {', '.join(games())}."
        )
    _preferred[:] = [name] if name else []


def default_game() -> Game:
    """The game that is meant where none is named: the one that was preferred, else `own_game`."""
    return games()[_preferred[0]] if _preferred else own_game()


def own_game() -> Game:
    """The game that comes with the server, else the first one. Before there were others, it was
    meant everywhere."""
    own = (game for game in games().values() if game.info.folder is None)
    return next(own, next(iter(games().values())))


def read_state(text: str) -> Position | None:
    """The position of any installed game that a state line describes, None if there is none."""
    return _read_state(text) if len(text) <= LONGEST_STATE else None


@lru_cache(maxsize=256)
def _read_state(text: str) -> Position | None:
    for game in games().values():
        try:
            return game.load(text)
        except StateError:
            continue
    return None


def _load(point: EntryPoint) -> Game:
    try:
        game: Game = point.load()
        info = game.info
    except (ImportError, AttributeError) as error:
        raise GamesError(f"The game {point.name} cannot be loaded: {error}.") from error
    if info.contract != CONTRACT:
        text = f"The game {point.name} is made for version {info.contract} of the contract, and"
        raise GamesError(f"{text} this server has version {CONTRACT}.")
    if info.name != point.name or not _NAME.fullmatch(info.name):
        text = f"The game {point.name} calls itself {info.name!r}; both must be the same word,"
        raise GamesError(f"{text} 2 to 16 small letters and digits.")
    if not _TITLE.fullmatch(info.title):
        text = f"The title of the game {point.name} is {info.title!r}; it must be 2 to 30 letters,"
        raise GamesError(f"{text} digits, blanks and hyphens, a capital letter first.")
    try:
        check(game)
        _check_state(game)
    except PlaythroughError as error:
        raise GamesError(f"The game {point.name} is not let in: {error}.") from error
    return game


def _check_state(game: Game) -> None:
    """The mail room must know a state line when it sees one."""
    info = game.info
    position = game.start(info.seats[0], completed(info.options, {}), 0)
    state = position.state()
    is_plain = state.isascii() and state.isprintable() and " ".join(state.split()) == state
    is_plain = is_plain and "=?" not in state  # which reads as an encoded word in a header
    if not is_plain or len(state) > LONGEST_STATE or len(state.split()[0]) < SHORTEST_STATE:
        text = f"the state line {state!r} is not plain text whose first word has {SHORTEST_STATE}"
        raise PlaythroughError(f"{text} characters or more, and {LONGEST_STATE} in all at most")
    if not position.diagram(View()):
        raise PlaythroughError("its diagram is empty")
