"""Tells which text of an HTML mail is visible, by the styles that stand in its elements.

Invisible text is skipped: advertisers hide preview lines, and forgers may hide commands. Colours,
positions and style sheets do not count, as mail programs change or ignore many of them.
"""

import re
from collections.abc import Mapping

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ZERO = r"\.?0[.0]*(?:[a-z]{1,4}|%)?"
# Elements that these remove show nothing, whatever stands in them.
_REMOVING = {
    "display": re.compile("none"),
    "mso-hide": re.compile("all"),
    "opacity": re.compile(_ZERO),
    "max-height": re.compile(_ZERO),
}
_VISIBILITY = "visibility"
_SIZES = ("font-size", "font")
_TELLING = frozenset((*_REMOVING, _VISIBILITY, *_SIZES))
_TINY = re.compile(rf"(?:{_ZERO}|[12]px)(?:[/ ].*)?")
_RELATIVE = re.compile(r"[0-9.]{1,7}(?:em|ex|ch|%)|smaller|larger|inherit", re.ASCII)


class Sight:
    """Tells whether text is visible, from the styles of all elements that are open."""

    def __init__(self) -> None:
        self._hidden = [(False, False)]  # by its visibility, and by its size

    @property
    def sees_text(self) -> bool:
        return not any(self._hidden[-1])

    def enter(self, attributes: Mapping[str, str | None]) -> bool:
        """Enter an element and return True, or return False if the element is not displayed."""
        declared = _declarations(attributes.get("style") or "")
        if "hidden" in attributes or any(
            removing.fullmatch(declared.get(name, "")) for name, removing in _REMOVING.items()
        ):
            return False
        is_hidden, is_tiny = self._hidden[-1]
        if _VISIBILITY in declared:
            is_hidden = declared[_VISIBILITY] in ("hidden", "collapse")
        for size in (declared[name] for name in _SIZES if name in declared):
            is_relative = _RELATIVE.fullmatch(size) is not None
            is_tiny = (is_tiny and is_relative) or _TINY.fullmatch(size) is not None
        self._hidden.append((is_hidden, is_tiny))
        return True

    def leave(self) -> None:
        self._hidden.pop()


def _declarations(style: str) -> dict[str, str]:
    """Parse the declarations of a style that affect visibility, in lower case."""
    found: dict[str, str] = {}
    for declaration in _COMMENT.sub(" ", style).lower().split(";"):
        name, _, value = declaration.partition(":")
        if (name := name.strip()) in _TELLING:
            found[name] = " ".join(value.partition("!")[0].split())
    return found
