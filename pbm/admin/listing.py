"""What lists and shows: as JSON, as a table on a terminal, as plain lines elsewhere."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.table import Table

_Command = TypeVar("_Command", bound=Callable[..., None])
Row = Mapping[str, Any]
_COLOURS = {
    **dict.fromkeys(("stuck", "failed"), "bold red"),
    **dict.fromkeys(("suspended", "closed"), "yellow"),
}
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def limit_option(default: int) -> Callable[[_Command], _Command]:
    return click.option(
        *("-n", "--limit", "most"),
        type=click.IntRange(1, 10_000),
        default=default,
        show_default=True,
        help="How many at most.",
    )


def print_json(value: object) -> None:
    click.echo(json.dumps(value, indent=2, default=_plain))


def print_list(
    rows: Sequence[Row],
    columns: Sequence[str],
    *,
    as_json: bool,
    most: int | None = None,
    empty: str = "",
) -> None:
    """Print rows as JSON with all their fields, or as columns that are as wide as their texts."""
    if as_json:
        print_json(rows)
    elif not rows:
        click.echo(empty, nl=bool(empty))
    elif sys.stdout.isatty():
        _print_table(rows, columns)
    else:
        cells = [[_shown(row[name]) for name in columns] for row in rows]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        for shown in cells:
            padded = (text.ljust(width) for text, width in zip(shown, widths, strict=True))
            click.echo("  ".join(padded).rstrip())
    if len(rows) == most and not as_json:
        click.echo(f"These are {most} at most; there may be more: --limit", err=True)


def plain_table() -> "Table":
    from rich.table import Table

    return Table(box=None, pad_edge=False, header_style="bold")


def _print_table(rows: Sequence[Row], columns: Sequence[str]) -> None:
    from rich.console import Console
    from rich.text import Text

    table = plain_table()
    for name in columns:
        table.add_column(name.replace("_", " "), overflow="fold")
    for row in rows:
        shown = [_shown(row[name]) for name in columns]
        table.add_row(*(Text(text, _COLOURS.get(text, "")) for text in shown))
    Console(highlight=False).print(table)


def _shown(value: Any) -> str:
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else vars(value)
