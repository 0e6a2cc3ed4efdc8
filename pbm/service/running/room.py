"""Free space on the disks that a server writes to."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

import structlog

from pbm.config import Settings
from pbm.store.sql.dialects import parse_url

LEAST = 20 << 20  # bytes; below it mails are about to be refused
ENOUGH = 200 << 20
FEWEST_FILES = 1000
LOOK_EVERY = 60.0  # seconds
_log = structlog.get_logger("pbm.room")


@dataclass(frozen=True)
class Room:
    """Free space on the disk of a folder."""

    folder: Path
    free: int  # bytes
    is_short: bool
    is_little: bool

    def __str__(self) -> str:
        return f"{self.free / (1 << 20):,.1f} MB are free at {self.folder}"


def rooms(settings: Settings) -> list[Room]:
    """This machine's disks with the database, the keys and the Maildir, each once."""
    folders = [settings.key_file.parent]
    url = parse_url(settings.database_url)
    if url.get_backend_name() == "sqlite":
        folders.append(Path(str(url.database)).parent)
    if not settings.smarthost:
        folders.append(Path(settings.maildir))
    by_disk: dict[int, Path] = {}
    for folder in map(_there, folders):
        by_disk.setdefault(folder.stat().st_dev, folder)
    return [_room(folder) for folder in by_disk.values()]


async def watch_rooms(settings: Settings) -> None:
    """Log for ever when a disk gets short of room, or has room again."""
    told: dict[Path, bool] = {}
    while True:
        found = await asyncio.to_thread(_found, settings)
        for room in found:
            if room.is_little != told.get(room.folder, False):
                say = _log.warning if room.is_little else _log.info
                say("little room" if room.is_little else "room again", state=str(room))
        told.update({room.folder: room.is_little for room in found})
        await asyncio.sleep(LOOK_EVERY)


def _found(settings: Settings) -> list[Room]:
    try:
        return rooms(settings)
    except OSError as error:
        _log.warning("disks cannot be looked at", reason=str(error))
        return []


def _there(folder: Path) -> Path:
    """The folder, or its first existing parent."""
    return next(place for place in (folder, *folder.absolute().parents) if place.exists())


def _room(folder: Path) -> Room:
    found = os.statvfs(folder)
    free = found.f_bavail * found.f_frsize
    few_files = found.f_files > 0 and found.f_favail < FEWEST_FILES  # some disks have no file limit
    return Room(folder, free, free < LEAST or few_files, free < ENOUGH or few_files)
