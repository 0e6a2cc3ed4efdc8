"""Delivery into Maildirs instead of to a server, for trials and tests; lines end in LF.

The Maildir of a recipient is named by the address in lower case, percent-encoded.
"""

import asyncio
import errno
import mailbox
import os
import re
import stat
import threading
from pathlib import Path
from urllib.parse import quote

from pbm.addresses import address_key
from pbm.files import sync_folder
from pbm.mail.address import AddressError, parse_address
from pbm.mail.smtp_out.delivery import Deferred, Delivery, Failed, Sent

_PARTS = ("new", "cur", "tmp")
_READ = ("new", "cur")
_LONGEST_FOLDER_NAME = 255  # bytes, on the usual file systems
_DELIVERED = re.compile(r"([0-9]+)\.M([0-9]+)P[0-9]+Q([0-9]+)\.", re.ASCII)

# The standard library names the files by an unlocked counter of deliveries of the process.
_one_delivery_at_a_time = threading.Lock()


class MaildirTransport:
    """Delivers below a folder, which is created with the first mail."""

    def __init__(self, root: Path) -> None:
        self._root = root

    async def deliver(self, envelope_sender: str, recipient: str, raw: bytes) -> Delivery:
        """Deliver one mail; the result Sent means that it is on disk for good."""
        try:
            sender = parse_address(envelope_sender) if envelope_sender else ""
            folder = folder_of(self._root, recipient)
        except AddressError as error:
            return Failed(str(error))
        if len(folder.name) > _LONGEST_FOLDER_NAME:
            return Failed("That mail address is too long for the name of a folder.")
        marked = f"Return-Path: <{sender}>\n".encode("ascii") + raw.replace(b"\r\n", b"\n")
        try:
            await asyncio.to_thread(_store, folder, marked)
        except (OSError, mailbox.Error) as error:
            reason = getattr(error, "strerror", None) or "its name is taken"
            return Deferred(f"The mail can't be written to {folder}: {reason}.")
        return Sent("in a Maildir")

    async def close(self) -> None:
        """Do nothing: no connection is open."""


def folder_of(root: Path, recipient: str) -> Path:
    """Return an address's Maildir, right below `root`; case is ignored. Raises AddressError."""
    return root / quote(address_key(parse_address(recipient)), safe="")


def mails_of(root: Path, recipient: str) -> list[Path]:
    """Return the files of all mails to an address, oldest first. Raises AddressError, OSError."""
    folder = folder_of(root, recipient)
    parts = [folder / part for part in _READ if _owner(folder / part) is not None]
    files = (file for part in parts for file in part.iterdir())
    return sorted(
        (file for file in files if not file.name.startswith(".") and not file.is_symlink()),
        key=_delivery_order,
    )


def _delivery_order(file: Path) -> tuple[list[int], str]:
    # The file name has the microseconds without leading zeros, so names do not sort by time.
    found = _DELIVERED.match(file.name)
    return [*map(int, found.groups())] if found else [], file.name


def _store(folder: Path, raw: bytes) -> None:
    _make(folder)
    with _one_delivery_at_a_time:
        # The library writes into tmp, syncs the file, and links it into new; we sync the link.
        mailbox.Maildir(folder, create=False).add(raw)
    sync_folder(folder / "new")


def _make(folder: Path) -> None:
    """Create the missing folders; another process may do so at the same time."""
    if check_folders(folder.parent, folder):
        return
    for part in _PARTS:
        (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)
    for changed in (folder, folder.parent, folder.parent.parent):
        sync_folder(changed)


def check_folders(root: Path, *maildirs: Path) -> bool:
    """Return whether the folders exist. Raises OSError for a link or another user's folder."""
    folders = (
        root,
        *(each for folder in maildirs for each in (folder, *map(folder.joinpath, _PARTS))),
    )
    owners = [_owner(folder) for folder in folders]
    for folder, owner in zip(folders, owners, strict=True):
        if owner not in (None, os.geteuid(), 0):
            raise PermissionError(errno.EPERM, f"{folder} belongs to another user of this machine")
    return None not in owners


def _owner(folder: Path) -> int | None:
    """Return the owner's user id, or None without a folder. Raises OSError for a link or a file."""
    try:
        found = folder.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.ELOOP, f"{folder} is a link; name the folder that it leads to")
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(errno.ENOTDIR, f"{folder} is no folder")
    return found.st_uid
