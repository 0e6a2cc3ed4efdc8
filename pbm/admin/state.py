"""`pbm-admin check` and `pbm-admin status`: how the server is, for monitoring and for people."""

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from pbm.admin.console import Console, pass_console
from pbm.admin.listing import json_option, plain_table, print_json
from pbm.clock import system_clock
from pbm.service.health.results import CheckResult
from pbm.service.operator.checks import check as look

if TYPE_CHECKING:
    from rich.table import Table

_EVERY = 5.0  # seconds
_COLOURS = {"ok": "green", "warn": "yellow", "FAIL": "bold red"}


@click.command()
@json_option
@pass_console
def check(console: Console, as_json: bool) -> None:
    """Look whether the server has what it needs.

    Says what to do about anything missing. Ends with status 1 on a FAIL, not on a warn. It changes
    nothing.
    """
    results = look(console.settings, system_clock)
    if as_json:
        found = list(results)
        print_json([_plain(result) for result in found])
        raise SystemExit(not all(result.good for result in found))
    print_results(results)


@click.command()
@click.option("--watch", is_flag=True, help="Look again every five seconds, until Ctrl-C.")
@json_option
@pass_console
def status(console: Console, watch: bool, as_json: bool) -> None:
    """Show how the server is: what runs, what waits, what is wrong.

    The same as check finds, as a table; it does not end with status 1. With --watch it asks no
    other server anything.
    """
    from rich.console import Console as Terminal  # takes long to import
    from rich.live import Live

    if as_json:
        print_json([_plain(result) for result in look(console.settings, system_clock)])
        return
    terminal = Terminal(highlight=False)
    if not watch:
        terminal.print(_table(look(console.settings, system_clock)))
        return
    with Live(console=terminal, screen=terminal.is_terminal, auto_refresh=False) as live:
        while True:
            results = look(console.settings, system_clock, asks_others=False)
            live.update(_table(results), refresh=True)
            time.sleep(_EVERY)


def _table(results: Iterable[CheckResult]) -> "Table":
    from rich.text import Text

    table = plain_table()
    for heading in ("", "what", f"at {system_clock():%Y-%m-%d %H:%M:%S} UTC"):
        table.add_column(heading, overflow="fold")
    for result in results:
        word = _word(result)
        style = "" if result.good else _COLOURS[word]
        table.add_row(Text(word, _COLOURS[word]), Text(result.what), Text(result.text, style))
    return table


def _word(result: CheckResult) -> str:
    return ("warn" if result.warning else "ok") if result.good else "FAIL"


def _plain(result: CheckResult) -> dict[str, str]:
    return {"what": result.what, "state": _word(result).lower(), "text": result.text}


def print_results(results: Iterable[CheckResult]) -> None:
    """Print a line for each result; exit with status 1 if a check failed."""
    failed = False
    for result in results:
        failed |= not result.good
        click.echo(f"{_word(result):4}  {result.what}: {result.text}")
    if failed:
        raise SystemExit(1)
