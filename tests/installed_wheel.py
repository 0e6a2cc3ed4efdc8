"""Builds the wheel and installs it where the checkout can't be seen."""

import subprocess
import sys
import sysconfig
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class InstalledWheel:
    """programs: the folder with python and our programs; empty: an empty folder."""

    programs: Path
    empty: Path


def install_wheel_once(folder: Path) -> InstalledWheel:
    """Install it into a folder, unless another process has; wait for one that does."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        if not (folder / "empty").exists():
            return _install_wheel(folder)
    return InstalledWheel(folder / "environment" / "bin", folder / "empty")


def _install_wheel(folder: Path) -> InstalledWheel:
    """Works without a network: the dependencies are lent by the environment of this test run."""
    offline = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    pip = [sys.executable, "-m", "pip"]
    _run(*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", folder / "dist", ROOT)
    (wheel,) = (folder / "dist").glob("pbm_server-*.whl")

    environment = folder / "environment"
    _run(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / "bin" / "python"
    _run(*pip, "--python", python, "install", *offline, wheel)
    # A folder named in a .pth file is searched, but its own .pth files are not read: so the
    # editable project beside the dependencies stays out of sight.
    inner = Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))
    (inner / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")

    empty = folder / "empty"
    empty.mkdir()
    return InstalledWheel(environment / "bin", empty)


def _run(*command: str | Path) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{command} failed:\n{done.stdout}{done.stderr}")
