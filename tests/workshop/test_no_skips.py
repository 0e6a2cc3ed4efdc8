"""A test that finds something missing fails; it can't be skipped."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


SOURCES = (
    "import pytest\ndef test_a(): pytest.skip('no PostgreSQL')\n",
    "import pytest\nmissing = pytest.importorskip('no_such_module')\ndef test_a(): pass\n",
    "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False\n",
)


def test_skipped_tests_fail_the_run(tmp_path: Path) -> None:
    for number, source in enumerate(SOURCES):
        (tmp_path / f"test_sample_{number}.py").write_text(source)
    plain: list[str | Path] = ["-c", "/dev/null", "-p", "no:cacheprovider", "--rootdir", tmp_path]
    go_on = "--continue-on-collection-errors"
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *plain, "-p", "tests.conftest", "-rfE", go_on, tmp_path],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (1, 2), run.stdout
    told = run.stdout.rpartition("short test summary info")[0]
    assert told.count("Nothing is skipped") == len(SOURCES), run.stdout
    assert "2 failed, 1 error in" in run.stdout, run.stdout
