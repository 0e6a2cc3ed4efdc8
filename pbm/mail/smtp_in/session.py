"""What became of one connection, for whoever looks after the server."""

from collections.abc import Callable
from dataclasses import dataclass, field

_MOST_TOLD = 5  # of what was kept, and of what was refused
_LONGEST = 300  # characters of each
_TELLING = ("MAIL", "RCPT")  # whose lines say what they are about, and hold no password


@dataclass
class Session:
    """`peer` is empty for a local socket; `end` says how it ended.

    Of what was kept and refused the first few are told, and the rest counted. What the client
    wrote is in it as it came: it may hold reply tags.
    """

    peer: str
    protocol: str
    is_trusted: bool
    is_encrypted: bool = False
    sender: str = ""
    kept: int = 0
    refused: int = 0
    told: list[str] = field(default_factory=list)
    end: str = "the client left"

    @property
    def is_uneventful(self) -> bool:
        """Whether nothing was asked for that matters, as by somebody who only looks whether we
        are there."""
        return not (self.kept or self.refused) and self.end in (Session.end, QUIT)

    def note(self, line: bytes, reply: str, why: str = "") -> None:
        """A command was answered; `why` is for the operator only."""
        verb = line[:4].decode("ascii", "replace").upper()
        for answer in reply.split("\r\n"):
            if answer.startswith("250") and verb == "DATA":
                self.kept += 1
                self._tell(self.kept, answer)
            elif answer.startswith(("4", "5")):
                self.refused += 1
                asked = line.decode("ascii", "replace").strip() if verb in _TELLING else verb
                self._tell(self.refused, f"{asked}: {answer}" + (f" ({why})" if why else ""))

    def _tell(self, count: int, what: str) -> None:
        if count <= _MOST_TOLD:
            self.told.append(what[:_LONGEST])


QUIT = "the client said QUIT"
ReportSession = Callable[[Session], None]
