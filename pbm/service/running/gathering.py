"""What is asked before an answer begins waits for it, and is answered together."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from pbm.store.db import is_away

Q = TypeVar("Q")
A = TypeVar("A")
Take = Callable[[], Sequence[Q]]
"""Gives the questions that wait for this answer; when it is called again, the same ones."""
Answer = Callable[[Take[Q]], Awaitable[Sequence[A]]]
"""Takes questions as late as it can, in whatever thread, and gives an answer to each in order."""
Ask = Callable[[Q], Awaitable[A]]
MOST_TOGETHER = 64


def one_by_one(answer: Answer[Q, A]) -> Ask[Q, A]:
    """Each question is answered by itself, whatever else is under way."""

    async def ask(question: Q) -> A:
        (found,) = await answer(lambda: [question])
        return found

    return ask


def gathered(answer: Answer[Q, A]) -> Ask[Q, A]:
    """One answer is under way at a time; questions that come before it takes them share it.

    Where that fails they are answered one by one, unless the database is away. Who is cancelled
    while waiting stops nothing.
    """
    return _Gathering(answer).ask


class _Group(Generic[Q, A]):
    """Those whose questions are answered together, and who wait for the answers."""

    def __init__(self, asked: "deque[tuple[Q, asyncio.Future[A]]]") -> None:
        self._asked = asked
        self._taken: list[tuple[Q, asyncio.Future[A]]] = []

    def take(self) -> Sequence[Q]:
        """The first that wait, as soon as somebody wants to know them."""
        if not self._taken:
            most = min(len(self._asked), MOST_TOGETHER)
            self._taken = [self._asked.popleft() for _ in range(most)]
        return [question for question, _ in self._taken]

    def apart(self) -> "Sequence[_Group[Q, A]]":
        """Each of them by itself."""
        self.take()
        return [_Group(deque([one])) for one in self._taken]

    def settle(self, answers: Sequence[A]) -> None:
        """Tell each an answer; whoever has left hears nothing."""
        for (_, done), answer in zip(self._taken, answers, strict=True):
            if not done.done():
                done.set_result(answer)

    def fail(self, error: BaseException) -> None:
        """Tell all of them that there is no answer."""
        self.take()
        for _, done in self._taken:
            if not done.done():
                done.set_exception(error)


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
                await self._settle(_Group(self._asked))
        finally:
            self._working = None

    async def _settle(self, group: _Group[Q, A]) -> None:
        """Answer a group together, or each of it by itself."""
        answering: asyncio.Future[Sequence[A]] = asyncio.ensure_future(self._answer(group.take))
        await asyncio.wait([answering])
        error = answering.exception()
        if error is None:
            group.settle(answering.result())
        elif is_away(error) or len(group.take()) == 1:
            group.fail(error)
        else:
            for one in group.apart():
                await self._settle(one)
