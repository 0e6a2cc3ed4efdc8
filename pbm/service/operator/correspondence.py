"""Sends and reads mails as a player, to try the server without a mail program."""

import smtplib
import time
from contextlib import closing, suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path

from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.address import AddressError, parse_address
from pbm.mail.smtp_out.maildir import mails_of
from pbm.service.operator.smtp_hello import connected, reply_text

ANSWER_SECONDS = 5.0
_SECONDS = 60
_LOOK_AGAIN = 0.05
_RE = "re:"
# Longer than any Message-ID, as the library garbles one that it folds.
_POLICY = SMTP.clone(max_line_length=900, cte_type="7bit")


def send(
    settings: Settings,
    sender: str,
    text: str,
    *,
    new: bool = False,
    wait: float = ANSWER_SECONDS,
) -> str:
    """Send `text` as a reply to an address's newest mail, or as a new mail. Raises OperatorError.

    A new mail has the first line of `text` as its subject. Waits up to `wait` seconds for an
    answer in the address's folder. Returns the server's reply.
    """
    mails = _mails(settings, sender)
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = parse_address(sender)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    if new or not mails:
        recipient = _begin(mail, settings.address, text)
    else:
        recipient = _answer(mail, _read(mails[-1]), text)
    reply = _submit(settings, sender, recipient, mail.as_bytes())
    if not settings.smarthost:
        _await_answer(settings, sender, mails, wait)
    return reply


def newest(settings: Settings, address: str, count: int = 1) -> tuple[tuple[str, str], ...]:
    """Subject and text of the newest mails to an address, the newest last. Raises OperatorError."""
    found = _mails(settings, address)[-count:]
    if not found:
        where = f"in {settings.maildir}"
        if settings.smarthost:
            where = "here: PBM_SMARTHOST is set, so mail goes there"
        raise OperatorError(f"There is no mail to {address} {where}.")
    return tuple((_subject(mail), _text(mail)) for mail in map(_read, found))


def _mails(settings: Settings, address: str) -> list[Path]:
    try:
        return mails_of(Path(settings.maildir), parse_address(address))
    except AddressError as error:
        raise OperatorError(str(error)) from error
    except OSError as error:
        raise OperatorError(f"Mail cannot be read: {error.strerror}.") from error


def _begin(mail: EmailMessage, recipient: str, text: str) -> str:
    subject, _, body = text.strip().partition("\n")
    mail["To"] = recipient
    mail["Subject"] = _in_a_line(subject)
    mail.set_content(body)
    return recipient


def _answer(mail: EmailMessage, answered: EmailMessage, text: str) -> str:
    recipient = parseaddr(answered["Reply-To"] or answered["From"])[1]
    subject, message_id = _subject(answered), _in_a_line(answered["Message-ID"] or "")
    references = _in_a_line(f"{answered['References'] or ''} {message_id}")
    mail["To"] = recipient
    mail["Subject"] = subject if subject.lower().startswith(_RE) else f"Re: {subject}"
    mail["In-Reply-To"] = message_id
    mail["References"] = references
    mail.set_content(text)
    return recipient


def _submit(settings: Settings, sender: str, recipient: str, raw: bytes) -> str:
    doorway = settings.doorways[0]
    try:
        with closing(connected(doorway, _SECONDS)) as smtp:
            smtp.ehlo_or_helo_if_needed()
            _accepted(smtp.mail(sender))
            _accepted(smtp.rcpt(recipient))
            reply = _accepted(smtp.data(raw))
            with suppress(OSError):
                smtp.quit()
            return reply
    except smtplib.SMTPResponseException as error:
        reply = reply_text(error.smtp_error)
        raise OperatorError(f"The server refuses: {error.smtp_code} {reply}") from error
    except (OSError, smtplib.SMTPException) as error:
        raise OperatorError(
            f"No mail server answers on {doorway} ({error}). Start it with: pbm serve. If it runs "
            "elsewhere, set PBM_LISTEN to what it has there."
        ) from error


def _accepted(answer: tuple[int, bytes]) -> str:
    code, reply = answer
    if code >= 400:
        raise OperatorError(f"The server refuses: {code} {reply_text(reply)}")
    return f"{code} {reply_text(reply)}"


def _await_answer(settings: Settings, address: str, before: list[Path], seconds: float) -> None:
    end = time.monotonic() + seconds
    # Compare counts, as a mail program may rename files.
    while len(_mails(settings, address)) <= len(before) and time.monotonic() < end:
        time.sleep(_LOOK_AGAIN)


def _read(path: Path) -> EmailMessage:
    return message_from_bytes(path.read_bytes(), policy=default)


def _subject(mail: EmailMessage) -> str:
    return _in_a_line(str(mail["Subject"] or ""))


def _text(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    if part is None:
        return ""
    try:
        text = str(part.get_content())
    except LookupError:  # an unknown charset
        payload = part.get_payload(decode=True)
        text = payload.decode("latin-1") if isinstance(payload, bytes) else ""
    return text.replace("\r\n", "\n")


def _in_a_line(text: str) -> str:
    return " ".join(text.split())
