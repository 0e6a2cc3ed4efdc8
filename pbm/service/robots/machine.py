"""What robots think about, leased, and concluded as a turn obeys a mail.

A thought is computed while no transaction is open. Everything that its answer brings about is one
transaction with the row's end: so one that a process died with is claimed again, and one that is
done is done once.
"""

import secrets
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import structlog

from pbm.clock import Clock
from pbm.mail.site import Site
from pbm.play.awaited import await_move
from pbm.play.turn import Turn
from pbm.service.robots.enlisting import enlist
from pbm.service.robots.minds import Question, ThinkingFailedError
from pbm.service.robots.registry import THOUGHTS
from pbm.service.robots.thinking import Thinking
from pbm.service.trouble.masking import in_a_line, traceback_of
from pbm.service.trouble.notices import tell_of_trouble
from pbm.store.db import Database, UnitOfWork, is_away
from pbm.store.values.thoughts import Thought

LEASE = timedelta(seconds=30)  # without a sign of the process that thinks
MOST_TRIES = 4  # with the robot itself, and with easier ones; then any move is played
_MOST_RESORTS = 3
_MOST_LOOKS = 10  # in one transaction, for thoughts that somebody still wants
_AGAIN_AFTER = timedelta(seconds=1)
_DIED = "the process that thought has died"
_log = structlog.get_logger("pbm.robots")


@dataclass(frozen=True)
class Task:
    """A thought that is leased to this process, and what to compute for it; None: there will be
    no answer."""

    thought: Thought
    question: Question | None


@dataclass
class Robots:
    """What is to be thought about, in the order of places."""

    database: Database
    site: Site
    clock: Clock
    _process: str = field(default_factory=lambda: secrets.token_hex(8), init=False)

    def begin(self) -> None:
        """Let robots be players, let everything be tried again that is stuck, and let them think
        wherever a board waits for one."""
        now = self.clock()
        with self.database.transaction() as work:
            enlist(work, now)
            work.thoughts.retry_stuck()
            if self.database.embedded:
                work.thoughts.let_lapse(now)
            for number in work.thoughts.boards_unthought():
                await_move(work, work.boards.get(number, lock=True), now)

    def next_due_at(self) -> datetime | None:
        """When something can be thought about next. Raises DBAPIError."""
        with self.database.glance() as work:
            return work.thoughts.next_due_at()

    def claim(self, work: UnitOfWork, most: int) -> list[Task]:
        """Lease the thoughts whose turns come next; those that nobody wants any more are over."""
        tasks: list[Task] = []
        for _ in range(_MOST_LOOKS):
            claimed, lapsed = work.thoughts.claim(
                *(self.clock(), most - len(tasks), self._process, self.clock() + LEASE)
            )
            for thought in claimed:
                died = thought in lapsed
                known = work.thoughts.note_try(thought, _DIED) if died else thought
                tasks += self._task(work, known)
            if not claimed or len(tasks) == most:
                break
        return tasks

    def extend(self, work: UnitOfWork, numbers: Collection[int]) -> None:
        """Give a sign that this process still thinks about some thoughts, by their numbers."""
        work.thoughts.extend(self._process, numbers, self.clock() + LEASE)

    def bring_forward(self, work: UnitOfWork) -> None:
        """Mend what a clock that was set back meanwhile has put off for too long."""
        now = self.clock()
        work.thoughts.bring_forward(now, now + LEASE)

    def give_back(self, work: UnitOfWork) -> None:
        """Let others think about what this process has leased."""
        work.thoughts.give_back(self._process)

    def conclude(self, work: UnitOfWork, task: Task, answer: Any) -> None:
        """Do what comes of an answer; without effect where that was done already."""
        self._end(work, task, answer, resorts=False)

    def resort(self, work: UnitOfWork, task: Task) -> None:
        """Do what is done where there will be no answer."""
        self._end(work, task, None, resorts=True)

    def fail(self, work: UnitOfWork, task: Task, error: Exception) -> None:
        """Count a try that failed, and let it be tried again; tell the operator from the second
        one on."""
        thought = work.thoughts.find(task.thought.id)
        if thought is None:
            return
        reason = in_a_line(error)
        tries = work.thoughts.count_try(thought, reason, self.clock() + _AGAIN_AFTER)
        told = {"thought": thought.id, "kind": thought.kind, "board": thought.board_id}
        _log.error("thinking failed", tries=tries, error=_of(error), **told)
        is_stuck = tries >= MOST_TRIES + _MOST_RESORTS
        if is_stuck:
            work.thoughts.set_stuck(thought)
        if tries > 1:
            self._tell_operator(work, thought, reason, is_stuck=is_stuck)

    def _task(self, work: UnitOfWork, thought: Thought) -> Sequence[Task]:
        """What is to be done about a thought that is leased now.

        Whoever has its board in hand may want it right now, and would find that it is there
        already. So that nobody wants it any more is known only where its board is held.
        """
        is_held = False
        try:
            ask = partial(THOUGHTS[thought.kind].question, work, thought)
            question = ask()
            if question is None:
                is_held = work.boards.lock_if_free(thought.board_id)
                question = ask() if is_held else None
        except Exception as error:
            if is_away(error):
                raise
            self.fail(work, Task(thought, None), error)
            return ()
        if question is not None:
            return (Task(thought, question if thought.tries < MOST_TRIES else None),)
        if is_held:
            work.thoughts.done(thought)
        else:
            work.thoughts.put_off(thought, self.clock() + _AGAIN_AFTER)
        return ()

    def _end(self, work: UnitOfWork, task: Task, answer: Any, *, resorts: bool) -> None:
        """Lock the board, and then the thought: a turn has the board, too, when it asks for one."""
        try:
            with work.savepoint():
                work.boards.get(task.thought.board_id, lock=True)
                thought = work.thoughts.find(task.thought.id)
                if thought is None:
                    return
                kind = THOUGHTS[thought.kind]
                turn = Thinking(work=work, site=self.site, now=self.clock(), thought=thought)
                work.thoughts.done(thought)
                outcome = kind.resort(turn) if resorts else kind.conclude(turn, answer)
                work.flush()  # what cannot be written is undone with the rest of it
        except Exception as error:
            if is_away(error):
                raise
            _log.error("thought not concluded", exception=traceback_of(error))
            self.fail(work, task, error)
        else:
            _log.info("thought done", thought=thought.id, kind=thought.kind, outcome=outcome)

    def _tell_operator(
        self, work: UnitOfWork, thought: Thought, error: str, *, is_stuck: bool
    ) -> None:
        turn = Turn(work=work, site=self.site, now=self.clock())
        told = {"kind": thought.kind, "board": thought.board_id, "error": error}
        told["is_stuck"] = is_stuck
        cause = "stuck" if is_stuck else "tried again"
        tell_of_trouble(turn, "robot-trouble", "a robot could not think", told, cause)


def _of(error: Exception) -> str:
    """An error for the log: what another process has said comes with its own traceback."""
    return error.trace if isinstance(error, ThinkingFailedError) else traceback_of(error)
