"""How much work one mail may cause, whoever wrote it.

Every bound holds before anything is parsed, so that no crafted mail can hold up the others.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Upper bounds for the reading of one mail; sizes are in bytes.

    `header_fields` counts fields as RFC 5322 section 2.2 has them, not the lines that one field
    is folded over: the mails of large providers carry more than 200 folded lines, but far
    fewer fields, and `header_bytes` bounds the folding.
    """

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
"""For the words of somebody whom we don't know: a command or an answer is short."""
REPORT_LIMITS = Limits(text_bytes=32_768, text_lines=1_000, html_bytes=32_768, html_tags=500)
HEADER_ONLY = Limits(text_bytes=0, text_lines=0, html_bytes=0, html_tags=0)


LONG = 8_192
"""Bytes, below which the most expensive mail costs some milliseconds to read."""


def is_long(raw: bytes) -> bool:
    """Whether it may take long to read a mail: few players write one that does."""
    return len(raw) > LONG


class UnreadableMail(ValueError):  # noqa: N818 - it names the mail
    """A mail beyond the limits.

    `reason` is one of mail-too-large, too-many-headers, headers-too-large, nested-too-deep,
    too-many-parts; `str()` is a sentence for the person who sent it.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
