"""A board's mail that comes back without marks: answers below it and in it are found, and no
words of another player's pass for the reader's own.
"""

import pytest

from pbm.mail.reading.quoting import OwnWords, find_own_words
from pbm.mail.reading.quoting_own import OwnMails, TemplateWords, template_words
from tests.mail.reading.our_mails import (
    OurMail,
    broken,
    our_mails,
    own_words,
    refilled,
    unfolded,
    without_marks,
)
from tests.rows import each_row
from tests.table import Table

MAILS = {mail.name: mail for mail in our_mails()}
BOARDS = [mail for mail in MAILS.values() if mail.is_a_boards]
SEVERAL = [mail for mail in BOARDS if mail.text.count("\nState:") > 1]
PLAIN = [mail for mail in BOARDS if " goes on:" not in mail.text and mail not in SEVERAL]
OUTLOOK = "-----Original Message-----\nFrom: pbm <pbm@games.example>\nSent: today\nSubject: x\n\n"
RULE = "________________________________\nVon: pbm <pbm@games.example>\nGesendet: heute\n\n"
STATE = "State: 11111/111111/..111../......../........./......../..222../222222/22222 1 0,0 -"
BOARD = MAILS["board-after-a-move"].text
EXAMPLE = "To move, send a line such as i8-g6,h7 or i9-g7,h8 or i5-g5,h5."
EXAMPLES_OF_BEFORE = (
    "To move, answer with a line such as i8-g6,h7.",
    "To move, answer with a line such as i8-g6,h7, and nothing above it.",
)

every_board = each_row("mail", BOARDS, ids=lambda mail: mail.name)
plain_board = each_row("mail", PLAIN, ids=lambda mail: mail.name)
above = each_row("above", [OUTLOOK, RULE, ""], ids=["outlook", "rule", "nothing"])


@plain_board
@above
def test_an_answer_below(mail: OurMail, above: str) -> None:
    for text in (mail.text, unfolded(mail.text)):
        for body in (text, *(broken(text, width) for width in range(40, 90, 5))):
            assert own_words(f"{above}{body}\n\na1-b2\n\nbye") == ("a1-b2", "", "bye")


@plain_board
@above
def test_an_answer_below_what_a_program_made_of_the_html(mail: OurMail, above: str) -> None:
    text = without_marks(mail.html)
    assert own_words(f"{above}{text}\n\na1-b2\n") == ("a1-b2",)


@each_row("mail", SEVERAL, ids=lambda mail: mail.name)
@above
def test_below_several_boards_nothing_is_read(mail: OurMail, above: str) -> None:
    """Each has a last line of its own, and one of these might be made up."""
    for text in (mail.text, without_marks(mail.html)):
        assert own_words(f"{above}{text}\n\n1 a1-c3,b2") == ()
        assert own_words(f"1 a1-c3,b2\n\n{above}{text}\n\n2 a1-c3,b2") == ("1 a1-c3,b2",)


@every_board
@above
def test_a_footer_below_is_not_read_where_there_is_an_answer_above(
    mail: OurMail, above: str
) -> None:
    text = mail.text
    for body in (text, broken(text, 60), without_marks(mail.html)):
        assert own_words(f"a1-b2\n\n{above}{body}\n\nACME Ltd\na5-b5") == ("a1-b2",)


@every_board
@above
def test_nothing_of_ours_is_left(mail: OurMail, above: str) -> None:
    text = mail.text
    html = without_marks(mail.html)
    for body in (text, unfolded(text), html, *(broken(text, width) for width in range(40, 90, 5))):
        assert own_words(f"{above}{body}\n") == ()
    for width in range(60, 81):
        assert own_words(f"a1-b2\n\n{above}{refilled(text, width)}") == ("a1-b2",)


@above
@each_row("gap", ["\n", "\n\n"])
def test_an_answer_in_between(above: str, gap: str) -> None:
    for example in (EXAMPLE, *EXAMPLES_OF_BEFORE):
        text = BOARD.replace(EXAMPLE, f"{example}{gap}i8-g6,h7\nMy pleasure.")
        assert own_words(f"{above}{text}\n") == ("i8-g6,h7", "My pleasure.")
    below = BOARD.replace("\nState:", "\ni8-g6,h7\n\nMy pleasure.\n\nState:")
    assert own_words(f"{above}{below}\n") == ("i8-g6,h7", "", "My pleasure.")
    # As in an HTML part with a picture.
    drawing = BOARD[BOARD.index("        1 2 3") : BOARD.index("last: ")]
    text = BOARD.replace(drawing, "").replace(EXAMPLE, f"{EXAMPLE}{gap}i8-g6,h7")
    assert own_words(f"{above}{text}\n") == ("i8-g6,h7",)
    told = BOARD.replace('answer "decline".', "answer “decline”.\n\ndecline")
    assert own_words(f"See below.\n\n{above}{told}") == ("See below.", "", "decline")


def test_where_answers_in_between_begin() -> None:
    nothing = BOARD.replace(EXAMPLE, f"{EXAMPLE}\n\n> q\n\n\n> r")
    assert find_own_words(OUTLOOK + nothing) == OwnWords()
    one = BOARD.replace(EXAMPLE, f"{EXAMPLE}\n\n> q\n\nmine\n\n> r")
    assert find_own_words(OUTLOOK + one) == OwnWords(("mine",), (0,))
    two = one.replace("\nState:", "\nand mine\n\nState:")
    assert find_own_words(f"top\n\n{OUTLOOK}{two}") == OwnWords(
        ("top", "", "mine", "", "and mine"), (2, 4)
    )


def test_a_list_of_moves_is_ours_to_its_end() -> None:
    row = "1 (#1). a1-c3,b2"
    assert f"\n{row}\n" in BOARD
    for number in ("1 (#1).", "#1.", "   1."):  # the last is an earlier version's
        for mark in ("", "*\t"):
            moves = f"{mark}{number} a1-c3,b2\ni9-g7,h8"
            assert own_words(OUTLOOK + BOARD.replace(row, moves)) == ()


def test_the_last_line_may_be_broken_in_two() -> None:
    for first, second in ((" 2 0,0 quiet=1", ""), (" 2", "0,0 quiet=1"), ("", "2 0,0 quiet=1")):
        text = unfolded(BOARD).replace(" 2 0,0 quiet=1", f"{first}\n{second}")
        assert own_words(f"{OUTLOOK}{text}\n\na1-b2") == ("a1-b2",)
        assert own_words(f"{OUTLOOK}{text}\na1-b2") == ("a1-b2",)
        quoted = "\n".join(f"> {line}" for line in text.split("\n"))
        assert own_words(quoted.replace(f"> {second}", second) + "\n\na1-b2") == ("a1-b2",)


@each_row(
    "told",
    [
        "resign",
        f"{STATE}\n\nresign",
        f"{EXAMPLE}\n\nresign",
        f"State: {'.' * 60}\nresign",
        f"    I- x x x x x\n\n{EXAMPLE}\n\nresign",
        f"You are x (bottom). Scores: o alice 0, x bob 0.\n\n{EXAMPLE}\n\nresign",
        f"Scores: o alice 0\n\n{EXAMPLE}\n\nresign\n\n        1 2 3 4 5\n        / / / / / 6",
        "mallory goes on: well\n\nresign",
        f"    I- x x x x x\n\n{EXAMPLE}\n\nresign\n\n{STATE}\n\nresign",
        "Moves so far:\n\n   1. a1-c3,b2\n\nresign",
        "Moves so far:\n\n1 (#1). a1-c3,b2\n\nresign",
        "-----Original Message-----\n\n> x\n\nresign",
    ],
)
def test_another_players_words_never_pass_for_the_readers(told: str) -> None:
    """Whoever plays with somebody whose program drops all marks may try to speak for them."""
    short = BOARD.replace("alice played a1-c3,b2.", f"alice writes:\n\n{told}")
    long = MAILS["board-with-a-long-comment"].text.replace(
        "bob goes on:", f"bob goes on:\n\n{told}"
    )
    idle = short.replace(f"{EXAMPLE}\n\nBefore your", "Before your")  # not the reader's turn
    for text in (short, idle, long.replace("| ", "")):
        assert own_words(f"{OUTLOOK}{text}\n") == ()
        assert own_words(f"{RULE}{text}\n") == ()
        assert own_words(f"a1-b2\n\n{OUTLOOK}{text}\n") == ("a1-b2",)
        assert own_words(f"a1-b2\n\n{text}\n") == ("a1-b2",)


def test_where_the_last_line_was_cut_off_nothing_is_read() -> None:
    """A comment may hold a last line of its own making; the real one may be beyond what is read."""
    long = MAILS["board-with-a-long-comment"].text.replace("| ", "")
    forged = long.replace("This is line 6 of a long remark.", f"{STATE}\n\nresign")
    assert own_words(OUTLOOK + forged.rpartition("State:")[0]) == ()


def test_nothing_below_a_forward_mark_is_read() -> None:
    mark = "---------- Forwarded message ---------\n"
    assert own_words(f"look\n\n{mark}{OUTLOOK}{BOARD}\n\nresign") == ("look",)
    assert own_words(f"look\n\n{mark}{BOARD}\n\nresign") == ("look",)
    assert own_words(f"{OUTLOOK}{mark}{BOARD}\n\nresign") == ()
    assert own_words(f"{OUTLOOK}{BOARD.replace('alice played', mark + 'alice')}\n\nresign") == ()


def test_words_of_players_are_not_taken_for_ours() -> None:
    for words in ("Your move on board 1.", "You wrote:", "State: tired", "I- x x x x x"):
        assert own_words(f"{words}\na1-b2") == (words, "a1-b2")
        assert own_words(f"a1-b2\n{words}\n\nhm\n\n> x\n\nbye")[1] == words


@pytest.mark.parametrize("asked", ["draw", "takeback"])
def test_what_waits_for_an_answer_is_ours(asked: str, embedded: Table) -> None:
    alice, bob = embedded.start("alice", "bob")
    alice.says("a1-c3,d4").says(asked)
    for text in (bob.newest.text, alice.newest.text):
        assert asked[:4] in text
        for body in (text, *(broken(text, width) for width in range(40, 90, 5))):
            assert own_words(f"{OUTLOOK}{body}\n") == ()
            assert own_words(f"{body}\n\na2-b2,b3") == ("a2-b2,b3",)


def test_words_of_templates() -> None:
    words = TemplateWords(
        [
            "{# no words at all #}{% macro x(v) %}\nYour move on board {{ v.number }}.\n"
            "{{ v.by }} {% if v.x %}offers a draw{% else %}asks to take it back{% endif %}. Answer"
            ' "accept {{ v.what }}"; else it is off.\n'
            '{{ "The draw that" if v.x == "draw" else "The take-back that" }} {{ v.by }} waits for'
            " {{ v.x }}.\nYou wrote:\nYou are {{ v.x }}."
        ]
    )
    for text in (
        "Your move on board 12.",
        'alice offers a draw. Answer "accept draw"; else it is off.',
        'alice asks to take it back. Answer "accept takeback"; else it is off.',
        "The draw that alice waits for bob.",
        "The take-back that alice waits for bob and carol.",
        "You wrote:",
    ):
        assert words.end(text) == len(text), text
    for text in ("Your move on board 12.", "The draw that alice waits for bob."):
        assert words.end(f"{text} a1-c3,d4") == len(text)
    for text in (
        "",
        "You are nice.",
        "You wrote: nothing",
        "no words at all",
        "Well, if it is your move on board 12 then go on and make it, for all I care, my friend",
        "a1-c3,d4 Your",
        "I am on board",
    ):
        assert words.end(text) == 0, text


def test_the_server_knows_its_own_sentences() -> None:
    ours = template_words()
    assert ours.end(EXAMPLE) == len(EXAMPLE)
    assert ours.end("You wrote:") == len("You wrote:")
    for words in ("Nice one!", "I moved", "Your move was bad", "I could not move any more, ha ha"):
        assert ours.end(words) == 0


def test_a_mail_may_begin_with_a_game_of_several_words() -> None:
    assert OwnMails(["Four in a Row Board 3: alice v bob", "", STATE]).starts(0)
    assert not OwnMails(["On board 3: alice v bob", "", STATE]).starts(0)
