import asyncio
import email
import mailbox
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pbm.app.opening import open_transport
from pbm.config import Settings
from pbm.errors import OperatorError
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent
from pbm.mail.smtp_out.maildir import MaildirTransport, folder_of, mails_of

RAW = b"Subject: hello\r\n\r\nYour move.\r\n"


def deliver(
    root: Path, recipient: str, raw: bytes = RAW, sender: str = "pbm@localhost"
) -> Delivery:
    return asyncio.run(MaildirTransport(root).deliver(sender, recipient, raw))


def test_a_mail_lies_in_the_folder_of_its_address(tmp_path: Path) -> None:
    assert deliver(tmp_path / "var" / "maildir", "Alice.L+x@Example.ORG") == Sent()
    folder = tmp_path / "var" / "maildir" / "alice.l%2Bx%40example.org"
    assert sorted(entry.name for entry in folder.iterdir()) == ["cur", "new", "tmp"]
    assert [file.read_bytes() for file in (folder / "new").iterdir()] == [
        b"Return-Path: <pbm@localhost>\nSubject: hello\n\nYour move.\n"
    ]
    assert list((folder / "tmp").iterdir()) == []


def test_the_null_sender(tmp_path: Path) -> None:
    deliver(tmp_path, "alice@example.org", sender="")
    message = next(iter(mailbox.Maildir(tmp_path / "alice%40example.org")))
    assert message["Return-Path"] == "<>"


def test_mails_come_back_in_the_order_of_their_delivery(tmp_path: Path) -> None:
    for number in range(50):
        deliver(tmp_path, "alice@example.org", b"Subject: %d\r\n\r\n" % number)
    mails = mails_of(tmp_path, "ALICE@example.org")
    subjects = [email.message_from_bytes(file.read_bytes())["Subject"] for file in mails]
    assert subjects == [str(number) for number in range(50)]


def test_names_are_ordered_as_numbers_and_read_mails_count(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, "alice@example.org")
    for part in ("new", "cur", "tmp"):
        (folder / part).mkdir(parents=True)
    (folder / "cur" / "100.M5P1Q1.host:2,S").touch()
    (folder / "new" / "100.M10P1Q2.host").touch()
    (folder / "new" / "99.M999999P1Q9.host").touch()
    (folder / "new" / "100.M10P1Q10.host").touch()
    (folder / "new" / ".hidden").touch()
    (folder / "tmp" / "101.M1P1Q1.host").touch()
    assert [file.name for file in mails_of(tmp_path, "alice@example.org")] == [
        "99.M999999P1Q9.host",
        "100.M5P1Q1.host:2,S",
        "100.M10P1Q2.host",
        "100.M10P1Q10.host",
    ]


def test_nobody_has_no_mails(tmp_path: Path) -> None:
    assert mails_of(tmp_path, "nobody@example.org") == []


def test_many_deliveries_at_once(tmp_path: Path) -> None:
    async def scene() -> list[Delivery]:
        transport = MaildirTransport(tmp_path)
        return await asyncio.gather(
            *(transport.deliver("", f"a{n % 3}@example.org", RAW) for n in range(60))
        )

    assert set(asyncio.run(scene())) == {Sent()}
    assert sum(len(mails_of(tmp_path, f"a{n}@example.org")) for n in range(3)) == 60


def test_several_processes_make_one_folder(tmp_path: Path) -> None:
    script = (
        "import asyncio, sys; from pathlib import Path; "
        "from pbm.mail.smtp_out.maildir import MaildirTransport as T; "
        "print(asyncio.run(T(Path(sys.argv[1])).deliver('', 'a@example.org', b'x')))"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    runs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(4)]
    assert {run.communicate()[0].strip() for run in runs} == {b"Sent()"}
    assert len(mails_of(tmp_path, "a@example.org")) == 4


def test_a_folder_made_by_halves_is_completed(tmp_path: Path) -> None:
    (tmp_path / "alice%40example.org" / "new").mkdir(parents=True)
    assert deliver(tmp_path, "alice@example.org") == Sent()


def test_promise_01_file_and_folder_are_synced_before_it_counts_as_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    fsync = os.fsync

    def noting(descriptor: int) -> None:
        synced.append(Path(os.readlink(f"/proc/self/fd/{descriptor}")).parent.name)
        fsync(descriptor)

    deliver(tmp_path, "alice@example.org")
    monkeypatch.setattr(os, "fsync", noting)
    assert deliver(tmp_path, "alice@example.org") == Sent()
    assert synced == ["tmp", "alice%40example.org"]


def test_a_disk_that_does_not_sync_defers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", failing)
    outcome = deliver(tmp_path, "alice@example.org")
    assert isinstance(outcome, Deferred)
    assert "No space left on device" in outcome.reason


def test_a_file_in_the_folders_place_defers(tmp_path: Path) -> None:
    (tmp_path / "alice%40example.org").touch()
    assert isinstance(deliver(tmp_path, "alice@example.org"), Deferred)


@pytest.mark.parametrize(
    "recipient", ["..", "", "nobody", "a/../../b", "../x@example.org", "a@b\n"]
)
def test_what_is_no_address_makes_no_folder(tmp_path: Path, recipient: str) -> None:
    root = tmp_path / "maildir"
    outcome = deliver(root, recipient)
    if isinstance(outcome, Sent):
        assert [entry.name for entry in root.iterdir()] == ["..%2Fx%40example.org"]
    else:
        assert isinstance(outcome, Failed)
        assert not root.exists()
    assert [entry.name for entry in tmp_path.iterdir()] in ([], ["maildir"])


def test_an_address_too_long_for_a_folder(tmp_path: Path) -> None:
    assert isinstance(deliver(tmp_path, "!" * 64 + "@" + "d" * 60 + ".org"), Failed)


@pytest.mark.parametrize("sender", ["no address", "a@b\r\nX: y"])
def test_a_bad_sender_fails(tmp_path: Path, sender: str) -> None:
    assert isinstance(deliver(tmp_path, "alice@example.org", sender=sender), Failed)


@pytest.mark.parametrize("place", [".", "alice%40example.org", "alice%40example.org/new"])
@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_is_not_followed(tmp_path: Path, place: str, target: str) -> None:
    root, elsewhere = tmp_path / "maildir", tmp_path / "elsewhere"
    for part in ("new", "cur", "tmp"):
        (elsewhere / part).mkdir(parents=True)
    link = root / place
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(tmp_path / target)
    outcome = deliver(root, "alice@example.org")
    assert isinstance(outcome, Deferred)
    assert "is a link; name the folder that it leads to" in outcome.reason
    assert not [file for file in elsewhere.rglob("*") if file.is_file()]
    with pytest.raises(OperatorError, match=r"PBM_MAILDIR: .* is a link"):
        open_transport(Settings(maildir=str(root)))
    link.unlink()
    open_transport(Settings(maildir=str(root)))
    assert deliver(root, "alice@example.org") == Sent()


def test_another_users_folder_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert deliver(tmp_path, "alice@example.org") == Sent()
    monkeypatch.setattr("os.geteuid", lambda: 54_321)
    ours = tmp_path.stat().st_uid == 0  # root's folder may be used by anybody
    assert isinstance(deliver(tmp_path, "alice@example.org"), Sent if ours else Deferred)


def test_a_mail_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    deliver(tmp_path, "alice@example.org")
    new = folder_of(tmp_path, "alice@example.org") / "new"
    (new / "1.M1P1Q1.host").symlink_to("/etc/passwd")
    assert len(mails_of(tmp_path, "alice@example.org")) == 1
