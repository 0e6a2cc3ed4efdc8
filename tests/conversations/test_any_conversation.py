"""Whoever writes whatever in answer to anything: no mail gets stuck, and no promise is broken."""

from contextlib import suppress
from random import Random

import pytest

from pbm.commands.registry import COMMANDS
from pbm.errors import OperatorError
from pbm.service.operator import boards
from pbm.service.operator.operator_session import OperatorSession
from pbm.service.operator.verify import verify
from tests.conversations.greedy import greedy_move
from tests.conversations.playing import handle
from tests.table import SERVER, Person, Table

WORDS = [
    *(word for command in COMMANDS for word in (*command.words, *command.examples)),
    *("1", "2", "12", "1#1", "#-1", "#2", "-bowl", "--nonsense", "me", "all", "next", "active"),
    *("alice", "bob", "carol", "nobody1", "guest@example.net", "alice@example.org", "@", "**"),
    *("a1-c3,d4", "c3,d3", "i5-g5,f5", "a1", "e4", "g7,f7", "b1,c1", "a1-a9,b2", "1. a1-c3,b2"),
    *(
        "yes",
        "no",
        "ok",
        "Hello!",
        "multiple",
        "pbm",
        "abalone",
        "State: x",
        "| quoted",
        "> quoted",
    ),
    *(
        "\x00",
        "\u202e",
        "\ufeff",
        "é",
        "你好",
        "😀",
        "{{ v }}",
        "{% raw %}",
        "<b>",
        "-- ",
        "=" * 90,
    ),
    *(
        "Your move on board 1.",
        "On Sat, Nov 21 pbm wrote:",
        "-----Original Message-----",
        "x" * 500,
    ),
]
NAMES = ("alice", "bob", "carol", "dave")
SEEDS = (0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (1, 2, 3)))
TALK = ("draw", "propose", "takeback", "undo", "accept", "accept draw", "accept undo", "reject")
TALK += ("reject takeback", "claim", "rematch", "rematch", "resign", "decline", "show", "yes")
TALK += ("challenges ask", "accept challenge", "reject challenge", "limit 2", "report It is he.")
TALK += ("block bob", "unblock bob", "challenges on")
TALK += ("Well played!", "draw\naccept", "takeback\ndraw", "reject\ntakeback")
ANSWERS = ("accept", "accept", "accept draw", "accept takeback", "draw", "reject")
OPTIONS = ("", "-bowl", "-bowl -rounds=2", "-pillar -random", "-rounds=3 -random")
SUBJECTS = ["", "Hello", "multiple", "Re: Abalone Board 1: alice v bob", "Fwd: [x] move 1 a1-c3,d4"]
SUBJECTS += ["Please confirm: resign 1", "abalone board 1 carol **", "\u202emove", "x" * 300]
HEADERS = [
    {},
    {},
    {},
    {"Message-ID": ""},
    {"Message-ID": "<not strict"},
    {"From": ""},
    {"From": "a@b, c@d"},
    {"From": "=?utf-8?b?YWxpY2U=?= <alice@example.org>"},
    {"Content-Type": "text/html; charset=x-unknown"},
    {"Content-Type": "multipart/mixed; boundary=never"},
    {"Content-Transfer-Encoding": "base64"},
    {"In-Reply-To": "<g1.p0.u1.x@games.example>"},
    {"Auto-Submitted": "auto-replied"},
]


def body(chance: Random) -> str:
    lines = [
        " ".join(chance.choice(WORDS) for _ in range(chance.choice((1, 1, 1, 2, 3, 6))))
        for _ in range(chance.choice((0, 1, 1, 2, 3, 8, 30)))
    ]
    return "\n".join(lines)


def write(person: Person, chance: Random, table: Table) -> None:
    everybody = [mail for box in table.mailboxes.values() for mail in box]
    own = person.mails or everybody
    headers = chance.choice(HEADERS)
    match chance.randrange(6):
        case 0:
            person.writes(chance.choice(SUBJECTS), body(chance), headers=headers)
        case 1 if everybody:
            person.says(body(chance), answering=chance.choice(everybody), headers=headers)
        case 2 if own:
            subject = chance.choice(SUBJECTS)
            person.says(body(chance), answering=chance.choice(own), subject=subject)
        case 3 if own:
            person.says(body(chance), answering=chance.choice(own), to=SERVER)
        case _ if own:
            person.says(body(chance), answering=chance.choice(own), headers=headers)


@pytest.mark.parametrize("seed", SEEDS)
def test_any_conversation(seed: int, table: Table) -> None:
    chance = Random(seed)
    people = table.start("alice", "bob", bowl=bool(seed % 2))
    people += [table.joins("carol"), table.person("guest@example.net")]
    for _ in range(120):
        write(chance.choice(people), chance, table)
        table.clock.passes(minutes=chance.choice((0, 1, 30, 600)))
    assert not [row["outcome"] for row in table.rows("inbox") if row["status"] != "done"]
    assert not [row["last_error"] for row in table.rows("outbox") if row["status"] != "sent"]
    assert len(table.rows("players")) >= 3


def move_of(person: Person, chance: Random, table: Table) -> tuple[int, str] | None:
    """A board on which somebody has the move, and a move there."""
    found = [table.board(number) for number in table.boards()]
    mine = [board for board in found if board.to_move and board.to_move.handle == handle(person)]
    if not mine:
        return None
    board = chance.choice(mine)
    return board.id, str(greedy_move(board.position, chance))


def converse(person: Person, chance: Random, table: Table) -> None:
    """Move, or talk about the game, in answer to a mail of one's own; the newest, mostly."""
    mail = person.newest if chance.random() < 0.8 else chance.choice(person.mails)
    move = move_of(person, chance, table)
    talk = chance.choice(ANSWERS if 'Answer "accept' in mail.text else TALK)
    match chance.randrange(20):
        case 0 if len(table.boards()) < 6:
            person.says(challenge(person, chance), answering=mail)
        case 1:
            person.writes(f"{talk} {chance.choice(table.boards())}")
        case 2 | 3 if move:
            person.says(f"move {move[0]} {move[1]}\n{talk}", answering=mail)
        case 4 if move:
            person.says(move[1], answering=mail)
        case choice if choice > 12 and move:
            person.says(f"move {move[0]} {move[1]}", answering=mail)
        case _:
            person.says(talk, answering=mail)


def challenge(person: Person, chance: Random) -> str:
    """A challenge that starts a board."""
    others = [name for name in NAMES if name != handle(person)]
    if chance.random() < 0.25:
        one, two, three = others
        return f"challenge me+{one} {two}+{three} {chance.choice(OPTIONS)}"
    named = " ".join(chance.sample(others, chance.choice((1, 1, 2, 3))))
    return f"challenge me {named} {chance.choice(OPTIONS)}"


def interfere(office: OperatorSession, chance: Random, number: int) -> None:
    """Do something as the operator, if it can be done."""
    acts = (boards.undo, boards.reopen, boards.end)
    with suppress(OperatorError):
        chance.choice(acts)(office, number, "so it is")


@pytest.mark.parametrize("seed", SEEDS)
def test_any_agreement(seed: int, table: Table) -> None:
    chance = Random(seed)
    people = [table.joins(name) for name in NAMES]
    office = OperatorSession(table.database, table.site, table.clock, "root")
    for person in people[:2]:
        person.says(challenge(person, chance))
    for step in range(80):
        converse(chance.choice(people), chance, table)
        if step % 16 == 15:
            interfere(office, chance, chance.choice(table.boards()))
            table.posts()
        table.clock.passes(minutes=chance.choice((10, 200)))
    assert not [row["outcome"] for row in table.rows("inbox") if row["status"] != "done"]
    assert not [row["last_error"] for row in table.rows("outbox") if row["status"] != "sent"]
    assert not [verdict for verdict in verify(office) if verdict.problems]
    heard = " ".join(" ".join(mail.text for person in people for mail in person.mails).split())
    assert " played " in heard
    assert " offers a draw." in heard
