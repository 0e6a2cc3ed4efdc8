"""Mails that may take long to read are a thread's; the event loop goes on meanwhile."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from pbm.mail.reading.limits import LONG as LIMIT
from pbm.service.running.writer import Writer
from pbm.service.turns import inbox_worker
from pbm.service.turns.handle_mail import handle
from pbm.store.db import UnitOfWork
from tests.serving import keep
from tests.table import SERVER, Table

SHORT, LONG = 8192, 8193  # bytes


def mail(size: int, author: int = 0) -> bytes:
    head = b"From: robot%d@example.org\r\nAuto-Submitted: auto-replied\r\n\r\n" % author
    return head + b"x" * (size - len(head))


@pytest.mark.parametrize(("size", "is_long"), [(100, False), (SHORT, False), (LONG, True)])
def test_a_mail_is_kept_and_obeyed_as_long_as_it_is(
    embedded: Table, monkeypatch: pytest.MonkeyPatch, size: int, is_long: bool
) -> None:
    assert (len(mail(size)) > LIMIT) is is_long
    assert keep(embedded, "a@b.example", (SERVER,), mail(size)) == "2.0.0 kept as i1"
    seen: list[str] = []

    def noted(*given: Any) -> str:
        seen.append(threading.current_thread().name)
        return handle(*given)

    monkeypatch.setattr(inbox_worker, "handle", noted)
    obey(embedded, 1)
    assert seen == ["writing_0" if is_long else threading.main_thread().name]


def test_few_long_mails_share_a_transaction(
    embedded: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(10):
        keep(embedded, f"a{number}@b.example", (SERVER,), mail(LONG, number))
    together = Counter[int]()
    monkeypatch.setattr(
        inbox_worker, "handle", lambda turn, *_: together.update([id(turn.work)]) or "ignored"
    )
    works: list[object] = []  # each a transaction, kept so that no two have the same id
    begun = embedded.database.transaction

    @contextmanager
    def transaction() -> Iterator[UnitOfWork]:
        with begun() as work:
            works.append(work)
            yield work

    monkeypatch.setattr(embedded.database, "transaction", transaction)
    obey(embedded, 16)
    assert sorted(together.values()) == [2, 4, 4]


def obey(table: Table, most: int) -> None:
    """Take the mails of the inbox, `most` at a time; slow work is done once none is left."""

    async def scene() -> None:
        with ThreadPoolExecutor(1, "writing") as pool:

            async def in_thread(work: Any) -> Any:
                return await asyncio.get_running_loop().run_in_executor(pool, work)

            writer, more = Writer(table.database, in_thread), True
            delayed = list[inbox_worker.Preparation]()
            while more:
                more = await table.turns.take(writer, most)
                new = table.turns.to_start()
                delayed += new
                if not (new or table.turns.ready()):
                    for preparation in delayed:
                        table.turns.work_out(preparation)
                    delayed.clear()
                more = more or bool(new or table.turns.ready())

    asyncio.run(scene())
