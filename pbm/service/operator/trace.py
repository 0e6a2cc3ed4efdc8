"""`pbm-admin trace`: what became of a mail, a player or a board, read from the database alone."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from pbm.addresses import digest_of
from pbm.errors import OperatorError
from pbm.mail.writing.render import sentence
from pbm.play.clocks.waits import wait_of
from pbm.play.limits import REFUSED, SENT, is_paused
from pbm.service.intake.bans import BanList
from pbm.service.operator.operator_session import OperatorSession, find_board, find_player
from pbm.service.operator.queue import find_mail, name_of
from pbm.service.operator.standing import standing
from pbm.service.telling.later import SOON
from pbm.service.trouble.masking import masked, one_line
from pbm.store.db import UnitOfWork
from pbm.store.queues.queue import ALWAYS, Between
from pbm.store.values.boards import Board
from pbm.store.values.happened import KeptEvent
from pbm.store.values.mails import InboxMail, OutboxMail, OutboxStatus
from pbm.store.values.players import Player, PlayerSettings
from pbm.store.values.queues import TimerKind

_LAST, _ON_A_DAY = 6, 100  # mails of each direction
_NOT_SHOWN = {"raw", "params", "headers"}  # of mails
_INTERNAL = {"signature", "endings", "fewer_offered", "names_explained"}  # settings
Facts = dict[str, Any]
Mail = InboxMail | OutboxMail


@dataclass(frozen=True)
class Entry:
    """A line of a trace. The macro `what` of `templates/trace.txt` words its facts."""

    at: datetime | None  # None for what is so now
    about: str  # such as i12, o12, board 3 or bob
    what: str
    facts: Facts

    @property
    def told(self) -> str:
        return sentence({"what": self.what, **self.facts}, "trace.txt")


def trace(session: OperatorSession, what: str, day: datetime | None = None) -> list[Entry]:
    """Return what is known of a mail, a player, a board or an address, in the order of time.

    What holds now comes last. Secrets are masked. Raises OperatorError if there is no such thing.
    """
    with session.look() as work:
        found = list(_Look(work, session.clock()).at(what, day))
    # Within a second, what follows from something stands below it.
    return sorted(found, key=lambda entry: (entry.at or ALWAYS[1]).replace(microsecond=0))


@dataclass(frozen=True)
class _Look:
    work: UnitOfWork
    now: datetime

    def at(self, what: str, day: datetime | None) -> Iterator[Entry]:
        if what.isdecimal() and len(what) < 10:
            return self._board(find_board(self.work, int(what)))
        if what[:1] in "ioIO" and what[1:].isdecimal():
            return self._mail(find_mail(self.work, what))
        if "@" not in what:
            return self._player(find_player(self.work, what))
        named = self._mails(1, message_id=[f"<{what.strip('<>')}>"])
        return self._mail(named[0]) if named else self._address(what, day)

    def _mails(self, most: int, between: Between = ALWAYS, /, **among: Iterable[Any]) -> list[Mail]:
        """Return the newest mails that came in, and the newest that go out."""
        came = self.work.inbox.newest(most, between, **among)
        return [*came, *self.work.outbox.newest(most, between, **among)]

    def _mail(self, mail: Mail) -> Iterator[Entry]:
        """Yield all that is known of a mail, of its cause, and of what it caused."""
        if isinstance(mail, OutboxMail):
            cause = self.work.inbox.find(mail.inbox_id or 0, lock=False)
            yield from self._steps(*([cause] if cause else []), mail)
            return
        caused = self.work.outbox.newest(_ON_A_DAY, inbox_id=[mail.id])
        written = {(each.board_id, each.player_id) for each in caused}
        happened = self.work.happened.caused_by(mail.id)
        yield from self._steps(mail)
        for number, events in happened.items():
            yield from (self._event(number, event) for event in events)
        yield from self._steps(*caused)
        for number, events in happened.items():
            for reader in self.work.players.reading(number):
                if (number, reader.id) not in written and not reader.robot:
                    why = self._why_no_mail(reader, self.work.boards.get(number), events)
                    yield Entry(None, f"board {number}", "no-mail", {"handle": reader.handle} | why)

    def _steps(self, *mails: Mail, short: bool = False) -> Iterator[Entry]:
        """Yield how each mail began, and what became of it; the latter alone if `short`."""
        for mail in mails:
            facts = {
                name: masked(one_line(value)) if isinstance(value, str) else value
                for name, value in {**vars(mail), "short": short}.items()
                if name not in _NOT_SHOWN
            }
            if isinstance(mail, OutboxMail):
                facts["message_id"] = mail.message_id  # ours, which may look like a tag
                began, ended = (mail.written_at, "written"), (mail.finished_at, str(mail.status))
                facts |= self._held(mail) if mail.status == OutboxStatus.DUE else {}
            else:
                began, ended = (mail.received_at, "came"), (mail.done_at, str(mail.status))
            for at, what in (ended,) if short else (began, ended):
                yield Entry(at, name_of(mail), what, facts)

    def _held(self, mail: OutboxMail) -> Facts:
        """Return what holds up a mail that is to go out."""
        player = self.work.players.find(mail.player_id or 0)
        if ahead := self.work.outbox.held_by(mail.id, self.now):
            return {"why": "order", "ahead": ahead}
        if mail.due_at <= self.now or mail.attempts:
            return {"why": "tried" if mail.attempts else "next"}
        return {"why": "bounce" if player and player.bounced_at else str(mail.kind)}

    def _event(self, number: int, event: KeptEvent) -> Entry:
        player = self.work.players.find(event.by_id or event.fields.get("player") or 0)
        facts: Facts = {"kind": event.kind, "handle": player.handle if player else ""}
        facts |= {"move": event.fields.get("move", ""), "cause": event.cause}
        return Entry(event.at, f"board {number}", "event", facts)

    def _why_no_mail(self, player: Player, board: Board, events: Sequence[KeptEvent]) -> Facts:
        """Return why no mail tells a reader of events on a board."""
        waiting = self.work.readers.waiting(board.id).get(player.id)
        if waiting and waiting.seen < events[-1].number:
            return self._kept(player, board.id)
        wrote = any(player.id == event.by_id for event in events)
        whys = {
            "no-address": not player.addresses,
            "block": any(player.id in event.fields.get("hidden_from", ()) for event in events),
            "receipts": wrote and not player.settings.receipts,
            "left": board.playing and player.id not in board.still_in,
            "turn": player.settings.mails == "turn",
        }
        return {"why": next((why for why, holds in whys.items() if holds), "other")}

    def _kept(self, player: Player, board_id: int | None = None) -> Facts:
        """Return until when news of a board, or of none, waits for a player, and why."""
        own = str(player.id)
        about = f"{own}.{board_id}" if board_id else own
        kept = self.work.timers.about(TimerKind.KEPT_NEWS, [about]).get(about)
        due = kept or self.work.timers.about(TimerKind.DIGEST, [own]).get(own)
        limit = "together" if kept and kept.due_at - kept.since == SOON else "limit"
        facts = {"why": limit if kept else "digest", "due_at": due and due.due_at}
        return facts | {"handle": player.handle}

    def _player(self, player: Player) -> Iterator[Entry]:
        work, usual = self.work, vars(PlayerSettings())
        chosen = {name: vars(player.settings)[name] for name in usual.keys() - _INTERNAL}
        facts: Facts = {
            **{name: vars(player)[name] for name in ("status", "joined_at", "addresses")},
            "settings": {name: it for name, it in sorted(chosen.items()) if it != usual[name]},
            "back_since": player.unreachable_since or player.bounced_at,
            "blocks": work.blocks.handles_of(player.id),
            "paused": bool(player.addresses) and is_paused(work, player.address, self.now),
            "full": SENT.is_empty(work, self.now, player.id),
            "kept": self._kept(player) if work.kept_notices.exist(player.id) else None,
        }
        yield Entry(None, player.handle, "player", facts)
        for number in work.readers.boards(player.id, self.now):
            yield Entry(None, f"board {number}", "kept", self._kept(player, number))
        yield from map(self._turn, work.boards.get_many(work.boards.to_move(player.id)))
        yield from self._mails_of(player.addresses, _LAST)

    def _turn(self, board: Board) -> Entry:
        wait = wait_of(self.work, board, self.now) if board.is_installed else None
        facts = {"standing": standing(board), "until": wait and wait.ends_at}
        return Entry(None, f"board {board.id}", "turn", facts)

    def _board(self, board: Board) -> Iterator[Entry]:
        work = self.work
        yield self._turn(board)
        for player in map(work.players.get, work.readers.waiting(board.id)):
            yield Entry(None, f"board {board.id}", "kept", self._kept(player, board.id))
        events = work.happened.since(board.id, work.happened.counted(board.id)[1] - _LAST)
        yield from (self._event(board.id, event) for event in events)
        causes = {event.cause for event in events if event.cause}
        yield from self._steps(*work.inbox.newest(_LAST, id=causes), short=True)
        yield from self._steps(*work.outbox.newest(_LAST, board_id=[board.id]), short=True)

    def _address(self, address: str, day: datetime | None) -> Iterator[Entry]:
        if address.startswith("<"):
            raise OperatorError(f"There is no mail with the Message-ID {address}.")
        player = self.work.players.by_address(address)
        facts = {"handle": player.handle if player else "", "digest": digest_of(address)}
        yield Entry(None, address, "address", facts)
        between = (day, day + timedelta(days=1)) if day else ALWAYS
        yield from self._mails_of([address], _ON_A_DAY if day else _LAST, between)

    def _mails_of(
        self, addresses: Sequence[str], most: int, between: Between = ALWAYS
    ) -> Iterator[Entry]:
        keys = [address.lower() for address in addresses]
        mails = self._mails(most, between, address=keys)
        yield from self._steps(*mails, short=True)
        if len(mails) >= most:
            yield Entry(None, "mails", "newest", {"most": most})
        bans = {ban.what: ban for ban in self.work.bans.all()}
        for key in keys:
            ban = bans.get(BanList(bans.values()).find(key) or "")
            if ban:
                yield Entry(None, key, "banned", {"ban": ban.what, "since": ban.at, "why": ban.why})
            for noted in (key, ban.what) if ban else (key,):
                for why, at in self.work.buckets.beginning(REFUSED.key(noted, "")).items():
                    yield Entry(at, noted, "refused", {"why": why})


_WORD = re.compile(r"[a-z][a-z0-9_-]*", re.ASCII | re.IGNORECASE)
_NAME = re.compile(
    r"(?P<address>[^\s<>(),;:\"]{1,254}@[\w.-]{1,255})|(?P<host>(?:[\w-]{1,63}\.){1,20}[a-z]{2,63}\b)|(?P<network>"
    r"(?:\d{1,3}\.){3}\d{1,3}(?:/\d+)?|(?:[\da-f]+:){3,7}[\da-f:/]*|[\da-f:]*::[\da-f:/]*)",
    re.ASCII | re.IGNORECASE,
)


def redacted(session: OperatorSession, text: str) -> str:
    """Return a text with stand-ins for people's handles and addresses, hosts and networks."""
    own, stand_ins = session.site.address, dict[str, str]()

    def stand_in(found: re.Match[str]) -> str:
        name = found[0].lower()
        if name.startswith((own.plain, own.before_detail)):
            return f"{name.partition('@')[0]}@server"
        return stand_ins.setdefault(name, f"{found.lastgroup}-{len(stand_ins) + 1}")

    with session.look() as work:
        people = work.players.called({word.lower() for word in _WORD.findall(text)})
    named = {handle: f"player-{number}" for handle, number in people.items()}
    return _WORD.sub(lambda it: named.get(it[0].lower(), it[0]), _NAME.sub(stand_in, text))
