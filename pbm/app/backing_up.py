"""Backs up once a day while the server runs, in a thread that no stop of the server waits for."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread

import structlog

from pbm.clock import system_clock
from pbm.config import Settings
from pbm.service.health.results import TROUBLES, sentence_of
from pbm.service.operator.scheduled import back_up_if_due

_LOOK_EVERY = 600.0  # seconds
_AGAIN_AFTER = 3600.0
_log = structlog.get_logger("pbm.backups")


async def keep_backups(settings: Settings, folder: Path) -> None:
    """Make a backup of each day, for ever; where that fails, try again an hour later."""
    while True:
        pause = _LOOK_EVERY
        try:
            done = await _in_thread(partial(back_up_if_due, settings, folder, system_clock))
        except Exception as error:  # noqa: BLE001 - the server goes on without a backup
            pause, is_known = _AGAIN_AFTER, isinstance(error, TROUBLES)
            _log.error("backup failed", error=sentence_of(error), exc_info=not is_known)
        else:
            if done:
                _log.info("backup made", done=done)
        await asyncio.sleep(pause)


async def _in_thread(work: Callable[[], str]) -> str:
    """Run the work in a thread that ends with the process, finished or not."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[str] = loop.create_future()

    def tell(settle: Callable[[], None]) -> None:
        if not done.done():
            settle()

    def run() -> None:
        try:
            settle = partial(done.set_result, work())
        except Exception as error:  # noqa: BLE001 - raised at the caller
            settle = partial(done.set_exception, error)
        with suppress(RuntimeError):  # the server has stopped
            loop.call_soon_threadsafe(tell, settle)

    Thread(target=run, name="pbm-backup", daemon=True).start()
    return await done
