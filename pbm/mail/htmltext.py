"""HTML mail as lines of text, with quoted parts marked by `> ` as text mail has them."""

import re
from collections.abc import Callable, Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from pbm.mail.charsets import plain_lines
from pbm.mail.limits import LIMITS

_CHARS = 65_536
_NODES = 30_000
_STYLE = 1_000  # characters of an element's style

# Formatting elements say nothing here, but a parser must open them again in every paragraph:
# 64 KB of them grow to gigabytes. `<wbr>` is empty, and keeps words together.
_FORMATTING = re.compile(
    r"</?(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^>]*>?",
    re.ASCII | re.IGNORECASE,
)

_UNSEEN = frozenset(
    "head style script title template noscript object iframe svg math select textarea -comment "
    "!doctype".split()
)
_BLOCKS = frozenset(
    "address article aside body blockquote center dd div dl dt fieldset figure footer form h1 h2 "
    "h3 h4 h5 h6 header hr html li main nav ol pre section table tbody tfoot thead tr ul".split()
)
_SPACED = frozenset({"p"})
_CELLS = frozenset({"td", "th"})

# Containers of quoted mail and of the lines above it, as the common clients name them. Not
# `gmail_quote` itself: an answer in between stands within it, beside the blockquotes.
_QUOTE_CLASSES = frozenset(
    "moz-cite-prefix moz-forward-container yahoo_quoted protonmail_quote "
    "tutanota_quote zmail_extra sh-quoted-content quoted_reply mail-quote-collapse "
    "ntes-mailmaster-quote front-blockquote".split()
)
_QUOTE_IDS = frozenset(
    "olk_src_body_section isreplycontent reply139content origbody orimsghtmlseperator".split()
)
_QUOTE_NAMES = frozenset({"quote", "messagereplysection"})
# Yahoo puts a prefix of its own making before its class.
_QUOTE_CLASS_ENDS = ("yahoo_quoted",)
# Below these the quotation stands without marks, whatever encloses it: a line says so.
_QUOTE_REST_IDS = frozenset(
    "appendonsend divrplyfwdmsg mail-editor-reference-message-container stopspelling zwchr".split()
)
_QUOTE_REST = "-----Original Message-----"

_SIGNATURE_CLASSES = frozenset(
    "gmail_signature gmail_signature_prefix moz-signature protonmail_signature_block".split()
)
_SIGNATURE_IDS = frozenset(
    "signature ms-outlook-mobile-signature composer_signature ymail_android_signature "
    "ymail_ios_signature".split()
)

_HIDING = re.compile(
    r"(?:^|;)(?:display:none|visibility:hidden|mso-hide:all"
    r"|(?:max-height|font-size|opacity):0(?:px|pt)?(?:;|$|!))",
    re.ASCII,
)
# A line on the left is how Outlook, and webmail of many kinds, marks quotations.
_BAR = re.compile(r"(?:^|;)border-left:(?!none|0|medium)[^;]*(?:solid|double)", re.ASCII)
_BLANKS = re.compile(r"[ \t\n\r\f]+", re.ASCII)


def html_to_text(html: str, most_tags: int = LIMITS.html_tags) -> str:
    """The text of an HTML mail, one line a block or `<br>`.

    At most 64 K characters are read, and no more than `most_tags`: to nest twice as many takes
    four times as long.

    Quoted parts begin each line with `> `, so that they read as in text mail. What a reader
    doesn't see (styles, scripts, hidden preheaders) and marked signatures are left out.
    """
    try:
        tree = LexborHTMLParser(_FORMATTING.sub("<wbr>", _first_tags(html[:_CHARS], most_tags)))
    except SelectolaxError:
        return ""
    lines = _Lines()
    if tree.root is not None:
        _Reading(lines).read(tree.root)
    return lines.text()


def _first_tags(html: str, most: int) -> str:
    """The text up to where one tag too many begins."""
    at = -1
    for _ in range(most + 1):
        at = html.find("<", at + 1)
        if at < 0:
            return html
    return html[:at]


class _Lines:
    """Lines under construction; blanks are folded outside `<pre>`."""

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

    def space(self) -> None:
        self._blank = True

    def end(self, prefix: str, *, even_empty: bool = True) -> None:
        """End the line; an empty one counts unless told otherwise."""
        if self._pieces or even_empty:
            self._lines.append((prefix + "".join(self._pieces)).rstrip(" "))
        self._pieces = []
        self._blank = False

    def gap(self, prefix: str) -> None:
        """An empty line, if there isn't one already."""
        if self._lines and self._lines[-1] != prefix.rstrip(" "):
            self._lines.append(prefix.rstrip(" "))

    def text(self) -> str:
        self.end("", even_empty=False)
        return "\n".join(self._lines)


class _Reading:
    """One walk over the tree, without recursion, as nesting may be deep."""

    def __init__(self, lines: _Lines) -> None:
        self._lines = lines
        self._quotes = 0
        self._pres = 0

    @property
    def _prefix(self) -> str:
        return "> " if self._quotes else ""

    def read(self, root: LexborNode) -> None:
        for node, is_leaving in _walk(root, self._is_read):
            if is_leaving:
                self._leave(node)
            elif node.tag == "-text":
                self._text(node.text_content or "")
            else:
                self._enter(node)

    def _is_read(self, node: LexborNode) -> bool:
        """Is anything of this element shown?"""
        if node.tag in _UNSEEN:
            return False
        if node.tag == "-text":
            return True
        attributes = node.attributes
        return not (
            "hidden" in attributes
            or _HIDING.search(_style(attributes))
            or _named(attributes, _SIGNATURE_CLASSES, _SIGNATURE_IDS)
        )

    def _text(self, text: str) -> None:
        text = plain_lines(text)
        if self._pres:
            self._lines.add_verbatim(text, self._prefix)
        else:
            self._lines.add(text)

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "br":
            self._lines.end(self._prefix)
        elif tag in _CELLS:
            self._lines.space()
        elif tag in _BLOCKS or tag in _SPACED:
            self._lines.end(self._prefix, even_empty=False)
        if _is_quote(node):
            self._lines.end(self._prefix, even_empty=False)
            self._quotes += 1
        if (node.attributes.get("id") or "").lower() in _QUOTE_REST_IDS:
            self._lines.end(self._prefix, even_empty=False)
            self._lines.add(_QUOTE_REST)
            self._lines.end(self._prefix)
        if tag == "pre":
            self._pres += 1

    def _leave(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag in _BLOCKS or tag in _SPACED:
            self._lines.end(self._prefix, even_empty=False)
        if tag in _SPACED:
            self._lines.gap(self._prefix)
        if _is_quote(node):
            self._lines.end(self._prefix, even_empty=False)
            self._quotes -= 1
        if tag == "pre":
            self._pres -= 1


def _is_quote(node: LexborNode) -> bool:
    attributes = node.attributes
    if _named(attributes, _QUOTE_CLASSES, _QUOTE_IDS):
        return True
    if (attributes.get("name") or "").lower() in _QUOTE_NAMES:
        return True
    classes = (attributes.get("class") or "").lower()
    if "gmail_attr" in classes.split():
        return _stands_above_quote(node)
    if classes.endswith(_QUOTE_CLASS_ENDS):
        return True
    if node.tag == "div":
        return _BAR.search(_style(attributes)) is not None
    return node.tag == "blockquote" and not _is_indentation(attributes)


def _stands_above_quote(node: LexborNode) -> bool:
    """Gmail's line above a quotation looks like its mark above a forwarded mail otherwise."""
    following = node.next
    for _ in range(3):
        if following is None or following.tag not in ("-text", "br"):
            break
        following = following.next
    return following is not None and following.tag == "blockquote"


def _is_indentation(attributes: dict[str, str | None]) -> bool:
    """Gmail and Apple Mail indent a writer's own lines by a blockquote without a border."""
    if (attributes.get("type") or "").lower() == "cite" or attributes.get("cite"):
        return False
    classes = (attributes.get("class") or "").split()
    if "webkit-indent-blockquote" in classes:
        return True
    return not classes and "border:none" in _style(attributes)


def _style(attributes: dict[str, str | None]) -> str:
    """The style of an element in one form: without blanks, in lower case, cut to a bound."""
    style = attributes.get("style")
    return re.sub(r"\s", "", style[:_STYLE], flags=re.ASCII).lower() if style else ""


def _named(attributes: dict[str, str | None], classes: frozenset[str], ids: frozenset[str]) -> bool:
    if (attributes.get("id") or "").lower() in ids:
        return True
    return not classes.isdisjoint((attributes.get("class") or "").lower().split())


def _walk(
    root: LexborNode, is_read: Callable[[LexborNode], bool]
) -> Iterator[tuple[LexborNode, bool]]:
    """Every node on entering (False) and each element with children on leaving (True)."""
    open_nodes: list[LexborNode] = []
    node: LexborNode | None = root
    for _ in range(_NODES):
        if node is not None and is_read(node):
            yield node, False
            if (child := node.first_child) is not None:
                open_nodes.append(node)
                node = child
                continue
            if node.tag != "-text":
                yield node, True
        following = node.next if node is not None and node is not root else None
        while following is None:
            if not open_nodes:
                return
            parent = open_nodes.pop()
            yield parent, True
            following = parent.next if parent is not root else None
        node = following
