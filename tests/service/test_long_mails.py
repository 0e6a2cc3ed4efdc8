"""Mails that may take long to read are a thread's; the event loop goes on meanwhile."""

import pytest

from pbm.mail.reading.limits import LONG as LIMIT
from pbm.mail.smtp_in.connection_limits import UNKNOWN
from pbm.service.running.writer import at_once
from pbm.service.turns.inbox_worker import BatchResult
from tests.table import SERVER, Table

SHORT, LONG = 8192, 8193  # bytes


def mail(size: int) -> bytes:
    head = b"From: robot@example.org\r\nAuto-Submitted: auto-replied\r\n\r\n"
    return head + b"x" * (size - len(head))


@pytest.mark.parametrize(("size", "is_long"), [(100, False), (SHORT, False), (LONG, True)])
def test_a_mail_is_kept_and_obeyed_as_long_as_it_is(
    embedded: Table, size: int, is_long: bool
) -> None:
    assert (len(mail(size)) > LIMIT) is is_long
    with embedded.database.transaction() as work:
        arrived = embedded.intake.look_at("a@b.example", (SERVER,), mail(size), UNKNOWN)
        assert embedded.intake.keep_arrived(work, arrived) == "2.0.0 kept as i1"
        turns = embedded.turns.run_batch(work, 1)
        assert next(turns) is is_long
        assert at_once(turns) == BatchResult(1, more=True)
