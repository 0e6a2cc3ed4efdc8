"""The post by itself: mails that are due all at once, and one process that sends them."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen

from sqlalchemy import text

from bench import running, season
from bench.measure import Row
from pbm.clock import system_clock
from pbm.mail.address import ServerAddress
from pbm.mail.site import Site
from pbm.mail.smtp_in.caller import Caller
from pbm.mail.tags import load_keyring
from pbm.service.intake.receive import Intake
from pbm.service.running.writer import Writer
from pbm.service.turns.turn import Turns
from pbm.store.db import Database
from tests.polling import until
from tests.postgres_server import running_postgres
from tests.serving import keeping, take_next

MAILS = 2_000
_A_TURN = 2  # mails, one to each player
_LATER = text("UPDATE outbox SET due_at = due_at + interval '1 day' WHERE status = 'due'")
_NOW = text("UPDATE outbox SET due_at = now() WHERE status = 'due'")
_LEFT = text("SELECT count(*) FROM outbox WHERE status = 'due'")


@dataclass(frozen=True)
class Figures:
    """Mails a second, and milliseconds of processors for a mail: the post's, the database's."""

    rate: float
    post: float
    database: float


def measure(mails: int = MAILS) -> list[Row]:
    """What one process of the post sends from PostgreSQL, and what that costs."""
    found = send_all(mails)
    print(f"post {found.post:.2f} ms a mail, database {found.database:.2f} ms")
    return [Row("PostgreSQL, the post alone", "mails", found.rate, "itself", 1.0)]


def send_all(mails: int) -> Figures:
    """Let one process send so many mails of boards to a server that takes them at once."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        postgres = stack.enter_context(running_postgres({"max_connections": "50"}))
        url = stack.enter_context(postgres.new_database())
        database = Database(url)
        stack.callback(database.close)
        _write_mails(database, season.begin(url, folder, mails // _A_TURN, picture=False))
        _run(database, _LATER)
        sink = stack.enter_context(running.next_server())
        server = stack.enter_context(_posting(folder, url, sink.port))
        backends = _of(postgres)
        before = [running.processor_seconds(each) for each in ([server], backends)]
        _run(database, _NOW)
        until(lambda: sink.count() >= mails and not _left(database), "all mails")
        spent = [
            (running.processor_seconds(each) - used) * 1000 / mails
            for each, used in zip(([server], backends), before, strict=True)
        ]
        arrived = sorted(moment for moment, _ in sink.take())
        return Figures((mails - 1) / (arrived[-1] - arrived[0]), *spent)


def _write_mails(database: Database, boards: season.Season) -> None:
    """Obey a mail on every board."""
    keyring = load_keyring(boards.keyring_folder / "none", season.SECRET)
    site = Site(ServerAddress(season.SERVER), keyring, "")
    intake, turns = Intake(site, system_clock), Turns(database, site, system_clock)

    async def here(work):  # type: ignore[no-untyped-def]
        return work()

    async def keep() -> None:
        writer, caller = Writer(database, here), Caller("127.0.0.1", "")
        pieces = (
            keeping(intake, mail.sender.decode(), (mail.recipient.decode(),), mail.raw, caller)
            for mail in boards.round()
        )
        await asyncio.gather(*map(writer.do, pieces))

    asyncio.run(keep())
    while take_next(turns):
        pass
    turns.close()


@contextmanager
def _posting(folder: Path, url: str, port: int) -> Iterator[Popen[bytes]]:
    with ExitStack() as stack:
        log = folder / "log"
        environment = {
            "PBM_ADDRESS": season.SERVER,
            "PBM_DATABASE_URL": url,
            "PBM_SECRET_KEY": season.SECRET,
            "PBM_SMARTHOST": f"smtp://127.0.0.1:{port}",
        }
        out = stack.enter_context(log.open("ab"))
        process = Popen(
            [running.PBM, "serve", "--roles=post"],
            cwd=folder,
            env=environment,
            stdout=out,
            stderr=out,
        )
        try:
            until(lambda: b"ready" in log.read_bytes(), "the post")
            time.sleep(1)
            yield process
        finally:
            process.terminate()
            process.wait(60)


def _of(postgres) -> list[Popen[bytes]]:  # type: ignore[no-untyped-def]
    return [postgres._process]


def _run(database: Database, statement) -> None:  # type: ignore[no-untyped-def]
    with database.transaction() as work:
        work.run(statement)


def _left(database: Database) -> int:
    with database.engine.connect() as connection:
        return int(connection.execute(_LEFT).scalar_one())
