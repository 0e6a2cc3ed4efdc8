"""The help: pages kept as text, and a page for each command made from its class.

A page never holds a line that is a command by itself, so that our own mail does nothing when
it comes back: usage and examples stand behind a mark, commands in sentences between quotes.
"""

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command, operand
from pbm.commands.words import Topic
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.resources import resource_path
from pbm.rules import abalone as rules

MARK = "  => "
"""Stands before everything that is shown to be sent."""

GROUPS = {
    "lobby": "STARTING A GAME",
    "play": "PLAYING",
    "look": "LOOKING",
    "account": "YOU",
}
"""The heading of each group of commands, in the order of the pages."""

_COMMAND_BLOCK = "{{commands}}"
_BOARD_BLOCK = "{{boards}}"
_SERVER = "{{server}}"
_FIRST = "start"
_RULES = rules.NAME
_BOARDS = "boards"
_ALSO = {"me": _FIRST, "pbm": _FIRST, "rules": _RULES, "notation": _RULES, "command": "commands"}
_HOW_TO_SEND = (
    "Send a command as the subject of a mail or as its first line, without the => in front."
)
_COLUMNS = 40  # that a phone shows of lines which keep their shape
_TWO = 2
_EXPLAINED = {
    "[": "Words in [ ] may be left out.",
    "...": "The ... means more of the same.",
    "|": "The | means or.",
    "[board": "A board is a game, and is named by its number.",
    "handle": "A handle is the name of a player here.",
    "#": "A ply is one move of one player; #17 is the 17th of the game.",
}


class Help(Command):
    """Get help: the few things a newcomer needs, or the page you name.

    `help tutorial` explains a first game, `help commands` lists every command, and
    `help abalone` has the rules and all boards. Each command has a page under its name.
    """

    words = ("help",)
    group = "look"
    examples = ("help", "help commands", "pbm help abalone", "help move")
    reads_only = True

    subject: str | None = operand(Topic(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the page."""
        yield Answered("help", context.help_page(self.subject or ""))


def help_page(subject: str, commands: Sequence[type[Command]], server: str) -> dict[str, Any]:
    """Return the title and text of a help page. Raises Refusal for an unknown subject.

    A subject is a page's name, any word that a command is read by, or the name of a board to
    start from. `server` is the address that the page gives to write to.
    """
    name = _page_wanted(subject)
    meant = [command for command in commands if _is_read_by(command, name)]
    if meant:
        text = "\n\n".join(command_page(command) for command in meant)
        return {"title": f"help {name}", "text": text}
    board = rules.find_board(name.removeprefix(_BOARDS))
    if board:
        return {"title": f"help {_BOARDS} {board}", "text": _board_page(board)}
    pages = page_names()
    if name not in pages:
        raise Refusal("no-such-page", subject=subject[:40], pages=pages)
    text = (resource_path("help") / f"{name}.txt").read_text(encoding="utf-8")
    text = text.replace(_COMMAND_BLOCK, command_block(commands)).replace(_SERVER, server)
    text = text.replace(_BOARD_BLOCK, board_block(*rules.BOARDS))
    return {"title": "help" if name == _FIRST else f"help {name}", "text": text}


def page_names() -> list[str]:
    """Return the subjects that have a page of their own."""
    return sorted(path.stem for path in resource_path("help").glob("*.txt"))


def command_page(command: type[Command]) -> str:
    """Render a command's own page."""
    shown = _usage(command)
    told = _in_quotes(command.help())
    examples = "\n".join(MARK + line for line in command.examples)
    parts = [shown, told, "For example:", examples, _HOW_TO_SEND, _explained(shown + told)]
    parts.append(_other_words(command))
    return "\n\n".join(part for part in parts if part)


def _usage(command: type[Command]) -> str:
    return fill(
        command.usage(),
        _COLUMNS,
        initial_indent=MARK,
        subsequent_indent=" " * (len(MARK) + 4),
        break_on_hyphens=False,
    )


def command_block(commands: Sequence[type[Command]]) -> str:
    """Render the list of all commands, by group: each one's usage, and what it is for."""
    parts = []
    for group, title in GROUPS.items():
        parts.append(title)
        for command in commands:
            if command.group == group:
                parts += [_usage(command), _in_quotes(command.summary())]
    return "\n\n".join([f"{_HOW_TO_SEND} {_explained(' '.join(parts))}", *parts])


def board_block(*names: str) -> str:
    """Draw boards as they are mailed, for each number of players that they are for."""
    return "\n\n".join(drawing for name in names for drawing in _drawings(name))


def _board_page(name: str) -> str:
    most = max(rules.BOARDS[name])
    others = " ".join(f"player{number}" for number in range(2, most + 1))
    line = f"challenge {'me ' if most > _TWO else ''}{others} -layout={name}"
    return f"{board_block(name)}\n\nTo play from it:\n\n{MARK}{line}"


def _drawings(name: str) -> Iterator[str]:
    for players in rules.BOARDS[name]:
        plain = rules.diagram(rules.start(name, players))
        yield f"{name.upper()}, {players} players:\n\n{plain}"
        if players == rules.IN_TEAMS:
            teams = rules.diagram(rules.start(name, players, teams=True))
            if teams != plain:
                yield f"{name.upper()}, {players} players in teams:\n\n{teams}"


def command_table(commands: Sequence[type[Command]]) -> str:
    """Render the list of all commands as a table in Markdown, in the order of the pages."""
    rows = ["| command | meaning |", "| --- | --- |"]
    for group in GROUPS:
        for command in commands:
            if command.group == group:
                cells = f"`{command.usage()}`", command.summary()
                rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows)


def _page_wanted(subject: str) -> str:
    name = " ".join(subject.lower().split()) or _FIRST
    name = name.removeprefix(f"{_RULES} ")
    return _ALSO.get(name, name)


def _is_read_by(command: type[Command], word: str) -> bool:
    return word in command.words or bool(command.prefix and word.startswith(command.prefix))


def _other_words(command: type[Command]) -> str:
    first, *others = (word for word in command.words if word not in command.slips)
    if not others:
        return ""
    told = f'Instead of "{first}" you may also write {" or ".join(map(_quote, others))}'
    return f"{told}, with one word more at most." if command.short else f"{told}."


def _quote(word: str) -> str:
    return f'"{word}"'


def _explained(text: str) -> str:
    """Return the sentences that explain what a text uses of the signs and words above."""
    return " ".join(told for sign, told in _EXPLAINED.items() if sign in text)


def _in_quotes(text: str) -> str:
    """Turn the back-ticks of a docstring into what people who do not program would write."""
    return text.replace("`", '"')
