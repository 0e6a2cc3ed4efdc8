"""A second game could come in through one door: only the rules know what this one is about."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORDS = re.compile(
    r"\b(?:marbles?|eject\w*|abalone|sumito|push(?:es|ed|ing)?)\b", re.ASCII | re.IGNORECASE
)
# Examples of what players write and of our own subjects, and a name that is aiosmtpd's.
ALLOWED = (
    ("commands/help.py", "help abalone"),
    ("commands/lobby.py", '"abalone challenge -bowl alice bob"'),
    ("commands/play.py", '"abalone move a1-c3,b2 #1"'),
    ("commands/subjects.py", "`Abalone board 12: a1-c3,d4`"),
    ("commands/subjects.py", '>>> board_named("Abalone Board 12: alice v bob")'),
    ("mail/smtp_in/conversation.py", "self.push("),
    ("mail/smtp_in/conversation.py", "def push("),
)


def test_only_the_rules_know_what_the_game_is_about() -> None:
    package = ROOT / "pbm"
    found = [
        (file.relative_to(package).as_posix(), line.strip())
        for file in sorted(package.rglob("*.py"))
        if file.relative_to(package).parts[0] != "rules"
        for line in file.read_text(encoding="utf-8").split("\n")
        if WORDS.search(line)
    ]
    assert [
        item for item in found if not any(_allows(*allowed, *item) for allowed in ALLOWED)
    ] == []
    unused = [allowed for allowed in ALLOWED if not any(_allows(*allowed, *item) for item in found)]
    assert unused == []


def _allows(file: str, words: str, found_in: str, line: str) -> bool:
    return file == found_in and words in line
