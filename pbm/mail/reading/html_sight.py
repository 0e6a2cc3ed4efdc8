"""Tells which text of an HTML mail is visible.

It depends on styles of elements, style sheets and old attributes. Invisible text is skipped:
advertisers hide preview lines, and forgers may hide commands.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from colorsys import hls_to_rgb
from dataclasses import dataclass, replace
from math import nan

from PIL.ImageColor import colormap

Declarations = dict[str, str]
Colour = tuple[int, int, int]

TELLING = frozenset(
    "display visibility opacity mso-hide font font-size color -webkit-text-fill-color background "
    "background-color background-image height width max-height max-width overflow overflow-x "
    "overflow-y position left right top bottom margin-left margin-top text-indent clip clip-path "
    "transform".split()
)

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})[ \t\n]?", re.ASCII | re.IGNORECASE)
_BRACE = re.compile(r"[{}]")
_SIMPLE = re.compile(r"(?=.)[a-z0-9]*(?:[.#][a-z0-9_-]+)?", re.ASCII)
_LENGTH = re.compile(r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))([a-z%]*)", re.ASCII)
_PIXELS = {"": 1, "px": 1, "pt": 4 / 3, "pc": 16, "em": 16, "rem": 16, "ex": 8, "ch": 8}
_PIXELS |= {"in": 96, "cm": 38, "mm": 3.8, "%": 10, "vw": 10, "vh": 10}
_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-f])", re.ASCII)
_COLOUR = re.compile(
    r"(rgb|hsl)a?\( ?([0-9.]{1,7}(?:%|deg)?)[ ,/]{1,2}([0-9.]{1,7}%?)[ ,/]{1,2}([0-9.]{1,7}%?)"
    r"(?:[ ,/]{1,3}([0-9.]{1,7}%?))? ?\)",
    re.ASCII,
)
_OF_SYSTEM = {"window": "white", "windowtext": "black"}


def declarations(text: str) -> Declarations:
    """Parse the declarations of a style that affect visibility, in lower case."""
    found: Declarations = {}
    for declaration in _plain(text).split(";"):
        name, _, value = declaration.partition(":")
        name = name.strip().lower()
        if name in TELLING:
            found[name] = " ".join(value.lower().partition("!")[0].split())
    return found


def rules(texts: Iterable[str]) -> dict[str, Declarations]:
    """Parse style sheets. Return the declarations for each simple selector, such as `p.quote`."""
    found: dict[str, Declarations] = {}
    for text in texts:
        for selectors, body in _blocks(_plain(text)):
            declared = declarations(body)
            for selector in selectors.lower().split(",") if declared else ():
                if _SIMPLE.fullmatch(name := selector.strip()):
                    found.setdefault(name, {}).update(declared)
    return found


def _plain(text: str) -> str:
    """Remove the comments of a style sheet, and decode its escaped letters."""

    def letter(escape: re.Match[str]) -> str:
        number = int(escape[1], 16)
        return chr(number) if number < 128 and chr(number).isalnum() else escape[0]

    return _ESCAPE.sub(letter, _COMMENT.sub(" ", text))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield each rule's selectors and declarations; skip at-rules such as `@media`."""
    depth = start = 0
    selectors = ""
    for brace in _BRACE.finditer(text):
        between = text[start : brace.start()]
        start = brace.end()
        if brace[0] == "{":
            if depth == 0:
                selectors = between.rpartition(";")[2].replace("<!--", "").strip()
            depth += 1
            continue
        if depth == 1 and not selectors.startswith("@"):
            yield selectors, between
        depth = max(0, depth - 1)


def pixels(value: str) -> float:
    """Convert a CSS length to pixels, approximately. Return `nan` if the value is no length."""
    found = _LENGTH.fullmatch(value)
    if found is None or found[2] not in _PIXELS:
        return nan
    return float(found[1][:12]) * _PIXELS[found[2]]


def colour(value: str) -> Colour | None:
    """Parse the colour at the start of a value; None if there is none or it is transparent."""
    if found := _HEX.match(value):
        digits = found[1]
        step = 1 if len(digits) < 6 else 2
        red, green, blue, *opacity = (
            int((digits[at : at + step] * 2)[:2], 16) for at in range(0, len(digits), step)
        )
        return (red, green, blue) if opacity != [0] else None
    if found := _COLOUR.match(value):
        parts = [_number(text) for text in found.groups()[1:4]]
        if found[5] and not _number(found[5]):
            return None
        if found[1] == "hsl":
            hue, saturation, lightness = parts
            shares = min(1, lightness / 100), min(1, saturation / 100)
            parts = [255 * part for part in hls_to_rgb(hue / 360, *shares)]
        elif found[2].endswith("%"):
            parts = [2.55 * part for part in parts]
        red, green, blue = (min(255, round(part)) for part in parts)
        return red, green, blue
    name = value.partition(" ")[0]
    known = colormap.get(_OF_SYSTEM.get(name, name))
    return colour(known) if isinstance(known, str) else known and known[:3]


def is_transparent(value: str) -> bool:
    is_one = any(form.match(value) for form in (_HEX, _COLOUR))
    return value == "transparent" or (is_one and colour(value) is None)


def _number(text: str) -> float:
    try:
        return float(text.rstrip("%deg"))
    except ValueError:  # several dots
        return 0.0


_FAR = -300.0  # pixels: beyond the edge of the screen
_THIN = 1.0  # pixels of a box that clips its text
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
    """The computed style of an element's text; a colour is None if unknown."""

    colour: Colour | None = None
    background: Colour | None = (255, 255, 255)
    is_clear: bool = False
    is_tiny: bool = False
    is_hidden: bool = False

    @property
    def is_seen(self) -> bool:
        if self.is_clear or self.is_tiny or self.is_hidden:
            return False
        if self.colour is None or self.background is None:
            return True
        pairs = zip(self.colour, self.background, strict=True)
        return any(abs(one - other) >= _ALIKE for one, other in pairs)


class Sight:
    """Tells whether text is visible, from the styles of all elements that are open."""

    def __init__(self, style_sheets: Iterable[str]) -> None:
        self._rules = rules(style_sheets)
        self._looks = [_Look()]

    @property
    def sees_text(self) -> bool:
        return self._looks[-1].is_seen

    def enter(self, tag: str, attributes: Attributes) -> bool:
        """Enter an element and return True, or return False if the element is not displayed."""
        if not attributes and not self._rules:
            self._looks.append(self._looks[-1])
            return True
        declared = self._declared(tag, attributes)
        if "hidden" in attributes or _is_gone(declared):
            return False
        self._looks.append(_look(self._looks[-1], declared, tag, attributes))
        return True

    def _declared(self, tag: str, attributes: Attributes) -> Declarations:
        """Return an element's declarations by the style sheets, overridden by its `style`."""
        declared: Declarations = {}
        if self._rules:
            names = [f".{name}" for name in (attributes.get("class") or "").lower().split()]
            if identifier := attributes.get("id"):
                names.append(f"#{identifier.lower()}")
            for name in (tag, *names, *(tag + name for name in names)):
                declared.update(self._rules.get(name, ()))
        if style := attributes.get("style"):
            declared.update(declarations(style))
        return declared

    def leave(self) -> None:
        self._looks.pop()


def _is_gone(declared: Declarations) -> bool:
    if declared.get("display") == "none" or declared.get("mso-hide") == "all":
        return True
    if pixels(declared.get("opacity", "")) <= _FAINT:
        return True
    if _CUT_AWAY.match(declared.get("clip", "")) or _CUT_AWAY.match(declared.get("clip-path", "")):
        return True
    if _SHRUNK.search(declared.get("transform", "")):
        return True
    is_placed = declared.get("position") in ("absolute", "fixed", "relative")
    shifts = _SHIFTS + _OFFSETS * is_placed
    is_far = any(pixels(declared.get(name, "")) <= _FAR for name in shifts)
    return is_far or _has_no_room(declared)


def _has_no_room(declared: Declarations) -> bool:
    if pixels(declared.get("max-height", "")) == 0:
        return True
    overflow = " ".join(declared.get(f"overflow{axis}", "") for axis in ("", "-x", "-y"))
    if "hidden" not in overflow and "clip" not in overflow:
        return False
    return any(pixels(declared.get(name, "")) <= _THIN for name in ("height", "width", "max-width"))


def _look(outer: _Look, declared: Declarations, tag: str, attributes: Attributes) -> _Look:
    old = {name: attributes[name] or "" for name in ("bgcolor", "background") if name in attributes}
    if written := attributes.get("text" if tag == "body" else "color"):
        old["color"] = written
    if not declared and not old:
        return outer
    look = outer
    if "visibility" in declared:
        look = replace(look, is_hidden=declared["visibility"] in ("hidden", "collapse"))
    font = _FONT_SIZE.search(declared.get("font", ""))
    if size := declared.get("font-size") or (font and font[1]):
        look = replace(look, is_tiny=_is_tiny(size, within=outer.is_tiny))
    text = declared.get("-webkit-text-fill-color") or declared.get("color")
    text = text or _written(old.get("color", ""))
    if text and text != "inherit":
        look = replace(look, colour=colour(text), is_clear=is_transparent(text))
    return replace(look, background=_background(look.background, declared, old))


def _is_tiny(size: str, *, within: bool) -> bool:
    length = pixels(size)
    if size.endswith("%"):
        length *= 16 / 1000  # of the font size, not of the screen
    if within and size.endswith(_RELATIVE) and not size.endswith("rem"):
        return True
    return length < _TINY


def _background(
    outer: Colour | None, declared: Declarations, old: Mapping[str, str]
) -> Colour | None:
    """Return an element's background colour, by default `outer`; None if it is a picture."""
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
    """Normalise a colour in an old attribute such as `bgcolor`, where its `#` may be missing."""
    text = attribute.strip().lower()
    return f"#{text}" if re.fullmatch(r"[0-9a-f]{6}", text, re.ASCII) else text
