"""Remembers, over a process's death, which mail was being obeyed."""

from pathlib import Path


class InHand:
    """A small file that names the mail of the turn under way.

    It is not synced: what a process has written outlives its being killed, and after a power
    cut nobody suspects the mail.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path

    def take(self, inbox_id: int) -> None:
        """A turn for this mail begins."""
        self._path.write_text(str(inbox_id), encoding="ascii")

    def clear(self) -> None:
        """No turn is under way."""
        self._path.write_text("", encoding="ascii")

    def left_over(self) -> int | None:
        """The mail whose turn an earlier process began and did not end."""
        try:
            return int(self._path.read_text(encoding="ascii"))
        except (FileNotFoundError, ValueError):
            return None
