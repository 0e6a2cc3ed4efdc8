"""Recognises requests in plain words: "I give up", "draw?", "How do I resign?".

Words in answer to a board's mail go to the other players, unless they are only a request, perhaps
with greetings and thanks. The phrases are in `languages/intentions.txt`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from pbm.commands.language.words import is_handle
from pbm.commands.sentences.asked import tells_own
from pbm.commands.sentences.clauses import (
    ANSWER_WORDS,
    SENTENCE_WORDS,
    Clause,
    begins,
    phrase_of,
    read_list,
    words_of,
)
from pbm.mail.reading.charsets import fold_typography
from pbm.play.game_words import is_any_bare_move, mentions_place
from pbm.word_lists import either

_LONGEST = 400  # characters; a longer text is talk
_MOST_LINES = 24
_MOST_OTHER_WORDS = 40
_MOST_WORDS = 16  # of a wish
_NAME_WORDS = 2
_SURE_WORDS = 2  # fewer are unsure beside other words, but for a wish above its reason
_LONGEST_NUMBER = 9
_LEAST_WITH_VERB = 3  # words; a verb at the end follows a preposition and a name
_IS_ADDRESS = re.compile(r"[@\ufe6b\uff20*]|%40|mailto")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")


class Intention(StrEnum):
    """A request or question: the section of its phrases, and the line of a command that does it."""

    line: str

    def __new__(cls, section: str, line: str = "") -> Self:
        member = str.__new__(cls, section)
        member._value_, member.line = section, line
        return member

    RESIGN = "resign", "resign"
    LOST = "lost", "resign"  # "You win": a resignation, but talk once the game is over
    DRAW = "draw", "draw"
    TAKE_BACK = "take back", "takeback"
    AGAIN = "again", "rematch"
    ONCE_MORE = "once more", "rematch"  # while a board is played it is said to the others
    DECLINE = "decline", "decline"
    LEAVE = "leave", "delete"
    STOP = "stop", "stop"
    FEWER = "fewer", "stop"  # "I get too many mails"
    RULES = "rules"  # the page of the game
    PLAY = "play", "help tutorial"
    HELP = "help", "help"
    COMMANDS = "commands", "help commands"
    GAMES = "games", "games"
    CHALLENGE = "challenge", "help challenge"
    CHANGE = "change", "help change"
    SETTINGS = "settings", "settings"
    PAIR = "pair", "play"
    ANYONE = "anyone", "play"  # the same, but in answer to a board it is said to the others
    HINT = "hint", "hint"
    PLANNING = "planning", "help plan"
    OWN_PLAN = "own plan", "plan"
    DROP_PLAN = "drop plan", "plan none"
    NOTING = "noting", "help note"
    OWN_NOTE = "own note", "note"
    MUTE = "mute", "mute"
    REPLAY = "replay", "replay"
    LOOK_FIRST = "look first", "help preview"
    CONFIRM = "confirm", "confirm"
    DROP_MOVE = "drop move", "drop"
    ROBOTS = "robots", "help robots"  # "Is there a bot?"
    TOURNAMENT = "tournament"
    STATE = "state"  # "What does the line State mean?"
    PAUSE = "pause", "pause"
    AGAINST = "against", "challenge"  # needs a name behind it
    RENAME = "rename", "change handle"  # likewise
    AWAY = "away", "vacation"  # days may stand behind it


_REASONED = frozenset((Intention.RESIGN, Intention.DRAW, Intention.TAKE_BACK, Intention.PAUSE))
# The ways to introduce a wish: the sections of their phrases.
_WISH, _BEG, _ASK = _WAYS = ("ways to wish", "ways to beg", "ways to ask")
_NOT_ASKED_OF_OTHERS = frozenset((Intention.RESIGN, Intention.DECLINE))  # "Can you give up?"
_NAMING = (Intention.AGAINST, Intention.RENAME)
_ALONE = "against alone"
_WITH_MORE = (*_NAMING, Intention.AWAY)
_WHOLE = tuple(item for item in Intention if item not in _WITH_MORE)
_SEEING = ("seeing", "games seen", "seen again", "beside seeing")  # one of each but the last
_BESIDE = (
    "asides, greetings, objects, invite, verbs at the end, topics, who, telling, that, no names"
).split(", ")
_OF_WHOLE = [f"{before}{item}" for item in _WHOLE for before in ("", "to ")]
_LISTS = read_list("intentions", (*_BESIDE, *_SEEING, *_WAYS, *_OF_WHOLE, *_WITH_MORE, _ALONE))
_OF_SEEING = frozenset().union(*(_LISTS[name] for name in ("asides", *_SEEING)))
_INVITER = "somebody"  # stands in the list for the handle of whoever invited the writer
_WANTED = _LISTS[_WISH] | _LISTS[_BEG]
_NO_NAMES = _LISTS["no names"].union(*SENTENCE_WORDS.values())
_ASIDES, _GREETINGS, _OBJECTS = (_LISTS[name] for name in ("asides", "greetings", "objects"))
_LONGEST_ASIDE = max(len(aside.split()) for aside in _ASIDES)
_NOT = ANSWER_WORDS["not"] | ANSWER_WORDS["no"] | ANSWER_WORDS["no alone"]
_UNSUBSCRIBE = ANSWER_WORDS["unsubscribe"] | ANSWER_WORDS["stop undivided"]
_SAID = dict.fromkeys(map(phrase_of, _UNSUBSCRIBE), Intention.STOP) | {
    phrase: item for item in _WHOLE for phrase in _LISTS[item]
}
_AWAY = re.compile(rf"\b(?:{either(_LISTS[Intention.AWAY])})\b([^,;!?]*)")
_WAY = "|".join(sorted(_WANTED | _LISTS[_ASK], key=len))  # the shortest first: "can you tell me"
# Groups: how, to whom, and the next word.
_TELLING = re.compile(rf"(?:(?:{_WAY}) )??({either(_LISTS['telling'])}) (\S+) ?(\S*)")
_TOPICS = {word: Intention(item) for word, item in map(str.split, _LISTS["topics"])}
_TO_PLAY = {  # verbs
    phrase.split()[0] for phrase in _LISTS[Intention.AGAINST] if phrase.count(" ") <= 1
}
_DEEDS = {phrase: item for item in _WHOLE for phrase in _LISTS[f"to {item}"]}
_CLAUSE = re.compile(r"(?:[^.,;:!?()…。、，！？\n\u2013\u2014-]|(?<=\S)-(?=\S)|(?<=\d)\.(?=\d))+")


@dataclass(frozen=True)
class Meant:
    """A request, or the question how to make it."""

    intention: Intention
    asks_how: bool  # the sender asks how to do it
    board: int | None
    wrote: str  # the request in the sender's words
    handle: str | None = None  # of the wanted opponent


@dataclass(frozen=True)
class Understood:
    """The requests in a text, and the remaining lines, which are for other players."""

    meant: tuple[Meant, ...]
    rest: tuple[str, ...]


@dataclass(frozen=True)
class _Clause:
    start: int
    meant: Meant | None
    says_nothing: bool
    is_sure: bool  # the request counts even beside other clauses


def understand(lines: Sequence[str]) -> Understood | None:
    """Return the requests in a sender's words; None if the words are for other players.

    Words that name a move or a place on the board are for other players.
    """
    text = "\n".join(lines).strip()
    is_long = len(text) > _LONGEST or text.count("\n") >= _MOST_LINES
    if is_long or mentions_place(text) or any(map(is_any_bare_move, lines)):
        return None
    clauses = tuple(_clauses(text))
    others = [clause for clause in clauses if not clause.meant and not clause.says_nothing]
    found = [clause for clause in clauses if clause.meant and (clause.is_sure or not others)]
    if not found:
        return None
    meant = tuple(dict.fromkeys(clause.meant for clause in found if clause.meant))
    if not others:
        return Understood(meant, ())
    rest = _without_lines_of(text, found, others)
    return Understood(meant, rest) if len(words_of(text)) <= _MOST_OTHER_WORDS else None


def address_invited(lines: Sequence[str]) -> str | None:
    """Return the only mail address in a request to play with somebody; else None."""
    text = "\n".join(lines)
    found = set(_ADDRESS.findall(text)) if len(text) <= _LONGEST else set()
    words = words_of(_ADDRESS.sub(" ", text))
    asks = not _LISTS["invite"].isdisjoint(words) and _NOT.isdisjoint(words)
    return found.pop() if len(found) == 1 and asks else None


def handle_told(lines: Sequence[str]) -> tuple[str, bool] | None:
    """Return the name in words such as "tell anna that I am ill"; None for other words.

    The second result is whether it must be a name, even if nobody here has it.
    """
    text = "\n".join(lines)[:_LONGEST]
    for found in _CLAUSE.findall(text) if _IS_ADDRESS.search(text) is None else ():
        told = _TELLING.match(" ".join(_without_asides(words_of(found))))
        if told and is_handle(told[2]):
            sure = " " in told[1] or told[3] in _LISTS["that"] or not told[3]
            return told[2], sure and told[2] not in _NO_NAMES
    return None


def days_away(lines: Sequence[str]) -> str | None:
    """Return what follows a phrase such as "I'm on vacation"; None if there is no such phrase."""
    if sum(map(len, lines)) > _LONGEST:
        return None
    text = fold_typography(one_line(lines)).casefold()
    found = _AWAY.search(text)
    return found[1].strip(" .") if found else None


def one_line(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())


def topic_asked(lines: Sequence[str]) -> Meant | None:
    """Return the subject of a short question, or of a notice of absence; None for other texts."""
    text = one_line(lines)
    words = words_of(text.replace("'", " ").replace("’", " "))
    found = max(filter(None, map(_TOPICS.get, words)), key=list(Intention).index, default=None)
    plays = found is Intention.ROBOTS and not _TO_PLAY.isdisjoint(words)
    if found is None or not ("?" in text or found is Intention.AWAY or plays):
        return None
    if len(words) > _MOST_WORDS:
        return None
    return Meant(found, True, None, text)


def asks_who(lines: Sequence[str], inviter: str | None = None) -> bool:
    """Return whether somebody asks who we are or who `inviter` is, or whether our mail is spam."""
    said = map(words_of, _CLAUSE.findall("\n".join(lines)[:_LONGEST]))
    asked = ([_INVITER if word == inviter else word for word in words] for words in said)
    return any(begins(_without_asides(words), _LISTS["who"]) for words in asked)


def _clauses(text: str) -> Iterator[_Clause]:
    for found in _CLAUSE.finditer(text):
        words, (start, end) = words_of(found[0]), found.span()
        if not words:
            continue
        before, behind = text[:start].rpartition("\n")[2], text[end:].partition("\n")[0]
        is_line = not words_of(before + behind)
        spoken_to = (
            behind.startswith(",") or before.rstrip().endswith(",") or (is_line and start > 0)
        )
        meant, below = _meaning(words, " ".join(found[0].split())), text[end:]
        is_reasoned = not start and meant and meant.intention in _REASONED and tells_own(below)
        greets = words[0] in _GREETINGS and len(words) <= 1 + _NAME_WORDS
        named = spoken_to and _may_be_name(found[0])
        yield _Clause(
            start,
            meant,
            says_nothing=greets or named or not _without_asides(words),
            is_sure=len(words) >= _SURE_WORDS
            or is_line
            or not words_of(below)
            or bool(is_reasoned),
        )


def _meaning(words: list[str], wrote: str) -> Meant | None:
    if len(words) > _MOST_WORDS:
        return None
    greeted = words[0] in _GREETINGS
    core = _without_asides(words)
    # "Hi Alice I resign"
    for said in (core, core[1:], core[2:]) if greeted and core != words else (core,):
        said, board = _without_asides(said), None
        last = said[-1] if len(said) > 1 else ""
        if last.isascii() and last.isdigit() and len(last) <= _LONGEST_NUMBER:
            said, board = said[:-1], int(last)
        for shorter in _without_objects(said):
            meant = _SAID.get(shorter)
            if meant is Intention.ONCE_MORE and shorter != " ".join(words):
                continue  # "thanks again"
            if meant:
                return Meant(meant, False, board, wrote)
            if deed := _wish_to_do(shorter):
                return Meant(*deed, board, wrote)
        named = _with_name(said) if board is None else None
        if named:
            return Meant(named[0], False, None, wrote, named[1])
    number = int(words[-1]) if re.fullmatch(r"\d{1,9}", words[-1], re.ASCII) else None
    clause = Clause(tuple(words[:-1] if number else words), "", 0)
    parts = clause.parts(_OF_SEEING, most=_MOST_WORDS) or ()
    sees = all(not _LISTS[name].isdisjoint(parts) for name in _SEEING[:3])
    return Meant(Intention.REPLAY, False, number, wrote) if sees else None


def _wish_to_do(phrase: str) -> tuple[Intention, bool] | None:
    """Return what a phrase asks for, and whether it only asks how to do it.

    Returns None if the phrase asks for nothing that we know.
    """
    for way in (_ASK, _WISH, _BEG):
        words = phrase.split()
        for count in range(1, len(words)):
            intention = _DEEDS.get(" ".join(words[count:]))
            if intention is None or " ".join(words[:count]) not in _LISTS[way]:
                continue
            if way == _ASK:
                return intention, True
            if way == _WISH or intention not in _NOT_ASKED_OF_OTHERS:
                return intention, False
    return None


def _with_name(words: Sequence[str]) -> tuple[Intention, str] | None:
    """Return what is asked for, and the name in "I want to play with anna" or "play bob"."""
    if len(words) > _LEAST_WITH_VERB and words[-1] in _LISTS["verbs at the end"]:
        *words, preposition, handle, verb = words
        words += [verb, preposition, handle]
    *said, handle = words or [""]
    for count in range(len(said)):
        begins, rest = " ".join(said[:count]), " ".join(said[count:])
        is_wish = begins in _WANTED or (not count and len(said) > 1)
        meant = next((item for item in _NAMING if rest in _LISTS[item]), None)
        if not count and rest in _LISTS[_ALONE]:
            is_wish, meant = True, Intention.AGAINST
        if is_wish and meant:
            return (meant, handle) if is_handle(handle) else None
    return None


def _without_asides(words: list[str]) -> list[str]:
    """Return the words without polite phrases such as "please" at the beginning and end."""
    while size := _aside(words, at_end=False):
        words = words[size:]
    while size := _aside(words, at_end=True):
        words = words[:-size]
    return words


def _aside(words: list[str], *, at_end: bool) -> int:
    """Return the number of words in a polite phrase at the start of `words`, or at the end."""
    sizes = range(min(len(words), _LONGEST_ASIDE), 0, -1)
    return next((n for n in sizes if " ".join(words[-n:] if at_end else words[:n]) in _ASIDES), 0)


def _without_objects(words: list[str]) -> Iterator[str]:
    """Yield a phrase, then the same without one or two objects ("this game") at its end."""
    yield " ".join(words)
    for _ in range(_NAME_WORDS):
        count = next((n for n in range(1, len(words)) if " ".join(words[n:]) in _OBJECTS), 0)
        if not count:
            return
        words = _without_asides(words[:count])
        yield " ".join(words)


def _may_be_name(text: str) -> bool:
    words = text.split()
    capitals = all(word[:1].isupper() and word.isalpha() for word in words)
    return capitals and len(words) <= _NAME_WORDS


def _without_lines_of(
    text: str, found: Sequence[_Clause], others: Sequence[_Clause]
) -> tuple[str, ...]:
    """Return the lines of a text, without the lines of the clauses `found`.

    A line stays if one of the clauses `others` begins in it, too.
    """
    said = {text.count("\n", 0, clause.start) for clause in found}
    said -= {text.count("\n", 0, clause.start) for clause in others}
    kept = [line.strip() for index, line in enumerate(text.split("\n")) if index not in said]
    return tuple("\n".join(kept).strip("\n").split("\n"))
