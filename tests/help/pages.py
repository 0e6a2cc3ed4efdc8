"""The help as players get it: every page by its subject, and rendered as a mail."""

from collections.abc import Sequence

from pbm.commands.families.help import GROUPS, help_page
from pbm.commands.language.declare import Command
from pbm.commands.registry import COMMANDS
from pbm.mail.reading.htmltext import html_to_text
from pbm.mail.writing.render import Rendered, Renderer
from pbm.resources import help_pages

SERVER = "pbm@play.example"
PAGES = sorted(help_pages())
SUBJECTS = [*PAGES, *(word for command in COMMANDS for word in command.words)]

_RENDERER = Renderer()


def page_text(subject: str) -> str:
    """The text of a page before it is laid out."""
    return str(help_page(subject, COMMANDS, SERVER)["text"])


def mailed(subject: str) -> Rendered:
    """Both parts of the mail that `help SUBJECT` is answered with."""
    page = help_page(subject, COMMANDS, SERVER)
    return _RENDERER.render("answer", {"sections": [{"section": "help", **page}]})


def text_lines(subject: str) -> list[str]:
    """The lines of the mail's text part."""
    return mailed(subject).text.split("\n")


def html_lines(subject: str) -> list[str]:
    """The lines that a mail program makes of the mail's HTML part, one a paragraph."""
    return html_to_text(mailed(subject).html).split("\n")


def command_table(commands: Sequence[type[Command]]) -> str:
    """Render the list of all commands as a table in Markdown, in the order of the pages."""
    rows = ["| command | meaning |", "| --- | --- |"]
    for group in GROUPS:
        for command in commands:
            if command.group == group:
                cells = f"`{command.usage()}`", command.summary()
                rows.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(rows)
