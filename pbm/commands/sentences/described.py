"""Tells whether a sentence describes a move to be made: "take K to R", "the left one up".

What was done, could have been done or is done by the opponent is talk.
"""

import re
from typing import Final

from pbm.commands.language.around_moves import PHRASES, with_signs
from pbm.commands.sentences.clauses import clauses, phrase_of, read_list
from pbm.commands.sentences.moves_inside import KIND
from pbm.commands.talk import TO_YOU
from pbm.mail.reading.charsets import fold_typography
from pbm.play.game_words import mentions_place

_LONGEST: Final = 200  # characters of a line
_FEW: Final = 7  # words; in a longer line places are named for other reasons
_NAMES: Final = ("verbs", "things", "where", "talk", "asks", "suggested", "around")
_VERBS, _THINGS, _WHERE, _TALK, _ASKS, _SUGGESTED, _AROUND = read_list("described", _NAMES).values()
_ASKING: Final = re.compile("|".join(rf"\b{re.escape(phrase)}\b" for phrase in sorted(_ASKS)))
# These mean something else in other languages: "je pousse", "dit veld".
_AMBIGUOUS: Final = frozenset("je te ti u dit din ton ta".split())
_TALK_OR_YOU: Final = _TALK | (TO_YOU - _AMBIGUOUS)
_WISH: Final = KIND | _AROUND | _SUGGESTED


def described_places(line: str) -> str | None:
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
    verb, thing = not _VERBS.isdisjoint(words), not _THINGS.isdisjoint(words)
    where = len(_WHERE.intersection(words))
    leads = any(word in PHRASES["to"] for word in words) or "→" in with_signs(line)
    goes = verb or thing or where or (leads and len(words) <= _FEW)
    by_places = len(places) > 1 and goes
    by_place = len(places) == 1 and ((verb and (thing or where)) or (thing and where))
    by_words = not places and thing and where and (verb or where > 1)
    return " → ".join(places) if by_places or by_place or by_words else None


def wants_suggested(line: str) -> bool:
    """Return whether a line only asks for the move that was suggested."""
    said = [clause.parts(_WISH) for clause in clauses(line[:_LONGEST])]
    found = [parts for parts in said if parts]
    return None not in said and any(not _SUGGESTED.isdisjoint(parts) for parts in found)
