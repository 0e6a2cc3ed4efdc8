"""The wheel alone, in an empty folder: it serves, migrates and helps."""

from email import message_from_bytes

from tests.e2e.player import SERVER, Player, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.installed_wheel import InstalledWheel


def test_the_wheel_serves(installed_wheel: InstalledWheel, sink: Sink) -> None:
    settings = {"PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url}
    command = (str(installed_wheel.programs / "pbm"), "serve")
    with RunningServer(installed_wheel.empty, settings, command) as server:
        player = Player("alice", server, sink)
        player.signs_up()
        player.writes("pbm help abalone")
        help_mail = player.receives()
        assert message_from_bytes(help_mail.raw)["Subject"] == "pbm: help abalone"
        assert "E- . . . . . . . . ." in text_of(help_mail)
