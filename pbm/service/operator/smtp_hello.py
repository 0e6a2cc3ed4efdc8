"""Client of the running server: reads its greeting and its certificate."""

import smtplib
import ssl
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from pbm.clock import Clock
from pbm.config import Doorway, Settings
from pbm.errors import OperatorError
from pbm.mail.smtp_in.certificate import good_between, load_certificate, why_not_now
from pbm.service.trouble.masking import one_line

_SECONDS = 10
_ANY = {"0.0.0.0": "127.0.0.1", "::": "::1", "*": "127.0.0.1"}
LEAST_LEFT = timedelta(days=14)


def connected(doorway: Doorway, seconds: float = _SECONDS) -> smtplib.SMTP:
    """Return a client connected to a port or socket. Raises OSError and SMTPException."""
    kind = smtplib.LMTP if doorway.is_lmtp else smtplib.SMTP
    return kind(_reachable(doorway), doorway.port, "localhost", timeout=seconds)


def greeting_at(doorway: Doorway) -> str:
    """The greeting of a mail server, code and text; empty if there is no answer."""
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
    """The text of a server's reply, on one line."""
    return one_line(reply if isinstance(reply, str) else reply.decode("utf-8", "replace"))


def _reachable(doorway: Doorway) -> str:
    return doorway.path or _ANY.get(doorway.host, doorway.host)


def certificate_state(settings: Settings, clock: Clock) -> str:
    """Load PBM_TLS_CERT and compare it with the certificate of each port. Raises OperatorError."""
    certificate = settings.tls_cert
    context = load_certificate(certificate, settings.tls_key)
    assert context is not None  # one of the two is set
    begin, end = good_between(context, certificate)
    if not_now := why_not_now(begin, end, clock()):
        raise OperatorError(f"{certificate} {not_now}")
    pem = Path(certificate).read_text(encoding="ascii", errors="replace")
    first = pem[pem.index(ssl.PEM_HEADER) :].partition(ssl.PEM_FOOTER)[0] + ssl.PEM_FOOTER
    for doorway in settings.doorways:
        if not doorway.path and _shown_at(doorway) != ssl.PEM_cert_to_DER_cert(first):
            raise OperatorError(
                f"The server on {doorway} shows another certificate than {certificate} holds. Let "
                "the server read it again with SIGHUP (systemctl reload), or start it again."
            )
    if end < clock() + LEAST_LEFT:
        raise OperatorError(
            f"{certificate} is good until {end:%Y-%m-%d %H:%M} UTC only, less than "
            f"{LEAST_LEFT.days} days. Renew it, and see why that has not happened by itself."
        )
    return f"{certificate}, good until {end:%Y-%m-%d %H:%M} UTC"


def _shown_at(doorway: Doorway) -> bytes:
    """The certificate of a port. Raises OperatorError."""
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
