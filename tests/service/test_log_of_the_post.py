"""What the operator reads of mails that go out."""

from structlog.testing import capture_logs

from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.service.post.post import Composer, Post
from tests.service.whole import World
from tests.serving import take_next
from tests.table import START, Table

TAGGED = "no pbm+g1.u1.abcdefghijklmnop@games.example"
OUTCOMES: list[tuple[Delivery, dict[str, object]]] = [
    (
        Sent("250 2.0.0 Ok: queued as 4F2ABC"),
        {
            "event": "mail sent",
            "log_level": "info",
            "reply": "250 2.0.0 Ok: queued as 4F2ABC",
        },
    ),
    (
        Deferred(f"RCPT: 451 {TAGGED}", "4.2.0", 451),
        {
            "event": "mail put off",
            "log_level": "warning",
            "reason": "RCPT: 451 no pbm+g1.u1.****@games.example",
            "code": 451,
            "again_at": f"{START:%Y-%m-%d} 12:01:00 UTC",
        },
    ),
    (
        Deferred("No connection to the smarthost"),
        {
            "event": "mail put off",
            "log_level": "warning",
            "reason": "No connection to the smarthost",
            "again_at": f"{START:%Y-%m-%d} 12:01:00 UTC",
        },
    ),
    (
        Failed("RCPT: 550 nobody", "5.1.1", 550),
        {
            "event": "mail failed",
            "log_level": "warning",
            "reason": "RCPT: 550 nobody",
            "code": 550,
        },
    ),
]


def test_each_mail_with_its_name_and_why(embedded: Table) -> None:
    for number in range(len(OUTCOMES)):
        raw = b"From: guest%d@example.org\r\nSubject: help\r\n\r\n" % number
        embedded.hand_in(f"guest{number}@example.org", embedded.site.address.plain, raw)
        assert take_next(embedded.turns)
    post = Post(embedded.database, embedded.site, embedded.clock, World(), Composer(""))
    mails = post.claim()
    assert len(mails) == len(OUTCOMES)
    with capture_logs() as logs, embedded.database.transaction() as work:
        outcomes = [outcome for outcome, _ in OUTCOMES]
        post.record(work, list(zip(mails, outcomes, strict=True)))
    named = [
        {"in": f"i{mail.inbox_id}", "out": f"o{mail.id}", "message_id": mail.message_id}
        for mail in mails
    ]
    assert logs == [name | told for name, (_, told) in zip(named, OUTCOMES, strict=True)]
    post.holds.close()
