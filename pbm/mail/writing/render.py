"""A mail from its template: one text, from which the HTML part is made.

Templates write paragraphs, `- ` lists and, through the filter `pre`, lines that must keep
their shape; lines through `rows` keep it in the text part, and are a list in the HTML part.
Paragraphs are wrapped for the text part and flow in the HTML part. The filter `picture` puts the
picture of a view into the HTML part, the filter `state` a line of letters that is one line in the
text part, and may break anywhere in the HTML part. The filter `heading` makes a line stand out
there. No move breaks at its hyphen in either.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache, partial
from html import escape
from pathlib import Path
from textwrap import wrap
from types import SimpleNamespace
from typing import Any, NamedTuple
from unicodedata import category
from urllib.parse import quote

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
)

from pbm.mail.writing import picture
from pbm.mail.writing.compose import InlinePicture
from pbm.mail.writing.rows_of_before import as_frozen_now
from pbm.resources import game_templates, resource_path
from pbm.rules.contract import LONGEST_MOVE
from pbm.rules.registry import own_game

COLUMNS = 68  # narrow, so that no mailer breaks a line again when it quotes it
SAID_COLUMNS = 76  # of a line that a player wrote: whoever broke it here or before meant it so
# Marks of lines that keep their shape; taken out of everything foreign.
_KEPT = "\ue000"
_ROW = "\ue001"
_PICTURE = "\ue003"  # here the HTML part has the picture that the line describes
_STATE = "\ue004"
_HEADING = "\ue007"  # above one of several boards
_MARKS = {_KEPT: "pre", _ROW: "rows", _PICTURE: "picture", _STATE: "state", _HEADING: "heading"}
_SHAPES = frozenset(_MARKS.values())
_GLUE = "\ue002"  # a blank at which no line breaks
# Around a command that can be sent as it stands: quotes in the text part, a link in the other.
_COMMAND, _COMMAND_ENDS = "\ue005", "\ue006"
_COMMANDS = re.compile(f"{_COMMAND}([^{_COMMAND_ENDS}]*){_COMMAND_ENDS}")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ue000-\ue007]", re.ASCII)
# A short word with a hyphen in it, and in HTML how it stays on one line. A style sheet would be
# shorter, but some mail programs leave it out.
_HYPHENED = re.compile(
    rf"(?<![\w,-])[\w,]{{1,{LONGEST_MOVE}}}-[\w,-]{{0,{LONGEST_MOVE}}}\w(?![\w-])"
)
_UNBROKEN = '<span style="white-space:nowrap">{}</span>'
_BROKEN_ANYWHERE = "font-family:monospace;word-break:break-all"
_STANDS_OUT = "font-weight:600;margin-top:1.6em"
_JOINERS = "\u200c\u200d"
_CHUNKS = 256  # that are kept: the readers of a board get nearly the same mail
_LONGEST_KEPT = 2_000  # characters of one; what people write at length is laid out anew


class Rendered(NamedTuple):
    """The two parts of a mail, lines ending in a line feed, and the pictures in the HTML part."""

    text: str
    html: str
    pictures: tuple[InlinePicture, ...]


class _Block(NamedTuple):
    """A paragraph, a list or the like, as it stands in both parts; a picture is in none yet."""

    text: str = ""
    html: str = ""
    picture: str = ""  # what it shows, as `picture.described` has it


class Renderer:
    """The templates of this server."""

    def __init__(self) -> None:
        self._templates = templates_of(resource_path("templates"), *game_templates().items())
        page = self._templates.get_template("page.html").render(body=_KEPT)
        self._above, _, self._below = page.partition(_KEPT)

    def load(self) -> None:
        """Read all templates now; else each is read when it is first needed."""
        for name in self._templates.list_templates():
            self._templates.get_template(name)

    def render(
        self,
        template: str,
        params: dict[str, Any],
        message_id: str | None = None,
        address: str | None = None,
    ) -> Rendered:
        """Render both parts of a mail. Raises jinja2.TemplateError for a broken template.

        The Content-IDs of the pictures follow from the Message-ID; without one there are none.
        Links write to `address`, which must prove nobody: whatever quotes the mail quotes them.
        """
        params = _cleaned(_about_a_game(as_frozen_now(params)))
        source = self._templates.get_template(f"{template}.txt").render(v=params)
        # An empty line ends whatever stands above it.
        blocks = [block for chunk in source.split("\n\n") if chunk for block in _blocks(chunk)]
        ids = _content_ids(blocks, message_id)
        text = "\n\n".join(block.text for block in blocks if not block.picture)
        shown = [_html(block, ids) for block in blocks if not block.picture or ids]
        return Rendered(
            f"{text}\n",
            self._above + _linked("\n".join(shown), address) + self._below,
            tuple(InlinePicture(name, picture.png(described)) for described, name in ids.items()),
        )

    def said(self, why: dict[str, Any]) -> str:
        """What a game says against something."""
        return str(self._templates.get_template("refusals.txt").module.said(_cleaned(why)))  # type: ignore[attr-defined]


def sentence(why: dict[str, Any]) -> str:
    """Say in the words of a game why something cannot be, to one who gets no mail."""
    return " ".join(_renderer().said(why).split())


@cache
def _renderer() -> Renderer:
    return Renderer()


@cache
def templates_of(own: Path, *games: tuple[str, Path]) -> Environment:
    """The templates of these folders, each compiled once for the whole process."""
    of_games = {name: FileSystemLoader(folder) for name, folder in games}
    environment = _Environment(
        loader=ChoiceLoader([FileSystemLoader(own), PrefixLoader(of_games)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,  # else each use of a template looks at its file
        cache_size=-1,  # all of them stay
    )
    environment.filters |= {
        "pre": _keep_shape,
        "picture": _show_picture,
        "state": _keep_state,
        "heading": _keep_heading,
        "rows": _keep_rows,
        "glued": _glued,
        "command": _as_command,
        "page": _keep_indented,
    }
    environment.globals["words_of"] = partial(_words_of, environment)
    return environment


class _Environment(Environment):
    """What fills a template are dictionaries nearly always: their keys are looked at first."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What stands behind a dot in a template."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def _words_of(environment: Environment, game: str) -> SimpleNamespace:
    """The macros of a game's own `board.txt`, and those of `game.txt` that it lacks."""
    usual, own = (
        vars(environment.get_template(name).module) for name in ("game.txt", f"{game}/board.txt")
    )
    return SimpleNamespace(**{**usual, **own})


def _content_ids(blocks: Sequence[_Block], message_id: str | None) -> dict[str, str]:
    """The Content-ID of each picture, by what describes it; none without a Message-ID."""
    if message_id is None:
        return {}
    described = dict.fromkeys(block.picture for block in blocks if block.picture)
    return {
        line: message_id.replace("<", f"<picture{number}.", 1)
        for number, line in enumerate(described, 1)
    }


def _about_a_game(params: dict[str, Any]) -> dict[str, Any]:
    """What fills a template, each part with its game: what names none is of a version before, and
    about the only one of then."""
    info = own_game().info
    usual = {"game": info.name, "title": info.title}
    params = {**usual, **params}
    if params.get("problem"):
        params["problem"] = _of_a_game(params["problem"], usual)
    if "sections" in params:
        params["sections"] = [_of_a_game({**usual, **each}, usual) for each in params["sections"]]
    return params


def _of_a_game(told: dict[str, Any], usual: dict[str, str]) -> dict[str, Any]:
    """A refusal whose parameters name a game, too."""
    return {**told, "params": {**usual, **told["params"]}} if "params" in told else told


def _keep_shape(text: str) -> str:
    return _marked(text, _KEPT)


def _show_picture(view: dict[str, Any]) -> str:
    """The picture of a view, if there is to be one."""
    drawing = view.get("picture")
    return f"{_PICTURE}{picture.described(drawing)}" if drawing else ""


def _keep_state(line: str) -> str:
    return _marked(line, _STATE)


def _keep_heading(line: str) -> str:
    return _marked(line, _HEADING)


def _keep_rows(text: str) -> str:
    return _marked(text, _ROW)


def _marked(lines: str, mark: str) -> str:
    return mark + lines.rstrip("\n").replace("\n", f"\n{mark}")


def _glued(text: str) -> str:
    return text.replace(" ", _GLUE)


def _as_command(text: str) -> str:
    return f"{_COMMAND}{text}{_COMMAND_ENDS}"


def _linked(html: str, address: str | None) -> str:
    """The HTML part with a link for each command that can be sent as it stands."""
    to = f'<a href="mailto:{quote(address, safe="@")}?subject=' if address else ""
    return _COMMANDS.sub(
        lambda found: f'{to}{quote(found[1])}">{found[1]}</a>' if to else f"&quot;{found[1]}&quot;",
        html,
    )


def _keep_indented(text: str) -> str:
    """Keep the shape of indented lines, lists apart, and of all lines of a block whose first one is
    indented."""
    blocks = text.rstrip("\n").split("\n\n")
    return "\n\n".join(map(_keep_indented_block, blocks))


def _keep_indented_block(block: str) -> str:
    if block.startswith(" "):  # the middle row of a board stands at the margin
        return _keep_shape(block)
    if block.startswith("- "):
        return block  # here what is indented goes on with an item
    lines = block.split("\n")
    return "\n".join(_KEPT + line if line.startswith(" ") else line for line in lines)


def _cleaned(value: Any) -> Any:
    """Take what cannot be seen, and our own mark, out of everything that fills a template."""
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value  # as nearly always
        printable = _UNPRINTABLE.sub("", value)
        return printable if printable.isascii() else "".join(filter(_is_seen, printable))
    if isinstance(value, dict):
        return {key: _cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_cleaned(item) for item in value]
    return value


def _is_seen(character: str) -> bool:
    """False for format characters, which turn text around or hide it; joiners shape letters."""
    return character in _JOINERS or category(character) != "Cf"


def _blocks(chunk: str) -> Sequence[_Block]:
    """The blocks of lines that a template has written, in their order."""
    return _laid_out(chunk) if len(chunk) > _LONGEST_KEPT else _known_blocks(chunk)


@lru_cache(_CHUNKS)
def _known_blocks(chunk: str) -> Sequence[_Block]:
    return _laid_out(chunk)


def _laid_out(chunk: str) -> Sequence[_Block]:
    blocks, kind, held = list[_Block](), "", list[str]()
    for line in chunk.split("\n"):
        found = _kind(line)
        if found == "paragraph" and kind == "list" and line[0] == " ":
            found = "list"  # its item goes on
        if held and found != kind:
            blocks.append(_block(kind, held))
            held = []
        if found:
            held.append(line)
        kind = found
    if held:
        blocks.append(_block(kind, held))
    return blocks


def _block(kind: str, lines: list[str]) -> _Block:
    if kind in _SHAPES:
        lines = [line[1:] for line in lines]
    if kind == "picture":
        return _Block(picture=lines[0])
    text, html = "\n".join(_text_lines(kind, lines)), _html_text(kind, lines)
    text = text.replace(_COMMAND, '"').replace(_COMMAND_ENDS, '"')
    return _Block(text.replace(_GLUE, " "), html.replace(_GLUE, "&nbsp;"))


def _kind(line: str) -> str:
    start = line[:1]
    if mark := _MARKS.get(start):
        return mark
    if not line.strip():
        return ""
    if line.startswith("- "):
        return "list"
    return "quote" if line.startswith("| ") or line == "|" else "paragraph"


def _text_lines(kind: str, lines: Sequence[str]) -> Sequence[str]:
    if kind in _SHAPES:
        return [line.rstrip() for line in lines]
    if kind == "quote":
        return [f"| {part}".rstrip() for line in lines for part in said_lines(line[2:])]
    if kind == "list":
        return [part for item in _items(lines) for part in _wrapped(item, "- ", "  ")]
    return _wrapped(" ".join(lines), "", "")


def said_lines(text: str) -> list[str]:
    """The lines on which a line of a player's words stands: as it is, if it is not too long."""
    text = text.expandtabs().rstrip()
    if len(text) <= SAID_COLUMNS:
        return [text]
    return wrap(text, SAID_COLUMNS, break_on_hyphens=False)


def _wrapped(text: str, first: str, later: str) -> list[str]:
    if text and text == text.strip() and "\t" not in text and len(first + text) <= COLUMNS:
        return [first + text]  # as nearly always, and nothing to change
    folded = wrap(
        text, COLUMNS, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )
    return folded or [first.rstrip()]


def _items(lines: Sequence[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        if line.startswith("- "):
            items.append(line[2:].strip())
        else:
            items[-1] += f" {line.strip()}"
    return items


def _html(block: _Block, content_ids: Mapping[str, str]) -> str:
    if block.picture:
        return _html_picture(block.picture, content_ids[block.picture])
    return block.html


def _html_text(kind: str, lines: Sequence[str]) -> str:
    if kind == "pre":
        return f"<pre>{escape(chr(10).join(lines))}</pre>"
    if kind == "state":
        return f'<p style="{_BROKEN_ANYWHERE}">{escape(" ".join(lines))}</p>'
    if kind == "heading":
        return f'<p style="{_STANDS_OUT}">{_escaped(" ".join(lines))}</p>'
    if kind == "list":
        items = "".join(f"<li>{_escaped(item)}</li>" for item in _items(lines))
        return f"<ul>{items}</ul>"
    if kind == "rows":
        items = "".join(f"<li>{_escaped(line.strip())}</li>" for line in lines)
        return f'<ul class="rows">{items}</ul>'
    if kind == "quote":
        said = "<br>".join(_escaped(line[2:]) for line in lines)
        return f"<blockquote>{said}</blockquote>"
    return f"<p>{_escaped(' '.join([line.strip() for line in lines]))}</p>"


def _escaped(text: str) -> str:
    """Text as it stands in HTML, where no line breaks at the hyphen of what may be a move."""
    if "-" not in text:
        return escape(text)
    return _HYPHENED.sub(_kept_together, escape(text))


def _kept_together(word: re.Match[str]) -> str:
    return _UNBROKEN.format(word[0]) if any(map(str.isdigit, word[0])) else word[0]


def _html_picture(described: str, content_id: str) -> str:
    """A picture in its own size, or as wide as a narrower screen."""
    source = escape(quote(content_id.strip("<>"), safe="@"))
    width, height = picture.size(described)
    alternative = escape(f"The board, also below as text: {picture.in_words(described)}.")
    return (
        f'<p><img src="cid:{source}" width="{width}" height="{height}"'
        f' style="display:block;width:100%;max-width:{width}px;height:auto"'
        f' alt="{alternative}"></p>'
    )
