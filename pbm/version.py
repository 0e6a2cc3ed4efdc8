"""The version of this program, down to the commit."""

import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path

from pbm import __version__

_PACKAGE = Path(__file__).resolve().parent
_WRITTEN = "version.txt"  # a wheel holds it; else it may lie where the sources are, without git


@cache
def version() -> str:
    """Return the version, such as `0.4.0.dev1250+gabc12345` between releases (PEP 440).

    The number after `dev` counts commits, so that a newer wheel is newer for pip, too. The commit
    of a release has a tag: `v0.4.0`.
    """
    checkout = _PACKAGE.parent
    for place in (_PACKAGE / "_data" / _WRITTEN, checkout / _WRITTEN):
        with suppress(OSError):
            return place.read_text(encoding="ascii").strip()
    if not (checkout / ".git").exists():
        return __version__
    try:
        if f"v{__version__}" in _git(checkout, "tag", "--points-at", "HEAD").split():
            return __version__
        count = _git(checkout, "rev-list", "--count", "HEAD")
        commit = _git(checkout, "rev-parse", "--short=8", "HEAD")
    except (OSError, subprocess.SubprocessError):
        return __version__
    return f"{__version__}.dev{count}+g{commit}"


def _git(checkout: Path, *arguments: str) -> str:
    command = ["git", "-C", str(checkout), *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
