"""A real Postfix on loopback: its own folder, ports and processes, nothing of the machine's."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.ports import free_port
from tests.polling import PATIENCE

_MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = {folder}
myhostname = mx.example.net
mydestination =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
smtp_bind_address = 127.0.0.1
mynetworks = 127.0.0.0/8
disable_dns_lookups = yes
notify_classes =
relayhost = [127.0.0.1]:{next_port}
"""

# The services of Postfix's own master.cf that these tests need; none is in a chroot.
_MASTER = """\
postlog   unix-dgram n - n - 1 postlogd
127.0.0.1:{port} inet n - n - - smtpd
cleanup   unix  n       -       n       -       0       cleanup
qmgr      unix  n       -       n       1       1       qmgr
tlsmgr    unix  -       -       n       1000?   1       tlsmgr
rewrite   unix  -       -       n       -       -       trivial-rewrite
bounce    unix  -       -       n       -       0       bounce
defer     unix  -       -       n       -       0       bounce
trace     unix  -       -       n       -       0       bounce
verify    unix  -       -       n       -       1       verify
proxymap  unix  -       -       n       -       -       proxymap
smtp      unix  -       -       n       -       -       smtp
relay     unix  -       -       n       -       -       smtp
error     unix  -       -       n       -       -       error
retry     unix  -       -       n       -       -       error
local     unix  -       n       n       -       -       local
lmtp      unix  -       -       n       -       -       lmtp
anvil     unix  -       -       n       -       1       anvil
scache    unix  -       -       n       -       1       scache
"""


@dataclass(frozen=True)
class Postfix:
    """A running Postfix; what it does not know how to deliver goes to the port after it."""

    folder: Path
    port: int

    @property
    def queue(self) -> Path:
        """Where a local socket is within its reach."""
        return self.folder / "queue"

    @property
    def log(self) -> str:
        """What it has said."""
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    def write(self, name: str, text: str) -> None:
        """Write a file of /etc/postfix, and its index where it has one."""
        path = self.folder / "etc" / name
        text = text.replace("/etc/postfix/", f"{path.parent}/")
        path.write_text(text, encoding="utf-8")
        if name == "transport":
            _run("postmap", "-c", str(path.parent), f"hash:{path}")

    def reload(self) -> None:
        """Let it read its files anew."""
        _run("postfix", "-c", str(self.folder / "etc"), "reload")


@contextmanager
def running_postfix(
    next_port: int, files: Mapping[str, str] | None = None, *, main: str = ""
) -> Iterator[Postfix]:
    """Run one until the end. `files` are those of /etc/postfix, whose `main.cf` comes behind
    what keeps this Postfix to itself; `main` is behind both."""
    # Not in pytest's folder: Postfix's processes are of another user, who may not go there.
    folder = Path(tempfile.mkdtemp(prefix="pbm-postfix-"))
    folder.chmod(0o755)
    postfix = Postfix(folder, free_port())
    etc = folder / "etc"
    try:
        for name in ("etc", "queue"):
            (folder / name).mkdir()
        (folder / "data").mkdir()
        shutil.chown(folder / "data", "postfix")
        files = dict(files or {})
        base = _MAIN.format(folder=folder, next_port=next_port)
        postfix.write("main.cf", base + files.pop("main.cf", "") + main)
        postfix.write("master.cf", _MASTER.format(port=postfix.port))
        for name, text in files.items():
            postfix.write(name, text)
        _run("postfix", "-c", str(etc), "start")
        try:
            yield postfix
        finally:
            _run("postfix", "-c", str(etc), "stop")
    finally:
        shutil.rmtree(folder)


def _run(program: str, *words: str) -> None:
    found = shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin")
    assert found is not None, f"{program} is missing; run: make deps"
    done = subprocess.run(
        [found, *words], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
