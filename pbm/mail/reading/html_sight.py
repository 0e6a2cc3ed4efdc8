"""What of an HTML mail a reader can see: a text that nobody sees is nobody's word.

Advertisers hide the lines that a mailbox shows first, and forgers may hide commands. Known are the
usual ways, by the style of an element, by simple rules of a style sheet, and by old attributes.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from pbm.mail.reading.css import (
    Colour,
    Declarations,
    colour,
    for_element,
    is_transparent,
    pixels,
    rules,
)

_FAR = -300.0  # pixels: beyond the edge of what is shown
_THIN = 1.0  # pixels of a box that cuts off what stands in it
_TINY = 3.0  # pixels of a letter
_FAINT = 0.05
_ALIKE = 16  # of 255, in each of red, green and blue
_OFFSETS = ("left", "right", "top", "bottom")
_SHIFTS = ("margin-left", "margin-top", "text-indent")
_RELATIVE = ("em", "%", "ex", "ch", "smaller", "larger", "inherit")
_FONT_SIZE = re.compile(r"(?<![0-9.a-z-])(0|[0-9.]{1,7}(?:px|pt|em|rem|%))(?=[/ ])", re.ASCII)
_CUT_AWAY = re.compile(
    r"rect\( ?(?:[01](?:px)?[ ,]{0,2}){4}\)|inset\((?:50|100)%|circle\(0", re.ASCII
)
_SHRUNK = re.compile(r"scale[xy]?\( ?0(?:\.0+)? ?[,)]", re.ASCII)

Attributes = Mapping[str, str | None]


@dataclass(frozen=True)
class _Look:
    """How the text of an element looks; colours are None where they are not known."""

    colour: Colour | None = None
    background: Colour | None = (255, 255, 255)
    is_clear: bool = False
    is_tiny: bool = False
    is_hidden: bool = False

    @property
    def is_seen(self) -> bool:
        """Whether it can be read at all."""
        return not (self.is_clear or self.is_tiny or self.is_hidden) and not _are_alike(
            self.colour, self.background
        )


class Sight:
    """Goes along a walk over a tree, and knows what can be seen at each place."""

    def __init__(self, style_sheets: Iterable[str]) -> None:
        self._rules = rules(style_sheets)
        self._looks = [_Look()]

    @property
    def sees_text(self) -> bool:
        """Whether a text here can be seen."""
        return self._looks[-1].is_seen

    def enter(self, tag: str, attributes: Attributes) -> bool:
        """Go into an element, unless nothing in it can be seen whatever it says of itself."""
        if not attributes and not self._rules:
            self._looks.append(self._looks[-1])
            return True
        declared = for_element(self._rules, tag, attributes)
        if "hidden" in attributes or _is_gone(declared):
            return False
        self._looks.append(_look(self._looks[-1], declared, tag, attributes))
        return True

    def leave(self) -> None:
        """Go out of it again."""
        self._looks.pop()


def _is_gone(declared: Declarations) -> bool:
    """Whether nothing of an element so declared is shown."""
    if declared.get("display") == "none" or declared.get("mso-hide") == "all":
        return True
    if (opacity := pixels(declared.get("opacity", ""))) is not None and opacity <= _FAINT:
        return True
    if _CUT_AWAY.match(declared.get("clip", "")) or _CUT_AWAY.match(declared.get("clip-path", "")):
        return True
    if _SHRUNK.search(declared.get("transform", "")):
        return True
    return _has_no_room(declared) or _is_far_off(declared)


def _has_no_room(declared: Declarations) -> bool:
    if pixels(declared.get("max-height", "")) == 0:
        return True
    overflow = " ".join(declared.get(f"overflow{axis}", "") for axis in ("", "-x", "-y"))
    if "hidden" not in overflow and "clip" not in overflow:
        return False
    sizes = (declared.get(name, "") for name in ("height", "width", "max-width"))
    return any((size := pixels(text)) is not None and size <= _THIN for text in sizes)


def _is_far_off(declared: Declarations) -> bool:
    is_placed = declared.get("position") in ("absolute", "fixed", "relative")
    names = _SHIFTS + _OFFSETS if is_placed else _SHIFTS
    return any((by := pixels(declared.get(name, ""))) is not None and by <= _FAR for name in names)


def _look(outer: _Look, declared: Declarations, tag: str, attributes: Attributes) -> _Look:
    old = {name: attributes[name] or "" for name in ("bgcolor", "background") if name in attributes}
    if written := attributes.get("text" if tag == "body" else "color"):
        old["color"] = written
    if not declared and not old:
        return outer
    look = outer
    if "visibility" in declared:
        look = replace(look, is_hidden=declared["visibility"] in ("hidden", "collapse"))
    if size := declared.get("font-size") or _size_of_font(declared.get("font", "")):
        look = replace(look, is_tiny=_is_tiny(size, within=outer.is_tiny))
    text = declared.get("-webkit-text-fill-color") or declared.get("color")
    text = text or _written(old.get("color", ""))
    if text and text != "inherit":
        look = replace(look, colour=colour(text), is_clear=is_transparent(text))
    return replace(look, background=_background(look.background, declared, old))


def _size_of_font(font: str) -> str:
    found = _FONT_SIZE.search(font)
    return found[1] if found else ""


def _is_tiny(size: str, *, within: bool) -> bool:
    length = pixels(size)
    if size.endswith("%") and length is not None:
        length *= 16 / 1000  # of a letter, not of the screen
    if within and size.endswith(_RELATIVE) and not size.endswith("rem"):
        return True
    return length is not None and length < _TINY


def _background(
    outer: Colour | None, declared: Declarations, old: Mapping[str, str]
) -> Colour | None:
    """The ground that a text stands on; a picture may have any colour."""
    if "url(" in declared.get("background-image", "") or "background" in old:
        return None
    if text := declared.get("background-color"):
        return colour(text) or outer
    if text := declared.get("background"):
        if "url(" in text or "gradient" in text:
            return None
        return colour(text) or outer
    return colour(_written(old.get("bgcolor", ""))) or outer


def _written(attribute: str) -> str:
    """A colour of an old attribute, which may lack its sign."""
    text = attribute.strip().lower()
    return f"#{text}" if re.fullmatch(r"[0-9a-f]{6}", text, re.ASCII) else text


def _are_alike(one: Colour | None, other: Colour | None) -> bool:
    if one is None or other is None:
        return False
    return all(abs(a - b) < _ALIKE for a, b in zip(one, other, strict=True))
