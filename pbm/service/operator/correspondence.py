"""SMTP client: checks the running server's greeting and certificate, sends and reads mails."""

import smtplib
import ssl
import time
from contextlib import closing, suppress
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import SMTP, default
from email.utils import formatdate, make_msgid, parseaddr
from pathlib import Path

from pbm.config import Doorway, Settings
from pbm.errors import OperatorError, WrongArgumentError
from pbm.mail.address import AddressError, parse_address
from pbm.mail.smtp_out.maildir import mails_of
from pbm.service.health.results import TROUBLES
from pbm.service.operator.database_state import database_state
from pbm.service.running.hold import hold_of
from pbm.service.trouble.masking import one_line
from pbm.store.db import Database

ANSWER_SECONDS = 5.0
_SECONDS = 10
_DATA_SECONDS = 60
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "*": "127.0.0.1"}
_LOOK_AGAIN = 0.05
# Lines longer than any Message-ID, since the library garbles folded ones.
_POLICY = SMTP.clone(max_line_length=900, cte_type="7bit")


def connected(doorway: Doorway, seconds: float = _SECONDS) -> smtplib.SMTP:
    """Connect to a port or socket of the server. Raises OSError and SMTPException."""
    kind = smtplib.LMTP if doorway.is_lmtp else smtplib.SMTP
    return kind(_reachable(doorway), doorway.port, "localhost", timeout=seconds)


def greeting_at(doorway: Doorway) -> str:
    """Return the code and text of a mail server's greeting; empty if the server does not answer."""
    kind = smtplib.LMTP if doorway.is_lmtp else smtplib.SMTP
    client = kind(local_hostname="localhost", timeout=_SECONDS)
    try:
        code, text = client.connect(_reachable(doorway), doorway.port)
    except (OSError, smtplib.SMTPException):
        return ""
    finally:
        client.close()
    return f"{code} {text.decode('ascii', 'replace')}"


def reply_text(reply: bytes | str) -> str:
    return one_line(reply if isinstance(reply, str) else reply.decode("utf-8", "replace"))


def _reachable(doorway: Doorway) -> str:
    return doorway.path or _ANY.get(doorway.host, doorway.host)


def refuse_other_certificate(settings: Settings) -> None:
    """Raise OperatorError if a port of the running server shows another one than PBM_TLS_CERT."""
    certificate = settings.tls_cert
    pem = Path(certificate).read_text(encoding="ascii", errors="replace")
    first = pem[pem.index(ssl.PEM_HEADER) :].partition(ssl.PEM_FOOTER)[0] + ssl.PEM_FOOTER
    for doorway in settings.doorways:
        if not doorway.path and _shown_at(doorway) != ssl.PEM_cert_to_DER_cert(first):
            raise OperatorError(
                f"The server on {doorway} shows another certificate than {certificate} holds. Let "
                "the server read it again with SIGHUP (systemctl reload), or start it again."
            )


def _shown_at(doorway: Doorway) -> bytes:
    """Return the certificate that a port shows, as DER."""
    any_will_do = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    any_will_do.check_hostname = False
    any_will_do.verify_mode = ssl.CERT_NONE
    try:
        with closing(connected(doorway)) as client:
            client.starttls(context=any_will_do)
            assert isinstance(client.sock, ssl.SSLSocket)
            return client.sock.getpeercert(binary_form=True) or b""
    except (smtplib.SMTPNotSupportedError, smtplib.SMTPResponseException) as error:
        raise OperatorError(
            f"The server on {doorway} does not offer STARTTLS. Start it again: whether there is "
            "a certificate it looks at its start only."
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        raise OperatorError(f"No TLS on {doorway} ({type(error).__name__}).") from error


def send(
    settings: Settings, sender: str, text: str, *, new: bool = False, wait: float = ANSWER_SECONDS
) -> str:
    """Send a mail, and wait up to `wait` seconds for an answer.

    Return the server's SMTP reply, and below it subject and first line of each mail that came. The
    mail is a reply to the newest mail that `sender` got. If there is none, or if `new` is true, the
    first line of `text` is its subject.
    """
    mails, recipient = _mails(settings, sender), settings.address
    subject, _, body = text.strip().partition("\n")
    mail = EmailMessage(policy=_POLICY)
    mail["From"] = parse_address(sender)
    mail["Date"] = formatdate()
    mail["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2])
    if mails and not new:
        answered, body = message_from_bytes(mails[-1].read_bytes(), policy=default), text
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
    # Compares counts, since a mail program may rename files.
    while (
        not (came := _mails(settings, sender)[len(mails) :])
        and not settings.smarthost
        and time.monotonic() < end
    ):
        time.sleep(_LOOK_AGAIN)
    told = (
        (subject, text.lstrip().partition("\n")[0])
        for subject, text in map(_subject_and_text, came)
    )
    return "\n".join([reply, *map(": ".join, told)])


def why_held(settings: Settings) -> str:
    """Return since when and why the server is held; "" if it is not, or nobody can tell here."""
    with suppress(*TROUBLES):
        database_state(settings)
        with closing(Database(settings.database_url)) as database, database.reading() as work:
            return str(hold_of(work) or "")
    return ""


def newest(settings: Settings, address: str, count: int = 1) -> tuple[tuple[str, str], ...]:
    """Return subject and text of an address's last mails, newest last."""
    found = _mails(settings, address)[-count:]
    if not found:
        where = f"in {settings.maildir}"
        if settings.smarthost:
            where = "here: PBM_SMARTHOST is set, so mail goes there"
        raise OperatorError(f"There is no mail to {address} {where}.")
    return tuple(map(_subject_and_text, found))


def _subject_and_text(file: Path) -> tuple[str, str]:
    mail = message_from_bytes(file.read_bytes(), policy=default)
    part, text = mail.get_body(("plain",)), ""
    if part is not None:
        try:
            text = str(part.get_content())
        except LookupError:  # an unknown charset
            payload = part.get_payload(decode=True)
            text = payload.decode("latin-1") if isinstance(payload, bytes) else ""
    return one_line(mail["Subject"] or ""), text.replace("\r\n", "\n")


def _mails(settings: Settings, address: str) -> list[Path]:
    try:
        return mails_of(Path(settings.maildir), parse_address(address))
    except AddressError as error:
        raise WrongArgumentError(str(error)) from error
    except OSError as error:
        raise OperatorError(f"Mail cannot be read: {error.strerror}.") from error


def _submit(settings: Settings, sender: str, recipient: str, raw: bytes) -> str:
    doorway = settings.doorways[0]
    try:
        with closing(connected(doorway, _DATA_SECONDS)) as smtp:
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
