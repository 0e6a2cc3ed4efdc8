"""What the operator writes to all players comes to each of them who wants it, once."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import unquote

import pytest

from pbm.errors import OperatorError
from pbm.play import broadcasts
from pbm.service.operator import players
from pbm.service.operator.broadcasting import broadcast
from tests.admin.conftest import Room

WORDS = "The server moves on Friday.\n\nresign"
WHY = "announced in the forum"


def test_it_comes_to_those_who_want_it(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text(WORDS, encoding="utf-8")
    carol = room.table.joins("carol")
    players.suspend(room.office, "carol", WHY)
    room.posts()
    for person in (room.alice, room.bob, carol):
        person.forgets()
    planned = broadcast(replace(room.office, would_write=[]), str(file), WHY)
    assert (planned.readers, planned.others) == (2, {"have left, or are suspended": 1})
    assert planned.mail.startswith("Subject: pbm: from the operator\n\nThe operator of this server")
    assert "| The server moves on Friday.\n|\n| resign\n" in planned.mail
    room.table.days_pass(1)
    room.bob.hears_nothing()
    broadcast(room.office, WORDS, WHY)
    with pytest.raises(OperatorError, match="still going out"):
        broadcast(room.office, WORDS, WHY)
    room.table.days_pass(1)
    mail = room.bob.mail("pbm: from the operator")
    assert "| The server moves on Friday.\n|\n| resign\n" in mail.text
    assert mail["Precedence"] == "list"
    asked = unquote(mail["List-Unsubscribe"]).removeprefix("<mailto:").removesuffix(">")
    assert asked.startswith("pbm+b.u2.")
    carol.hears_nothing()
    with room.table.database.reading() as work:
        assert work.changes.newest(1)[0].what == "broadcast"
    room.bob.forgets().writes("", "", to=asked)
    room.bob.hears_nothing()
    room.alice.says("set broadcasts off", answering=room.alice.newest).hears('set to "off"')
    planned = broadcast(room.office, "Once more.", WHY)
    assert (planned.readers, planned.others["want none"]) == (0, 2)


def test_it_goes_out_at_a_rate(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broadcasts, "AT_ONCE", 1)
    assert broadcast(room.office, WORDS, WHY).minutes == 1
    room.table.days_pass(0)
    room.alice.gets(1).hears("| The server moves on Friday.").forgets()
    room.bob.hears_nothing()
    for _ in range(3):
        room.table.days_pass(broadcasts.EVERY / timedelta(days=1))
    room.bob.gets(1).hears("| The server moves on Friday.")
    room.alice.hears_nothing()


@pytest.mark.parametrize(
    ("text", "why"), [("  \n", "no words"), ("x" * 10_001, "10000 characters")]
)
def test_what_cannot_be_sent(room: Room, text: str, why: str) -> None:
    with pytest.raises(OperatorError, match=why):
        broadcast(room.office, text, WHY)
