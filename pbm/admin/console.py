"""Parts of all `pbm-admin` subcommands: session, options, error messages, printing of lists."""

import getpass
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property, update_wrapper
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
import structlog
from click.exceptions import Exit

from pbm.admin.bars import bars
from pbm.clock import system_clock
from pbm.config import Settings, settings_from_here
from pbm.errors import OperatorError, WrongArgumentError

if TYPE_CHECKING:
    from pbm.service.operator.operator_session import OperatorSession
    from pbm.store.values.queues import Change


@dataclass
class Console:
    """What a `pbm-admin` command works with: the settings, and sessions on the database.

    `who` is the operator in whose name the sessions make changes.
    """

    who: str

    @cached_property
    def settings(self) -> Settings:
        return settings_from_here()

    @contextmanager
    def session(self, *, dry: bool = False) -> "Iterator[OperatorSession]":
        """Open a session; what a dry one does is undone.

        Raises OperatorError if the database is not up to date.
        """
        from pbm.app.opening import open_site
        from pbm.service.operator.database_state import database_state
        from pbm.service.operator.operator_session import OperatorSession
        from pbm.store.db import Database

        database_state(self.settings)
        with closing(Database(self.settings.database_url)) as database:
            site = open_site(self.settings, database)
            yield OperatorSession(database, site, system_clock, self.who, [] if dry else None)


pass_console = click.make_pass_decorator(Console)


def pass_session(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command so that its first argument is an open session."""

    @pass_console
    def command(console: Console, *args: Any, **given: Any) -> None:
        with console.session() as session:
            function(session, *args, **given)

    return update_wrapper(command, function)


dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Say what would be done, and do nothing."
)


def pass_acting(function: Callable[..., None]) -> Callable[..., None]:
    """Decorate a command that changes something through its session; it gets a `--dry-run`.

    Then whatever the session does is rolled back, and the mails that it wrote are listed.
    """

    @pass_console
    def command(console: Console, /, *args: Any, dry_run: bool, **given: Any) -> None:
        with console.session(dry=dry_run) as session:
            if dry_run:
                given |= {name: True for name in ("yes",) if name in given}  # nothing to confirm
                click.echo("Nothing is changed. Without --dry-run you would read:")
            try:
                function(session, *args, **given)
            finally:
                _print_mails(session)

    return dry_run_option(update_wrapper(command, function))


def _print_mails(session: "OperatorSession") -> None:
    if session.would_write is None:
        return
    from pbm.service.operator.queue import subject_of

    click.echo(f"Mails that would be written: {len(session.would_write)}.")
    for mail in session.would_write:
        click.echo(f"  {mail.recipient}: {subject_of(mail)}")


class Commands(click.Group):
    """A click group that imports the module of a command when that command is called.

    An error that is the operator's matter is printed as a sentence, and the status is 1, or 2 if an
    argument is wrong.
    """

    def __init__(self, *given: Any, later: Mapping[str, tuple[str, str]], **named: Any) -> None:
        """`later` has for each command its module in `pbm.admin` and the first line of its help."""
        super().__init__(*given, **named)
        self._later = later

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - as in click
        return sorted(self._later)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in self._later:
            return None
        module = import_module(f"pbm.admin.{self._later[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._later[name][1]) for name in self.list_commands(ctx)])

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        structlog.configure(
            wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
            logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        )
        return super().__call__(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with bars():
                return super().invoke(ctx)
        except (click.ClickException, click.Abort, Exit):
            raise
        except Exception as error:
            from pbm.service.health.results import TROUBLES, sentence_of

            if not isinstance(error, TROUBLES):
                raise
            is_typed = isinstance(error, WrongArgumentError)
            kind = click.UsageError if is_typed else click.ClickException
            raise kind(sentence_of(error)) from error


def login_name() -> str:
    """Return the user's login name; with sudo, the login name of sudo's caller."""
    try:
        return os.environ.get("SUDO_USER") or getpass.getuser()
    except (KeyError, OSError):  # a user without a name, as in some containers
        return f"user {os.getuid()}"


why_option = click.option(
    "--why",
    required=True,
    metavar="TEXT",
    help="The reason: it is kept, and the players concerned read it.",
)
why_for_the_journal = click.option(
    "--why", required=True, metavar="TEXT", help="The reason: it is kept in the journal."
)
yes_option = click.option("--yes", is_flag=True, help="Do it without asking.")


def somebody_is_there() -> bool:
    return sys.stdin.isatty()


def make_sure(question: str, *, yes: bool) -> None:
    """Ask the user to confirm, unless `yes` is set.

    Raises OperatorError if the user says no, or if there is no terminal to ask at.
    """
    if yes:
        return
    if not somebody_is_there():
        raise OperatorError(
            "Nothing was done: it asks first, and nobody can be asked here. Add --yes to do it."
        )
    if not click.confirm(question):
        raise OperatorError("Nothing was done.")


def cell(text: object, width: int) -> str:
    """Return the text, padded or cut to the width of a column.

    >>> cell("bob", 5), cell("alexander", 7)
    ('bob  ', 'alex...')
    """
    shown = str(text)
    if len(shown) > width:
        shown = f"{shown[: width - 3]}..."
    return shown.ljust(width)


def print_journal(changes: "Iterable[Change]", *, of_all: bool = False) -> None:
    """Print changes, a line each.

    With `of_all`, each line also names the player or the board that was changed.
    """
    for change in changes:
        board = f"board {change.board_id}" if change.board_id else None
        about = " ".join(name for name in (change.handle, board) if name and of_all)
        shown = []
        for name, value in sorted(change.details.items()):
            if value not in (None, []):
                listed = ", ".join(map(str, value)) if isinstance(value, list) else value
                shown.append(f"{name.replace('_', ' ')} {listed}")
        details = f"({', '.join(shown)})" if shown else ""
        what = " ".join(filter(None, (about and f"{about}:", change.what, details)))
        why = f": {change.why}" if change.why else ""
        click.echo(f"{change.at:%Y-%m-%d %H:%M} UTC  {cell(change.who, 12)}  {what}{why}")
