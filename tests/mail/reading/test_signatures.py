"""Signatures of firms, marked or not, are no words for the others; all else is."""

from collections.abc import Callable
from html import escape

from hypothesis import given
from hypothesis import strategies as st

from pbm.mail.reading.inbound import Envelope
from pbm.mail.reading.signatures import CLOSINGS, signature_in
from tests.rows import each_row

FOOTERS = [
    "Best regards\nName Surname\nSales Manager | ACME Inc.\nTel +44 20 7946 0000",
    "Kind regards,\n\nJane Roe\nHead of Procurement\nRoe Ltd\n12 High St, Leeds\nwww.roe.example",
    "Cheers\nSam\n--\nSenior Engineer, Widgets LLC\nsam@widgets.example",
    "Thanks and regards,\nPat Doe\nDoe Consulting | +1 (555) 010-0199 | doe.example",
    "Mit freundlichen Grüßen\nAnna Maus\nMaus GmbH\nHauptstr. 1\n10115 Berlin\nTel.: 030 1234567",
    "Viele Grüße\nDr. Max Muster\nAbteilungsleiter\nMuster AG",
    "i.A. Eva Beispiel\nBeispiel GmbH & Co. KG\nFon 089 987654-0\nFax 089 987654-99",
    "Cordialement,\nJean Dupont\nDirecteur commercial\nDupont SA\nTél. 01 23 45 67 89",
    "Bien à vous\nMarie Durand\n06 12 34 56 78",
    "Saludos cordiales\nAna García\nJefa de ventas\nAcme S.L.",
    "Un saludo,\nLuis Pérez\nTel. +34 91 123 45 67",
    "Cordiali saluti\nPaolo Rossi\nRossi S.p.A.\nVia Roma 1, Milano\nTel. 02 1234567",
    "Met vriendelijke groet,\nJan Jansen\nJansen B.V.\nT 020 1234567",
    "Med vänlig hälsning\nKarin Svensson\nSvensson AB\n08-123 456 78",
    "Med venlig hilsen\nLars Jensen\nJensen ApS\nTlf. 12 34 56 78",
    "Ystävällisin terveisin\nMatti Virtanen\nVirtanen Oy\n+358 40 1234567",
    "Pozdrawiam\nJan Kowalski\nKowalski Sp. z o.o.\ntel. 22 123 45 67",
    "С уважением,\nИван Иванов\nООО Ромашка\n+7 495 123-45-67",
    "Alex Smith\nAccount Executive\nSmith Corp\nMobile: +1 555 010 0123\nhttps://smith.example",
    "Regards,\nKim Lee | Lead Architect\nLee Partners LLP",
]
COMMENTS = [
    "Good luck!",
    "That was a nice move.\n\nHow was your holiday?",
    "Sorry for the delay, work is crazy.",
    "Your turn :-)",
    "Hi Bob,",
    "Do you know Jane Roe? She plays, too.",
    "My number is 030 7654321, call me!",
    "See https://abalone.example for the tournament.",
    "Best regards from Rome!",
    "",
]
WANTED = [
    "Cheers\nAnna",
    "Best\nBob",
    "Cheers,\nAnna\nPS: call me at 030 1234567",
    "Regards\nAnna\nCan you call me at 030 1234567 tomorrow?",
    "Love, Anna",
    "See you\nat https://abalone.example next week!",
    "Viele Grüße\nAnna\n\nHast du morgen Zeit? Ruf an: 030 1234567, ich bin den ganzen Tag da.",
    "tom@example.org\nann@example.org",
    "Look at https://one.example\nand https://two.example",
    "Bye",
    "Thanks\nYes\nBob",
    "Danke\nJa\nAnna",
    "Best,\nBob\nNice game",
    "Cheers, Bob\nGreat trap\nSee you Friday",
    "Thanks\nhave a look at https://lichess.example/x",
    "Danke\nich nehme Zug A/S heute",
    "Thanks\nmobile now",
    "Best\nStop\nDelete",
]
ALONE = ["Thanks\nYes\nBob", "Thank you,\nYes please\nBob", "Best\nalice@example.org"]


def said(text: str) -> str:
    """What is sent on."""
    lines = text.split("\n")
    start, end = signature_in(lines)
    return "\n".join(lines[:start] + lines[end:]).rstrip("\n")


def test_no_word_of_a_footer_is_sent_on() -> None:
    wrong = [
        (comment, footer)
        for footer in FOOTERS
        for comment in filter(None, COMMENTS)
        if said(f"{comment}\n\n{footer}") != comment
    ]
    assert not wrong


def test_last_lines_that_are_meant_are_kept() -> None:
    texts = [f"{comment}\n\n{wanted}" for comment in COMMENTS for wanted in WANTED]
    assert [text for text in texts if said(text) != text.rstrip("\n")] == []


def test_the_first_line_begins_none() -> None:
    assert [text for text in ALONE if said(text) != text] == []


WORDS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=9)
SENTENCES = st.lists(WORDS, min_size=3, max_size=12).map(
    lambda words: f"{' '.join(words)}.".capitalize()
)


@given(
    st.lists(SENTENCES, max_size=4),
    st.sampled_from(sorted(CLOSINGS)).map(str.capitalize),
    st.lists(SENTENCES, min_size=1, max_size=4),
)
def test_a_comment_with_closing_words_is_kept(
    above: list[str], closing: str, below: list[str]
) -> None:
    text = "\n".join([*above, closing, *below])
    assert said(text) == text


WORDS_AND_NAME = "a1-c3,b2\n\nThanks, well played\nCheers\nSam"
FIRM = "Senior Engineer, Widgets LLC\nsam@widgets.example"
QUOTED = "\n\nOn Sat, 21 Nov 2026 at 12:00, pbm <pbm@games.example> wrote:\n\n> a5-b5"
UNMARKED = "\n\nFrom: pbm <pbm@games.example>\nSent: today\nTo: Sam\nSubject: Board\n\na5-b5"
LISTED = "You received this message because you are in a group.\nTo leave it write to\na@b.example"
MARKS = ["--", "-- ", "__", "***", "---", "*****", "=====", "\u2014", "\u2013"]
PLAIN = [
    *(WORDS_AND_NAME + between for mark in MARKS for between in (f"\n{mark}\n", f"\n\n{mark}\n\n")),
    f"{WORDS_AND_NAME} Miller\nSenior Engineer\n-- \n",
    WORDS_AND_NAME.replace("Cheers\n", "Cheers, ") + "\n-- \n",
    f"{WORDS_AND_NAME}\nSent from my iPhone\n-- \n",
    f"{WORDS_AND_NAME}\n-- \nWe make the best widgets of all!\n",
]
KEPT = [
    "\n\nCheers\nSam",
    "\n\nCheers\nSam\nSent from my iPhone",
    "\n\nCheers\nSam\n-- \nSam",
    f"\n\nCheers\nSam\n-- \n{LISTED}",
    f"\n\nBest\nSam\nNice game\n-- \n{FIRM}",
    f"\n\nCheers, nice game\n-- \n{FIRM}",
    f"\n\nBye\n-- \n{FIRM}",
]


def words(envelope: Envelope) -> list[str]:
    return [line for line in envelope.said if line]


@each_row("text", PLAIN)
@each_row("firm", [FIRM, f"{FIRM}\nSent from my iPhone"])
@each_row("below", ["", QUOTED, UNMARKED])
def test_a_name_above_a_marked_signature_is_part_of_it(
    read_mail: Callable[..., Envelope], text: str, firm: str, below: str
) -> None:
    for form in ("", "; format=flowed"):
        found = read_mail(
            f"Content-Type: text/plain; charset=utf-8{form}", body=text + firm + below
        )
        assert words(found) == ["a1-c3,b2", "Thanks, well played"]
        assert found.signature[0].startswith("Cheers")


@each_row("text", KEPT)
@each_row("below", ["", QUOTED, UNMARKED])
def test_a_name_above_a_mark_is_kept_otherwise(
    read_mail: Callable[..., Envelope], text: str, below: str
) -> None:
    found = read_mail(body=f"a1-c3,b2{text}{below}")
    own = text.partition("\n-- ")[0].replace("Sent from my iPhone", "").split("\n")
    assert words(found) == ["a1-c3,b2", *filter(None, own)]


HTML = [
    '<div>{words}<div class="gmail_signature" dir="ltr">{firm}</div></div>{quote}',
    '<div>{words}<span class="gmail_signature_prefix">-- </span><br>'
    '<div class="gmail_signature">{firm}</div></div>{quote}',
    '<div>{words}</div><div id="Signature">{firm}</div><div id="appendonsend"></div>{quote}',
    '<div>{words}</div><pre class="moz-signature">-- \n{firm}</pre>{quote}',
    '<div class="WordSection1"><p class="MsoNormal">{words}</p><p>{firm}</p></div>{quote}',
]


@each_row("html", HTML)
@each_row("quote", ["", "<blockquote type=cite>a5-b5</blockquote>"])
def test_a_name_above_a_signature_in_html_is_part_of_it(
    read_mail: Callable[..., Envelope], html: str, quote: str
) -> None:
    parts = {"words": WORDS_AND_NAME, "firm": FIRM}
    lines = {name: escape(part).replace("\n", "<br>") for name, part in parts.items()}
    found = read_mail("Content-Type: text/html", body=html.format(quote=quote, **lines))
    assert words(found) == ["a1-c3,b2", "Thanks, well played"]


@each_row("above", ["thanks", "Thanks,", "Thanks Bob", "Schöne Partie"])
@each_row("name", ["Jane Roe", "Dr. Jane Roe", "Roe, Jane"])
@each_row("below", ["Roe Ltd", "Head of Sales\nRoe Ltd\nwww.roe.example", "-- \nRoe Ltd"])
def test_the_name_of_the_author_begins_a_signature(
    read_mail: Callable[..., Envelope], above: str, name: str, below: str
) -> None:
    text = f"a1-c3,b2\n{above}\n{name}\n{below}"
    for author in (
        "Jane Roe <jane@roe.example>",
        '"Roe, Jane" <x@y.example>',
        "jane.roe@roe.example",
    ):
        assert words(read_mail(f"From: {author}", body=text)) == ["a1-c3,b2", above]
    alone = f"a1-c3,b2\n{above}\n{name}"
    assert words(read_mail("From: Jane Roe <jane@roe.example>", body=alone)) == alone.split("\n")


@each_row("postscript", ["PS: nice trap", "Our widgets are the best in the world!"])
def test_words_below_a_signature_are_kept(
    read_mail: Callable[..., Envelope], postscript: str
) -> None:
    body = f"{WORDS_AND_NAME}\n{FIRM}\n+1 555 010 0199\n\n{postscript}\n\n> a5-b5\n\nHm"
    found = read_mail(body=body)
    assert words(found) == ["a1-c3,b2", "Thanks, well played", postscript, "Hm"]
    assert [found.said[at] for at in found.below_quotes] == ["Hm"]


ROE = "Jane Roe\nHead of Sales\nRoe Ltd\nT +44 113 496 0000\nwww.roe.example"
JANE, NOBODY = "Jane Roe <jane@roe.example>", "info@roe.example"
LINE = "Jane Roe | Head of Sales | Roe Ltd | 12 High Street, Leeds LS1 4AB | T +44 113 4960000"
ENDS = [
    (NOBODY, f"Nice.\n\nThanks,\n{ROE}", "Nice. Thanks,"),
    (NOBODY, f"Nice move!\n{ROE}", "Nice move!"),
    (NOBODY, f"Nice.\n\nRegards\n{ROE}\nFollow us on LinkedIn!", "Nice."),
    (NOBODY, f"Nice.\n\nRegards\n{ROE}\nPS: great trap", "Nice. PS: great trap"),
    (NOBODY, f"Nice.\n\n{LINE}", "Nice."),
    (NOBODY, "Nice.\n\nJane Roe\nRoe Ltd,\n12 High Street,\nLeeds\n+44 113 496 0000", "Nice."),
    (NOBODY, "Nice\n\ni. A. Jane Roe\n-- \nRoe Ltd", "Nice"),
    (NOBODY, "Nice\n\nViele Grüße aus Rom\nJane Roe\nRoe Ltd", "Nice"),
    (JANE, f"thanks, well played\n{ROE}", "thanks, well played"),
    (JANE, f"Nice\n\nCheers Jane\n{ROE}", "Nice"),
    (JANE, "Nice\n\nlg jane\n-- \nRoe Ltd", "Nice"),
    (JANE, "Nice\n\nlg jane", "Nice lg jane"),
    (JANE, "Nice\n\nJane Roe\nHead of Sales\n-- \nRoe Ltd", "Nice"),
    (JANE, "Nice\n\nJane Roe\nand well played\n-- \nRoe Ltd", "Nice Jane Roe and well played"),
    (JANE, "Nice\n\nCheers Bob\n-- \nRoe Ltd", "Nice Cheers Bob"),
    (JANE, "Nice.\n\nJane Roe (she/her)\nRoe Ltd", "Nice."),
    (JANE, f"Nice.\n\n{ROE}\nSent from my iPhone", "Nice."),
    (
        JANE,
        "Nice.\n\nI am Jane Roe\nhttps://jane.example",
        "Nice. I am Jane Roe https://jane.example",
    ),
    (JANE, f"{ROE}\n\nNice\n\nRegards\nJane\n-- \nRoe Ltd", f"{ROE} Nice"),
    (
        JANE,
        "Good move\n\nsee x@y.example\nor 030 1234567",
        "Good move see x@y.example or 030 1234567",
    ),
]


@each_row(("author", "text", "wanted"), ENDS)
def test_the_end_of_a_mail(
    read_mail: Callable[..., Envelope], author: str, text: str, wanted: str
) -> None:
    for below in ("", QUOTED):
        kind = "Content-Type: text/plain; charset=utf-8"
        found = read_mail(f"From: {author}", kind, body=f"a1-c3,b2\n\n{text}{below}")
        assert " ".join(words(found)) == " ".join(f"a1-c3,b2 {wanted}".split())
