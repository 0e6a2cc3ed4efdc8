"""`pbm-admin games`: changes of boards by the operator, export and import of records."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

from pbm.errors import OperatorError, Refusal
from pbm.events import by_operator
from pbm.events.by_operator import OperatorActed
from pbm.mail.writing.render import sentence
from pbm.play.actions import (
    BY_OPERATOR,
    end_board,
    forfeits_after,
    forfeits_that_ended,
    reopen_board,
    undo_ply,
)
from pbm.play.advance import advance
from pbm.play.begin import robots_play
from pbm.play.boards import request_move
from pbm.play.clocks.pauses import MOST_GIVEN, add_time
from pbm.play.clocks.waits import PAUSED_AT_MOST, PAUSED_BY_ALL, wait_of
from pbm.play.game_words import why as why_of
from pbm.play.handovers import hand_over
from pbm.play.offers import set_paused
from pbm.play.records import keep_record, record_of, replay, shown_names
from pbm.rules.contract import Game, GameRecord, KeepsRecords, Options, RecordError, has
from pbm.rules.record import forms_of, written
from pbm.rules.registry import default_game, games
from pbm.service.operator.operator_session import OperatorSession, find_board, find_player
from pbm.service.operator.operator_turn import OperatorTurn
from pbm.service.telling.announce import announce_boards, tell_leaver
from pbm.store.values.boards import Board, BoardStatus, Departure, Ply, Seat
from pbm.store.values.players import Player

_BY_WORD = (BY_OPERATOR, "agreed", "claimed")
MOST_BYTES = 64 * 1024


def undo(session: OperatorSession, number: int, why: str) -> Ply:
    """Undo the last ply, and resignations and forfeits after it. A finished game goes on."""
    with session.act(why) as act:
        board = act.board(number)
        _check_rules(board)
        if board.from_record:
            raise OperatorError(f"Board {number} is a record of a game that was played elsewhere.")
        if board.ended_by in _BY_WORD:
            how = f"Board {number} ended as a draw"
            how = f"The operator ended board {number}" if board.ended_by == BY_OPERATOR else how
            raise OperatorError(f"{how}. Run: pbm-admin games reopen {number}")
        if board.status == BoardStatus.CLOSED:
            raise OperatorError(f"Board {number} was {board.ended_by} and is closed.")
        if board.ply == 0:
            raise OperatorError(f"No ply has been played on board {number} yet.")
        (ply,) = act.work.plies.of(number, since=board.ply - 1)
        lifted = _who(board, forfeits_after(act.work, board, board.ply))
        events = undo_ply(act.work, board, act.now)
        act.note("ply undone", board=board, ply=ply.ply, move=ply.text)
        mover = board.seats[ply.seat - 1].player_id
        done = by_operator.PlyUndone(number, act.why, ply.ply, ply.text, mover, lifted)
        announce_boards(act, [done, *events])
        return ply


def end(
    session: OperatorSession, number: int, why: str, winners: Sequence[str] | None = None
) -> Board:
    """End a board; `winners` () means a draw, None means no result."""
    with session.act(why) as act:
        board = act.board(number)
        _check_playing(board)
        seats = None
        if winners is not None:
            seats = sorted({_seat(board, handle).seat for handle in winners})
        events = end_board(act.work, board, seats, act.now)
        after = act.board(number)
        act.note(after.status, board=board, winners=after.winners and list(after.winners))
        done: OperatorActed = by_operator.ClosedByOperator(number, act.why)
        if seats is not None:
            won = tuple(board.seats[seat - 1].player_id for seat in seats)
            done = by_operator.EndedByOperator(number, act.why, won)
        announce_boards(act, [done, *events])
        return after


def reopen(session: OperatorSession, number: int, why: str) -> Board:
    """Reopen a board that ended by time, agreement, a claim or the operator."""
    with session.act(why) as act:
        board = act.board(number)
        _check_rules(board)
        lifted = _who(board, forfeits_that_ended(act.work, board))
        if board.ended_by not in _BY_WORD and not lifted:
            told = f"Board {number} was not ended by the operator, nor by agreement, nor by time."
            raise OperatorError(told)
        events = reopen_board(act.work, board, act.now)
        act.note("reopened", board=board)
        announce_boards(act, [by_operator.ReopenedByOperator(number, act.why, lifted), *events])
        return act.board(number)


def pause(session: OperatorSession, number: int, why: str) -> Board:
    """Stop the clocks of a board, as if its players had agreed to a pause."""
    with session.act(why) as act:
        board = act.board(number)
        _check_playing(board)
        if board.paused_since:
            how = f"Its clocks run again after: pbm-admin games resume {number}"
            raise OperatorError(f"Board {number} is paused already. {how}")
        days = PAUSED_AT_MOST.days, PAUSED_BY_ALL.days
        done = by_operator.PausedByOperator(number, act.why, *days)
        return _set_paused(act, board, "paused", done)


def resume(session: OperatorSession, number: int, why: str) -> Board:
    """Let the clocks of a paused board run again."""
    with session.act(why) as act:
        board = act.board(number)
        _check_playing(board)
        if not board.paused_since:
            how = f"To pause it: pbm-admin games pause {number}"
            raise OperatorError(f"Board {number} is not paused. {how}")
        return _set_paused(act, board, "resumed", by_operator.ResumedByOperator(number, act.why))


def _set_paused(act: OperatorTurn, board: Board, what: str, done: OperatorActed) -> Board:
    after = set_paused(act.work, board, act.now, pauses=not board.paused_since)
    events = advance(act.work, board, (after, []), act.now)
    act.note(what, board=board)
    announce_boards(act, [done, *events])
    return act.board(board.id)


def extend(session: OperatorSession, number: int, why: str, by: timedelta | date) -> str:
    """Give the player to move so much more time, or time until the end of a day (UTC).

    Return the player's handle.
    """
    with session.act(why) as act:
        board = act.board(number)
        _check_playing(board)
        mover = board.to_move
        if mover is None or mover.robot:
            raise OperatorError(f"No person is to move on board {number}, so no clock runs.")
        if board.awaited_first_move:
            how = f"To stop the time for it: pbm-admin games pause {number}"
            raise OperatorError(f"Board {number} waits for the first move of {mover.handle}. {how}")
        more = by if isinstance(by, timedelta) else _time_until(act, board, by)
        try:
            add_time(act.work, board, [mover], more, act.now, to_wait=True)
        except Refusal as refusal:
            raise OperatorError(
                f"{mover.handle} can be given {MOST_GIVEN.days} days at most on board {number}."
            ) from refusal
        seconds = int(more.total_seconds())
        act.note("time given", board=board, handle=mover.handle, hours=seconds // 3600)
        done = by_operator.ExtendedByOperator(number, act.why, mover.player_id, seconds)
        announce_boards(act, [done])
        return mover.handle


def _time_until(act: OperatorTurn, board: Board, day: date) -> timedelta:
    """Return how much time is missing so that a move may be made until the end of a day."""
    wait = wait_of(act.work, board, act.now)
    if wait is None or wait.ends_at is None:
        raise OperatorError(f"No clock runs on board {board.id}. Name the time with --days.")
    more = datetime.combine(day, time(), UTC) - wait.ends_at + timedelta(days=1)
    if more <= timedelta():
        until = f"{wait.ends_at:%Y-%m-%d %H:%M}"
        raise OperatorError(f"On board {board.id} there is time until {until} UTC already.")
    return more


def replace(session: OperatorSession, number: int, handle: str, new_handle: str, why: str) -> Board:
    with session.act(why) as act:
        board = act.board(number)
        _check_playing(board)
        old, new = find_player(act.work, handle), find_player(act.work, new_handle)
        seats = [seat.seat for seat in board.seats_of(_seat(board, old.handle).player_id)]
        _check_successor(board, seats, new)
        return seat_instead(act, board, old, new)


def seat_instead(act: OperatorTurn, board: Board, old: Player, new: Player) -> Board:
    """Give a player's seats on a board to another one, and tell everybody there."""
    board, ended = hand_over(act.work, board, old.id, new.id, act.now)
    request_move(act.work, board, act.now)
    act.note("player replaced", board=board, handle=old.handle, by=new.handle)
    act.note("replaced", player=old, board_number=board.id, by=new.handle)
    act.note("took over", player=new, board_number=board.id, instead_of=old.handle)
    done = by_operator.SeatHandedOver(board.id, act.why, old.id, new.id)
    announce_boards(act, [done, *ended])
    tell_leaver(act, done, ended)
    return board


def resend(
    session: OperatorSession, number: int, handle: str | None, why: str | None = None
) -> tuple[str, ...]:
    """Mail a board again, to all its players if `handle` is None; return the handles."""
    with session.act(why) as act:
        board = act.board(number)
        seats = [_seat(board, handle)] if handle else list(board.seats)
        sent: list[str] = []
        for player_id in dict.fromkeys(seat.player_id for seat in seats):
            player = act.work.players.get(player_id)
            if act.send_board(board, player, by_operator.BoardSentAgain(number, act.why)):
                sent.append(player.handle)
        if not sent:
            raise OperatorError("None of them has an address.")
        act.note("board sent again", board=board, handles=sent)
        return tuple(sent)


def _who(board: Board, left: Sequence[Departure]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(board.seats[item.seat - 1].player_id for item in left))


def _seat(board: Board, handle: str) -> Seat:
    for seat in board.seats:
        if seat.handle == handle.lower():
            return seat
    raise OperatorError(f"{handle} does not play on board {board.id}.")


def _check_playing(board: Board) -> None:
    if not board.playing:
        raise OperatorError(f"Board {board.id} is over.")


def _check_rules(board: Board) -> None:
    if board.rules_version != board.rules.info.version:
        raise OperatorError(
            f"Board {board.id} is played under version {board.rules_version} of the rules, "
            "which this program does not have."
        )


def _check_successor(board: Board, seats: Sequence[int], new: Player) -> None:
    if board.seats_of(new.id):
        raise OperatorError(f"{new.handle} plays on board {board.id} already.")
    if not new.is_active:
        raise OperatorError(f"{new.handle} is {new.status}.")
    if all(seat in board.position.out for seat in seats):
        handle = board.seats[seats[0] - 1].handle
        raise OperatorError(f"{handle} has left board {board.id}; nobody can take that place.")
    people = [seat for seat in board.seats if seat.seat not in seats and not seat.robot]
    if new.robot and not any(seat.player_id in board.still_in for seat in people):
        raise OperatorError(f"Then only robots would play on board {board.id}.")
    if new.robot and not robots_play(board.rules):
        raise OperatorError(f"{new.handle} does not know {board.rules.info.title}.")


def export(session: OperatorSession, number: int, chosen: Options) -> str:
    with session.look() as work:
        board = find_board(work, number)
        record = record_of(work, board, session.site.address.plain)
    known = [option.name for option in forms_of(board.rules)]
    if not set(known).issuperset(chosen):
        raise OperatorError(f"The forms of board {number} are: {', '.join(known)}.")
    try:
        return written(record, board.rules, chosen)
    except RecordError as error:
        raise OperatorError(sentence(why_of(board.rules, error, of_board=number))) from error


def parse(text: str, game: Game, chosen: Options) -> GameRecord:
    if not has(game, KeepsRecords):
        raise OperatorError(f"{game.info.title} has no records that could be read.")
    try:
        return game.read(text, chosen)
    except RecordError as error:
        unsaid = " or ".join(f"--{option.name} NAME" for option in game.reads if option.values)
        how = f" Say {unsaid}." if error.reason == "no-board" else ""
        raise OperatorError(f"{sentence(why_of(game, error))}{how}") from error


def game_of(name: str | None) -> Game:
    """Find a game by name; None means the default game."""
    if name is None:
        return default_game()
    if name not in games():
        raise OperatorError(f"There is no game {name}. There are: {', '.join(games())}.")
    return games()[name]


def keep_for(
    session: OperatorSession, game: Game, record: GameRecord, handle: str, why: str
) -> Board:
    """Import a finished game as a record that belongs to a player."""
    with session.act(why) as act:
        owner = find_player(act.work, handle)
        seated = [owner.id] * record.seats
        names = shown_names(record)
        board = keep_record(act, game, replay(game, record), seated, names=names)
        act.note("record kept", board=board, handle=owner.handle)
        act.send_board(board, owner, by_operator.RecordKept(board.id, act.why))
        return board


def take_over(
    session: OperatorSession, game: Game, record: GameRecord, handles: Sequence[str], why: str
) -> Board:
    """Import a running game; `handles` are in seat order, by default those in the record."""
    through = replay(game, record)
    if record.ended or through.final.outcome:
        raise OperatorError("This game is over. Keep it as a record: --for HANDLE")
    with session.act(why) as act:
        players = _players(act, list(handles) or list(record.names), record)
        robots = [player.handle for player in players if player.robot]
        if robots and not robots_play(game):
            raise OperatorError(f"{robots[0]} does not know {game.info.title}.")
        if len(robots) == len(players):
            raise OperatorError("Only robots would play on it.")
        ids, names = [player.id for player in players], [player.handle for player in players]
        board = keep_record(act, game, through, ids, names=names, goes_on=True)
        act.note("game taken over", board=board, handles=names)
        announce_boards(act, [by_operator.GameTakenOver(board.id, act.why)])
        return board


def _players(act: OperatorTurn, handles: list[str], record: GameRecord) -> list[Player]:
    if len(handles) != record.seats:
        raise OperatorError(f"This is a game of {record.seats}; name all, in seat order.")
    if not all(handles):
        raise OperatorError("The record does not name everybody; name them with --player.")
    players = [find_player(act.work, handle) for handle in handles]
    for player in players:
        if not player.is_active:
            raise OperatorError(f"{player.handle} is {player.status}.")
    if len({player.id for player in players}) < len(players):
        raise OperatorError("Each seat needs a player of its own.")
    return players
