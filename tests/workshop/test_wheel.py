"""The wheel, installed into an environment that can't see the checkout."""

import subprocess
from pathlib import Path

import pytest
from packaging.tags import platform_tags

from pbm import resources
from pbm.mail.reading.quoting_marks import PHRASES
from pbm.version import version
from tests.installed_wheel import InstalledWheel


def ask(wheel: InstalledWheel, program: str) -> str:
    """Runs a small Python program in the wheel's environment, from the empty folder."""
    run = subprocess.run(
        [wheel.programs / "python", "-I", "-c", program],
        cwd=wheel.empty,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.strip()


def test_the_wheel_is_what_is_imported(installed_wheel: InstalledWheel) -> None:
    place = ask(installed_wheel, "import pbm; print(pbm.__file__)")
    assert Path(place).is_relative_to(installed_wheel.programs.parent)


@pytest.mark.parametrize("name", ["templates", "help", "migrations"])
def test_the_wheel_carries_its_folders(
    installed_wheel: InstalledWheel, name: resources.Resource
) -> None:
    program = f"from pbm.resources import resource_path; print(resource_path({name!r}))"
    place = Path(ask(installed_wheel, program))
    assert place.is_relative_to(installed_wheel.programs.parent)

    def files(folder: Path) -> set[Path]:
        found = {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        return {path for path in found if "__pycache__" not in path.parts}

    assert files(place) == files(resources.resource_path(name))
    assert files(place)


def test_the_wheel_knows_the_words_of_mail_programs(installed_wheel: InstalledWheel) -> None:
    program = "from pbm.mail.reading.quoting_marks import PHRASES; print(ascii(PHRASES))"
    assert ask(installed_wheel, program) == ascii(PHRASES)


def test_the_wheel_searches_with_its_compiled_core(installed_wheel: InstalledWheel) -> None:
    program = """
from pbm.rules.abalone.engine import compiled, compiling
from pbm.rules.abalone import GAME
from pbm.rules.contract import Budget
found = GAME.search([GAME.start(2, {"layout": "standard"})], Budget(nodes=200))
print(compiling.LIBRARY, found.by, found.nodes, compiled.why_not())
"""
    place, *found = ask(installed_wheel, program).split()
    assert Path(place).is_relative_to(installed_wheel.programs.parent)
    assert found == ["compiled", "200"]


def test_the_wheel_is_for_this_platform_and_any_python(installed_wheel: InstalledWheel) -> None:
    (wheel,) = installed_wheel.empty.with_name("dist").iterdir()
    _, _, python, abi, platform = wheel.stem.split("-")
    assert (python, abi) == ("py3", "none")
    assert platform in platform_tags()


@pytest.mark.parametrize("program", ["pbm", "pbm-admin", "pbm-rules", "pbm-engine"])
def test_the_wheel_brings_its_programs(installed_wheel: InstalledWheel, program: str) -> None:
    command = [installed_wheel.programs / program, "--version"]
    run = subprocess.run(command, cwd=installed_wheel.empty, capture_output=True, check=False)
    assert run.stdout.decode() == f"{program}, version {version()}\n"


def test_the_wheel_names_the_same_version_and_its_types(installed_wheel: InstalledWheel) -> None:
    program = "from importlib.metadata import version; print(version('pbm-server'))"
    assert ask(installed_wheel, program) == version()
    place = ask(installed_wheel, "import pbm; print(pbm.__file__)")
    assert Path(place).with_name("py.typed").exists()


def test_the_package_goes_before_the_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "pbm")
    (tmp_path / "help").mkdir()
    assert resources.resource_path("help") == tmp_path / "help"
    (tmp_path / "pbm" / "_data" / "help").mkdir(parents=True)
    assert resources.resource_path("help") == tmp_path / "pbm" / "_data" / "help"


def test_a_missing_folder_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "pbm")
    with pytest.raises(resources.MissingResourceError, match="folder templates is missing"):
        resources.resource_path("templates")
