"""The pages made from the commands' classes."""

from pbm.commands.families.help import (
    GROUPS,
    MARK,
    command_block,
    command_page,
    help_page,
)
from pbm.commands.families.look import Show
from pbm.commands.families.play import PlayMove
from pbm.commands.language.declare import Command
from pbm.commands.registry import COMMANDS, parse_line
from pbm.resources import resource_path
from tests.help.boards import flow
from tests.help.pages import SERVER, command_table, page_text
from tests.rows import each_row

every_command = each_row("command", COMMANDS, ids=lambda item: item.words[0])


@every_command
def test_every_example_is_read_as_that_command(command: type[Command]) -> None:
    assert command.examples_of()
    for example in command.examples_of():
        assert type(parse_line(example)) is command


@every_command
def test_a_command_belongs_to_a_group_and_says_what_it_is_for(command: type[Command]) -> None:
    assert command.group in GROUPS
    assert command.summary().endswith(".")
    assert command.summary() in flow(command.help())


@every_command
def test_a_page_has_usage_help_and_examples(command: type[Command]) -> None:
    page = command_page(command)
    how = flow(command.with_game(command.plainly)).replace("`", '"')
    assert flow(page).startswith(how)
    assert flow(page).removeprefix(how).strip().startswith(f"{MARK.strip()} {command.usage()}")
    assert flow(command.help()).replace("`", '"') in flow(page)
    for example in command.examples_of():
        assert f"\n{MARK}{example}\n" in page
    for word in command.words[1:]:
        assert (f'"{word}"' in page) is (word not in command.slips)


def test_every_command_has_a_text_but_where_its_summary_says_all() -> None:
    names = {f"{command.words[0]} {command.second}".strip() for command in COMMANDS}
    files = (resource_path("help") / "commands").iterdir()
    found = {file.stem.replace("-", " ") for file in files}
    assert found == names - {"settings", "unblock", "whoami"}


@every_command
def test_every_word_of_a_command_leads_to_its_page(command: type[Command]) -> None:
    for word in command.words:
        page = help_page(word.upper(), COMMANDS, SERVER)
        assert command_page(command) in page["text"]
        assert page["page"] == word


def test_a_word_of_two_commands_leads_to_both() -> None:
    sharing = [PlayMove, type("Other", (Show,), {"words": ("other", "mvoe")})]
    page = help_page("mvoe", sharing, SERVER)
    assert page["text"] == "\n\n".join(command_page(command) for command in sharing)


def test_a_longer_form_leads_to_the_page_as_well() -> None:
    assert page_text("challange") == page_text("challenge")


def test_signs_are_explained_where_they_are_used() -> None:
    assert "[ ]" in page_text("decline")
    assert "One move" not in page_text("newkey")
    assert "means or" in page_text("show")
    for sign in ("[ ]", "...", "|", "#17"):
        assert sign not in page_text("whoami")


@every_command
def test_the_block_has_every_command_once(command: type[Command]) -> None:
    parts = [flow(part) for part in command_block(COMMANDS).split("\n\n")]
    assert parts.count(f"{MARK.strip()} {command.usage()}") == 1
    assert parts.count(command.summary().replace("`", '"')) == 1


def test_the_block_stands_in_the_page_that_lists_the_commands() -> None:
    assert command_block(COMMANDS) in page_text("commands")


@every_command
def test_the_table_has_every_command(command: type[Command]) -> None:
    usage = command.usage().replace("|", r"\|")
    assert f"\n| `{usage}` | {command.summary()} |" in command_table(COMMANDS)


def test_the_table_is_a_table() -> None:
    head, rule, *rows = command_table(COMMANDS).split("\n")
    assert (head, rule) == ("| command | meaning |", "| --- | --- |")
    assert [row.replace(r"\|", "").count("|") for row in rows] == [3] * len(COMMANDS)
