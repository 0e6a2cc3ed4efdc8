"""Which mails link to the board page, and what the link of each brings."""

import json
import zlib
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from pbm.service.telling import mail_writer
from tests.page.visitor import PAGE_URL, fragment_of
from tests.table import Mail, Person, Table

MOVES = ("a1-c3,b2", "i5-g5,h5", "a5-c5,b5", "i9-g7,h8", "d4,e5")


@pytest.fixture
def table(embedded: Table) -> Table:
    embedded.has(page_url=PAGE_URL)
    return embedded


def linked(mail: Mail) -> tuple[str, dict[str, Any]]:
    """The tag and the data of a mail's only link."""
    _, *tag, packed = fragment_of(mail).split(".")
    padded = packed.removesuffix("z") + "=" * 3
    return ".".join(tag), json.loads(zlib.decompress(urlsafe_b64decode(padded)))


def detail(mail: Mail) -> str:
    return mail.reply_to.partition("+")[2].partition("@")[0]


def test_whatever_mail_shows_a_board_links_to_it(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob, carol = (table.joins(handle) for handle in ("alice", "bob", "carol"))
    alice.says("challenge bob")
    carol.says("watch 1 -moves")
    for mover, move in zip((alice, bob) * 3, MOVES, strict=False):
        mover.says(move)
    table.days_pass(1)

    def brings(reader: Person, seats: list[int], moves: tuple[str, ...]) -> dict[str, Any]:
        tag, told = linked(reader.newest)
        assert tag == (detail(reader.newest) if seats else "")
        assert bool(told["a"]) == bool(seats)
        assert (told["p"], told["o"], told["y"]) == (5, seats, seats)
        assert told["m"] == list(moves)
        return told

    carol.hears("alice played d4,e5.")
    brings(carol, [], MOVES[-2:])  # a round, however long the game is
    for reader, seats in ((bob, [2]), (carol, [])):
        for asked, moves in (("show 1", MOVES), ("show 1#2", MOVES), ("replay 1", MOVES)):
            assert brings(reader.says(asked), seats, moves)["s"] == table.board(1).start_state
    brings(bob.says("a1,b1"), [2], MOVES[-1:])  # refused
    brings(bob.says("status 1"), [2], MOVES[-1:])
    bob.says("resign")
    for reader, seats in ((alice, [1]), (bob, [2]), (carol, [])):
        table.days_pass(1)
        assert brings(reader, seats, MOVES)["l"] == 0
    room = len(PAGE_URL + fragment_of(bob.newest)) - len(detail(bob.newest))
    monkeypatch.setattr(mail_writer, "_LONGEST_LINK", room - 1)
    brings(bob.says("show 1"), [2], ())
