"""A server on which a second game is installed: a package of its own, with an entry point."""

import shutil
import subprocess
import sys
from pathlib import Path

from tests.e2e.running import PROGRAMS, RunningServer
from tests.polling import PATIENCE

PACKAGE = Path(__file__).parents[1] / "games" / "fourinarow"
SERVE = (sys.executable, "-c", "from pbm.app.cli import main; main()", "serve")


def install(folder: Path) -> Path:
    """Put the package and its metadata where `pip` would; returns the folder for PYTHONPATH."""
    shutil.copytree(PACKAGE, folder / "fourinarow", ignore=shutil.ignore_patterns("__pycache__"))
    told = folder / "fourinarow-1.0.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: fourinarow\nVersion: 1.0\n")
    (told / "entry_points.txt").write_text("[pbm.games]\nconnect4 = fourinarow:GAME\n")
    return folder


def admin(server: RunningServer, *words: str) -> subprocess.CompletedProcess[str]:
    """Run `pbm-admin` beside the server, with the same games."""
    return subprocess.run(
        [PROGRAMS / "pbm-admin", *words],
        cwd=server.folder,
        env=server.environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
