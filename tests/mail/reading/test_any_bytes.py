"""Whatever the bytes are: an envelope, or UnreadableMail; nothing else comes out."""

from dataclasses import fields
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbm.mail.inbound import Envelope, UnreadableMail, read
from pbm.mail.limits import Limits
from pbm.mail.wire import check_wire, digest, has_message_id

MAILS = [
    path.read_bytes().replace(b"\n", b"\r\n")
    for path in sorted((Path(__file__).parent / "mails").glob("*.eml"))
]
PIECES = [line + b"\r\n" for mail in MAILS for line in mail.split(b"\r\n")]
PIECES += rb"""-- = =? ?= < > " \ ( ; : &#0; &#xd800; <div> <pre> <!-- """.split()
PIECES += [b"\0", b"\r", b"\n", b"\r\n", b"\xff", b"\x80", b"\xe2\x80\xa8", b"\x1b$B", b" ", b"\t"]

SMALL = Limits(
    mail_bytes=3_000, header_fields=12, header_bytes=800, depth=2, parts=5, text_bytes=700
)


@st.composite
def mutated_mails(draw: st.DrawFn) -> bytes:
    """A real mail with stretches cut out, doubled, or replaced."""
    raw = draw(st.sampled_from(MAILS))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 40)))
        new = draw(st.sampled_from(PIECES) | st.binary(max_size=6) | st.just(raw[start:end] * 2))
        raw = raw[:start] + new + raw[end:]
    return raw


ANY_MAIL = (
    st.binary(max_size=400) | mutated_mails() | st.lists(st.sampled_from(PIECES)).map(b"".join)
)


def _read(raw: bytes, limits: Limits) -> Envelope | None:
    try:
        return read(raw, envelope_sender="a@x.example", own_address="p@y.example", limits=limits)
    except UnreadableMail:
        return None


@settings(max_examples=800, deadline=None)
@given(ANY_MAIL, st.sampled_from([Limits(), SMALL]))
@example(b"", SMALL)
@example(b"\r\n" * 10, SMALL)
def test_any_bytes_are_read(raw: bytes, limits: Limits) -> None:
    envelope = _read(raw, limits)
    if envelope is None:
        return
    assert (envelope.author is None) != (envelope.author_problem is None)
    assert envelope.author is None or envelope.author.isascii()
    assert "\n" not in envelope.subject
    assert "\r" not in envelope.subject
    for line in envelope.said:
        assert not set(line) & set("\r\n\0\x1b\x85\u2028\u2029")
        assert line == line.rstrip()
    assert sum(len(line.encode("utf-8")) for line in envelope.said) <= 5 * limits.text_bytes
    for reference in (*envelope.references, envelope.message_id or "<a@b>"):
        assert reference.isascii()
        assert reference.isprintable()
        assert " " not in reference
    assert len(envelope.references) <= 20


@settings(max_examples=300, deadline=None)
@given(ANY_MAIL)
def test_any_bytes_have_a_digest(raw: bytes) -> None:
    assert len(digest(raw)) == 64
    assert digest(b"Received: x\r\n y\r\n" + raw) == digest(raw) or raw[:1] in (b" ", b"\t")
    assert has_message_id(raw) in (True, False)
    refused = check_wire(raw) is not None
    assert refused == (b"\0" in raw or set(raw.replace(b"\r\n", b"")) & set(b"\r\n") != set())


@settings(max_examples=200, deadline=None)
@given(mutated_mails())
def test_reading_is_a_function_of_the_bytes(raw: bytes) -> None:
    assert _read(raw, SMALL) == _read(raw, SMALL)


def test_there_are_mails() -> None:
    assert len(MAILS) >= 4


def test_every_field_of_the_envelope_is_filled() -> None:
    envelope = _read(MAILS[0], Limits())
    assert envelope is not None
    assert [f.name for f in fields(envelope) if getattr(envelope, f.name) in (None, "", ())] == [
        "author_problem",
        "automatic",
    ]
    assert envelope.said == ("a1–b2 now",)
    assert envelope.subject == "Re: möve12"
    assert envelope.references == ("<3@x>", "<2@x>")
