"""Keys come and go while the server runs."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from pbm.mail.keys import KeyFileError, add_key, drop_key, load_keyring, load_keys

SECRET = "a-key-of-the-test-of-its-rotation"
NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A key file as an operator keeps it."""
    path = tmp_path / "secret.key"
    path.write_text(f"# ours\nb {SECRET}\n\n# the first one\na x{SECRET}\n", encoding="ascii")
    path.chmod(0o600)
    return path


def ids(path: Path) -> list[str]:
    return [key.id for key in load_keys(path)]


def test_a_new_key_signs_and_the_older_ones_verify(path: Path) -> None:
    before = load_keyring(path).reply_tag(7, 1)
    key = add_key(path)
    assert ids(path) == [key.id, "b", "a"]
    ring = load_keyring(path)
    assert ring.reply_tag(7, 1).startswith(key.id)
    assert ring.verify_reply_tag(before, 7, 1)


def test_the_rest_of_the_file_stays_as_it_was(path: Path) -> None:
    old = path.read_text(encoding="ascii").split("\n")
    add_key(path)
    new = path.read_text(encoding="ascii").split("\n")
    assert (new[:1], new[2:]) == (old[:1], old[1:])
    drop_key(path, "b")
    assert path.read_text(encoding="ascii").split("\n") == [*new[:2], *new[3:]]


def test_a_dropped_key_verifies_nothing(path: Path) -> None:
    tag = load_keyring(path).reply_tag(7, 1)
    add_key(path)
    drop_key(path, "b")
    assert not load_keyring(path).verify_reply_tag(tag, 7, 1)


def test_the_file_stays_closed_and_nothing_is_left_beside_it(path: Path) -> None:
    old = os.umask(0)
    try:
        add_key(path)
        drop_key(path, "a")
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.iterdir()) == [path]


def test_the_file_stays_its_owners(path: Path) -> None:
    if os.geteuid() == 0:
        os.chown(path, NOBODY, NOBODY)
    before = path.stat()
    add_key(path)
    after = path.stat()
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert after.st_ino != before.st_ino


def test_a_missing_file_is_made_first(tmp_path: Path) -> None:
    key = add_key(tmp_path / "var" / "secret.key")
    first, _ = load_keys(tmp_path / "var" / "secret.key")
    assert first == key


def test_keys_made_at_once_are_all_there(path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: add_key(path).id, range(16)))
    assert sorted(ids(path)) == sorted([*made, "a", "b"])


def test_the_key_that_signs_is_not_dropped(path: Path) -> None:
    with pytest.raises(KeyFileError, match=r"Key b signs .* pbm-admin keys rotate"):
        drop_key(path, "b")
    with pytest.raises(KeyFileError, match=r"holds no key zz\. Its keys: b, a\."):
        drop_key(path, "zz")
    assert ids(path) == ["b", "a"]


def test_a_file_of_others_or_of_nonsense_is_not_touched(path: Path) -> None:
    path.write_text("nonsense", encoding="ascii")
    for change in (add_key, lambda path: drop_key(path, "a")):
        with pytest.raises(KeyFileError, match="is no key"):
            change(path)
    assert path.read_text(encoding="ascii") == "nonsense"
    with pytest.raises(KeyFileError, match="no key file"):
        drop_key(path.with_name("none"), "a")


class TestWatching:
    def test_a_change_is_seen_at_once(self, path: Path) -> None:
        ring = load_keyring(path)
        old = ring.reply_tag(7, 1)
        key = add_key(path)
        assert ring.reply_tag(7, 1).startswith(key.id)
        assert ring.verify_reply_tag(old, 7, 1)
        drop_key(path, "b")
        assert not ring.verify_reply_tag(old, 7, 1)

    @pytest.mark.parametrize("trouble", ["gone", "nonsense", "open to all"])
    def test_trouble_leaves_the_keys_as_they_were(self, path: Path, trouble: str) -> None:
        ring = load_keyring(path)
        tag = ring.reply_tag(7, 1)
        if trouble == "gone":
            path.unlink()
        elif trouble == "nonsense":
            path.write_text(f"{SECRET}\n", encoding="ascii")
        else:
            add_key(path)
            path.chmod(0o644)
        with capture_logs() as entries:
            assert ring.reply_tag(7, 1) == tag
            assert ring.verify_reply_tag(tag, 7, 1)
        assert [entry["log_level"] for entry in entries] == ["error"]  # told once
        assert SECRET not in str(entries)
        assert not path.exists() or trouble != "gone"

    def test_after_the_trouble_the_file_is_read_again(self, path: Path) -> None:
        ring = load_keyring(path)
        whole = path.read_bytes()
        path.write_text("nonsense", encoding="ascii")
        ring.reply_tag(7, 1)
        path.write_bytes(whole.replace(b"\nb ", b"\nc "))
        assert ring.reply_tag(7, 1).startswith("c")


class TestSettings:
    def test_the_first_of_several_signs(self, tmp_path: Path) -> None:
        new, old = SECRET[::-1], SECRET
        before = load_keyring(tmp_path / "k", old)
        for value in (f"{new},{old}", f" {new}, {old}\n", f"{new}\n,\t{old} "):
            ring = load_keyring(tmp_path / "k", value)
            assert [key.secret for key in ring.keys] == [new.encode(), old.encode()]
            assert ring.reply_tag(7, 1) == load_keyring(tmp_path / "k", new).reply_tag(7, 1)
            assert ring.verify_reply_tag(before.reply_tag(7, 1), 7, 1)

    @pytest.mark.parametrize("value", [f"{SECRET},short", f"{SECRET}, {SECRET}", f"{SECRET},", ","])
    def test_what_cannot_be_used_is_not_repeated(self, tmp_path: Path, value: str) -> None:
        with pytest.raises(KeyFileError, match="PBM_SECRET_KEY") as caught:
            load_keyring(tmp_path / "k", value)
        assert SECRET not in str(caught.value)
        assert "short" not in str(caught.value).replace("too short", "")
