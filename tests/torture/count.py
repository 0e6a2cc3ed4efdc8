"""At the end: wait until the server has done everything, and count."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress

from sqlalchemy.exc import DBAPIError

from pbm.store.db import Database
from tests import polling
from tests.torture.fleet import Fleet
from tests.torture.waiting import until
from tests.torture.world import World

_FAULTS = re.compile(
    r"mail failed|listener-fault|mail cannot be|nobody told"
    r"|Task was destroyed|never retrieved|never awaited"
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

    async def drains(self, world: World) -> None:
        """Wait until nothing waits any more. Raises NothingHappensError."""
        await until(lambda: world.all_acknowledged, "every acknowledgement")
        await until(self._is_quiet, "the end of the queue")
        while stuck := self._stuck():
            self.put_aside.update(stuck)
            for number in stuck:
                await asyncio.to_thread(self._fleet.one.admin, "queue", "retry", f"i{number}")
            await until(self._is_quiet, "the end of the queue")

    def _is_quiet(self) -> bool:
        """Whether nothing is to be done for the servers."""
        try:
            with self._database.reading() as work:
                # In this order: what goes on from the one to the other is seen in either.
                return not work.inbox.count("new") and not work.outbox.count("due")
        except DBAPIError:
            return False  # the database starts again

    def _stuck(self) -> list[int]:
        with self._database.reading() as work:
            return [mail.id for mail in work.inbox.waiting() if mail.status == "stuck"]


def findings(world: World, fleet: Fleet, database: Database, operator: Operator) -> list[str]:
    """Everything that is wrong; the servers have stopped."""
    found = list(_in_the_store(world, database))
    with database.reading() as work:
        plies = {board.id: board.ply for board in work.boards.get_many(_numbers(world))}
    found += world.ledger.findings(world.games, plies)
    found += _unasked(world, operator)
    found += _told_by_admin(fleet)
    found += _left_over(fleet)
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


def _left_over(fleet: Fleet) -> Iterator[str]:
    """Nothing that a server has started outlives it."""
    with suppress(AssertionError):
        polling.until(lambda: not fleet.left_over(), "all processes to leave")
    for number in fleet.left_over():
        yield f"Process {number} is left over."


def _logged(fleet: Fleet) -> Iterator[str]:
    """Faults of our own, tasks that were lost, and servers that ended without a reason."""
    log = fleet.one.log
    yield from sorted({line for line in log.split("\n") if _FAULTS.search(line)})
    # PostgreSQL may end as often as it likes: it does while processes of a killed one are left.
    ended = {name: times for name, times in fleet.ended.items() if name in fleet.servers}
    if sum(ended.values()) > log.count(_DATABASE_AWAY):
        yield f"Servers ended by themselves: {ended}."


def _told_by_admin(fleet: Fleet) -> Iterator[str]:
    """What the operator's own commands say."""
    verified = fleet.one.admin("verify")
    if verified.returncode:
        yield f"pbm-admin verify: {verified.stdout}{verified.stderr}"
    queue = fleet.one.admin("queue", "list")
    if queue.stdout.strip() != "The queue is empty.":
        yield f"pbm-admin queue list: {queue.stdout}{queue.stderr}"
