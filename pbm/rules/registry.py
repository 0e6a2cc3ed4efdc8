"""Finds the installed games, which are the entry points of the group `pbm.games`.

A game that fails the checks is left out, with a reason for the operator. One check is that the
rules of a game reproduce its playthrough, which is a whole game as text:

    start 2 layout=plain
    = the state line at the start
    1 a1-c3,d4
    : a1-c3,b2 {"ejected": 2}
    = the state line after it
    leave 2
    = the state line after that
    over last ranks=1,2 scores=6,2

`1 a1-c3,d4` is a seat and a text that its player might send. The line `:` has the canonical text
and the effect of the move.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, entry_points
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType

from pbm.rules.contract import (
    CONTRACT,
    LONGEST_BY,
    LONGEST_MOVE,
    LONGEST_STATE,
    SHORTEST_STATE,
    Game,
    Info,
    ListsMoves,
    NotationError,
    Options,
    Position,
    ReadsLoosely,
    ReadsTexts,
    RulesError,
    StateError,
    completed,
    has,
)

GROUP = "pbm.games"
_WRITTEN = ("", " ", "hello", "été", "走 ١", "\u2028\x00", "a1-c3,d4", "12", "x" * 400)
_NAME = re.compile(r"[a-z][a-z0-9]{1,15}", re.ASCII)
_TITLE = re.compile(r"[A-Z][A-Za-z0-9 -]{1,29}", re.ASCII)
_OWN = "pbm."  # the package of the games that come with the server
_preferred: list[str] = []


class GamesError(Exception):
    """A game that cannot be played; the text is a sentence for the operator."""


@cache
def games() -> Mapping[str, Game]:
    """Return the games that passed the checks, by name. Raises GamesError if there is none."""
    fit, unfit = _found()
    if not fit:
        none = "No game is installed. Install this server with: pip install pbm-server"
        raise GamesError(" ".join(unfit.values()) or none)
    return MappingProxyType(fit)


def left_out() -> Mapping[str, str]:
    """Return a sentence for each game that failed the checks, by the game's name."""
    return MappingProxyType(_found()[1])


@cache
def _found() -> tuple[dict[str, Game], dict[str, str]]:
    return load_games(entry_points(group=GROUP))


def load_games(found: Iterable[EntryPoint]) -> tuple[dict[str, Game], dict[str, str]]:
    """Return the games of entry points, and a sentence on each game that was left out, by name.

    Of several games with one name only the server's own is loaded.
    """
    fit: dict[str, Game] = {}
    unfit: dict[str, str] = {}
    ordered = sorted(set(found), key=attrgetter("name", "value"))
    for name, group in groupby(ordered, key=attrgetter("name")):
        points = list(group)
        own = [point for point in points if point.value.startswith(_OWN)]
        try:
            if len(points) > 1:
                places = " and ".join(point.value for point in points)
                unfit[name] = (
                    f"Two packages bring a game called {name}: {places}. Keep one of them."
                )
            if len(points) == 1 or own:
                fit[name] = _load((own or points)[0])
        except GamesError as error:
            unfit[name] = str(error)
    return fit, unfit


@cache
def game_named(name: str) -> Game:
    """Return the game with this name. Raises StateError if no such game is installed."""
    game = games().get(name)
    if game is None:
        raise StateError("no-such-game", name=name)
    return game


def prefer(name: str) -> None:
    """Set the default game; "" stands for `own_game`. Raises GamesError for an unknown name."""
    if name not in ("", *games(), *left_out()):
        raise GamesError(
            f"PBM_GAME: there is no game {name!r} here. There are: {', '.join(games())}."
        )
    _preferred[:] = [name] if name in games() else []
    default_game.cache_clear()


@cache
def default_game() -> Game:
    """Return the game of commands that name no game."""
    return games()[_preferred[0]] if _preferred else own_game()


@cache
def own_game() -> Game:
    """Return the game that comes with the server, or the first game if none does."""
    own = (game for game in games().values() if game.info.folder is None)
    return next(own, next(iter(games().values())))


def read_state(text: str) -> Position | None:
    """Return the position of a state line of any installed game; None for any other text."""
    return _read_state(text) if len(text) <= LONGEST_STATE else None


@lru_cache(maxsize=256)
def _read_state(text: str) -> Position | None:
    for game in games().values():
        try:
            return game.load(text)
        except Exception:  # noqa: BLE001 - the text may belong to another game
            continue
    return None


def _load(point: EntryPoint) -> Game:
    try:
        game: Game = point.load()
        info = game.info
    except Exception as error:
        raise GamesError(f"The game {point.name} cannot be loaded: {_said(error)}.") from error
    try:
        _check_info(point, info)
        check_playthrough(game)
        _check_reading(game)
        name, folder = info.name, info.folder
        for path in (
            f"templates/{name}/reasons.txt",
            f"templates/{name}/board.txt",
            f"help/{name}.txt",
        ):
            if folder and not (folder / path).is_file():
                raise PlaythroughError(f"{folder / path} is missing")
    except GamesError:
        raise
    except Exception as error:
        raise GamesError(f"The game {point.name} is not let in: {_said(error)}.") from error
    return game


def _said(error: Exception) -> str:
    words = " ".join(str(error).split())
    return words if isinstance(error, PlaythroughError) else f"{type(error).__name__}: {words}"


def _check_info(point: EntryPoint, info: Info) -> None:
    if info.contract != CONTRACT:
        text = f"The game {point.name} is made for version {info.contract} of the contract, and"
        raise GamesError(f"{text} this server has version {CONTRACT}.")
    if info.name != point.name or not _NAME.fullmatch(info.name):
        text = f"The game {point.name} calls itself {info.name!r}; both must be the same word,"
        raise GamesError(f"{text} 2 to 16 small letters and digits.")
    if not _TITLE.fullmatch(info.title):
        text = f"The title of the game {point.name} is {info.title!r}; it must be 2 to 30 letters,"
        raise GamesError(f"{text} digits, blanks and hyphens, a capital letter first.")


def _check_reading(game: Game) -> None:
    """Check that odd texts make the game raise only the errors that the contract allows."""
    for text in _WRITTEN:
        if has(game, ReadsTexts):
            game.is_move_text(text), game.mentions_place(text)
            with suppress(NotationError):
                game.check_place(text)
        if has(game, ReadsLoosely):
            game.is_nearly_move(text)
        with suppress(StateError):
            game.load(text)
        with suppress(RulesError):
            game.start(game.info.seats[0], completed(game.info.options, {})).parse(text, 1)


class PlaythroughError(ValueError):
    """A playthrough that the rules do not reproduce; the text is for the operator."""


def check_playthrough(game: Game) -> None:
    """Check that the rules reproduce the game's playthrough. Raises PlaythroughError if not."""
    told = [line for line in game.info.playthrough.split("\n") if line and line[0] != "#"]
    if not told:
        raise PlaythroughError("it has no playthrough")
    steps = [line for line in told[1:] if line[0] not in "=:" and not line.startswith("over ")]
    try:
        seats, chosen = _parse_start(told[0])
        played = list(write_playthrough(game, seats, chosen, steps))
    except RulesError as error:
        raise PlaythroughError(f"its playthrough cannot be played: {error}") from error
    for number, (kept, made) in enumerate(zip([*told, ""], [*played, ""], strict=False), 1):
        if kept != made:
            text = f"line {number} of its playthrough is {kept!r}, but its rules make it {made!r}"
            raise PlaythroughError(text)


def write_playthrough(
    game: Game, seats: int, chosen: Options, steps: Iterable[str]
) -> Iterator[str]:
    """Yield the lines of a playthrough with these steps, each `SEAT MOVE` or `leave SEAT`.

    Raises RulesError for a refused step, PlaythroughError for all else that is wrong.
    """
    options = completed(game.info.options, chosen)
    position = game.start(seats, options)
    told = (name if value is True else f"{name}={value}" for name, value in options.items())
    yield " ".join([f"start {seats}", *told])
    yield f"= {_state(game, position)}"
    for step in steps:
        yield step
        first, _, rest = step.partition(" ")
        if first == "leave":
            position = position.leave(_number(rest))
        else:
            move = position.parse(rest, _number(first))
            if has(game, ListsMoves) and move not in game.legal_moves(position):
                raise PlaythroughError(f"its legal moves lack {move}")
            played = position.play(move)
            if str(position.parse(str(played.move), _number(first))) != str(played.move):
                raise PlaythroughError(f"the canonical text {played.move} is another move")
            if len(str(played.move)) > LONGEST_MOVE:
                text = f"the move {played.move} has more than {LONGEST_MOVE} characters"
                raise PlaythroughError(text)
            yield f": {played.move} {json.dumps(dict(played.effect), sort_keys=True)}"
            position = played.position
        yield f"= {_state(game, position)}"
    outcome = position.outcome
    if outcome is None:
        raise PlaythroughError("its playthrough stops before the game is over")
    if len(outcome.ranks) != seats:
        raise PlaythroughError(f"its outcome has {len(outcome.ranks)} ranks for {seats} seats")
    if len(outcome.by) > LONGEST_BY:
        text = f"the word {outcome.by!r} of its outcome has more than {LONGEST_BY} characters"
        raise PlaythroughError(text)
    yield f"over {outcome.by} ranks={_listed(outcome.ranks)} scores={_listed(outcome.scores)}"


def _state(game: Game, position: Position) -> str:
    """Return the state line of a position, which can be read, and recognised in a mail."""
    state = position.state()
    again, drawn = game.load(state), position.diagram()
    if again != position or again.state() != state:
        raise PlaythroughError(f"the state line {state!r} does not give its position back")
    is_plain = state.isascii() and state.isprintable() and " ".join(state.split()) == state
    is_plain = is_plain and "=?" not in state  # which reads as an encoded word in a header
    if not is_plain or len(state) > LONGEST_STATE or len(state.split()[0]) < SHORTEST_STATE:
        text = f"the state line {state!r} is not plain text whose first word has {SHORTEST_STATE}"
        raise PlaythroughError(f"{text} characters or more, and {LONGEST_STATE} in all at most")
    if not drawn:
        raise PlaythroughError("its diagram is empty")
    if not all(drawn):
        raise PlaythroughError(f"the position of {state!r} has an empty line in its diagram")
    return state


def _parse_start(line: str) -> tuple[int, dict[str, str | bool]]:
    word, *words = line.split()
    if word != "start" or not words:
        raise PlaythroughError('its playthrough does not begin with "start" and a number of seats')
    parts = (each.partition("=") for each in words[1:])
    chosen: dict[str, str | bool] = {name: value or True for name, _, value in parts}
    return _number(words[0]), chosen


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise PlaythroughError(f"its playthrough has {text!r} where a number belongs")
    return int(text)


def _listed(numbers: tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))
