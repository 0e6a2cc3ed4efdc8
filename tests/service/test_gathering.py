"""What is asked before an answer begins is answered together, and what fails fails alone."""

import asyncio
from collections.abc import Sequence

from sqlalchemy.exc import OperationalError

from pbm.service.running.gathering import MOST_TOGETHER, Take, gathered, one_by_one

MANY = MOST_TOGETHER + 3
AWAY = OperationalError("", {}, Exception("the database is gone"))


class Doubling:
    """Doubles numbers, a group at a time, once it may; notes the groups."""

    def __init__(self, fails_for: int | None = None, error: Exception | None = None) -> None:
        self.groups: list[list[int]] = []
        self.may_go_on = asyncio.Event()
        self._fails_for, self._error = fails_for, error

    async def __call__(self, take: Take[int]) -> Sequence[int]:
        numbers = list(take())
        self.groups.append(numbers)
        await self.may_go_on.wait()
        if self._error and self._fails_for in numbers:
            raise self._error
        return [2 * number for number in numbers]


async def answers(doubling: Doubling, count: int) -> list[int | BaseException]:
    """What is told of the first number, which comes alone, and of the rest, who come meanwhile."""
    ask = gathered(doubling)
    asking = [asyncio.ensure_future(ask(0))]
    while not doubling.groups:
        await asyncio.sleep(0)
    asking += [asyncio.ensure_future(ask(number)) for number in range(1, count)]
    await asyncio.sleep(0)  # all have asked
    doubling.may_go_on.set()
    return await asyncio.gather(*asking, return_exceptions=True)


def test_what_comes_meanwhile_is_answered_together() -> None:
    async def scene() -> None:
        doubling = Doubling()
        assert await answers(doubling, MANY) == [2 * number for number in range(MANY)]
        assert [len(group) for group in doubling.groups] == [1, MOST_TOGETHER, 2]

    asyncio.run(scene())


def test_who_asks_before_the_answer_begins_is_heard_with_it() -> None:
    """As where the thread that answers is busy with something else."""

    async def scene() -> None:
        is_free, groups = asyncio.Event(), list[Sequence[int]]()

        async def answer(take: Take[int]) -> Sequence[int]:
            await is_free.wait()
            groups.append(take())
            await asyncio.sleep(0)  # 9 is asked meanwhile
            assert take() == groups[-1], "a transaction that is done again is about others"
            return groups[-1]

        ask = gathered(answer)
        asking = [asyncio.ensure_future(ask(number)) for number in range(5)]
        await asyncio.sleep(0)
        is_free.set()
        while not groups:
            await asyncio.sleep(0)
        assert await ask(9) == 9
        assert await asyncio.gather(*asking) == [0, 1, 2, 3, 4]
        assert groups == [[0, 1, 2, 3, 4], [9]]

    asyncio.run(scene())


def test_what_fails_before_it_begins_fails_for_all_who_wait() -> None:
    async def scene() -> None:
        async def answer(_: Take[int]) -> Sequence[int]:
            raise AWAY

        ask = gathered(answer)
        told = await asyncio.gather(ask(0), ask(1), return_exceptions=True)
        assert told == [AWAY, AWAY]

    asyncio.run(scene())


def test_what_fails_fails_alone() -> None:
    async def scene() -> None:
        error = ZeroDivisionError()
        doubling = Doubling(3, error)
        assert await answers(doubling, 5) == [0, 2, 4, error, 8]
        assert doubling.groups == [[0], [1, 2, 3, 4], [1], [2], [3], [4]]

    asyncio.run(scene())


def test_nobody_is_tried_again_while_the_database_is_away() -> None:
    async def scene() -> None:
        doubling = Doubling(3, AWAY)
        assert await answers(doubling, 5) == [0, AWAY, AWAY, AWAY, AWAY]
        assert doubling.groups == [[0], [1, 2, 3, 4]]

    asyncio.run(scene())


def test_who_leaves_stops_nothing() -> None:
    async def scene() -> None:
        doubling = Doubling()
        ask = gathered(doubling)
        leaving = asyncio.ensure_future(ask(1))
        staying = asyncio.ensure_future(ask(2))
        while not doubling.groups:
            await asyncio.sleep(0)
        leaving.cancel()
        doubling.may_go_on.set()
        assert await staying == 4
        assert await ask(3) == 6  # and those who come later are heard

    asyncio.run(scene())


def test_one_by_one_nobody_waits_for_another() -> None:
    async def scene() -> None:
        doubling = Doubling()
        ask = one_by_one(doubling)
        asking = [asyncio.ensure_future(ask(number)) for number in range(3)]
        await asyncio.sleep(0)
        assert doubling.groups == [[0], [1], [2]]
        doubling.may_go_on.set()
        assert await asyncio.gather(*asking) == [0, 2, 4]

    asyncio.run(scene())
