"""JSON for its columns: by orjson, and what that cannot take by the standard library."""

import json
from typing import Any

import orjson

_AS_THE_STANDARD_LIBRARY = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def dumps(value: Any) -> str:
    """A value as JSON. Raises TypeError for what JSON has no words for, dates among it."""
    try:
        return orjson.dumps(value, option=_AS_THE_STANDARD_LIBRARY).decode()
    except TypeError:
        return json.dumps(value)  # half a surrogate pair, keys that are no words


def loads(text: str | bytes) -> Any:
    """A value from JSON, whole numbers up to 64 bits. Raises ValueError for what is none."""
    try:
        return orjson.loads(text)
    except ValueError:
        return json.loads(text)
