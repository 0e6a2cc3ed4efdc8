"""What every subcommand of `pbm-admin` needs: the settings, the office, errors as sentences."""

import getpass
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import click
from sqlalchemy.exc import OperationalError, ProgrammingError

from pbm.app import open_house, settings_from_here
from pbm.clock import system_clock
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.service.operator.office import Office
from pbm.store.migrate import current_version, newest_version

_F = TypeVar("_F", bound=Callable[..., Any])


@dataclass
class Desk:
    """The operator's place: who it is, and the way to settings and office."""

    who: str

    @property
    def settings(self) -> Settings:
        """The settings of this folder and environment."""
        with sentences():
            return settings_from_here()

    @contextmanager
    def office(self, *, migrated: bool = True) -> Iterator[Office]:
        """Open the office; close its database at the end."""
        with sentences():
            database, house = open_house(self.settings)
            try:
                if migrated and current_version(database) != newest_version():
                    raise OperatorError("The database is behind. Run: pbm-admin migrate")
                yield Office(database, house, system_clock, self.who)
            finally:
                database.close()


@contextmanager
def sentences() -> Iterator[None]:
    """Tell the operator what is wrong in a sentence, and end with status 1."""
    try:
        yield
    except OperatorError as error:
        raise click.ClickException(str(error)) from error
    except (OperationalError, ProgrammingError) as error:
        reason = str(error.orig).split("\n")[0]
        raise click.ClickException(f"The database cannot be used: {reason}") from error


def login_name() -> str:
    """Who runs this: the user behind sudo where there is one."""
    return os.environ.get("SUDO_USER") or getpass.getuser()


def why_option(function: _F) -> _F:
    """Ask for the reason that is kept and that the players concerned will read."""
    return click.option("--why", required=True, help="The reason; the players will read it.")(
        function
    )
