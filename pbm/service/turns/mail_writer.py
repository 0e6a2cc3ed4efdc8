"""Writes mails into the outbox: who gets it, under which subject, in which thread.

A board's mails to one player are one thread: each refers to the first, whose Message-ID is
made from board and player, so that no look-up is needed and `References` stays short.
"""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any

from pbm.commands.context import Answering, by_lot
from pbm.commands.limits import UNPROVEN, take_strangers_mail
from pbm.commands.subjects import answer_subject, classic_subject
from pbm.mail.address import ServerAddress
from pbm.mail.msgid import short_name
from pbm.mail.tags import Keyring
from pbm.service.post.holding import held_until
from pbm.store.db import UnitOfWork
from pbm.store.values import FAREWELL, Board, NewMail, Player

REPLIED = "auto-replied"
GENERATED = "auto-generated"
AGAIN = "again"  # the kind of a board's mail that is written once more, to wait
_HELD = ("board", AGAIN)
CAME_BACK = {"what": "came-back"}  # told above a board whose mail may have been lost
_BOARD_ID = re.compile(r"<g(\d{1,9})\.p(\d{1,5})(?:b(\d{1,5}))?\.[^@<>]*@([^@<>]*)>", re.ASCII)


@dataclass(frozen=True)
class Cause:
    """The mail that is being obeyed: its inbox row, its sender and its Message-ID.

    `board_id` is the board in whose thread it stands, None for a mail in another thread or in
    one of its own.
    """

    inbox_id: int | None = None
    author: str = ""
    message_id: str | None = None
    board_id: int | None = None


@dataclass(frozen=True)
class Site:
    """What the letters of one server have in common, whom it believes, and where chance comes from.

    `authserv_id` is the name of the mail server in front, empty where nothing that it says
    counts; `trusted_networks` are where that one connects from.
    """

    address: ServerAddress
    keyring: Keyring
    operator: str = ""
    authserv_id: str = ""
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    unique: Callable[[], str] = field(default=lambda: secrets.token_hex(8))
    shuffled: Callable[[Sequence[str]], list[str]] = field(default=by_lot)

    def trusts(self, peer: str) -> bool:
        """Whether a connection from there is our own mail server's; a local socket has no peer."""
        if not peer:
            return True
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        return any(address in network for network in self.trusted_networks)

    def board_answered(self, message_ids: tuple[str, ...]) -> Answering | None:
        """Return what the newest of our board mails among Message-IDs says."""
        for message_id in message_ids:
            found = _BOARD_ID.fullmatch(message_id)
            if found and found[4].lower() == self.address.domain:
                return Answering(int(found[1]), int(found[2]), int(found[3] or 0))
        return None


class MailWriter:
    """The pen of one turn: everything written here becomes true with its commit."""

    def __init__(
        self,
        work: UnitOfWork,
        site: Site,
        now: datetime,
        cause: Cause | None = None,
        *,
        unproven: bool = False,
        answer_counted: bool = False,
    ) -> None:
        """`answer_counted`: an answer to a stranger was counted before."""
        self.unproven = unproven
        self.answer_counted = answer_counted
        self._work = work
        self._house = site
        self._now = now
        self._cause = cause or Cause()

    @property
    def keyring(self) -> Keyring:
        """The keys of this server."""
        return self._house.keyring

    def to_unproven(self) -> "MailWriter":
        """The pen for a mail that nobody has proven: its answers count apart."""
        return MailWriter(self._work, self._house, self._now, self._cause, unproven=True)

    def wants(self, player: Player) -> bool:
        """Whether a player wants the mail about a move of another's, or made this one."""
        return player.settings.mails == "all" or self._wrote(*player.addresses)

    def board(
        self,
        player: Player,
        board: Board,
        view: dict[str, Any],
        *,
        template: str = "board",
        kind: str = "board",
        not_before: datetime | None = None,
    ) -> None:
        """Write to a player about a board, in that board's thread."""
        mail = self._about_board(player, board, view, template, kind)
        if not_before and not_before > (mail.due_at or self._now):
            mail = replace(mail, due_at=not_before)
        self._work.outbox.add(mail)

    def boards(self, board: Board, views: Sequence[tuple[Player, dict[str, Any]]]) -> None:
        """Write to several players about a board, all at once."""
        mails = [self._about_board(player, board, view) for player, view in views]
        self._work.outbox.add(*mails)

    def _about_board(
        self,
        player: Player,
        board: Board,
        view: dict[str, Any],
        template: str = "board",
        kind: str = "board",
    ) -> NewMail:
        if kind != AGAIN and player.bounced_at and self._supersedes(player, board):
            view = {**view, "lead": [CAME_BACK, *view["lead"]]}
        root = self._root_id(board, player)
        first = kind == "board" and board.ply == 0 and not self._work.outbox.written(root)
        # Mail programs put a mail where those stand that it refers to. What asked for this one
        # may stand elsewhere: in another board's thread, below a question, or for two boards.
        answering = self._answering(*player.addresses) if self._is_in_thread_of(board) else None
        references = [] if first else [root]
        return self._mail(
            kind,
            player.address,
            template,
            view,
            {
                "subject": _subject(board, player, view),
                "reply_to": self._reply_to(player, board.id),
                "in_reply_to": answering or (None if first else root),
                "references": references + ([answering] if answering else []),
                "auto_submitted": self._auto_submitted(*player.addresses),
                "extra": {
                    "X-PBM-Board": str(board.id),
                    "X-PBM-Ply": str(board.ply),
                    "X-PBM-Turn": board.to_move.handle if board.to_move else "-",
                },
            },
            root if first else self._message_id(_about(board)),
            player=player,
            board_id=board.id,
        )

    def _supersedes(self, player: Player, board: Board) -> bool:
        """Whether a mail about a board takes the place of one that waits to be tried again.

        It shows all that the other does; and an older position, sent after it, would mislead.
        """
        why = "a later mail shows the board"
        return bool(self._work.outbox.drop_due(player.id, AGAIN, why, self._now, board_id=board.id))

    def answer(
        self, player: Player, subject: str, params: dict[str, Any], *, kind: str = "answer"
    ) -> None:
        """Answer a player outside any board."""
        reply_to = self._reply_to(player, None)
        headers = self._plain_headers(subject, reply_to, *player.addresses)
        self._work.outbox.add(
            self._mail(kind, player.address, "answer", params, headers, player=player)
        )

    def answer_stranger(self, address: str, subject: str, params: dict[str, Any]) -> None:
        """Answer an address that nobody plays from; nothing of it ever comes back.

        Nothing is written to one that has had enough mails.
        """
        if not self._may_write_to_stranger(address):
            return
        headers = self._plain_headers(subject, None, address)
        self._work.outbox.add(self._mail("answer", address, "answer", params, headers))

    def question(
        self,
        address: str,
        template: str,
        subject: str,
        token: str,
        params: dict[str, Any],
        player_id: int | None = None,
        *,
        granted: bool = False,
    ) -> None:
        """Ask; only the reply address that carries the token can answer.

        An address that nobody plays from is asked only as `answer_stranger` answers it, unless
        that is `granted` already.
        """
        to_stranger = player_id is None and not granted
        if to_stranger and not self._may_write_to_stranger(address):
            return
        reply_to = self._house.address.question_reply(token)
        headers = self._plain_headers(subject, reply_to, address)
        self._work.outbox.add(
            self._mail("question", address, template, params, headers, player_id=player_id)
        )

    def _may_write_to_stranger(self, address: str) -> bool:
        return self.answer_counted or take_strangers_mail(self._work, address, self._now)

    def notice(self, address: str, template: str, subject: str, params: dict[str, Any]) -> None:
        """Tell somebody, usually the operator; an empty envelope sender."""
        headers = self._plain_headers(answer_subject(subject), None)
        self._work.outbox.add(self._mail("notice", address, template, params, headers))

    def farewell(self, address: str, handle: str) -> None:
        """Write the last mail to somebody; once it is sent, the address is forgotten."""
        headers = self._plain_headers(answer_subject("you have left"), None)
        told = {"handle": handle}
        self._work.outbox.add(self._mail(FAREWELL, address, "forgotten", told, headers))

    def notice_player(
        self, player: Player, template: str, subject: str, params: dict[str, Any]
    ) -> None:
        """Tell a player something that is no answer; an empty envelope sender."""
        headers = self._plain_headers(answer_subject(subject), self._reply_to(player, None))
        self._work.outbox.add(
            self._mail("notice", player.address, template, params, headers, player_id=player.id)
        )

    def forward(self, address: str, raw_base64: str) -> None:
        """Send a mail on as it came."""
        self._work.outbox.add(self._mail("notice", address, "raw", {"raw": raw_base64}, {}))

    def _mail(
        self,
        kind: str,
        recipient: str,
        template: str,
        params: dict[str, Any],
        headers: dict[str, Any],
        message_id: str | None = None,
        *,
        player: Player | None = None,
        player_id: int | None = None,
        board_id: int | None = None,
    ) -> NewMail:
        """A mail as it is written down.

        One to a `player` comes back to an address that names it; any other has an empty
        envelope sender. Mails of boards wait while those to the player come back.
        """
        answers = kind in ("answer", "question")
        message_id = message_id or self._message_id("m")
        return NewMail(
            kind=UNPROVEN if self.unproven and answers else kind,
            recipient=recipient,
            template=template,
            params=params,
            headers=headers,
            message_id=message_id,
            sender=self._bounces(player, message_id) if player else "",
            written_at=self._now,
            player_id=player.id if player else player_id,
            board_id=board_id,
            inbox_id=self._cause.inbox_id,
            due_at=held_until(player, self._now) if player and kind in _HELD else None,
        )

    def _plain_headers(self, subject: str, reply_to: str | None, *addresses: str) -> dict[str, Any]:
        """The headers of a mail outside any board; `addresses` are the reader's."""
        answering = self._answering(*addresses)
        return {
            "subject": subject,
            "reply_to": reply_to,
            "in_reply_to": answering,
            "references": [answering] if answering else [],
            "auto_submitted": self._auto_submitted(*addresses),
            "extra": {},
        }

    def _is_in_thread_of(self, board: Board) -> bool:
        return self._cause.board_id == board.id

    def _answering(self, *addresses: str) -> str | None:
        """The Message-ID of the mail that is being obeyed, if one of these wrote it."""
        return self._cause.message_id if self._wrote(*addresses) else None

    def _auto_submitted(self, *addresses: str) -> str:
        return REPLIED if self._wrote(*addresses) else GENERATED

    def _wrote(self, *addresses: str) -> bool:
        return self._cause.author.lower() in {address.lower() for address in addresses}

    def _reply_to(self, player: Player, board_id: int | None) -> str:
        tag = self._house.keyring.reply_tag(player.id, player.epoch, board_id)
        return self._house.address.board_reply(player.id, tag, board_id)

    def _bounces(self, player: Player, message_id: str) -> str:
        """The envelope sender (VERP): it names player and mail, so that no report is parsed
        for them."""
        mail = short_name(message_id)
        tag = self._house.keyring.bounce_tag(player.id, mail)
        return self._house.address.bounces(player.id, mail, tag)

    def _message_id(self, what: str) -> str:
        return f"<{what}.{self._house.unique()}@{self._house.address.domain}>"

    def _root_id(self, board: Board, player: Player) -> str:
        # The moment keeps it different from that of an earlier database's board.
        told = f"{board.id} {player.id} {board.started_at.isoformat()}"
        made = sha256(told.encode()).hexdigest()
        return f"<g{board.id}.p0.u{player.id}.{made[:16]}@{self._house.address.domain}>"


def _about(board: Board) -> str:
    """What a Message-ID says of a board: its ply, and how often plies were taken back."""
    back = f"b{board.taken_back}" if board.taken_back else ""
    return f"g{board.id}.p{board.ply}{back}"


def _subject(board: Board, player: Player, view: dict[str, Any]) -> str:
    """The board's frozen subject, or the classic one for a player who wants that."""
    if player.settings.subject != "classic":
        return board.subject
    turn = board.to_move.handle if board.to_move else None
    return classic_subject(board.game, board.id, turn, words=bool(view.get("comments")))
