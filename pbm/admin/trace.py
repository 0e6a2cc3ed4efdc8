"""The command `pbm-admin trace`."""

import json
import textwrap
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

import click

from pbm.admin.console import pass_session
from pbm.service.operator import trace as service
from pbm.service.operator.operator_session import OperatorSession
from pbm.store.migrate import newest_version
from pbm.version import version

_COLUMNS, _INDENT = 80, " " * 14


@click.command()
@click.argument("what")
@click.argument("day", type=click.DateTime(["%Y-%m-%d"]), required=False, metavar="[DAY]")
@click.option("--redact", is_flag=True, help="Print it for a bug report, without names of people.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON list, with all facts.")
@pass_session
def trace(
    session: OperatorSession, what: str, day: datetime | None, redact: bool, as_json: bool
) -> None:
    """Tell what became of a mail, a player, a board.

    WHAT is i12 (a mail that came in), o12 (one that goes out), a Message-ID, a handle, the number
    of a board, or an address, perhaps with a DAY such as 2026-11-28, in UTC. What holds something
    up comes last. Passwords, reply tags and tokens are masked.
    """
    entries = service.trace(session, what, day and day.replace(tzinfo=UTC))
    if as_json:
        plain = [{**vars(entry), "told": entry.told} for entry in entries]
        shown = json.dumps(plain, default=str, ensure_ascii=False, indent=1)
    else:
        shown = "\n".join(_lines(entries))
    if redact:
        shown = service.redacted(session, shown)
        if not as_json:
            shown = f"```\npbm {version()}, tables {newest_version()}\n{shown}\n```"
    click.echo(shown)


def _lines(entries: Iterable[service.Entry]) -> Iterator[str]:
    day = ""
    for entry in entries:
        if entry.at and f"{entry.at:%Y-%m-%d}" != day:
            yield (day := f"{entry.at:%Y-%m-%d}")
        at = f"{entry.at:%H:%M:%S}" if entry.at else "now     "
        told = f"{at}  {entry.about}  {entry.told}"
        yield textwrap.fill(told, _COLUMNS, subsequent_indent=_INDENT, break_on_hyphens=False)
