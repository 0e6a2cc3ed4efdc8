"""Keeps what happened on a board, and reads it again for readers who are told later."""

from collections.abc import Collection, Iterable
from dataclasses import replace
from datetime import datetime

from pbm.events import BoardEvent, Commented, is_public
from pbm.events.kept import from_fields, kind_of, to_fields
from pbm.store.db import UnitOfWork
from pbm.store.values.happened import KeptEvent, NewEvent, Waiting


def record(
    work: UnitOfWork,
    board_id: int,
    events: Iterable[BoardEvent],
    now: datetime,
    *,
    by: int | None = None,
    cause: int | None = None,
    unheard: Collection[int] = (),
) -> None:
    """Keep events of a locked board; whoever is told nothing later counts as told of them.

    `by` is the player who caused them, `cause` the number of that player's mail. Readers in
    `unheard`, for whom earlier events wait, are never told of these.
    """
    never = tuple(sorted(unheard)) or None
    kept = [
        NewEvent(now, kind_of(type(event)), to_fields(event), by, cause, never)
        for event in events
        if event.is_kept
    ]
    work.happened.add(board_id, kept)


def waiting_events(work: UnitOfWork, board_id: int, reader: Waiting) -> list[BoardEvent]:
    """Return the events of which a reader is still to be told, in order.

    A comment without lines is one that the reader is not shown, or that is no longer kept.
    """
    rows = [
        row
        for row in work.happened.since(board_id, reader.seen)
        if reader.player_id not in (row.unheard or ())
    ]
    events = [from_fields(row.kind, row.fields, board_id) for row in rows]
    events = [event for event in events if event.only_reader in (None, reader.player_id)]
    return _with_words(work, events, reader.player_id)


def public_events(work: UnitOfWork, board_id: int, after: int) -> list[BoardEvent]:
    """Return the events after the one with a number that everybody may know, in order."""
    rows = work.happened.since(board_id, after)
    events = [from_fields(row.kind, row.fields, board_id) for row in rows]
    return _with_words(work, list(filter(is_public, events)), 0)


def public_history(
    work: UnitOfWork, board_id: int, most: int
) -> list[tuple[KeptEvent, BoardEvent]]:
    """Return what everybody may know of a board's last `most` events, without what was said."""
    rows = work.happened.since(board_id, work.happened.last(board_id) - most)
    events = ((row, from_fields(row.kind, row.fields, board_id)) for row in rows)
    return [it for it in events if is_public(it[1]) and not isinstance(it[1], Commented)]


def public_words(work: UnitOfWork, board_id: int, most: int) -> list[tuple[KeptEvent, Commented]]:
    """Return what was said to each other among a board's last `most` events, if all may read it.

    All who sit or sat there must want that now, and have wanted it when it was said.
    """
    people = work.players.some(work.boards.have_sat([board_id])[board_id])
    if any(one.settings.talk != "public" for one in people if not one.robot):
        return []
    rows = work.happened.since(board_id, work.happened.last(board_id) - most)
    found = [(row, from_fields(row.kind, row.fields, board_id)) for row in rows]
    said = [(row, it) for row, it in found if isinstance(it, Commented)]
    shown = [(row, it) for row, it in said if is_public(it) and not it.hidden_from]
    lines = work.words.lines_of([it.words for _, it in shown])
    return [(row, replace(it, lines=lines[it.words])) for row, it in shown if it.words in lines]


def _with_words(work: UnitOfWork, events: list[BoardEvent], reader: int) -> list[BoardEvent]:
    said = [event.words for event in events if isinstance(event, Commented)]
    lines = work.words.lines_of(said) if said else {}
    return [_with_lines(event, lines, reader) for event in events]


def _with_lines(event: BoardEvent, lines: dict[int, tuple[str, ...]], reader: int) -> BoardEvent:
    if not isinstance(event, Commented) or reader in event.hidden_from:
        return event
    return replace(event, lines=lines.get(event.words, ()))
