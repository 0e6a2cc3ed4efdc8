"""What happened while one mail was obeyed. `pbm.service.turns.announce` turns it into mails."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class BoardStarted:
    """A challenge put a new board on the server; `handle` brought it about."""

    board_id: int
    handle: str


@dataclass(frozen=True)
class MovePlayed:
    """A ply was played."""

    board_id: int
    ply: int


@dataclass(frozen=True)
class PlayerLeft:
    """A player resigned or was taken out by the operator; what stands on the board stays."""

    board_id: int
    handle: str
    how: str


@dataclass(frozen=True)
class BoardClosed:
    """A board ended without a trace: declined, or ended by the operator."""

    board_id: int
    handle: str
    successor_id: int | None = None


@dataclass(frozen=True)
class BoardNews:
    """Anything else that happened on a board; `what` names its words in `templates/lead.txt`."""

    board_id: int
    what: str
    told: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Commented:
    """A player said something to the others of a board.

    `unplayed`: a line of it reads like a move, the player was to move, and nothing was played.
    """

    board_id: int
    handle: str
    lines: tuple[str, ...]
    unplayed: str | None = None


@dataclass(frozen=True)
class OperatorActed:
    """The operator changed a board; everybody on it is told what and why."""

    board_id: int
    what: str
    why: str


@dataclass(frozen=True)
class Answered:
    """Something to tell the speaker alone: one section of the one answer.

    `section` names a template in `templates/sections`; `params` are its frozen parameters.
    `to_all`: the speaker's other addresses are told, too.
    """

    section: str
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    to_all: bool = False


@dataclass(frozen=True)
class Held:
    """A command is not done yet: its player is asked first. `line` means the same later.

    `section` names the template in `templates/sections` that says why; `comment` waits too.
    """

    line: str
    section: str
    params: dict[str, Any] = field(default_factory=dict)
    board_id: int | None = None
    comment: tuple[str, ...] = ()


@dataclass(frozen=True)
class Guest:
    """Somebody who is asked to play: under which handle, and the token that answers."""

    address: str
    handle: str
    token: str


@dataclass(frozen=True)
class Invited:
    """People who may not know this server are asked whether they play, each of them once.

    `line` starts a board of `game` once all of these addresses have said yes; `comment` waits too.
    Once that is written down, `errand_id` is the waiting challenge, and `guests` are asked.
    """

    line: str
    addresses: tuple[str, ...]
    game: str
    comment: tuple[str, ...] = ()
    errand_id: int | None = None
    guests: tuple[Guest, ...] = ()


@dataclass(frozen=True)
class AddressWanted:
    """A player wants to play from another address, which is asked; `instead` of the first one."""

    address: str
    instead: bool


@dataclass(frozen=True)
class Forgotten:
    """A player has left the server for good; this was the address."""

    address: str
    handle: str


Event = (
    BoardStarted
    | MovePlayed
    | PlayerLeft
    | BoardClosed
    | BoardNews
    | Commented
    | OperatorActed
    | Answered
    | Held
    | Invited
    | AddressWanted
    | Forgotten
)
