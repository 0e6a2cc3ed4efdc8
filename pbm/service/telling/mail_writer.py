"""Writes mails into the outbox: recipient, subject, thread, reply address.

A board's mails to one player are a thread: each refers to the first mail, whose Message-ID is
computed from board and player, without a query.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import quote

import structlog

from pbm.commands.turn import Turn
from pbm.events import Messaged
from pbm.events.board import MailCameBack
from pbm.mail.writing.compose import list_fields
from pbm.play.board_page import pages
from pbm.play.digests import next_hour
from pbm.play.limits import strangers_answers_left, take_mails, take_strangers_mail
from pbm.play.offers import mark_of
from pbm.play.subjects import classic_subject
from pbm.service.telling.later import deferred_until, take_waiting, waits_until, with_news
from pbm.store.values.boards import Board
from pbm.store.values.mails import Kind, NewMail, OutboxMail, named
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

REPLIED, GENERATED = "auto-replied", "auto-generated"
_log = structlog.get_logger("pbm.mails")
Params = dict[str, Any]  # of a template
# Characters without the tag. It stands in both parts, which make a mail 2 KB larger, and need no
# encoding, as no line of them has 998 characters.
_LONGEST_LINK = 900
_LIST_ALL = frozenset(("board", "past-board", "replay"))  # sections with a game from its start
_LONGEST_SAID = 180  # characters of a Message-ID before its random part


class MailWriter:
    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self._site = turn.site

    def board(
        self,
        player: Player,
        board: Board,
        view: Params,
        kind: Kind = Kind.BOARD,
        not_before: datetime | None = None,
    ) -> None:
        """Mail a board to a player, in the board's thread; add the player's waiting news."""
        waits = not_before or deferred_until(player, self._turn.now)
        if not (waits and kind.treatment.is_superseded):  # a dropped mail would tell nobody
            view = with_news(view, take_waiting(self._turn, player, board))
        mail = self._about_board(kind, player, board, view)
        if not_before and not_before > (mail.due_at or self._turn.now):
            mail = replace(mail, due_at=not_before)
        self._turn.work.outbox.add(mail)

    def boards(
        self, board: Board, views: Sequence[tuple[Player, Params, OutboxMail | None]]
    ) -> None:
        """Mail a board to players, each with a view and perhaps a mail that this one replaces."""
        mails = (self._about_board(Kind.BOARD, it[0], board, it[1], it[2]) for it in views)
        self._turn.work.outbox.add(*mails)

    def answer_on_board(self, player: Player, board: Board, view: Params) -> None:
        self._turn.work.outbox.add(self._about_board(Kind.ANSWER, player, board, view))

    def _about_board(
        self,
        kind: Kind,
        player: Player,
        board: Board,
        view: Params,
        replaced: OutboxMail | None = None,
    ) -> NewMail:
        if player.bounced_at and not kind.treatment.is_superseded:
            # An older mail in retry would arrive later and show an outdated position.
            why = "a later mail shows the board"
            outbox = self._turn.work.outbox
            if outbox.supersede(player.id, why, self._turn.now, board_id=board.id):
                view = {**view, "lead": [MailCameBack(board.id).lead(str), *view["lead"]]}
        # The start time makes a difference to a board with this number in an earlier database.
        told = f"{board.id} {player.id} {board.started_at.isoformat()}"
        made = sha256(told.encode()).hexdigest()[:16]
        root = f"<g{board.id}.p0.u{player.id}.{made}@{self._site.address.domain}>"
        first = (
            kind.treatment.begins_thread
            and board.ply == 0
            and not self._turn.work.outbox.written(root)
        )
        subject, mover = board.subject, board.to_move.handle if board.to_move else None
        if player.settings.subject == "classic":
            words = bool(view.get("comments"))
            subject = classic_subject(board.game, board.id, mover, words=words)
        headers = {
            "subject": subject,
            **self._in_thread(player, board, None if first else root, replaced),
            "extra": {
                "X-PBM-Board": str(board.id),
                "X-PBM-Ply": str(board.ply),
                "X-PBM-Turn": mover or "-",
                "X-PBM-State": view["state"],
            },
        }
        message_id = root if first else self._message_id(_about(board, player))
        template = "answer" if "sections" in view else "board"
        view = {**view, **self._page_link(player, board, view)}
        mail = self._mail(kind, player, template, view, headers, message_id, board.id)
        until = waits_until(self._turn, board, replaced) if kind == Kind.BOARD else None
        if until is not None and mail.due_at is None:
            mail = replace(mail, kind=Kind.AWAITING, due_at=until)
        return replace(mail, inbox_id=mail.inbox_id or replaced.inbox_id) if replaced else mail

    def _page_link(self, player: Player, board: Board, view: Params) -> Params:
        """Return the link to the board page, if there is such a page and it knows the game."""
        site = self._site
        if not site.page_url:
            return {}
        lists_all = _LIST_ALL & {section["section"] for section in view.get("sections", ())}
        whole = bool(lists_all) or not board.playing
        links = map(site.page_link, pages(self._turn.work, board, player, whole=whole))
        return next(({"page": link} for link in links if len(link) <= _LONGEST_LINK), {})

    def _in_thread(
        self, player: Player, board: Board, root: str | None, replaced: OutboxMail | None
    ) -> Params:
        """Return a mail's thread headers. `root` is the Message-ID of the thread's first mail."""
        answers, begins = self._auto_submitted(*player.addresses), root is None
        # The answered mail may be in another thread; a reference to it would break the board's.
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

    def answer(
        self,
        reader: Player | str,
        sections: list[Params],
        *,
        subject: str | None = None,
        kind: Kind = Kind.ANSWER,
        shown: Sequence[Params] = (),
    ) -> str:
        """Mail an answer outside the boards' threads, and return its Message-ID.

        The first section words the subject if it is None. The Message-ID tells of the boards in
        `shown`. A stranger gets only a few answers a day.
        """
        params: Params = {"sections": sections}
        if isinstance(reader, str):
            left = answers_left(self._turn, reader)
            if not left or not self._may_write_to_stranger(reader):
                return ""
            params["last"] = left == 1
        headers = self._plain_headers(subject, *_addresses_of(reader))
        if kind is Kind.DIGEST and isinstance(reader, Player):
            to = quote(self._site.reply_address(reader.id, reader.epoch), safe="@")
            ends = f"{to}?subject=set%20digest%20off"
            headers["extra"] = list_fields("digest", self._site.address.domain, ends)
        message_id = self._message_id(_about_several(shown))
        self._turn.work.outbox.add(self._mail(kind, reader, "answer", params, headers, message_id))
        return message_id

    def to_many(
        self,
        reader: Player,
        sections: list[Params],
        kind: Kind,
        ends: str,
        *,
        name: str,
        shown: Sequence[Params] = (),
        about: Board | None = None,
    ) -> None:
        """Mail one of many readers of the list `name`. Any mail to its own address ends it.

        `ends` is as in `Unsubscribe`. A mail `about` the only board in `shown` is in its thread.
        """
        site = self._site
        to = quote(site.unsubscribe_address(reader.id, ends), safe="@")
        params: Params = {"sections": sections, "last": False}
        if about:
            told = {**params, "state": shown[0]["state"], "lead": []}
            mail = self._about_board(kind, reader, about, told)
        else:
            headers = self._plain_headers(None, *reader.addresses)
            message_id = self._message_id(_about_several(shown))
            mail = self._mail(kind, reader, "answer", params, headers, message_id)
        mail.headers["extra"] |= list_fields(name, site.address.domain, to)
        mail.headers["extra"]["Precedence"] = "list"
        self._turn.work.outbox.add(mail)

    def question(
        self,
        reader: Player | str,
        template: str,
        subject: str,
        params: Params,
        token: str,
        *,
        granted: bool = False,
        kind: Kind = Kind.QUESTION,
    ) -> None:
        """Ask a player or an address; the reply address holds the token.

        A stranger over the daily limit is not asked. If `granted`, the limit was checked before.
        """
        address = _addresses_of(reader)[0]
        if isinstance(reader, str) and not (granted or self._may_write_to_stranger(address)):
            return
        headers = self._plain_headers(subject, address)
        headers["reply_to"] = self._site.address.question_reply(token)
        self._turn.work.outbox.add(self._mail(kind, reader, template, params, headers))

    def _may_write_to_stranger(self, address: str) -> bool:
        turn = self._turn
        return turn.cause.answer_counted or take_strangers_mail(turn.work, address, turn.now)

    def notice(
        self,
        reader: Player | str,
        template: str,
        params: Params,
        *,
        address: str = "",
        kind: Kind = Kind.NOTICE,
        about: str = "m",
    ) -> None:
        """Mail a notice to `reader`; a given `address` is used instead of the player's address.

        Its Message-ID begins with `about`.
        """
        headers = self._plain_headers(None, *filter(None, [address]))
        mail = self._mail(kind, reader, template, params, headers, self._message_id(about))
        self._turn.work.outbox.add(replace(mail, recipient=address or mail.recipient))

    def message(self, message: Messaged) -> None:
        """Mail a player's words to others, or let them wait as mails about boards do."""
        told = {"handle": message.handle, "lines": message.lines}
        for player in self._turn.work.players.some(message.readers):
            others = [handle for handle in message.to if handle != player.handle]
            about = {"kind": Kind.MESSAGE, "about": f"w{message.by}"}
            self.tell_or_keep(player, "message", {**told, "others": others}, **about)

    def tell_or_keep(self, player: Player, template: str, params: Params, **about: Any) -> None:
        """Mail a notice to a player, or keep it for the next full hour if a limit is reached.

        What a player wrote waits for the next digest, if the reader gets digests.
        """
        turn, in_digest = self._turn, bool(about) and player.settings.wants_digests
        is_own = turn.cause.is_from(*player.addresses)
        if is_own or (not in_digest and take_mails(turn.work, [player.id], turn.now)):
            self.notice(player, template, params, **about)
            return
        turn.work.players.lock(player.id)  # the timer that mails it takes the same lock
        kept = {"template": template, **params, **({"kept": True} if about else {})}
        turn.work.kept_notices.keep(player.id, kept, turn.now)
        if not in_digest:
            due = (turn.now, next_hour(turn.now))
            turn.work.timers.set(TimerKind.KEPT_NEWS, str(player.id), *due, player_id=player.id)

    def forward(self, address: str, raw_base64: str) -> None:
        self._turn.work.outbox.add(self._mail(Kind.NOTICE, address, "raw", {"raw": raw_base64}, {}))

    def _mail(
        self,
        kind: Kind,
        reader: Player | str,
        template: str,
        params: Params,
        headers: Params,
        message_id: str | None = None,
        board_id: int | None = None,
    ) -> NewMail:
        turn, treated, site = self._turn, kind.treatment, self._site
        player = None if isinstance(reader, str) else reader
        message_id = message_id or self._message_id("m")
        own = site.reply_address(player.id, player.epoch, board_id) if player else None
        sender = ""
        if player and treated.comes_back:  # VERP: the bounce address names player and mail
            sender = site.bounce_address(player.id, message_id)
        about = named(turn.cause.inbox_id, board=board_id, player=player and player.handle)
        _log.debug("mail written", **about, kind=str(kind), message_id=message_id)
        return NewMail(
            kind=Kind.UNPROVEN if turn.claim and treated.uses_up else kind,
            recipient=_addresses_of(reader)[0],
            template=template,
            params=params,
            headers={"reply_to": own, **headers},
            message_id=message_id,
            sender=sender,
            written_at=turn.now,
            player_id=player.id if player else None,
            board_id=board_id,
            inbox_id=turn.cause.inbox_id,
            due_at=deferred_until(player, turn.now) if player and treated.waits else None,
        )

    def _plain_headers(self, subject: str | None, *addresses: str) -> Params:
        """Return the headers of a mail to `addresses` that belongs to no board's thread.

        The template words the subject if it is None.
        """
        answering = self._turn.cause.message_id if self._turn.cause.is_from(*addresses) else None
        return {
            **({"subject": subject} if subject else {}),
            "in_reply_to": answering,
            "references": [answering] if answering else [],
            "auto_submitted": self._auto_submitted(*addresses),
            "extra": {},
        }

    def _auto_submitted(self, *addresses: str) -> str:
        return REPLIED if self._turn.cause.is_from(*addresses) else GENERATED

    def _message_id(self, what: str) -> str:
        return f"<{what}.{self._site.unique()}@{self._site.address.domain}>"


def answers_left(turn: Turn, address: str) -> int:
    """Return how many answers an unknown address may get today, including this mail's answer."""
    return strangers_answers_left(turn.work, address, turn.now) + turn.cause.answer_counted


def _addresses_of(reader: Player | str) -> tuple[str, ...]:
    return (reader,) if isinstance(reader, str) else reader.addresses


def _about(board: Board, player: Player) -> str:
    """Encode a board's state as a part of a Message-ID: ply, take-backs, offers to the player."""
    back = f"b{board.taken_back}" if board.taken_back else ""
    asked = (offer for offer, waiting in board.open_offers.items() if player.id in waiting)
    return ".".join([f"g{board.id}.p{board.ply}{back}", *map(mark_of, asked)])


def _about_several(shown: Sequence[Params]) -> str:
    """Encode ply and number of take-backs of several boards, as a part of a Message-ID."""
    said = "s" if shown else "m"
    marks = (
        f".{view['number']}p{view['ply']}"
        + (f"b{view['taken_back']}" if view["taken_back"] else "")
        for view in shown
    )
    for mark in dict.fromkeys(marks):
        said += mark if len(said) + len(mark) <= _LONGEST_SAID else ""
    return said
