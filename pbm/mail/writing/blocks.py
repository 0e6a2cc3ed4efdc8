"""The blocks of a rendered template, laid out for both parts of a mail.

A template consists of paragraphs, `- ` lists, `| ` quotes, and lines that a filter has marked.
Paragraphs and lists are wrapped for the text part and flow in the HTML part. No line is broken at
the hyphen of a move. A ready-made answer, `<<accept draw>>`, is a link in the HTML part.

The marks are private-use characters, which `cleaned` removes from all parameters.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from html import escape, unescape
from itertools import zip_longest
from textwrap import wrap
from typing import Any, NamedTuple
from unicodedata import category
from urllib.parse import quote

import orjson

from pbm.mail.writing import picture
from pbm.rules.contract import LONGEST_MOVE

KEPT = "\ue000"
_ROW = "\ue001"
PICTURE = "\ue003"  # before the description of a picture, and in its HTML
_STATE = "\ue004"
_HEADING = "\ue007"  # above one of several boards
_DRAWN = "\ue008"
_LINK = "\ue00a"  # before a link's words, and before its URL
SHAPES = {  # the kinds of blocks, by the mark before each of their lines
    KEPT: "pre",
    _ROW: "rows",
    PICTURE: "picture",
    _STATE: "state",
    _HEADING: "heading",
    _DRAWN: "drawn",
    _LINK: "link",
}
GLUE = "\ue002"  # a blank at which no line breaks
SUBJECT = "\ue009"  # before a mail's subject, in a line of its own
COMMAND, COMMAND_ENDS = "\ue005", "\ue006"  # around a ready-made answer
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ue000-\ue00a]", re.ASCII)
_ESCAPED = re.compile(r"\\[xuUr]")  # in a `repr`, which escapes all characters to remove
_MAY_BE_ESCAPED = re.compile(rb"\\[ubfr]|[^ -~]")  # the same in JSON, or not ASCII
_LED_ON = re.compile(r'"(help(?:\s+[a-z_]+)*|games|next|play|seeks|settings|stop)"')
_JOINERS = "\u200c\u200d"


def _marked(mark: str, lines: str) -> str:
    return mark + lines.rstrip("\n").replace("\n", f"\n{mark}")


def _show_picture(view: dict[str, Any]) -> str:
    drawing = view.get("picture")
    return f"{PICTURE}{picture.described(drawing)}" if drawing else ""


def _columns(text: str) -> str:
    """Align columns that are divided by two blanks, and mark each line so that it is not wrapped.

    >>> print(_columns("9.  ab  cd\\n10.  abc  d").replace(KEPT, "|"))
    | 9. ab   cd
    |10. abc  d
    """
    rows = [line.split("  ") for line in text.strip().split("\n")]
    widths = [max(map(len, column)) for column in zip_longest(*rows, fillvalue="")]
    lines = [
        f"{row[0]:>{widths[0]}} {'  '.join(map(str.ljust, row[1:], widths[1:]))}".rstrip()
        for row in rows
    ]
    return _marked(KEPT, "\n".join(lines))


def _page(text: str) -> str:
    """Mark headings, quoted commands and indented lines, except those of lists, in a help page."""
    text = _LED_ON.sub(rf'"{COMMAND}\1{COMMAND_ENDS}"', text.rstrip("\n"))
    return "\n\n".join(map(_keep_indented_block, text.split("\n\n")))


def _keep_indented_block(block: str) -> str:
    if block.startswith(" "):  # the middle row of a board begins at the margin
        return _marked(KEPT, block)
    if block.startswith("- "):
        return block  # here indented lines continue an item
    lines = block.strip("\n").split("\n")
    if len(lines) == 1 and block.isupper():
        return _HEADING + lines[0]
    return "\n".join(KEPT + line if line.startswith(" ") else line for line in lines)


FILTERS: dict[str, Callable[..., str]] = {
    "pre": partial(_marked, KEPT),  # keeps line breaks and blanks
    "subject": lambda text: SUBJECT + text,
    "picture": _show_picture,  # in the HTML part, if the view has one
    # Keeps a board drawn in letters, but not in an HTML part that shows the picture.
    "diagram": lambda lines, view: _marked(_DRAWN if view.get("picture") else KEPT, lines),
    "columns": _columns,
    "state": partial(_marked, _STATE),  # wraps at blanks; in HTML at any character
    "heading": partial(_marked, _HEADING),  # stands out in HTML
    "link": lambda url, words: f"{_LINK}{words}:\n{_LINK}{url}",  # with the URL on its own line
    "rows": partial(_marked, _ROW),  # keeps line breaks; in HTML makes a list
    "glued": lambda text: text.replace(" ", GLUE),  # stays on one line
    "page": _page,
}


def cleaned(value: Any) -> Any:
    """Return a template's parameters without invisible characters and without our own marks."""
    return _walked(value) if _may_be_unclean(value) and _ESCAPED.search(repr(value)) else value


def _may_be_unclean(value: Any) -> bool:
    try:
        return _MAY_BE_ESCAPED.search(orjson.dumps(value)) is not None  # faster than repr
    except TypeError:  # a lone surrogate, or a type of a game in the parameters of a refusal
        return True


def _walked(value: Any) -> Any:
    if isinstance(value, str):
        text = _UNPRINTABLE.sub("", value)
        # Format characters reverse or hide text, except for joiners of letters.
        return "".join(char for char in text if char in _JOINERS or category(char) != "Cf")
    if isinstance(value, dict):
        return {key: _walked(item) for key, item in value.items()}
    return [_walked(item) for item in value] if isinstance(value, list | tuple) else value


COLUMNS = 68  # narrow, so that no mailer breaks a quoted line again
SAID_COLUMNS = 76  # of a player's line, whose breaks are kept
_SHAPED = frozenset(SHAPES.values())
_COMMANDS = re.compile(f"{COMMAND}([^{COMMAND_ENDS}]*){COMMAND_ENDS}")
_TAG = re.compile("<[^>]*>")
# A short word with a hyphen or an option. In HTML each gets its own style, since some mail programs
# ignore style sheets.
_HYPHENED = re.compile(
    rf"(?<![\w,-])[\w,]{{1,{LONGEST_MOVE}}}-[\w,-]{{0,{LONGEST_MOVE}}}\w(?![\w-])"
    r"|(?<![\w-])--?[a-z][\w=,-]{0,30}"
)
_UNBROKEN = '<span style="white-space:nowrap">{}</span>'
_STATE_STYLE = "font-family:monospace;font-size:11px;color:#777;word-break:break-all"
_PHONE = 40  # characters of fixed width that a phone shows in a line
_STANDS_OUT = "font-weight:600;margin-top:1.6em"
_CHUNKS = 256  # cached: the readers of a board get nearly the same mail
_LONGEST_KEPT = 2_000  # characters of a cached one; longer ones are mostly unique


class Block(NamedTuple):
    """A paragraph, list or the like, for the text part and for the HTML part of a mail."""

    text: str = ""
    html: str = ""
    picture: str = ""  # its description; in `html` the mark `PICTURE` stands for its Content-ID
    drawn: bool = False  # a board in letters, left out of an HTML part with pictures


def blocks_of(chunk: str) -> Sequence[Block]:
    return (_laid_out.__wrapped__ if len(chunk) > _LONGEST_KEPT else _laid_out)(chunk)


@lru_cache(_CHUNKS)
def _laid_out(chunk: str) -> Sequence[Block]:
    blocks, kind, held = list[Block](), "", list[str]()
    for line in (*chunk.split("\n"), ""):
        found = _kind(line)
        if found == "paragraph" and kind == "list" and line[0] == " ":
            found = "list"  # continues its item
        if held and found != kind:
            blocks.append(_block(kind, held))
            held = []
        if found:
            held.append(line)
        kind = found
    return blocks


def _block(kind: str, lines: list[str]) -> Block:
    if kind in _SHAPED:
        lines = [line[1:] for line in lines]
    if kind == "picture":
        return Block(html=_html_picture(lines[0]), picture=lines[0])
    text, html = "\n".join(_text_lines(kind, [*map(unmarked, lines)])), _html_text(kind, lines)
    return Block(text.replace(GLUE, " "), html.replace(GLUE, "&nbsp;"), drawn=kind == "drawn")


def _kind(line: str) -> str:
    start = line[:1]
    if mark := SHAPES.get(start):
        return mark
    if not line.strip():
        return ""
    if line.startswith("- "):
        return "list"
    return "quote" if line.startswith("| ") or line == "|" else "paragraph"


def _text_lines(kind: str, lines: Sequence[str]) -> Sequence[str]:
    if kind == "state":
        return wrap(lines[0], COLUMNS, break_long_words=False, break_on_hyphens=False)
    if kind in _SHAPED:
        return [line.rstrip() for line in lines]
    if kind == "quote":
        return [f"| {part}".rstrip() for line in lines for part in said_lines(line[2:])]
    if kind == "list":
        return [part for item in _items(lines) for part in _wrapped(item, "- ", "  ")]
    return _wrapped(" ".join(lines), "", "")


def said_lines(text: str) -> list[str]:
    text = text.expandtabs().rstrip()
    if len(text) <= SAID_COLUMNS:
        return [text]
    return wrap(text, SAID_COLUMNS, break_on_hyphens=False)


def _wrapped(text: str, first: str, later: str) -> list[str]:
    if text and text == text.strip() and "\t" not in text and len(first + text) <= COLUMNS:
        return [first + text]  # usual case: nothing to change
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


def _html_text(kind: str, lines: Sequence[str]) -> str:
    if kind in ("pre", "drawn"):
        if max(map(len, lines)) > _PHONE:
            wrapped = "\n".join(map(_escaped, lines))
            return f'<pre style="white-space:pre-wrap">{wrapped}</pre>'
        return f"<pre>{escape(chr(10).join(lines))}</pre>"
    if kind == "state":
        return f'<p style="{_STATE_STYLE}">{escape(" ".join(lines))}</p>'
    if kind == "heading":
        return f'<p style="{_STANDS_OUT}">{_escaped(" ".join(lines))}</p>'
    if kind == "list":
        items = "".join(f"<li>{_escaped(item)}</li>" for item in _items(lines))
        return f"<ul>{items}</ul>"
    if kind == "link":
        words, url = lines
        # A line break within the tag, as in `linked`.
        return f'<p><a\nhref="{escape(url)}">{escape(words.rstrip(":"))}</a></p>'
    if kind == "rows":
        items = "".join(f"<li>{_escaped(line.strip())}</li>" for line in lines)
        return f'<ul class="rows">{items}</ul>'
    if kind == "quote":
        said = "<br>".join(_escaped(line[2:]) for line in lines)
        return f"<blockquote>{said}</blockquote>"
    return f"<p>{_escaped(' '.join([line.strip() for line in lines]))}</p>"


def _escaped(text: str) -> str:
    """Escape text for HTML, and forbid line breaks at the hyphens of moves."""
    if "-" not in text:
        return escape(text)
    return _HYPHENED.sub(_kept_together, escape(text))


def _kept_together(word: re.Match[str]) -> str:
    is_whole = word[0][0] == "-" or any(map(str.isdigit, word[0]))
    return _UNBROKEN.format(word[0]) if is_whole else word[0]


def _html_picture(described: str) -> str:
    width, height = picture.size(described)
    alternative = escape(picture.in_words(described))
    return (
        f'<p><img src="cid:{PICTURE}" width="{width}" height="{height}"'
        f' style="display:block;width:100%;max-width:{width}px;height:auto;border-radius:14px"'
        f' alt="{alternative}"></p>'
    )


def unmarked(text: str) -> str:
    """Remove from a text the marks around ready-made answers, which readers may send back."""
    return text.replace(COMMAND, "").replace(COMMAND_ENDS, "")


def linked(html: str, address: str, subject: str) -> str:
    """Convert marked answers in `html` to links that open a reply to `address` (RFC 6068)."""
    about = subject if subject[:3].lower() == "re:" else f"Re: {subject}"
    # A line break within the tag keeps lines short, so that the part needs no encoding.
    to = f'<a\nhref="mailto:{quote(address, safe="@")}?subject={quote(about, safe="")}&amp;body='

    def link(found: re.Match[str]) -> str:
        said = " ".join(unescape(_TAG.sub("", found[1])).split())
        return f'{to}{quote(said, safe="")}">{found[1]}</a>'

    return _COMMANDS.sub(link, html)
