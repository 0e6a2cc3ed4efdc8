"""`check` finds roles that nobody has, clocks that are off, and disks without room."""

import asyncio
import errno
import os
import socket
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from structlog.testing import capture_logs

from pbm.clock import system_clock
from pbm.config import Settings
from pbm.service.health.results import CheckResult
from pbm.service.running import disks
from pbm.service.running.heartbeat import ROLES, Heart
from pbm.store.db import Database
from pbm.store.repositories import server_state
from pbm.store.repositories.server_state import Heartbeats
from tests.admin.checking import beats, finding, findings
from tests.table import Clock


class TestRoles:
    """A process beats for its roles; what is told of them later."""

    def test_while_it_lives_and_after_its_end(self, settings: Settings) -> None:
        assert (
            finding(settings, "role turn").text == "No process runs it. Start one with: pbm serve"
        )
        clock = Clock()
        heart = Heart(clock, ROLES)
        beats(settings, heart)
        clock.passes(seconds=60)
        me = f"process {os.getpid()} on {socket.gethostname()}"
        alone = "" if settings.database_url.startswith("sqlite") else " --roles=turn"
        for role in ROLES:
            assert finding(settings, f"role {role}", clock).text == f"run by {me}"
        clock.passes(seconds=1)
        found = finding(settings, "role turn", clock)
        assert not found.good
        assert found.text == (
            f"No process runs it. The {me} was last heard of at 2026-11-21 12:00:00 UTC: "
            f"it died, was killed, or hangs. Start it again: pbm serve{alone}"
        )
        beats(settings, heart, Heart.end)
        assert "was last heard of" not in finding(settings, "role turn", clock).text

    def test_that_it_lives_all_the_same_is_seen_on_its_machine(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """As where a disk is full, so that it can write nothing down."""
        began = system_clock()
        beats(settings, Heart(lambda: began, ROLES))
        for host, told in (
            (socket.gethostname(), "lives, but was last heard of"),
            ("elsewhere", "it died, was killed, or hangs. Start it again"),
        ):
            monkeypatch.setattr(socket, "gethostname", lambda host=host: host)
            found = finding(settings, "role turn", lambda: began + timedelta(seconds=61))
            assert not found.good
            assert told in found.text
            assert ("Start it again" in found.text) == (host == "elsewhere")

    def test_one_loop_of_a_role_that_stands_still(self, settings: Settings) -> None:
        clock = Clock()
        heart = Heart(clock, ROLES)
        for loop in range(3):
            heart.alive("turn", loop)
        clock.passes(seconds=61)
        for loop in range(2):
            heart.alive("turn", loop)
        beats(settings, heart)
        found = finding(settings, "role turn", clock)
        assert "has stood still in this role since 2026-11-21 12:00:00" in found.text

    def test_a_role_that_stands_still(self, settings: Settings) -> None:
        clock = Clock()
        heart = Heart(clock, (*ROLES, "tick"))
        heart.alive("turn")
        clock.passes(seconds=61)
        beats(settings, heart)
        found = findings(settings, clock)
        assert not found["role turn"].good
        assert "has stood still in this role since 2026-11-21 12:00:00" in found["role turn"].text
        assert found["role listen"].good
        assert found["role tick"].good

    def test_one_of_several_that_died_is_told_for_a_day(self, settings: Settings) -> None:
        clock = Clock()
        beats(settings, Heart(clock, ["turn"]))
        other = Heart(clock, ["turn"])
        for hours, told in ((1, True), (22, True), (1, False)):
            clock.passes(hours=hours)
            beats(settings, other)
            found = finding(settings, "role turn", clock)
            assert (found.good, found.warning) == (True, told)
            assert ("died, was killed, or hangs" in found.text) is told

    def test_one_of_another_version(self, settings: Settings) -> None:
        heart = Heart(system_clock, ["turn"])
        heart._versions = "0.2.9", "0007"
        beats(settings, heart)
        found = finding(settings, "role turn", system_clock)
        assert not found.good
        assert ", with pbm 0.2.9, which is for other tables than these." in found.text

    def test_dead_ones_are_few(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(server_state, "MOST_ROWS", 8)
        clock = Clock()
        for _ in range(20):
            clock.passes(minutes=2)
            beats(settings, Heart(clock, ["turn"]))
        text = finding(settings, "role turn", clock).text
        assert text.count("died, was killed, or hangs.") == 5
        assert "So did 2 more." in text


class TestDisk:
    @pytest.mark.parametrize(
        ("free", "files", "how"),
        [
            (1 << 30, 10_000, (True, False)),
            (1 << 30, 10, (False, False)),  # a disk may run out of files first
            (100 << 20, 10_000, (True, True)),
            (1 << 20, 10_000, (False, False)),
        ],
    )
    def test_how_much_is_left(
        self,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
        free: int,
        files: int,
        how: tuple[bool, bool],
    ) -> None:
        said = SimpleNamespace(f_bavail=free >> 12, f_frsize=1 << 12, f_files=1, f_favail=files)
        monkeypatch.setattr(os, "statvfs", lambda _: said)
        found = finding(settings, "disk")
        assert (found.good, found.warning) == how
        assert f"{free >> 20:,}.0 MB are free at " in found.text
        assert ("make room" in found.text.lower()) == (how != (True, False))

    def test_one_that_cannot_be_looked_at(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def stale(_: object) -> None:
            raise OSError(errno.ESTALE, "Stale file handle")

        monkeypatch.setattr(os, "statvfs", stale)
        found = finding(settings, "disk")
        assert not found.good
        assert "Stale file handle" in found.text

    def test_the_log_tells_once_of_each_change(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        states = [False, True, OSError("stale file handle"), True, False]

        def look(_: Settings) -> list[disks.Disk]:
            if not states:
                raise RuntimeError  # the end
            state = states.pop(0)
            if isinstance(state, OSError):
                raise state
            return [disks.Disk(Path("var"), 1 << 20, is_short=False, is_little=bool(state))]

        monkeypatch.setattr(disks, "disks", look)
        monkeypatch.setattr(disks, "LOOK_EVERY", 0.0)
        with capture_logs() as logged, pytest.raises(RuntimeError):
            asyncio.run(disks.watch_disks(settings))
        told = ["little room", "disks cannot be looked at", "room again"]
        assert [line["event"] for line in logged] == told


class TestClocks:
    """Each process notes how far its clock is ahead of the database's."""

    def finding_of(
        self,
        settings: Settings,
        monkeypatch: pytest.MonkeyPatch,
        ahead: float | None,
        others: Sequence[tuple[str, float | None]],
    ) -> CheckResult:
        """What is found where this clock, and those of other machines, are off so far."""

        def off(seconds: float | None) -> Clock:
            clock = Clock()
            clock.passes(seconds=seconds or 0)
            monkeypatch.setattr(Heartbeats, "clock_ahead", lambda *_: seconds)
            return clock

        for host, seconds in others:
            with monkeypatch.context() as there:
                there.setattr(socket, "gethostname", lambda host=host: host)
                heart = Heart(off(seconds), ["turn"])
            beats(settings, heart)
        return finding(settings, "clocks", off(ahead))

    def test_whose_is_off(self, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
        me = socket.gethostname()
        for ahead, others, told in (
            (0, [("a", 3)], None),
            (0, [("a", 3), ("b", -200)], " on b is 0:03:20 behind it. Set it right"),
            (301, [("a", 1)], f"that of this machine, {me} is 0:05:01 ahead of it. "),
            (301, [("a", 300)], "The clock of the database's machine is 0:05:01 behind those of"),
        ):
            found = self.finding_of(settings, monkeypatch, ahead, others)
            assert found.good == (told is None)
            assert (told or "within 30 seconds") in found.text
            assert finding(settings, "role turn", Clock()).good or told  # however clocks differ
            database = Database(settings.database_url)
            with database.transaction() as work:
                work.heartbeats.forget_all()
            database.close()

    def test_what_is_written_in_the_future(
        self, settings: Settings, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Where the database has no clock of its own."""
        assert self.finding_of(settings, monkeypatch, None, [("a", None)]).good
        clock = Clock()
        clock.passes(minutes=5)
        beats(settings, Heart(clock, ["turn"]))
        found = finding(settings, "clocks")
        assert not found.good
        assert "has written at 2026-11-21 12:05 UTC, which has not come yet" in found.text
