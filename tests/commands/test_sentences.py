"""Lines in answer to a board that begin like a command: sentences for others, or mistakes."""

from pbm.commands.script import read_script
from tests.rows import each_row

TALK = """How about rsync.|How about rsync|How nice|Add me to your list of admirers
    |Show me what you've got|Add me on Facebook if you like.|Move over, rover!
    |move over, here I come|Move on, nothing to see|Draw your own conclusions
    |Draw the line somewhere|Board games are great|Board looks good to me|History will tell
    |Set it and forget it|Set sail for the north|Help yourself to cake|Games are fun
    |Next time I'll win|undo your shoes|Resign while you can!|Stop it, you're killing me
    |Add insult to injury|Accept my apologies|Show me your best|Claim what is yours!
    |Stop teasing me, you rascal|Delete that thought from your mind|Help is on its way
     |Games people play|Set the table for two|Back again|Back home at last
     |Back to work, sadly|Black wins|Black is winning|Gave it away|Live long|Give me a break
     |Give peace a chance|Cause I was ill|History repeats itself|Players like you are rare"""
MISTAKES = """mvoe|resgin|movee a1-c3,d4|move left|move the left one up|move my stone, not yours
    |resign because of work|resign the game|resign for the sake of it|resign 12 alice secret you
    |draw the game|draw because it is late|draw 12?|draw, 12 of you|claim the draw
    |reject your offer|decline with regret|rematch as it was|undo that last one
    |stop sending me these|delete all of it|challenge bob to a duel|Change your mind, then
    |change my name to Bob|change password to your-old-one
    |change password hunter2hunter2 for the one that you have|signup alice you know the word
    |set picture to off|set the picture off|set my time zone to berlin|add my address|add me
    |shwo me|move to where you are, 3 up|resign -now, you said|preview the position
    |import that game of yours|whoami in this game|export your board|shwo 12 to us|back today
    |back 12|pause please|give bob more time|resume the game|give me 3 days"""


@each_row("line", [line.strip() for line in TALK.split("|")])
def test_sentences_are_talk_in_answer_to_a_board(line: str) -> None:
    script = read_script("", [line, "show"], in_answer=True)
    assert (script.commands, script.problem, script.comment) == ((), None, (line, "show"))


@each_row("line", [line.strip() for line in MISTAKES.split("|")])
def test_mistakes_are_none(line: str) -> None:
    script = read_script("", [line, "Hello!"], in_answer=True)
    assert script.problem
    assert script.comment == ("Hello!",)


def test_elsewhere_no_line_is_talk_that_begins_like_a_command() -> None:
    for line in ("Add me to your list of admirers", "Draw your own conclusions"):
        assert read_script("", [line], in_answer=False).problem


@each_row("line", ["show bord", "help me with this", "games of bob", "show alice bob"])
def test_what_looks_is_still_read(line: str) -> None:
    assert [item.line for item in read_script("", [line], in_answer=True).commands] == [line]
