"""The commands of `pbm-admin web`."""

from contextlib import closing
from pathlib import Path

import click

from pbm.admin.console import Console, pass_console
from pbm.app.public_pages import pages_of
from pbm.service.operator.database_state import database_state
from pbm.store.db import Database
from pbm.web.export import export_pages


@click.group()
def web() -> None:
    """Write public pages as files."""


@web.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@pass_console
def export(console: Console, folder: Path) -> None:
    """Write all public pages into the new folder DIR, for the root of any web server."""
    database_state(console.settings)
    with closing(Database(console.settings.database_url, reads_only=True)) as database:
        count = export_pages(pages_of(console.settings, database), folder)
    click.echo(f"Wrote {count} pages into {folder}.")
