"""A database of the version before: it migrates, and everything in it goes on by mail.

Boards are played on by answers to the old mails, questions take answers to theirs, and what
waited in the inbox and the outbox is obeyed and sent.
"""

import itertools
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from pbm.admin.cli import main
from pbm.store.db import Database
from pbm.store.migrate import newest_version
from tests.before.kept import Kept, said
from tests.before.make import keep_a_season
from tests.before.season import example_in
from tests.table import SERVER, Mail, Table

FOLDERS = sorted(path.parent for path in Path(__file__).parent.glob("*/rows.jsonl.gz"))
BROKEN = "broken"  # the board whose position was spoilt
MOVED = "on star"  # the board with a move that waits in the inbox
DROPPED = "Dropped. Nothing has changed."
GOODBYE = "You will not be asked again"
QUESTIONS = (  # what a yes to each of them brings, and what a no
    ("nora", "You play as nora now.", GOODBYE),
    ("oscar", "Your password is set", GOODBYE),
    ("pia", ": bob v pia", GOODBYE),
    ("rosa", ": dave, quinn +1", GOODBYE),
    ("unproven move", "bob played", DROPPED),
    ("unproven resignation", "dave resigned.", DROPPED),
    ("new password", "You have a new password.", DROPPED),
    ("pinned commands", "You can answer this one", DROPPED),
    ("new handle", "You were grace here, and are gracie now.", DROPPED),
    ("stale move", "played", DROPPED),
    ("new address", "frank@work.example is one of your addresses now", DROPPED),
    ("other address", "elsewhere@example.net is one of your addresses now", DROPPED),
)
OPEN = (  # on boards: what somebody answers, and what is told then
    ("draw offered", "erin", "accept draw", "is over: a draw."),
    ("take-back open", "erin", "accept takeback", "move 2 (#3), "),
    ("on papillons", "ivan", "Back again.", "| Back again."),
)


class Before(Table):
    """A server of today on a database of before."""

    def __init__(self, url: str, kept: Kept) -> None:
        super().__init__(url)
        counter = itertools.count(1)
        self.site = self.intake.site = self.turns.site = replace(
            self.site, keyring=kept.keyring, unique=lambda: f"after{next(counter):08d}"
        )
        self.kept = kept
        self.clock.time = datetime.fromisoformat(kept.about["ended_at"])
        self.named: dict[str, int] = kept.about["boards"]
        self.mails_before = kept.mails()

    def answers(self, mail: Mail, words: str) -> str:
        """Let the reader of an old mail answer it; return what anybody is told then."""
        self.runs()
        self.mailboxes.clear()
        self.person(mail["To"]).says(words, answering=mail)
        told = [f"{new['Subject']}\n{new.text}" for box in self.mailboxes.values() for new in box]
        return " ".join("\n".join(told).split())

    def mail_to_mover(self, number: int) -> Mail:
        """The newest mail of before that asks for a move on a board."""
        folder = f"boards/{number}/"
        about = [mail for name, mail in self.mails_before.items() if name.startswith(folder)]
        return next(mail for mail in about if " such as " in mail.text)


@pytest.fixture(
    params=[
        pytest.param((folder, kind), marks=[pytest.mark.thorough] * (kind != "sqlite"))
        for folder, kind in itertools.product(FOLDERS, ["sqlite", "postgresql"])
    ],
    ids=lambda param: f"{param[0].name}-{param[1]}",
)
def before(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Before]:
    """The database, brought to the tables of today as the operator does it."""
    folder, kind = request.param
    monkeypatch.chdir(tmp_path)
    (tmp_path / "var").mkdir()
    keys = tmp_path / "var" / "secret.key"
    shutil.copy(folder / "keys", keys)
    keys.chmod(0o600)
    url = f"sqlite:///{tmp_path / 'pbm.sqlite3'}"
    if kind == "postgresql":
        url = request.getfixturevalue("bare_postgres_url")
    kept, database = Kept(folder), Database(url)
    kept.fill(database)
    database.close()
    assert admin(url, "migrate")[0] == 0
    table = Before(url, kept)
    yield table
    spoilt = table.named[BROKEN]
    code, output = admin(url, "verify")
    wrong = {line.split(":")[0] for line in output.splitlines() if line.startswith("board ")}
    assert (code, wrong) == (1, {f"board {spoilt}"}), output
    table.close()


def admin(url: str, *words: str) -> tuple[int, str]:
    """What `pbm-admin` does and says."""
    surroundings = {"PBM_DATABASE_URL": url, "PBM_ADDRESS": SERVER}
    result = CliRunner(env=surroundings).invoke(main, ["--who", "root", *words])
    return result.exit_code, result.output


def test_each_board_goes_on_by_an_answer_to_the_old_mail(before: Before) -> None:
    waits = {before.named[name] for name in (BROKEN, "suspended one", MOVED)}
    going_on = [number for number in before.boards() if before.board(number).playing]
    assert len(going_on) > 60
    for number in sorted({*going_on} - waits):
        mail, ply = before.mail_to_mover(number), before.board(number).ply
        told = before.answers(mail, example_in(mail))
        assert before.board(number).ply == ply + 1, told
        assert f"Abalone Board {number}" in told


def test_what_waits_to_be_sent_is_sent(before: Before) -> None:
    due = {row["message_id"] for row in before.rows("outbox") if row["status"] == "due"}
    assert len(due) > 200
    for _ in range(2):
        before.posts()
        before.clock.passes(days=8)  # so long does a mail wait for somebody who gets none
    assert not [row for row in before.rows("outbox") if row["status"] == "due"]
    arrived = [mail for mails in before.mailboxes.values() for mail in mails]
    sent = [mail for mail in arrived if mail["Message-ID"] in due]
    if os.environ.get("REGOLD"):  # after a wanted change of wording, as for tests/golden
        before.kept.keep_waiting(sent)
    assert said(sent) == before.kept.waiting
    (sent_on,) = [mail for mail in arrived if mail["Message-ID"] not in due]
    assert sent_on["Subject"] == "Your server"


@pytest.mark.parametrize("answer", ["yes", "no"])
def test_each_question_takes_its_answer(before: Before, answer: str) -> None:
    asked = {name for name in before.mails_before if name.startswith("questions/")}
    assert asked == {f"questions/{name}" for name, _, _ in QUESTIONS}
    for name, yes, no in QUESTIONS:
        mail = before.mails_before[f"questions/{name}"]
        before.clock.passes(minutes=30)
        assert (yes if answer == "yes" else no) in before.answers(mail, answer), name


def test_what_was_under_way_comes_to_its_end(before: Before) -> None:
    moved, ply = before.named[MOVED], before.board(before.named[MOVED]).ply
    for name, reader, words, expected in OPEN:
        mail = before.mails_before[f"boards/{before.named[name]}/{reader}@example.org"]
        told = before.answers(mail, words)
        assert expected in told, name
    assert before.board(moved).ply == ply + 1
    left = [row["status"] for row in before.rows("inbox") if row["status"] != "done"]
    assert left == ["stuck"]  # a look at the broken board


@pytest.mark.thorough
def test_a_season_can_be_played_and_kept_again(tmp_path: Path) -> None:
    kept = keep_a_season(tmp_path / newest_version())
    database = Database(f"sqlite:///{tmp_path / 'pbm.sqlite3'}")
    kept.fill(database)
    with database.reading() as work:
        assert set(kept.about["boards"].values()) <= set(work.boards.numbers())
    database.close()
    assert len([name for name in kept.mails() if name.startswith("questions/")]) == len(QUESTIONS)
