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
    ("X-Precedence", "auto_reply"),
    ("X-Precedence", "bulk"),
    ("Preference", "auto_reply"),
    ("Precedence", "autoreply"),
    ("Delivered-To", "Autoresponder"),
    ("X-POST-MessageClass", "9; Autoresponder"),
    ("X-Mailer", "vacation 1.2.7"),
    ("User-Agent", "PHP AutoResponder 2"),
    ("X-Auto-Response", "yes"),
    ("X-Some-Auto-Reply", "yes"),
    ("Auto-Replied", "yes"),
    ("X-Out-Of-Office", "1"),
    ("X-MS-Exchange-Inbox-Rules-Loop", "alice@example.org"),
    ("X-Cron-Env", "<SHELL=/bin/sh>"),
    ("X-Mailing-List", "club@lists.example"),
    ("Subject", "Your mail must be verified verify#Xy7kQ-1699999999-00042"),
    ("Subject", "Re: Abalone Board 12 (conf#0f3c5a7b9d)"),
    ("Content-Type", "text/calendar; charset=utf-8; method=REPLY"),
    ("Content-Type", 'text/calendar; name="meeting.ics"; METHOD=REQUEST'),
    ("Content-Type", "text/vnd.google.email-reaction+json; charset=utf-8"),
    ("Subject", "=?utf-8?q?R=C3=A9ponse_automatique_=3A_Abalone?="),
    ("Subject", "AUTO: Alice Liddell is out of the office (returning 11/30/2026)"),
    ("Subject", "Auto : Alice ist nicht im Haus (wieder da am 30.11.2026)"),
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
        ("X-Precedence: normal",),
        ("Delivered-To: autoreply-fan@example.org",),
        ("Delivered-To: alice+autoresponder@example.org",),
        ("X-Mailer: Vacationer 3",),
        ("User-Agent: Autorouter",),
        ("Subject: verify#12 is my move",),
        ('Content-Type: text/calendar; name="club.ics"', "Content-Disposition: attachment"),
        ("X-Auto-Response-Suppress: All",),
        # Exchange puts this on what people write, too: it asks for no answers by robots.
        ("X-Auto-Response-Suppress: DR, OOF, AutoReply",),
        ("X-Mailer: List-Master 3000",),
        ("Subject: automatic reply of mine",),
        ("Subject: Auto: sold mine (in 2025), sorry",),
        ("Subject: Auto: kaputt",),
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


_GMAIL = "<https://www.google.com/gmail/about/?utm_source=x&utm_campaign=emojireactionemail#app>"


@each_row(
    "words",
    [
        f"👍\r\n\r\nAlice Liddell reacted via Gmail\r\n{_GMAIL}",
        f"🎉\r\nАлиса ответила смайлом\r\n{_GMAIL}",  # whatever the words, the link tells
        "❤️\r\n\r\nAlice hat über Gmail reagiert",
        "Alice Liddell reacted to your message:",
        "\r\nAlice hat auf Ihre Nachricht reagiert:\r\n👏",
        "Alice a réagi à votre message :",
        "Alice reacted 👍 to your message",
        "Alice ha reaccionado a tu mensaje:",
        "Alice ha reagito al tuo messaggio:",
        "Alice heeft gereageerd op je bericht:",
        "Alice zareagował(a) na Twoją wiadomość:",
        "Alice reagiu à sua mensagem:",
        "Alice reagerade på ditt meddelande:",
        "Alice さんがあなたのメッセージにリアクションしました:",
    ],
)
def test_promise_06_reactions(read_mail: Read, words: str) -> None:
    body = (
        f"{words}\r\n\r\nOn Sat, Nov 21, 2026 pbm <pbm@games.example> wrote:\r\n\r\n> a1-c3,d4\r\n"
    )
    assert read_mail(body=body).automatic == "reaction"


@each_row(
    "words",
    [
        "👍",
        "a1-c3,d4\r\n\r\nAlice reacted to your message:",
        "I reacted too late, sorry.",
        "Sorry that I reacted to your message: I was away.",
        "Who reacted?\r\n\r\nYour message came late.",
        "Ich habe nicht auf deine Nachricht reagiert",
    ],
)
def test_words_about_a_reaction_are_words(read_mail: Read, words: str) -> None:
    assert read_mail(body=words).automatic is None


def test_promise_06_a_part_that_tells(read_mail: Read) -> None:
    for kind, automatic in (
        ("text/calendar; method=REPLY", "calendar"),
        ("text/calendar", "calendar"),
        ("text/vnd.google.email-reaction+json", "reaction"),
        ("text/calendar; name=club.ics", None),
        ("application/ics; name=club.ics", None),
    ):
        parts = f"--b\r\n\r\nAccepted: yes\r\n--b\r\nContent-Type: {kind}\r\n\r\nx\r\n--b--\r\n"
        found = read_mail("Content-Type: multipart/alternative; boundary=b", body=parts)
        assert found.automatic == automatic, kind
