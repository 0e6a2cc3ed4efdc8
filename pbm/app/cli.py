"""The command `pbm serve`."""

import asyncio
import gc
import signal
from collections.abc import Callable
from typing import TypeVar

import click

from pbm.app.log import set_up_log
from pbm.app.opening import owner_only, settings_from_here
from pbm.app.server import Server
from pbm.errors import OperatorError
from pbm.rules.registry import GamesError
from pbm.service.running.heartbeat import ROLES
from pbm.version import version

_NEW_OBJECTS = 10_000  # between two garbage collections; a turn makes some thousands
_Decorated = TypeVar("_Decorated", bound=Callable[..., object])


def version_option(program: str) -> Callable[[_Decorated], _Decorated]:
    """Return a decorator for `--version`. The version is looked up only when it is asked for."""

    def show(context: click.Context, _option: click.Parameter, is_asked: bool) -> None:
        if is_asked and not context.resilient_parsing:
            click.echo(f"{program}, version {version()}")
            context.exit()

    told = "Show the version and exit."
    return click.option(
        "--version", is_flag=True, expose_value=False, is_eager=True, callback=show, help=told
    )


@click.group()
@version_option("pbm")
def main() -> None:
    """A server for playing by mail."""


@main.command()
@click.option(
    "--roles",
    default=",".join(sorted(ROLES)),
    show_default=True,
    metavar="ROLES",
    help="What this process does; the others do the rest, on one PostgreSQL.",
)
def serve(roles: str) -> None:
    """Listen for mail, obey it and send the boards; with --roles, do a part of this."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the server handles it
    try:
        with owner_only():
            settings = settings_from_here()
            set_up_log(settings)
            server = Server(settings, _parse_roles(roles))
            # Garbage collection is made rarer, since nothing else runs meanwhile.
            gc.freeze()
            gc.set_threshold(_NEW_OBJECTS)
            asyncio.run(server.run())
    except (OperatorError, GamesError) as error:
        raise click.ClickException(str(error)) from error


def _parse_roles(text: str) -> frozenset[str]:
    roles = frozenset(word.strip() for word in text.split(",") if word.strip())
    if not roles <= set(ROLES) or not roles:
        known = ", ".join(sorted(ROLES))
        raise OperatorError(f"--roles={text}: name one or more of {known}, with commas between.")
    return roles
