"""The server's own address: what the settings name, and what is known as its own when it comes."""

import pytest

from pbm.config import Doorway, Settings
from pbm.errors import OperatorError
from pbm.mail.reading.automatic import is_own
from pbm.mail.site import own_address

TAG = "k" + "a" * 16


@pytest.mark.parametrize("separator", list("+-_=."))
def test_each_separator_makes_addresses_that_are_ours(separator: str) -> None:
    server = own_address(Settings(address="pbm@games.example", separator=separator))
    address = server.board_reply(7, TAG, 12)
    assert address == f"pbm{separator}g12.u7.{TAG}@games.example"
    assert is_own(address, server.plain)
    assert is_own(server.question_reply("a" * 26), server.plain)


@pytest.mark.parametrize(
    "address", ["pbm-fan@games.example", "pbmx@games.example", "p@games.example"]
)
def test_neighbours_are_not_ours(address: str) -> None:
    assert not is_own(address, "pbm@games.example")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (Settings(separator=""), "PBM_SEPARATOR: "),
        (Settings(separator="++"), "PBM_SEPARATOR: "),
        (Settings(address="pbm"), "PBM_ADDRESS: "),
    ],
)
def test_the_setting_at_fault_is_named(settings: Settings, words: str) -> None:
    with pytest.raises(OperatorError, match=words):
        own_address(settings)


def test_every_form_of_a_doorway() -> None:
    listen = "127.0.0.1:25, smtp://[::1]:26, LMTP://localhost:24/, lmtp:///run/pbm/lmtp"
    assert Settings(listen=listen).doorways == (
        Doorway("127.0.0.1", 25),
        Doorway("::1", 26),
        Doorway("localhost", 24, is_lmtp=True),
        Doorway(path="/run/pbm/lmtp", is_lmtp=True),
    )
