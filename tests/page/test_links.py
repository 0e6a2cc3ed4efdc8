"""Which mails link to the board page, and what the link of each brings."""

import json
import zlib
from base64 import urlsafe_b64decode
from typing import Any

import pytest

from tests.page.visitor import PAGE_URL, fragment_of
from tests.table import Mail, Person, Table

MOVES = ("a1-c3,b2", "i5-g5,h5", "a5-c5,b5", "i9-g7,h8", "d4,e5")


@pytest.fixture
def table(embedded: Table) -> Table:
    embedded.has(page_url=PAGE_URL)
    return embedded


def linked(mail: Mail) -> tuple[str, dict[str, Any]]:
    """The tag and the data of a mail's only link."""
    link = fragment_of(mail)
    return link[3:].rpartition(".")[0], data(link)


def data(link: str) -> dict[str, Any]:
    packed = link.rpartition(".")[2].removesuffix("z") + "=" * 3
    told: dict[str, Any] = json.loads(zlib.decompress(urlsafe_b64decode(packed)))
    return told


def detail(mail: Mail) -> str:
    return mail.reply_to.partition("+")[2].partition("@")[0]


def test_whatever_mail_shows_a_board_links_to_it(table: Table) -> None:
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


def test_a_mail_grows_by_two_kilobytes_at_most(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob")
    alice.says(MOVES[0])
    bob.says(MOVES[1])
    table.has(page_url="")
    without = alice.says("show 1").newest
    table.has(page_url=PAGE_URL)
    shown = alice.says("show 1").newest
    room = 900 - len(PAGE_URL + fragment_of(shown)) + len(detail(shown))
    for longer, moves in ((0, MOVES[:2]), (1, MOVES[1:2])):
        url = PAGE_URL.replace("board", "b" * (room + longer) + "board")
        table.has(page_url=url)
        mail = alice.says("show 1").newest
        (link,) = (line for line in mail.text.split("\n") if line.startswith(url))
        assert data(link)["m"] == list(moves)
        assert len(mail.raw) - len(without.raw) <= 2048
        assert mail.raw.count(b"Content-Transfer-Encoding: 7bit\r\n") == 2
