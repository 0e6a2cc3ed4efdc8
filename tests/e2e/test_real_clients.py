"""A move from each of the programs that people and scripts send mail with."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.utils import parseaddr
from pathlib import Path
from textwrap import dedent

from tests.e2e.player import SERVER, Player, position_in, text_of
from tests.e2e.ports import free_port
from tests.e2e.running import RunningServer
from tests.e2e.sink import Delivered, Sink
from tests.mail.wire.certificates import issue
from tests.polling import PATIENCE

MOVE = "a1-c3,d4"
README = Path(__file__).parents[2] / "README.md"
WORDS = re.compile(r"^(swaks|curl|mutt|s-nail)\b", re.MULTILINE)


@dataclass(frozen=True)
class Letter:
    """An answer to a board's mail, and where it can be handed in."""

    sender: str
    recipient: str
    subject: str
    folder: Path
    port: int
    lmtp_port: int
    socket: Path

    @property
    def smtp(self) -> str:
        return f"127.0.0.1:{self.port}"

    def file(self) -> str:
        """The letter as a file with the line ends of this machine."""
        path = self.folder / "letter"
        head = f"From: {self.sender}\nTo: {self.recipient}\nSubject: {self.subject}\n"
        path.write_text(f"{head}Message-ID: <a-move@players.example>\n\n{MOVE}\n")
        return str(path)


def swaks(letter: Letter, *more: str) -> list[str]:
    addresses = ["--from", letter.sender, "--to", letter.recipient]
    text = ["--header", f"Subject: {letter.subject}", "--body", MOVE]
    return ["swaks", *(more or ("--server", letter.smtp)), *addresses, *text]


def swaks_in_tls(letter: Letter) -> list[str]:
    return swaks(letter, "--server", letter.smtp, "--tls")


def swaks_by_lmtp(letter: Letter) -> list[str]:
    return swaks(letter, "--protocol", "LMTP", "--server", f"127.0.0.1:{letter.lmtp_port}")


def swaks_by_a_local_socket(letter: Letter) -> list[str]:
    return swaks(letter, "--protocol", "LMTP", "--socket", str(letter.socket))


def curl(letter: Letter) -> list[str]:
    addresses = ["--mail-from", letter.sender, "--mail-rcpt", letter.recipient]
    url = f"smtp://{letter.smtp}"
    return ["curl", "--silent", "--show-error", "--crlf", *addresses, "-T", letter.file(), url]


def smtp_source(letter: Letter, *more: str) -> list[str]:
    addresses = ["-f", letter.sender, "-t", letter.recipient]
    return ["smtp-source", *addresses, "-F", letter.file(), *(more or (f"inet:{letter.smtp}",))]


def smtp_source_by_a_local_socket(letter: Letter) -> list[str]:
    return smtp_source(letter, "-L", f"unix:{letter.socket}")


def s_nail(letter: Letter) -> list[str]:
    chosen = ["v15-compat", f"mta=smtp://{letter.smtp}", "smtp-auth=none", f"from={letter.sender}"]
    options = [f"-S{option}" for option in [*chosen, "hostname=players.example"]]
    return ["s-nail", "-:/", *options, "-s", letter.subject, letter.recipient]


def mutt(letter: Letter) -> list[str]:
    settings = letter.folder / "muttrc"
    settings.write_text(
        f'set smtp_url="smtp://{letter.smtp}"\nset from="{letter.sender}"\n'
        "set copy=no\nset hostname=players.example\n"
        # mutt insists on TLS where it is offered.
        f'set certificate_file="{letter.folder}/games.example.crt"\nset ssl_verify_host=no\n'
    )
    return ["mutt", "-n", "-F", str(settings), "-s", letter.subject, letter.recipient]


PROGRAMS: list[Callable[[Letter], list[str]]] = [
    swaks,
    swaks_in_tls,
    swaks_by_lmtp,
    swaks_by_a_local_socket,
    curl,
    smtp_source,
    smtp_source_by_a_local_socket,
    s_nail,
    mutt,
]


def answer_to(board: Delivered, player: Player, server: RunningServer, lmtp_port: int) -> Letter:
    mail = message_from_bytes(board.raw)
    return Letter(
        sender=player.address,
        recipient=parseaddr(mail["Reply-To"])[1],
        subject=f"Re: {mail['Subject']}",
        folder=server.folder,
        port=server.port,
        lmtp_port=lmtp_port,
        socket=server.folder / "lmtp",
    )


def test_each_program_plays_a_move(tmp_path: Path, sink: Sink) -> None:
    port, lmtp_port = free_port(), free_port()
    issued = issue(tmp_path, "games.example")
    settings = {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_LISTEN": f"127.0.0.1:{port}, lmtp://127.0.0.1:{lmtp_port}, lmtp://{tmp_path}/lmtp",
        "PBM_TLS_CERT": str(issued.certificate),
        "PBM_TLS_KEY": str(issued.key),
    }
    with RunningServer(tmp_path, settings, port=port) as server:
        for number, program in enumerate(PROGRAMS):
            alice = Player(f"alice{number}", server, sink)
            bob = Player(f"bob{number}", server, sink)
            for player in (alice, bob):
                player.signs_up()
            letter = answer_to(alice.challenges(bob), alice, server, lmtp_port)
            run(program(letter), tmp_path)
            for player in (alice, bob):
                board = text_of(player.receives())
                assert position_in(board).turn == 2, program.__name__
                assert MOVE.split(",")[0] in board
        server.until_all_is_sent()
    assert not (tmp_path / "lmtp").exists()


def readmes_moves() -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """What the README plays, by whom: with `pbm-admin`, and as typed into each program."""
    text = README.read_text(encoding="utf-8")
    first = re.findall(r'send --as (\w+)@example\.org "(\w\d-[^"]+)"', text)
    shown = text.partition("a move with each of four programs:\n\n")[2].partition("\nThese are")[0]
    commands = [dedent(block) for block in shown.strip("\n").split("\n\n")]
    named = [re.findall(r"(\w+)@example\.org", command)[0] for command in commands]
    return first, list(zip(named, commands, strict=True))


def test_the_readmes_game_is_played_in_order_without_tls(tmp_path: Path, sink: Sink) -> None:
    """On a server that offers no TLS, as that of `make run`: each program plays another move."""
    first, commands = readmes_moves()
    settings = {"PBM_ADDRESS": SERVER, "PBM_SMARTHOST": sink.url}
    with RunningServer(tmp_path, settings) as server:
        players = {handle: Player(handle, server, sink) for handle in ("alice", "bob")}
        for player in players.values():
            player.signs_up()
        alice, bob = players.values()
        board = {"alice": alice.challenges(bob), "bob": bob.mails[-1]}
        for handle, move in first:
            players[handle].answers(board[handle], move)
            board = {name: player.receives() for name, player in players.items()}
        tagged = "".join(
            f"{handle}='{answer_to(mail, players[handle], server, 0).recipient}'\n"
            for handle, mail in board.items()
        )
        for ply, (handle, command) in enumerate(commands, start=len(first) + 1):
            assert "127.0.0.1:8025" in command
            typed = command.replace("127.0.0.1:8025", f"127.0.0.1:{server.port}")
            typed = typed.replace(f"{handle}@example.org", players[handle].address)
            run(["sh", "-c", f"{tagged}{typed}"], tmp_path)
            told = [text_of(player.receives()) for player in players.values()]
            assert {position_in(text).turn for text in told} == {ply % 2 + 1}, command
    programs = [word for _, command in commands for word in WORDS.findall(command)]
    assert programs == ["swaks", "curl", "mutt", "s-nail"]
    assert [handle for handle, _ in [*first, *commands]] == ["alice", "bob"] * 3


def run(command: list[str], home: Path) -> None:
    """Run a program that writes MOVE, as one without anybody's own settings."""
    found = shutil.which(command[0], path=f"{os.environ['PATH']}:/usr/sbin")
    assert found is not None, f"{command[0]} is missing; run: make deps"
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        [found, *command[1:]],
        input=f"{MOVE}\n",
        cwd=home,
        env=kept,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
