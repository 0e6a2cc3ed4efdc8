"""Promise 6: automatic mail is known as such, by each header, however it is written."""

from collections.abc import Callable

from pbm.mail.reading.inbound import Envelope
from tests.rows import each_row

Read = Callable[..., Envelope]

AUTOMATIC = [
    ("Auto-Submitted", "auto-replied"),
    ("Auto-Submitted", "auto-generated"),
    ("Auto-Submitted", 'auto-notified; owner-email="x@y.example"'),
    ("Auto-Submitted", "(comment) yes"),
    ("List-Id", "The club <club.lists.example>"),
    ("List-Unsubscribe", "<mailto:leave@lists.example>"),
    ("List-Post", "NO"),
    ("Precedence", "bulk"),
    ("Precedence", "junk"),
    ("Precedence", "list"),
    ("Precedence", "auto_reply"),
    ("X-Autoreply", "yes"),
    ("X-Autoreply-From", "x@y.example"),
    ("X-Autorespond", "away"),
    ("X-Autoresponder", "yes"),
    ("X-Mail-Autoreply", "1"),
    ("X-Loop", "club@lists.example"),
    ("X-Failed-Recipients", "x@y.example"),
    ("X-PBM-Board", "12"),
    ("X-PBM-Turn", "alice"),
    ("Content-Type", 'multipart/report; report-type="delivery-status"; boundary=b'),
    ("From", "MAILER-DAEMON@example.org"),
    ("From", "Mail Delivery System <Mailer-Daemon@example.org>"),
    ("From", "MAILER-DAEMON (Mail Delivery System)"),
    ("From", "postmaster@example.org"),
    ("From", "PBM Abalone <pbm@games.example>"),
    ("From", "pbm+g12.u7.k0example0example0@games.example"),
    ("Subject", "Automatic reply: Abalone Board 12: alice v bob"),
    ("Subject", "Out of Office: Re: Abalone Board 12"),
    ("Subject", "Automatische Antwort: Abalone Board 12"),
    ("Subject", "Out of Office reply"),
    ("Subject", "Out of office - Re: Abalone Board 12"),
    ("Subject", "AutoReply: Re: Abalone Board 12"),
    ("Subject", "Auto reply"),
    ("Subject", "[EXTERNAL] Automatic reply: Abalone"),
    ("Subject", "Abwesenheitsnotiz"),
    ("From", "noreply@example.org"),
    ("From", "Example <no-reply@example.org>"),
    ("From", "no_reply@example.org (Example)"),
    ("From", "donotreply@example.org"),
    ("From", "do-not-reply+12@example.org"),
    ("From", "shop.noreply@example.org"),
    ("From", "noreply-accounts@example.org"),
    ("From", "ne-pas-repondre@example.org"),
    ("Subject", "=?utf-8?q?R=C3=A9ponse_automatique_=3A_Abalone?="),
]


def _swap_alternate(text: str) -> str:
    return "".join(c.upper() if n % 2 else c.lower() for n, c in enumerate(text))


CASES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "lower": str.lower,
    "upper": str.upper,
    "alternating": _swap_alternate,
}


@each_row(("name", "value"), AUTOMATIC)
def test_promise_06_in_four_letter_cases(read_mail: Read, name: str, value: str) -> None:
    for case, change in CASES.items():
        # An encoded word isn't the same in another letter case.
        changed = value if "=?" in value else change(value)
        assert read_mail(f"{change(name)}: {changed}").automatic, case


@each_row(("name", "value"), AUTOMATIC)
def test_promise_06_folded(read_mail: Read, name: str, value: str) -> None:
    assert read_mail(f"{name}:\r\n {value}").automatic
    assert read_mail(f"{name}:\r\n\t{value}\r\n ").automatic
    assert read_mail(f"{name} : {value}").automatic


@each_row(("name", "value"), [a for a in AUTOMATIC if a[0] != "Subject"])
def test_promise_06_doubled(read_mail: Read, name: str, value: str) -> None:
    harmless = "no" if name == "Auto-Submitted" else "x"
    if name in ("From", "Content-Type"):
        harmless = value
    if name == "From":
        return_paths = ["alice@example.org", "<>"]
        # Two From lines have no author; such a mail is never answered anyway.
        for sender in return_paths:
            envelope = read_mail(f"From: {value}\r\nFrom: {value}", envelope_sender=sender)
            assert envelope.automatic or envelope.author is None
        return
    assert read_mail(f"{name}: {harmless}\r\n{name}: {value}").automatic
    assert read_mail(f"{name}: {value}\r\n{name}: {harmless}").automatic


@each_row("sender", ["<>", "", " <> "])
def test_promise_06_the_empty_envelope_sender(read_mail: Read, sender: str) -> None:
    assert read_mail(envelope_sender=sender).automatic == "empty envelope sender"


@each_row(
    "sender",
    [
        "no-reply@example.org",
        "MAILER-DAEMON@mx.example.org",
        "<postmaster@example.org>",
        "mailer-daemon",
    ],
)
def test_promise_06_a_robot_as_envelope_sender(read_mail: Read, sender: str) -> None:
    assert read_mail(envelope_sender=sender).automatic


def test_promise_07_too_many_hops(read_mail: Read) -> None:
    received = ["Received: from a by b; Fri, 21 Nov 2025 18:02:00 +0000"]
    assert read_mail(*received * 51).automatic == "mail loop"
    assert read_mail(*received * 50).automatic is None


@each_row(
    "headers",
    [
        (),
        ("Auto-Submitted: no",),
        ("Auto-Submitted: No (I wrote this)",),
        ("auto-submitted: NO; x=y",),
        ("Precedence: first-class",),
        ("Precedence: normal",),
        # Exchange puts this on what people write, too: it asks for no answers by robots.
        ("X-Auto-Response-Suppress: DR, OOF, AutoReply",),
        ("X-Mailer: List-Master 3000",),
        ("Subject: automatic reply of mine",),
        ("Subject: Re: Abalone Board 12: out of office: alice v bob",),
        ("Subject: Re: Abalone Board 12: alice v autoreply",),
        ("Subject: Re: Automatic reply: what was that?",),
        ("Subject: out of office for a week, sorry",),
        ("Subject: Autoreplying is fun",),
        ("From: eno.reply@example.org",),
        ("From: donna.reply@example.org",),
        ("From: noreplyson@example.org",),
        ("From: noreply <alice@example.org>",),
        ("From: alice@noreply.example",),
        ("From: Postmaster Pat <pat@example.org>",),
        ("From: Pbm <pbm@other.example>",),
        ("From: pbmfan@games.example",),
        ("Content-Type: multipart/mixed; boundary=b",),
        ("Listening-To: music",),
    ],
)
def test_what_people_write(read_mail: Read, headers: tuple[str, ...]) -> None:
    assert read_mail(*headers).automatic is None
