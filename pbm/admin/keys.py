"""The commands of `pbm-admin keys`."""

import click

from pbm.admin.console import (
    Console,
    cell,
    dry_run_option,
    make_sure,
    pass_acting,
    pass_console,
    why_for_the_journal,
    yes_option,
)
from pbm.admin.listing import json_option, print_json
from pbm.clock import system_clock
from pbm.service.operator import keys as keyring
from pbm.service.operator.database_state import database_state
from pbm.service.operator.operator_session import OperatorSession


@click.group()
def keys() -> None:
    """Look after the keys that sign all reply addresses.

    A running server uses the changed keys by itself.
    """


@keys.command("list")
@json_option
@pass_console
def list_(console: Console, as_json: bool) -> None:
    """List the keys by their ids, never the keys themselves."""
    first, *others = keyring.list_keys(console.settings)
    if as_json:
        print_json([{"key": first, "signs": True}] + [{"key": it, "signs": False} for it in others])
        return
    click.echo(f"{cell(first, 4)}  signs new mails, and answers to those are good")
    for key_id in others:
        click.echo(
            f"{cell(key_id, 4)}  signs nothing any more, but answers to older mails are good"
        )


@keys.command()
@pass_console
@pass_acting
def rotate(session: OperatorSession, console: Console) -> None:
    """Add a key that signs from now on; the older ones still verify."""
    key_id = keyring.rotate_keys(console.settings, session)
    click.echo(f"Key {key_id} signs from now on. Mails sent before can still be answered.")


@keys.command()
@click.argument("key_id", metavar="ID")
@why_for_the_journal
@yes_option
@pass_console
@pass_acting
def drop(session: OperatorSession, console: Console, key_id: str, why: str, yes: bool) -> None:
    """Invalidate every reply address that key ID has signed.

    You are asked to confirm.
    """
    question = f"Drop key {key_id} for good? No mail that it has signed can then be answered."
    make_sure(question, yes=yes)
    keyring.drop_old_key(console.settings, session, key_id, why)
    click.echo(f"Key {key_id} is dropped. Mails that it has signed cannot be answered any more.")


@keys.command()
@why_for_the_journal
@yes_option
@dry_run_option
@pass_console
def forget(console: Console, why: str, yes: bool, dry_run: bool) -> None:
    """Give up keys that are lost.

    This cannot be undone: replies to mails signed with those keys are never accepted again. If no
    key is left, the server makes a new key when it starts. You are asked to confirm.
    """
    question = "Forget the keys that are not here? No mail signed with them can then be answered."
    make_sure(question, yes=yes or dry_run)
    database_state(console.settings)
    settings, who = console.settings, console.who
    lost = keyring.forget_keys(settings, system_clock, who, why, only_look=dry_run)
    which = f" ({', '.join(lost)})" if lost else ""
    if dry_run:
        click.echo(f"Keys that would be forgotten: {', '.join(lost) or 'none'}.")
        return
    click.echo(f"Keys that are not here are forgotten{which}. Start the server again.")
