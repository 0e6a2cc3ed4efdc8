"""The watch over secrets sees what the tests issue, and finds it where it must not be."""

import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from pbm.mail.keys import Key, Keyring, add_key, load_keyring, token_digest
from pbm.passwords import hash_password
from tests.e2e.running import RunningServer
from tests.secrets_issued import ISSUED, SecretsIssued
from tests.table import Table

ROOT = Path(__file__).parents[2]
TABLE_KEY = Keyring((Key("k1", b"a secret key that only tests know"),))
LEAK = """\
import structlog
from pathlib import Path
from tests.table import Table

def test_that_leaks(tmp_path: Path) -> None:
    table = Table(f"sqlite:///{tmp_path / 'x'}")
    structlog.get_logger().info("board sent", to=table.joins("alice").newest.reply_to)
    table.close()

def test_that_does_not(tmp_path: Path) -> None:
    Table(f"sqlite:///{tmp_path / 'x'}").joins("alice")
"""


@pytest.fixture
def table(sqlite_url: str) -> Table:
    return Table(sqlite_url)


def secret_of(address: str) -> str:
    return address.partition("@")[0].rpartition(".")[2]


def test_promise_22_tags_tokens_keys_and_passwords_are_noted(table: Table, tmp_path: Path) -> None:
    question = table.person("x@example.org").writes("signup marta open-Sesame-8").newest
    tag = secret_of(table.joins("alice").newest.reply_to)
    token = secret_of(question.reply_to)
    key = add_key(tmp_path / "keys")
    load_keyring(tmp_path / "keys").reply_tag(1, 1)
    hash_password("another-Word-9")
    for secret in (tag, token, "open-Sesame-8", "another-Word-9", key.secret.decode("ascii")):
        assert ISSUED.found_in(f"he said {secret}.")
        assert ISSUED.found_in(f"pbm+u1.{secret}@games.example")
    assert ISSUED.found_in(tag.upper())
    assert not ISSUED.found_in(f"mail 12 from alice@example.org, {token_digest(token)}")


def test_promise_22_what_is_found_is_not_repeated() -> None:
    issued = SecretsIssued()
    issued.note_address("g1.u1.k1abcdefghijklmnop")
    issued.texts.add("open-Sesame-8")
    with pytest.raises(AssertionError) as caught:
        issued.none_in("k1abcdefghijklmnop open-Sesame-8", "the log")
    assert "a password or key and a tag or token stands in the log" in str(caught.value)


def test_promise_22_a_server_of_its_own_is_watched_by_its_mails_and_its_keys(
    tmp_path: Path,
) -> None:
    issued = SecretsIssued()
    head = b"From: pbm@x\r\nReply-To: pbm+g1.u2.K1ABCDEFGHIJKLMNOP@x\r\n"
    issued.note_mail(head + b"\r\nReply-To: pbm+u1.k2abcdefghijklmnop@x")
    assert issued.words == {"k1abcdefghijklmnop"}
    (tmp_path / "var").mkdir()
    add_key(tmp_path / "var" / "secret.key")
    server = RunningServer(tmp_path)
    (tmp_path / "server.log").write_text("all is well\n", encoding="ascii")
    server.check_log()
    (*_, last) = load_keyring(tmp_path / "var" / "secret.key").keys
    key = last.secret.decode("ascii")
    (tmp_path / "server.log").write_text(f"the key is {key}\n", encoding="ascii")
    with pytest.raises(AssertionError, match="a password or key stands in the server's log"):
        server.check_log()


@pytest.mark.parametrize("where", ["inbox.outcome", "errands.lines", "outbox.last_error"])
def test_promise_22_what_people_read_is_looked_at(table: Table, where: str) -> None:
    alice = table.joins("alice")
    leak = alice.newest.reply_to
    with table.database.transaction() as work:
        if where == "inbox.outcome":
            work.inbox.finish([(1, f"answered {leak}")], table.clock())
        elif where == "errands.lines":
            work.questions.add_errand(1, None, [f"move 1 {leak}"], (), table.clock())
        else:
            work.outbox.fail(1, f"550 no {leak}", table.clock())
    with pytest.raises(AssertionError, match=f"a tag or token stands in {where}"):
        table.close()


def test_promise_22_a_test_that_logs_a_secret_fails(tmp_path: Path) -> None:
    """In a run of its own, with this project's conftest."""
    leaking = tmp_path / "test_leak.py"  # where no other test comes across it
    leaking.write_text(LEAK, encoding="utf-8")
    options = ["-p", "no:cacheprovider", "-p", "no:xdist", "-p", "tests.conftest"]
    here = ["-c", ROOT / "pyproject.toml", "--rootdir", ROOT]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, *here, leaking],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "What was logged or printed holds a tag or token." in done.stdout


def test_promise_22_every_reply_address_in_a_file_is_made_up() -> None:
    """Signed with the key that stands in the tests, or plainly no real one."""
    found = {
        (str(path.relative_to(ROOT)), *match)
        for folder in ("tests", "docs", "help", "templates", "pbm")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".eml", ".txt", ".md", ".html")
        for match in re.findall(
            r"pbm\+(?:g(\d+)\.)?(?:u(\d+)|[a-z]+)(?:\.\w{1,9})*\.([a-z0-9]{16,})@",
            path.read_text(encoding="utf-8", errors="replace"),
        )
    }
    assert len(found) > 10
    assert not [path for path, *address in found if not (_is_ours(*address) or _is_none(address))]


def _is_ours(board: str, player: str, tag: str) -> bool:
    """Whether a `Table` has signed it, perhaps after somebody asked for a new key."""
    number = int(board) if board else None
    return bool(player) and any(
        TABLE_KEY.verify_reply_tag(tag, int(player), epoch, number) for epoch in range(1, 9)
    )


def _is_none(address: Sequence[str]) -> bool:
    """Whether nobody can have drawn it: other letters, in their order, or few different ones.

    Of 16 letters drawn out of 32 some 13 differ.
    """
    letters = address[-1][-16:]
    return not re.fullmatch("[a-z2-7]+", letters) or (
        "cdefghij" in letters or len(set(letters)) < 9
    )


def test_promise_22_a_real_address_in_a_file_would_be_seen() -> None:
    tag = Keyring((Key("x", b"x" * 32),)).reply_tag(7, 1, 12)
    assert not _is_ours("12", "7", tag)
    assert not _is_none(("12", "7", tag))
    assert not _is_none(("", "", "mzxw6ytboi4tqnzuge3tcmbr"))
