"""Finds a move between other words in an answer to a board's mail.

If it is the sender's turn, a line that is a move is played. The line may have kind words beside the
move. All other words are the comment. If the move is unclear or inside a sentence, the server asks
the sender. Until the answer, it plays and sends nothing. A sentence about illegal moves is chat.

Moves that are described in plain words, and plans, are kept from the other players, too. "Take K to
R" describes a move; what was done, could have been done or is done by the opponent is talk. If one
legal move is meant, the sender is asked about it. Otherwise the move is refused, with the legal
moves nearest to it. Out of turn the sender is told whose turn it is.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pbm.commands.families.play import PlayMove
from pbm.commands.language.around_moves import PHRASES, with_signs
from pbm.commands.language.words import BoardRef, lowered
from pbm.commands.registry import Problem, nearly_move, read_commands, whole_move
from pbm.commands.script import Script, without_lines
from pbm.commands.sentences.clauses import SENTENCE_WORDS, clauses, phrase_of, read_list, words_of
from pbm.commands.sentences.moves_inside import KIND, MoveInside, is_spoken_of, moves_inside
from pbm.errors import Refusal
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.quoting_own import holds_ours
from pbm.play.boards import check_move
from pbm.play.game_words import mentions_place, moves_meant
from pbm.play.previews import view_after
from pbm.rules.contract import Game, Suggests, has
from pbm.service.understanding.mail_turn import Known, Reading
from pbm.store.values.boards import Board

_LINES_READ = 200  # of one mail
_SENTENCES_READ = 24  # lines of one mail
_FROM_TO = re.compile(r"[^\s→-]{1,3}\s*[→-]\s*[^\s→-]{1,3}[\s.!]*")  # one place to another
_DIGIT = re.compile("[0-9]")  # a dictated move has none; the sender is asked about it
_MOST_MOVES = 8  # different moves that are tried on the board
_TO_YOU = SENTENCE_WORDS["to you"]
_SHOW_ONLY = ("preview", "submit")  # commands of a move that is not to be played at once
_BOARD = "[board]"  # in the usage of a command about a board that there is


@dataclass(frozen=True)
class _Found:
    index: int | None  # of the line; None for the subject
    line: str
    text: str
    move: PlayMove | None = None  # None if the text is only similar to a move
    inside: MoveInside | None = None  # set if the line has other words


def read_move_line(known: Known, script: Script) -> Reading | None:
    """Return the reading that plays the move in a mail, or asks whether it is meant; else None."""
    if script.commands:
        return _leading_moves(known, script)
    problem = script.problem
    if problem and (problem.code == "bare-move" or problem.nearest):
        return _for_the_only_board(known, script, problem)
    if problem and not _is_of_a_move(script, problem):
        return None
    if not known.hints and not (problem and _spells_move(problem)):
        return None
    board = known.on_turn(problem.params.get("number") if problem else None)
    if board is None or (problem and not _may_be_remark(known, board, problem)):
        return None
    if problem and problem.params.get("command") in _SHOW_ONLY:
        return _shown(board, problem, script.comment)
    return _moved(known, board, script)


def _shown(board: Board, problem: Problem, comment: tuple[str, ...]) -> Reading | None:
    """Return the reading that shows the only move that an inexact one means, and plays none."""
    told = problem.params
    text = nearly_move(told["word"], board.rules) if _BOARD in told["usage"] else None
    meant = moves_meant(text, board.rules, board.position) if text else ()
    if len(meant) != 1:
        return None
    (command,) = read_commands([f"{told['command']} {board.id} {meant[0]}"])
    command.line = problem.line
    return Reading((command,), comment)


def _moved(known: Known, board: Board, script: Script) -> Reading | None:
    found = list(_found_in(board, script))
    whole = [item for item in found if not item.inside]
    plain = whole or [item for item in found if item.inside and item.inside.is_plain]
    if found and not plain:
        return _in_sentences(known, board, script, found)
    certain = [item for item in found if not (item.inside and item.inside.is_doubted)]
    legal = _legal(board, certain)
    if len(legal) > 1 and len(certain) > len(whole):  # "Sorry, I mean K-R"
        return _which_of(board, script, legal.values())
    by_meaning = _by_meaning(board, plain)
    if len(by_meaning) > 1:
        return _which_of(board, script, by_meaning.values())
    if not by_meaning:
        return None
    (places,) = by_meaning.values()
    return _played(known, board, script, places)


def _in_sentences(
    known: Known, board: Board, script: Script, found: Sequence[_Found]
) -> Reading | None:
    """Return the reading of a mail in which every move is inside a sentence, or None."""
    legal = _legal(board, found)
    several = len({item.text for item in found}) > 1
    if several and any(item.inside and item.inside.asks_which for item in found):
        return Reading(comment=script.said)
    if len(legal) == 1:
        ((_, move), (first, *_)) = next(iter(legal.items()))
        return _asking(known, board, first.line, move, script.said, in_sentence=True)
    if legal:
        return _which_of(board, script, legal.values())
    speaks_to_you = any(not _TO_YOU.isdisjoint(words_of(item.line)) for item in found)
    if speaks_to_you or any(item.inside and item.inside.is_doubted for item in found):
        return Reading(comment=script.said)
    planned = next((item for item in found if item.inside and item.inside.is_planned), None)
    if planned and planned.move:  # running the move gives the reason
        return Reading((planned.move,), without_lines(script.said, {planned.index}))
    return None


def _legal(board: Board, found: Iterable[_Found]) -> dict[tuple[str, str], list[_Found]]:
    return {how: items for how, items in _by_meaning(board, found).items() if how[0] == "legal"}


def _for_the_only_board(known: Known, script: Script, problem: Problem) -> Reading | None:
    """Return a reading that asks whether a move is meant, or None.

    The move has no board's number, or its command is mistyped.
    """
    board = known.on_turn()
    move = whole_move(problem.nearest or problem.line, board.rules) if board else None
    if board is None or move is None or not move.is_on(board):
        return None
    how, meant = _meaning(board, move.move, move)
    if how != "legal":
        return None
    only = not known.hints
    return _asking(known, board, problem.line, meant, script.comment, only_board=only)


def _played(known: Known, board: Board, script: Script, places: Sequence[_Found]) -> Reading | None:
    """Return the reading that plays the only move found, or asks about it if it is unclear."""
    first = places[0]
    beside = {item.index: item.inside.words for item in places if item.inside}
    said = [beside.get(index) or line for index, line in enumerate(script.said)]
    comment = without_lines(said, {it.index for it in places if not beside.get(it.index)})
    if first.move is None:
        text = fold_typography(first.text)
        meant = moves_meant(first.text, board.rules, board.position)
        step = moves_meant(text.replace("-", "→"), board.rules, board.position)
        clear = _FROM_TO.fullmatch(text) and _DIGIT.search(first.line) and step == meant
        if clear and len(meant) == 1:
            return Reading((PlayMove.bare(meant[0], first.line, board.rules),), comment)
        if len(meant) == 1:
            return _asking(known, board, first.line, meant[0], comment)
        if script.problem:
            return None  # the answer to the unreadable line suggests moves
        return Reading((PlayMove.bare(first.text, first.line, board.rules),), comment)
    if not first.move.is_on(board):
        return _which_of(board, script, [places])
    if doubt := next(filter(None, (_doubt(script.said, item) for item in places)), None):
        return _asking(known, board, first.line, first.move.move, comment, **{doubt: True})
    return Reading((first.move,), comment)


def _asking(
    known: Known,
    board: Board,
    line: str,
    move: str,
    comment: tuple[str, ...],
    **why: bool,
) -> Reading:
    """Return the reading that asks whether a line means `move`. `why` is known of its doubts."""
    shown, (move,) = view_after(board, known.player, move)
    told: dict[str, Any] = {"section": "guessed-move", "move": move, "line": line}
    told |= {"in_sentence": False, "returned": False, **why}
    command = PlayMove.bare(move, line, board.rules, BoardRef(board.id, board.ply + 1))
    return Reading((command,), comment, guess={**shown, **told})


def _leading_moves(known: Known, script: Script) -> Reading | None:
    """Return a reading that asks about moves at the top of a mail, or None if they are clear.

    They are unclear if the lines have different legal moves, or if the lines below deny the move.
    """
    moves = [item for item in script.commands if isinstance(item, PlayMove) and item.is_bare]
    if len(moves) < len(script.commands):
        return None
    first, *others = moves
    game, said = first.game, script.said[:_LINES_READ]
    has_more = any(whole_move(line, game) or moves_inside(line, game) for line in said[1:])
    index = next((at for at, line in enumerate(said) if whole_move(line, game)), None)
    lines = ("", *said) if index is None else said  # without a line it is in the subject
    denied = not others and is_spoken_of(lines, index or 0)
    board = known.on_turn() if has_more or denied else None
    if board is None:
        return None
    places = (item for item in _found_in(board, script) if item.move is not None)
    certain = (item for item in places if not (item.inside and item.inside.is_doubted))
    legal = _legal(board, certain)
    if has_more and len(legal) > 1:
        return _which_of(board, script, legal.values())
    how, meant = _meaning(board, first.move, first)
    if denied and how == "legal":
        return _asking(known, board, first.line, meant, script.comment, in_sentence=True)
    return None


def _which_of(board: Board, script: Script, found: Iterable[Sequence[_Found]]) -> Reading:
    places = [item for some in found for item in some]
    lines = list(dict.fromkeys(item.text if item.inside else item.line for item in places))
    problem = Problem("", "which-move", {"lines": lines, "number": board.id})
    alone = {item.index for item in places if not item.inside}
    return Reading(comment=without_lines(script.said, alone), problem=problem)


def _is_of_a_move(script: Script, problem: Problem) -> bool:
    """Return whether the unparsed line is the first line or the subject, and may be a move."""
    is_first = script.comment in (script.said, without_lines(script.said, {0}))
    return is_first and (problem.code == "unclear-move" or _spells_move(problem))


def _may_be_remark(known: Known, board: Board, problem: Problem) -> bool:
    """Return whether the unreadable line may be a remark beside a move, or a misspelt move."""
    told = problem.params
    if nearly_move(told["word"], board.rules) is not None:
        return True
    meant_as_move = _spells_move(problem) and (told["number"] or mentions_place(told["word"]))
    return bool(known.hints) and not meant_as_move


def _spells_move(problem: Problem) -> bool:
    return (problem.code, problem.params.get("reason")) == ("syntax", "move")


def _found_in(board: Board, script: Script) -> Iterator[_Found]:
    """Yield the sender's moves, also those that are inexact or stand beside other words."""
    game, problem = board.rules, script.problem
    first = 0
    if problem:
        in_body = script.comment != script.said
        first = int(in_body)
        text = nearly_move(problem.params["word"], game)
        index = 0 if in_body else None
        if text is not None:
            yield _Found(index, problem.line, text)
        else:
            yield from _inside(index, problem.line, game)
    for index, line in enumerate(script.said[first:_LINES_READ], first):
        move = whole_move(line, game)
        text = move.move if move else nearly_move(line, game)
        if text is not None:
            yield _Found(index, " ".join(line.split()), text, move)
        elif index < _SENTENCES_READ:
            yield from _inside(index, line, game)


def _inside(index: int | None, line: str, game: Game) -> Iterator[_Found]:
    told = " ".join(line.split())
    found = moves_inside(line, game)
    for item in found if not (found and holds_ours((line,))) else ():
        yield _Found(index, told, item.text, PlayMove.bare(item.text, told, game), item)


def _by_meaning(board: Board, found: Iterable[_Found]) -> dict[tuple[str, str], list[_Found]]:
    meanings: dict[tuple[str, str], list[_Found]] = {}
    known: dict[str, tuple[str, str]] = {}
    for item in found:
        if item.text not in known and len(known) == _MOST_MOVES:
            meanings.setdefault(("more", ""), []).append(item)
            break
        meaning = known.get(item.text) or _meaning(board, item.text, item.move)
        known[item.text] = meaning
        meanings.setdefault(meaning, []).append(item)
    return meanings


def _meaning(board: Board, text: str, move: PlayMove | None) -> tuple[str, str]:
    written = "".join(lowered(text).split())
    if move is None:
        return "nearly", written
    if not move.is_on(board):
        return "elsewhere", move.line
    try:
        return "legal", str(check_move(board, text))
    except Refusal:
        return "illegal", written


def _doubt(lines: Sequence[str], found: _Found) -> str:
    """Return why a line with a legal move may not be meant as a move; "" if there is no doubt."""
    index = found.index
    if index and holds_ours(lines[:index]):
        return "returned"
    in_sentence = is_spoken_of(lines, index, has_words=found.inside is not None)
    return "in_sentence" if in_sentence else ""


_LONGEST = 200  # characters of a line
_FEW = 7  # words; in a longer line places are named for other reasons
_NAMES = ("verbs", "things", "where", "talk", "asks", "suggested", "around")
_VERBS, _THINGS, _WHERE, _TALK, _ASKS, _SUGGESTED, _AROUND = read_list("described", _NAMES).values()
_ASKING = re.compile("|".join(rf"\b{re.escape(phrase)}\b" for phrase in sorted(_ASKS)))
# These mean something else in other languages: "je pousse", "dit veld".
_AMBIGUOUS = frozenset("je te ti u dit din ton ta".split())
_TALK_OR_YOU = _TALK | (_TO_YOU - _AMBIGUOUS)
_WISH = KIND | _AROUND | _SUGGESTED


def read_described_move(known: Known, script: Script) -> Reading | None:
    """Return the reading of a mail whose words describe a move, or None."""
    if script.commands or script.problem or not known.hints:
        return None
    board = known.meant()
    if board is None or not board.playing or known.player_id not in board.still_in:
        return None
    yours = known.on_turn() is not None
    for index, line in enumerate(script.said[:_SENTENCES_READ]):
        text = _move_in(board, line, yours=yours)
        if text is None:
            continue
        line, words = " ".join(line.split()), without_lines(script.said, {index})
        meant = moves_meant(text, board.rules, board.position) if yours and text else ()
        if len(meant) == 1:
            return _asking(known, board, line, meant[0], words)
        return Reading((PlayMove.bare(text or line, line, board.rules),), words)
    return None


def _move_in(board: Board, line: str, *, yours: bool) -> str | None:
    """Return the places that a line names for a move, or None if it is no plan of a move."""
    if _wants_suggested(line):
        game = board.rules
        moves = game.example_moves(board.position) if yours and has(game, Suggests) else ()
        return next(iter(moves), "")
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
    parts = {part for word in words if word not in places for part in word.split("-")}  # "e-row"
    verb, thing = not _VERBS.isdisjoint(words), len(_THINGS.intersection({*words, *parts}))
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
