"""`pbm serve` as a process of its own, in a folder of its own."""

import os
import signal
import smtplib
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests import preloaded
from tests.e2e.ports import free_port
from tests.polling import PATIENCE, until
from tests.secrets_issued import ISSUED

PROGRAMS = Path(sys.executable).parent
_FORKED = {str(PROGRAMS / "pbm"): "pbm", "dying-server": "dying-server", "slow-robot": "slow-robot"}
Process = subprocess.Popen[bytes] | preloaded.Program


@dataclass
class RunningServer:
    """A server process; `settings` are `PBM_…` variables beside those given here.

    The checkout's own `pbm`, and the one that dies, are forks of one that is loaded already;
    another command is started.
    """

    folder: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    command: tuple[str, ...] = (str(PROGRAMS / "pbm"), "serve")
    port: int = field(default_factory=free_port)
    process: Process | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The variables that the server, and `pbm-admin` beside it, run with."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PBM_")}
        return {**kept, "PBM_LISTEN": f"127.0.0.1:{self.port}", **self.settings}

    def start(self) -> None:
        """Start and wait until it greets."""
        self.start_process()
        until(self._greets, "the server's greeting")

    def start_process(self) -> None:
        """Start, waiting for nothing."""
        log = self.folder.absolute() / "server.log"
        program, *words = self.command
        if program in _FORKED:
            self.process = preloaded.Program(
                [_FORKED[program], *words],
                folder=self.folder,
                environment=self.environment,
                output=log,
                errors=log,
            )
            return
        with log.open("ab") as opened:
            self.process = subprocess.Popen(
                self.command, cwd=self.folder, env=self.environment, stdout=opened, stderr=opened
            )

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """End the process and return its exit status."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(how)
        status = self.process.wait(PATIENCE)
        self.check_log()
        return status

    def hangs_up(self, told: str) -> None:
        """Send SIGHUP, and wait until that is in the log once more."""
        assert self.process is not None
        before = self.log.count(told)
        self.process.send_signal(signal.SIGHUP)
        until(lambda: self.log.count(told) > before, told)

    def check_log(self) -> None:
        """Check that no secret is in the log: no key, and no tag of a mail that was sent."""
        ISSUED.note_key_file(self.folder / "var" / "secret.key")
        ISSUED.none_in(self.log, "the server's log")

    def admin(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Run `pbm-admin` beside the server."""
        return preloaded.run(
            ["pbm-admin", *words], folder=self.folder, environment=self.environment
        )

    def until_all_is_sent(self) -> None:
        """Wait until nothing waits: that a mail has arrived is written down a moment later."""
        empty = "The queue is empty."
        until(lambda: self.admin("queue", "list").stdout.strip() == empty, "an empty queue")

    @property
    def log(self) -> str:
        """Everything that the server has logged."""
        log = self.folder / "server.log"  # which a process makes as it begins
        return log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""

    def __enter__(self) -> "RunningServer":
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None:
            self.stop()

    def greets_or_ended(self) -> bool:
        """Whether it greets by now, or never will."""
        assert self.process is not None
        return self.process.poll() is not None or self._greets()

    def _greets(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"the server ended:\n{self.log}"
        try:
            with smtplib.SMTP("127.0.0.1", self.port, timeout=10) as smtp:
                return smtp.noop()[0] == 250
        except OSError:
            return False
