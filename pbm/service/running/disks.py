"""Free space on the disks that a server writes to."""

import asyncio
import os
from dataclasses import dataclass
from pathlib import Path

import structlog

from pbm.config import Settings
from pbm.files import existing
from pbm.store.sql.driver import parse_url

LEAST = 20 << 20  # bytes free; below it mails are about to be refused
ENOUGH = 200 << 20  # bytes free; below it the log warns
FEWEST_FILES = 1000  # free inodes
LOOK_EVERY = 60.0  # seconds
_log = structlog.get_logger("pbm.disks")


@dataclass(frozen=True)
class Disk:
    """Free space on a disk. If `is_short`, mail is refused. If `is_little`, a warning is logged."""

    folder: Path
    free: int  # bytes
    is_short: bool
    is_little: bool

    def __str__(self) -> str:
        return f"{self.free / (1 << 20):,.1f} MB are free at {self.folder}"


def disks(settings: Settings) -> list[Disk]:
    """Return the disks of database, keys, Maildir and backups on this machine, each once."""
    folders = [settings.key_file.parent]
    url = parse_url(settings.database_url)
    if url.get_backend_name() == "sqlite":
        folders.append(Path(str(url.database)).parent)
    if not settings.smarthost:
        folders.append(Path(settings.maildir))
    if settings.backup_folder:
        folders.append(settings.backup_folder)
    found: dict[int, Disk] = {}
    for folder in map(existing, folders):
        state = os.statvfs(folder)
        free = state.f_bavail * state.f_frsize
        few_files = state.f_files > 0 and state.f_favail < FEWEST_FILES  # 0: no limit of inodes
        disk = Disk(folder, free, free < LEAST or few_files, free < ENOUGH or few_files)
        found.setdefault(folder.stat().st_dev, disk)
    return list(found.values())


async def watch_disks(settings: Settings) -> None:
    """Check the disks for ever; log when a disk gets short of room, or has room again."""
    told: dict[Path, bool] = {}
    while True:
        try:
            found = await asyncio.to_thread(disks, settings)
        except OSError as error:
            _log.warning("disks cannot be looked at", reason=str(error))
            found = []
        for disk in found:
            if disk.is_little != told.get(disk.folder, False):
                say = _log.warning if disk.is_little else _log.info
                say("little room" if disk.is_little else "room again", state=str(disk))
            told[disk.folder] = disk.is_little
        await asyncio.sleep(LOOK_EVERY)
