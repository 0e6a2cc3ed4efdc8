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
from pbm.service.trouble.masking import one_line

ANSWER_SECONDS = 5.0
_SECONDS = 60
_LOOK_AGAIN = 0.05

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
    mails, recipient = _mails(settings, sender), settings.address
    subject, _, body = text.strip().partition("\n")
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = parse_address(sender)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    if mails and not new:
        answered, body = _read(mails[-1]), text
        recipient = parseaddr(answered["Reply-To"] or answered["From"])[1]
        message_id = one_line(answered["Message-ID"] or "")
        subject = one_line(answered["Subject"] or "")
        subject = subject if subject.lower().startswith("re:") else f"Re: {subject}"
        mail["In-Reply-To"] = message_id
        mail["References"] = one_line(f"{answered['References'] or ''} {message_id}")
    mail["To"] = recipient
    mail["Subject"] = one_line(subject)
    mail.set_content(body)
    reply = _submit(settings, sender, recipient, mail.as_bytes())
    end = time.monotonic() + wait
    # Counts are compared, as a mail program may rename files.
    while (
        not settings.smarthost
        and len(_mails(settings, sender)) <= len(mails)
        and time.monotonic() < end
    ):
        time.sleep(_LOOK_AGAIN)
    return reply


def newest(settings: Settings, address: str, count: int = 1) -> tuple[tuple[str, str], ...]:
    """Subject and text of the newest mails to an address, the newest last. Raises OperatorError."""
    found = _mails(settings, address)[-count:]
    if not found:
        where = f"in {settings.maildir}"
        if settings.smarthost:
            where = "here: PBM_SMARTHOST is set, so mail goes there"
        raise OperatorError(f"There is no mail to {address} {where}.")
    mails = map(_read, found)
    return tuple((one_line(mail["Subject"] or ""), _text(mail)) for mail in mails)


def _mails(settings: Settings, address: str) -> list[Path]:
    try:
        return mails_of(Path(settings.maildir), parse_address(address))
    except AddressError as error:
        raise OperatorError(str(error)) from error
    except OSError as error:
        raise OperatorError(f"Mail cannot be read: {error.strerror}.") from error


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


def _read(path: Path) -> EmailMessage:
    return message_from_bytes(path.read_bytes(), policy=default)


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
