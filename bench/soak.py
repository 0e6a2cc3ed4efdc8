"""Many mails of every kind into one running server, and how much memory it holds.

`make soak` sends 100,000 of them to a `pbm serve` on SQLite, whose outgoing mail ends in a sink.
After every tenth it waits until nothing is left to do, and reads what the server holds. From the
second reading on that may grow by so much in all and no more; status 1 if it does.
"""

import argparse
import random
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from bench import running
from bench import season as seasons
from bench.smtp_load import Letter, Shape, load

MAILS = 100_000
READINGS = 10
WARM = 2  # readings until everything was seen once
MOST_GROWTH = 8.0  # MiB from then on, which is 100 bytes for each of the mails
BOARDS = 200
SHAPE = Shape("32 open connections", 32, True)
_ASKED = ("help", "whoami", "games", "settings", "nonsense and more", "move 1 z9z9", "export 1")
_PATIENCE = 600.0  # seconds without a turn or a mail sent


def letters(season: seasons.Season, seed: int) -> Iterator[Letter]:
    """Moves on all boards, round by round, and among them refusals, questions and garbage."""
    chance = random.Random(seed)
    number = 0
    while True:
        for letter in season.round():
            yield letter
            for _ in range(chance.choice((0, 1, 1, 2))):
                number += 1
                yield _other(letter, number, chance)


def _other(letter: Letter, number: int, chance: random.Random) -> Letter:
    """Some other mail from the same player, or from nobody."""
    kind = chance.randrange(6)
    unique = b"Message-ID: <soak.%d@players.example>\r\n" % number
    plain = replace(letter, recipient=seasons.SERVER.encode())
    if kind == 0:  # the same move once more: out of turn
        return replace(letter, raw=re.sub(rb"Message-ID:[^\r]*\r\n", unique, letter.raw))
    if kind == 1:
        asked = chance.choice(_ASKED).encode()
        head = b"From: %s\r\nSubject: Re: board\r\n" % letter.sender
        return replace(letter, raw=head + unique + b"\r\n" + asked + b"\r\n")
    if kind == 2:  # a stranger, never the same one
        sender = b"stranger%d@elsewhere.example" % number
        head = b"From: %s\r\nSubject: hello %d\r\n" % (sender, number)
        return replace(plain, sender=sender, raw=head + unique + b"\r\nWho are you?\r\n")
    if kind == 3:
        noise = bytes(chance.choice(range(32, 256)) for _ in range(chance.randrange(2000)))
        return replace(plain, raw=unique + b"\r\n" + noise + b"\r\n")
    if kind == 4:  # parts that never end
        head = b"From: %s\r\nContent-Type: multipart/mixed; boundary=b\r\n" % letter.sender
        return replace(letter, raw=head + unique + b"\r\n--b\r\n\r\nhelp\r\n--b\r\n\r\n--c\r\n")
    head = b"From: %s\r\nAuto-Submitted: auto-replied\r\n" % letter.sender
    return replace(letter, raw=head + unique + b"\r\nI am away.\r\n")


def wait_for_rest(file: Path) -> None:
    """Wait until every mail is obeyed and every answer sent."""
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True)
    left, since = (-1, -1), time.monotonic()
    while left != (0, 0):
        now = (
            _count(connection, "SELECT count(*) FROM inbox WHERE status = 'new'"),
            _count(connection, "SELECT count(*) FROM outbox WHERE status = 'due'"),
        )
        if now != left:
            left, since = now, time.monotonic()
        assert time.monotonic() - since < _PATIENCE, f"nothing moves any more: {left}"
        time.sleep(0.2)
    connection.close()


def _count(connection: sqlite3.Connection, query: str) -> int:
    (count,) = connection.execute(query).fetchone()
    return int(count)


def soak(mails: int, readings: int = READINGS, seed: int = 1) -> list[tuple[int, float]]:
    """Send so many mails; return how many MiB the server held after how many."""
    with (
        tempfile.TemporaryDirectory() as name,
        load() as sending,
        running.next_server() as sink,
    ):
        folder, file = Path(name), Path(name) / "pbm.sqlite3"
        season = seasons.begin(f"sqlite:///{file}", folder, BOARDS, picture=True)
        variables = {"PBM_MAILS_PER_HOUR": "0"}
        with running.pbm(folder, f"sqlite:///{file}", sink.port, variables=variables) as server:
            port, processes = server
            waiting, found = letters(season, seed), [(0, running.megabytes(processes))]
            for reading in range(1, readings + 1):
                begun, count = time.monotonic(), mails // readings
                some = list(islice(waiting, count))
                for first in range(0, count, BOARDS):
                    # A round after the other, so that nobody's move overtakes the other's.
                    sending.send(port, some[first : first + BOARDS], SHAPE)
                wait_for_rest(file)
                sink.take()
                found.append((reading * count, running.megabytes(processes)))
                rate = count / (time.monotonic() - begun)
                told = f"{found[-1][0]:>7} mails: {found[-1][1]:7.1f} MiB, {rate:5.0f} mails/s"
                print(told, flush=True)
    return found


def growth(found: Sequence[tuple[int, float]], warm: int = WARM) -> float:
    """By how many MiB it grew after the first readings, at most."""
    after = [held for _, held in found[warm:]]
    return max(after) - after[0]


def main(arguments: Sequence[str] | None = None) -> int:
    """Soak and tell."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--mails", type=int, default=MAILS)
    chosen = parser.parse_args(arguments)
    grown = growth(soak(chosen.mails))
    verdict = "flat" if grown <= MOST_GROWTH else "NOT FLAT"
    print(f"grown by {grown:.1f} MiB after warming up, of {MOST_GROWTH} at most: {verdict}")
    return 0 if grown <= MOST_GROWTH else 1


if __name__ == "__main__":
    sys.exit(main())
