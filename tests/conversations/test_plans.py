"""Plans: moves that are played once the others have moved."""

from random import Random

import pytest

from pbm.rules.sides import after
from pbm.service.operator.boards import undo
from pbm.service.operator.operator_session import OperatorSession
from tests.conversations.greedy import greedy_move
from tests.conversations.playing import board_mail
from tests.table import Person, Table

FIRST, REPLY, SECOND, REPLY_2, THIRD = "a1-c3,b2", "i5-g5,h5", "a2-c4,b3", "i6-g6,h6", "a3-c5,b4"
PLAN = f"if {REPLY} then {SECOND}"
LONG_PLAN = f"{PLAN} if {REPLY_2} then {THIRD}"


@pytest.fixture
def people(table: Table) -> list[Person]:
    return table.start("alice", "bob")


def plans(table: Table) -> int:
    return len(table.rows("plans"))


def test_plans_of_both_are_played_in_one_turn(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n\n{LONG_PLAN}\n{PLAN}\n\nGood luck!").gets(2)
    alice.hears("Your plan on board 1", f"| {LONG_PLAN}", "move 4: o to b4 c5 d6")
    bob.gets(1).hears(f"alice played {FIRST}.", "| Good luck!")
    bob.says(f"{REPLY}\nif {SECOND} then {REPLY_2}")
    assert table.moves(1) == [FIRST, REPLY, SECOND, REPLY_2, THIRD]
    alice.gets(1).hears(
        "Your plan played 2 moves for you.",
        "Your plan is played to its end.",
        f"- bob played {REPLY}.",
        f"- You played {THIRD}.",
        "bob's move on board 1",
    )
    bob.hears(
        "Your plan is played to its end.",
        "alice moved: your turn on board 1",
        "It has played a move for you already",
    )
    assert "plan 1 none" not in bob.newest.text
    assert not plans(table)


def test_the_lines_are_shown_as_a_tree(people: list[Person]) -> None:
    alice, _ = people
    other = f"{PLAN} if i7-g7,h7 then {THIRD}"
    alice.says(f"{FIRST}\n{LONG_PLAN}\n{other}").gets(2)
    alice.hears(f"| {PLAN} if {REPLY_2} then {THIRD}\n|    if i7-g7,h7 then {THIRD}")


@pytest.mark.parametrize(
    ("then", "why"),
    [
        (["bob: i7-g7,h7"], ": none of its lines has i7-g7,h7."),
        (["alice: takeback", "bob: accept takeback"], ", since a move was taken back."),
        (["bob: resign"], " with the game."),
    ],
)
def test_why_a_plan_ends(then: list[str], why: str, table: Table, people: list[Person]) -> None:
    by_name = dict(zip(("alice", "bob"), people, strict=True))
    by_name["alice"].says(f"{FIRST}\n{PLAN}")
    for line in then:
        name, _, words = line.partition(": ")
        by_name[name].says(words)
    by_name["alice"].hears(f"Your plan has ended{why}")
    assert not plans(table)
    shown = "| if" in by_name["alice"].newest.text
    assert shown == ("with" not in why)
    assert "plan" not in by_name["bob"].newest.text


def test_a_plan_ends_if_somebody_else_changes_the_board(table: Table) -> None:
    alice, _, carol = table.start("alice", "bob", "carol")
    office = OperatorSession(table.database, table.site, table.clock, "root")
    first, again = table.board(1).rules.example_moves(table.board(1).start)[:2]
    for ends, why in (
        (lambda: undo(office, 1, "a test"), ", since a move was taken back."),
        (
            lambda: carol.says("otherwise e5,e6").says("resign"),
            ", since somebody has left the game.",
        ),
    ):
        alice.says(f"move 1 {first}\notherwise {again}").forgets()
        ends()
        table.posts()
        alice.gets(1).hears(f"Your plan has ended{why}", f"| otherwise {again}", "plan 1 again")
        assert not plans(table)
    carol.hears("Your plan has ended, since somebody has left the game.")
    assert "again" not in carol.newest.text


def test_a_plan_ends_rather_than_push_what_it_did_not(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(SECOND)
    bob.says(REPLY_2)
    alice.says("a3-c3,b3\notherwise c5-d5,d5")
    bob.says("f6,e5")
    alice.hears("Your plan has ended: c5-d5,d5 would now move other pieces, too")
    assert len(table.moves(1)) == 4


def test_the_lines_of_an_ended_plan_are_planned_again(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("plan again").gets(1).hears("You have no plan on board 1 that has ended")
    alice.says(f"{FIRST}\n{PLAN}").says("takeback")
    bob.says("accept takeback")
    alice.hears("| " + PLAN, "plan 1 again").says(FIRST).says("plan 1 again")
    bob.says(REPLY)
    assert table.moves(1) == [FIRST, REPLY, SECOND]


def test_nothing_revives_after_a_takeback(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n{PLAN}").says("takeback")
    bob.says("accept takeback")
    alice.says("b1,c2")
    bob.says(REPLY)
    assert table.moves(1) == ["b1,c2", REPLY]


def test_a_takeback_goes_back_before_the_mail_that_began_a_chain(
    table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n{LONG_PLAN}")
    bob.says(f"{REPLY}\nif {SECOND} then {REPLY_2}")
    assert len(table.moves(1)) == 5
    alice.says("takeback")
    bob.hears("take back").says("accept takeback")
    assert table.moves(1) == [FIRST]


@pytest.mark.parametrize("together", [False, True])
def test_an_offer_stops_a_plan(together: bool, table: Table, people: list[Person]) -> None:
    alice, bob = people
    if together:
        alice.says(f"{FIRST}\n{PLAN}")
        bob.says(f"{REPLY}\ndraw")
    else:
        alice.says(FIRST)
        bob.says("draw")
        alice.says(PLAN)
        bob.says(REPLY)
    assert table.moves(1) == [FIRST, REPLY]
    alice.hears(f"Your plan has {SECOND} now. It waits", "bob offers a draw")
    alice.says("go on")
    assert table.moves(1) == [FIRST, REPLY, SECOND]


@pytest.mark.parametrize("answer", ["alice: reject draw", "bob: reject draw", "alice: no"])
def test_a_plan_goes_on_after_an_offer(answer: str, table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n{LONG_PLAN}")
    bob.says(f"{REPLY}\ndraw\nif {SECOND} then {REPLY_2}")
    name, _, words = answer.partition(": ")
    {"alice": alice, "bob": bob}[name].says(words)
    assert table.moves(1) == [FIRST, REPLY, SECOND, REPLY_2, THIRD]
    alice.hears("Your plan played 2 moves for you.", f"You played {THIRD}.")


def test_a_digest_tells_what_a_plan_has_played(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says("set digest daily")
    alice.says(f"{FIRST}\n{LONG_PLAN}", answering=board_mail(alice, 1)).forgets()
    bob.says(REPLY)
    alice.hears_nothing()
    bob.says(REPLY_2)
    table.days_pass(1)
    alice.hears("Your plan played 2 moves for you.")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (f"plan none\n{PLAN}", "lines of a plan stand below it, so nothing has changed"),
        (f"plan 1#99999999999 {PLAN}", '"1#99999999999" is not a board'),
        (f"plan #99999999999 {PLAN}", '"#99999999999" is not a board'),
        (f"plan 1#7 {PLAN}", "Board 1 has moves #1 to #1, and no #7."),
        (f"plan if ich spiele {REPLY} then {SECOND}", "Your words may be a plan"),
    ],
)
def test_what_plans_nothing(said: str, told: str, table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.says(f"{FIRST}\notherwise b1,c2").forgets().says(said).gets(1).hears(told)
    assert "otherwise" in str(table.rows("plans"))


@pytest.mark.parametrize(
    "lines",
    [
        f"plan {PLAN}\n\nHello bob!\nif i7-g7,h7 then b1,c2\nBye",
        f"if {REPLY}, {SECOND}\nWenn i7-g7,h7 kommt, b1,c2",
        f"Si il joue {REPLY}, {SECOND}\nse gioca i7-g7,h7: b1,c2",
        f"if he plays {REPLY}, {SECOND}\nals i7-g7,h7 dan b1,c2",
    ],
)
def test_other_ways_to_write_one(lines: str, table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(FIRST).forgets().says(lines).hears(f"| {PLAN}", "| if i7-g7,h7 then b1,c2")
    assert plans(table) == 1
    bob.says(REPLY)
    assert table.moves(1) == [FIRST, REPLY, SECOND]


def test_a_move_alone_is_planned_out_of_turn(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(FIRST).forgets().says(SECOND).gets(1).hears(
        "Your plan on board 1", f"| otherwise {SECOND}"
    )
    bob.says("i7-g7,h7")
    assert table.moves(1) == [FIRST, "i7-g7,h7", SECOND]


def test_named_moves_come_before_any_other(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\notherwise b1,c2\nif * then b2,c2\n{PLAN}")
    alice.hears(f"| {PLAN}\n| if * then b2,c2\n| otherwise b1,c2")
    bob.says(REPLY)
    assert table.moves(1)[-1] == SECOND
    assert not plans(table)


def test_a_move_that_cannot_be_played_then_ends_the_plan(
    table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\notherwise e5,e6")
    bob.says(REPLY)
    alice.hears("Your plan has ended: e5,e6 cannot be played now.", "Your move on board 1.")
    assert table.moves(1) == [FIRST, REPLY]


def test_a_plan_in_answer_to_an_older_mail_is_asked_about(
    table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says(FIRST)
    older = alice.newest
    bob.says(REPLY)
    alice.forgets().says(PLAN, answering=older).gets(1).hears(
        f"move #3 on board 1: {SECOND}", "The plan stands"
    )
    assert table.moves(1) == [FIRST, REPLY]
    alice.says("yes")
    assert table.moves(1) == [FIRST, REPLY, SECOND]
    assert not plans(table)


def test_a_plan_is_shown_added_to_replaced_and_dropped(table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.says(f"{FIRST}\n{PLAN}").forgets()
    alice.says("plan 1 add if i7-g7,h7 then b1,c2").gets(1).hears(
        f"| {PLAN}", "| if i7-g7,h7 then b1,c2"
    )
    alice.says("plan").gets(1).hears("which nobody else can see", "| if i7-g7,h7 then b1,c2")
    alice.says("plan otherwise b1,c2").gets(1).hears("in place of the one below", f"| {PLAN}")
    alice.says("plan none").gets(1).hears("is dropped", "| otherwise b1,c2")
    assert not plans(table)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("if i9-a1,b2 then a2-c4,b3", "bob cannot play i9-a1,b2"),
        (f"if {REPLY} then a1-c3,b2", "you cannot play a1-c3,b2, its move number 2."),
        (f"{PLAN}\nif {REPLY} then {THIRD}", "answer the same moves in different ways"),
        ("if * then b1,c2 " * 7, "A line of a plan has 12 moves at most"),
        (f"if {REPLY} {REPLY_2} then {SECOND}", "it is your own turn where you name i6-g6,h6"),
        (
            f"if carol {REPLY} then {SECOND}",
            'I read "carol" as a player, and nobody of that name plays on board 1.',
        ),
        (
            "\n".join(
                f"if {row}{n},{row}{n + 1} then a2,b2" for row in "abcdefg" for n in (1, 2, 3)
            ),
            "20 lines",
        ),
    ],
)
def test_lines_that_cannot_happen_are_refused(
    lines: str, why: str, table: Table, people: list[Person]
) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n{lines}").hears(why)
    assert table.moves(1) == [FIRST]
    assert not plans(table)
    assert "plan" not in bob.newest.text


def test_a_plan_that_the_game_has_left_is_refused(table: Table, people: list[Person]) -> None:
    alice, bob = people
    older = alice.says(FIRST).newest
    bob.says("i7-g7,h7")
    alice.forgets().says(PLAN, answering=older).gets(1).hears(
        "i7-g7,h7 was played as move #2, and no line of your plan has it. Nothing is planned."
    )
    assert not plans(table)


def test_on_ones_own_turn_a_move_comes_first(people: list[Person]) -> None:
    alice, _ = people
    alice.says(PLAN).gets(1).hears("Send your move first, and the plan in the lines below it.")


def test_what_is_quoted_or_marked_plans_nothing(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n{PLAN}")
    bob.says("i7-g7,h7")
    ended = alice.newest.text
    alice.says(f"b1,c2\n\n{ended}")
    alice.says(f"Hello\n| {PLAN}")
    assert not plans(table)


def test_three_players_with_any_move(table: Table) -> None:
    alice, bob, carol = table.start("alice", "bob", "carol")
    first = table.board(1).rules.example_moves(table.board(1).position)[0]
    alice.says(first)
    position = table.board(1).position
    played = position.play(
        position.parse(reply := table.board(1).rules.example_moves(position)[0], 2)
    )
    theirs = table.board(1).rules.example_moves(played.position)[0]
    own = table.board(1).rules.example_moves(table.board(1).start)[1]
    alice.says(f"if {reply} then {own}").hears("carol moves before", 'or write "carol *" for any')
    alice.says(f"if * carol {theirs} then {own}").hears(f"| if bob * carol {theirs} then {own}")
    bob.says(reply)
    assert len(table.moves(1)) == 2
    carol.says(theirs)
    assert table.moves(1) == [first, reply, theirs, own]


def test_a_planned_move_takes_no_time(table: Table) -> None:
    alice, bob = table.joins("alice"), table.joins("bob")
    alice.says("challenge me bob -totaltime=30d")
    alice.says(FIRST)
    alice.says(PLAN)
    table.days_pass(3)
    bob.says(REPLY)
    assert table.moves(1) == [FIRST, REPLY, SECOND]
    assert table.board(1).seats[0].used == 0


def test_nobody_else_learns_of_a_plan(
    table: Table, people: list[Person], caplog: pytest.LogCaptureFixture
) -> None:
    alice, bob = people
    canary = THIRD
    carol = table.joins("carol").says("watch 1 -moves").says("watch alice")
    alice.says(f"{FIRST}\nif {REPLY} then {SECOND} if {REPLY_2} then {canary}")
    assert plans(table)
    bob.says("show 1").says("export 1").says("status").says("history").says(REPLY)
    bob.says("export me").says("show 1").says("replay 1").says("games alice").says("export 1 -json")
    carol.says("show 1").says("show alice").says("info alice").says("export 1 -json").says("status")
    table.days_pass(4)
    for mail in (*table.mailboxes[bob.address], *table.mailboxes[carol.address]):
        assert canary not in mail.message.as_string() + mail.text, mail.text
        assert "plan" not in mail.text.lower().replace('"plans": []', "")
    assert canary not in caplog.text
    assert canary not in " ".join(row["outcome"] or "" for row in table.rows("inbox"))
    alice.forgets().says("export me").gets(1)
    assert f'"move": "{canary}"' in alice.newest.text


def test_moves_of_plans_are_named_once_the_game_is_over(people: list[Person]) -> None:
    alice, bob = people
    alice.says(f"{FIRST}\n{PLAN}")
    bob.says(REPLY).says("resign")
    alice.hears("Played by plans: 2 (#3).")


def test_an_unproven_plan_waits_for_a_yes(table: Table, people: list[Person]) -> None:
    alice, bob = people
    alice.says(FIRST).forgets().writes("plan 1", f"{PLAN}\notherwise b1,c2").gets(1)
    alice.hears(f"plan 1#1 @0 {PLAN} / otherwise b1,c2")
    assert not plans(table)
    alice.says("yes")
    assert plans(table)
    bob.says(REPLY)
    assert table.moves(1) == [FIRST, REPLY, SECOND]


def test_a_long_plan_is_to_be_proven(table: Table, people: list[Person]) -> None:
    alice, _ = people
    lines = "\n".join(f"if {move} then {SECOND}" for move in _moves_of_bob(table, 20))
    alice.says(FIRST).forgets().writes("plan 1", lines).gets(1)
    alice.hears("must come in answer to a mail of ours")
    alice.says("yes")
    assert not plans(table)
    alice.says(f"plan 1\n{lines}").hears("Your plan on board 1")


def _moves_of_bob(table: Table, most: int) -> list[str]:
    board = table.board(1)
    position = board.start.play(board.start.parse(FIRST, 1)).position
    return [str(move) for move in position.legal_moves()[:most]]


def test_a_whole_game_by_plans_takes_few_mails(table: Table, people: list[Person]) -> None:
    """Both know what the other plays: two mails bring the game on by up to thirteen moves."""
    steps, position, chance = list[str](), table.board(1).start, Random(7)
    while position.outcome is None:
        steps.append(str(greedy_move(position, chance)))
        position = after(position, steps[-1])
    sent = 0
    while table.board(1).playing:
        done = table.board(1).ply
        for mover in (done, done + 1):
            if table.board(1).ply != mover or mover >= len(steps):
                continue
            ahead = steps[mover + 1 : mover + 13]
            pairs = zip(ahead[::2], ahead[1::2], strict=False)
            plan = " ".join(f"if {theirs} then {own}" for theirs, own in pairs)
            people[mover % 2].says(f"{steps[mover]}\n{plan}")
            sent += 1
            if 1 < len(ahead) < 12 and table.board(1).ply == mover + 1:  # the game's end is in it
                last = ahead[-1] if len(ahead) % 2 else steps[0]
                beyond = f"{plan} if {last} then {steps[0]}"
                people[mover % 2].says(beyond).hears("the game is over before")
    assert table.moves(1) == steps
    assert 3 * sent < len(steps)
    assert not plans(table)


def test_the_longest_plan(table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.says(FIRST)
    lines, game = [], table.board(1).rules
    start = table.board(1).position
    for first in game.legal_moves(start)[:20]:
        position, moves = start, [first]
        for _ in range(11):
            position = position.play(moves[-1]).position
            moves.append(game.legal_moves(position)[0])
        pairs = zip(moves[::2], moves[1::2], strict=True)
        lines.append(" ".join(f"if {theirs!s} then {own!s}" for theirs, own in pairs))
    alice.forgets().says("\n".join(lines)).gets(1)
    alice.hears("Your plan on board 1", "The boards after the other 17 lines are not shown.")
    assert len(table.rows("plans")[0]["lines"]) == 20


def test_no_plan_begins_on_a_board_that_was_taken_back(table: Table, people: list[Person]) -> None:
    alice, bob = people
    older = alice.says(SECOND).newest
    alice.says("takeback")
    bob.says("accept takeback")
    alice.says("a5-c5,b5").forgets().says(PLAN.replace(SECOND, THIRD), answering=older).gets(1)
    alice.hears("A move was taken back on board 1 since the mail that you answered.")
    assert not plans(table)


@pytest.mark.parametrize(
    "line",
    [
        f"if i7-g7,h7 or h4,g4, {SECOND}",
        f"if i7-g7,h7 then {SECOND}; otherwise {THIRD}",
        f"else {SECOND} (the safe one)",
        f"{REPLY} -> {SECOND}",
    ],
)
@pytest.mark.parametrize("above", ["", PLAN, "Hello bob, good luck."])
def test_what_may_be_a_plan_is_not_sent_below_a_move(
    above: str, line: str, people: list[Person]
) -> None:
    alice, bob = people
    alice.says("\n".join(filter(None, (FIRST, above, line))))
    for mail in bob.mails:
        assert SECOND not in mail.text
    alice.hears(line)


def test_a_quoted_picture_plans_nothing(table: Table, people: list[Person]) -> None:
    alice, _ = people
    alice.says(f"{FIRST}\n{PLAN}")
    before = table.rows("plans")
    quoted = "\n".join(f"    {line}" for line in alice.newest.text.splitlines())
    alice.says(f"Thanks!\n\n{quoted}")
    assert table.rows("plans") == before


def test_a_yes_after_a_takeback_plans_nothing(table: Table, people: list[Person]) -> None:
    alice, bob = people
    board = alice.says(SECOND).newest
    question = alice.writes("plan 1", f"if {REPLY} then {THIRD}").newest
    alice.says("takeback", answering=board)
    bob.says("accept takeback")
    alice.says("a5-c5,b5").forgets().says("yes", answering=question)
    alice.hears("A move was taken back on board 1")
    assert not plans(table)
