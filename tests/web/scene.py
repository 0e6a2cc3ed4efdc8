"""A server with games of every kind of secrecy, and its public pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_network

from sqlalchemy import update

from pbm.app.public_pages import pages_of
from pbm.config import Settings
from pbm.store.db import Database
from pbm.store.schema.people import players
from pbm.web.pages import Pages
from pbm.web.serving import WebServer
from tests.table import SERVER, Person, Table

PUBLIC, ENDED, PRIVATE, SHY, RECORD, MARKUP, LEFT = range(1, 8)  # boards
MARK = '<i title="x">&'  # a handle that no player can have
# What no page may say: of people, and what they say or think.
SECRET = (
    *("example.org", "canaryword", "canarynote", "dora", "emil", "gina", "c4,d4"),
    *("blockedword", "serverword"),
)
SAID = "<b>openword</b>"  # on the board PUBLIC, as all there allow it
MOVE = "c3,d3"


@dataclass
class Scene:
    table: Table
    pages: Pages
    server: WebServer
    tags: list[str]  # of reply addresses

    def text(self, path: str) -> str:
        return self.pages.answer(path).body.decode()

    @property
    def paths(self) -> list[str]:
        """Every page that has something to say."""
        named = ("alice", "bob", "carol", "dora", "emil", "frida", "gina")
        boards = [f"/board/{number}" for number in range(1, LEFT + 2)]
        forms = ("record", "apgn", "abapro", "json", "diagram")
        return [
            *("/feed.atom", *(f"/player/{name}/feed.atom" for name in named)),
            *(f"{board}/feed.atom" for board in boards),
            *("/", "/boards/running", "/boards/ended", "/standings", "/seeks", "/help"),
            *(
                "/boards/ended/3",
                "/board.html",
                "/robots.txt",
                "/none",
                "/help/move",
                "/help/privacy",
            ),
            *(f"/player/{name}" for name in named),
            *boards,
            *(f"{board}/{form}.txt" for board in boards for form in forms),
        ]


@contextmanager
def made(url: str) -> Iterator[Scene]:
    table = Table(url)
    names = ("alice", "bob", "carol", "dora", "emil", "frida", "gina")
    alice, bob, carol, dora, emil, frida, gina = map(table.joins, names)
    welcome = {
        person.address: person.newest for person in (alice, bob, carol, dora, emil, frida, gina)
    }

    def sends(person: Person, line: str) -> None:
        person.says(line, answering=welcome[person.address])

    sends(alice, "challenge bob")
    alice.says(f"{MOVE}\nYou will like this canaryword").says("note canarynote")
    alice.says("plan if g7,f7 then c4,d4")
    for person in (alice, bob):
        sends(person, "set talk public")
    sends(alice, f"chat 1 {SAID} me@example.org")
    sends(bob, "mute 1")
    sends(alice, "chat 1 blockedword")
    sends(bob, "unmute 1")
    sends(alice, "report 1 serverword")
    sends(alice, "challenge carol")
    alice.says(MOVE).says("resign")
    sends(alice, "challenge emil -private")
    alice.says(MOVE).says("resign")
    sends(dora, "set public off")
    sends(carol, "challenge dora")
    sends(alice, 'import\n[White "canaryword"]\n1. c3,d3 g7,f7 *')
    sends(frida, "challenge carol")
    sends(gina, "challenge carol")
    gina.says(MOVE).says("resign")
    sends(gina, "delete")
    gina.says("yes")
    sends(frida, "seek 6")
    for person, line in ((bob, "seek 3"), (emil, "seek -private"), (dora, "seek 4")):
        sends(person, line)
    with table.database.transaction() as work:
        work.execute(update(players).where(players.c.handle == "frida").values(handle=MARK))
    database = Database(url, reads_only=True)
    pages = pages_of(Settings(address=SERVER), database)
    pages._clock = table.clock
    tags = [it.reply_to.partition("@")[0].rpartition(".")[2] for it in alice.mails if it.reply_to]
    try:
        with WebServer(pages, [ip_network("127.0.0.0/8")]).running("127.0.0.1", 0) as server:
            yield Scene(table, pages, server, [tag for tag in tags if len(tag) > 12])
    finally:
        database.close()
        table.close()
