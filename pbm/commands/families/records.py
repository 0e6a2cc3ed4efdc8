"""Games as records: export of a board, and import of a game."""

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from pbm.commands.language.context import Context
from pbm.commands.language.declare import Chosen, Command, game_options, operand
from pbm.commands.language.words import ME, BoardRef, Shown
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.play import records
from pbm.play.advice import better_lines, kept_analysis, played_elsewhere
from pbm.play.game_words import why
from pbm.play.limits import A_RECORD, EXPORTS_OF_ALL, IMPORTS, KEPT_UNSEEN, MOST_PLIES
from pbm.rules.contract import GameRecord, KeepsRecords, RecordError, has
from pbm.rules.record import forms_of, readings_of, written
from pbm.store.values.boards import Board
from pbm.store.values.queues import TimerKind

_EVERY = 1_000_000  # more boards than any player has


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
            text = json.dumps(everything_about(context), indent=1)
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
        found = context.turn.slow.outcome(of, lambda: records.read_record(game, text, chosen))
        if isinstance(found, RecordError):
            raise Refusal("bad-record", **why(self.game, found)) from found
        return found


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
