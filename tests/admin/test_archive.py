"""An archive that is damaged anywhere is found out, in a sentence."""

import random
from pathlib import Path

import pytest

from pbm.errors import OperatorError
from pbm.service.operator.backup import DATABASE, KEYS, Manifest, digest_of, pack, unpack

TRIES = 1_000


@pytest.fixture
def archive(tmp_path: Path) -> bytes:
    """A small archive, well packed."""
    words = random.Random(7)
    parts = tmp_path / DATABASE, tmp_path / KEYS
    for part in parts:
        part.write_bytes(b"".join(b"%d " % words.randrange(50) for _ in range(3_000)))
    manifest = Manifest(
        format=1,
        made="2026-11-21T12:00:00+00:00",
        program="0.1.0",
        kind="sqlite",
        schema="0001",
        address="pbm@games.example",
        keys="file",
        files={part.name: digest_of(part) for part in parts},
    )
    pack(manifest, parts, tmp_path / "whole")
    return (tmp_path / "whole").read_bytes()


def test_what_was_packed_comes_back(archive: bytes, tmp_path: Path) -> None:
    folder = tmp_path / "unpacked"
    folder.mkdir()
    assert unpack(tmp_path / "whole", folder).address == "pbm@games.example"
    for name in (DATABASE, KEYS):
        assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()
    assert archive


def test_damage_anywhere_is_an_operators_error_or_does_no_harm(
    archive: bytes, tmp_path: Path
) -> None:
    dice = random.Random(1)
    refused = 0
    for number in range(TRIES):
        damaged = bytearray(archive)
        for _ in range(dice.choice((1, 2, 8))):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        file, folder = tmp_path / f"{number}.tar.gz", tmp_path / str(number)
        file.write_bytes(damaged[: dice.randrange(len(damaged))] if number % 4 == 0 else damaged)
        folder.mkdir()
        try:
            unpack(file, folder)
        except OperatorError:
            refused += 1
        else:
            for name in (DATABASE, KEYS):
                assert (folder / name).read_bytes() == (tmp_path / name).read_bytes()
    assert refused > TRIES * 0.9
