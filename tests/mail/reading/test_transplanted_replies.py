"""Forms of replies from archives of mailing lists, with mails of ours put into them.

They are rarer than those of the mail programs in `corpus/`, so some may be read wrong.
"""

import re
from itertools import product
from pathlib import Path

from tests.mail.reading.our_mails import our_mails, own_words, quoted

FEWEST, LEAST = 300, 0.97
WORDS = (
    "a1-b2",
    "a1-b2\n\nNice game so far.",
    "a1-b2\n\nHi Bob,\n\nI am away until Monday, so no hurry:\n- the train\n- the hotel\n\nAlice",
    "Well played! I have to think about it.",
)


def _forms() -> dict[str, str]:
    text = Path(__file__).with_name("transplanted.txt").read_text(encoding="utf-8")
    parts = (part.partition("\n") for part in text.split("#### ")[1:])
    return {name: form.rstrip("\n") for name, _, form in parts}


def _filled(form: str, said: str, mail: str) -> str:
    def put(found: re.Match[str]) -> str:
        return quoted(mail, found[1])

    form = re.sub(r"\{quoted (.*)\}$", put, form, flags=re.MULTILINE)
    return form.replace("{plain}", mail).replace("{said}", said)


def test_transplanted_replies_are_read_exactly() -> None:
    boards = [mail.text for mail in our_mails() if mail.is_a_boards]
    found = {
        (name, said): own_words(_filled(form, said, boards[number % len(boards)]))
        == tuple(said.split("\n"))
        for number, ((name, form), said) in enumerate(product(_forms().items(), WORDS))
    }
    wrong = sorted({name for (name, _), right in found.items() if not right})
    right = sum(found.values())
    print(right, "of", len(found), wrong)
    assert len(found) >= FEWEST
    assert right >= LEAST * len(found), wrong
