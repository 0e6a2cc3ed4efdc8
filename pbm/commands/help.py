"""The help: pages kept as text, and a page for each command made from its class."""

from collections.abc import Iterator, Sequence
from typing import Any

from pbm.commands.context import Context
from pbm.commands.declare import Command, operand
from pbm.commands.words import Topic
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.resources import resource_path

_COMMAND_BLOCK = "{{commands}}"
_FIRST = "start"
_GROUPS = {
    "play": "Playing",
    "lobby": "Starting a game",
    "look": "Looking",
    "account": "You",
}


class Help(Command):
    """Get help: the few things a newcomer needs, or the page you name.

    `help tutorial` plays a game with you in your mind, `help commands` lists every command,
    `help abalone` has the rules and all boards; or name a command.
    """

    words = ("help",)
    group = "look"
    examples = ("help", "help commands", "pbm help abalone", "help move")
    reads_only = True
    for_strangers = True

    subject: str | None = operand(Topic(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Answer with the page."""
        yield Answered("help", help_page(self.subject or "", context.commands, context.server))


def help_page(subject: str, commands: Sequence[type[Command]], server: str) -> dict[str, Any]:
    """Return the title and text of a help page. Raises Refusal for an unknown subject."""
    name = subject.strip().removeprefix("abalone ").strip() or _FIRST
    command = next((item for item in commands if name in item.words), None)
    if command is not None:
        return {"title": f"help {command.words[0]}", "text": command_page(command)}
    pages = page_names()
    if name not in pages:
        raise Refusal("no-such-page", subject=subject[:40], pages=pages)
    text = (resource_path("help") / f"{name}.txt").read_text(encoding="utf-8")
    text = text.replace(_COMMAND_BLOCK, command_block(commands)).replace("{{server}}", server)
    return {"title": "help" if name == _FIRST else f"help {name}", "text": text}


def page_names() -> list[str]:
    """Return the subjects that have a page of their own."""
    return sorted(path.stem for path in resource_path("help").glob("*.txt"))


def command_page(command: type[Command]) -> str:
    """Render a command's own page."""
    examples = "\n".join(f"    {line}" for line in command.examples)
    page = f"    {command.usage()}\n\n{command.help()}\n\nFor example:\n\n{examples}\n"
    others = ", ".join(word for word in command.words[1:])
    return page + (f"\nAlso read: {others}.\n" if others else "")


def command_block(commands: Sequence[type[Command]]) -> str:
    """Render the list of all commands, by group."""
    blocks = []
    for group, title in _GROUPS.items():
        lines = [title + ":", ""]
        for command in commands:
            if command.group == group:
                lines += [f"    {command.usage()}", f"        {command.summary()}"]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)
