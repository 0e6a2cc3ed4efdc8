"""What every subcommand of `pbm-admin` needs: the settings, the office, errors as sentences."""

import getpass
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import click
from sqlalchemy.exc import DBAPIError

from pbm.app.opening import open_site, settings_from_here
from pbm.clock import system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.files import trouble
from pbm.rules.registry import GamesError
from pbm.service.operator.checks import database_state
from pbm.service.operator.office import Office
from pbm.store.db import Database
from pbm.store.reaching import why_unusable

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass
class Console:
    """The operator's place: whose hand it is, and the way to settings and office."""

    who: str

    @cached_property
    def settings(self) -> Settings:
        """The settings of this folder and environment."""
        return settings_from_here()

    @contextmanager
    def office(self) -> Iterator[Office]:
        """Open the office of a server that is up to date; close its database at the end."""
        database_state(self.settings)
        database = Database(self.settings.database_url)
        try:
            site = open_site(self.settings, database)
            yield Office(database, site, system_clock, self.who)
        finally:
            database.close()


pass_console = click.make_pass_decorator(Console)


class Sentences(click.Group):
    """A group of commands that tell what is wrong in a sentence, and then end with status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run what was asked for."""
        with sentences():
            return super().invoke(ctx)


@contextmanager
def sentences() -> Iterator[None]:
    """Turn what went wrong into what `click` prints to standard error."""
    try:
        yield
    except (OperatorError, GamesError) as error:
        raise click.ClickException(str(error)) from error
    except DBAPIError as error:
        raise click.ClickException(why_unusable(error)) from error
    except PermissionError as error:
        told = f"{error.filename}: {trouble(Path(error.filename), error)}"
        raise click.ClickException(told) from error


def login_name() -> str:
    """Who runs this: the user behind sudo where there is one."""
    behind = os.environ.get("SUDO_USER")
    if behind:
        return behind
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return f"user {os.getuid()}"


def why_option(function: _F) -> _F:
    """Ask for the reason that is kept, and that the players concerned will read."""
    return _why("The reason: it is kept, and the players concerned read it.")(function)


def why_for_the_journal(function: _F) -> _F:
    """Ask for the reason that is kept, where no player is told."""
    return _why("The reason: it is kept in the journal.")(function)


def _why(text: str) -> Callable[[_F], _F]:
    return click.option("--why", required=True, metavar="TEXT", help=text)


def yes_option(function: _F) -> _F:
    """Let a script say yes to what is asked about at a terminal."""
    return click.option("--yes", is_flag=True, help="Do it without asking.")(function)


def somebody_is_there() -> bool:
    """Whether commands come from a terminal, where a question is read."""
    return sys.stdin.isatty()


def make_sure(question: str, *, yes: bool) -> None:
    """Ask the operator at the terminal whether to go on, unless a script has said `yes`.

    Raises OperatorError for a no, and where nobody can be asked.
    """
    if yes:
        return
    if not somebody_is_there():
        raise OperatorError(
            "Nothing was done: this is for good, and nobody can be asked here. Add --yes to do it."
        )
    if not click.confirm(question):
        raise OperatorError("Nothing was done.")
