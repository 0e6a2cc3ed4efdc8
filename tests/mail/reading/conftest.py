"""Mails for the tests of reading, built from their parts."""

from collections.abc import Callable

import pytest

from pbm.mail.reading.inbound import Envelope, read

OWN = "pbm@games.example"


@pytest.fixture
def mail() -> Callable[..., bytes]:
    """Build a mail from header lines and a body; a plain `From` unless one is given."""

    def build(*headers: str | bytes, body: str | bytes = "move 12 a1-b2\r\n") -> bytes:
        lines = [h if isinstance(h, bytes) else h.encode("utf-8") for h in headers]
        if not any(line[:5].lower() in (b"from:", b"from ") for line in lines):
            lines.insert(0, b"From: Alice <alice@example.org>")
        content = body if isinstance(body, bytes) else body.encode("utf-8")
        return b"\r\n".join(lines) + b"\r\n\r\n" + content

    return build


@pytest.fixture
def read_mail(mail: Callable[..., bytes]) -> Callable[..., Envelope]:
    """Build a mail and read it as sent by Alice."""

    def build_and_read(
        *headers: str | bytes,
        body: str | bytes = "move 12 a1-b2\r\n",
        envelope_sender: str = "alice@example.org",
    ) -> Envelope:
        return read(mail(*headers, body=body), envelope_sender=envelope_sender, own_address=OWN)

    return build_and_read
