"""Shared by all `pbm-admin` subcommands: settings, session, common options, error messages."""

import getpass
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, update_wrapper
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
from pbm.service.operator.operator_session import OperatorSession
from pbm.store.connecting import why_unusable
from pbm.store.db import Database

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass
class Console:
    """Settings of this folder, and sessions of `who`."""

    who: str

    @cached_property
    def settings(self) -> Settings:
        """The settings of this folder and environment."""
        return settings_from_here()

    @contextmanager
    def session(self) -> Iterator[OperatorSession]:
        """Open a session on a database that is up to date."""
        database_state(self.settings)
        with closing(Database(self.settings.database_url)) as database:
            site = open_site(self.settings, database)
            yield OperatorSession(database, site, system_clock, self.who)


pass_console = click.make_pass_decorator(Console)


def pass_session(function: Callable[..., None]) -> Callable[..., None]:
    """Pass an open session to a command."""

    @pass_console
    def command(console: Console, *args: Any, **given: Any) -> None:
        with console.session() as session:
            function(session, *args, **given)

    return update_wrapper(command, function)


class Sentences(click.Group):
    """Command group that prints an error as a sentence and exits with status 1."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with sentences():
            return super().invoke(ctx)


@contextmanager
def sentences() -> Iterator[None]:
    """Convert our errors to those that `click` prints."""
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
    """Login name; behind sudo, the caller's."""
    behind = os.environ.get("SUDO_USER")
    if behind:
        return behind
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return f"user {os.getuid()}"


def why_option(function: _F) -> _F:
    """Add a required --why, for the journal and the players concerned."""
    return _why("The reason: it is kept, and the players concerned read it.")(function)


def why_for_the_journal(function: _F) -> _F:
    """Add a required --why, for the journal."""
    return _why("The reason: it is kept in the journal.")(function)


def _why(text: str) -> Callable[[_F], _F]:
    return click.option("--why", required=True, metavar="TEXT", help=text)


def yes_option(function: _F) -> _F:
    """Add --yes, which answers the question in scripts."""
    return click.option("--yes", is_flag=True, help="Do it without asking.")(function)


def somebody_is_there() -> bool:
    """Whether stdin is a terminal to ask at."""
    return sys.stdin.isatty()


def make_sure(question: str, *, yes: bool) -> None:
    """Ask for confirmation, unless `yes`. Raises OperatorError if it is not given."""
    if yes:
        return
    if not somebody_is_there():
        raise OperatorError(
            "Nothing was done: this is for good, and nobody can be asked here. Add --yes to do it."
        )
    if not click.confirm(question):
        raise OperatorError("Nothing was done.")
