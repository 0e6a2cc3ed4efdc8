"""A mail from its template: one text, from which the HTML part is made.

Templates write paragraphs, `- ` lists and, through the filter `pre`, lines that must keep
their shape; lines through `rows` keep it in the text part, and are a list in the HTML part.
Paragraphs are wrapped for the text part and flow in the HTML part. The filter `board` writes
the board of a view: lines that keep their shape, and in the HTML part a picture above them.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from textwrap import wrap
from typing import Any, TypeVar
from unicodedata import category
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from pbm.mail import picture
from pbm.mail.compose import InlinePicture
from pbm.resources import resource_path

_Made = TypeVar("_Made")
COLUMNS = 68  # narrow, so that no mailer breaks a line again when it quotes it
# Marks of lines that keep their shape; taken out of everything foreign.
_KEPT = "\ue000"
_ROW = "\ue001"
_PICTURE = "\ue003"  # here the HTML part has the picture that the line describes
_MARKS = {_KEPT: "pre", _ROW: "rows", _PICTURE: "picture"}
_GLUE = "\ue002"  # a blank at which no line breaks
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ue000-\ue003]", re.ASCII)
_LONGEST_KEPT = 4096  # characters of a block; else 1024 long comments would fill the memory
_BLOCKS_KEPT = 1024  # a KB each at most as a rule: the mails of a turn share most of theirs
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Rendered:
    """The two parts of a mail, lines ending in a line feed, and the pictures in the HTML part."""

    text: str
    html: str
    pictures: tuple[InlinePicture, ...]


@dataclass(frozen=True)
class _Block:
    kind: str  # paragraph, list, quote, pre, rows, picture
    lines: tuple[str, ...]


class Renderer:
    """The templates of this server."""

    def __init__(self) -> None:
        self._templates = Environment(
            loader=FileSystemLoader(resource_path("templates")),
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
            keep_trailing_newline=True,
            autoescape=False,
            auto_reload=False,  # else each use of a template looks at its file
        )
        self._templates.filters["pre"] = _keep_shape
        self._templates.filters["board"] = _show_board
        self._templates.filters["rows"] = _keep_rows
        self._templates.filters["glued"] = _glued
        self._templates.filters["page"] = _keep_indented
        self._page = self._templates.get_template("page.html")

    def render(
        self, template: str, params: dict[str, Any], message_id: str | None = None
    ) -> Rendered:
        """Render both parts of a mail. Raises jinja2.TemplateError for a broken template.

        The Content-IDs of the pictures follow from the Message-ID; without one there are none.
        """
        source = self._templates.get_template(f"{template}.txt").render(v=_cleaned(params))
        blocks = list(_blocks(source.split("\n")))
        ids = _content_ids(blocks, message_id)
        written = [block for block in blocks if block.kind != "picture"]
        text = "\n\n".join("\n".join(_text_lines(block)) for block in written) + "\n"
        shown = [block for block in blocks if block.kind != "picture" or block.lines[0] in ids]
        html = self._page.render(body="\n".join(_html(block, ids) for block in shown))
        return Rendered(
            text.replace(_GLUE, " "),
            html.replace(_GLUE, "&nbsp;"),
            tuple(InlinePicture(name, picture.png(described)) for described, name in ids.items()),
        )


def _content_ids(blocks: list[_Block], message_id: str | None) -> dict[str, str]:
    """The Content-ID of each picture, by what describes it; none without a Message-ID."""
    if message_id is None:
        return {}
    described = dict.fromkeys(block.lines[0] for block in blocks if block.kind == "picture")
    return {
        line: message_id.replace("<", f"<picture{number}.", 1)
        for number, line in enumerate(described, 1)
    }


def _keep_shape(text: str) -> str:
    return "\n".join(_KEPT + line for line in text.rstrip("\n").split("\n"))


def _show_board(view: dict[str, Any]) -> str:
    """The board of a view, below its picture if there is to be one."""
    drawing = view.get("picture")
    above = f"{_PICTURE}{picture.described(drawing)}\n" if drawing else ""
    return above + _keep_shape(view["diagram"])


def _keep_rows(text: str) -> str:
    return "\n".join(_ROW + line for line in text.rstrip("\n").split("\n"))


def _glued(text: str) -> str:
    return text.replace(" ", _GLUE)


def _keep_indented(text: str) -> str:
    lines = text.rstrip("\n").split("\n")
    return "\n".join(_KEPT + line if line.startswith(" ") else line for line in lines)


def _cleaned(value: Any) -> Any:
    """Take what cannot be seen, and our own mark, out of everything that fills a template."""
    if isinstance(value, str):
        if value.isascii() and value.isprintable():
            return value
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


def _blocks(lines: Iterable[str]) -> Iterator[_Block]:
    kind, held = "", list[str]()
    for line in [*lines, ""]:
        found = _kind(line)
        continues = found == kind or (kind == "list" and found == "paragraph" and line[:1] == " ")
        if held and not continues:
            yield _Block(kind, tuple(held))
            held = []
        if found:
            kind = kind if held and continues else found
            held.append(line[1:] if line[:1] in _MARKS else line)
        else:
            kind = ""


def _kind(line: str) -> str:
    if line[:1] in _MARKS:
        return _MARKS[line[:1]]
    if not line.strip():
        return ""
    if line.startswith("- "):
        return "list"
    return "quote" if line.startswith("| ") or line == "|" else "paragraph"


def _kept_if_short(make: Callable[[_Block], _Made]) -> Callable[[_Block], _Made]:
    """Keep what is made of short blocks: somebody's long words are hardly said twice."""
    kept = lru_cache(maxsize=_BLOCKS_KEPT)(make)

    def of(block: _Block) -> _Made:
        is_short = sum(map(len, block.lines)) <= _LONGEST_KEPT
        return kept(block) if is_short else make(block)

    return of


@_kept_if_short
def _text_lines(block: _Block) -> Sequence[str]:
    if block.kind in _MARKS.values():
        return [line.rstrip() for line in block.lines]
    if block.kind == "quote":
        return [part for line in block.lines for part in _wrapped(line[2:], "| ", "| ")]
    if block.kind == "list":
        return [part for item in _items(block) for part in _wrapped(item, "- ", "  ")]
    return _wrapped(" ".join(block.lines), "", "")


def _wrapped(text: str, first: str, later: str) -> list[str]:
    folded = wrap(
        text, COLUMNS, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )
    return folded or [first.rstrip()]


def _items(block: _Block) -> list[str]:
    items: list[str] = []
    for line in block.lines:
        if line.startswith("- "):
            items.append(line[2:].strip())
        else:
            items[-1] += f" {line.strip()}"
    return items


def _html(block: _Block, content_ids: Mapping[str, str]) -> str:
    if block.kind == "picture":
        return _html_picture(block.lines[0], content_ids[block.lines[0]])
    return _html_text(block)


@_kept_if_short
def _html_text(block: _Block) -> str:
    if block.kind == "pre":
        return f"<pre>{escape(chr(10).join(block.lines))}</pre>"
    if block.kind == "list":
        items = "".join(f"<li>{escape(item)}</li>" for item in _items(block))
        return f"<ul>{items}</ul>"
    if block.kind == "rows":
        items = "".join(f"<li>{escape(line.strip())}</li>" for line in block.lines)
        return f'<ul class="rows">{items}</ul>'
    if block.kind == "quote":
        said = "<br>".join(escape(line[2:]) for line in block.lines)
        return f"<blockquote>{said}</blockquote>"
    return f"<p>{escape(' '.join(line.strip() for line in block.lines))}</p>"


def _html_picture(described: str, content_id: str) -> str:
    """A picture in its own size, or as wide as a narrower screen."""
    source = escape(quote(content_id.strip("<>"), safe="@"))
    alternative = escape(f"The board, also below as text: {picture.in_words(described)}.")
    return (
        f'<p><img src="cid:{source}" width="{picture.WIDTH}" height="{picture.HEIGHT}"'
        f' style="display:block;width:100%;max-width:{picture.WIDTH}px;height:auto"'
        f' alt="{alternative}"></p>'
    )
