"""A PostgreSQL server for the length of a test run, reached by a socket that only we can open."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

# What is in the server dies with it, so nothing waits for the disk.
SETTINGS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "200",
    "listen_addresses": "",
    "lc_messages": "C",
    "log_min_messages": "warning",
}
Start = Callable[[], subprocess.Popen[str]]
READY = "ready to accept connections"


class MissingPostgresError(RuntimeError):
    """This machine has no PostgreSQL server programs."""

    def __init__(self) -> None:
        super().__init__("PostgreSQL's initdb and postgres are not installed: run `make deps`.")


def find_programs(root: Path = Path("/usr/lib/postgresql")) -> Path:
    """The folder with initdb and postgres; the newest version, else what is on PATH."""
    versions = [folder for folder in root.glob("*/bin") if (folder / "initdb").exists()]
    if versions:
        return max(versions, key=lambda folder: float(folder.parent.name))
    initdb = shutil.which("initdb")
    if initdb is None or shutil.which("postgres") is None:
        raise MissingPostgresError
    return Path(initdb).parent


class PostgresServer:
    """A running server. `with server.new_database() as url:` gives an empty database of its own."""

    def __init__(self, folder: Path, start: Start) -> None:
        self.folder = folder
        self._numbers = count(1)
        self._start = start
        self._process = start()

    def end(self, how: signal.Signals) -> None:
        """Stop it: SIGQUIT at once, as a crash does, and SIGINT in order, its clients cut off."""
        if self._process.poll() is None:
            self._process.send_signal(how)
        self._process.wait()

    def start_again(self) -> None:
        """Start it again on what it has kept."""
        self._process = self._start()

    def url(self, database: str) -> str:
        """The address of a database, as SQLAlchemy writes it."""
        return f"postgresql+psycopg://postgres@/{database}?host={self.folder}"

    @contextmanager
    def new_database(self) -> Iterator[str]:
        """The URL of a fresh, empty database, which is dropped with all its connections."""
        name = self.create("template0")
        try:
            yield self.url(name)
        finally:
            self.drop(name)

    def create(self, template: str, *, name: str = "") -> str:
        """Make a database that is a copy of another; return its name."""
        made = name or f"test_{next(self._numbers)}"
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        with self.connected("postgres") as connection:
            connection.execute(command.format(sql.Identifier(made), sql.Identifier(template)))
        return made

    def drop(self, name: str) -> None:
        """Drop a database with all its connections."""
        command = sql.SQL("DROP DATABASE {} WITH (FORCE)")
        with self.connected("postgres") as connection:
            connection.execute(command.format(sql.Identifier(name)))

    def connected(self, database: str) -> psycopg.Connection[Any]:
        """A connection on which each statement is a transaction."""
        return psycopg.connect(
            host=str(self.folder), user="postgres", dbname=database, autocommit=True
        )


@contextmanager
def running_postgres(
    settings: Mapping[str, str] | None = None, variables: Mapping[str, str] | None = None
) -> Iterator[PostgresServer]:
    """Makes a cluster in a folder of its own, serves it, and removes both at the end.

    `settings` are some of postgresql.conf instead of those of the tests, `variables` some of the
    environment.
    """
    programs = find_programs()
    # Not under pytest's folder: another user must get at it, and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pbm-postgres-", dir="/tmp"))
    try:
        owner = initialise(programs, folder)
        others = settings or {}, variables or {}
        server = PostgresServer(folder, lambda: _start(programs, folder, owner, *others))
        try:
            yield server
        finally:
            server.end(signal.SIGINT)  # cuts the clients off; SIGTERM would wait for them
    finally:
        shutil.rmtree(folder)


def _server_user() -> pwd.struct_passwd | None:
    """PostgreSQL refuses to run as root: the user that it runs as instead."""
    if os.geteuid() != 0:
        return None
    users = {user.pw_name: user for user in pwd.getpwall()}
    return users.get("postgres") or users["nobody"]


def as_user(owner: pwd.struct_passwd | None) -> dict[str, Any]:
    """What makes `subprocess` start something as this user."""
    if owner is None:
        return {}
    return {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}


def initialise(programs: Path, folder: Path) -> pwd.struct_passwd | None:
    """Make a cluster in a folder; return the user that it belongs to, None for ourselves."""
    owner = _server_user()
    if owner is not None:
        shutil.chown(folder, owner.pw_uid, owner.pw_gid)
    options = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"]
    made = subprocess.run(
        [programs / "initdb", *options, folder / "data"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        **as_user(owner),
    )
    if made.returncode != 0:
        raise RuntimeError(f"initdb failed: {made.stdout}{made.stderr}")
    return owner


def command(programs: Path, folder: Path, others: Mapping[str, str]) -> list[str]:
    """What starts a server on the cluster in a folder, and ends it with whoever started it.

    `others` are settings instead of those of the tests.
    """
    options = {**SETTINGS, "unix_socket_directories": str(folder), **others}
    server = [str(programs / "postgres"), "-D", str(folder / "data")]
    server += [f"--{name}={value}" for name, value in options.items()]
    return ["setpriv", "--pdeathsig", "INT", "--", *server]


def _start(
    programs: Path,
    folder: Path,
    owner: pwd.struct_passwd | None,
    others: Mapping[str, str],
    variables: Mapping[str, str],
) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        command(programs, folder, others),
        cwd=folder,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        **as_user(owner),
    )
    assert process.stderr is not None
    seen = []
    for line in process.stderr:
        seen.append(line)
        if READY in line:
            # Read on for good, or the server would stop at a full pipe.
            threading.Thread(target=deque, args=(process.stderr, 0), daemon=True).start()
            return process
    raise RuntimeError(f"PostgreSQL did not start: {''.join(seen)}")
