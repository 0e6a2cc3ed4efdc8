"""Whatever a line is, it is a command, a botched command, or words; and no secret is repeated."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.commands.language.declare import Command
from pbm.commands.registry import COMMANDS, Problem, parse_line, parse_move
from pbm.commands.script import Script, confirmation, read_script
from pbm.commands.sentences.agreeing import WELCOME
from pbm.play.limits import MOST_COMMANDS

WORDS = sorted({word for command in COMMANDS for word in (*command.words, command.prefix)})
PARTS = [*WORDS, "12", "#3", "12#-1", "a1-c3,d4", "e4", "-bowl", "--x=1", "bob", "x@y.example"]
PARTS += ["****", "**", "pbm", "abalone", "yes", "\u212aing", "１２", "–", "all", "me", "next", "@"]

part = st.one_of(st.sampled_from(PARTS), st.text(max_size=12))
line = st.one_of(st.lists(part, max_size=8).map(" ".join), st.text(max_size=450))
lines = st.lists(line, max_size=30)


@settings(max_examples=400, deadline=None)
@given(line)
def test_a_line_is_one_of_three(text: str) -> None:
    found = parse_line(text)
    assert found is None or isinstance(found, Command | Problem)
    if isinstance(found, Command):
        again = parse_line(found.line)
        assert type(again) is type(found), found.line
    move = parse_move(text)
    assert move is None or isinstance(move, Command)


@settings(max_examples=300, deadline=None)
@given(line, lines, st.booleans())
def test_a_mail_is_a_script(subject: str, said: list[str], in_answer: bool) -> None:
    script = read_script(subject, said, in_answer=in_answer)
    assert isinstance(script, Script)
    assert len(script.commands) <= MOST_COMMANDS
    assert not (script.commands and script.problem)
    assert not script.comment or (script.comment[0].strip() and script.comment[-1].strip())
    answer, rest = confirmation(said, WELCOME)
    assert answer in (True, False, None)
    assert set(rest) <= set(said)


secret = st.text("qzQZ79", min_size=9, max_size=12).map(lambda text: f"sesame{text}")


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(["signup", "SIGNUP", "sigup", "singup", "pbm signup", "abalone signup"]),
    st.lists(st.sampled_from(["-x", "--bowl", "#3", "e4", "more", "12", "-"]), max_size=3),
    secret,
    st.lists(st.sampled_from(["again", "-x", "e5", "a1-c3,d4"]), max_size=3),
)
def test_a_password_is_never_repeated(
    word: str, before: list[str], password: str, after: list[str]
) -> None:
    said = " ".join([word, "marta", *before, password, *after])
    for text in (said, f"{said} **", f"  {said}"):
        found = parse_line(text)
        assert found is not None, text
        assert password not in found.line
        if isinstance(found, Problem):
            assert password not in repr((found.params, found.nearest))
    script = read_script("multiple", [said] * 25, in_answer=False)
    assert script.problem is not None
    assert password not in repr(script.problem)
