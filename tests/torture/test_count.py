"""The count at the end: what the store, the operator's commands and the logs say."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbm.clock import system_clock
from pbm.mail.address import ServerAddress
from pbm.mail.keys import load_keyring
from pbm.mail.site import Site
from pbm.mail.smtp_in.connection_limits import UNKNOWN
from pbm.service.intake.keeping import Intake
from pbm.store.db import Database
from tests.serving import keeping
from tests.torture import games
from tests.torture.count import Operator, findings
from tests.torture.fleet import Fleet, fleet_on
from tests.torture.ledger import Arrival
from tests.torture.world import World


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """A server that does not run."""
    settings = {"PBM_ADDRESS": games.SERVER, "PBM_SECRET_KEY": games.SECRET}
    with fleet_on("sqlite", tmp_path, settings) as fleet:
        (tmp_path / "server.log").touch()
        yield fleet


@pytest.fixture
def database(fleet: Fleet) -> Iterator[Database]:
    """Its database."""
    database = Database(fleet.one.settings["PBM_DATABASE_URL"])
    yield database
    database.close()


@pytest.fixture
def world(fleet: Fleet, database: Database) -> World:
    """One board that nobody has played on yet."""
    begun = games.begin_games(database, 1, 2)
    return World(begun, load_keyring(fleet.one.folder / "none", games.SECRET), ())


def test_where_nothing_has_happened_nothing_is_wrong(
    world: World, fleet: Fleet, database: Database
) -> None:
    assert findings(world, fleet, database, Operator(fleet, database)) == []


def test_everything_that_is_wrong_is_told(world: World, fleet: Fleet, database: Database) -> None:
    (game,) = world.games
    letter = game.letter(1, world.keyring)
    intake = Intake(Site(ServerAddress(games.SERVER), world.keyring), system_clock)
    with database.transaction() as work:
        keeping(intake, letter.sender, (letter.recipient,), letter.raw, UNKNOWN)(work)
    world.written = 1
    world.ledger.acknowledge(1, 1)
    world.ledger.arrive(Arrival("player0@players.example", 0, 0, "pbm: no", "<1@x>", b""))
    fleet.ended["serve"] = 1
    log = fleet.one.folder / "server.log"
    log.write_text("Traceback (most recent call last):\nTask was destroyed but it is pending!\n")
    found = "\n".join(findings(world, fleet, database, Operator(fleet, database)))
    for told in (
        "1 mails were written, 0 stand in the inbox.",
        "Board 1: ply 1 was acknowledged, and not played.",
        "player0@players.example was written to: pbm: no",
        "pbm-admin queue list: ",
        "Traceback (most recent call last):",
        "Task was destroyed",
        "Servers ended by themselves: {'serve': 1}.",
    ):
        assert told in found
