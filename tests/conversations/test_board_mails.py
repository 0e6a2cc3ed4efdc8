"""What a board's mail says beyond the board: claims, scores, moves that count, the whole end."""

from dataclasses import replace
from itertools import chain, repeat
from random import Random

import pytest
from sqlalchemy import text

from pbm.play.views import board_view
from pbm.rules.abalone import GAME, game
from tests.conversations.greedy import greedy_move
from tests.conversations.playing import board_mail, plays, plays_out, plays_silently
from tests.growth import Cost, SendingTable, asked, instructions
from tests.table import Mail, Person, Table

TO_AND_FRO = ("c3,d3", "g7,f7", "d3,c3", "f7,g7")
REPEATED = "This position has come up three times"
QUIET = "Everybody has made 100 moves in a row, and no marble went over the edge"
TO_CLAIM = 'answer "claim" to end the game as a draw.'
MARKED = "A * after a move: it pushed a marble off the board."


def flow(mail: Mail) -> str:
    return " ".join(mail.text.split())


def say(people: list[Person], *moves: str) -> None:
    for ply, move in enumerate(moves):
        people[ply % 2].says(move)


# -- claims --------------------------------------------------------------------------------------


@pytest.mark.on_postgresql
def test_a_claim_is_told_when_it_is_possible_and_not_before(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    say(people, *TO_AND_FRO, *TO_AND_FRO[:3])
    assert not [mail for person in people for mail in person.mails if "claim" in mail.text]
    bob.says("f7,g7")
    for person in people:
        person.forgets().says("show").hears(f"{REPEATED}: {TO_CLAIM}")
        assert f"{REPEATED}: {TO_CLAIM}" in flow(board_mail(person, 1))
    bob.says("takeback")
    alice.says("accept")
    assert REPEATED not in flow(alice.newest)
    bob.says("f7,g7")
    alice.says("c4,d5").forgets()
    assert REPEATED not in flow(bob.newest)
    bob.says("draw")
    assert "claim" not in alice.newest.text


def test_whoever_reads_it_may_claim_at_once(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    say(people, *TO_AND_FRO, *TO_AND_FRO, "c3,d3")
    assert f"{REPEATED}: {TO_CLAIM}" in flow(bob.newest)
    bob.says("claim").hears("Board 1 is over: a draw.")
    assert "claim" not in alice.newest.text.replace("bob claimed", "")


def test_neither_who_left_nor_a_watcher_is_told(table: Table) -> None:
    people = alice, bob, carol = table.start("alice", "bob", "carol")
    dave = table.joins("dave")
    carol.says("resign")
    plays_silently(table, 1, ["b1,c1", "f8,f7", "c1,b1", "f7,f8"] * 2)
    for person in (carol, dave):
        person.says("show 1")
        assert REPEATED not in flow(person.newest)
    plays_silently(table, 1, ["b1,c1"])
    for person in (alice, bob):
        person.forgets().says("show 1").hears(REPEATED)
    assert [handle(person) for person in people] == ["alice", "bob", "carol"]


def handle(person: Person) -> str:
    return person.address.split("@")[0]


def test_the_same_marbles_with_another_to_move_are_another_position(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    three = ("c3,d3", "g7,f7", "d3,d4", "f7,g7", "d4,c3", "h8,g8", "c3,d3", "g8,h8", "d3,c3")
    plays_silently(table, 1, three)
    alice.says("show")
    assert REPEATED not in flow(alice.newest)


def test_a_hundred_quiet_moves_are_told(table: Table) -> None:
    people = _, bob = table.start("alice", "bob")
    plays_silently(table, 1, wander(199))
    assert table.board(1).ply == 199
    for person in people:
        person.says("show")
        assert QUIET not in flow(person.newest)
    bob.says(wander(200)[-1])
    for person in people:
        assert f"{QUIET}: {TO_CLAIM}" in flow(person.newest)
    bob.says("claim").hears("You claimed a draw: everybody has made 100 moves in a row")


def wander(plies: int) -> list[str]:
    """Quiet moves of two players that come back to the same three times at the end only."""
    round_trips = list(chain.from_iterable(repeat(TO_AND_FRO, 49)))
    return [*round_trips, "c3,d3", "g7,f7", "c4,d4", "g6,f5"][:plies]


def test_it_is_told_late_and_never_wrongly_where_moves_were_not_counted(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob")
    say(people, *TO_AND_FRO)
    with table.database.engine.begin() as connection:
        connection.execute(text("UPDATE moves SET stood = NULL, times = NULL"))
    say(people, *TO_AND_FRO[:3])
    assert REPEATED not in flow(bob.newest)
    bob.says("f7,g7")  # the start, of which it is known, and once since
    assert REPEATED not in flow(alice.newest)
    say(people, *TO_AND_FRO)
    assert REPEATED in flow(alice.newest)
    alice.says("claim").hears("Board 1 is over: a draw.")


def test_the_work_for_it_does_not_grow_with_the_game(sqlite_url: str) -> None:
    table = SendingTable(sqlite_url)
    people = table.start("alice", "bob")
    say(people, *TO_AND_FRO * 6)
    new_one, often = cost(table, people[0], "c5,d5"), cost(table, people[1], "g7,f7")
    plays_silently(table, 1, ["d5,c5", "f7,g7", *TO_AND_FRO * 36])
    assert table.board(1).ply == 172
    for move, mover, before in (("c4,d4", 0, new_one), ("g7,f7", 1, often)):
        people[mover].says("show 1")
        now = cost(table, people[mover], move)
        assert now.statements == before.statements
        assert now.work <= 1.02 * before.work
    table.leave()


def cost(table: SendingTable, person: Person, move: str) -> Cost:
    """What a move makes the database do."""
    with instructions(table) as found, asked(table) as statements:
        person.says(f"move 1 {move}", answering=board_mail(person, 1))
    found.statements = len(statements)
    return found


# -- scores, and moves that count ----------------------------------------------------------------


def test_scores_stand_from_the_side_of_the_reader(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    assert "You are o (top). Scores: you 0, bob 0; to win, push six off." in flow(alice.newest)
    assert "You are x (bottom). Scores: you 0, alice 0; to win, push six off." in flow(bob.newest)
    carol.says("show 1").hears("Scores: alice (o) 0, bob (x) 0; to win, push six off.")
    bob.says("show 1#0").hears("Scores: alice (o) 0, bob (x) 0; to win, push six off.")


def test_scores_of_three_begin_with_the_reader_and_go_on_in_turn(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    assert "Scores: you 0, bob (2) 0, carol (3) 0; to win, push six off." in flow(alice.newest)
    assert "Scores: you 0, carol (3) 0, alice (1) 0; to win, push six off." in flow(bob.newest)
    bob.says("resign")
    assert "Scores: you 0, alice (1) 0, bob (2) 0 (resigned); to win, push six off." in flow(
        carol.newest
    )


def test_scores_of_teams_begin_with_the_readers(table: Table) -> None:
    people = [table.joins(name) for name in ("alice", "bob", "carol", "dave")]
    people[0].says("challenge alice+carol bob+dave")
    for person, said in zip(
        people,
        (
            "you and carol (3): 0, bob (2) and dave (4): 0",
            "you and dave (4): 0, alice (1) and carol (3): 0",
            "you and alice (1): 0, bob (2) and dave (4): 0",
            "you and bob (2): 0, alice (1) and carol (3): 0",
        ),
        strict=True,
    ):
        assert f"Scores: {said}; to win, push six off." in flow(person.newest)


def test_a_move_that_pushed_a_marble_off_is_marked_in_the_list(table: Table) -> None:
    people = alice, bob = table.start("alice", "bob", bowl=True)
    assert MARKED not in flow(alice.newest)
    chance = Random(2)
    while not any(table.board(1).position.scores):
        assert "*" not in board_mail(alice, 1).text
        people[table.board(1).ply % 2].says(str(greedy_move(table.board(1).position, chance)))
    pushed = table.plies(1)[-1]
    for person in people:
        listed, below = person.newest.text.split(
            "moves:" if "The last moves:" in person.newest.text else "so far:"
        )[1].split(MARKED)
        assert listed.count("*") == 1
        assert listed.rstrip().endswith(f"{pushed.text}*")
        assert below.lstrip().startswith('Answer "help", ')
        html = person.newest.html.replace("</span>", "")
        assert f"{pushed.text}*</pre>\n<p>{MARKED}</p>" in html
    bob.forgets().says("show").hears(f"{pushed.text}*", MARKED)


# -- the end -------------------------------------------------------------------------------------


def test_the_end_tells_the_whole_result(table: Table) -> None:
    people = alice, _ = table.start("alice", "bob", bowl=True)
    table.clock.passes(days=3, hours=5)
    plays_out(table, people, 1, Random(2))
    board = table.board(1)
    assert board.winners is not None
    (winner,) = board.winners
    won, lost = people[winner - 1], people[2 - winner]
    scores = board.position.scores
    final = f"Final scores: you 6, {handle(lost)} {scores[2 - winner]}."
    theirs = f"you {scores[2 - winner]}, "
    for told, how, who, mail in (
        (final, "you win", "You have", won.newest),
        (theirs, "you lost", f"{handle(won)} has", lost.newest),
    ):
        assert told in flow(mail)
        assert f"Board 1 is over: {how}." in flow(mail)
        assert f"{who} pushed six marbles off the board." in flow(mail)
        assert f"The game had 12 moves (#{board.ply}), played in 3 days." in flow(mail)
        assert 'answer "rematch"' in flow(mail)
        assert "to win, push" not in flow(mail)
        assert "Places: " not in flow(mail)
    alice.says("show").hears(f"12 moves (#{board.ply}), played in 3 days.", "Final scores: you")


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        ({"seconds": 30}, "The game had 1 move (#2), played in less than two minutes."),
        ({"minutes": 40}, "The game had 1 move (#2), played in 40 minutes."),
        ({"hours": 30}, "The game had 1 move (#2), played in 30 hours."),
        ({"days": 12}, "The game had 1 move (#2), played in 12 days."),
    ],
)
def test_how_long_a_game_took(passed: dict[str, float], said: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    say([alice, bob], "c3,d3", "g7,f7")
    table.clock.passes(**passed)
    alice.says("resign")
    bob.hears(said, "Final scores: you 0, alice 0")


def test_places_of_more_than_two(table: Table) -> None:
    """Those who are out stand by their last moves, and who never moved shares the last place."""
    people = alice, bob, carol, dave = table.start("alice", "bob", "carol", "dave")
    plays(table, people, plies=3)
    alice.says("resign")
    carol.says("resign")
    assert "Places: " not in flow(bob.newest)
    dave.says("resign")
    for person in people:
        person.hears(
            "Places: 1st bob, 2nd carol, 3rd alice, 4th dave. The game had 1 move (#3), played"
        )
    alice.says("rematch").forgets()
    for person in (alice, carol, dave):
        person.says("resign 2")
    bob.hears("Places: 1st bob, 2nd carol, dave and alice. No move was played.")


def test_who_runs_out_of_time_is_placed_by_the_last_move(table: Table) -> None:
    """Not by the moment at which the time was over, behind somebody who resigned."""
    people = table.start("alice", "bob", "carol")
    plays(table, people, plies=3)
    table.days_pass(10)
    people[1].says("resign")
    table.days_pass(30)
    assert [item.how for item in table.departures(1)] == ["resigned", "forfeited"]
    for person in people:
        person.hears("Places: 1st carol, 2nd bob, 3rd alice.")


def test_places_that_are_shared(table: Table) -> None:
    people = alice, bob, carol = table.start("alice", "bob", "carol")
    alice.says("resign")
    bob.says("draw")
    carol.says("accept draw")
    for person in people:
        person.hears("Board 1 is over: a draw.", "Places: 1st bob and carol, 3rd alice.")


def test_a_closed_board_has_no_result(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("decline")
    alice.hears("Board 1 is closed.")
    assert "played" not in alice.newest.text
    assert "Final" not in alice.newest.text


# -- the last lines, and the first board ---------------------------------------------------------


def test_the_last_line_names_three_things_to_do(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    last = 'Answer "help", "show 1" for all moves, or "stop" for less mail.'
    assert last in flow(alice.newest)
    assert alice.newest.text.rstrip().split("\n")[-3] == "State:"


def test_a_first_board_names_three_things_to_try(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge bob")
    alice.hears(
        'Three things to try: answer with your move; with "preview" and a move, which only shows'
        ' what it would do; or with "help tutorial".'
    )
    bob.hears(
        'Three things to try while you wait: answer with "help tutorial", with "show", or with a'
        " few words to alice."
    )
    alice.says("a1-c3,b2")
    assert "things to try" not in alice.newest.text + bob.newest.text
    carol = table.joins("carol")
    carol.says("challenge alice")
    assert "things to try" in carol.newest.text
    assert "things to try" not in alice.newest.text


def test_a_game_says_how_many_rounds_are_listed(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    alice, bob = table.start("alice", "bob")
    plays(table, [alice, bob], plies=12)

    def first_plies() -> list[int]:
        with table.database.reading() as work:
            view = board_view(work, work.boards.get(1), None)
        return [shown["ply"] for shown in view["rounds"]]

    usual = first_plies()
    assert len(usual) == GAME.info.rounds_shown == 4
    monkeypatch.setattr(type(GAME), "info", replace(GAME.info, rounds_shown=2))
    assert first_plies() == usual[-2:]


def test_a_game_says_how_often_a_position_stands_for_a_claim(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.start("alice", "bob")
    alice = table.player("alice")
    assert alice
    monkeypatch.setattr(type(GAME), "info", replace(GAME.info, repetitions=5))
    monkeypatch.setattr(game, "TIMES_REPEATED", 5)
    first, *others = TO_AND_FRO
    plays_silently(table, 1, [first])  # what stood at the start is counted in another way
    found = []
    for _ in range(5):
        plays_silently(table, 1, [*others, first])
        with table.database.reading() as work:
            view = board_view(work, work.boards.get(1), alice)
        found.append(view["claim"])
    assert found == [None, None, None, "repeated", "repeated"]
