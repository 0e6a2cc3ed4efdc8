"""Strict, bounded parser of the header of a mail or a part (RFC 5322)."""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

from pbm.mail.reading.charsets import decode
from pbm.mail.reading.limits import Limits, UnreadableMail

_FIELD = re.compile(rb"([!-9;-~]{1,100})[ \t]*:(.*)", re.DOTALL)
_VALUE_BYTES = 4_096


@dataclass(frozen=True)
class Headers:
    """The fields of one header in order, each name in lower case."""

    fields: tuple[tuple[str, bytes], ...] = ()

    def all(self, name: str, most: int = _VALUE_BYTES) -> list[str]:
        """Every value of `name` as text: unfolded, not decoded, cut to `most` bytes."""
        return [_text(value[:most]) for value in self._values.get(name, ())]

    def first(self, name: str, most: int = _VALUE_BYTES) -> str:
        """The first value of `name`, or an empty text."""
        values = self._values.get(name)
        return _text(values[0][:most]) if values else ""

    def names(self) -> list[str]:
        """The names of all fields, in order."""
        return [name for name, _ in self.fields]

    @cached_property
    def _values(self) -> dict[str, list[bytes]]:
        """Values by name, indexed because the header of a mail is queried a dozen times."""
        values: dict[str, list[bytes]] = {}
        for name, value in self.fields:
            values.setdefault(name, []).append(value)
        return values


def _text(value: bytes) -> str:
    """Decode 8-bit header text, which has no label: UTF-8 if valid, else Latin-1."""
    return decode(value, "").strip(" \t")


@lru_cache(maxsize=4)  # reading one mail asks several times
def split_header(raw: bytes, limits: Limits) -> tuple[Headers, int]:
    """Parse the header at the beginning of a mail; return it and the start of the body.

    Malformed lines are skipped, so that they cannot hide the fields behind them. Raises
    UnreadableMail beyond the limits.
    """
    return _split(raw, 0, limits, of_part=False)


def split_part_header(raw: bytes, start: int, limits: Limits) -> tuple[Headers, int]:
    """Parse the header of a part of a multipart that starts at `start`.

    Unlike the header of the mail, it ends at the first malformed line, or at a line that could be a
    boundary. Raises UnreadableMail beyond the limits.
    """
    return _split(raw, start, limits, of_part=True)


def _split(raw: bytes, start: int, limits: Limits, *, of_part: bool) -> tuple[Headers, int]:
    fields: list[tuple[str, list[bytes]]] = []
    most = start + limits.header_bytes
    at = start
    while at < len(raw):
        end = raw.find(b"\n", at, most + 2) + 1 or min(len(raw), most + 2)
        line = raw[at:end].rstrip(b"\r\n")
        if not line:
            return _frozen(fields), end
        if end > most:
            raise UnreadableMail(
                "headers-too-large",
                f"The header of this mail is larger than {limits.header_bytes // 1024} KB.",
            )
        if line[0] in b" \t" and fields:
            fields[-1][1].append(line)
        elif (field := _FIELD.match(line)) and not (of_part and line.startswith(b"--")):
            if len(fields) == limits.header_fields:
                raise UnreadableMail(
                    "too-many-headers",
                    f"This mail has more than {limits.header_fields} header fields.",
                )
            name, value = field.groups()
            fields.append((name.decode("ascii").lower(), [value]))
        elif of_part:
            return _frozen(fields), at
        at = end
    return _frozen(fields), len(raw)


def _frozen(fields: list[tuple[str, list[bytes]]]) -> Headers:
    return Headers(tuple((name, b"".join(lines)) for name, lines in fields))
