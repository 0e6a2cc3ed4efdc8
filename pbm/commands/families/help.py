"""The help: pages in files, and a page per command, made from the command's class and its file.

A reply may quote a page, so no line of a page may parse as a command. A line to send has `=>` in
front, and a command in a sentence is in quotes.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from itertools import chain
from textwrap import fill
from typing import Any

from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command, operand
from pbm.commands.language.words import Word, lowered
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.mail.reading.limits import LIMITS
from pbm.nearest import nearest
from pbm.play import limits
from pbm.play.views import opening_view, wants_picture
from pbm.resources import help_pages, strength_file
from pbm.rules.contract import Game, Option, Position, SetupError, completed
from pbm.rules.registry import default_game, games
from pbm.rules.robots import ROBOTS

MARK = "  => "  # in front of every line to send

GROUPS = {  # headings, in the order of the pages
    "lobby": "STARTING A GAME",
    "play": "PLAYING",
    "talk": "TALKING",
    "look": "LOOKING",
    "account": "YOU",
}

_BLOCK = re.compile(r"\{\{([a-z ]+)\}\}(\n*)")  # and blank lines, which an empty one lacks
_FIRST = "start"
_BOARDS = "boards"
_ROBOTS = "robots"
_ALSO = {
    "me": _FIRST,
    "pbm": _FIRST,
    "command": "commands",
    "clock": "clocks",
    **dict.fromkeys(("rating", "elo"), "standings"),
    **dict.fromkeys(("colour", "color", "colors", "marbles"), "colours"),
    **dict.fromkeys(("robot", "ai", "computer", *ROBOTS), _ROBOTS),
}
_OLDER_ROBOT = "ai-"  # prefix of robots' names on older servers
_HOW_TO_SEND = (
    "Send a command as the subject of a mail or as its first line, without the => in front."
)
_FILE_COLUMNS = 76
_COLUMNS = 40  # of unwrapped lines on a phone
_EXPLAINED = {
    "[": "Words in [ ] may be left out.",
    "...": "The ... means more of the same.",
    "|": "The | means or.",
    "[board": "A board is a game, and is named by its number.",
    "handle": "A handle is the name of a player here.",
    "#": "A ply is one move of one player; #17 is the 17th of the game.",
}
_PART = re.compile(r"<!-- arena ladder -->(.*?)<!-- /arena ladder -->", re.DOTALL)
_ROW = re.compile(r"\| `(\w+)` v `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|")

# Figures of limits in pages: `{NAME}` is the limit, and `{NAME/hour}` that of an hour.
_LIMITS: dict[str, Any] = {
    **vars(limits),
    "MEGABYTES": LIMITS.mail_bytes >> 20,
    "KILOBYTES_READ": LIMITS.text_bytes // 1024,
}
_FIGURE = re.compile(r"\{([A-Z_]+)(?:/(\d*)(minute|hour|day|week)s?)?\}")
_UNITS = {unit: timedelta(**{f"{unit}s": 1}) for unit in ("minute", "hour", "day", "week")}


class Help(Command, group="look"):
    """Get help: the few things a newcomer needs, or the page you name."""

    words = ("help",)
    examples = ("help", "help commands", "help move")
    reads_only = True

    subject: str | None = operand(Word("subject", rest=True), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        page = context.help_page(lowered(self.subject or ""))
        shown = page["picture"] if wants_picture(context.actor) else None
        yield Answered("help", {**page, "picture": shown})


def help_page(subject: str, commands: Sequence[type[Command]], server: str) -> dict[str, Any]:
    """Return a page's name, its text, and the picture of a starting board or None.

    The text names the address `server`. Raises Refusal for an unknown subject.
    """
    name, pages = _named(subject), help_pages()
    meant = (
        [command for command in commands if command.words[0] == name]
        or [command for command in commands if name in command.words]
        or [item for item in commands if item.prefix and name.startswith(item.prefix)]
    )
    if meant:
        text = "\n\n".join(command_page(command) for command in meant)
        return {"page": name, "text": text, "picture": None}
    for of_game, option in _set_ups():
        if value := option.find(name.removeprefix(_BOARDS)):
            return {
                "page": f"{_BOARDS} {value}",
                "text": _board_page(of_game, option, value),
                "picture": _picture(of_game, {option.name: value}),
            }
    if name not in pages:
        values = [value for _, option in _set_ups() for value in option.values]
        known = [*pages, *(command.words[0] for command in commands), *values]
        near = [f"help {page}" for page in nearest(name, known)]
        raise Refusal("no-such-page", subject=subject[:40], pages=sorted(pages), near=near)
    blocks: dict[str, Callable[[], str]] = {
        "commands": lambda: command_block(commands),
        "server": lambda: server,
        "boards": lambda: "\n\n".join(chain.from_iterable(starts_drawn)),
        "board names": lambda: "\n".join(_board_names()),
        "strength": lambda: fill(strength_text(), _FILE_COLUMNS),
    }
    starts_drawn = (_drawings(*start, value) for start in _set_ups() for value in start[1].values)
    text = pages[name].read_text(encoding="utf-8")
    text = _BLOCK.sub(lambda found: (told := blocks[found[1]]()) and told + found[2], text)
    text = with_figures(text)
    shown = default_game() if name == _BOARDS else games().get(name)
    picture = shown and _picture(shown, {})
    return {"page": "" if name == _FIRST else name, "text": text, "picture": picture}


def _named(subject: str) -> str:
    name, game = " ".join(subject.lower().split()) or _FIRST, default_game().info.name
    pages = help_pages()
    if name in pages:
        return name
    for other in games():
        name = name.removeprefix(f"{other} ")
    name = name.removeprefix(_OLDER_ROBOT)
    if name == "rules":
        return game
    return f"{game} {name}" if f"{game} {name}" in pages else _ALSO.get(name, name)


def command_page(command: type[Command]) -> str:
    shown, told = _usage(command), _in_quotes(command.help())
    examples = "\n".join(MARK + line for line in command.examples_of())
    plainly = _in_quotes(command.with_game(command.plainly))
    parts = [plainly, shown, told, examples and "For example:", examples]
    parts += [_HOW_TO_SEND, _explanations(shown + told), _other_words(command)]
    return "\n\n".join(filter(None, parts))


def _usage(command: type[Command]) -> str:
    return fill(
        command.usage(),
        _COLUMNS,
        initial_indent=MARK,
        subsequent_indent=" " * (len(MARK) + 4),
        break_on_hyphens=False,
    )


def command_block(commands: Sequence[type[Command]]) -> str:
    parts = []
    for group, title in GROUPS.items():
        parts.append(title)
        for command in commands:
            if command.group == group:
                parts += [_usage(command), _in_quotes(command.summary())]
    return "\n\n".join([f"{_HOW_TO_SEND} {_explanations(' '.join(parts))}", *parts])


def _set_ups() -> Iterator[tuple[Game, Option]]:
    """Yield each game's options that choose its starting board."""
    for game in games().values():
        for option in game.info.options:
            if option.sets_up and option.values:
                yield game, option


def _board_page(game: Game, option: Option, value: str) -> str:
    most = max(seats for seats in game.info.seats if _start(game, seats, {option.name: value}))
    others = " ".join(f"player{number}" for number in range(2, most + 1))
    named = "" if game is default_game() else f"{game.info.name} "
    line = f"{named}challenge {'me ' if most > 2 else ''}{others} -{option.name}={value}"
    drawn = "\n\n".join(_drawings(game, option, value))
    return f"{drawn}\n\nTo play from it:\n\n{MARK}{line}"


def _board_names() -> Iterator[str]:
    """Yield a line for each game and number of players, with the names of its starting boards."""
    for game, option in _set_ups():
        of_game = "" if game is default_game() else f" of {game.info.title}"
        for players in game.info.seats:
            named = [
                value for value in option.values if _start(game, players, {option.name: value})
            ]
            if named:
                told = f"{players} players{of_game}: {', '.join(named)}"
                yield fill(told, _FILE_COLUMNS, initial_indent="- ", subsequent_indent="  ")


def _drawings(game: Game, option: Option, value: str) -> Iterator[str]:
    """Draw a starting board, for each number of players that the game allows.

    If one of the game's flags changes a drawing, the changed one is yielded, too.
    """
    chosen: dict[str, str | bool] = {option.name: value}
    flags = [item for item in game.info.options if item.sets_up and item.is_flag]
    for players in game.info.seats:
        plain = _as_lines(_start(game, players, chosen))
        if plain:
            yield f"{value.upper()}, {players} players:\n\n{plain}"
        for flag in flags:
            other = _as_lines(_start(game, players, {**chosen, flag.name: True}))
            if other and other != plain:
                yield f"{value.upper()}, {players} players in {flag.name}:\n\n{other}"


def _as_lines(position: Position | None) -> str:
    return "\n".join(position.diagram()) if position else ""


def _picture(game: Game, chosen: dict[str, str | bool]) -> dict[str, Any] | None:
    """Return a picture of the starting board for the fewest players; None if there is none."""
    boards = (_start(game, players, chosen) for players in game.info.seats)
    return next((opening_view(game, board)["picture"] for board in boards if board), None)


def _start(game: Game, players: int, chosen: dict[str, str | bool]) -> Position | None:
    """Return a starting position; None if the game has none for these options or players."""
    try:
        return game.start(players, completed(game.info.options, chosen))
    except SetupError:
        return None


def _other_words(command: type[Command]) -> str:
    first, *others = (word for word in command.words if word not in command.slips)
    if not others:
        return ""
    named = " or ".join(f'"{word}"' for word in others)
    told = f'Instead of "{first}" you may also write {named}'
    return f"{told}, with one word more at most." if command.short else f"{told}."


def _explanations(text: str) -> str:
    return " ".join(told for sign, told in _EXPLAINED.items() if sign in text)


def _in_quotes(text: str) -> str:
    return text.replace("`", '"')


def strength_text() -> str:
    """Return the results of games between robots, a sentence per pair."""
    path = strength_file()
    part = _PART.search(path.read_text(encoding="utf-8")) if path else None
    told = []
    for first, second, won, neither, lost in _ROW.findall(part[1] if part else ""):
        games = int(won) + int(neither) + int(lost)
        drawn = f"; {neither} had no winner" if int(neither) else ""
        told.append(f"{first} won {won} of {games} games against {second}{drawn}.")
    return " ".join(told)


def with_figures(page: str) -> str:
    """Replace each `{NAME}` in a help page by that limit's figure. Raises KeyError, ValueError.

    >>> with_figures("{NEWS/hour} an hour, {SENT/2hours} in 2, for {SEEK_STANDS/week} weeks")
    '30 an hour, 5 in 2, for 4 weeks'
    """
    return _FIGURE.sub(lambda found: str(_figure(*found.groups(""))), page)


def _figure(name: str, count: str, unit: str) -> int:
    limit = _LIMITS[name]
    if isinstance(limit, int):
        return limit
    if not unit:
        return int(limit.most)
    time = int(count or 1) * _UNITS[unit]
    is_length = isinstance(limit, timedelta)
    number, rest = divmod(limit, time) if is_length else divmod(limit.most * time, limit.within)
    if rest:
        raise ValueError(f"{name} is no whole number for {count}{unit}")
    return int(number)
