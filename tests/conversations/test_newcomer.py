"""Somebody who knows nothing writes a first mail, and plays two mails later."""

from tests.table import Table


def test_any_text_is_welcomed(table: Table) -> None:
    marta = table.person("Marta@Example.org")
    marta.writes("hi, how does this work?", "I heard of this from a friend.").gets(1)
    marta.hears(
        "This is a server for playing Abalone by mail",
        "A- o o o o o / 7",
        "Reply yes to play as marta, or reply with another name.",
    )
    assert table.player("marta") is None

    marta.says("yes").gets(1).hears("You play as marta now.")
    player = table.player("marta")
    assert player is not None
    assert player.addresses == ("Marta@example.org",)
    assert player.status == "active"
