"""Certificates for the tests, made by openssl in a moment."""

import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Issued:
    """Two PEM files."""

    certificate: Path
    key: Path


def issue(folder: Path, name: str = "mx.example", days: int = 30) -> Issued:
    """A certificate that has signed itself, good for a month or so many days."""
    issued = Issued(folder / f"{name}.crt", folder / f"{name}.key")
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", f"/CN={name}", "-days", str(days),
            "-keyout", str(issued.key), "-out", str(issued.certificate))  # fmt: skip
    return issued


def expire(issued: Issued) -> None:
    """Make it one that was never good for more than a moment, which is over soon."""
    path = str(issued.certificate)
    openssl("x509", "-in", path, "-signkey", str(issued.key), "-days", "0", "-out", path)


def openssl(*words: str) -> None:
    """Run it. Fails with what it said."""
    done = subprocess.run(["openssl", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
