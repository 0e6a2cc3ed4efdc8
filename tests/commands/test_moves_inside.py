"""A move with kind words on its line is plain; with any other words its writer is asked."""

from pbm.commands.sentences.moves_inside import moves_inside
from pbm.rules.registry import default_game

MOVE = "a1-c3,b2"
KIND = """
Hi Bob, MOVE - good luck!
Hi bob, MOVE
Hello again! MOVE
MOVE. Your turn!
MOVE Gruß Anna
MOVE! Cheers, Anna
MOVE, thanks for waiting
sorry was on holiday, here's my move: MOVE
Sorry for the delay, MOVE
Sorry für die Wartezeit, MOVE
(MOVE)
MOVE :-) have fun!
Bonjour Bob, MOVE, à toi !
Dear Bob, MOVE
MOVE Sent from my iPhone
""".strip().split("\n")
OTHER = """
Hola, no MOVE
Hola Bob, no MOVE
Hi, no MOVE
Hi Bob, nein MOVE
Ciao, non MOVE
Thanks, no MOVE
Hi Bob, avoid MOVE
hi, forget MOVE
Best regards, cancel MOVE
Thanks. Ignore MOVE
Hallo, statt MOVE
Привет, вместо MOVE
Cześć, zamiast MOVE
Hi Bob, you threaten MOVE
Hi Bob, your MOVE
Hi Bob, after MOVE
MOVE, thanks, no
MOVE. Thanks, no
MOVE - ciao, no
MOVE cheers, nope
MOVE, thanks, avoid
MOVE. Cheers, just kidding
MOVE, oi, errado
MOVE, bye, resign
Good you avoided MOVE
Best avoid MOVE
Love to avoid MOVE
Love your MOVE
Thanks for MOVE
Thanks for avoiding MOVE
Danke für MOVE
Merci pour MOVE
Danke, lieber MOVE
Sorry I take back: MOVE
Sorry I should have played: MOVE
Sorry I misread your: MOVE
Désolé je voulais éviter : MOVE
MOVE. Sorry wrong board
MOVE - sorry I typed the wrong one
MOVE, sorry ignore this
MOVE, sorry I meant the other one
MOVE. Entschuldigung vertippt
your move MOVE
Your move: MOVE
dein zug MOVE
nice move MOVE
well played, MOVE
I would play MOVE
I'd play MOVE
not MOVE
MOVE ؟
MOVE?
""".strip().split("\n")
LONG = f"{MOVE} Good luck, {'thank you very much, ' * 12}but no, wrong"


def is_plain(line: str) -> bool:
    """Whether the one move in a line has only kind words beside it."""
    (found,) = moves_inside(line.replace("MOVE", MOVE), default_game())
    return found.is_plain


def test_kind_words_leave_no_doubt() -> None:
    assert [line for line in KIND if not is_plain(line)] == []


def test_any_other_words_do() -> None:
    assert [line for line in (*OTHER, LONG) if is_plain(line)] == []
