"""Four players in two teams: what moves, what scores, who plays for whom, and who has won."""

from pbm.rules import abalone as rules
from pbm.rules.sides import mover
from tests.rows import each_row
from tests.rules.setups import marbles, move, teamed, won


@each_row(
    ("own", "theirs", "partners", "text", "after"),
    [
        # In line, with a partner's marble anywhere but at the rear.
        ("e4", "", "e5", "e4-e5,e6", ("e5", "", "e6")),
        ("e4", "", "e5 e6", "e4-e6,e7", ("e5", "", "e6 e7")),
        ("e4 e6", "", "e5", "e4-e6,e7", ("e5 e7", "", "e6")),
        ("e4 e5", "", "e6", "e4-e6,e7", ("e5 e6", "", "e7")),
        ("e5", "", "e4", "e5-e4,e3", ("e4", "", "e3")),
        # A partner's marble is strength in a push.
        ("e4", "e6", "e5", "e4-e5,e6", ("e5", "e7", "e6")),
        ("e4", "e7 e8", "e5 e6", "e4-e6,e7", ("e5", "e8 e9", "e6 e7")),
        # A marble of the partner next to the line stays if it is not named.
        ("e5 e6", "", "e4", "e5-e6,e7", ("e6 e7", "", "e4")),
        # Sideways any own marble will do.
        ("e5", "", "e4", "e4-e5,f4", ("f5", "", "f4")),
        ("e6", "", "e4 e5", "e4-e6,d4", ("d6", "", "d4 d5")),
        ("e4", "", "e5 e6", "e4-e6,d3", ("d3", "", "d4 d5")),
    ],
)
def test_what_moves(
    own: str, theirs: str, partners: str, text: str, after: tuple[str, str, str]
) -> None:
    played = move(text, teamed(own, theirs or "i9", partners))
    assert tuple(marbles(played.position, seat).replace("i9", "") for seat in (1, 2, 3)) == after


def test_marbles_of_both_opponents_are_pushed() -> None:
    position = teamed("e5", "e8", "e6 e7", "e9")
    played = move("e5-e7,e8", position)
    assert played.ejected == (4,)
    assert [marbles(played.position, seat) for seat in (1, 2, 3, 4)] == ["e6", "e9", "e7 e8", ""]
    assert played.position.scores == (1, 0, 1, 0)


def test_a_score_stands_at_both_of_a_team() -> None:
    position = teamed("a1", "e8 e7 e6", "e9", turn=2, scores="2,4,2,4")
    played = move("e6-e8,e9", position)
    assert played.ejected == (3,)
    assert played.position.scores == (2, 5, 2, 5)
    assert played.position.state().endswith(" 4 2,5,2,5 teams")


def test_a_team_wins_with_six() -> None:
    played = move("e7-e8,e9", teamed("e7", "e9", "e8", scores="5,0,5,0"))
    assert won(played.position) == ((1, 3), "ejections")
    assert played.position.state().endswith(" - 6,0,6,0 teams;won=1+3")
    assert mover(played.position) is None


def test_partners_never_follow_each_other() -> None:
    position = rules.start(teams=True)
    turns = []
    for _ in range(5):
        turns.append(position.turn)
        position = position.play(position.legal_moves()[0]).position
    assert turns == [1, 2, 3, 4, 1]


def test_a_partner_plays_on_for_two_seats() -> None:
    position = rules.start(teams=True).leave(1)
    assert (position.turn, mover(position), position.outcome) == (1, 3, None)
    movers = []
    for _ in range(5):
        movers.append((position.turn, mover(position)))
        position = position.play(position.legal_moves()[0]).position
    assert movers == [(1, 3), (2, 2), (3, 3), (4, 4), (1, 3)]
    assert rules.parse_state(position.state()) == position


def test_the_marbles_of_who_left_score_for_nobody_although_the_partner_plays_them() -> None:
    position = teamed("e7 e8", "e9").leave(2)
    played = move("e7-e8,e9", position)
    assert (played.ejected, played.position.scores) == ((2,), (0, 0, 0, 0))


def test_the_last_team_left_wins() -> None:
    position = rules.start(teams=True).leave(4)
    assert position.outcome is None
    position = position.leave(1).leave(2)
    assert won(position) == ((1, 3), "last")
    assert position.state().endswith(" - 0,0,0,0 teams;out=1+2+4;won=1+3")


def test_a_team_wins_with_one_who_has_left_it() -> None:
    position = teamed("e7", "e9", "e8", scores="5,0,5,0").leave(3)
    assert won(move("e7-e8,e9", position).position) == ((1, 3), "ejections")


def test_the_only_team_with_marbles_wins() -> None:
    position = teamed("e7 e8", "e9", "a1", "")
    assert won(move("e7-e8,e9", position).position) == ((1, 3), "last")


def test_a_seat_without_marbles_is_skipped_and_its_team_plays_on() -> None:
    position = teamed("e7 e8", "e9", "a1", "i9")
    after = move("e7-e8,e9", position).position
    assert (after.turn, after.outcome) == (3, None)
    after = move("a1,a2", after).position
    after = move("i9,h9", after).position
    assert after.turn == 1


def test_without_teams_everybody_moves_for_themselves() -> None:
    position = rules.start("official", 4).leave(1)
    assert (position.turn, mover(position), position.teams) == (2, 2, False)
