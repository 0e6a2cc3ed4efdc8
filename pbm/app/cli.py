"""The command `pbm serve`."""

import asyncio
import gc
import signal

import click

from pbm.app.log import set_up_log
from pbm.app.public_pages import USUAL, if_free
from pbm.app.server import Server
from pbm.app.version_option import version_option
from pbm.config import settings_from_here
from pbm.errors import OperatorError
from pbm.files import owner_only
from pbm.rules.registry import GamesError
from pbm.service.running.heartbeat import ROLES, WEB

_ROLES = frozenset((*ROLES, WEB))
_NEW_OBJECTS = 10_000  # between two garbage collections; a turn makes some thousands


@click.group()
@version_option("pbm")
def main() -> None:
    """A server for playing by mail."""


@main.command()
@click.option(
    "--roles",
    default=",".join(sorted(_ROLES)),
    show_default=True,
    metavar="ROLES",
    help="What this process does; the others do the rest, on one PostgreSQL.",
)
@click.option(
    "--pages",
    is_flag=True,
    help=f"If PBM_WEB_LISTEN is unset, show public pages on {USUAL} if that is free.",
)
def serve(roles: str, pages: bool) -> None:
    """Listen for mail, obey it and send the boards; with --roles, do a part of this."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the server handles it
    try:
        with owner_only():
            settings = settings_from_here(**({"PBM_WEB_LISTEN": USUAL} if pages else {}))
            set_up_log(settings)
            if pages and settings.web_listen == USUAL:
                settings = if_free(settings)
            server = Server(settings, _parse_roles(roles))
            # Garbage collection is made rarer, since nothing else runs meanwhile.
            gc.freeze()
            gc.set_threshold(_NEW_OBJECTS)
            asyncio.run(server.run())
    except (OperatorError, GamesError) as error:
        raise click.ClickException(str(error)) from error


def _parse_roles(text: str) -> frozenset[str]:
    roles = frozenset(word.strip() for word in text.split(",") if word.strip())
    if not roles <= _ROLES or not roles:
        known = ", ".join(sorted(_ROLES))
        raise OperatorError(f"--roles={text}: name one or more of {known}, with commas between.")
    return roles
