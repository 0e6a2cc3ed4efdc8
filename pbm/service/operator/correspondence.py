"""Writing and reading as a player does, to try the server without a mail program."""

import smtplib
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage, Message
from email.policy import SMTP
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, parse_address
from pbm.mail.maildir import mails_of

_SECONDS = 60


def send(settings: Settings, sender: str, text: str, *, new: bool = False) -> str:
    """Mail TEXT as the answer to the newest mail of an address, or as the subject of a new one.

    Returns what the server said. Raises OperatorError.
    """
    mails = _mails(settings, sender)
    mail = EmailMessage(policy=SMTP)
    mail["From"] = sender
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    if new or not mails:
        mail["To"] = recipient = settings.address
        mail["Subject"] = " ".join(text.split())
        mail.set_content("")
    else:
        recipient = _answer(mail, _read(mails[-1]), text)
    return _submit(settings, sender, recipient, mail)


def newest(settings: Settings, address: str, count: int) -> tuple[tuple[str, str], ...]:
    """Subject and text part of the newest mails to an address, the newest last."""
    found = _mails(settings, address)[-count:] if count > 0 else []
    return tuple((_subject(mail), _text(mail)) for mail in map(_read, found))


def _mails(settings: Settings, address: str) -> list[Path]:
    try:
        return mails_of(Path(settings.maildir), parse_address(address))
    except AddressError as error:
        raise OperatorError(str(error)) from error


def _answer(mail: EmailMessage, answered: Message, text: str) -> str:
    recipient = parseaddr(answered["Reply-To"] or answered["From"])[1]
    mail["To"] = recipient
    mail["Subject"] = f"Re: {_subject(answered)}"
    mail["In-Reply-To"] = answered["Message-ID"]
    mail["References"] = f"{answered['References'] or ''} {answered['Message-ID']}".strip()
    mail.set_content(text)
    return recipient


def _submit(settings: Settings, sender: str, recipient: str, mail: EmailMessage) -> str:
    host, port = settings.listen_addresses[0]
    try:
        with smtplib.SMTP(host, port, timeout=_SECONDS) as smtp:
            smtp.ehlo_or_helo_if_needed()
            for code, reply in (
                smtp.mail(sender),
                smtp.rcpt(recipient),
                smtp.data(mail.as_bytes()),
            ):
                if code >= 400:
                    raise OperatorError(f"The server refused it: {code} {reply.decode()}")
    except (OSError, smtplib.SMTPException) as error:
        raise OperatorError(f"Nobody answers on {host}:{port}; is it running? ({error})") from error
    return f"{code} {reply.decode('ascii', 'replace')}"


def _read(path: Path) -> Message:
    return message_from_bytes(path.read_bytes())


def _subject(mail: Message) -> str:
    return str(make_header(decode_header(mail["Subject"] or "")))


def _text(mail: Message) -> str:
    for part in mail.walk():
        payload = part.get_payload(decode=True)
        if part.get_content_type() == "text/plain" and isinstance(payload, bytes):
            return payload.decode("utf-8", errors="replace").replace("\r\n", "\n")
    return ""
