"""`pbm-admin`, the operator's command line tool; `pbm/service/operator` does the work.

A command's module is imported when it is called, as most need much of the server.
"""

import click

from pbm.admin.console import Commands, Console, login_name
from pbm.app.version_option import version_option
from pbm.files import owner_only

# The module and the first line of the help of each command.
COMMANDS = {
    "backup": ("upkeep", "Copy database and keys into FILE; the server may run."),
    "ban": ("bans", "Take no mail from a player, an address, a domain or a network."),
    "bans": ("bans", "List who is banned, the newest last."),
    "broadcast": ("letters", "Write TEXT to all players, sixty a minute."),
    "check": ("state", "Look whether the server has what it needs."),
    "copy-database": ("upkeep", "Copy a database into an empty one, SQLite or PostgreSQL."),
    "doctor": ("doctor", "Test if your server's Authentication-Results can be trusted."),
    "games": ("games", "Look at boards and change them."),
    "hold": ("hold", "Hold the server: it accepts mail, and does nothing else."),
    "journal": ("journal", "Print the newest changes by operators, the newest last."),
    "keys": ("keys", "Look after the keys that sign all reply addresses."),
    "migrate": ("upkeep", "Bring the tables to the version that this program needs."),
    "players": ("players", "Look at players and change them."),
    "queue": ("queue", "Look after mails that wait."),
    "read": ("letters", "Print the newest mails to ADDRESS, the newest last."),
    "release": ("hold", "Let a held server go on, and give all clocks the time back."),
    "reports": ("journal", "Print what players have reported, the newest last."),
    "restore": ("upkeep", "Restore the database and the keys from a backup."),
    "send": ("letters", "Mail TEXT to the server as a player would."),
    "status": ("state", "Show how the server is: what runs, what waits, what is wrong."),
    "trace": ("trace", "Tell what became of a mail, a player, a board."),
    "unban": ("bans", "Lift a ban; a player's suspension is lifted, too."),
    "verify": ("upkeep", "Replay games and compare with what is stored."),
    "web": ("web", "Write public pages as files."),
}


@click.group(cls=Commands, later=COMMANDS)
@version_option("pbm-admin")
@click.option("--who", default=login_name, metavar="NAME", help="Whose hand it is in the journal.")
@click.pass_context
def main(context: click.Context, who: str) -> None:
    """Look after a pbm server, while it runs.

    Run it in the server's folder and with its settings: PBM_... variables, else ./pbm.toml.

    Exit codes: 0 done, 1 not done or something is wrong, 2 an argument is wrong.
    """
    context.with_resource(owner_only())
    context.obj = Console(who)
