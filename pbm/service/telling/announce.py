"""Turns events into mails: one mail for each board and reader, and one answer to the sender."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import normalize

from pbm.commands.turn import Turn
from pbm.events import (
    Answered,
    BoardEvent,
    Commented,
    Event,
    MovePlayed,
    SeekNews,
    is_public,
    on_boards,
)
from pbm.events.board import BoardFact, SeatTakenOver
from pbm.events.by_operator import SeatHandedOver
from pbm.plain import to_plain
from pbm.play.clocks.view import clock_for, clock_view
from pbm.play.happened import record
from pbm.play.limits import WATCHERS_HEAR_AFTER, claims_spent, is_paused, limit_reached
from pbm.play.ratings import take_rating_news
from pbm.play.views import ViewData, board_view, board_views, card_of, view_reads
from pbm.service.telling.claims import may_answer_claim
from pbm.service.telling.later import decide, news_of, replaced_mails, waiting_news, with_news
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.telling.readers import Reader, handles_on, hears, size_of, told_of
from pbm.store.values.boards import Board
from pbm.store.values.players import Player
from pbm.store.values.queues import TimerKind

_MANY_BOARDS = 5  # boards in progress at which a player is offered fewer mails


def announce_boards(
    turn: Turn, events: Sequence[Event], *, but: int | None = None, together: Collection[int] = ()
) -> None:
    """Lock the boards of the events, and mail them to their readers, now or later.

    The player `but` (an id) gets no mail. Players in `together` (ids) are mailed later, in one mail
    about several boards.
    """
    found: dict[int, list[BoardEvent]] = {}
    for event in on_boards(events):
        found.setdefault(event.board_id, []).append(event)
    for number in sorted(found):
        _Announcement(turn, number, found[number]).tell(but, together)


class _Announcement:
    """Events on one board, which is locked, and what each of its readers is told of them."""

    def __init__(self, turn: Turn, number: int, events: Sequence[BoardEvent]) -> None:
        self._turn, self._work, self._events = turn, turn.work, events
        self._board = turn.work.boards.get(number, lock=True)
        self._handle_of = handles_on(turn.work, self._board)

    def tell(self, but: int | None, together: Collection[int]) -> None:
        """Announce the events; replace mails about the board that are still delayed."""
        turn, work, board = self._turn, self._work, self._board
        work.prefetch(*view_reads(board, turn.now))
        blocked = self._store_comments()
        waiting = work.readers.waiting(board.id) if board.news_waits else {}
        players = [player for player in work.players.reading(board.id) if player.id != but]
        delayed = replaced_mails(turn, board, players)
        readers = [
            Reader(
                player,
                turn.cause.is_from(*player.addresses),
                player.id in together,
                blocked.get(player.id, frozenset()),
                waiting.get(player.id),
                delayed.get(player.id),
            )
            for player in players
        ]
        sender = next((reader.player.id for reader in readers if reader.is_sender), None)
        readers = [it for it in readers if it.delayed or hears(it, board, self._events)]
        for reader in readers:
            reader.told = self._told(reader.player)
        decide(turn, board, readers, self._events)
        now = [reader for reader in readers if not reader.is_later]
        for reader in now:
            if reader.delayed:
                reader.before.append(news_of(reader.delayed))
            if reader.waiting:
                reader.before.append(waiting_news(turn, board, reader.waiting))
            if reader.player.rating_news:
                recounted = take_rating_news(work, board.id, reader.player)
                reader.told["lead"] += [fact.lead(self._handle_of) for fact in recounted]
        self._record(readers, sender, waiting.keys())
        if now:
            self._show(now)
            shown = [(reader.player, reader.view, reader.delayed) for reader in now]
            MailWriter(turn).boards(board, shown)

    def _record(
        self, readers: Sequence[Reader], sender: int | None, behind: Collection[int]
    ) -> None:
        """Keep the events, and move the cursors of all readers but of those who are told later."""
        work, board, now = self._work, self._board, self._turn.now
        sizes = {reader.player.id: size_of(reader.told) for reader in readers if reader.is_later}
        work.readers.keep(board.id, sizes, now)
        record(
            *(work, board.id, self._events, now),
            by=sender,
            cause=self._turn.cause.inbox_id,
            unheard={*behind} - {reader.player.id for reader in readers},
        )
        if board.watched and any(map(is_public, self._events)):
            soon, about = now + WATCHERS_HEAR_AFTER, f"{board.id}.0"
            work.timers.set_later(TimerKind.WATCHERS, about, now, soon, board.id)
        caught_up = [it.player.id for it in readers if it.waiting and not it.is_later]
        if caught_up:
            work.readers.tell(board.id, caught_up)

    def _store_comments(self) -> Mapping[int, Collection[int]]:
        """Store the comments, and note in the events which rows they are, and who reads them.

        Returns by player the authors whom that player does not want to read: those who are blocked,
        and all on a board that is muted.
        """
        work, board = self._work, self._board
        speakers = {event.speaker for event in self._events if event.speaker is not None}
        if not speakers:
            return {}
        people = [player for player in work.players.reading(board.id) if not player.robot]
        public = all(player.settings.talk == "public" for player in people)
        blocks = work.blocks.among([seat.player_id for seat in board.seats])
        blocked = {by: {who for who in speakers if (by, who) in blocks} for by, _ in blocks}
        said = {event.player for event in self._events if isinstance(event, Commented)}
        for player_id in work.players.muting(board.id) if said else ():
            blocked[player_id] = blocked.get(player_id, set()) | said - {player_id}
        stored = list[BoardEvent]()
        for event in self._events:
            if isinstance(event, Commented):
                row = work.words.add(board.id, event.player, event.lines, self._turn.now)
                deaf = sorted(by for by, authors in blocked.items() if event.player in authors)
                event = replace(event, words=row, hidden_from=tuple(deaf), public=public)
            stored.append(event)
        self._events = stored
        return blocked

    def _told(self, player: Player) -> dict[str, Any]:
        """Return what the events say to a player; to the author of comments also who reads them."""
        told = told_of(self._events, player.id, self._handle_of)
        comments = (event for event in self._events if isinstance(event, Commented))
        own = [said for said in comments if said.player == player.id]
        if own:
            first, sent_to = any(it.first for it in own), others_reading(self._board, player.id)
            for said in told["comments"]:
                if said["handle"] == self._handle_of(player.id):
                    said |= {"sent_to": sent_to, "first": first}
        if away := [said.vacation for said in own if said.vacation]:
            told["vacation"] = away[-1]
        if any(said.asks for said in own):
            told["card"] = card_of(self._work, self._board, self._turn.now)
        return told

    def _show(self, readers: Sequence[Reader]) -> None:
        players, board = [reader.player for reader in readers], self._board
        delayed = (reader for reader in readers if reader.delayed)
        knows: dict[int | None, int] = {it.player.id: it.before[0].after_ply for it in delayed}
        views = board_views(self._work, board, players, knows=knows)
        clock = clock_view(self._work, board, self._turn.now)
        timed = {
            zone: clock.for_reader(zone) if clock else None
            for zone in {player.settings.timezone for player in players}
        }
        begins = any(event.begins_board for event in self._events)
        moved = any(isinstance(event, MovePlayed) for event in self._events)
        newcomers = self._work.beginnings.newcomers(board.id) if begins else ()
        for reader in readers:
            player, was_new = reader.player, any(it.told.get("newcomer") for it in reader.before)
            reader.view = view = {
                **views[player.id],
                **with_news(reader.told, reader.before),
                "newcomer": was_new or player.id in newcomers,
                "clock": timed[player.settings.timezone],
            }
            if self._offers_fewer(reader, begins=begins):
                view["fewer_mails"] = True
            if reader.is_small and view["picture"]:
                view["picture"]["small"] = True
            self._explain_names(player, view)
            if not (begins or moved or reader.before) and player.settings.mails == "all":
                # An earlier mail has listed the moves, and the drawing marks them.
                view["happened"] = [item for item in view["happened"] if "how" in item]

    def _offers_fewer(self, reader: Reader, *, begins: bool) -> bool:
        """Return whether to offer the sender of the mail in hand a setting for fewer mails."""
        board, player, settings = self._board, reader.player, reader.player.settings
        if settings.fewer_offered or settings.mails != "all" or settings.wants_digests:
            return False
        # Counting boards takes a query, so only the begin and first moves of a board lead to it.
        is_first = begins or board.ply <= len(board.seats)
        if not (is_first and reader.is_sender) or any(seat.robot for seat in board.seats):
            return False
        if self._work.history.playing(player.id, most=_MANY_BOARDS) < _MANY_BOARDS:
            return False
        self._work.players.change_settings(player.id, fewer_offered=True)
        return True

    def _explain_names(self, player: Player, view: ViewData) -> None:
        """Have a mail explain, once to each player, that it names the player's move otherwise."""
        moves = (event for event in self._events if isinstance(event, MovePlayed))
        written = {move.ply: move.written for move in moves}
        for item in () if player.settings.names_explained else view["happened"]:
            names = [written.get(item.get("ply")) or item.get("move", ""), item.get("move", "")]
            places = {"".join(filter(str.isalnum, normalize("NFKC", it).lower())) for it in names}
            if len(places) > 1 and item["handle"] == player.handle:
                view["renamed"] = {"written": names[0], "move": names[1]}
                self._work.players.change_settings(player.id, names_explained=True)


def announce_seeks(turn: Turn, events: Sequence[Event]) -> None:
    for news in (event for event in events if isinstance(event, SeekNews)):
        for player in turn.work.players.some(news.readers):
            if player.addresses and player.is_active:
                told = {**to_plain(news), "own": player.handle == news.handle}
                MailWriter(turn).tell_or_keep(player, "seek-news", told)


def others_reading(board: Board, player_id: int) -> list[str]:
    """Return the handles of the other people who get words of a player, blocked or not."""
    handles = [
        seat.handle
        for seat in board.seats
        if not (seat.robot or seat.removed or seat.player_id == player_id)
        and (not board.playing or seat.player_id in board.still_in)
    ]
    return list(dict.fromkeys(handles))


def shown_to(
    turn: Turn, player: Player, board: Board, *facts: BoardFact, after: int | None = None
) -> dict[str, Any]:
    """Return a board's view for one player, with facts above it and all moves since ply `after`."""
    return {
        **board_view(turn.work, board, player, after=after),
        "lead": [fact.lead(handles_on(turn.work, board)) for fact in facts],
        "comments": [],
        "clock": clock_for(turn.work, board, turn.now, player),
    }


def tell_leaver(
    turn: Turn, handed: SeatTakenOver | SeatHandedOver, others: Sequence[Event]
) -> None:
    """Mail a board to the player whose seats another has taken over, with what else that hears."""
    player = turn.work.players.get(handed.player)
    facts = (it for it in others if isinstance(it, BoardFact) and it.board_id == handed.board_id)
    told = (fact for fact in facts if fact.only_reader == player.id)
    if player.addresses:
        board = turn.work.boards.get(handed.board_id)
        MailWriter(turn).board(player, board, shown_to(turn, player, board, handed, *told))


def announce_answer(turn: Turn, player: Player, sections: Sequence[Answered]) -> bool:
    """Write one answer with all sections; return False if the player's limit forbids an answer."""
    if not sections or not player.addresses:
        return True
    if not may_answer(turn, player):
        return False
    numbers = {section.board_id for section in sections}
    # Sections about no board join the thread of the only board, unless a section shows boards.
    if len(numbers) > 1 and not any(section.boards for section in sections):
        numbers.discard(None)
    number = numbers.pop() if len(numbers) == 1 else None
    # Sections with boards come last, so that a state line is the last line of the mail.
    told = [
        {"section": section.section, **section.params}
        for section in sorted(sections, key=lambda section: bool(section.boards))
    ]
    if number is None:
        shown = [board for section in sections for board in section.boards]
        subject = sections[0].params.get("subject_line")
        MailWriter(turn).answer(player, told, subject=subject, shown=shown)
        return True
    board = turn.work.boards.get(number)
    params = {**shown_to(turn, player, board), "sections": told}
    MailWriter(turn).answer_on_board(player, board, params)
    return True


def may_answer(turn: Turn, player: Player) -> bool:
    """Count an answer or question to a player. If there were enough, a mail says so, once."""
    if turn.claim is not None:
        return may_answer_claim(turn, turn.claim, player)
    if is_paused(turn.work, player.address, turn.now):
        return False
    limit = limit_reached(turn.work, player, turn.now)
    if limit is None:
        return True
    until = (turn.now + limit.within).strftime("%Y-%m-%d %H:%M UTC")
    paused = {"section": "paused", "until": until, "most": limit.most}
    MailWriter(turn).answer(player, [paused], kind=limit.pause)
    return False


def answers_stop(turn: Turn, player: Player) -> bool:
    """Return whether limits allow the player no answer now."""
    work, now, claim = turn.work, turn.now, turn.claim
    if claim is not None:
        return claims_spent(work, player.id, claim.origin, now, known=claim.known)
    return is_paused(work, player.address, now) or limit_reached(work, player, now) is not None
