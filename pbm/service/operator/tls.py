"""Whether clients get the certificate of PBM_TLS_CERT, and for how long it is good."""

import smtplib
import ssl
from contextlib import closing

from pbm.config import Doorway, Settings
from pbm.errors import OperatorError
from pbm.mail.certificate import load_certificate
from pbm.service.operator.greeting import connected


def certificate_state(settings: Settings) -> str:
    """Load it, and ask the running server for it at each port. Raises OperatorError."""
    load_certificate(settings.tls_cert, settings.tls_key)
    ports = [doorway for doorway in settings.doorways if not doorway.path]
    ends = {_shown_at(doorway, settings.tls_cert) for doorway in ports}
    return "; ".join([settings.tls_cert, *(f"good until {end}" for end in sorted(ends))])


def _shown_at(doorway: Doorway, certificate: str) -> str:
    """Until when the certificate is good that a port shows. Raises OperatorError."""
    trust = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trust.check_hostname = False  # a neighbour calls it by another name than the world
    trust.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    trust.load_verify_locations(certificate)
    try:
        with closing(connected(doorway)) as client:
            client.starttls(context=trust)
            assert isinstance(client.sock, ssl.SSLSocket)
            shown = client.sock.getpeercert() or {}
    except ssl.SSLCertVerificationError as error:
        raise OperatorError(
            f"The certificate that the server shows on {doorway} is not good by {certificate}: "
            f"{error.verify_message}. Renew it, or start the server again if it is renewed."
        ) from error
    except (smtplib.SMTPNotSupportedError, smtplib.SMTPResponseException) as error:
        raise OperatorError(
            f"The server on {doorway} does not offer STARTTLS. Start it again: it reads "
            "PBM_TLS_CERT at its start only."
        ) from error
    except (OSError, smtplib.SMTPException) as error:
        raise OperatorError(f"No TLS on {doorway} ({type(error).__name__}).") from error
    return str(shown.get("notAfter", "an unknown time"))
