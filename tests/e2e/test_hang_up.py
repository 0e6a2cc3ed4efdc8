"""A hang-up, as of a closed terminal, ends nothing: neither the signal nor the log that is gone."""

import signal
from pathlib import Path

from pbm.service.running.heartbeat import ROLES
from tests.e2e.player import SERVER, Player
from tests.e2e.running import PROGRAMS, RunningServer
from tests.e2e.sink import Sink

NOBODY_READS = ("bash", "-c", f"exec {PROGRAMS / 'pbm'} serve 2> >(exec true)")


def test_the_server_goes_on(tmp_path: Path, sink: Sink) -> None:
    settings = {"PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url}
    with RunningServer(tmp_path, settings, NOBODY_READS) as server:
        assert server.process is not None
        server.process.send_signal(signal.SIGHUP)
        Player("alice", server, sink).signs_up()
        assert server.stop() == 0


def test_it_says_that_there_is_nothing_to_read_again(tmp_path: Path, sink: Sink) -> None:
    settings = {"PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url}
    with RunningServer(tmp_path, settings) as server:
        server.hangs_up("event=SIGHUP")
        found = server.admin("check").stdout
        for role in ROLES:
            assert f"ok    role {role}: run by process " in found
        server.stop()
        said = server.admin("check").stdout
        assert said.count("No process runs it. Start one with") == len(ROLES)
