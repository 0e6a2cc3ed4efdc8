"""How the core of the search is compiled, packed and found, and what is done without it."""

import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hatchling.bridge.app import Application

from pbm.rules.abalone import GAME
from pbm.rules.abalone.engine import compiled
from pbm.rules.abalone.engine.compiled import NoCoreError, open_core
from pbm.rules.abalone.engine.compiling import CompilingError, compile_core
from pbm.rules.contract import Budget

ROOT = Path(__file__).resolve().parents[2]
METADATA = SimpleNamespace(version="0.3.0")


def compile_other(library: Path, source: str) -> None:
    """A library of another source."""
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-x", "c", "-o", library, "-"],
        input=source.encode(),
        check=True,
    )


def build() -> dict[str, Any]:
    """What the hook adds to the data that a wheel is built of."""
    spec = spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    hook = module.CompiledCore(str(ROOT), {}, None, METADATA, "dist", "wheel", Application())
    data: dict[str, Any] = {"force_include": {}}
    hook.initialize("standard", data)
    return data


def test_the_core_compiles_without_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", "cc -Wall -Wextra -Werror")
    library = tmp_path / "core.so"
    compile_core(library)
    open_core(library)
    assert list(tmp_path.iterdir()) == [library]


def test_a_library_of_another_source_is_not_used(tmp_path: Path) -> None:
    library = tmp_path / "core.so"
    compile_other(library, f'const char *pbm_source(void) {{ return "{"0" * 64}"; }}')
    with pytest.raises(NoCoreError, match="made of another source"):
        open_core(library)


def test_what_is_no_core_is_not_used(tmp_path: Path) -> None:
    with pytest.raises(NoCoreError, match="is not there"):
        open_core(tmp_path / "none.so")
    (tmp_path / "text.so").write_text("not a library")
    compile_other(tmp_path / "other.so", "int other;")
    for name in ("text.so", "other.so"):
        with pytest.raises(NoCoreError, match="cannot be used"):
            open_core(tmp_path / name)


def test_without_a_core_plain_python_finds_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = GAME.start(2, {"layout": "standard"})
    fast = GAME.search([start], Budget(nodes=200))
    with monkeypatch.context() as patched:
        patched.setattr(compiled, "LIBRARY", tmp_path / "none.so")
        compiled.why_not.cache_clear()
        compiled._core.cache_clear()
        slow = GAME.search([start], Budget(nodes=200))
        assert "none.so is not there" in GAME.lacks()
    compiled.why_not.cache_clear()
    assert (fast.by, slow.by) == ("compiled", "plain")
    assert (fast.lines, fast.depth, fast.nodes) == (slow.lines, slow.depth, slow.nodes)
    assert GAME.lacks() == ""


@pytest.mark.parametrize(
    ("compiler", "why"),
    [("no-such-compiler", "there is no no-such-compiler here"), ("false", "false cannot compile")],
)
def test_without_a_compiler_there_is_a_reason(
    compiler: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", compiler)
    with pytest.raises(CompilingError, match=why):
        compile_core(tmp_path / "core.so")
    assert list(tmp_path.iterdir()) == []
    data = build()
    assert data.keys() == {"force_include"}  # no platform
    assert list(data["force_include"].values()) == ["pbm/_data/version.txt"]


def test_a_folder_that_cannot_be_written_to_is_a_reason(tmp_path: Path) -> None:
    with pytest.raises(CompilingError, match="cannot be made"):
        compile_core(tmp_path / "missing" / "core.so")


def test_a_server_starts_without_the_core() -> None:
    program = """
import sys
import pbm.admin.cli, pbm.app.cli
from pbm.rules.registry import games
games()
print([name for name in sys.modules if name.startswith("pbm.rules.abalone.engine")])
"""
    run = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout == "[]\n"
