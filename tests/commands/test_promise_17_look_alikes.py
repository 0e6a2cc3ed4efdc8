"""Promise 17: handles and commands are ASCII, however much others look like them."""

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.commands.language.declare import Command, Operand
from pbm.commands.language.words import Handle, lowered
from pbm.commands.registry import COMMANDS, parse_line
from pbm.commands.script import answer_to_welcome, confirmation, read_script
from pbm.commands.sentences.agreeing import WELCOME
from pbm.mail.reading.charsets import fold_typography
from pbm.mail.reading.inbound import read
from tests.rows import each_row

LOOK_ALIKES = {
    "full-width letters": "ｍａｒｔａ",
    "a full-width digit": "marta１",
    "Kelvin sign": "mar\u212aa",
    "Cyrillic letters": "mаrtа",
    "a Greek letter": "martα",
    "a long s": "mar\u017fa",
    "a dotless i": "mar\u0131a",
    "a dotted capital I": "MAR\u0130A",
    "a letter with an accent": "martá",
    "a combining accent": "marta\u0301b",
    "a ligature": "mar\ufb01a",
    "a mathematical letter": "mart\U0001d41a",
    "a superscript digit": "marta²",
    "an Arabic digit": "marta٣",
    "a circled digit": "marta①",
    "zero-width space": "mar\u200bta",
    "zero-width non-joiner": "mar\u200cta",
    "zero-width joiner": "mar\u200dta",
    "word joiner": "mar\u2060ta",
    "byte order mark": "mar\ufeffta",
    "soft hyphen": "mar\u00adta",
    "right-to-left override": "mar\u202eta",
    "left-to-right mark": "mar\u200eta",
    "an isolate": "mar\u2066ta\u2069b",
    "variation selector": "mar\ufe0fta",
    "a tag character": "mar\U000e0061ta",
    "Hangul filler": "mar\u3164ta",
    "NUL": "mar\0ta",
    "a lone surrogate": "mar\ud800ta",
}

every_look_alike = each_row("word", LOOK_ALIKES.values(), ids=LOOK_ALIKES)


@every_look_alike
@each_row("line", ["signup {}", "challenge {}", "challenge bob {}", "show {}"])
def test_promise_17_no_look_alike_is_a_handle(line: str, word: str) -> None:
    assert isinstance(parse_line(line.format("marta")), Command)
    assert not isinstance(parse_line(line.format(word)), Command)


@every_look_alike
def test_promise_17_nor_by_mail(word: str) -> None:
    for charset in ("utf-8", "utf-16", "gb18030"):
        body = f"challenge {word}\r\n".encode(charset, "replace")
        head = f"From: bob@example.org\r\nContent-Type: text/plain; charset={charset}\r\n\r\n"
        raw = head.encode() + body
        said = read(raw, envelope_sender="bob@example.org", own_address="pbm@x.example").said
        assert read_script("", said, in_answer=True).commands == ()


@each_row("command", COMMANDS, ids=lambda command: command.words[0])
def test_promise_17_no_look_alike_is_a_command(command: type[Command]) -> None:
    word, *rest = command.examples_of()[0].split()
    swaps = {
        "a": "а",
        "c": "с",
        "e": "е",
        "o": "о",
        "p": "р",
        "s": "ѕ",
        "i": "і",
        "h": "һ",
        "g": "ɡ",
    }
    disguised = ["".join(chr(ord(char) + 0xFEE0) for char in word), f"{word[0]}\u200b{word[1:]}"]
    disguised += [word.replace(char, swaps[char]) for char in word if char in swaps]
    disguised += [word.replace("s", "\u017f"), word.replace("k", "\u212a")]
    for other in set(disguised) - {word}:
        assert not isinstance(parse_line(" ".join([other, *rest])), Command), other


@each_row(
    "line",
    ["show １２", "show ١٢", "show 12#１", "resign ②", "move １２ a1-b2,b3", "games ａctive"],
)
def test_promise_17_numbers_are_ascii(line: str) -> None:
    assert not isinstance(parse_line(line), Command)


@each_row("word", ["ｙｅｓ", "yеs", "o\u212a", "y\u200bes", "nо", "ｎｏ", "Ｙes"])
def test_promise_17_answers_are_ascii(word: str) -> None:
    assert confirmation([word], WELCOME)[0] is None
    assert answer_to_welcome([word])[0] is None


@each_row(
    ("typed", "meant"),
    [
        ("challenge bob –bowl", "challenge bob -bowl"),
        ("challenge bob —bowl", "challenge bob -bowl"),
        ("challenge bob −−bowl", "challenge bob --bowl"),
        ("move\u00a012\u202fa1‑c3,d4", "move 12 a1-c3,d4"),
        ("show\u200912", "show 12"),
    ],
)
def test_promise_17_typography_of_phones_is_translated(typed: str, meant: str) -> None:
    found, expected = parse_line(typed), parse_line(meant)
    assert isinstance(found, Command)
    assert isinstance(expected, Command)
    values = [{name: getattr(line, name) for name in line.fields} for line in (found, expected)]
    assert values[0] == values[1]


def test_promise_17_and_nothing_else() -> None:
    every = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    changed = {char for char in every if fold_typography(char) != char}
    assert {fold_typography(char) for char in changed} == {"-", "'", '"', " "}
    assert {unicodedata.category(char) for char in changed} == {
        *("Pd", "Sm"),  # dashes, and the minus sign
        *("Pi", "Pf", "Ps", "Po"),  # quotation marks, primes
        "Zs",  # blanks that don't break or have a width of their own
    }
    assert len(changed) <= 40
    assert {char for char in every if lowered(char) != char} == set("ABCDEFGHIJKLMNOPQRSTUVWXYZ")


LETTERS = "marta bob-1_ АаaаｍMK\u212a\u017f\u0131\u200b\u202e\u00ad–—−'’\u00a0\u2009"


@settings(max_examples=500, deadline=None)
@given(
    st.sampled_from(["signup", "challenge", "challenge bob", "show", "games", "help"]),
    st.text(LETTERS + "٣１²", min_size=1, max_size=12) | st.text(min_size=1, max_size=6),
)
def test_promise_17_whatever_is_read_as_a_handle_is_ascii(word: str, rest: str) -> None:
    found = parse_line(f"{word} {rest}")
    if not isinstance(found, Command):
        return
    for name, field in found.fields.items():
        if isinstance(field, Operand) and isinstance(field.kind, Handle):
            value = getattr(found, name)
            for handle in value if isinstance(value, tuple | list) else [value]:
                assert handle is None or str(handle).isascii()
