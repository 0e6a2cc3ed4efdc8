"""A second game comes in through one door: nobody else knows what the first one is about."""

import re
from pathlib import Path

from pbm.rules.abalone import BOARDS
from pbm.rules.abalone.game import TO_PLAY, TO_READ, TO_WRITE
from tests.rules.reasons import REASONS, RECORD_REASONS

ROOT = Path(__file__).resolve().parents[2]
OPTIONS = {option.name for option in (*TO_PLAY, *TO_READ, *TO_WRITE)} - {"json", "diagram"}
# Words of the language, too, or of languages, or of pictures.
NAMES = (BOARDS.keys() | OPTIONS) - set(
    "teams german swiss dutch standard star official classic".split()
)
WORDS = re.compile(
    r"\b(?:marbles?|eject\w*|abalone|sumito|push(?:es|ed|ing)?|pillars?|bowl|aba-?pro"
    # names of cells and moves, rows of the drawing, the grammar of state lines
    r"|[a-i][1-9](?:-[a-i][1-9])?,[a-i][1-9]|row a|quiet=|out=|\[\.#1-6"
    rf"|{'|'.join(sorted(NAMES))})\b"
    r"|\[a-i\]|[A-I]- ",
    re.ASCII | re.IGNORECASE,
)
REASONS_OF_ITS_OWN = {*REASONS, *RECORD_REASONS} - {
    *("wrong-players", "no-board"),  # the contract's
    *("already-out", "game-over"),  # the command language has these, too
}
# Examples of what players of older servers wrote, their words for pages, names of other things,
# and aiosmtpd's own.
ALLOWED = (
    ("help/commands/change-password.txt", '"move 12 marta PASSWORD a1-c3,b2"'),
    ("pbm/commands/families/help.py", '("colour", "color", "colors", "marbles")'),
    ("pbm/commands/sentences/asked.py", '_CARD = ("colours", "time",'),
    ("pbm/commands/sentences/asked.py", "_MOVE = re.compile("),
    ("templates/parts.txt", '{% for page in ["colours", "show", "time",'),
    ("templates/parts.txt", '{% elif page == "push" and playing %}'),
    ("pbm/mail/smtp_in/conversation.py", "self.push("),
    ("pbm/mail/smtp_in/conversation.py", "def push("),
    ("pbm/mail/smtp_in/conversation.py", "super().push("),
    ("pbm/play/subjects.py", '>>> board_named("Abalone Board 12: alice v bob")'),
)
OWN = ("pbm/rules", "templates/abalone")


def lines() -> list[tuple[str, str]]:
    """Every line of the program, the templates and the commands' pages, but for the game's own."""
    files = [*(ROOT / "pbm").rglob("*.py"), *(ROOT / "templates").rglob("*.txt")]
    files += (ROOT / "help/commands").iterdir()
    named = ((file.relative_to(ROOT).as_posix(), file) for file in sorted(files))
    return [
        (name, line.strip())
        for name, file in named
        if not name.startswith(OWN)
        for line in file.read_text(encoding="utf-8").split("\n")
    ]


def test_only_the_game_knows_what_it_is_about() -> None:
    found = [item for item in lines() if WORDS.search(item[1])]
    assert [item for item in found if not any(_allows(*each, *item) for each in ALLOWED)] == []
    assert [each for each in ALLOWED if not any(_allows(*each, *item) for item in found)] == []


def test_nobody_else_knows_its_reasons() -> None:
    quoted = re.compile(rf'"(?:{"|".join(sorted(REASONS_OF_ITS_OWN))})"')
    assert [item for item in lines() if quoted.search(item[1])] == []


def _allows(file: str, words: str, found_in: str, line: str) -> bool:
    return file == found_in and words in line
