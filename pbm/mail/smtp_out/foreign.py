"""What other servers say, fit for our logs and for the operator."""

import re

_LONGEST = 200
_TAG_LIKE = re.compile(r"[a-z2-7]{16,}", re.ASCII | re.IGNORECASE)


def presentable(text: str) -> str:
    """Foreign text as one short line of printable ASCII, with our tags masked."""
    masked = _TAG_LIKE.sub("***", text)
    printable = "".join(char if " " <= char <= "~" else " " for char in masked)
    return " ".join(printable.split())[:_LONGEST]
