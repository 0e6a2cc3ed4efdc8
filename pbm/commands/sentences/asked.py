"""Tells whether words in answer to a board ask something that only the server knows or does.

The words by which that is known are in `languages/asked.txt`, which says what each list means. The
words by which the fitting lines of the status card are found are in `languages/card.txt`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from enum import Enum, auto
from typing import Final

from pbm.commands.sentences.clauses import FOLDER
from pbm.mail.reading.charsets import fold_typography
from pbm.word_lists import read_sections

_LONGEST = 400  # characters; a longer text is talk
_WRAPPED = 50  # characters; a shorter line ends its sentence
_FEW_WORDS = 2  # of a request without a verb, such as "bigger picture"
_SECTIONS: Final = (
    *("ours", "game", "loose", "how", "asks", "wants", "acts", "take back", "pause"),
    *("rival", "me", "you", "can you", "nobody", "talk", "plans", "past"),
)
_RIVAL: Final = "opponent"
_CARD: Final = ("colours", "time", "show", "standings", "push", "move", "picture", "settings")
_SENTENCE = re.compile(r"[^.!?…;。？！\n]+[.!?…;。？！]*")
_SMILEY = re.compile(r"[:;=]-?[)DP(]|[\u2600-\u27bf\U0001f300-\U0001faff]")
_TAG = re.compile(r",\s*[\w']{1,8}(?: \w{1,5})?\s*\?\s*$")  # "isn't it good, eh?"
_MOVE = re.compile(r"\b[a-i]\d [a-i]\d\b")
_WORD = re.compile(r"\*?[^\W_]+\*?")
_PLAIN = str.maketrans("łøđı", "lodi")


class Aim(Enum):
    """Whom a player's words are for."""

    OTHERS = auto()
    EITHER = auto()  # a question that the other players may answer
    SERVER = auto()
    TAKE_BACK = auto()  # the server, which is to take back the latest move
    PAUSE = auto()


def aim_of(lines: Sequence[str], rival: str = "") -> Aim:
    """Return whom words in answer to a board are for; `rival` is the only opponent's handle."""
    text = _unwrapped(lines)
    if rival:  # "Bob, is it late?" speaks to him
        text = re.sub(rf"(?<!, )\b{re.escape(rival)}\b(?!,)", _RIVAL, text, flags=re.IGNORECASE)
    if len(text) > _LONGEST:
        return Aim.OTHERS
    if _is_plan(" ".join(_words(text)), asks="?" in text):
        return Aim.SERVER
    aims = [_aim(found[0]) for found in _SENTENCE.finditer(text) if _WORD.search(found[0])]
    if not aims:
        return Aim.SERVER if "?" in text else Aim.OTHERS
    ours = [aim for aim in aims if aim not in (None, Aim.OTHERS, Aim.EITHER)]
    if ours and Aim.OTHERS not in aims:
        return max(ours, key=lambda aim: aim.value)
    return Aim.EITHER if ours or Aim.EITHER in aims or "?" in text else Aim.OTHERS


def card_lines(lines: Sequence[str]) -> list[str]:
    """Return which lines of the status card answer a question, by their help pages."""
    said = " ".join(_words(_unwrapped(lines)[:_LONGEST]))
    return [page for page, words in _LINES.items() if words.search(said)]


def _aim(sentence: str) -> Aim | None:
    """Return whom a sentence is for; None if it neither asks nor speaks to anybody."""
    said = " ".join(_words(sentence))
    is_question = not {"?", "？", "¿"}.isdisjoint(sentence)
    addressed = _LISTS["can you"].sub("", _LISTS["nobody"].sub("", said))

    def has(*sections: str) -> bool:
        return any(_LISTS[name].search(said) for name in sections)

    chats = has("talk") or bool(_TAG.search(sentence))
    asks = bool(_LISTS["asks"].match(said)) or (has("asks") and has("ours") and not chats)
    asks = is_question or (asks and "!" not in sentence)

    if _LISTS["you"].search(addressed):
        return Aim.OTHERS
    undoes = has("take back", "pause")
    is_short = len(said.split()) <= _FEW_WORDS and "!" not in sentence
    does = undoes or (has("acts") and has("ours", "game", "loose", "how"))
    if has("can you"):
        is_ours = does or has("ours")
    elif asks:
        is_played = has("game") or (
            (is_question or "," not in sentence)
            and has("loose")
            and (is_short or has("me", "rival"))
        )
        is_ours = does or has("ours", "how") or (is_played and not _SMILEY.search(sentence))
    else:
        orders = is_short or bool(_LISTS["acts"].match(said))
        is_ours = (has("wants") and (does or has("how", "game"))) or (orders and undoes)
        is_ours = is_ours or (has("ours") and (orders or has("wants")))
    if chats and not has("ours", "how"):
        return Aim.OTHERS
    if not is_ours:
        return Aim.EITHER if asks else None
    undone = Aim.TAKE_BACK if has("take back") else Aim.PAUSE
    return undone if undoes and not has("how") else Aim.SERVER


def _is_plan(said: str, *, asks: bool) -> bool:
    """Return whether words tell moves to be made: "if he plays a1-b2, answer c3-c4"."""
    moves = len(_MOVE.findall(said))
    planned = (moves > 1 and not asks) or (moves and _LISTS["plans"].search(said))
    return bool(planned) and not _LISTS["past"].search(said)


def _unwrapped(lines: Sequence[str]) -> str:
    """Join lines that a mail program has wrapped."""
    text = ""
    for line in lines:
        text += line.strip() + (" " if len(line) >= _WRAPPED else "\n")
    return text.strip()


def _words(text: str) -> Iterator[str]:
    """Yield the words of a text, without accents and in lower case."""
    plain = unicodedata.normalize("NFKD", fold_typography(text).casefold().translate(_PLAIN))
    yield from _WORD.findall("".join(char for char in plain if not unicodedata.combining(char)))


def _pattern(phrases: Sequence[str]) -> re.Pattern[str]:
    """Compile a list; a star stands for any letters."""
    longest = sorted(map(re.escape, phrases), key=len, reverse=True)
    some = "|".join(longest).replace(r"\*", r"\w*").replace(r"\ ", " ")
    return re.compile(rf"\b(?:{some})\b")


def _read(name: str, sections: Sequence[str]) -> dict[str, re.Pattern[str]]:
    found = read_sections(FOLDER / name, sections, lambda line: (" ".join(_words(line)),))
    return {section: _pattern(phrases) for section, phrases in found.items()}


_LISTS: Final = _read("asked.txt", _SECTIONS)
_LINES: Final = _read("card.txt", _CARD)
