"""What must hold for the whole way from a mail's bytes to its commands, whatever the bytes are."""

import sys
from collections.abc import Callable
from cProfile import Profile

from pbm.commands.language.declare import Command
from pbm.commands.script import Script, confirmation, is_bare_yes, read_script
from pbm.commands.sentences.agreeing import WELCOME
from pbm.mail.reading.inbound import Envelope, UnreadableMail, clean_subject, read, read_header
from pbm.mail.reading.limits import LIMITS, Limits
from pbm.mail.reading.mime import body_text, split_mail
from pbm.play.limits import MOST_COMMANDS
from tests.mail.reading.our_mails import own_words

_SENDER, _OWN = "bob@example.org", "pbm@games.example"
_SOME_CALLS, _CALLS_A_BYTE = 60_000, 250
_NEVER_IN_A_LINE = set("\r\n\0\x1b\x85\u2028\u2029")


def check_mail(raw: bytes, limits: Limits = LIMITS) -> Script | None:
    """Read a mail from its bytes to its script, or UnreadableMail (None); nothing else happens."""
    envelope = read_or_refuse(raw, limits)
    if envelope is None:
        return None
    check_envelope(envelope, limits)
    _check_quoting(raw, limits)
    answer, rest = confirmation(envelope.said, WELCOME)
    assert answer in (True, False, None)
    assert set(rest) <= set(envelope.said)
    subject = clean_subject(envelope.subject)
    assert clean_subject(subject) == subject
    below = envelope.below_quotes
    assert all(envelope.said[index].strip() for index in below)
    assert sorted(set(below)) == list(below)
    scripts = [
        read_script(subject, envelope.said, in_answer=reply, below_quotes=below)
        for reply in (True, False)
    ]
    for script in scripts:
        check_script(script, envelope)
    return scripts[0]


def read_or_refuse(raw: bytes, limits: Limits = LIMITS) -> Envelope | None:
    """The envelope of a mail of Bob's; None beyond the limits, which the door would tell, too."""
    envelope: Envelope | None = None
    refused = ""
    try:
        envelope = read(raw, envelope_sender=_SENDER, own_address=_OWN, limits=limits)
    except UnreadableMail as error:
        refused = str(error)
    assert _refusal_at_the_door(raw, limits) == refused
    assert (envelope is None) == refused.endswith(".")
    return envelope


def _refusal_at_the_door(raw: bytes, limits: Limits) -> str:
    try:
        read_header(raw, _SENDER, _OWN, limits)
    except UnreadableMail as error:
        return str(error)
    return ""


def check_envelope(envelope: Envelope, limits: Limits) -> None:
    """Hold an envelope to what its fields promise."""
    assert (envelope.author is None) != (envelope.author_problem is None)
    assert envelope.author is None or envelope.author.isascii()
    assert envelope.subject.isprintable()
    for line in envelope.said:
        assert not set(line) & _NEVER_IN_A_LINE
        assert line == line.rstrip()
    assert sum(len(line.encode("utf-8")) for line in envelope.said) <= 5 * limits.text_bytes
    for reference in (*envelope.references, envelope.message_id or "<a@b>"):
        assert reference.isascii()
        assert reference.isprintable()
        assert " " not in reference
    assert len(envelope.references) <= 20


def check_script(script: Script, envelope: Envelope) -> None:
    """Hold a script to its promises: few commands, none beside a problem, words of the mail."""
    assert len(script.commands) <= MOST_COMMANDS
    assert not (script.commands and script.problem)
    assert all(isinstance(command, Command) and command.line for command in script.commands)
    assert not script.comment or (script.comment[0].strip() and script.comment[-1].strip())
    assert set(script.comment) <= set(envelope.said)
    assert is_bare_yes(script) in (True, False)


def _check_quoting(raw: bytes, limits: Limits) -> None:
    """Own words are lines of the text; none of them is when every line is marked as quoted."""
    _, root = split_mail(raw, limits)
    text = body_text(raw, root, limits)
    said = own_words(text)
    assert all(line.strip() in text for line in said)
    assert own_words("\n".join(f"> {line}" for line in text.split("\n"))) == ()
    # Nor do they hold a quotation themselves.
    again = own_words("\n".join(said))
    assert set(again) <= set(said)


def check_work(raw: bytes, limits: Limits = LIMITS) -> None:
    """The number of calls grows with the length of a mail at most."""
    _warm_up()
    calls = counted_calls(lambda: check_mail(raw, limits))
    assert calls <= _SOME_CALLS + _CALLS_A_BYTE * min(len(raw), limits.mail_bytes), calls


def _warm_up() -> None:
    """Let what a process reads once be read: the games, and the lists of words.

    Each time, since other tests empty the caches.
    """
    check_mail(b"From: a@b.example\r\n\r\nyes\r\n", LIMITS)


def counted_calls(work: Callable[[], object]) -> int:
    """How many functions are called, Python's and C's, while `work` is done.

    They are counted in C: a function of ours that hears of each call takes many times as long.
    """
    before = sys.getprofile()
    sys.setprofile(None)
    counting = Profile()
    counting.enable()
    try:
        work()
    finally:
        counting.disable()
        sys.setprofile(before)
    return sum(entry.callcount for entry in counting.getstats())
