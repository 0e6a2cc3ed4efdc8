"""Converts HTML mail to lines of text, with quotations marked by `> ` as in text mail.

Text that the styles of its elements hide is skipped: advertisers hide preview lines, and forgers
may hide commands. Colours, positions and style sheets do not count, as mail programs change or
ignore many of them.
"""

import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from pbm.mail.reading.charsets import plain_lines
from pbm.mail.reading.limits import LIMITS
from pbm.word_lists import read_sections

_END = r"(?=[;!]|$)"
_ZERO = r"\.?0[.0]*(?:[a-z]{1,4}|%)?"
_REMOVED = re.compile(rf"(?:^|;)(?:display:none|mso-hide:all|max-height:{_ZERO}){_END}")
_VISIBILITY = re.compile(r"(?:^|;)visibility:(?:(hidden|collapse)|[a-z]+)" + _END)
_SIZE = re.compile(rf"(?:^|;)font(?:-size)?:(?:({_ZERO})(?=[;!/]|$)|[^;])")


class Sight:
    """Tells whether text is visible, from the styles of all elements that are open."""

    def __init__(self) -> None:
        self._hidden = [(False, False)]  # by its visibility, and by its size

    @property
    def sees_text(self) -> bool:
        return not any(self._hidden[-1])

    def enter(self, attributes: Mapping[str, str | None]) -> bool:
        """Enter an element and return True, or return False if the element is not displayed."""
        style = _style(attributes)
        if "hidden" in attributes or _REMOVED.search(style):
            return False
        is_hidden, is_tiny = self._hidden[-1]
        for found in _VISIBILITY.finditer(style):
            is_hidden = found[1] is not None
        for found in _SIZE.finditer(style):
            is_tiny = found[1] is not None
        self._hidden.append((is_hidden, is_tiny))
        return True

    def leave(self) -> None:
        self._hidden.pop()


SIGNATURE = "\x1f"  # before each line of a marked signature; no mail's own text can hold it

_CHARS = 65_536
_NODES = 30_000

# Formatting elements are removed, unless they may hide text: a parser must reopen them in every
# paragraph, so 64 KB of them grow to gigabytes. `<wbr>` replaces them, as it does not split words.
_FORMATTING = re.compile(
    r"<(/?)(a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])([^>]*)>?",
    re.ASCII | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    r"""([^\s"'>/=]+)(?:\s{0,3}=\s{0,3}("[^"]*"|'[^']*'|[^\s"'>]+))?""", re.ASCII
)
_HIDING = ("style", "class", "hidden")  # attributes
_NOTHING = "<wbr>"
_STYLED = "x-styled"  # our own element, which replaces a formatting one with a style

_NAMES = {
    section: frozenset(names)
    for section, names in read_sections(
        Path(__file__).with_name("html_names.txt"),
        (
            *("skipped elements", "block elements", "quote classes", "quote ids", "quote names"),
            *("ids above quotes", "signature classes", "signature ids"),
        ),
        str.split,
    ).items()
}
_SKIPPED, _BLOCKS = _NAMES["skipped elements"], _NAMES["block elements"]
_QUOTE = _NAMES["quote classes"], _NAMES["quote ids"]
_QUOTE_REST = "-----Original Message-----"
_SIGNATURE = _NAMES["signature classes"], _NAMES["signature ids"]

# Outlook, and many kinds of webmail, mark quotations by a line on the left.
_BAR = re.compile(r"(?:^|;)border-left:(?!none|0|medium)[^;]*(?:solid|double)", re.ASCII)
_BLANKS = re.compile(r"[ \t\n\r\f]+", re.ASCII)


def html_to_text(html: str, most_tags: int = LIMITS.html_tags) -> str:
    """Convert the visible text in the first `most_tags` tags of an HTML mail to lines of text.

    A quoted line begins with `> `, and a line of a signature with the mark `SIGNATURE`.
    """
    try:  # the work grows with the square of the nesting depth
        first_tags = "<".join(html[:_CHARS].split("<", most_tags + 1)[: most_tags + 1])
        tree = LexborHTMLParser(_without_formatting(first_tags))
    except SelectolaxError:
        return ""
    lines = _Lines()
    if tree.root is not None:
        _Reading(lines).read(tree.root)
    return lines.text()


def _without_formatting(html: str) -> str:
    """Replace tags that only format, such as `<b>`, with `<wbr>`.

    If a tag has attributes that may hide text, `<x-styled>` with these attributes replaces it.
    """
    styled: dict[str, list[bool]] = {}  # of the open elements of each name

    def instead(found: re.Match[str]) -> str:
        is_end, name, rest = found[1], found[2].lower(), found[3]
        if is_end:
            is_open = styled.get(name)
            return f"</{_STYLED}>" if is_open and is_open.pop() else _NOTHING
        given = {one[1].lower(): (one[2] or "").strip("\"'") for one in _ATTRIBUTE.finditer(rest)}
        kept = (each for each in _HIDING if each in given)
        attributes = "".join(f' {each}="{escape(unescape(given[each]))}"' for each in kept)
        styled.setdefault(name, []).append(bool(attributes))
        return f"<{_STYLED}{attributes}>" if attributes else _NOTHING

    return _FORMATTING.sub(instead, html)


class _Lines:
    """A builder of lines, which merges several blanks into one outside of `<pre>`."""

    def __init__(self) -> None:
        self._lines: list[str] = []
        self._pieces: list[str] = []
        self._blank = False

    def add(self, text: str) -> None:
        folded = _BLANKS.sub(" ", text)
        if folded.startswith(" "):
            self._blank = True
        if not (words := folded.strip(" ")):
            return
        if self._blank and self._pieces:
            self._pieces.append(" ")
        self._pieces.append(words)
        self._blank = folded.endswith(" ")

    def add_verbatim(self, text: str, prefix: str) -> None:
        first, *more = text.split("\n")
        self._pieces.append(first)
        for line in more:
            self.end(prefix)
            if line:
                self._pieces.append(line)

    def end(self, prefix: str, *, even_empty: bool = True) -> None:
        """End the current line, with `prefix` in front. `even_empty` keeps a line without text."""
        if self._pieces or even_empty:
            self._lines.append((prefix + "".join(self._pieces)).rstrip(" "))
        self._pieces = []
        self._blank = False

    def add_signature(self, text: str) -> None:
        self.end("", even_empty=False)
        lines = filter(None, map(str.strip, plain_lines(text).split("\n")))
        self._lines.extend(SIGNATURE + line for line in lines)

    def gap(self, prefix: str) -> None:
        """Add an empty line, unless it would be the first, or the line above is the same."""
        if self._lines and self._lines[-1] != prefix.rstrip(" "):
            self._lines.append(prefix.rstrip(" "))

    def text(self) -> str:
        self.end("", even_empty=False)
        return "\n".join(self._lines)


class _Reading:
    """A walk over an HTML tree, without recursion because nesting may be deep."""

    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self._sight = Sight()
        self._quotes = 0
        self._are_quotes: list[bool] = []  # of the open elements
        self._pres = 0

    @property
    def _prefix(self) -> str:
        return "> " if self._quotes else ""

    def read(self, root: LexborNode) -> None:
        open_nodes: list[LexborNode] = []
        node: LexborNode | None = root
        for _ in range(_NODES):
            if node is not None and self._enter(node):
                if (child := node.first_child) is not None:
                    open_nodes.append(node)
                    node = child
                    continue
                self._leave(node)
            following = node.next if node is not None and node is not root else None
            while following is None:
                if not open_nodes:
                    return
                parent = open_nodes.pop()
                self._leave(parent)
                following = parent.next if parent is not root else None
            node = following

    def _text(self, text: str) -> None:
        if not self._sight.sees_text:
            return
        text = plain_lines(text)
        if self._pres:
            self._lines.add_verbatim(text, self._prefix)
        else:
            self._lines.add(text)

    def _enter(self, node: LexborNode) -> bool:
        """Enter a node; return False if its children are to be skipped."""
        tag = node.tag or ""
        if tag == "-text":
            self._text(node.text_content or "")
            return False
        if tag in _SKIPPED:
            return False
        attributes = node.attributes
        if attributes and _named(attributes, *_SIGNATURE):
            if not self._quotes:
                self._lines.add_signature(node.text(separator="\n"))
            return False
        if not self._sight.enter(attributes):
            return False
        self._begin(node, tag, attributes)
        return True

    def _begin(self, node: LexborNode, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "br":
            self._lines.end(self._prefix)
        elif tag in ("td", "th"):
            self._lines.add(" ")
        elif tag in _BLOCKS:
            self._lines.end(self._prefix, even_empty=False)
        is_quote = _is_quote(node, tag, attributes)
        self._are_quotes.append(is_quote)
        if is_quote:
            self._lines.end(self._prefix, even_empty=False)
            self._quotes += 1
        if (attributes.get("id") or "").lower() in _NAMES["ids above quotes"]:
            self._lines.end(self._prefix, even_empty=False)
            self._lines.add(_QUOTE_REST)
            self._lines.end(self._prefix)
        if tag == "pre":
            self._pres += 1

    def _leave(self, node: LexborNode) -> None:
        self._sight.leave()
        tag = node.tag or ""
        if tag in _BLOCKS:
            self._lines.end(self._prefix, even_empty=False)
        if tag == "p":
            self._lines.gap(self._prefix)
        if self._are_quotes.pop():
            self._lines.end(self._prefix, even_empty=False)
            self._quotes -= 1
        if tag == "pre":
            self._pres -= 1


def _is_quote(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
    if not attributes:
        return tag == "blockquote"
    if _named(attributes, *_QUOTE):
        return True
    if (attributes.get("name") or "").lower() in _NAMES["quote names"]:
        return True
    classes = (attributes.get("class") or "").lower()
    if "gmail_attr" in classes.split():
        return _stands_above_quote(node)
    if classes.endswith("yahoo_quoted"):  # after a random prefix
        return True
    if tag == "div":
        return _BAR.search(_style(attributes)) is not None
    return tag == "blockquote" and not _is_indentation(attributes)


def _stands_above_quote(node: LexborNode) -> bool:
    """Return whether a blockquote follows an element, perhaps after blanks and line breaks."""
    following = node.next
    for _ in range(3):
        if following is None or following.tag not in ("-text", "br"):
            break
        following = following.next
    return following is not None and following.tag == "blockquote"


def _is_indentation(attributes: dict[str, str | None]) -> bool:
    """Return whether a blockquote is only indented text, and not a quotation."""
    if (attributes.get("type") or "").lower() == "cite" or attributes.get("cite"):
        return False
    classes = (attributes.get("class") or "").split()
    if "webkit-indent-blockquote" in classes:
        return True
    return not classes and "border:none" in _style(attributes)


def _style(attributes: Mapping[str, str | None]) -> str:
    """Return an element's style in lower case, without blanks."""
    style = attributes.get("style")
    return re.sub(r"\s", "", style, flags=re.ASCII).lower() if style else ""


def _named(attributes: dict[str, str | None], classes: frozenset[str], ids: frozenset[str]) -> bool:
    if (attributes.get("id") or "").lower() in ids:
        return True
    return not classes.isdisjoint((attributes.get("class") or "").lower().split())
