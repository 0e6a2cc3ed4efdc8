"""Reply addresses that are not ours are tried a few times by a network, and not at speed."""

from pbm.mail.smtp_in.connection_limits import Caller
from pbm.mail.smtp_in.handler import Rejection
from pbm.service.intake.door import GUESSES, WrongTag, check_recipient, count_wrong
from tests.table import Table

NETWORK, OTHER = "198.51.100.0/24", "203.0.113.0/24"
DIRECT, ELSEWHERE = Caller("198.51.100.7", NETWORK), Caller("203.0.113.1", OTHER)
FORWARDED, FRONT = Caller("127.0.0.1", NETWORK), Caller("127.0.0.1")
STRANGER, ALICE = "guesser@example.net", "alice@example.org"


def tries(table: Table, address: str, sender: str, caller: Caller) -> int:
    """Name a recipient as the listener does; return the code of the reply."""
    with table.database.reading() as work:
        refusal = check_recipient(work, table.site, table.clock(), address, sender, caller)
    if isinstance(refusal, WrongTag):
        with table.database.transaction() as work:
            count_wrong(work, refusal.by, table.clock())
    assert refusal is None or isinstance(refusal, Rejection)
    return refusal.code if refusal else 250


def wrong(number: int, player: int = 1) -> str:
    return f"pbm+g1.u{player}.k1{number:016d}@games.example"


def test_a_network_tries_so_many_and_learns_no_more(table: Table) -> None:
    table.behind_front("")
    alice, _ = table.start("alice", "bob")
    right, most = alice.newest.reply_to, GUESSES.most
    codes = [tries(table, wrong(number), STRANGER, DIRECT) for number in range(most + 5)]
    assert codes == [550] * most + [421] * 5
    assert tries(table, right, STRANGER, DIRECT) == 421  # nor whether one is right
    assert tries(table, "pbm+c.aaaaaaaaaaaaaaaaaaaa@games.example", "", DIRECT) == 550
    assert tries(table, right, STRANGER, FORWARDED) == 450  # a front brings others' mail, too
    assert tries(table, "pbm@games.example", STRANGER, DIRECT) == 250
    assert tries(table, right, STRANGER, ELSEWHERE) == 250
    assert len([row for row in table.rows("buckets") if row["key"].startswith("guesses")]) == 1
    table.clock.passes(hours=1)
    assert tries(table, right, STRANGER, DIRECT) == 250


def test_a_players_own_address_is_counted_apart_in_the_same_network(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    right, most = alice.newest.reply_to, GUESSES.most
    assert 421 in [tries(table, wrong(number), STRANGER, DIRECT) for number in range(most + 1)]
    assert tries(table, right, ALICE, DIRECT) == 250
    codes = [tries(table, wrong(number), ALICE, DIRECT) for number in range(most + 5)]
    assert codes == [550] * most + [421] * 5
    assert tries(table, right, ALICE, DIRECT) == 421
    assert tries(table, right, ALICE, ELSEWHERE) == 250


def test_where_nobody_knows_the_network_a_right_address_is_always_taken(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for number in range(3 * GUESSES.most):
        assert tries(table, wrong(number), STRANGER, FRONT) == 550
        assert tries(table, wrong(number, player=1000 + number), STRANGER, FRONT) == 550
    assert tries(table, alice.newest.reply_to, STRANGER, FRONT) == 250
    # Of players who are not, nothing is written down.
    assert len([row for row in table.rows("buckets") if row["key"].startswith("guesses")]) == 2
