"""A PostgreSQL server that may be killed: what it has committed must be there afterwards."""

import os
import pwd
import random
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.polling import until
from tests.postgres_server import as_user, command, find_programs, initialise

# Unlike the tests' other server: a commit that was told is on the disk.
_DURABLE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
_NAME = "postgres"


@dataclass
class MortalPostgres:
    """A cluster in a folder of its own, and the server on it."""

    folder: Path
    programs: Path
    owner: pwd.struct_passwd | None
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of its one database, as SQLAlchemy writes it."""
        return f"postgresql+psycopg://postgres@/{_NAME}?host={self.folder}"

    def start_process(self) -> None:
        """Start it, or try to: while processes of a dead one are left, it ends at once."""
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command(self.programs, self.folder, _DURABLE),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **as_user(self.owner),
            )

    def is_up(self) -> bool:
        """Whether it takes connections."""
        try:
            with psycopg.connect(host=str(self.folder), user="postgres", dbname=_NAME):
                return True
        except psycopg.Error:
            return False

    def kill(self) -> None:
        """Kill all of its processes, the first one first."""
        assert self.process is not None
        children = self._children()
        self.process.kill()
        self.process.wait()
        for child in children:
            kill_process(child)

    def kill_one(self, dice: random.Random) -> bool:
        """Kill one process that serves it or a client of it; it recovers by itself then."""
        children = self._children()
        return bool(children) and kill_process(dice.choice(children))

    def _children(self) -> list[int]:
        assert self.process is not None
        return children_of(self.process.pid)


def children_of(parent: int) -> list[int]:
    """The processes that a process of ours has started and that are still there."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                status = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(status[1]) == parent and status[0] != "Z":
                    found.append(int(entry.name))
    return found


def kill_process(process_id: int) -> bool:
    """Kill a process; False if it is not there any more."""
    try:
        os.kill(process_id, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


@contextmanager
def mortal_postgres() -> Iterator[MortalPostgres]:
    """Make a cluster, serve it, and remove both at the end. Raises MissingPostgresError."""
    programs = find_programs()
    folder = Path(tempfile.mkdtemp(prefix="pbm-mortal-", dir="/tmp"))
    try:
        postgres = MortalPostgres(folder, programs, initialise(programs, folder))
        postgres.start_process()
        try:
            until(postgres.is_up, "PostgreSQL")
            yield postgres
        finally:
            postgres.kill()
    finally:
        shutil.rmtree(folder)
