"""Bounds of the work that one mail may cause, checked before parsing."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Upper bounds of one mail; sizes are in bytes. A header field in several lines counts once."""

    mail_bytes: int = 1_048_576
    header_fields: int = 200
    header_bytes: int = 32_768
    depth: int = 10
    parts: int = 50
    text_bytes: int = 65_536
    text_lines: int = 4_000
    html_bytes: int = 65_536
    html_tags: int = 4_000


LIMITS = Limits()
STRANGERS_LIMITS = Limits(text_bytes=8_192, text_lines=500, html_bytes=32_768, html_tags=500)
REPORT_LIMITS = Limits(text_bytes=32_768, text_lines=1_000, html_bytes=32_768, html_tags=500)

LONG = 8_192  # bytes; any mail up to this size is parsed within a few milliseconds


class UnreadableMail(ValueError):  # noqa: N818 - it names the mail
    """A mail beyond the limits; `str()` is a sentence for the sender."""
