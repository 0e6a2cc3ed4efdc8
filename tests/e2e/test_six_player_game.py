"""Six people play a whole bowl game by raw SMTP, from `signup` to the sixth ejection."""

import random
from email import message_from_bytes

import pytest

from pbm.rules import abalone as rules
from tests.e2e.player import Player, position_in, text_of
from tests.e2e.running import RunningServer
from tests.e2e.sink import Delivered, Sink

HANDLES = ("alice", "bob", "carol", "dave", "erin", "frank")
SUBJECT = "Abalone Board 1: alice, bob +4"
SEED = 0  # with it the game below ends after 62 plies
# So many plies each player hears of. Others then have brought each 25 mails; what is beyond 30
# waits for an hour.
HEARD_BY_ALL = 36


@pytest.mark.thorough
def test_a_whole_game(server: RunningServer, sink: Sink) -> None:
    players = {handle: Player(handle, server, sink) for handle in HANDLES}
    for player in players.values():
        player.signs_up()
    boards = starts(players)
    position = position_in(text_of(boards["alice"]))
    choice = random.Random(SEED)
    plies = heard = 0
    before = ""
    while position.turn is not None:
        mover = HANDLES[position.turn - 1]
        first = "Your move" if not plies else f"{before} moved: your turn"
        assert text_of(boards[mover]).startswith(f"{first} on board 1, by ")
        before = mover
        move = choose(position, choice)
        position = position.play(move).position
        plies += 1
        players[mover].answers(boards[mover], str(move))
        hearing = list(HANDLES)
        if position.turn is not None and plies > HEARD_BY_ALL:
            hearing = [mover, HANDLES[position.turn - 1]]
        for handle in hearing:
            boards[handle] = players[handle].receives()
            assert position_in(text_of(boards[handle])) == position
        heard += len(hearing)
        if plies == HEARD_BY_ALL:
            for handle, player in players.items():
                player.answers(boards[handle], "set mails turn")
                assert '"mails" is now set to "turn".' in text_of(player.receives())
    assert (position.outcome.winners, position.outcome.by) == ((2,), "ejections")
    for handle, board in boards.items():
        how = "you win" if handle == "bob" else "bob wins"
        assert text_of(board).startswith(f"Board 1 is over: {how}.")
    # Two mails to sign up, one for the start, one for the setting, the plies that each player hears
    # of, and alice's question: no more.
    assert len(sink.mails) == len(HANDLES) * (2 + 1 + 1) + heard + 1
    for player in players.values():
        check_thread(player)
    verified = server.admin("verify")
    assert verified.returncode == 0, verified.stdout + verified.stderr


def test_a_stolen_tag_does_nothing_but_ask_its_owner(
    server: RunningServer, sink: Sink, alice: Player, bob: Player
) -> None:
    board = alice.challenges(bob)
    thief = Player("thief", server, sink)
    thief.answers(board, "a1-c3,d4")
    asked = alice.receives()
    assert message_from_bytes(asked.raw)["Subject"] == (
        "Please confirm: a reply from thief@players.example"
    )
    bob.writes("show 1")
    assert position_in(text_of(bob.receives())) == rules.start("standard", 2)
    assert not thief.mails


def starts(players: dict[str, Player]) -> dict[str, Delivered]:
    players["alice"].writes("abalone challenge -bowl alice bob carol dave erin frank", "Hello all!")
    # No proof yet: a plain mail's From: proves nothing, so alice is asked.
    question = players["alice"].receives()
    assert message_from_bytes(question.raw)["Subject"].startswith("Please confirm:")
    players["alice"].answers(question, "yes")
    return {handle: player.receives() for handle, player in players.items()}


def choose(position: rules.AbalonePosition, choice: random.Random) -> rules.LineMove:
    """An ejection where there is one, else any move: games between such players end."""

    def wish(move: rules.LineMove) -> float:
        ejected = [s for s in position.play(move).ejected if s != position.turn]
        return len(ejected) * 100 + choice.random()

    return max(position.legal_moves(), key=wish)


def check_thread(player: Player) -> None:
    """One frozen subject and one thread for the whole game."""
    boards = [message_from_bytes(mail.raw) for mail in player.mails if b"X-PBM-Board" in mail.raw]
    first = boards[0]["Message-ID"]
    assert {mail["Subject"] for mail in boards} == {SUBJECT}
    assert all(first in mail["References"] for mail in boards[1:])
    assert len({mail["Message-ID"] for mail in boards}) == len(boards)
    assert max(len(mail["References"] or "") for mail in boards) < 500
