"""JSON encoding by orjson. The standard library encodes the values that orjson cannot."""

import json
from typing import Any

import orjson

_MARKS = (" ", b" ")  # begin text for the standard library: orjson rounds long integers
# As the standard library, which encodes neither.
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def dumps(value: Any) -> str:
    """Encode a value as JSON. Infinite floats become null. Raises TypeError for an unknown type."""
    try:
        return orjson.dumps(value, option=_OPTIONS).decode()
    except TypeError:  # lone surrogates, integers of over 64 bits, keys that are numbers
        return f" {json.dumps(value)}"


def loads(text: str | bytes) -> Any:
    if text[:1] in _MARKS:
        return json.loads(text)
    try:
        return orjson.loads(text)
    except ValueError:  # lone surrogates and NaN in rows of earlier versions
        return json.loads(text)
