"""The context in which a command runs, and how it finds its board."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pbm.clock import local_moment
from pbm.commands.language.words import ME, BoardRef
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import Event
from pbm.mail.site import Answering
from pbm.play.actions import forfeited_at, play_move
from pbm.play.begin import handles_like, robot_to_begin_with
from pbm.play.limits import MOST_SHOWN, Rate, minute_after
from pbm.play.records import note_seen
from pbm.rules.contract import Game
from pbm.rules.registry import default_game, games
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

BOARDS_NAMED = 20
_ANY_ROBOT = frozenset("ai bot bots computer engine machine robot robots".split())


@dataclass(frozen=True)
class Context:
    turn: Turn
    actor_id: int | None  # the sender; None for a stranger
    help_page: Callable[[str], dict[str, Any]]  # raises Refusal for an unknown subject
    check_handle: Callable[[str, int], None]  # raises Refusal if the player cannot have it
    # Boards that the mail is about: by its reply address, the answered mail, and the subject.
    hints: tuple[int, ...] = ()
    mailed: tuple[Answering, ...] = ()  # boards shown in the answered mail
    can_be_strict: bool = False  # whether this server gets DMARC results
    shown: int = 0  # boards that the commands above have shown
    text: tuple[str, ...] = ()  # the lines below a command that takes them
    confirmed: bool = False  # the sender has said yes to the commands
    confirms_moves: bool = False  # the sender's setting, as it was when the mail was taken up

    @property
    def work(self) -> UnitOfWork:
        return self.turn.work

    @property
    def now(self) -> datetime:
        return self.turn.now

    def count(self, rate: Rate) -> None:
        """Count a use of something that the sender may use only so often. Raises Refusal.

        Mails whose sender is not proven are counted apart, as they may be forged.
        """
        whose = (self.player_id, *(["unproven"] if self.turn.claim else []))
        if not rate.take(self.work, self.now, *whose):
            again = minute_after(rate.free_at(self.work, self.now, *whose))
            raise Refusal("too-often", most=rate.most, again=again, name=rate.name)

    @property
    def server(self) -> str:
        """The mail address of this server. Players use it for a mail that is not a reply."""
        return self.turn.site.address.plain

    @property
    def actor(self) -> Player | None:
        """The player who sent the mail; None for a stranger.

        Changes that earlier commands of the mail have made to the player are included.
        """
        return None if self.actor_id is None else self.work.players.get(self.actor_id)

    @property
    def player_id(self) -> int:
        """The sender's player id. Raises Refusal for a stranger."""
        if self.actor_id is None:
            raise Refusal("not-registered")
        return self.actor_id

    @property
    def player(self) -> Player:
        """The player who sent the mail. Raises Refusal if the sender is no player."""
        return self.work.players.get(self.player_id)

    @property
    def game_meant(self) -> Game:
        return game_meant(self.work, self.hints)

    @property
    def own_hint(self) -> int | None:
        """The first of the mail's boards, `hints`, on which the sender has a seat."""
        return next((number for number in self.hints if self.sits_at(number)), None)

    def sits_at(self, number: int) -> bool:
        board = self.work.boards.find(number)
        if board is None or self.actor_id is None or not board.is_installed:
            return False
        return bool(board.seats_of(self.actor_id))

    def room(self) -> int:
        """Return how many more boards the mail may show. Raises Refusal if there is no room."""
        if self.shown >= MOST_SHOWN:
            raise Refusal("enough-shown", most=MOST_SHOWN)
        return MOST_SHOWN - self.shown

    def board(self, ref: BoardRef | None) -> Board:
        """Return the board that `ref` names, or else the board that the mail is about.

        If there is neither, it is the only board on which it is the sender's turn. Raises Refusal.
        """
        board = self._find(ref, lock=False)
        note_seen(self.work, board, self.turn.now)
        return board

    def own_board(self, ref: BoardRef | None) -> Board:
        """Return a board in progress on which the sender has a seat, and lock it. Raises Refusal.

        If `ref` names no board, it is the board that the mail is about. If the mail is about none,
        it is the only board on which it is the sender's turn.
        """
        player_id = self.player_id
        board = self._find(ref, lock=True)
        if not board.seats_of(player_id):
            watches = player_id in self.work.watchings.on_board(board.id)
            raise Refusal("not-your-board", number=board.id, watches=watches)
        at = forfeited_at(self.work, board, player_id) if board.position.out else None
        if at is not None:
            told = local_moment(at, self.player.settings.timezone)
            raise Refusal("ran-out-of-time", at=told, playing=board.playing, number=board.id)
        if not board.playing:
            raise Refusal("board-over", number=board.id)
        return board

    def own_game(self, ref: BoardRef | None) -> Board:
        """Return a board as `own_board` does. A sender who is out of the game gets a Refusal."""
        board = self.own_board(ref)
        if self.player_id not in board.still_in:
            raise Refusal("already-out", number=board.id)
        return board

    def play(self, board: Board, move: str) -> list[Event]:
        """Play a move of the sender. What the others plan waits for the whole mail."""
        given = (self.work, board, move, self.now, self.turn.arrived)
        return play_move(*given, more_comes=True)

    def _find(self, ref: BoardRef | None, *, lock: bool) -> Board:
        number = ref.number if ref else None
        if number is None:
            number = self.hints[0] if self.hints else self._only_board()
        board = self.work.boards.find(number, lock=lock)
        if board is None:
            raise Refusal("no-such-board", number=number)
        if not board.is_installed:
            raise Refusal("not-installed", number=number)
        if not board.is_open_to(self.actor_id):
            raise Refusal("private-board", number=number)
        return board

    def _only_board(self) -> int:
        """Return the only board on which it is the sender's turn. Raises Refusal."""
        waiting = self.work.boards.to_move(self.player_id)
        if len(waiting) == 1:
            return waiting[0]
        boards = self.work.boards.of_player(self.player_id, playing=True, most=BOARDS_NAMED)
        robot = None if boards else robot_to_begin_with(self.work, default_game().info.name)
        raise which_board(boards, robot)


def which_board(boards: Sequence[Board], robot: str | None = None) -> Refusal:
    named = [{"number": board.id, "subject": board.subject} for board in boards]
    return Refusal("which-board", boards=named, robot=robot)


def player_named(context: Context, handle: str) -> Player:
    """Return the player with this handle. `me` means the sender. Raises Refusal."""
    if handle == ME:
        return context.player
    player = context.work.players.by_handle(handle)
    if player is None:
        raise no_such_player(context, handle)
    return player


def no_such_player(context: Context, handle: str, *, by_address: bool = False) -> Refusal:
    """Return the refusal of an unknown handle. With `by_address`, it suggests a mail address."""
    near = handles_like(context.work, handle, context.player) if context.actor_id else []
    told = {"handle": handle, "by_address": by_address, "near": near}
    game = default_game().info.name
    if handle in _ANY_ROBOT and (robot := robot_to_begin_with(context.work, game)):
        told["robot"] = robot
    return Refusal("no-such-player", **told)


def game_meant(work: UnitOfWork, hints: Sequence[int]) -> Game:
    """Return the game of the first board numbered in `hints`; without hints, the default game."""
    if len(games()) > 1 and hints:
        return games().get(work.boards.game_of(hints[0]) or "", default_game())
    return default_game()
