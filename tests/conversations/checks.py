"""What holds for every mail that was ever sent, and for every board, whatever was said."""

import re
from functools import lru_cache
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from weakref import WeakSet

import pytest

from pbm.commands import script
from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line, parse_move
from pbm.commands.script import answer_to_welcome, confirmation, read_script, trimmed
from pbm.commands.sentences.agreeing import WELCOME
from pbm.mail.reading.htmltext import html_to_text
from pbm.mail.reading.inbound import clean_subject
from pbm.play import subjects
from pbm.play.boards import position_after
from tests.mail.reading.our_mails import own_words
from tests.table import SERVER, Mail, Table

COLUMNS = 76
SAID_COLUMNS = COLUMNS + len("| ")  # players' own lines keep their breaks
MOST_REFERENCES = 3
WRAPS = range(70, 80)  # where mailers break the lines that they quote
_LAST = re.compile(r"State: [.#1-6/]{69} [ -~]{5,60}$", re.ASCII)
_TAG = re.compile(r"pbm\+|(?<![a-z0-9])k1[a-z2-7]{16}", re.ASCII)
_LINK = re.compile(r'<a\nhref="([^"]*)">(.*?)</a>')
_SHOWN = r"\2&lt;\1&gt;"  # as Outlook writes a link in plain text
_CHECKED: WeakSet[Mail] = WeakSet()  # those of an opening lie in the mailboxes of many tables
_READ_ONCE = {  # texts say the same wherever they stand, and most stand in many mails
    name: lru_cache(maxsize=4096)(getattr(script, name))
    for name in ("_read_line", "_is_command", "agrees", "says_no", "spoken")
}
_NAMES = (  # of those who mostly play
    *("alice", "bob", "carol", "dave", "erin", "frank", "marta"),
    *("ann", "ben", "cal", "dan", "eve", "fay"),
)
_VARYING = {  # what is the same for who reads a mail, and by what it is replaced
    "<state>": re.compile(r"[.#1-6/]{69}"),
    r"\1<rank>": re.compile(r"^( *[A-I]- ).*", re.MULTILINE),
    "<cell>": re.compile(r"\b[a-i][1-9](?:[-,][a-i][1-9])*\b"),
    "<day>": re.compile(r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"),
    "<name>": re.compile(rf"\b(?:{'|'.join(_NAMES)})\b"),
    "<number>": re.compile(r"[0-9]+"),
    "(<corner>)": re.compile(r"\((?:top|bottom|left|right|(?:upper|lower) (?:left|right))\)"),
    "<cells> from": re.compile(r"<cell>(?: <cell>)* from"),
    r"\1": re.compile(r"^(.+\n)\1+", re.MULTILINE),  # rows of a list that are alike by now
}


class _Harmless:
    """The kinds of mails that were found harmless, by this process or by another of the run."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self._known: set[str] = set()

    def __contains__(self, kind: str) -> bool:
        return kind in self._known or bool(self.folder and (self.folder / kind).exists())

    def add(self, kind: str) -> None:
        self._known.add(kind)
        if self.folder:
            (self.folder / kind).touch()


HARMLESS = _Harmless()


def check_mails(mail: Mail) -> None:
    """Check one of our mails: its headers, its layout, and that it never comes back as an order.

    Where only numbers, dates, names and marbles differ from a mail before, it comes back alike.
    """
    if mail in _CHECKED:
        return
    if mail.header.get_content_type() != "multipart/alternative":
        return  # sent on to the operator as it came
    _check_headers(mail)
    _check_layout(mail)
    _check_broken_off(mail.text)
    told = _kind_of(f"{'<img' in mail.html}\n{mail['Subject']}\n{mail.text}")
    kind = sha256(told.encode()).hexdigest()
    if kind not in HARMLESS:
        _check_last_line(mail)
        _check_harmless(mail)
        HARMLESS.add(kind)
    _CHECKED.add(mail)


def _kind_of(text: str) -> str:
    """The text with its line breaks, and one sign instead of whatever differs between games."""
    for placeholder, varying in _VARYING.items():
        text = varying.sub(placeholder, text)
    return text


def check_boards(table: Table) -> None:
    """Check that every board is what its moves make of it."""
    with table.database.reading() as work:
        for number in work.boards.numbers():
            board = work.boards.get(number)
            assert position_after(work, board, board.ply) == board.position
            assert len(work.plies.of(number)) == board.ply
            mover = board.to_move.player_id if board.to_move else None
            assert work.boards.derived(number)[0] == mover
            assert board.position.state() == board.state
            last = {ply.seat: ply.ply for ply in work.plies.of(number)}
            assert [seat.last_ply for seat in board.seats] == [
                last.get(seat.seat, 0) for seat in board.seats
            ]
            for offer in board.open_offers:
                assert offer.by in board.still_in
                assert board.waiting_for(offer), offer
                assert 0 <= offer.moved <= board.ply
            if board.round:
                rounds = [item.round for item in work.boards.of_match(board.round.match_id)]
                numbers = [place.number for place in rounds if place]
                assert numbers == list(range(1, len(numbers) + 1))
                assert len(numbers) <= board.round.rounds


def _check_headers(mail: Mail) -> None:
    assert mail["From"] == f"pbm <{SERVER}>"
    assert mail["Auto-Submitted"] in ("auto-replied", "auto-generated")
    assert len(mail.references) <= MOST_REFERENCES
    for name in ("From", "To", "Subject", "Date", "Message-ID"):
        assert len(mail.header.get_all(name) or []) == 1, name
    if mail["In-Reply-To"]:
        assert mail["In-Reply-To"] in mail.references
    subject = clean_subject(mail["Subject"])
    assert subjects.is_own(subject) or not parse_line(subject), subject
    on_board = subject.startswith("Abalone Board ")
    assert on_board == bool(mail["X-PBM-Board"]) == bool(mail["X-PBM-Ply"])


def _check_layout(mail: Mail) -> None:
    lines = mail.text.split("\n")
    for above, line in pairwise(["", *lines]):
        most = SAID_COLUMNS if line.startswith("| ") else COLUMNS
        assert len(line) <= most or above == "State:" or line.startswith("State: "), line
        assert line == line.rstrip(), repr(line)
    assert "\n\n\n" not in mail.text, mail.text
    assert not mail.text.startswith("\n")
    if mail["X-PBM-Board"]:
        assert _LAST.search(" ".join(mail.text.split())), mail.text
    asks = sum(line.startswith("Reply yes") for line in lines)
    assert asks <= 1, mail.text
    assert not _TAG.search(mail.text + mail.html_unlinked), "a reply address stands in a body"


def _check_last_line(mail: Mail) -> None:
    if mail["X-PBM-Board"]:
        text = _as_text(mail.html)
        assert _LAST.search(" ".join(text.split())), text


def _check_harmless(mail: Mail) -> None:
    """Nothing of ours is a command when it comes back: unquoted, wrapped, or from HTML."""
    with pytest.MonkeyPatch.context() as patched:
        for name, read_once in _READ_ONCE.items():
            patched.setattr(script, name, read_once)
        _check_words(clean_subject(f"Re: {mail['Subject']}"), mail.text, mail.html)


def _check_words(subject: str, plain: str, html: str) -> None:
    texts = (plain, _as_text(html), _as_text(_LINK.sub(_SHOWN, html)))
    read = {trimmed(lines): text for text in texts for lines in (own_words(text), text.split("\n"))}
    for said, text in read.items():  # mostly they are the same, whichever part is read
        assert not read_script(subject, said, in_answer=True).commands, text
        assert confirmation(said, WELCOME)[0] is None, text
        assert answer_to_welcome(said)[0] is None, text


def _check_broken_off(plain: str) -> None:
    """Nor is the end of a line that a mailer breaks when it quotes: any length may matter."""
    lines = plain.split("\n")
    for line in dict.fromkeys(lines):
        for columns, tail in _orders_broken_off(line):
            # Players' own lines keep their breaks: there the reader knows the end of one.
            assert line.startswith("| "), f"{tail!r} of {line!r}"
            quoted = "\n".join(part for other in lines for part in _broken(other, columns))
            assert tail not in own_words(quoted), f"{tail!r} of {line!r}"


@lru_cache(maxsize=256)
def _as_text(html: str) -> str:
    return html_to_text(html)


@lru_cache(maxsize=4096)  # most lines come in many mails
def _orders_broken_off(line: str) -> list[tuple[int, str]]:
    """The ends of a line that are an order, each with where the line was broken."""
    found = [(columns, tail) for columns in WRAPS for tail in _broken(line, columns)[1:]]
    return [(columns, tail) for columns, tail in found if tail and _is_order(tail)]


@lru_cache(maxsize=4096)
def _is_order(line: str) -> bool:
    found = parse_move(line) or parse_line(line)
    return isinstance(found, Command) and not found.reads_only


def _broken(line: str, columns: int) -> list[str]:
    """What a line is when a mailer quotes it and breaks it: its end stands alone, and unmarked."""
    quoted = f"> {line}"
    at = quoted.rfind(" ", 2, columns + 1) if len(quoted) > columns else 0
    return [quoted[:at], quoted[at + 1 :]] if at > 1 else [quoted]
