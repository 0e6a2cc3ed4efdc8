"""Requests to `pbm-rules`: the fields of a line, read by name and type."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeVar, get_args

LONGEST_LINE = 65_536
"""Bytes that a request may have, its newline included."""

Answer = dict[str, Any]
_Value = TypeVar("_Value")
_KINDS: dict[type, str] = {str: "a string", int: "a whole number", bool: "true or false"}

RequestReason = Literal[
    "line-too-long", "bad-json", "bad-request", "unknown-op", "too-deep", "too-much"
]
REQUEST_REASONS: tuple[str, ...] = get_args(RequestReason)


class RequestError(ValueError):
    """A line that is no request, or not one of this program."""

    def __init__(self, reason: RequestReason, text: str) -> None:
        super().__init__(text)
        self.reason: RequestReason = reason


@dataclass(frozen=True, slots=True)
class Request:
    """The fields of one request, read by name and type."""

    fields: dict[str, Any]

    def get(self, name: str, kind: type[_Value], default: _Value | None = None) -> _Value:
        """A field of a type; one without a default must be there. Raises RequestError."""
        value = self.fields.get(name, default)
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise RequestError("bad-request", f'"{name}" must be {_KINDS[kind]}.')
        return value

    def optional_number(self, name: str) -> int | None:
        """A field that is a whole number, None if missing; raises as `get`."""
        return self.get(name, int) if name in self.fields else None

    def seconds(self, name: str) -> float | None:
        """A field that is a number above zero, None if missing; raises as `get`."""
        if name not in self.fields:
            return None
        value = self.fields[name]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise RequestError("bad-request", f'"{name}" must be a number.')
        if not 0 < value < math.inf:
            raise RequestError("bad-request", f'"{name}" must be above zero.')
        return value

    def texts(self, name: str) -> list[str]:
        """A field that is a list of strings, empty by default; raises as `get`."""
        value = self.fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise RequestError("bad-request", f'"{name}" must be a list of strings.')
        return value


Operation = tuple[Callable[[Request], Answer], tuple[str, ...]]
"""The function that answers a request, and the fields that it reads."""


def read_request(line: bytes) -> Request:
    """The request that a line is; raises RequestError."""
    if len(line) > LONGEST_LINE:
        raise RequestError("line-too-long", f"A line has at most {LONGEST_LINE} bytes.")
    try:
        request = json.loads(line.decode(), parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise RequestError("bad-json", "The line is not JSON text in UTF-8.") from None
    if not isinstance(request, dict):
        raise RequestError("bad-request", "A request is a JSON object.")
    return Request(request)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"JSON has no {name}")
