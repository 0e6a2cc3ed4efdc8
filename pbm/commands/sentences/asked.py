"""Tells whether words in answer to a board ask something that only the server knows or does.

`languages/asked/english.txt` says by what words that is known.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property
from typing import Final

from pbm.commands.sentences.asked_words import CARD, Lists, plain_words, spelt, spoken

_LONGEST = 400  # characters; a longer text is talk
_MOST_SENTENCES = 8
_WRAPPED = 50  # characters; a shorter line ends its sentence
_FEW_WORDS = 2  # of a request without a verb, such as "bigger picture"
_MOST_BARE = 8  # words without a verb
_RIVAL: Final = "opponent"
_OF_PIECES: Final = "colours"
_SENTENCE = re.compile(r"[^.!?…;。？！\n]+[.!?…;。？！]*")
_CLAUSE = re.compile(r"[,:()\u2013\u2014]|\s-\s")
_ABBREVIATED = re.compile(r"\b(\w)\.(?=\w\b)")  # "s.v.p."
_SMILEY = re.compile(r"[:;=]-?[)DP(]|[\u2600-\u27bf\U0001f300-\U0001faff]")
_TAG = re.compile(r",\s*¿?[\w']{1,8}(?: \w{1,5})?\s*\?\s*$")  # "isn't it good, eh?"
_MOVE = re.compile(r"\b[a-i]\d [a-i]\d\b")


class Aim(Enum):
    """Whom a player's words are for."""

    OTHERS = auto()
    EITHER = auto()  # a question that the other players may answer
    SERVER = auto()
    TAKE_BACK = auto()  # the server, which is to take back the latest move
    PAUSE = auto()
    RESIGN = auto()


def aim_of(lines: Sequence[str], rival: str = "") -> Aim:
    """Return whom words in answer to a board are for; `rival` is the only opponent's handle."""
    text = _ABBREVIATED.sub(r"\1", _unwrapped(lines))
    if len(text) > _LONGEST:
        return Aim.OTHERS
    text = spelt(text)
    if rival:  # "Bob, is it late?" speaks to him
        text = re.sub(
            rf"(?<!, )\b{re.escape(rival)}\w{{0,3}}\b(?!,)", _RIVAL, text, flags=re.IGNORECASE
        )
    said = plain_words(text)
    sentences = [found[0] for found in _SENTENCE.finditer(text) if plain_words(found[0])]
    if any(_is_plan(lists, said, text) for lists in spoken(said, said)):
        return Aim.SERVER
    if len(sentences) > _MOST_SENTENCES:
        return Aim.OTHERS
    aims = [_aim(sentence, said) for sentence in sentences]
    if not aims:
        return Aim.SERVER if "?" in text else Aim.OTHERS
    ours = [aim for aim in aims if aim not in (None, Aim.OTHERS, Aim.EITHER)]
    if ours and Aim.OTHERS not in aims:
        return max(ours, key=lambda aim: aim.value)
    return Aim.EITHER if ours or Aim.EITHER in aims or "?" in text else Aim.OTHERS


def card_lines(lines: Sequence[str]) -> list[str]:
    """Return which lines of the status card answer a question, by their help pages.

    The line about the pieces is the last, as every question about the game may name some.
    """
    said = plain_words(_unwrapped(lines)[:_LONGEST])
    found = [page for page, words in CARD.items() if words.search(said)]
    return sorted(found, key=_OF_PIECES.__eq__)


def tells_own(text: str) -> bool:
    """Return whether words speak of the writer, and not to anybody."""
    said = plain_words(text[:_LONGEST])
    return any(it["me"].search(said) and not it["you"].search(said) for it in spoken(said, said))


def _aim(sentence: str, around: str) -> Aim | None:
    """Return whom a sentence is for; None if it neither asks nor speaks to anybody."""
    aims = [_Sentence(sentence, lists).aim for lists in spoken(plain_words(sentence), around)]
    return max(aims, key=lambda aim: aim.value if aim else 0, default=None)


def _is_plan(lists: Lists, said: str, text: str) -> bool:
    """Return whether words tell moves to be made: "if he plays a1-b2, answer c3-c4"."""
    moves = len(_MOVE.findall(said))
    planned = (moves > 1 and "?" not in text) or (moves and lists["plans"].search(said))
    return bool(planned) and not lists["past"].search(said)


def _unwrapped(lines: Sequence[str]) -> str:
    """Join lines that a mail program has wrapped."""
    text = ""
    for line in lines:
        text += line.strip() + (" " if len(line) >= _WRAPPED else "\n")
    return text.strip()


@dataclass(frozen=True)
class _Sentence:
    """A sentence, as it is read with the lists of one language."""

    text: str
    lists: Lists

    @property
    def aim(self) -> Aim | None:
        if self._is_to_player:
            return Aim.OTHERS
        if self._resigns:
            return Aim.RESIGN
        if not (self._asks_us or self._wants_of_us):
            return Aim.OTHERS if self._chats else Aim.EITHER if self._asks else None
        if not self._undoes or self._asks_how:
            return Aim.SERVER
        return Aim.TAKE_BACK if self._has("take back") else Aim.PAUSE

    @cached_property
    def _said(self) -> str:
        return plain_words(self.text)

    @cached_property
    def _starts(self) -> tuple[str, ...]:
        """Each clause, and the same without what mostly comes first, such as "please"."""
        said = map(plain_words, _CLAUSE.split(self.text))
        first = self.lists["first"]
        return tuple(start for words in said for start in (words, first.sub("", words)))

    def _has(self, *sections: str) -> bool:
        return any(self.lists[name].search(self._said) for name in sections)

    def _begins(self, start: str, *sections: str) -> bool:
        return any(self.lists[name].match(start) for name in sections)

    @cached_property
    def _ours(self) -> bool:
        return self._has("sole", "ours")

    @cached_property
    def _about(self) -> bool:
        return self._ours or self._has("game", "loose") or bool(_MOVE.search(self._said))

    @cached_property
    def _asks_how(self) -> bool:
        manner = any(self._begins(start, "manner") for start in self._starts[:2])
        return self._has("how") or (manner and self._about and not self._has("past", "not", "talk"))

    @cached_property
    def _undoes(self) -> bool:
        return self._has("take back", "pause")

    @cached_property
    def _does(self) -> bool:
        return self._undoes or (self._has("shows", "acts") and (self._about or self._asks_how))

    @property
    def _is_question(self) -> bool:
        return not {"?", "？", "¿"}.isdisjoint(self.text)

    @cached_property
    def _has_tag(self) -> bool:
        found = _TAG.search(self.text)
        if any(self._begins(start, "asks") for start in self._starts[:2]):
            return False  # "Which of them are mine, then?"
        return found is not None and not self.lists["wants"].search(plain_words(found[0]))

    @cached_property
    def _speaks_of_talk(self) -> bool:
        return self._has("talk") or self._has_tag

    @cached_property
    def _orders(self) -> bool:
        """Whether a clause orders something of ours."""
        starts = [start for start in self._starts if self._begins(start, "shows", "acts")]
        ours = ("sole", "ours", "take back", "pause")
        return any(self.lists[name].search(start) for name in ours for start in starts)

    @cached_property
    def _asks(self) -> bool:
        opens = any(self._begins(start, "asks", "opens") for start in self._starts[:2])
        asks_for_ours = self._has("asks") and self._ours and not self._speaks_of_talk
        asks = opens or asks_for_ours or (self._asks_how and self._about)
        return self._is_question or (asks and "!" not in self.text)

    @cached_property
    def _chats(self) -> bool:
        """Whether words of talk make the sentence one to the others, as it asks nothing of us."""
        asks = (self._is_question and not self._has_tag) or self._asks_how or self._orders
        sole = self._has("sole")
        wants = (self._has("wants") and (sole or self._undoes)) or (self._asks and sole)
        return self._speaks_of_talk and not (asks or wants)

    @property
    def _is_to_player(self) -> bool:
        addressed = self.lists["can you"].sub("", self.lists["nobody"].sub("", self._said))
        serves = self._has("serves") and (self._has("sole") or (self._ours and self._has("faults")))
        return bool(self.lists["you"].search(addressed)) and not serves

    @property
    def _resigns(self) -> bool:
        if self._is_question or self._speaks_of_talk or not self._has("resign"):
            return False
        said = [start for start in self._starts[::2] if self.lists["resign"].search(start)]
        surely = self._about or self._has("wants") or any(map(self._says_no_more, said))
        return surely and any(not self.lists["not"].search(start) for start in said)

    def _says_no_more(self, start: str) -> bool:
        """Whether a clause has, besides a phrase of "resign", only such words as "I" and "this"."""
        for name in ("resign", "me", "common", "first"):
            start = self.lists[name].sub("", start).strip()
        return not start

    @property
    def _asks_us(self) -> bool:
        if self._has("can you"):
            knows = self._does or self._ours or (self._asks_how and self._about)
            return knows and not self._chats
        if not self._asks or self._chats:
            return False
        few = len(self._said.split()) <= _FEW_WORDS
        of_play = self._has("loose") and (few or self._has("me", "rival"))
        is_played = self._has("game") or (of_play and (self._is_question or "," not in self.text))
        talks = self._speaks_of_talk or _SMILEY.search(self.text)
        return self._undoes or self._ours or self._asks_how or (is_played and not talks)

    @property
    def _wants_of_us(self) -> bool:
        if self._chats:
            return False
        wants = self._has("wants") and not self._asks
        return (
            (wants and (self._does or self._ours or self._has("game")))
            or self._orders
            or (self._about and any(self._begins(start, "shows") for start in self._starts))
            or (self._has("faults") and (self._about or self._undoes))
            or self._is_bare
            or (self._has("sole") and not self._has("past"))
        )

    @property
    def _is_bare(self) -> bool:
        """Whether it names a matter of ours, and has no verb: "score and losses"."""
        size, shouts = len(self._said.split()), "!" in self.text
        if size > _MOST_BARE or self._has("tells"):
            return False
        counted = self._has("game") and self._has("counts")
        mine = size <= _FEW_WORDS + 1 and self._has("me") and self._has("game")
        named = self._undoes or (self._ours and not shouts) or counted
        return (named and not self._has("past")) or (mine and not shouts)
