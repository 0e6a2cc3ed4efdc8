"""Import and export of games by the operator."""

from collections.abc import Sequence

from pbm.errors import OperatorError
from pbm.events.by_operator import GameTakenOver, RecordKept
from pbm.mail.writing.render import sentence
from pbm.play.begin import robots_play
from pbm.play.game_words import why as why_of
from pbm.play.records import keep_record, record_of, replay, shown_names
from pbm.rules.contract import Game, GameRecord, KeepsRecords, Options, RecordError, has
from pbm.rules.record import forms_of, written
from pbm.rules.registry import default_game, games
from pbm.service.operator.operator_session import (
    OperatorSession,
    OperatorTurn,
    find_board,
    find_player,
)
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

MOST_BYTES = 64 * 1024


def export(session: OperatorSession, number: int, chosen: Options) -> str:
    """Return a board as a record. Raises OperatorError."""
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
    """Parse a record. Raises OperatorError that names the first wrong move."""
    if not has(game, KeepsRecords):
        raise OperatorError(f"{game.info.title} has no records that could be read.")
    try:
        return game.read(text, chosen)
    except RecordError as error:
        unsaid = " or ".join(f"--{option.name} NAME" for option in game.reads if option.values)
        how = f" Say {unsaid}." if error.reason == "no-board" else ""
        raise OperatorError(f"{sentence(why_of(game, error))}{how}") from error


def game_of(name: str | None) -> Game:
    """The game of that name, or the default one. Raises OperatorError."""
    if name is None:
        return default_game()
    if name not in games():
        raise OperatorError(f"There is no game {name}. There are: {', '.join(games())}.")
    return games()[name]


def keep_for(
    session: OperatorSession, game: Game, record: GameRecord, handle: str, why: str
) -> Board:
    """Keep a finished game as a player's record. Raises OperatorError."""
    with session.act(why) as act:
        owner = find_player(act.work, handle)
        seated = [owner.id] * record.seats
        names = shown_names(record)
        board = keep_record(act, game, replay(game, record), seated, names=names)
        act.note("record kept", board=board, handle=owner.handle)
        act.send_board(board, owner, RecordKept(board.id, act.why))
        return board


def take_over(
    session: OperatorSession, game: Game, record: GameRecord, handles: Sequence[str], why: str
) -> Board:
    """Continue a game from another server here, and mail it to its players.

    `handles` are in seat order, by default those in the record. Raises OperatorError.
    """
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
        act.tell_board(GameTakenOver(board.id, act.why))
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
