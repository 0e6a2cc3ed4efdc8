"""What crafted mails cost to read, beside a plain mail of 2 KB."""

from collections.abc import Callable

from bench import season
from bench.measure import Row, rate_of
from pbm.mail.reading.delivery_report import read_report
from pbm.mail.reading.inbound import read
from tests.mail.reading.test_cost import READABLE

_PLAIN = "a plain mail of 2 KB, its board quoted"

_AS_DEAR = "plain mails that it costs"


def measure(seconds: float = 0.5) -> list[Row]:
    """Whole mails, from bytes to own words, dearest first behind the plain one."""
    mails = {name: raw for name, raw in READABLE.items() if name != "a plain mail"}
    usual = rate_of(_reading(season.a_mail()), at_least=seconds)
    rates = {name: rate_of(_reading(raw), at_least=seconds) for name, raw in mails.items()}
    return [
        Row(_PLAIN, "mails", usual, "itself", 1.0),
        *(
            Row(f"{name}, {len(READABLE[name]) // 1000} KB", "mails", rate, _AS_DEAR, usual / rate)
            for name, rate in sorted(rates.items(), key=lambda item: item[1])
        ),
    ]


def _reading(raw: bytes) -> Callable[[], int]:
    def reading() -> int:
        read(raw, envelope_sender="a@x.example", own_address=season.SERVER)
        read_report(raw)
        return 1

    return reading
