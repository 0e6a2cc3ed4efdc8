"""Whatever the bytes are: an envelope and a script, or UnreadableMail; nothing else comes out.

The same promises are held under a fuzzer: `make fuzz TARGETS=mails` (docs/fuzzing.md).
"""

from dataclasses import fields
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbm.mail.reading.inbound import digest
from pbm.mail.reading.limits import Limits
from pbm.mail.reading.mime import check_wire
from tests.mail.reading.our_mails import own_words, quoted
from tests.mail.reading.promises import check_mail, check_work, read_or_refuse
from tests.mail.reading.replies_corpus import replies

MAILS = [
    path.read_bytes().replace(b"\n", b"\r\n")
    for path in sorted((Path(__file__).parent / "mails").glob("*.eml"))
]
REPLIES = [reply.raw for reply in replies()]
PIECES = [line + b"\r\n" for mail in MAILS for line in mail.split(b"\r\n")]
PIECES += rb"""-- = =? ?= < > " \ ( ; : &#0; &#xd800; <div> <pre> <!-- """.split()
PIECES += [b"\0", b"\r", b"\n", b"\r\n", b"\xff", b"\x80", b"\xe2\x80\xa8", b"\x1b$B", b" ", b"\t"]

SMALL = Limits(
    mail_bytes=3_000, header_fields=12, header_bytes=800, depth=2, parts=5, text_bytes=700
)

# Lines that stand in mails: quoted, introducing, ours, footers, commands, anybody's.
LINES = [
    *("", "", ">", "> x", "> a5-b5", ">> y", "| z", " |s", "pbm> w", "&gt; v", "\u200e", "\u00a0"),
    *("On Sat, 21 Nov 2026 at 13:00, pbm <p@x.example> wrote:", "On Sat, 21 Nov", "wrote:", "x:"),
    *("-----Original Message-----", "_" * 32, "--", "-- ", "----------", "From: pbm <p@x.example>"),
    *("Sent: today, 13:00", "To: b@x.example", "Subject: x", "Von: p", "X: y@z.example", "Z: 2026"),
    *("---------- Forwarded message ---------", "Begin forwarded message:", "Sent from my iPhone"),
    *("-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----", "Hash: SHA256"),
    *("Your move on board 1.", "You wrote:", "bob writes:", "bob goes on:", "    I- x x x x x"),
    *("To move, answer with a line such as a1-b2, and nothing above it.", "Moves so far:"),
    "State: .1111/111111/..111../...1..../........./......../..222../222222/22222 2 0,0 quiet=1",
    *("State:", "2 0,0 quiet=1", "   1. a1-c3,b2  i9-g7,h8", "a1-b2", "resign", "show 1", "yes"),
    *("Nice one!", "see you on 2026-11-28 at 18:00:", "This mail is confidential.", "Cheers, bob"),
]


@st.composite
def mutated(draw: st.DrawFn, mails: list[bytes]) -> bytes:
    """A real mail with stretches cut out, doubled, or replaced."""
    raw = draw(st.sampled_from(mails))
    for _ in range(draw(st.integers(0, 6))):
        start = draw(st.integers(0, len(raw)))
        end = min(len(raw), start + draw(st.integers(0, 40)))
        new = draw(st.sampled_from(PIECES) | st.binary(max_size=6) | st.just(raw[start:end] * 2))
        raw = raw[:start] + new + raw[end:]
    return raw


ANY_MAIL = (
    st.binary(max_size=400)
    | mutated(MAILS)
    | mutated(REPLIES)
    | st.lists(st.sampled_from(PIECES)).map(b"".join)
)
ANY_TEXT = st.lists(st.sampled_from(LINES) | st.text(max_size=12), max_size=25).map("\n".join)


@settings(max_examples=800, deadline=None)
@given(ANY_MAIL, st.sampled_from([Limits(), SMALL]))
@example(b"", SMALL)
@example(b"\r\n" * 10, SMALL)
def test_any_bytes_are_read_and_understood(raw: bytes, limits: Limits) -> None:
    check_mail(raw, limits)


@settings(max_examples=150, deadline=None)
@given(ANY_MAIL)
def test_promise_14_the_work_for_any_bytes_is_bounded(raw: bytes) -> None:
    check_work(raw)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=4), st.integers(1, 3_000))
def test_promise_14_the_work_for_lines_again_and_again_is_bounded(
    lines: list[str], times: int
) -> None:
    body = "".join(f"{line}\r\n" for line in lines) * times
    check_work(f"From: a@x.example\r\n\r\n{body[:20_000]}".encode())


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT)
def test_promise_19_a_line_of_its_own_on_top_is_read(text: str) -> None:
    assert own_words(f"a1-c3,d4\n\n{text}")[0] == "a1-c3,d4"


@settings(max_examples=400, deadline=None)
@given(ANY_TEXT)
def test_promise_19_and_below_what_is_marked(text: str) -> None:
    assert own_words(f"{quoted(text)}\n\na1-c3,d4") == ("a1-c3,d4",)
    assert own_words(quoted(text)) == ()


@settings(max_examples=300, deadline=None)
@given(ANY_MAIL)
def test_any_bytes_have_a_digest(raw: bytes) -> None:
    assert len(digest(raw)[0]) == 64
    assert digest(b"Received: x\r\n y\r\n" + raw) == digest(raw) or raw[:1] in (b" ", b"\t")
    assert digest(raw)[1] in (True, False)
    refused = check_wire(raw) is not None
    assert refused == (b"\0" in raw or set(raw.replace(b"\r\n", b"")) & set(b"\r\n") != set())


@settings(max_examples=200, deadline=None)
@given(mutated(MAILS))
def test_reading_is_a_function_of_the_bytes(raw: bytes) -> None:
    assert read_or_refuse(raw, SMALL) == read_or_refuse(raw, SMALL)


def test_there_are_mails() -> None:
    assert len(MAILS) >= 4
    assert len(REPLIES) >= 200


def test_every_field_of_the_envelope_is_filled() -> None:
    envelope = read_or_refuse(MAILS[0])
    assert envelope is not None
    assert [f.name for f in fields(envelope) if getattr(envelope, f.name) in (None, "", ())] == [
        "author_problem",
        "automatic",
        "below_quotes",
        "perhaps_tags",
        "signature",
        "missing",
    ]
    assert envelope.said == ("a1–b2 now",)
    assert envelope.subject == "Re: möve12"
    assert envelope.references == ("<3@x>", "<2@x>")
