"""Lines as players of older servers wrote them, with userid and password, and how they are read."""

from pbm.commands.language.declare import Command
from pbm.commands.registry import Problem, parse_line
from tests.rows import each_row

READ_AS = """
help: help abalone | abalone help | pbm help abalone | help all | help challenge
signup: signup alice sesame
challenge: abalone challenge bob | abalone challenge -bowl bob carol | abalone chall bob
challenge: abalone challenge alice bob carol dave | abalone challange bob
challenge: abalone challenge -random bob | abalone challenge bob -bowl -unrated
challenge: abalone challenge -forfeittime=21d bob | abalone challenge -totaltime=60d bob
move: abalone move 12 alice sesame a1-c3,b2 | abalone move 12 alice sesame c5,d5
move: abalone mvoe 12 alice sesame a1-c3,b2 | abalone move 12 a1-c3,d4
move: ** abalone move 12 alice sesame a1-c3,b2 ** | move 12#17 alice sesame a1-c3,d4
move: abalone board 12 alice sesame a1-c3,b2
show: abalone board 12 | abalone show 12 | abalone show 12 13 14 | abalone show 12#3
show: abalone show alice | abalone show alice next | all show alice active
plan: abalone qmove 12 alice sesame a2-c4,b3 | abalone moveq 12 a2-c4,b3
plan: abalone queue 12 alice sesame a2-c4,b3 | abalone qboard 12 a2-c4,b3
plan: abalone boardq 12 alice sesame if i5-g5,h5 then a2-c4,b3
showas: abalone showas 12
history: abalone history | abalone history bob
standings: abalone standings | abalone ratings | ratings abalone
players: abalone list | list abalone
games: abalone games
next: abalone next
preview: abalone preview 12 a1-c3,b2 | abalone prev 12 a1-c3,b2 | abalone preview new 3 -bowl
submit: abalone submit 12 alice sesame a1-c3,b2 | abalone sub 12 a1-c3,b2
submit: abalone subm 12 alice sesame a1-c3,b2
confirm: abalone confirm 12 alice sesame
drop: abalone drop 12 alice sesame
takeback: abalone undo 12 alice sesame | abalone takeback 12
draw: abalone propose 12 alice sesame | abalone propose draw 12 alice sesame | abalone draw 12
accept: abalone accept 12 alice sesame | abalone accept draw 12 | accept all
reject: abalone reject 12 alice sesame | reject all
claim: abalone claim 12 alice sesame
resign: abalone resign 12 alice sesame
decline: abalone decline 12 alice sesame
rematch: abalone rematch 12 alice sesame
substitute: abalone substitute 12 alice sesame dora | substitute 12 dora
export: abalone export 12 | abalone export 12 -apgn
chat: abalone chat 12
message: message bob
watch: abalone subscribe 12 | subscribe bob
unwatch: abalone unwatch 12
notify: abalone notify 12 | notify bob
seeks: offers | abalone offers
seek: abalone seek 3 -bowl
join: abalone join 3 | join 3 alice sesame
unseek: abalone unseek 3
vacation: vacation 2026-12-20 2026-12-27
set: set weekend off | weekend off
stop: signoff | unsubscribe
note: note 12 he never pushes early
mute: mute 12
replay: abalone replay 12
import: import
limit: limit 5
"""
ROWS = [
    (line.strip(), name)
    for row in READ_AS.strip().splitlines()
    for name, _, lines in [row.partition(": ")]
    for line in lines.split(" | ")
]


@each_row(("line", "name"), ROWS)
def test_a_classic_line_is_read(line: str, name: str) -> None:
    found = parse_line(line)
    assert isinstance(found, Command)
    assert found.words[0] == name
    assert "sesame" not in found.line


def test_they_are_many() -> None:
    assert len(ROWS) >= 80


@each_row(
    ("line", "usage"),
    [
        ("change alice sesame password tulips", "change address"),
        ("change password sesame tulips", "change password password"),
        ("signoff alice sesame", "stop"),
        ("vacation alice sesame 2026-12-20 2026-12-27", "vacation"),
        ("abalone show 12 -3", "show"),
        ("abalone accept 12 cake", "accept"),
    ],
)
def test_what_is_spelt_otherwise_now_is_told(line: str, usage: str) -> None:
    found = parse_line(line)
    assert isinstance(found, Problem)
    assert found.params["usage"].startswith(usage)
