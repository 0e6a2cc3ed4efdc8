import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pbm.mail.keys import KeyFileError, Keyring, load_keyring

SECRET = "a-key-of-the-tests-of-key-files-0"


def written(path: Path, text: str, mode: int = 0o600) -> Path:
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_a_missing_file_is_made_once(tmp_path: Path) -> None:
    path = tmp_path / "var" / "secret.key"
    ring = load_keyring(path)
    assert load_keyring(path) == ring
    assert path.stat().st_mode & 0o777 == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["secret.key"]


def test_a_made_file_is_closed_whatever_the_umask(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        load_keyring(tmp_path / "secret.key")
    finally:
        os.umask(old)
    assert (tmp_path / "secret.key").stat().st_mode & 0o777 == 0o600


def test_two_made_files_hold_different_keys(tmp_path: Path) -> None:
    first, second = load_keyring(tmp_path / "one"), load_keyring(tmp_path / "two")
    assert first.keys[0].secret != second.keys[0].secret


def test_many_that_start_at_once_end_with_one_key(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    with ThreadPoolExecutor(8) as pool:
        rings = list(pool.map(lambda _: load_keyring(path), range(32)))
    assert len({ring.keys for ring in rings}) == 1


def test_processes_that_start_at_once_end_with_one_key(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    script = (
        "import sys; from pathlib import Path; from pbm.mail.keys import load_keyring; "
        "print(load_keyring(Path(sys.argv[1])).reply_tag(7, 1))"
    )
    starters = [
        subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    tags = {starter.communicate()[0] for starter in starters}
    assert tags == {load_keyring(path).reply_tag(7, 1).encode() + os.linesep.encode()}


def test_several_keys_and_comments(tmp_path: Path) -> None:
    path = written(tmp_path / "k", f"# new\nb {SECRET}\n\n  a \t x{SECRET}  \n# end")
    ring = load_keyring(path)
    assert [key.id for key in ring.keys] == ["b", "a"]
    assert ring.keys[0].secret == SECRET.encode()
    assert ring.keys[1].secret == b"x" + SECRET.encode()


def test_the_environment_goes_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    ring = load_keyring(path, SECRET)
    assert ring.keys[0].secret == SECRET.encode()
    assert ring == load_keyring(path, f" {SECRET}\n")
    assert not path.exists()


def test_an_empty_environment_value_is_none(tmp_path: Path) -> None:
    load_keyring(tmp_path / "secret.key", "")
    assert (tmp_path / "secret.key").exists()


def test_different_secrets_in_the_environment_have_tags_that_do_not_mix(tmp_path: Path) -> None:
    first = load_keyring(tmp_path / "k", SECRET)
    second = load_keyring(tmp_path / "k", SECRET[::-1])
    assert not second.verify_reply_tag(first.reply_tag(7, 1), 7, 1)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "holds no key"),
        ("# nothing\n\n", "holds no key"),
        ("a short", "too short"),
        (f"abc {SECRET}", "is no key"),
        (f"A {SECRET}", "is no key"),
        (SECRET, "is no key"),
        (f"a {SECRET} more", "is no key"),
        (f"a {SECRET}\na x{SECRET}", "repeats the id"),
        (f"a {SECRET}é", "plain ASCII"),
    ],
)
def test_files_that_hold_no_keys(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path / "secret.key", text)
    with pytest.raises(KeyFileError, match=sentence) as caught:
        load_keyring(path)
    assert str(path) in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666, 0o620])
def test_a_file_that_others_can_open_is_refused(tmp_path: Path, mode: int) -> None:
    path = written(tmp_path / "secret.key", f"a {SECRET}", mode)
    with pytest.raises(KeyFileError, match=f"chmod 600 {path}"):
        load_keyring(path)


def test_a_folder_in_the_files_place(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="can't be read"):
        load_keyring(tmp_path)


def test_a_place_where_no_file_can_be_made(tmp_path: Path) -> None:
    written(tmp_path / "file", "")
    with pytest.raises(KeyFileError, match="can't be read"):
        load_keyring(tmp_path / "file" / "secret.key")


def test_a_short_secret_in_the_environment_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="PBM_SECRET_KEY is too short") as caught:
        load_keyring(tmp_path / "k", "tooshort")
    assert "tooshort" not in str(caught.value)


def test_a_keyring_prints_no_secret(tmp_path: Path) -> None:
    ring: Keyring = load_keyring(tmp_path / "k", SECRET)
    assert SECRET not in repr(ring)
