"""Typed values as plain JSON, and back: dataclasses as objects, tuples as lists."""

import json
import zlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

_Kind = TypeVar("_Kind")
_AS_THEY_ARE = frozenset({str, int, bool, float, NoneType})


def to_plain(value: Any) -> Any:
    """Convert a value to plain JSON.

    >>> from pbm.events.board import MatchStanding
    >>> to_plain((MatchStanding(7, 1, 3),))
    [{'player': 7, 'wins': 1, 'balance': 3}]
    """
    if type(value) in _AS_THEY_ARE:
        return value
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: to_plain(item) for name, item in value.items()}
    if is_dataclass(value):
        return {name: to_plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return value


def packed(plain: Any) -> str:
    """Return plain JSON as few characters that may stand in a link's fragment."""
    text = json.dumps(plain, separators=(",", ":")).encode()
    return urlsafe_b64encode(zlib.compress(text, 9)).decode("ascii").rstrip("=")


def from_plain(kind: type[_Kind], plain: Any) -> _Kind:
    """Rebuild a dataclass from the output of `to_plain`. Raises TypeError for wrong fields."""
    hints = _types(kind)
    return kind(**{name: _value(hints.get(name, Any), item) for name, item in plain.items()})


_types: Callable[[type], dict[str, Any]] = cache(get_type_hints)


def _value(hint: Any, plain: Any) -> Any:
    of = get_args(hint)
    if plain is None or hint is Any:
        return plain
    if get_origin(hint) in (Union, UnionType):
        return _value(next(one for one in of if one is not NoneType), plain)
    if get_origin(hint) is tuple:
        hints = of[:1] * len(plain) if of[-1:] == (...,) else of
        return tuple(_value(one, item) for one, item in zip(hints, plain, strict=True))
    if get_origin(hint) is dict:
        return {name: _value(of[1], item) for name, item in plain.items()}
    return from_plain(cast(type[Any], hint), plain) if is_dataclass(hint) else plain
