"""Lists need neither a mail nor a reader who is a player."""

from pbm.play.listings import (
    Selection,
    Which,
    boards_listed,
    history,
    open_seeks,
    player_info,
    players_listed,
    standings,
)
from tests.conversations.test_people import have_places
from tests.table import Table


def test_who_is_no_player_reads_all_lists(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for _ in range(10):  # enough to count
        alice.says(str(table.board(1).position.legal_moves()[0]))
        bob.says(str(table.board(1).position.legal_moves()[0]))
    for line in ("resign", "challenge alice", "seek -rating=1200-1600", "block alice"):
        bob.says(line)
    have_places(table)
    now = table.clock()
    with table.database.reading() as work:
        players = [work.players.by_handle(handle) for handle in ("alice", "bob")]
        one, other = (player for player in players if player)

        listed = players_listed(work, "abalone", "", now)
        assert [row["handle"] for row in listed["players"]] == ["alice", "bob"]
        assert players_listed(work, "abalone", "b", now)["players"][0]["rating"]["games"] == 1

        info = player_info(work, other, now)
        assert (info["playing"], info["over"]) == (1, 1)

        both = history(work, [one, other], None)
        assert not both["own"]
        assert both["score"]["one"] == 1
        assert [game["how"] for game in history(work, [other], None)["games"]] == ["lost"]
        assert history(work, [other], other)["own"]

        (ranked,) = standings(work, "abalone", None, now)["lists"]
        assert {row["handle"] for row in ranked["rows"]} == {"alice", "bob"}

        asked = Selection(Which.ALL, [one])
        boards = boards_listed(work, asked, asked.boards(work), None, now)
        assert [(row["number"], row["yours"]) for row in boards["boards"]] == [
            (2, False),
            (1, False),
        ]
        own = boards_listed(work, asked, asked.boards(work), other, now)
        assert [(row["number"], row["yours"]) for row in own["boards"]] == [(2, True), (1, False)]

        seeks = open_seeks(work, None, now)
        assert ([seek["by"] for seek in seeks["can"]], seeks["own"], seeks["cannot"]) == (
            *(["bob"], [], []),
        )
        assert not open_seeks(work, one, now)["can"]  # whom bob has blocked
        assert open_seeks(work, other, now)["own"]
