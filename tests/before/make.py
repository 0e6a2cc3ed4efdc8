"""Plays a season and keeps its database: `python -m tests.before.make`, before the tables change.

It writes the folder of the newest version, which is then the version before.
"""

import os
import random
import secrets
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from pbm.mail.keys import load_keyring
from pbm.store.migrate import newest_version
from tests.before.kept import Kept
from tests.before.season import Season
from tests.table import Mail

_SEED = 10


def keep_a_season(folder: Path) -> Kept:
    """Play a season with lots that fall the same each time, and keep it in a folder."""
    lots = random.Random(_SEED)
    kept = Kept(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as scratch,
        patch.object(os, "urandom", lots.randbytes),
        patch.object(secrets, "token_bytes", lots.randbytes),
    ):
        load_keyring(folder / "keys")  # which makes the file
        season = Season(f"sqlite:///{scratch}/pbm.sqlite3", kept.keyring)
        season.play()
        kept.keep_mails(mailboxes(season))
        kept.keep_rows(season.database)
        kept.keep_about(season.clock(), season.boards_named)
        kept.keep_waiting(season.waiting())
        season.database.close()
    return kept


def mailboxes(season: Season) -> dict[str, Mail]:
    """The newest mail of each player about each board that goes on, and all open questions."""
    found = {f"questions/{name}": mail for name, mail in season.questions.items()}
    for mails in season.mailboxes.values():
        for mail in mails:
            number = mail["X-PBM-Board"]
            if number and season.board(int(number)).playing:
                found[f"boards/{number}/{mail['To']}"] = mail
    return found


if __name__ == "__main__":
    keep_a_season(Path(__file__).with_name(newest_version()))
