"""Whoever writes whatever in answer to anything: no mail gets stuck, and no promise is broken."""

from random import Random

import pytest

from pbm.commands.registry import COMMANDS
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


@pytest.mark.parametrize("seed", range(4))
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
