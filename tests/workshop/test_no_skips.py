"""A test that finds something missing fails; it can't be skipped."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\ndef test_a(): pytest.skip('no PostgreSQL')\n",
        "import pytest\nmissing = pytest.importorskip('no_such_module')\ndef test_a(): pass\n",
        "import pytest\n@pytest.mark.xfail\ndef test_a(): assert False\n",
    ],
)
def test_a_skipped_test_fails_the_run(source: str, tmp_path: Path) -> None:
    module = tmp_path / "test_sample.py"
    module.write_text(source)
    plain: list[str | Path] = ["-c", "/dev/null", "-p", "no:cacheprovider", "--rootdir", tmp_path]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", *plain, "-p", "tests.conftest", module],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (1, 2), run.stdout
    assert "Nothing is skipped" in run.stdout
