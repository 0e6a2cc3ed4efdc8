"""Signatures of firms, without the usual mark, are no words for the others; all else is."""

from hypothesis import given
from hypothesis import strategies as st

from pbm.mail.reading.signatures import CLOSINGS, signature_start

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
    return "\n".join(lines[: signature_start(lines)]).rstrip("\n")


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
