"""A pgbouncer in front of a PostgreSQL server of the tests, reached by a socket."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.polling import until
from tests.postgres_server import PostgresServer, as_user, server_user

_SETTINGS = """\
[databases]
* = host={server} user=postgres
[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
auth_type = any
pool_mode = {mode}
logfile = {folder}/log
"""
_SOCKET = ".s.PGSQL.6432"


@contextmanager
def running_pgbouncer(server: PostgresServer, mode: str) -> Iterator[str]:
    """What to put behind a database's URL to get at it through pgbouncer, in one of its modes."""
    program = shutil.which("pgbouncer", path="/usr/sbin:/usr/bin")
    if program is None:
        raise RuntimeError("pgbouncer is not installed: run `make deps`.")
    owner = server_user()
    folder = Path(tempfile.mkdtemp(prefix="pbm-bouncer-", dir="/tmp"))
    settings = folder / "pgbouncer.ini"
    settings.write_text(_SETTINGS.format(server=server.folder, folder=folder, mode=mode), "utf-8")
    if owner is not None:
        shutil.chown(folder, owner.pw_uid, owner.pw_gid)
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", "--", program, "--quiet", settings],
        **as_user(owner),
    )
    try:
        until((folder / _SOCKET).exists, "pgbouncer's socket")
        yield f"?host={folder}&port=6432"
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder)
