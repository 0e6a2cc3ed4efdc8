"""Tells which command plain words ask about, or what they want of it: to watch, notes, substitutes.

`languages/topics.txt` says by what words that is known.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cached_property

from pbm.commands.sentences.asked import (
    LONGEST,
    SENTENCE,
    Lists,
    Sentence,
    patterns,
    plain_words,
    spoken,
    unwrapped,
)
from pbm.commands.sentences.clauses import FOLDER

_PAGES = ("notify", "mute", "note", "message", "submit", "substitute", "plan", "replay")
_WORDS = (
    "works, can, own note, erase, reveal, lets, place, tale, elsewhere, summary, daily, moves, "
    "over, send, enough, own plan, write, writes me"
).split(", ")
_LISTS = patterns(FOLDER / "topics.txt", (*_PAGES, *_WORDS))
_MOST_IN_HEAD = 10  # words before those of a note
_FEW_WORDS = 5  # of a request about a note
_NEAR = 4  # words in which a command stands behind "how does"
_NOTED = re.compile(r"([^:]{1,90}?)(?::|\s[-\u2013\u2014]\s)\s*(\S.*)", re.DOTALL)
_NUMBERED = re.compile(r"(\w{3,12} \d{1,9}\b)[\s,.]*(\S.*)", re.DOTALL)


class Wish(Enum):
    """What somebody wants of a command; the greater the likelier."""

    HOW = auto()  # to know how it works
    WATCH = auto()
    UNWATCH = auto()
    ONLOOKERS = auto()  # to know who looks on at a game of the writer's
    SUBSTITUTE = auto()
    NOTE = auto()
    NOTED = auto()  # to see a note, or a plan
    ERASE = auto()


@dataclass(frozen=True)
class Topic:
    """What is wanted, the help page that tells about it, and the words of a note."""

    wish: Wish
    page: str
    words: str = ""


@dataclass(frozen=True)
class Named:
    """What of a text are boards and players, in lower case."""

    boards: Collection[str]  # on which others play
    players: Collection[str]
    guests: Collection[str]  # those players who may play on for the writer
    followed: Collection[str]  # those players whose games the writer watches
    in_game: bool  # the text answers a mail of the writer's own board


def how_often(lines: Sequence[str]) -> str:
    """Return "moves" if words want news at each move, "over" if at the end of a game alone."""
    said = plain_words(unwrapped(lines)[:LONGEST])
    return next((name for name in ("moves", "over") if _LISTS[name].search(said)), "")


def with_owners(words: Sequence[str]) -> list[str]:
    """Return words, and those that have an s behind them as somebody's name has: "Bobs"."""
    return [*words, *(word[:-1] for word in words if word.endswith("s"))]


def topic_of(lines: Sequence[str], named: Named, commands: Collection[str]) -> Topic | None:
    """Return what words want of a command; None if they speak to another player, or of others.

    `commands` are the words by which the commands are called.
    """
    text = unwrapped(lines)
    if len(text) > LONGEST:
        return None
    said, found = plain_words(text), list[Topic]()
    if noted := _noted(text, said):
        return noted
    for part in SENTENCE.findall(text):
        for lists in spoken(plain_words(part), said):
            about = _About(part, lists, named)
            if about.says_you:
                return None
            found += about.topics(commands)
    return max(found, key=lambda topic: topic.wish.value, default=None)


def _noted(text: str, around: str) -> Topic | None:
    """Return the wish to keep words in a note, such as "note to self: ..."."""
    found = _NOTED.fullmatch(text) or _NUMBERED.fullmatch(text)
    head = plain_words(found[1]) if found else ""
    own, any_note = (_LISTS[name].search(head) for name in ("own note", "note"))
    if found is None or not (own or any_note) or len(head.split()) > _MOST_IN_HEAD:
        return None
    for lists in spoken(head, around):
        sentence = Sentence(found[1], lists)
        if not (sentence.says_you or sentence.has("talk")):
            for name, wish in (("erase", Wish.ERASE), ("reveal", Wish.NOTED)):
                if _LISTS[name].fullmatch(plain_words(found[2])):  # "note 12: delete"
                    return Topic(wish, "note")
        begins = any(map(_LISTS["note"].match, sentence.starts))
        wants = begins or sentence.has("wants") or sentence.orders
        if own or (wants and not (sentence.says_you or sentence.has("talk"))):
            return Topic(Wish.NOTE, "note", found[2])
    return None


class _About(Sentence):
    def __init__(self, text: str, lists: Lists, named: Named) -> None:
        super().__init__(text, lists)
        self.named, self.words = named, set(with_owners(self.said.split()))
        self.sections |= {name for name, words in _LISTS.items() if words.search(self.said)}
        self.is_how = self.asks_how or self.begins("manner") or self.has("works")
        self.is_how |= self.is_question and self.has("can")
        self.wants = self.has("wants") or self.orders or self._starts("send", "lets")
        self.asks = self.asks or self.begins("asks", "opens")

    @cached_property
    def says_you(self) -> bool:
        """Whether the words speak to a player; an order to let another one play does not."""
        orders = self._starts("lets") and not self.words.isdisjoint(self.named.guests)
        return super().says_you and not (orders and self.has("place"))

    def topics(self, commands: Collection[str]) -> Iterator[Topic]:
        if self._hands_over():
            yield Topic(Wish.SUBSTITUTE, "substitute")
        if not (self.wants or self.asks or self.is_how) and self.has("past", "talk"):
            return
        yield from self._of_own("note")
        yield from self._of_own("plan")
        yield from self._of_watching()
        somebody = self.has("rival") or not self.words.isdisjoint(self.named.players)
        page = next((page for page in _PAGES if self.has(page)), self._command(commands))
        if not page and somebody and self.has("write"):
            page = "message"
        if page and (self.is_how or (page == "mute" and self.wants)):
            yield Topic(Wish.HOW, page)
        elif somebody and self.has("writes me") and self.has("no more"):
            yield Topic(Wish.HOW, "mute")

    def _starts(self, *sections: str) -> bool:
        return any(_LISTS[name].match(start) for name in sections for start in self.starts)

    def _command(self, commands: Collection[str]) -> str:
        """Return the command whose own word stands behind words such as "how does"."""
        works = _LISTS["works"].search(self.said)
        behind = self.said[works.end() :].split()[:_NEAR] if works else []
        return next(filter(commands.__contains__, behind), "")

    def _of_own(self, page: str) -> Iterator[Topic]:
        """Yield the wish to see a note or a plan of the writer's, or to be rid of it."""
        if not self.has(page, f"own {page}") or self.has("talk"):
            return
        own, reveals = self.has(f"own {page}"), self.has("reveal")
        bare = own and (len(self.words) <= _FEW_WORDS or self.asks) and not self.is_how
        wants = self.wants or self._starts("erase", "reveal")
        if page == "plan":  # "my plan was bad" is talk
            bare, own = False, own and (wants or self.asks)
        if self.has("erase") and (wants or bare):
            yield Topic(Wish.ERASE, page)
        elif bare or (reveals and (own or self._starts("reveal"))):
            yield Topic(Wish.NOTED, page)
        elif wants and page == "note":
            yield Topic(Wish.HOW, page)

    def _of_watching(self) -> Iterator[Topic]:
        has, in_game = self.has, self.named.in_game
        looks_on, games, mails = has("watch"), has("watched"), has("news", "summary")
        board = not self.words.isdisjoint(self.named.boards)
        player = not self.words.isdisjoint(self.named.players)
        often, named = has("summary", "moves", "daily", "over"), board or player
        tells = self.asks or has("wants", "shows", "acts")
        goes_on = named and has("goes on", "outcome") and tells
        if has("no more") and not (often and mails) and (looks_on or games or mails or named):
            sure = board or (player and (looks_on or mails or self.orders))
            sure |= games and not self.words.isdisjoint(self.named.followed)
            if sure or not in_game or (looks_on and games and self.wants):
                yield Topic(Wish.UNWATCH, "watch")
        if self.asks and has("onlookers") and (looks_on or (has("sees") and games)):
            yield Topic(Wish.ONLOOKERS, "watch")
        of_mails = (mails and has("daily")) or (has("moves") and self._starts("send"))
        of_others = named or has("elsewhere") or not in_game
        sees = self.wants and ((board and games) or (named and (often or (games and has("sees")))))
        is_how = self.begins("manner") if named else self.is_how
        if is_how and looks_on and (games or of_others):
            yield Topic(Wish.HOW, "watch")
        elif sees or goes_on or (looks_on and of_others and (named or self.wants or not in_game)):
            yield Topic(Wish.WATCH, "watch")
        elif in_game and of_mails and (self.wants or has("enough")):
            yield Topic(Wish.HOW, "watch")

    def _hands_over(self) -> bool:
        is_named = not self.words.isdisjoint(self.named.guests)
        asks = self.asks and not self.has_tag
        if not is_named and self.has("tale") and not (self.wants or asks):
            return False
        stays = self.has("watch", "no more") and not self.has("place")  # "seguir a carol"
        gives = self.has("place") and (self.wants or self.has("lets"))
        takes = self.has("takes over") and not stays
        return (is_named and (takes or gives)) or self.has("to substitute")
