"""How templates mark lines and words by filters, for both parts of a mail.

Templates write paragraphs, `- ` lists and, through the filter `pre`, lines that must keep
their shape; lines through `rows` keep it in the text part, and are a list in the HTML part. The
filter `picture` puts the picture of a view into the HTML part, the filter `state` a line of letters
that is one line in the text part, and may break anywhere in the HTML part. The filter `heading`
makes a line stand out there. No line breaks in what is `glued`, and a `command` is a link.

The marks are private-use characters, which are taken out of everything foreign.
"""

import re
from typing import Any
from unicodedata import category

from pbm.mail.writing import picture

KEPT = "\ue000"
_ROW = "\ue001"
_PICTURE = "\ue003"  # here the HTML part has the picture that the line describes
_STATE = "\ue004"
_HEADING = "\ue007"  # above one of several boards
SHAPES = {KEPT: "pre", _ROW: "rows", _PICTURE: "picture", _STATE: "state", _HEADING: "heading"}
"""How lines that begin with a mark keep their shape."""
GLUE = "\ue002"
"""A blank at which no line breaks."""
COMMAND, COMMAND_ENDS = "\ue005", "\ue006"
"""Around a command that can be sent as it stands: quotes in the text part, a link in the other."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\ue000-\ue007]", re.ASCII)
_JOINERS = "\u200c\u200d"


def _keep_shape(text: str) -> str:
    return _marked(text, KEPT)


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
    return text.replace(" ", GLUE)


def _as_command(text: str) -> str:
    return f"{COMMAND}{text}{COMMAND_ENDS}"


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
    return "\n".join(KEPT + line if line.startswith(" ") else line for line in lines)


FILTERS = {
    "pre": _keep_shape,
    "picture": _show_picture,
    "state": _keep_state,
    "heading": _keep_heading,
    "rows": _keep_rows,
    "glued": _glued,
    "command": _as_command,
    "page": _keep_indented,
}
"""The filters of templates, by name."""


def cleaned(value: Any) -> Any:
    """Take what cannot be seen, and our own marks, out of everything that fills a template."""
    if isinstance(value, str):
        return value if value.isascii() and value.isprintable() else _without_marks(value)
    if isinstance(value, dict):
        return {key: item and cleaned(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [item and cleaned(item) for item in value]
    return value


def _without_marks(text: str) -> str:
    printable = _UNPRINTABLE.sub("", text)
    return printable if printable.isascii() else "".join(filter(_is_seen, printable))


def _is_seen(character: str) -> bool:
    """False for format characters, which turn text around or hide it; joiners shape letters."""
    return character in _JOINERS or category(character) != "Cf"
