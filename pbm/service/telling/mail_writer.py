"""Writes mails into the outbox: who gets it, under which subject, in which thread.

A board's mails to one player are one thread: each refers to the first, whose Message-ID is
made from board and player, so that no look-up is needed and `References` stays short.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from pbm.events.board import MailCameBack
from pbm.mail.msgid import short_name
from pbm.play.allowance import may_be_told, take_strangers_mail
from pbm.play.digests import next_hour
from pbm.play.offers import mark_of, open_offers, waiting_for
from pbm.play.subjects import answer_subject, classic_subject
from pbm.play.turn import Turn
from pbm.service.telling.delayed_mail import deferred_until, waits_until
from pbm.service.telling.kept_news import with_kept
from pbm.store.queues.kept_news import AwaitingMail
from pbm.store.values.boards import Board
from pbm.store.values.kinds import Kind
from pbm.store.values.mails import NewMail
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

REPLIED, GENERATED = "auto-replied", "auto-generated"
_NONE: Mapping[int, AwaitingMail] = MappingProxyType({})
_LONGEST_SAID = 180  # characters of a Message-ID before its random part


@dataclass(frozen=True)
class Asking:
    """A question as it is mailed; only the reply address that carries the token can answer."""

    template: str
    subject: str
    params: dict[str, Any]
    token: str = field(repr=False)


class MailWriter:
    """The pen of one turn: everything written here becomes true with its commit."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._site = turn.site
        self._outbox = turn.work.outbox

    def board(self, player: Player, board: Board, view: dict[str, Any]) -> None:
        """Write to a player about a board, in that board's thread."""
        self.boards(board, [(player, with_kept(self._turn, player, board, view))])

    def boards(
        self,
        board: Board,
        views: Sequence[tuple[Player, dict[str, Any]]],
        instead: Mapping[int, AwaitingMail] = _NONE,
    ) -> None:
        """Write to several players about a board; delayed, if a robot is expected to act there.

        `instead` are the delayed mails that these replace, by the numbers of their readers.
        """
        mails = []
        for player, view in views:
            replaced = instead.get(player.id)
            mail = self._about_board(Kind.BOARD, player, board, view, replaced=replaced)
            until = waits_until(self._turn, board, replaced)
            if until is not None and mail.due_at is None:
                mail = replace(mail, kind=Kind.AWAITING, due_at=until)
            mails.append(mail)
        self._outbox.add(*mails)

    def reminder(self, player: Player, board: Board, view: dict[str, Any]) -> None:
        """Remind a player of a board; we look whether that was taken, before a clock runs out."""
        view = with_kept(self._turn, player, board, view)
        self._outbox.add(self._about_board(Kind.REMINDER, player, board, view))

    def board_again(
        self, player: Player, board: Board, view: dict[str, Any], not_before: datetime
    ) -> None:
        """Write once more about a board whose mail came back, to be sent later."""
        view = with_kept(self._turn, player, board, view)
        mail = self._about_board(Kind.AGAIN, player, board, view)
        if not_before > (mail.due_at or self._turn.now):
            mail = replace(mail, due_at=not_before)
        self._outbox.add(mail)

    def answer_on_board(self, player: Player, board: Board, view: dict[str, Any]) -> None:
        """Answer a player in a board's thread."""
        self._outbox.add(self._about_board(Kind.ANSWER, player, board, view, "answer"))

    def _about_board(
        self,
        kind: Kind,
        player: Player,
        board: Board,
        view: dict[str, Any],
        template: str = "board",
        *,
        replaced: AwaitingMail | None = None,
    ) -> NewMail:
        view = self._with_mail_come_back(kind, player, board, view)
        root = self._root_id(board, player)
        first = kind.treatment.begins_thread and board.ply == 0 and not self._outbox.written(root)
        headers = {
            "subject": _subject(board, player, view),
            "reply_to": self._reply_to(player, board.id),
            **self._in_thread(player, board, None if first else root, replaced),
            "extra": {
                "X-PBM-Board": str(board.id),
                "X-PBM-Ply": str(board.ply),
                "X-PBM-Turn": board.to_move.handle if board.to_move else "-",
                "X-PBM-State": view["state"],
            },
        }
        message_id = root if first else self._message_id(_about(board, player))
        mail = self._mail(kind, player, template, view, headers, message_id, board.id)
        return replace(mail, inbox_id=mail.inbox_id or replaced.inbox_id) if replaced else mail

    def _in_thread(
        self, player: Player, board: Board, root: str | None, replaced: AwaitingMail | None
    ) -> dict[str, Any]:
        """The headers that place a mail in a board's thread; `root` is None for the first.

        All name the root, even if it was never sent, so that they stand together.
        """
        answers, begins = self._auto_submitted(*player.addresses), root is None
        # A mail program puts a mail below those that it refers to. The mail that asked for this one
        # may stand elsewhere: in another board's thread, below a question, or for two boards.
        in_thread = self._turn.cause.board_id == board.id and answers == REPLIED
        answering = self._turn.cause.message_id if in_thread else None
        if replaced is not None and answers != REPLIED:
            before, answers = replaced.headers["in_reply_to"], replaced.headers["auto_submitted"]
            answering, begins = (None if before == root else before), before is None
        return {
            "in_reply_to": answering or (None if begins else root),
            "references": [name for name in (root, answering) if name],
            "auto_submitted": answers,
        }

    def _with_mail_come_back(
        self, kind: Kind, player: Player, board: Board, view: dict[str, Any]
    ) -> dict[str, Any]:
        """What a mail shows, and that it takes the place of one that waits to be tried again.

        It shows all that the other does; and an older position, sent after it, would mislead.
        """
        if kind.treatment.is_superseded or not player.bounced_at:
            return view
        why = "a later mail shows the board"
        if not self._outbox.supersede(player.id, why, self._turn.now, board_id=board.id):
            return view
        return {**view, "lead": [MailCameBack(board.id).lead(), *view["lead"]]}

    def answer(
        self,
        player: Player,
        subject: str,
        params: dict[str, Any],
        *,
        kind: Kind = Kind.ANSWER,
        shown: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Answer a player outside any board; `shown` are the boards that stand in it."""
        reply_to = self._reply_to(player, None)
        headers = self._plain_headers(subject, reply_to, *player.addresses)
        message_id = self._message_id(_about_several(shown)) if shown else None
        self._outbox.add(self._mail(kind, player, "answer", params, headers, message_id))

    def several(
        self, kind: Kind, player: Player, subject: str, section: str, told: dict[str, Any]
    ) -> str:
        """Write to a player about several boards, in a thread of its own; return its Message-ID.

        `told` fills the section; the boards that stand there are its `boards`.
        """
        message_id = self._message_id(_about_several(told["boards"]))
        headers = self._plain_headers(subject, self._reply_to(player, None))
        if kind.treatment.is_bulk:
            headers["extra"] = self._bulk_fields(headers["reply_to"])
        params = {"sections": [{"section": section, **told}]}
        self._outbox.add(self._mail(kind, player, "answer", params, headers, message_id))
        return message_id

    def reminders(
        self, player: Player, subject: str, told: dict[str, Any], board_ids: Sequence[int]
    ) -> None:
        """Remind a player of several boards; we look whether that was taken, as with one."""
        message_id = self.several(Kind.REMINDERS, player, subject, "reminders", told)
        if board_ids:
            self._turn.work.reminders.name_boards(message_id, board_ids)

    def _bulk_fields(self, reply_to: str) -> dict[str, str]:
        """What lets a mail program offer to end such mails (RFC 2369, section 3.2; RFC 2919)."""
        return {
            "List-Id": f"<digest.{self._site.address.domain}>",
            "List-Unsubscribe": f"<mailto:{quote(reply_to, safe='@')}?subject=set%20digest%20off>",
        }

    def answer_stranger(self, address: str, subject: str, params: dict[str, Any]) -> None:
        """Answer an address that nobody plays from; nothing of it ever comes back.

        Nothing is written to one that has had enough mails.
        """
        if not self._may_write_to_stranger(address):
            return
        headers = self._plain_headers(subject, None, address)
        self._outbox.add(self._mail(Kind.ANSWER, address, "answer", params, headers))

    def question(
        self,
        reader: Player | str,
        asking: Asking,
        *,
        granted: bool = False,
        kind: Kind = Kind.QUESTION,
    ) -> None:
        """Ask a player or an address.

        An address that nobody plays from is asked only as `answer_stranger` answers it, unless
        that is `granted` already.
        """
        address = _address_of(reader)
        if isinstance(reader, str) and not (granted or self._may_write_to_stranger(address)):
            return
        reply_to = self._site.address.question_reply(asking.token)
        headers = self._plain_headers(asking.subject, reply_to, address)
        self._outbox.add(self._mail(kind, reader, asking.template, asking.params, headers))

    def _may_write_to_stranger(self, address: str) -> bool:
        turn = self._turn
        return turn.cause.answer_counted or take_strangers_mail(turn.work, address, turn.now)

    def notice(self, address: str, template: str, subject: str, params: dict[str, Any]) -> None:
        """Write to somebody, usually the operator, with an empty envelope sender."""
        headers = self._plain_headers(answer_subject(subject), None)
        self._outbox.add(self._mail(Kind.NOTICE, address, template, params, headers))

    def farewell(self, address: str, handle: str) -> None:
        """Write the last mail to somebody; once it is sent, the address is forgotten."""
        headers = self._plain_headers(answer_subject("you have left"), None)
        params = {"handle": handle}
        self._outbox.add(self._mail(Kind.FAREWELL, address, "forgotten", params, headers))

    def notice_player(
        self,
        player: Player,
        template: str,
        subject: str,
        params: dict[str, Any],
        *,
        address: str = "",
    ) -> None:
        """Tell a player something that is no answer, with an empty envelope sender.

        `address` is another of the player's than the first.
        """
        own = [address] if address else []
        headers = self._plain_headers(answer_subject(subject), self._reply_to(player, None), *own)
        mail = self._mail(Kind.NOTICE, player, template, params, headers)
        self._outbox.add(replace(mail, recipient=address or mail.recipient))

    def tell_or_keep(
        self, player: Player, template: str, subject: str, params: dict[str, Any]
    ) -> None:
        """Tell a player of what others did about no board, at once or with a digest."""
        turn = self._turn
        if turn.wrote(player) or may_be_told(turn.work, [player.id], turn.now):
            self.notice_player(player, template, subject, params)
        else:
            turn.work.players.lock(player.id)  # as the tick that tells it
            turn.work.kept_news.keep_notice(player.id, {"template": template, **params}, turn.now)
            when, about = (turn.now, next_hour(turn.now)), str(player.id)
            turn.work.timers.set(TimerKind.KEPT_NEWS, about, *when, player_id=player.id)

    def forward(self, address: str, raw_base64: str) -> None:
        """Send a mail on as it came."""
        self._outbox.add(self._mail(Kind.NOTICE, address, "raw", {"raw": raw_base64}, {}))

    def _mail(
        self,
        kind: Kind,
        reader: Player | str,
        template: str,
        params: dict[str, Any],
        headers: dict[str, Any],
        message_id: str | None = None,
        board_id: int | None = None,
    ) -> NewMail:
        """A mail to be written down; one to a player is treated as its kind says."""
        turn, treated = self._turn, kind.treatment
        player = None if isinstance(reader, str) else reader
        message_id = message_id or self._message_id("m")
        return NewMail(
            kind=Kind.UNPROVEN if turn.unproven and treated.uses_up else kind,
            recipient=_address_of(reader),
            template=template,
            params=params,
            headers=headers,
            message_id=message_id,
            sender=self._bounces(player, message_id) if player and treated.comes_back else "",
            written_at=turn.now,
            player_id=player.id if player else None,
            board_id=board_id,
            inbox_id=turn.cause.inbox_id,
            due_at=deferred_until(player, turn.now) if player and treated.waits else None,
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

    def _answering(self, *addresses: str) -> str | None:
        """The Message-ID of the mail that is being obeyed, if one of these wrote it."""
        cause = self._turn.cause
        return cause.message_id if cause.is_from(*addresses) else None

    def _auto_submitted(self, *addresses: str) -> str:
        return REPLIED if self._turn.cause.is_from(*addresses) else GENERATED

    def _reply_to(self, player: Player, board_id: int | None) -> str:
        tag = self._site.keyring.reply_tag(player.id, player.epoch, board_id)
        return self._site.address.board_reply(player.id, tag, board_id)

    def _bounces(self, player: Player, message_id: str) -> str:
        """The envelope sender (VERP): it names player and mail, so that no report is parsed
        for them."""
        mail = short_name(message_id)
        tag = self._site.keyring.bounce_tag(player.id, mail)
        return self._site.address.bounces(player.id, mail, tag)

    def _message_id(self, what: str) -> str:
        return f"<{what}.{self._site.unique()}@{self._site.address.domain}>"

    def _root_id(self, board: Board, player: Player) -> str:
        # The moment keeps it different from that of an earlier database's board.
        told = f"{board.id} {player.id} {board.started_at.isoformat()}"
        made = sha256(told.encode()).hexdigest()
        return f"<g{board.id}.p0.u{player.id}.{made[:16]}@{self._site.address.domain}>"


def _address_of(reader: Player | str) -> str:
    return reader if isinstance(reader, str) else reader.address


def _about(board: Board, player: Player) -> str:
    """What a Message-ID says of a board: its ply, how often plies were taken back, and which
    offers wait for the reader, so that a yes answers none that its mail did not show."""
    back = f"b{board.taken_back}" if board.taken_back else ""
    asked = (item for item in open_offers(board) if player.id in waiting_for(board, item))
    return ".".join([f"g{board.id}.p{board.ply}{back}", *map(mark_of, asked)])


def _about_several(shown: Sequence[dict[str, Any]]) -> str:
    """What a Message-ID says of several boards: the ply of each, and how often plies were taken
    back there, so that an answer is known to be to what stood then."""
    said = "s"
    for mark in dict.fromkeys(map(_shown_mark, shown)):
        said += mark if len(said) + len(mark) <= _LONGEST_SAID else ""
    return said


def _shown_mark(view: dict[str, Any]) -> str:
    back = f"b{view['taken_back']}" if view["taken_back"] else ""
    return f".{view['number']}p{view['ply']}{back}"


def _subject(board: Board, player: Player, view: dict[str, Any]) -> str:
    """The board's frozen subject, or the classic one for a player who wants that."""
    if player.settings.subject != "classic":
        return board.subject
    turn = board.to_move.handle if board.to_move else None
    return classic_subject(board.game, board.id, turn, words=bool(view.get("comments")))
