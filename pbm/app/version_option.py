"""The option `--version` of our programs."""

from collections.abc import Callable
from typing import TypeVar

import click

from pbm.version import version

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
