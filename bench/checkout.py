"""Other versions of the program, each in a folder with its own `.venv`."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.running import ROOT
from bench.smtp_load import Letter

# Run in a checkout: its own code makes its own database, and writes the mails of each round.
_LETTERS = """
import json, sys
from pathlib import Path
from bench import season
url, folder, boards, picture = sys.argv[1:]
boards = season.begin(url, Path(folder), int(boards), picture=bool(picture))
print(flush=True)
for _ in sys.stdin:
    mails = boards.round()
    print(json.dumps([[m.sender.decode(), m.recipient.decode(), m.raw.decode()] for m in mails]))
    sys.stdout.flush()
"""


@dataclass(frozen=True)
class Checkout:
    """A folder with the program and its `.venv`."""

    folder: Path

    @property
    def program(self) -> Path:
        """Its `pbm`."""
        return self.folder / ".venv" / "bin" / "pbm"

    @contextmanager
    def season(self, url: str, folder: Path, boards: int, *, picture: bool) -> Iterator["Letters"]:
        """Boards in an empty database, and their mails."""
        words = ["-c", _LETTERS, url, str(folder), str(boards), "1" if picture else ""]
        with subprocess.Popen(
            [self.program.with_name("python"), *words],
            cwd=self.folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            letters = Letters(process)
            letters.line()
            yield letters
            process.kill()


@dataclass(frozen=True)
class Letters:
    """The mails of a season, as the program that writes them sends them."""

    process: subprocess.Popen[str]

    def line(self) -> str:
        """The next line that it says."""
        assert self.process.stdout
        said = self.process.stdout.readline()
        if not said:
            raise RuntimeError("the boards of that checkout could not be begun")
        return said

    def round(self) -> list[Letter]:
        """The mails of the next ply of every board."""
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return [
            Letter(sender.encode(), recipient.encode(), raw.encode())
            for sender, recipient, raw in json.loads(self.line())
        ]


HERE = Checkout(ROOT)


class NoSuchVersionError(Exception):
    """What was named is neither a folder with a checkout nor a commit."""


@contextmanager
def checked_out(named: str) -> Iterator[Checkout]:
    """The checkout in a folder, or a commit in a folder of its own, which is gone at the end.

    Raises NoSuchVersionError.
    """
    if (Path(named) / ".venv").is_dir():
        yield Checkout(Path(named).resolve())
        return
    commit = _git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{named}^{{commit}}")
    if commit.returncode != 0:
        raise NoSuchVersionError(f"{named} is neither a folder with a .venv nor a commit")
    with tempfile.TemporaryDirectory(prefix="pbm-version-") as name:
        folder = Path(name) / "checkout"
        _git("worktree", "add", "--detach", str(folder), commit.stdout.strip(), check=True)
        try:
            subprocess.run(
                ["make", "--no-print-directory", "-C", folder, ".venv/.ready"],
                check=True,
                stdout=subprocess.DEVNULL,
            )
            yield Checkout(folder)
        finally:
            _git("worktree", "remove", "--force", str(folder), check=True)


def _git(*words: str, check: bool = False) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, check=check, stdout=subprocess.PIPE, text=True)
