"""Rows of what people write, each with what must happen; and the words for what happens.

A row begins with a line of its own: the situation, the language and the expectation. A "Subject:"
line may follow; all else up to the next row is the mail's text, as it was typed:

    === turn, en: played a2-c4,d5 with "Hi Bob, / Good luck!"
    Hi Bob,

    a2-c4,d5

    Good luck!

Lines before the first row, and those that begin with "# --", are for people. An expectation is one
of these, or several where either is right, with a | between; "and" stands between two things that
happen both:

    played MOVE      the move is played, and nothing was said to anybody but the writer
    done COMMAND     what the command does was done: resign, draw, takeback, decline, challenge,
                     accept draw, reject draw, accept takeback, reject takeback, delete, set,
                     plan (moves are planned), drop (a plan is dropped), watch, unwatch, note,
                     erase (a note), substitute (it is offered)
    ... with comment      either of them, and the others were sent words, too
    ... with "one / two"  these words, line by line; lines without words do not count
    talk             the others were sent words, and nothing else was done; talk "one / two"
    asked COMMAND    nothing was done yet; a question is open whose yes does it (a MOVE for moves,
                     talk for words to the others)
    welcome          a stranger was asked to play here; welcome HANDLE under this name
    asked-again      the open question is still open, and the writer was told so, or was asked anew;
                     asked-again HANDLE: whether that is the name to play under
    signed-up HANDLE the writer plays here now, and in the game of the invitation, if there was one
    goodbye          a stranger was told that no more mail comes, and is asked nothing
    no-for-ever      the same for somebody who was invited: the inviter has a no
    dropped          the question was answered with no
    help PAGE        this page was the answer; help: any page
    card             the answer was the status card
    lost             the writer was told that nothing was found in the mail to do
    told             the writer alone got an answer, a page or a list or what is wrong; nothing was
                     done, and nothing is asked
    answered         the same, and not that the mail says nothing that we can do
    nothing          no mail, nothing done

It is harmful, whatever else a row may say, where a move was played, words were sent to others,
somebody was signed up, or a game was given up, agreed on or set back, and no alternative of the
expectation has that.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_HEAD = re.compile(r"=== (?P<situation>[\w-]+), (?P<language>[a-z]{2}): (?P<must>.+)")
_WORDS = re.compile(r'(?:^talk| with) (?:comment|"(?P<words>[^"]*)")$')
_SUBJECT = "Subject:"
_IRREVERSIBLE = ("played", "signed-up", "done")


@dataclass(frozen=True)
class Happened:
    """What became of a mail: `things` in the words above, and the lines that others were sent."""

    things: frozenset[str]
    said: tuple[str, ...] = ()

    def __str__(self) -> str:
        words = f' with "{" / ".join(self.said)}"' if self.said else ""
        return " and ".join(sorted(self.things)) + words


@dataclass(frozen=True)
class Expected:
    """One thing that may happen; `said` is None for whatever words, empty where nobody gets any."""

    things: frozenset[str]
    said: tuple[str, ...] | None

    @classmethod
    def read(cls, text: str) -> "Expected":
        """Read one alternative of an expectation."""
        match = _WORDS.search(text)
        said: tuple[str, ...] | None = None if text == "talk" else ()
        if match:
            said = None if match["words"] is None else tuple(match["words"].split(" / "))
            text = "talk" if text.startswith("talk") else text[: match.start()]
        return cls(frozenset(text.split(" and ")), said)

    def is_met(self, happened: Happened) -> bool:
        """Whether this is what happened."""
        rest = happened.things
        for thing in self.things:
            meant = {found for found in rest if _means(thing, found)}
            if not meant:
                return False
            rest -= meant
        return not rest and (
            bool(happened.said) if self.said is None else self.said == happened.said
        )

    def may_say(self) -> bool:
        """Whether others get any words."""
        return self.said != ()


@dataclass(frozen=True)
class Row:
    """What somebody writes in a situation, and what may happen then."""

    number: int
    situation: str
    language: str
    subject: str
    text: str
    must: str

    @property
    def alternatives(self) -> tuple[Expected, ...]:
        """What is right: any of these."""
        return tuple(Expected.read(part.strip()) for part in self.must.split(" | "))

    def is_right(self, happened: Happened) -> bool:
        """Whether what happened is what must."""
        return any(expected.is_met(happened) for expected in self.alternatives)

    def is_harmful(self, happened: Happened) -> bool:
        """Whether something happened that cannot be called back and was not meant."""
        wished = {thing for expected in self.alternatives for thing in expected.things}
        lasting = {thing for thing in happened.things if thing.startswith(_IRREVERSIBLE)}
        unheard = not any(expected.may_say() for expected in self.alternatives)
        return bool(lasting - wished or (happened.said and unheard))


def rows(file: Path) -> Iterator[Row]:
    """The rows of a file. Raises ValueError for a row that cannot be read."""
    head, *parts = re.split(r"^(?==== )", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    if "===" in head:
        raise ValueError(head)
    for number, part in enumerate(parts, start=1):
        first, *lines = part.splitlines()
        match = _HEAD.fullmatch(first)
        if match is None:
            raise ValueError(first)
        subject = ""
        if lines and lines[0].startswith(_SUBJECT):
            subject = lines.pop(0).removeprefix(_SUBJECT).strip()
        text = "\n".join(line for line in lines if not line.startswith("# --")).strip("\n")
        yield Row(number, match["situation"], match["language"], subject, text, match["must"])


def _means(thing: str, found: str) -> bool:
    """Whether a word of an expectation is what was found.

    A bare one is any of its kind; a command that is asked about may have more words behind it.
    """
    kind, _, what = thing.partition(" ")
    if thing in ("told", "answered"):
        kinds = ("told", "help", "card", *(["lost"] if thing == "told" else []))
        return found.startswith(kinds)
    if kind == "asked":
        return found.startswith(thing)
    return found == thing or (not what and found.split()[0] == thing)
