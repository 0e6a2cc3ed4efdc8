"""What processes count of themselves, with a library that is loaded before all others.

How often they made sure that something is on the disk, and how often they heard from somebody after
they had spoken: a round trip, as a database server sees it.
"""

import struct
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.running import preloadable

_PLACES = 4096  # as in counted.c
_PLACE = struct.Struct("qqq")


@dataclass(frozen=True)
class Counted:
    """What a process has counted since it began."""

    syncs: int = 0
    round_trips: int = 0


@dataclass(frozen=True)
class CountingProcesses:
    """The file that the processes share, and the variables that make a program one of them."""

    file: Path
    variables: Mapping[str, str]

    def read(self) -> dict[int, Counted]:
        """What each process has counted so far, by its number, ended ones too."""
        places = _PLACE.iter_unpack(self.file.read_bytes())
        return {process: Counted(*counts) for process, *counts in places if process}


@contextmanager
def counting_processes() -> Iterator[CountingProcesses]:
    """A file to count in, which any user's process may."""
    with tempfile.TemporaryDirectory(prefix="pbm-counted-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        file = folder / "counts"
        file.write_bytes(bytes(_PLACES * _PLACE.size))
        file.chmod(0o666)
        library = preloadable("counted", folder)
        yield CountingProcesses(file, {"LD_PRELOAD": str(library), "COUNTED_FILE": str(file)})
