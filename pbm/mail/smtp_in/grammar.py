"""The parser of the arguments of MAIL and RCPT (RFC 5321, section 4.1.2), and short replies.

Here an address only has to be one word of printable ASCII; the handler checks it.
"""

import re
from collections.abc import Callable

from aiosmtpd.smtp import SMTP, Envelope, Session

_LONGEST_PATH = 254
_BRACKETED = re.compile(r"<([!-;=?-~]*)>(?: +(.*))?", re.ASCII)
_BARE = re.compile(r"([!-;=?-~]+)(?: +(.*))?", re.ASCII)


class RefusedError(Exception):
    """A command is refused; ``str()`` is the whole reply."""


def parse_path(keyword: str, argument: str, form: str) -> tuple[str, list[str]]:
    """The address after ``FROM:`` or ``TO:``, empty for ``<>``, and the parameters after it.

    A source route is dropped, as RFC 5321, appendix C, requires. ``form`` is the command's syntax
    for the error. Raises RefusedError.
    """
    head, rest = argument[: len(keyword)], argument[len(keyword) :].strip(" ")
    found = _BRACKETED.fullmatch(rest) or _BARE.fullmatch(rest)
    if head.upper() != keyword or found is None:
        raise RefusedError(f"501 5.5.4 That command is written {form}.")
    path = found[1]
    if path.startswith("@") and ":" in path:
        path = path.partition(":")[2]
    if len(path) > _LONGEST_PATH:
        raise RefusedError("553 5.1.7 That mail address is too long.")
    return path, (found[2] or "").split()


def check_mail_parameters(parameters: list[str], mail_bytes: int) -> None:
    """Check SIZE (RFC 1870) and BODY (RFC 6152). Raises RefusedError."""
    for parameter in parameters:
        name, _, value = parameter.upper().partition("=")
        if name == "SIZE" and value.isdigit() and len(value) <= 20:
            if int(value) > mail_bytes:
                raise RefusedError(too_large(mail_bytes))
        elif name == "SMTPUTF8":
            raise RefusedError(NOT_ASCII)
        elif (name, value) not in (("BODY", "7BIT"), ("BODY", "8BITMIME")):
            raise RefusedError("555 5.5.4 That parameter of MAIL FROM is not known here.")


def too_large(mail_bytes: int) -> str:
    """The reply to a mail that is over the limit."""
    return (
        f"552 5.3.4 A mail to this server may have {mail_bytes // 1024} KB at most. "
        "Please send the text alone, without pictures and attachments."
    )


NOT_ASCII = "553 5.6.7 Only mail addresses of plain ASCII characters can be used here."


class Hooks:
    """The replies to the verbs that aiosmtpd answers itself."""

    def __init__(self, extensions: Callable[[], list[str]]) -> None:
        """`extensions`: the EHLO keywords of the connection besides aiosmtpd's own."""
        self._extensions = extensions

    async def handle_EHLO(
        self,
        server: SMTP,  # noqa: ARG002 - every hook has one
        session: Session,
        envelope: Envelope,  # noqa: ARG002
        hostname: str,
        responses: list[str],
    ) -> list[str]:
        """Join the lines of the reply, since aiosmtpd sends each in a packet of its own."""
        session.host_name = hostname
        more = [f"250-{extension}" for extension in self._extensions()]
        return ["\r\n".join([*responses[:-1], *more, responses[-1]])]

    async def handle_HELO(
        self,
        server: SMTP,
        session: Session,
        envelope: Envelope,  # noqa: ARG002
        hostname: str,
    ) -> str:
        """The reply to HELO."""
        session.host_name = hostname
        return f"250 {server.hostname}"

    async def handle_RSET(self, *_: object) -> str:
        """The reply to RSET."""
        return "250 2.0.0 Forgotten."

    async def handle_NOOP(self, *_: object) -> str:
        """The reply to NOOP."""
        return "250 2.0.0 Nothing done."

    async def handle_QUIT(self, *_: object) -> str:
        """The reply to QUIT."""
        return "221 2.0.0 Goodbye."
