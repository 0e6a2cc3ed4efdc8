"""`pbm-admin` imports what a command needs, and not the whole server."""

import os
import subprocess
import sys
from pathlib import Path

import click

from pbm.admin.cli import COMMANDS, main
from pbm.mail.keys import load_keyring
from tests.admin.conftest import Room

# What takes long to import. The last ones are ours.
HEAVY = (
    "PIL aiosmtpd aiosmtplib alembic argon2 jinja2 openskill prometheus_client publicsuffixlist "
    "selectolax pbm.app.server pbm.commands pbm.mail.reading pbm.mail.writing pbm.play.actions "
    "pbm.robots pbm.rules.abalone.engine pbm.service.telling"
).split()
NOT_FOR_HELP = ["orjson", "psycopg", "sqlalchemy", "pbm.play", "pbm.rules", "pbm.store"]
_RUN = """
import sys
from pbm.admin.cli import main
sys.argv = ["pbm-admin", *sys.argv[1:]]
try:
    main()
finally:
    print(*sys.modules, sep="\\n", file=sys.stderr)
"""


def imported(*words: str, **settings: str) -> tuple[str, set[str]]:
    """What `pbm-admin` prints, and all modules that it has imported."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PBM_")}
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *words],
        env=kept | settings,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, set(done.stderr.split())


def test_help_needs_next_to_nothing(folder: Path) -> None:  # noqa: ARG001 - it is moved into
    printed, modules = imported("--help")
    assert "  verify         Replay games" in printed
    assert not modules.intersection([*HEAVY, *NOT_FOR_HELP])


def test_a_list_of_boards_needs_no_server(room: Room, folder: Path) -> None:
    load_keyring(folder / "var" / "secret.key")
    url = room.table.database.engine.url.render_as_string(hide_password=False)
    printed, modules = imported("games", "list", PBM_DATABASE_URL=url)
    assert "bob to move" in printed
    assert not modules.intersection(HEAVY)


def test_the_first_lines_of_help_are_those_of_the_commands() -> None:
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in COMMANDS}
    told = {name: command.get_short_help_str(200) for name, command in found.items() if command}
    assert told == {name: line for name, (_, line) in COMMANDS.items()}
    assert main.get_command(context, "nothing") is None
