"""JSON by orjson, and by the standard library for the values that orjson cannot encode."""

import json
from typing import Any

import orjson

# As the standard library, which encodes neither.
_OPTIONS = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def dumps(value: Any) -> str:
    """Encode a value. Raises TypeError for a value without a form in JSON."""
    try:
        return orjson.dumps(value, option=_OPTIONS).decode()
    except TypeError:  # lone surrogates, numbers of over 64 bits, keys that are numbers
        return json.dumps(value)


def loads(text: str | bytes) -> Any:
    """Decode a value. Raises ValueError for text that is not JSON."""
    try:
        return orjson.loads(text)
    except ValueError:  # lone surrogates, NaN
        return json.loads(text)
