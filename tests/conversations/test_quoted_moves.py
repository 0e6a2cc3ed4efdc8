"""No move is played that somebody else has written: only what stands in the sender's own words.

Moves that are legal now stand in quotations, signatures, footers and forwarded mails, and mails of
ours come back without marks. Nothing of it is played or asked about; where the sender's own words
hold one move, that one is played.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import text as sql

from pbm.commands.families.help import help_page
from pbm.commands.language.context import Context
from pbm.commands.script import Script, read_script
from pbm.commands.turn import Turn
from pbm.mail.reading.quoting import find_own_words
from pbm.service.understanding.mail_turn import Known, Reading
from pbm.service.understanding.move_line import read_move_line
from tests.mail.reading.our_mails import our_mails, quoted, without_marks
from tests.mail.reading.replies_corpus import html_alone, replies, rewritten, script_of
from tests.mail.reading.test_promise_19_replies import TOLD
from tests.mail.reading.test_quoting_forms import ATTRIBUTIONS, FOOTERS, FORWARD_MARKS, SEPARATORS
from tests.table import Table

MOVES = ("a1-c3,d4", "a5-c5,d5", "c3,d4", "b1,c1", "A2 - C4, D5", "a4-c4,d4")  # all legal
DRESSED = ("{}", "{}.", "*{}*", "my move: {}", "move {}", "1. {}", "“{}”", "{} please :-)")
NEARLY = ("c3 to d4", "a1-b2", "c3d4")
TALK = ("Hi bob,", "Nice one!", "Good luck", "How are you?", "", "e is a letter", "Gruß, Alice")
OURS = [mail for mail in our_mails() if mail.is_a_boards and " goes on:" not in mail.text]
MARKS = ("> ", ">", ">> ", "> > ", "AB> ")
FIELDS = "From: bob <bob@example.org>\nSent: today\nTo: pbm\nSubject: x\n\n"
HOW_MANY = (150, pytest.param(4000, marks=pytest.mark.thorough))

Reader = Callable[[Script], Reading]


@contextmanager
def at_the_board(table: Table) -> Iterator[Reader]:
    """What a script means in answer to the newest mail of a board where its sender is to move."""
    table.start("alice", "bob")
    with table.database.reading() as work:
        if work.is_shared:  # a test may think for minutes between two statements
            work.execute(sql("SET LOCAL idle_in_transaction_session_timeout = 0"))
        context = Context(
            turn=Turn(work=work, site=table.site, now=table.clock()),
            actor_id=1,
            help_page=lambda subject: help_page(subject, (), ""),
            check_handle=lambda *_: None,
            hints=(1,),
        )
        yield lambda script: read_move_line(Known(**vars(context)), script) or Reading.of(script)


move = st.builds(str.format, st.sampled_from(DRESSED), st.sampled_from(MOVES))
talk = st.lists(st.sampled_from(TALK), min_size=1, max_size=4).filter(any)
others = st.lists(st.one_of(move, st.sampled_from(NEARLY + TALK)), min_size=1, max_size=5).map(
    "\n".join
)
introduction = st.one_of(
    st.sampled_from([line for line in ATTRIBUTIONS if "/" not in line]),
    st.just(""),
)
board = st.sampled_from([*(mail.text for mail in OURS), *(without_marks(m.html) for m in OURS)])


@st.composite
def marked(draw: st.DrawFn) -> str:
    """A quotation with marks."""
    text = "\n".join(draw(st.permutations([draw(others), draw(st.one_of(board, others))])))
    return f"{draw(introduction)}\n{quoted(text, draw(st.sampled_from(MARKS)))}".lstrip("\n")


@st.composite
def unmarked(draw: st.DrawFn) -> str:
    """What ends a mail, and whatever stands below it."""
    return draw(
        st.one_of(
            st.builds("{}\n{}{}".format, st.sampled_from(SEPARATORS), st.just(FIELDS), others),
            st.builds("{}\n{}{}".format, st.sampled_from(FORWARD_MARKS), st.just(FIELDS), others),
            st.builds("-- \n{}".format, others),
            st.builds("{}\n{}".format, st.sampled_from(FOOTERS), move),
            st.builds("{}\n{}{}".format, st.sampled_from(SEPARATORS), st.just(FIELDS), board),
            board,
        )
    )


@st.composite
def mail(draw: st.DrawFn, own: list[str]) -> str:
    """A mail with these lines of the sender's own above, below or between quotations."""
    cut = draw(st.integers(0, len(own)))
    above, below = "\n".join(own[:cut]), "\n".join(own[cut:])
    parts = [part for part in (above, draw(marked()), below) if part.strip()]
    if draw(st.booleans()):
        parts.append(draw(unmarked()))
    return "\n\n".join(parts)


@st.composite
def own_words(draw: st.DrawFn) -> tuple[list[str], str]:
    """The sender's own lines, and the move among them or nothing."""
    lines = draw(talk)
    if draw(st.booleans()):
        return lines, ""
    own = draw(move)
    at = draw(st.integers(0, len(lines)))
    return [*lines[:at], own, *lines[at:]], own


@pytest.mark.parametrize("how_many", HOW_MANY)
def test_only_the_own_move_is_played(how_many: int, table: Table) -> None:
    with at_the_board(table) as meant:

        @settings(max_examples=how_many, deadline=None, database=None)
        @given(st.data(), own_words())
        def check(data: st.DataObject, words: tuple[list[str], str]) -> None:
            own, move = words
            text = data.draw(mail(own))
            found = find_own_words(text)
            script = meant(
                read_script("", found.lines, in_answer=True, below_quotes=found.below_quotes)
            )
            assert [command.line for command in script.commands] == ([move] if move else []), text
            assert (script.guess, script.problem) == (None, None), text
            assert set(script.comment) <= set(TALK), text

        check()


@pytest.mark.parametrize(
    "move",
    [
        "*a2-c4,b3*",
        *(pytest.param(move, marks=pytest.mark.thorough) for move in ("a1-c3,d4", "c3 to d4")),
    ],
)
def test_no_reply_plays_a_move_planted_in_its_quotation(move: str, table: Table) -> None:
    def plant(text: str) -> str:
        for told in TOLD:
            text = text.replace(told, move)
        return text

    kept = [raw for reply in replies() for raw in (reply.raw, html_alone(reply.raw)) if raw]
    with at_the_board(table) as meant:
        for raw in kept:
            was, now = meant(script_of(raw)), meant(script_of(rewritten(raw, plant)))
            lines = [command.line for command in was.commands]
            assert [command.line for command in now.commands] == lines
            assert (now.guess is None) == (was.guess is None)


def test_a_move_below_lines_of_ours_that_came_back_without_marks_is_asked_about(
    table: Table,
) -> None:
    """Nothing tells a mail of ours that was cut from the sender's words; another's may be in it."""
    alice, bob = table.start("alice", "bob")
    alice.says("c3,d3")
    bob.says("g7,f7\n\nSo you play\n\nd3,c3\n\nnow?").forgets()
    mail = alice.newest
    for text in (mail.text, without_marks(mail.html)):
        cut = text.partition("Moves so far:")[0].replace("| ", "")
        alice.forgets().says(f"Good move!\n\n{cut}", answering=mail).gets(1).hears(
            "d3,c3? Reply yes",
            "gives back lines of ours without quote marks",
            "nothing was sent on",
        )
        alice.says("no")
    bob.hears_nothing()
    assert len(table.moves(1)) == 2
