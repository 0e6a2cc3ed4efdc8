"""`pbm serve`."""

import asyncio
import gc
import signal

import click

from pbm import __version__
from pbm.app.logs import set_up_logging
from pbm.app.opening import owner_only, settings_from_here
from pbm.app.server import Server
from pbm.errors import OperatorError
from pbm.service.running.heartbeat import ROLES

_NEW_OBJECTS = 10_000  # between two garbage collections; a turn makes some thousands


@click.group(help="A server for playing by mail.")
@click.version_option(__version__, prog_name="pbm")
def main() -> None:
    """Run `pbm`."""


@main.command()
@click.option(
    "--roles",
    default=",".join(sorted(ROLES)),
    show_default=True,
    metavar="ROLES",
    help="What this process does; the others do the rest, on one PostgreSQL.",
)
def serve(roles: str) -> None:
    """Listen for mail, obey it and send the boards, all in this one process or in several."""
    set_up_logging()
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the server handles it
    try:
        with owner_only():
            server = Server(settings_from_here(), _parse_roles(roles))
            spare_garbage_looks()
            asyncio.run(server.run())
    except OperatorError as error:
        raise click.ClickException(str(error)) from error


def _parse_roles(text: str) -> frozenset[str]:
    """Parse comma-separated roles. Raises OperatorError."""
    roles = frozenset(word.strip() for word in text.split(",") if word.strip())
    if not roles <= set(ROLES) or not roles:
        known = ", ".join(sorted(ROLES))
        raise OperatorError(f"--roles={text}: name one or more of {known}, with commas between.")
    return roles


def spare_garbage_looks() -> None:
    """Freeze the objects loaded so far, and collect garbage less often.

    A full collection would stop all work for a tenth of a second.
    """
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS)
