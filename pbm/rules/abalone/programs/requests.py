"""What a line asks for: the fields of its request, read by name and type."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, get_args

LONGEST_LINE = 65_536
"""Bytes that a request may have, its newline included."""

Answer = dict[str, Any]

RequestReason = Literal[
    "line-too-long", "bad-json", "bad-request", "unknown-op", "too-deep", "too-much"
]
REQUEST_REASONS: tuple[str, ...] = get_args(RequestReason)


class RequestError(ValueError):
    """A line that is no request, or asks for what this program does not do."""

    def __init__(self, reason: RequestReason, text: str) -> None:
        super().__init__(text)
        self.reason: RequestReason = reason


@dataclass(frozen=True, slots=True)
class Request:
    """The fields of one request, read by name and type."""

    fields: dict[str, Any]

    def text(self, name: str, default: str | None = None) -> str:
        """A field that is a string; raises RequestError if it isn't, or lacks without default."""
        value = self.fields.get(name, default)
        if not isinstance(value, str):
            raise RequestError("bad-request", f'"{name}" must be a string.')
        return value

    def number(self, name: str, default: int | None = None) -> int:
        """A field that is a whole number, as `text`."""
        value = self.fields.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise RequestError("bad-request", f'"{name}" must be a whole number.')
        return value

    def optional_number(self, name: str) -> int | None:
        """A field that is a whole number, None where it lacks; raises as `text`."""
        return self.number(name) if name in self.fields else None

    def seconds(self, name: str) -> float | None:
        """A field that is a number above zero, None where it lacks; raises as `text`."""
        if name not in self.fields:
            return None
        value = self.fields[name]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise RequestError("bad-request", f'"{name}" must be a number.')
        if not 0 < value < math.inf:
            raise RequestError("bad-request", f'"{name}" must be above zero.')
        return value

    def texts(self, name: str) -> list[str]:
        """A field that is a list of strings, empty by default; raises as `text`."""
        value = self.fields.get(name, [])
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise RequestError("bad-request", f'"{name}" must be a list of strings.')
        return value

    def switch(self, name: str) -> bool:
        """A field that is true or false, which it is by default; raises as `text`."""
        value = self.fields.get(name, False)
        if not isinstance(value, bool):
            raise RequestError("bad-request", f'"{name}" must be true or false.')
        return value


Operation = tuple[Callable[[Request], Answer], tuple[str, ...]]
"""What answers a request, and the fields that it reads."""


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
