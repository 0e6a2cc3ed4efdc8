"""tools/deps on machines that are not this one: what it calls is replaced by small programs."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


class Machine:
    """A PATH on which some programs are played; each call of one is noted."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = folder / "calls"
        self.log.touch()

    def play(self, program: str, body: str) -> None:
        """Puts up a shell script in the place of a program."""
        path = self.folder / program
        path.write_text(f'#!/bin/sh\necho "{program} $*" >>{self.log}\n{body}\n')
        path.chmod(0o755)

    def deps(self, use: str) -> subprocess.CompletedProcess[str]:
        """Runs tools/deps there."""
        return subprocess.run(
            [ROOT / "tools" / "deps", use],
            env={"PATH": f"{self.folder}:/usr/bin:/bin"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def calls(self, program: str) -> list[str]:
        """The calls of a program, in order."""
        return [call for call in self.log.read_text().splitlines() if call.startswith(program)]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A person without rights, on a machine on which no Debian package is installed."""
    made = Machine(tmp_path)
    made.play("id", "echo 1000")
    made.play("dpkg-query", "exit 1")
    made.play("apt-get", "exit 100")
    made.play("sudo", "exit 1")
    # A Python that is new enough and has no ensurepip.
    made.play("python3", '[ "$2" = "import ensurepip" ] && exit 1; echo "0 99 /usr/bin/python3"')
    return made


def test_without_rights_it_stops_with_the_one_line(machine: Machine) -> None:
    run = machine.deps("test")
    lines = [line for line in run.stderr.splitlines() if line.startswith("apt-get ")]
    assert run.returncode == 1
    assert len(lines) == 1
    assert lines[0].startswith("apt-get update && apt-get install -y --no-install-recommends ")
    for package in ("postgresql", "strace", "swaks", "curl"):
        assert package in lines[0].split()
    assert machine.calls("apt-get") == []


def test_a_check_needs_few_packages(machine: Machine) -> None:
    asked = machine.deps("check").stderr.split()
    assert "node-typescript" in asked
    assert "postgresql" not in asked


def test_nothing_is_done_when_nothing_is_missing(machine: Machine) -> None:
    machine.play("dpkg-query", "printf installed")
    machine.play("python3", 'echo "1 99 $0"')
    run = machine.deps("test")
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert machine.calls("apt-get") == machine.calls("sudo") == []


def test_removed_but_configured_counts_as_missing(machine: Machine) -> None:
    machine.play("dpkg-query", "printf config-files")
    assert "strace" in machine.deps("test").stderr


def test_sudo_is_used_where_it_asks_nothing(machine: Machine) -> None:
    machine.play("sudo", "exit 0")
    run = machine.deps("test")
    assert machine.calls("sudo")[0] == "sudo -n true"
    assert machine.calls("sudo")[1].startswith(f"sudo -n -- {ROOT}/tools/deps --as-root ")
    assert " postgresql " in machine.calls("sudo")[1]
    # The sudo of this machine only pretends, and that is seen.
    assert run.returncode == 1
    assert "Installed, and yet missing" in run.stderr


def test_a_server_needs_no_package_of_the_tests(machine: Machine) -> None:
    machine.play("python3", 'echo "1 99 $0"')
    run = machine.deps("run")
    assert (run.returncode, run.stderr) == (0, "")


def test_every_package_has_its_reason() -> None:
    lines = (ROOT / "tools" / "debian-packages.txt").read_text().splitlines()
    rows = [line.split(None, 2) for line in lines if line and not line.startswith("#")]
    assert {"python3-venv", "postgresql"} <= {row[0] for row in rows}
    for row in rows:
        assert len(row) == 3, row
        assert row[1] in ("run", "check", "test"), row


@pytest.mark.parametrize(
    ("python", "says"),
    [("exit 127", "not there"), ('[ "$1" = --version ] && echo Python 3.9.2', "Python 3.9.2")],
)
def test_without_a_new_python_one_sentence(machine: Machine, python: str, says: str) -> None:
    machine.play("old-python", python)
    run = subprocess.run(
        [ROOT / "tools" / "find-python"],
        env={"PATH": f"{machine.folder}:/usr/bin:/bin", "PYTHON": "old-python"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "pbm needs Python 3.11 or newer" in run.stderr
    assert says in run.stderr
