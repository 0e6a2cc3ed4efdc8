"""Mails that may take long to read are a thread's; the event loop goes on meanwhile."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pbm.mail.reading.limits import LONG as LIMIT
from pbm.service.running.writer import Writer
from pbm.service.turns import inbox_worker
from pbm.service.turns.handle_mail import handle
from tests.serving import keep
from tests.table import SERVER, Table

SHORT, LONG = 8192, 8193  # bytes


def mail(size: int) -> bytes:
    head = b"From: robot@example.org\r\nAuto-Submitted: auto-replied\r\n\r\n"
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

    async def scene() -> None:
        with ThreadPoolExecutor(1, "writing") as pool:

            async def in_thread(work: Any) -> Any:
                return await asyncio.get_running_loop().run_in_executor(pool, work)

            while await embedded.turns.take(Writer(embedded.database, in_thread), 1):
                for preparation in embedded.turns.to_start():
                    embedded.turns.work_out(preparation)

    asyncio.run(scene())
    assert seen == ["writing_0" if is_long else threading.main_thread().name]
