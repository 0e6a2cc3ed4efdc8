"""What is asked while an answer is under way waits, and is answered together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from pbm.store.db import is_away

Q = TypeVar("Q")
A = TypeVar("A")
Answer = Callable[[Sequence[Q]], Awaitable[Sequence[A]]]
"""Gives an answer to each of some questions, in their order."""
Ask = Callable[[Q], Awaitable[A]]
MOST_TOGETHER = 64


def one_by_one(answer: Answer[Q, A]) -> Ask[Q, A]:
    """Each question is answered by itself, whatever else is under way."""

    async def ask(question: Q) -> A:
        (found,) = await answer([question])
        return found

    return ask


def gathered(answer: Answer[Q, A]) -> Ask[Q, A]:
    """One answer is under way at a time; questions that come meanwhile share the next one.

    Where that fails they are answered one by one, unless the database is away. Who is cancelled
    while waiting stops nothing.
    """
    return _Gathering(answer).ask


class _Gathering(Generic[Q, A]):
    def __init__(self, answer: Answer[Q, A]) -> None:
        self._answer = answer
        self._asked: deque[tuple[Q, asyncio.Future[A]]] = deque()
        self._working: asyncio.Task[None] | None = None

    async def ask(self, question: Q) -> A:
        done: asyncio.Future[A] = asyncio.get_running_loop().create_future()
        self._asked.append((question, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await done

    async def _work(self) -> None:
        try:
            while self._asked:
                most = min(len(self._asked), MOST_TOGETHER)
                await self._settle([self._asked.popleft() for _ in range(most)])
        finally:
            self._working = None

    async def _settle(self, group: Sequence[tuple[Q, asyncio.Future[A]]]) -> None:
        """Answer some questions together, or each by itself."""
        questions = [question for question, _ in group]
        answering: asyncio.Future[Sequence[A]] = asyncio.ensure_future(self._answer(questions))
        await asyncio.wait([answering])
        error = answering.exception()
        if error and len(group) > 1 and not is_away(error):
            for one in group:
                await self._settle([one])
            return
        for number, (_, done) in enumerate(group):
            if done.done():  # whoever has left hears nothing
                continue
            if error:
                done.set_exception(error)
            else:
                done.set_result(answering.result()[number])
