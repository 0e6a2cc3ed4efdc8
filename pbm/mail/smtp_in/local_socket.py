"""A listening socket in the file system, which goes when its server goes."""

import contextlib
import socket
import stat
from pathlib import Path

from pbm.errors import OperatorError

# As a port on loopback: whoever is on this machine may hand in mail. Whoever may not is kept
# out by the mode of the folder, which works everywhere.
MODE = 0o666
_SECONDS = 5


class LocalSocket:
    """Bound, and open to everybody who can reach its folder."""

    def __init__(self, path: str) -> None:
        """Bind it, in place of one that a killed server has left.

        Raises OperatorError where something else is in the way, and OSError.
        """
        self._path = Path(path)
        if not self._path.parent.is_dir():
            raise OperatorError(f"Can't listen on {path}: there is no folder {self._path.parent}.")
        self._clear_way()
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.socket.bind(path)
            self._path.chmod(MODE)
            self._made = self._path.stat()
        except BaseException:
            self.socket.close()
            raise

    def remove(self) -> None:
        """Remove the file, if it is still ours."""
        with contextlib.suppress(OSError):
            there = self._path.stat()
            if (there.st_dev, there.st_ino) == (self._made.st_dev, self._made.st_ino):
                self._path.unlink()

    def _clear_way(self) -> None:
        try:
            kind = self._path.lstat().st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(kind):
            raise OperatorError(f"Can't listen on {self._path}: something else has that name.")
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
            probe.settimeout(_SECONDS)
            try:
                probe.connect(str(self._path))
            except ConnectionRefusedError:
                self._path.unlink()  # nobody listens: its server was killed
                return
            except OSError:
                pass
        raise OperatorError(f"Can't listen on {self._path}: another server does.")
