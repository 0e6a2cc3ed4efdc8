"""A mail as text for the operator: decoded, printable, masked."""

import json
from base64 import b64decode

from jinja2 import TemplateError

from pbm.mail.reading.body import body_text
from pbm.mail.reading.charsets import decode, decode_words
from pbm.mail.reading.limits import LIMITS, UnreadableMail
from pbm.mail.reading.mime import split_header, split_parts
from pbm.mail.writing.render import Renderer
from pbm.service.trouble.masking import masked
from pbm.store.values.mails import OutboxMail

ERASED = "Its contents were erased when it was done."


def incoming_text(raw: bytes) -> str:
    """Header and text of an incoming mail, decoded, since encodings could hide a secret."""
    if not raw:
        return ERASED
    try:
        headers, body = split_header(raw, LIMITS)
        root = split_parts(raw, headers, body, LIMITS)
    except UnreadableMail as error:
        return f"It cannot be shown: {error}"
    fields = [f"{name.title()}: {_value(value)}" for name, value in headers.fields]
    return _plain(masked("\n".join([*fields, "", body_text(raw, root, LIMITS)])))


def outgoing_text(mail: OutboxMail, renderer: Renderer) -> str:
    """Header and text part of an outgoing mail."""
    if not mail.params:
        return ERASED
    if mail.template == "raw":
        return incoming_text(b64decode(mail.params["raw"]))
    fields = [
        f"To: {mail.recipient}",
        f"Subject: {mail.headers.get('subject', '')}",
        f"Message-Id: {mail.message_id}",
        f"Reply-To: {mail.headers.get('reply_to') or '-'}",
        f"Template: {mail.template}",
    ]
    return _plain(masked("\n".join([*fields, "", _rendered(mail, renderer)])))


def _rendered(mail: OutboxMail, renderer: Renderer) -> str:
    try:
        return renderer.render(mail.template, mail.params).text
    except (TemplateError, LookupError, TypeError, ValueError, AttributeError) as error:
        params = json.dumps(mail.params, indent=1, sort_keys=True, default=str)
        return f"It cannot be rendered ({type(error).__name__}: {error}) from:\n{params}"


def _value(raw: bytes) -> str:
    return decode_words(" ".join(decode(raw, "").split()))


def _plain(text: str) -> str:
    """The text without control characters."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)
