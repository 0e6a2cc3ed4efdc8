"""The operator's handbook names only what exists, and names all of it."""

import re
from dataclasses import fields
from pathlib import Path

import click

from pbm.admin.cli import main
from pbm.app.cli import serve
from pbm.config import Settings

HANDBOOK = Path(__file__).parents[2] / "docs" / "operating.md"
SETTINGS = {f"PBM_{field.name.upper()}" for field in fields(Settings)}
_OTHERS_PROGRAMS = ("createuser ", "createdb ", "useradd ", "systemctl ")


def _commands() -> dict[str, click.Command]:
    context = click.Context(main)
    found = {name: main.get_command(context, name) for name in main.list_commands(context)}
    return {name: command for name, command in found.items() if command is not None}


def _words() -> dict[str, click.Command]:
    """Every subcommand as it is typed."""
    found: dict[str, click.Command] = {}
    for name, command in _commands().items():
        inner = command.commands if isinstance(command, click.Group) else {}
        found |= {name: command} | {f"{name} {word}": below for word, below in inner.items()}
    return found


def test_every_setting_it_names_exists() -> None:
    assert set(re.findall(r"PBM_[A-Z_]+", HANDBOOK.read_text(encoding="utf-8"))) <= SETTINGS


def test_every_subcommand_it_names_exists() -> None:
    text = HANDBOOK.read_text(encoding="utf-8")
    typed = re.findall(r"pbm-admin ([a-z][a-z-]+)(?: ([a-z][a-z-]+))?", text)
    quoted = re.findall(r"`(players|games|queue) ([a-z-]+)", text)
    assert typed
    assert quoted
    for group, word in typed + quoted:
        command = _commands()[group]
        if isinstance(command, click.Group):
            assert word in command.commands, f"{group} {word}"


def test_every_option_it_names_exists() -> None:
    known = {"--why", "--who", "--help", "--version"}
    known |= {option for part in serve.params for option in part.opts}
    known |= {
        option
        for command in _words().values()
        for part in command.get_params(click.Context(command))
        for option in part.opts
    }
    text = "\n".join(
        line
        for line in HANDBOOK.read_text(encoding="utf-8").split("\n")
        if not line.strip().startswith(_OTHERS_PROGRAMS)
    )
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) <= known


def test_every_subcommand_is_in_it() -> None:
    text = HANDBOOK.read_text(encoding="utf-8")
    for name in _commands():
        assert f"`{name}" in text, name


def test_every_unit_starts_at_the_boot_and_again() -> None:
    text = HANDBOOK.read_text(encoding="utf-8")
    units = re.findall(r"    \[Unit\]\n(?:    .*\n|\n)+?    WantedBy=multi-user.target\n", text)
    assert len(units) == text.count("[Service]") == 2
    for unit in units:
        for line in ("After=network-online.target postgresql.service", "RestartSec=5", "[Install]"):
            assert f"    {line}\n" in unit


def test_every_link_leads_somewhere() -> None:
    text = HANDBOOK.read_text(encoding="utf-8")
    anchors = {
        re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    }
    for target in re.findall(r"\]\(([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        assert (HANDBOOK.parent / path).exists(), target
        assert path or anchor in anchors, target
