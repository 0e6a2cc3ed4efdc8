"""The commands for words to others, and for notes to oneself."""

from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from pbm.commands.language.context import Context, no_such_player
from pbm.commands.language.declare import BoardCommand, Command, operand
from pbm.commands.language.words import (
    ME,
    Handle,
    Sentence,
    cut_short,
    is_handle,
    lowered,
    misread,
)
from pbm.commands.sentences.clauses import SENTENCE_WORDS, words_of
from pbm.errors import Refusal
from pbm.events import Answered, Commented, Event, Messaged, NeedsConfirmation
from pbm.play.limits import LONGEST_MESSAGE, LONGEST_NOTE, MOST_MAILS, SAME_WORDS
from pbm.play.talk import check_message, check_open
from pbm.store.values.boards import Board
from pbm.store.values.players import Player

_AND = ("and", "&", "y", "und", "et", "e", "en", "i")
_NONE = frozenset("none no drop cancel clear delete off nothing erase remove".split())
_WORDS_NAMING = 2 * MOST_MAILS  # of a message's line, that may be handles
_LONGEST_LINE = 400  # of a command that waits for a yes
_TO_YOU = SENTENCE_WORDS["to you"]


def _bare(word: str) -> str:
    return lowered(word).strip("@,;:")


def _player(context: Context, word: str) -> Player | None:
    return context.player if _bare(word) == ME else context.work.players.by_handle(_bare(word))


class Addressed(Sentence):
    """Handles with commas or "and" between them, and what is written to these players."""

    def __init__(self) -> None:
        super().__init__()
        self.shown = "handles"

    def parse(self, text: str) -> str:
        text = text.removeprefix("to ").replace(",", ", ").strip()
        first = lowered(text.partition(" ")[0])
        if first.startswith("-"):
            raise misread("option", word=cut_short(f"-{first.lstrip('-')}"))
        if not is_handle(_bare(first)):
            raise misread("handle", word=cut_short(first))
        return text


class _Words(Command):
    """A command whose words stand behind it, and in the lines below."""

    takes_text = True
    text: str | None

    def _check_proven(self, context: Context) -> None:
        """Raise Refusal if a line that waits for a yes does not hold all the words."""
        if context.turn.claim and (self.below or len(self.pinned(context)) > _LONGEST_LINE):
            raise Refusal("words-unproven", most=_LONGEST_LINE)


class _OnBoard(_Words, BoardCommand):
    text: str | None = operand(Sentence(), optional=True)

    def _own_board(self, context: Context, *, lock: bool = True) -> Board:
        """Return a board on which the sender sits, or sat until its end. Raises Refusal."""
        board = context.board(self.board)
        # What one noted stays when somebody else takes the seat over.
        noted = context.work.notes.on_board(board) if self.keeps_lines else {}
        if not board.seats_of(context.player_id) and context.player_id not in noted:
            raise Refusal("not-your-board", number=board.id)
        return context.work.boards.get(board.id, lock=lock)

    def _lines(self, context: Context) -> tuple[str, ...]:
        text = (self.text or "").lstrip(": ")
        return (*filter(None, (text,)), *self.below, *context.text)

    def pinned(self, context: Context) -> str:
        number = str(self._own_board(context, lock=False).id)
        return " ".join(filter(None, (self.words[0], number, self.text)))


class Chat(_OnBoard, group="talk"):
    """Write to those who play on a board with you, at any time."""

    words = ("chat",)
    examples = ("chat 12 good game!", "chat 12")

    @property
    def begins_words(self) -> bool:
        return self.board is not None

    def run(self, context: Context) -> Iterator[Event]:
        self._check_proven(context)
        board, lines = self._own_board(context), self._lines(context)
        if not lines:
            raise Refusal("nothing-said", number=board.id)
        check_open(board, context.now)
        said = sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:32]
        if not SAME_WORDS.take(context.work, context.now, board.id, context.player_id, said):
            raise Refusal("same-words", number=board.id, most=SAME_WORDS.most)
        context.work.boards.note_told_of_words(board.id, context.player_id)
        yield Commented(board.id, context.player_id, lines)


class Message(_Words, group="talk"):
    """Write to players with whom you have or had a board. Nobody learns an address."""

    words = ("message",)
    examples = ("message bob", "message bob and carol", "message bob: shall we play?")

    text: str | None = operand(Addressed())

    def run(self, context: Context) -> Iterator[Event]:
        self._check_proven(context)
        below = (*self.below, *context.text)
        players, text = self._addressed(context, self.text or ME, below=bool(below))
        lines = (*filter(None, (text,)), *below)
        if not lines:
            raise Refusal("nothing-said")
        if sum(map(len, lines)) > LONGEST_MESSAGE:
            raise Refusal("message-too-long", most=LONGEST_MESSAGE)
        for player in players:
            check_message(context.work, context.player, player, context.now)
        blocks = context.work.blocks.among([context.player_id, *(it.id for it in players)])
        readers = tuple(it.id for it in players if (it.id, context.player_id) not in blocks)
        handles = tuple(player.handle for player in players)
        yield Messaged(context.player_id, context.player.handle, handles, readers, lines)
        yield Answered("message-sent", {"to": handles, "lines": lines})

    def _addressed(self, context: Context, text: str, *, below: bool) -> tuple[list[Player], str]:
        """Return the players that the line names first, and the words behind them.

        With the words `below`, commas may be missing between handles and nothing else.
        """
        words, found, at = text.split(), dict[int, Player](), 0
        players = {word: _player(context, word) for word in words[:_WORDS_NAMING]}
        names_only = below and all(players.get(it) or lowered(it) in _AND for it in words)
        while at < len(words[:_WORDS_NAMING]) and (player := players.get(words[at])):
            found[player.id] = player
            ends, at = not words[at].endswith((",", ";")), at + 1
            behind = words[at : at + 2]
            joins = len(behind) > 1 and lowered(behind[0]) in _AND and bool(players.get(behind[1]))
            at += joins
            if ends and not (names_only or joins):
                break
        if not found:
            raise no_such_player(context, _bare(words[0]))
        return list(found.values()), " ".join(words[at:])

    @property
    def begins_words(self) -> bool:
        return True

    def pinned(self, context: Context) -> str:
        return f"{self.words[0]} {self.text}"


class Note(_OnBoard, group="talk"):
    """Keep notes about a board that nobody else ever sees."""

    words = ("note",)
    examples = ("note 12 he likes the left side", "note 12", "note 12 none")
    keeps_lines = True

    @property
    def begins_words(self) -> bool:
        return not (self.text or "").startswith(":")

    def run(self, context: Context) -> Iterator[Event]:
        self._check_proven(context)
        board, lines = self._own_board(context), self._lines(context)
        is_talk = not (self.begins_words and _TO_YOU.isdisjoint(words_of(self.text or "")))
        if self.board is None and context.hints and is_talk:
            asked, below = {"number": board.id}, (*self.below, *context.text)
            yield NeedsConfirmation(self.pinned(context), "note-meant", asked, board.id, below)
            return
        before = context.work.notes.on_board(board).get(context.player_id, ())
        erases = len(lines) == 1 and lowered(lines[0]) in _NONE
        if not before and (erases or not lines):
            raise Refusal("no-note", number=board.id)
        if sum(map(len, lines)) > LONGEST_NOTE:
            raise Refusal("note-too-long", most=LONGEST_NOTE)
        if lines:
            new = () if erases else lines
            context.work.notes.set(board.id, context.player_id, new, context.now)
        shown = before if erases or not lines else lines
        replaced = before if lines and not erases else ()
        told: dict[str, Any] = {"number": board.id, "erased": erases}
        yield Answered("note", {**told, "note": shown, "replaced": replaced}, board.id)


class Mute(BoardCommand, group="talk"):
    """Get no more words of a board; its moves still come."""

    words = ("mute",)
    examples = ("mute", "mute 12")
    mutes = True

    who: str | None = operand(Handle(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        if self.who is not None:
            raise Refusal("mute-player", handle=self.who, mutes=self.mutes)
        board = context.board(self.board)
        if not board.seats_of(context.player_id):
            raise Refusal("not-your-board", number=board.id)
        context.work.boards.get(board.id, lock=True)
        context.work.readers.mute(board.id, context.player_id, muted=self.mutes)
        yield Answered("muted", {"number": board.id, "muted": self.mutes}, board.id)

    def pinned(self, context: Context) -> str:
        return f"{self.words[0]} {self.who or context.board(self.board).id}"


class Unmute(Mute, group="talk"):
    """Get the words of a board again."""

    words = ("unmute",)
    examples = ("unmute", "unmute 12")
    mutes = False
