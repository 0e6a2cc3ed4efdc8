"""The listener's TLS certificate for STARTTLS."""

import re
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from pbm.errors import OperatorError
from pbm.files import read_file

_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
_KEY = re.compile(  # with a group for each way to tell that it is encrypted
    rb"BEGIN (ENCRYPTED )?(?:[A-Z0-9]+ )?PRIVATE KEY-----\s*(Proc-Type: 4,ENCRYPTED)?"
)
_WHATEVER_THE_TIME = ssl.VerifyFlags(0x200000)  # OpenSSL's X509_V_FLAG_NO_CHECK_TIME
_MOST_ROUNDS = 4  # of a TLS handshake; TLS 1.2 takes two
_MOST_BYTES = 1 << 20


def load_certificate(certificate: str, key: str) -> ssl.SSLContext | None:
    """Load a certificate and its key (PEM). Return None if neither is set. Raises OperatorError."""
    if not certificate and not key:
        return None
    if not certificate or not key:
        missing, other = ("PBM_TLS_CERT", "KEY") if key else ("PBM_TLS_KEY", "CERT")
        raise OperatorError(
            f"{missing} is not set, but PBM_TLS_{other} is. TLS needs both; they may name the "
            "same file."
        )
    if _CERTIFICATE not in _read("PBM_TLS_CERT", certificate):
        raise OperatorError(f"PBM_TLS_CERT: {certificate} holds no certificate in PEM form.")
    begin = _KEY.search(_read("PBM_TLS_KEY", key))
    if begin is None:
        raise OperatorError(f"PBM_TLS_KEY: {key} holds no private key in PEM form.")
    if any(begin.groups()):
        raise OperatorError(
            f"PBM_TLS_KEY: {key} is closed with a password. pbm has nobody to ask for it; "
            "store the key without one, readable for the server alone."
        )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(certificate, key, password="")  # else it asks on the terminal
    except ssl.SSLError as error:
        raise OperatorError(_sentence(error, certificate, key)) from None
    return context


def good_between(context: ssl.SSLContext, certificate: str) -> tuple[datetime, datetime]:
    """Return when a certificate's validity begins and ends. Raises OperatorError."""
    # `ssl` tells these times only to a client that trusts the certificate, so we connect one.
    client_side = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    client_side.check_hostname = False
    client_side.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN | _WHATEVER_THE_TIME
    client_side.load_verify_locations(certificate)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = client_side.wrap_bio(to_client, to_server)
    server = context.wrap_bio(to_server, to_client, server_side=True)
    try:
        for _ in range(_MOST_ROUNDS):
            for side in (client, server):
                with suppress(ssl.SSLWantReadError):
                    side.do_handshake()
    except ssl.SSLError as error:
        reason = getattr(error, "verify_message", None) or error.reason
        raise OperatorError(f"PBM_TLS_CERT: {certificate} is of no use ({reason}).") from None
    told = client.getpeercert() or {}
    begin, end = (
        datetime.fromtimestamp(ssl.cert_time_to_seconds(str(told[name])), UTC)
        for name in ("notBefore", "notAfter")
    )
    return begin, end


def why_not_now(begin: datetime, end: datetime, now: datetime) -> str:
    """Return why a certificate with this period is invalid now, or "" if it is valid."""
    if end < now:
        return f"has expired, on {end:%Y-%m-%d %H:%M} UTC. Renew it."
    if now < begin:
        return f"is good from {begin:%Y-%m-%d %H:%M} UTC on only. Is the clock right?"
    return ""


def _read(setting: str, path: str) -> bytes:
    try:
        return read_file(Path(path), _MOST_BYTES)
    except OperatorError as error:
        raise OperatorError(f"{setting}: {error}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "that is no name of a file"
        raise OperatorError(f"{setting}: {path} cannot be read: {reason}.") from None


def _sentence(error: ssl.SSLError, certificate: str, key: str) -> str:
    if error.reason == "KEY_VALUES_MISMATCH":
        return (
            f"PBM_TLS_CERT and PBM_TLS_KEY: the key in {key} belongs to another certificate "
            f"than the first one in {certificate}. A chain begins with the server's own."
        )
    reason = (error.reason or "damaged").lower().replace("_", " ")
    return f"PBM_TLS_CERT and PBM_TLS_KEY: {certificate} and {key} cannot be used ({reason})."
