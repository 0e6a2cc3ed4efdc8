"""hatchling's hook: writes the version down, and compiles the core of the search.

The core goes into the wheel, or into this checkout. Where it cannot be compiled the wheel is one of
plain Python, for any platform.
"""

from __future__ import annotations

import tempfile
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

_FOLDER = "pbm/rules/abalone/engine"


class CompiledCore(BuildHookInterface[Any]):
    """For an editable installation the library goes beside its source, else into the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write and compile; called before the files of a wheel or an sdist are gathered."""
        self._made = tempfile.TemporaryDirectory()
        if version != "editable":  # a checkout has git
            written = Path(self._made.name) / "version.txt"
            written.write_text(self.metadata.version, encoding="ascii")
            folder = "pbm/_data/" if self.target_name == "wheel" else ""
            build_data["force_include"][str(written)] = f"{folder}{written.name}"
        if self.target_name == "wheel":
            self._compile(version, build_data)

    def _compile(self, version: str, build_data: dict[str, Any]) -> None:
        compiling = _module(Path(self.root) / _FOLDER / "compiling.py")
        library = Path(self._made.name) / compiling.LIBRARY.name
        try:
            compiling.compile_core(compiling.LIBRARY if version == "editable" else library)
        except compiling.CompilingError as error:
            self.app.display_warning(f"The wheel has no compiled core: {error}.")
            return
        if version != "editable":
            build_data["force_include"][str(library)] = f"{_FOLDER}/{library.name}"
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{_platform()}"

    def finalize(self, *_: object) -> None:
        """Clean up; called when the wheel is written."""
        self._made.cleanup()


def _module(file: Path) -> ModuleType:
    """A module by its file: what else is in the package need not be there to build a wheel."""
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _platform() -> str:
    # Those before it, manylinux and musllinux, promise what nobody has looked at here.
    return next(tag for tag in platform_tags() if not tag.startswith(("manylinux", "musllinux")))
