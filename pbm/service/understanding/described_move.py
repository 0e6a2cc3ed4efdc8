"""Keeps moves that are described in plain words, and plans, from the other players.

"Take K to R" describes a move; what was done, could have been done or is done by the opponent is
talk. If one legal move is meant, the sender is asked about it. Otherwise the move is refused, with
the legal moves nearest to it. Out of turn the sender is told whose turn it is.
"""

import re
from typing import Final

from pbm.commands.families.play import PlayMove
from pbm.commands.language.around_moves import PHRASES, with_signs
from pbm.commands.language.context import Context
from pbm.commands.registry import whole_move
from pbm.commands.script import Script
from pbm.commands.sentences.clauses import clauses, phrase_of, read_list
from pbm.commands.sentences.moves_inside import KIND
from pbm.commands.talk import TO_YOU
from pbm.errors import Refusal
from pbm.mail.reading.charsets import fold_typography
from pbm.play.game_words import mentions_place, moves_meant
from pbm.rules.contract import Suggests, has
from pbm.service.understanding.move_line import ask_about
from pbm.store.values.boards import Board

_MOST_LINES: Final = 24  # of one mail
_LONGEST: Final = 200  # characters of a line
_FEW: Final = 7  # words; in a longer line places are named for other reasons
_NAMES: Final = ("verbs", "things", "where", "talk", "asks", "suggested", "around")
_VERBS, _THINGS, _WHERE, _TALK, _ASKS, _SUGGESTED, _AROUND = read_list("described", _NAMES).values()
_ASKING: Final = re.compile("|".join(rf"\b{re.escape(phrase)}\b" for phrase in sorted(_ASKS)))
# These mean something else in other languages: "je pousse", "dit veld".
_AMBIGUOUS: Final = frozenset("je te ti u dit din ton ta".split())
_TALK_OR_YOU: Final = _TALK | (TO_YOU - _AMBIGUOUS)
_WISH: Final = KIND | _AROUND | _SUGGESTED


def read_described_move(context: Context, script: Script) -> Script | None:
    """Return the script for a mail whose words describe a move, or None."""
    if script.commands or script.problem or not context.hints:
        return None
    try:
        board = context.board(None)
    except Refusal:
        return None
    if not board.playing or context.player_id not in board.still_in:
        return None
    yours = board.to_move is not None and board.to_move.player_id == context.player_id
    for index, line in enumerate(script.said[:_MOST_LINES]):
        text = _move_in(board, line, yours=yours)
        if text is None:
            continue
        line, words = " ".join(line.split()), script.words_around({index})
        meant = moves_meant(text, board.rules, board.position) if yours and text else ()
        if len(meant) == 1:
            return ask_about(context, board, line, meant[0], words)
        return Script((PlayMove.bare(text or line, line, board.rules),), words)
    return None


def _move_in(board: Board, line: str, *, yours: bool) -> str | None:
    """Return the places that a line names for a move, or None if it is no plan of a move."""
    if _wants_suggested(line):
        game = board.rules
        return (yours and has(game, Suggests) and game.example_move(board.position)) or ""
    if not yours and whole_move(line, board.rules):
        return line
    return _described_places(line)


def _described_places(line: str) -> str | None:
    """Return the places of a move that a line describes, in order; None if it describes none.

    The result is empty if the line names no place.
    """
    line = fold_typography(line).strip()
    if len(line) > _LONGEST:
        return None
    words = _ASKING.sub("", phrase_of(line)).split()
    if not _TALK_OR_YOU.isdisjoint(words):
        return None
    places = [word for word in words if mentions_place(word)]
    verb, thing = not _VERBS.isdisjoint(words), len(_THINGS.intersection(words))
    where = len(_WHERE.intersection(words))
    leads = any(word in PHRASES["to"] for word in words) or "→" in with_signs(line)
    goes = verb or thing or where or (leads and len(words) <= _FEW)
    by_places = len(places) > 1 and goes
    by_place = len(places) == 1 and ((verb and (thing or where)) or (thing and where) or where > 1)
    by_words = not places and thing and where and (verb or where > 1 or thing > 1)
    return " → ".join(places) if by_places or by_place or by_words else None


def _wants_suggested(line: str) -> bool:
    """Return whether a line only asks for the move that was suggested."""
    said = [clause.parts(_WISH) for clause in clauses(line[:_LONGEST])]
    found = [parts for parts in said if parts]
    return None not in said and any(not _SUGGESTED.isdisjoint(parts) for parts in found)
