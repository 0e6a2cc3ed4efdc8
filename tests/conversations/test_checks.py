"""What is checked of every mail is found, also in one that is like many before."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.conversations.checks import check_mails
from tests.table import Table

FIRST = b"7bit\r\n\r\n"  # what stands before the first line of the text
PLANTED: dict[str, Callable[[bytes], bytes]] = {
    "an order": lambda raw: raw.replace(FIRST, FIRST + b"resign\r\n\r\n", 1),
    "an order for a board": lambda raw: raw.replace(FIRST, FIRST + b"move 1 a1-c3,d4\r\n\r\n", 1),
    "a move": lambda raw: raw.replace(FIRST, FIRST + b"a1-c3,d4\r\n\r\n", 1),
    "a yes": lambda raw: raw.replace(FIRST, FIRST + b"yes\r\n\r\n", 1),
    "an order behind a break": lambda raw: raw.replace(
        FIRST, FIRST + b"- " * 33 + b"we go resign\r\n\r\n", 1
    ),
    "another last line": lambda raw: raw.replace(b"\r\nState:", b"\r\nStates:", 1),
    "a long line": lambda raw: raw.replace(FIRST, FIRST + b"word " * 20 + b"word\r\n\r\n", 1),
}


@pytest.mark.parametrize("planted", PLANTED)
def test_a_mail_like_those_before_is_checked(embedded: Table, planted: str) -> None:
    for names in (("alice", "bob"), ("carol", "dave")):
        for person in embedded.start(*names):
            mail = person.newest
            check_mails(mail)
            begun = PLANTED[planted](mail.raw)
            assert begun != mail.raw
            with pytest.raises(AssertionError):
                check_mails(replace(mail, raw=begun))
