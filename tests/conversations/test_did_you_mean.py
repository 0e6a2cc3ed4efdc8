"""A word that is not known is answered with the one or two that may have been meant."""

import pytest

from tests.table import Table


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("challenge bbo", '"bob"'),
        ("challenge bobb", '"bob"'),
        ("challenge bo", '"bob"'),
        ("challenge bab carol", '"bob"'),
        ("challenge margaret", '"margarete" or "margareta"'),
        ("challenge -seats=me,margaretha", '"margareta"'),
        ("games margarata", '"margareta"'),
        ("show carrol", '"carol"'),
        ("challenge bob -bowel", '"-bowl"'),
        ("challenge bob -bowl=3", '"-bowl"'),
        ("challenge bob -team", '"-teams"'),
        ("challenge bob -seat=me,bob", '"-seats=handle,..."'),
        ("challenge bob -german", '"-layout=german"'),
        ("challenge bob -layuot=german", '"-layout=name"'),
        ("challenge bob -layout=germen", '"german"'),
        ("challenge bob -layout=koreandasy", '"korean_daisy"'),
        ("export -jsn", '"-json"'),
        ("import -layout=belgan", '"belgian"'),
        ("set pictur off", '"picture"'),
        ("set picture offf", '"off"'),
        ("set timezone Europe/Belrin", '"Europe/Berlin"'),
        ("set timezone new_yrok", '"America/New_York"'),
        ("change pasword x", '"password"'),
        ("help tutoral", '"help tutorial"'),
        ("help chalenge", '"help challenge" or "help challenges"'),
        ("help koreandaisy2", '"help korean_daisy"'),
        ("reject drwa", '"draw"'),
    ],
)
def test_what_may_have_been_meant_is_asked(line: str, meant: str, table: Table) -> None:
    for handle in ("bob", "carol", "margareta", "margarete"):
        table.joins(handle)
    alice = table.joins("alice")
    alice.says(line).gets(1)
    assert f"Did you mean {meant}?" in " ".join(alice.newest.text.split())
    alice.hears("Nothing has changed.")
    assert not table.boards()


@pytest.mark.parametrize(
    "line", ["challenge alcie", "challenge zebra", "challenge sam", "games do"]
)
def test_nobody_is_named_who_is_far_off_or_away_or_oneself(line: str, table: Table) -> None:
    alice, _, sam = (table.joins(name) for name in ("alice", "bob", "samm"))
    sam.says("delete").says("yes")
    alice.says(line).gets(1).hears("There is no player called")
    assert "Did you mean" not in alice.newest.text


def test_a_stranger_hears_no_names(table: Table) -> None:
    table.joins("bob")
    stranger = table.person("stranger@example.net")
    stranger.writes("challenge bobb")
    stranger.writes("games bobb")
    for mail in stranger.mails:
        assert "Did you mean" not in mail.text
        assert '"bob"' not in mail.text
