"""At the end: wait until the server has done everything, and count."""

import asyncio
import re
import time
from collections.abc import Iterator

from sqlalchemy.exc import DBAPIError

from pbm.store.db import Database
from tests.torture.fleet import Fleet
from tests.torture.waiting import PATIENCE
from tests.torture.world import World

_BETWEEN_LOOKS = 0.1
_FAULTS = re.compile(
    r"mail failed|mail cannot be|nobody told|Task was destroyed|never retrieved|never awaited"
    r"|^Traceback"
)
_DATABASE_AWAY = "Error: The database cannot be used"  # so a server ends that finds none
_LONGEST_LIST = 40


class Operator:
    """Looks after the queue, as the handbook says: tries again what was put aside.

    A mail during whose turn the server dies three times is put aside, since it might be the
    reason. Of hundreds of kills some hit one mail so often.
    """

    def __init__(self, fleet: Fleet, database: Database) -> None:
        self.put_aside: set[int] = set()
        self._fleet = fleet
        self._database = database

    async def drained(self, world: World) -> bool:
        """Wait until nothing waits any more; False if that never comes."""
        end = time.monotonic() + PATIENCE
        while not (world.all_acknowledged and await self._nothing_waits()):
            if time.monotonic() > end:
                return False
            await asyncio.sleep(_BETWEEN_LOOKS)
        return True

    async def _nothing_waits(self) -> bool:
        try:
            with self._database.reading() as work:
                # In this order: a mail that goes from one place to the next is seen in either.
                new = work.inbox.count("new")
                stuck = [mail.id for mail in work.inbox.waiting() if mail.status == "stuck"]
                due = work.outbox.count("due")
        except DBAPIError:
            return False  # the database starts again
        for number in stuck:
            self.put_aside.add(number)
            await asyncio.to_thread(self._fleet.one.admin, "queue", "retry", str(number))
        return not (new or stuck or due)


def findings(
    world: World, fleet: Fleet, database: Database, operator: Operator, *, drained: bool
) -> list[str]:
    """Everything that is wrong; the servers have stopped."""
    found = [] if drained else ["The server never came to the end of its work."]
    found += _in_the_store(world, database)
    with database.reading() as work:
        plies = {board.id: board.ply for board in work.boards.get_many(_numbers(world))}
    found += world.ledger.findings(world.games, plies)
    found += _unasked(world, operator)
    found += _told_by_admin(fleet)
    found += _logged(fleet)
    more = len(found) - _LONGEST_LIST
    return found[:_LONGEST_LIST] + ([f"... and {more} more."] if more > 0 else [])


def _numbers(world: World) -> list[int]:
    return [game.number for game in world.games]


def _in_the_store(world: World, database: Database) -> Iterator[str]:
    """Each mail stands there once, done; none has failed or was given up."""
    with database.reading() as work:
        kept = work.inbox.count("done")
        lost = {status: work.outbox.count(status) for status in ("failed", "dropped")}
    if kept != world.written:
        yield f"{world.written} mails were written, {kept} stand in the inbox."
    for status, number in lost.items():
        if number:
            yield f"{number} mails in the outbox are {status}."


def _unasked(world: World, operator: Operator) -> Iterator[str]:
    """What is not about a board is about a mail that was put aside, to its sender and to us."""
    allowed = 2 * len(operator.put_aside)
    others = world.ledger.others
    if len({mail.message_id for mail in others}) > allowed:
        for mail in others:
            yield f"{mail.reader} was written to: {mail.subject}"


def _logged(fleet: Fleet) -> Iterator[str]:
    """Faults of our own, tasks that were lost, and servers that ended without a reason."""
    log = fleet.one.log
    yield from sorted({line for line in log.split("\n") if _FAULTS.search(line)})
    if fleet.ended.total() > log.count(_DATABASE_AWAY):
        yield f"Servers ended by themselves: {dict(fleet.ended)}."


def _told_by_admin(fleet: Fleet) -> Iterator[str]:
    """What the operator's own commands say."""
    verified = fleet.one.admin("verify")
    if verified.returncode:
        yield f"pbm-admin verify: {verified.stdout}{verified.stderr}"
    queue = fleet.one.admin("queue", "list")
    if queue.stdout.strip() != "The queue is empty.":
        yield f"pbm-admin queue list: {queue.stdout}{queue.stderr}"
