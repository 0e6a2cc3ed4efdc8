"""What is kept of players and their games: profiles, finished games, ratings, records."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from pbm.commands.families.settings import names_of
from pbm.commands.language.context import Context, player_named
from pbm.commands.language.declare import Chosen, Command, game_options, operand, option
from pbm.commands.language.words import (
    ME,
    BoardKind,
    BoardRef,
    GameName,
    Handle,
    Shown,
    Word,
    lowered,
)
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.plain import to_plain
from pbm.play import listings, records
from pbm.play.advice import better_lines, kept_analysis, played_elsewhere
from pbm.play.game_words import why
from pbm.play.limits import A_RECORD, EXPORTS_OF_ALL, IMPORTS, KEPT_UNSEEN, MOST_PLIES
from pbm.rules.contract import GameRecord, KeepsRecords, RecordError, has
from pbm.rules.record import forms_of, readings_of, written
from pbm.store.values.boards import Board
from pbm.store.values.players import PlayerStatus
from pbm.store.values.queues import TimerKind

_LONGEST = 16  # characters of a handle
_EVERY = 1_000_000  # more boards than any player has


class ListHistory(Command, group="look"):
    """List the finished games of a player, or of two players with each other."""

    words = ("history",)
    examples = ("history", "history bob", "history me bob")
    reads_only = True

    who: tuple[BoardRef | str, ...] = operand(Shown("handle"), many=True, optional=True)
    before: BoardRef | None = option("before", BoardKind())

    def run(self, context: Context) -> Iterator[Event]:
        for item in self.who:
            if isinstance(item, BoardRef):
                raise Refusal("history-of-board", number=item.number)
        handles = list(dict.fromkeys(str(item) for item in self.who)) or [ME]
        players = [player_named(context, handle) for handle in handles]
        if len(players) > 2:
            raise Refusal("too-many-histories")
        below = self.before.number if self.before else None
        listed = listings.history(context.work, players, context.actor, below)
        go_on = listed["go_on"]
        line = f"history {' '.join(handles)} -before={go_on}" if go_on else None
        yield Answered("history", {**listed, "line": line})


class ShowInfo(Command, group="look"):
    """Tell about a player: day of joining, ratings, games, punctuality, languages."""

    words = ("info",)
    examples = ("info bob", "info")
    reads_only = True

    who: str | None = operand(Handle(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        player = player_named(context, self.who or ME)
        if player.status == PlayerStatus.REMOVED:
            raise Refusal("has-left", handle=player.handle)
        told = listings.player_info(context.work, player, context.now)
        yield Answered("info", {**told, "languages": list(names_of(player.settings.languages))})


class ListPlayers(Command, group="look"):
    """List who plays here, in the order of the alphabet, with their ratings."""

    words = ("players", "list")
    examples = ("players", "players bo", "list")
    reads_only = True

    of: str | None = operand(GameName(explains=False), optional=True)
    start: str | None = operand(Word("handle"), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        game, first = self.of or self.game.info.name, lowered(self.start or "")[:_LONGEST]
        listed = listings.players_listed(context.work, game, first, context.now)
        line = f"players {listed['go_on']}" if listed["go_on"] else None
        yield Answered("players", {**listed, "line": line})


class Standings(Command, group="look"):
    """List the players with the highest ratings, and your own place."""

    words = ("standings", "ratings")
    reads_only = True

    of: str | None = operand(GameName(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        game = self.of or self.game.info.name
        yield Answered(
            "standings", listings.standings(context.work, game, context.actor, context.now)
        )


class Export(Command, group="look"):
    """Get a game as a record: text that other programs, or `import`, can read."""

    words = ("export",)
    examples = ("export", "export 12", "export me")
    reads_only = True

    what: BoardRef | str | None = operand(Shown("board|me"), optional=True)
    chosen: Chosen = game_options(forms_of, of_any=True)

    def run(self, context: Context) -> Iterator[Event]:
        if self.what == ME:
            context.count(EXPORTS_OF_ALL)
            text = json.dumps(everything_about(context), indent=1, default=to_plain)
            yield Answered("record", {"text": text})
            return
        if isinstance(self.what, str):
            raise Refusal("not-a-board", word=self.what)
        board = context.board(self.what)
        chosen = self.chosen.options()
        known = {option.name for option in forms_of(board.rules)}
        for name in sorted(chosen.keys() - known):
            told = {"reason": "option", "word": f"-{name}", "usage": self.usage(board.rules)}
            raise Refusal("syntax", number=board.id, **told)
        try:
            text = written(self._record(context, board), board.rules, chosen)
        except RecordError as error:
            told = why(board.rules, error, of_board=board.id)
            raise Refusal("no-such-form", number=board.id, **told) from error
        yield Answered("record", {"number": board.id, "text": text})

    def _record(self, context: Context, board: Board) -> GameRecord:
        """Return the record of a board, with the better moves that an analysis found."""
        record = records.record_of(context.work, board, context.server)
        kept = None if board.playing else kept_analysis(context.work, board)
        if not (kept and kept.finished_at):
            return record
        if context.actor and played_elsewhere(context.turn, board, context.actor):
            return record
        return replace(record, better=better_lines(kept))


class Import(Command, group="look"):
    """Bring in the record of a game that was played elsewhere."""

    words = ("import",)
    takes_text = True
    tries = IMPORTS

    chosen: Chosen = game_options(readings_of)

    def run(self, context: Context) -> Iterator[Event]:
        through = self._replay(context)
        plies = len(through.played)
        if plies > MOST_PLIES:
            raise Refusal("long-record", plies=plies, most=MOST_PLIES)
        for _ in range((plies - 1) // A_RECORD):  # each further hundred counts as one more
            if not IMPORTS.take(context.work, context.now, context.player.id):
                raise Refusal("too-often", most=IMPORTS.most, name=IMPORTS.name)
        seated = [context.player.id] * through.record.seats
        names = records.shown_names(through.record)
        board = records.keep_record(context.turn, self.game, through, seated, names=names)
        lapses_at = context.now + KEPT_UNSEEN
        context.work.timers.set(TimerKind.RECORD_LAPSE, str(board.id), context.now, lapses_at)
        told = {"plies": board.ply, "options": dict(board.options)}
        yield Answered("imported", {**told, "game": board.game, "number": board.id}, board.id)

    def _replay(self, context: Context) -> records.Replay:
        text = "\n".join(context.text)
        if not text.strip():
            raise Refusal("no-record")
        if not has(self.game, KeepsRecords):
            raise Refusal("no-records", title=self.game.info.title)
        game, chosen = self.game, self.chosen.options()
        of = (game.info.name, text, *sorted(chosen.items()))
        try:
            return context.turn.slow.outcome(of, lambda: records.read_record(game, text, chosen))
        except RecordError as error:
            raise Refusal("bad-record", **why(game, error)) from error


def everything_about(context: Context) -> dict[str, Any]:
    player, work = context.player, context.work
    boards = [
        *work.boards.of_player(player.id, playing=True, most=_EVERY),
        *work.boards.of_player(player.id, playing=False, most=_EVERY),
    ]
    since = player.unreachable_since
    return {
        "handle": player.handle,
        "status": player.status,
        "joined": player.joined_at.isoformat(),
        "settings": asdict(player.settings),
        "has_password": player.password_hash is not None,
        "mail_comes_back_since": since.isoformat() if since else None,
        **work.personal_data.export(player.id),
        "boards": [
            {
                "number": board.id,
                "game": board.game,
                "options": dict(board.options),
                "players": [seat.handle for seat in board.seats],
                "seats": [seat.seat for seat in board.seats_of(player.id)],
                "status": board.status,
                "ended_by": board.ended_by,
                "plies": board.ply,
                "started": board.started_at.isoformat(),
            }
            for board in sorted(boards, key=lambda board: board.id)
        ],
        "seeks": [
            {
                "number": seek.id,
                "game": seek.wish.game,
                "wishes": list(seek.wish.wishes),
                "players": [one.handle for one in seek.seekers],
                "status": seek.status,
                "made": seek.made_at.isoformat(),
            }
            for seek in work.seeks.of_player(player.id, over=True)
        ],
    }
