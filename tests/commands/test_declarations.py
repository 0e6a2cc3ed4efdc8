"""Each command is declared once, and whole."""

import inspect
import re

import pytest

from pbm.commands.families.help import GROUPS
from pbm.commands.language.declare import MASK, Command, Flag, GameOptions, Operand, ValueOption
from pbm.commands.language.words import Secret
from pbm.commands.registry import COMMANDS, Problem, find_command, parse_line
from pbm.errors import Refusal
from pbm.rules.registry import default_game
from tests.rows import each_row

every_command = each_row("command", COMMANDS, ids=lambda command: command.words[0])


@every_command
def test_a_command_says_what_it_is(command: type[Command]) -> None:
    assert command.words
    assert all(word.isascii() and word.islower() for word in command.words)
    assert command.group in GROUPS
    assert command.summary().endswith(".")
    assert len(command.summary()) <= 90
    assert command.examples_of()
    annotated = {name for base in command.__mro__ for name in inspect.get_annotations(base)}
    assert command.fields.keys() <= annotated
    assert command.run is not Command.run


@every_command
def test_every_example_is_read_as_that_command(command: type[Command]) -> None:
    for example in command.examples_of():
        found = parse_line(example)
        assert isinstance(found, command), example
        assert found.line.split()[0] in command.words


@every_command
def test_the_usage_line_names_every_field(command: type[Command]) -> None:
    usage = command.usage()
    assert usage.split()[0] == command.words[0]
    assert not command.second or usage.split()[1] == command.second
    usage = usage.removeprefix(f"{command.words[0]} {command.second}")
    for field in command.fields.values():
        if isinstance(field, Flag):
            assert f"[-{field.name}]" in usage
        elif isinstance(field, ValueOption):
            assert f"[-{field.name}={field.kind.shown}]" in usage
        elif isinstance(field, GameOptions):
            declared = field.of(default_game())
            assert declared
            for option in declared:
                assert (f"[-{option.name}]" if option.is_flag else f"[-{option.name}=") in usage
        else:
            assert isinstance(field, Operand)
            assert field.kind.shown in usage
            assert (f"[{field.kind.shown}" in usage) is field.optional
            assert (f"{field.kind.shown} ..." in usage) is field.many


@every_command
def test_every_word_leads_to_it_in_any_case(command: type[Command]) -> None:
    rest = command.examples_of()[0].split()[1:]
    for word in command.words:
        line = " ".join([word.upper() if not command.has_secret() else word, *rest])
        assert isinstance(parse_line(line), Command), line
    found = find_command(command.words[0])
    others = found and found.second != command.second
    assert found is command or others or command.needs_second


@every_command
def test_an_option_that_it_does_not_have_is_refused_by_name(command: type[Command]) -> None:
    words = command.examples_of()[0].split()
    for option in ("-nonsense", "--nonsense", "–nonsense", "—nonsense", "-NONSENSE"):
        first = 2 if command.second else 1
        for at in {first, min(first + 1, len(words))}:
            line = " ".join([*words[:at], option, *words[at:]])
            found = parse_line(line)
            if command.second == "password":  # what follows may be one, and is not looked at
                assert "nonsense" not in repr(found).lower()
                continue
            if command.has_secret() and at > first:
                assert isinstance(found, Command)
                continue
            if isinstance(found, Command) and found.sentence:  # where a dash is only a dash
                assert "nonsense" in found.sentence.lower()
                continue
            assert isinstance(found, Problem), line
            assert found.code == "syntax"
            assert (found.params["reason"], found.params["word"]) == ("option", "-nonsense")


def test_no_two_commands_share_a_word_by_accident() -> None:
    owners: dict[str, list[str]] = {}
    for command in COMMANDS:
        for word in command.words:
            owners.setdefault(word, []).append(command.words[0])
    shared = {word: names for word, names in owners.items() if len(names) > 1}
    seconds = [command.second for command in COMMANDS if "change" in command.words]
    assert shared.pop("preview") == ["preview", "preview"]  # the second is `preview new`
    assert shared == {"board": ["show", "move"], "change": ["change"] * len(seconds)}
    assert all(seconds)
    assert len(set(seconds)) == len(seconds)


@each_row(
    ("line", "name"),
    [
        ("board", "show"),
        ("board 12", "show"),
        ("board 12#3", "show"),
        ("abalone board 12", "show"),
        ("board a1-c3,d4", "move"),
        ("board 12 a1-c3,d4", "move"),
        ("board 12#3 a1-c3,d4", "move"),
        ("mvoe 12 a1-c3,d4", "move"),
        ("challange bob", "challenge"),
        ("chall bob", "challenge"),
        ("pbm help abalone", "help"),
        ("help abalone", "help"),
        ("abalone help", "help"),
        ("** show 12 **", "show"),
    ],
)
def test_classic_words(line: str, name: str) -> None:
    found = parse_line(line)
    assert isinstance(found, Command)
    assert type(found) is find_command(name)


@each_row(
    "line",
    [
        "",
        " ",
        "**",
        "pbm",
        "abalone",
        "hello there",
        "x" * 500,
        "show " * 100,
        "12",
        "- - -",
        "#",
        "@",
    ],
)
def test_plain_words(line: str) -> None:
    assert parse_line(line) is None


def test_secrets_are_masked_wherever_the_line_is_shown() -> None:
    with_secrets = [command for command in COMMANDS if command.has_secret()]
    assert [command.words[0] for command in with_secrets] == ["signup", "change"]
    found = parse_line("signup marta sesame")
    assert isinstance(found, Command)
    assert found.line == f"signup marta {MASK}"
    assert "sesame" not in repr(vars(found))
    for line in (
        "signup marta sesame more",
        "signup -x marta sesame",
        "sgnup marta sesame now",
        "change password sesame more",
        "change pasword sesame",
    ):
        problem = parse_line(line)
        assert isinstance(problem, Problem)
        assert "sesame" not in repr(problem)


def test_kinds_name_themselves() -> None:
    def kinds() -> set[str]:
        fields = [field for command in COMMANDS for field in command.fields.values()]
        return {field.kind.shown for field in fields if isinstance(field, Operand)}

    assert all(re.fullmatch(r"#?[a-z|-]+", shown) for shown in kinds())
    assert Secret.shown in kinds()


def test_a_command_that_is_not_written_yet() -> None:
    class Later(Command):
        """Do it later."""

        words = ("later",)

    with pytest.raises(NotImplementedError):
        Later().run(None)  # type: ignore[arg-type]
    with pytest.raises(Refusal):
        Later.parse("later", ["now"])
