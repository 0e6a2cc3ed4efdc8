"""Every refusal has its sentence, and every sentence its refusal."""

import re

import pytest
from jinja2 import Environment, FileSystemLoader

from pbm.commands.language.declare import Operand, ValueOption
from pbm.commands.registry import COMMANDS
from pbm.resources import resource_path
from tests import sources

TEMPLATES = resource_path("templates")
REASON = re.compile(r'p\.reason == "([a-z-]+)"', re.ASCII)
OF_EARLIER_VERSIONS = {"paused-unproven"}  # sections of mails that may wait in the outbox
MACRO = re.compile(r"{% macro (\w+)\(p\) %}", re.ASCII)


def named(name: str, place: int) -> set[str]:
    """The texts given in one place of all calls of a plain name."""
    found: set[str] = set()
    for call in (call for file in sources.program() for call in file.calls):
        if call.plain and call.name == name and len(call.texts) > place:
            found |= call.texts[place]
    return found


def test_every_code_has_a_macro_and_every_macro_a_code() -> None:
    text = (TEMPLATES / "refusals.txt").read_text(encoding="utf-8")
    macros = {name.replace("_", "-") for name in MACRO.findall(text)}
    assert named("Refusal", 0) | named("Problem", 1) == macros


def test_every_reason_of_a_misread_word_has_a_sentence() -> None:
    text = (TEMPLATES / "refusals.txt").read_text(encoding="utf-8")
    fields = [field for command in COMMANDS for field in command.fields.values()]
    kinds = [field.kind for field in fields if isinstance(field, Operand | ValueOption)]
    of_kinds = {kind.reason for kind in kinds if kind.reason}
    assert named("misread", 0) | of_kinds | named("NumberKind", 1) == set(REASON.findall(text))


@pytest.mark.parametrize(
    ("sets_up", "sentence"),
    [
        (True, "The game can start from the bowl or from the german board, not from both."),
        (False, "The layout can be bowl or german, not both."),
    ],
)
def test_two_values_of_an_option_are_named_as_they_were_written(
    sets_up: bool, sentence: str
) -> None:
    templates = Environment(loader=FileSystemLoader(TEMPLATES))
    refused = {
        "option": "layout",
        "sets_up": sets_up,
        "both": ["bowl", "german"],
        "written": ["-bowl", "-layout=german"],
    }
    told = templates.get_template("refusals.txt").module.two_values(refused)  # type: ignore[attr-defined]
    assert told == f"{sentence} Leave out -bowl, or -layout=german."


def test_every_section_has_a_template_and_every_template_is_used() -> None:
    files = {path.stem for path in (TEMPLATES / "sections").glob("*.txt")}
    literals = {text for file in sources.program() for text in file.texts}
    assert named("Answered", 0) | named("NeedsConfirmation", 1) <= files
    assert files - literals == OF_EARLIER_VERSIONS


def _included() -> set[str]:
    """The templates that stand in others."""
    texts = (path.read_text(encoding="utf-8") for path in TEMPLATES.rglob("*.txt"))
    return {name for text in texts for name in re.findall(r'{% include "([a-z-]+)\.txt"', text)}


def test_every_mail_has_a_template_that_is_used() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in sources.PROGRAM.rglob("*.py"))
    shared = {"parts", "refusals", *_included()}
    for path in TEMPLATES.glob("*.txt"):
        names = (f'"{path.stem}"', f'"{path.name}"')
        assert path.stem in shared or any(name in source for name in names), path.name
