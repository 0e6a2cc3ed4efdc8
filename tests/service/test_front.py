"""The probe's way in: looked at, written down, never answered."""

from datetime import timedelta

from pbm.mail.reading.auth_results import probe_mail
from pbm.service.intake.upstream_mta import PROBE_FOR, Arrival, arrival_of, expect_probe
from tests.table import FRONT, Table

TOKEN = "abcdefghijklmnopqrstuvwx"
OURS = f"Received: from x by {FRONT}; date\r\n".encode()


def expects(table: Table, token: str = TOKEN) -> bytes:
    """Let the server wait for a probe, and return that."""
    with table.database.transaction() as work:
        mark = expect_probe(work, token, FRONT, table.clock())
    address = table.site.address.probe(token)
    return probe_mail(mark, "doctor@probe.invalid", address, FRONT, "date")


def arrives(table: Table, raw: bytes, token: str = TOKEN) -> str:
    return table.deliver("", table.site.address.probe(token), raw)


def arrived(table: Table, token: str = TOKEN) -> Arrival | None:
    with table.database.reading() as work:
        return arrival_of(work, token)


def test_a_probe_is_written_down_and_not_answered(table: Table) -> None:
    raw = expects(table)
    assert arrived(table) is None
    assert arrives(table, OURS + raw).startswith("250")
    found = arrived(table)
    assert found is not None
    assert found.seen.hops == 1
    assert len(found.seen.survived) == len(set(found.seen.survived)) == 8
    assert not found.trusted  # no networks are, unless they are set
    assert not table.mailboxes
    assert not table.rows("outbox")


def test_a_probe_counts_once(table: Table) -> None:
    raw = expects(table)
    arrives(table, OURS + raw)
    found = arrived(table)
    assert arrives(table, OURS + OURS + raw.replace(b"Date: date", b"Date: other")).startswith(
        "550 5.1.1 This reply address is not valid any more"
    )
    assert arrived(table) == found


def test_a_probe_that_was_kept_twice_counts_once(table: Table) -> None:
    raw = expects(table)
    address = table.site.address.probe(TOKEN)
    for mail in (OURS + raw, OURS + OURS + raw.replace(b"a probe of", b"another probe of")):
        table.hand_in("", address, mail)
    table.runs()
    found = arrived(table)
    assert found is not None
    assert found.seen.hops == 1
    assert table.mail_kept(2).outcome == "nothing: a probe that nobody waits for"


def test_nobody_waits_for_ever(table: Table) -> None:
    raw = expects(table)
    table.clock.passes(seconds=PROBE_FOR.total_seconds() + 1)
    assert arrives(table, raw).startswith("550")
    assert arrived(table) is None


def test_a_newer_probe_takes_an_older_ones_place(table: Table) -> None:
    raw, token = expects(table), TOKEN[::-1]
    other = expects(table, token)
    assert arrives(table, raw).startswith("550")
    assert arrives(table, other, token).startswith("250")
    assert arrived(table) is None
    assert arrived(table, token) is not None


def test_the_token_is_not_stored(table: Table) -> None:
    raw = expects(table)
    assert TOKEN not in str(table.rows("facts"))
    arrives(table, raw)
    assert TOKEN not in str(table.rows("facts"))
    assert TOKEN not in repr(table.site.address.parse(table.site.address.probe(TOKEN)))


def test_a_probe_lasts_longer_than_the_doctor_waits() -> None:
    from pbm.admin.doctor import ARRIVAL_SECONDS

    assert timedelta(seconds=ARRIVAL_SECONDS) < PROBE_FOR
