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


LIMITS = Limits()


class UnreadableMail(ValueError):  # noqa: N818 - it names the mail
    """A mail beyond the limits.

    `reason` is one of mail-too-large, too-many-headers, headers-too-large, nested-too-deep,
    too-many-parts; `str()` is a sentence for the person who sent it.
    """

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
