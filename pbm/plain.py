"""Typed values as plain JSON, and back: dataclasses as objects, tuples as lists."""

from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

_Kind = TypeVar("_Kind")
_AS_THEY_ARE = frozenset({str, int, bool, float, NoneType})


def to_plain(value: Any) -> Any:
    """A value as plain JSON.

    >>> from pbm.events.board import MatchStanding
    >>> to_plain((MatchStanding("alice", 1, 3),))
    [{'handle': 'alice', 'wins': 1, 'balance': 3}]
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


def from_plain(kind: type[_Kind], plain: Any) -> _Kind:
    """Rebuild a dataclass from the output of `to_plain`.

    In a union, the dataclass with the same fields is chosen. A missing field gets its default.
    Raises TypeError for an unknown field or a missing one without a default.
    """
    hints = _types(kind)
    return kind(**{name: _value(hints.get(name, Any), item) for name, item in plain.items()})


def _types(kind: Any) -> dict[str, Any]:
    known = get_type_hints(kind)
    return {item.name: known[item.name] for item in fields(kind)}


def _value(hint: Any, plain: Any) -> Any:
    if plain is None or hint is Any:
        return plain
    if get_origin(hint) in (Union, UnionType):
        return _value(_chosen(get_args(hint), plain), plain)
    if get_origin(hint) is tuple:
        return tuple(_items(get_args(hint), plain))
    if get_origin(hint) is dict:
        _, of = get_args(hint)
        return {name: _value(of, item) for name, item in plain.items()}
    return from_plain(cast(type[Any], hint), plain) if is_dataclass(hint) else plain


def _chosen(hints: tuple[Any, ...], plain: Any) -> Any:
    """The member of a union that a value belongs to; never None."""
    hints = tuple(hint for hint in hints if hint is not NoneType)
    if len(hints) == 1:
        return hints[0]
    fitting = (hint for hint in hints if is_dataclass(hint) and _types(hint).keys() == plain.keys())
    return next(fitting, Any)


def _items(hints: tuple[Any, ...], plain: list[Any]) -> list[Any]:
    """The items of a tuple: all of one type, or each of its own."""
    of = hints[:1] * len(plain) if hints[-1:] == (...,) else hints
    return [_value(hint, item) for hint, item in zip(of, plain, strict=True)]
