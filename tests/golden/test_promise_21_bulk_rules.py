"""Promise 21: what is to many says so, and how it is ended; every other mail is to one person."""

import email
import re
from email.utils import getaddresses
from pathlib import Path
from urllib.parse import unquote

from pbm.mail.address import ServerAddress, Unsubscribe
from tests.rows import each_row

FOLDER = Path(__file__).parent / "mails"
SERVER = "pbm@games.example"
HOST = "games.example"
MAILS = sorted(FOLDER.glob("*.eml"))

# Mails to many, by what their lists are called.
LISTS = {"digest": "digest", "watched": "watch", "watched-boards": "watch"}
LISTS["broadcast"] = "broadcasts"
TO_MANY = {name for name, called in LISTS.items() if called != "digest"}

every_mail = each_row("path", MAILS, ids=lambda path: path.stem)


@every_mail
def test_promise_21_from_is_the_servers_own_address(path: Path) -> None:
    """So SPF, DKIM and DMARC of the one domain are aligned for all of them."""
    mail = email.message_from_bytes(path.read_bytes())
    assert getaddresses(mail.get_all("From", [])) == [("pbm", SERVER)]
    assert not mail.get_all("Sender")
    assert str(mail["Message-ID"]).endswith(f"@{HOST}>")
    for _, address in getaddresses(mail.get_all("Reply-To", [])):
        assert address.startswith("pbm+")
        assert address.endswith(f"@{HOST}")


@every_mail
def test_promise_21_only_mails_to_many_have_the_fields_of_lists(path: Path) -> None:
    mail = email.message_from_bytes(path.read_bytes())
    assert len(getaddresses(mail.get_all("To", []))) == 1
    names = [name.lower() for name in mail.keys()]  # noqa: SIM118 - of a mail, not of a dict
    lists = [name for name in names if name.startswith("list-")]
    assert lists == (["list-id", "list-unsubscribe"] if path.stem in LISTS else [])
    assert mail.get_all("Precedence", []) == (["list"] if path.stem in TO_MANY else [])
    assert not {"cc", "bcc", "feedback-id"} & set(names)
    if lists:
        assert mail["List-Id"] == f"<{LISTS[path.stem]}.{HOST}>"


def test_promise_21_a_digest_says_how_it_is_ended() -> None:
    """By a mail to its own reply address, which proves whose it is (RFC 2369, section 3.2)."""
    mail = email.message_from_bytes((FOLDER / "digest.eml").read_bytes())
    assert mail["List-Id"] == f"<digest.{HOST}>"
    asked, _, query = mail["List-Unsubscribe"].strip("<>").partition("?")
    assert unquote(asked.removeprefix("mailto:")) == mail["Reply-To"]
    assert unquote(query) == "subject=set digest off"


@each_row("name", sorted(TO_MANY))
def test_promise_21_a_mail_to_many_is_ended_by_any_mail_to_an_address_of_its_own(name: str) -> None:
    """`tests/conversations/test_watching.py` tries what that does."""
    mail = email.message_from_bytes((FOLDER / f"{name}.eml").read_bytes())
    asked = unquote(mail["List-Unsubscribe"].strip("<>").removeprefix("mailto:"))
    found = ServerAddress(SERVER).parse(asked)
    assert isinstance(found, Unsubscribe)
    assert asked != mail["Reply-To"]
    assert mail["Auto-Submitted"] == "auto-generated"


@every_mail
def test_promise_21_every_mail_says_that_a_program_wrote_it(path: Path) -> None:
    mail = email.message_from_bytes(path.read_bytes())
    assert mail.get_all("Auto-Submitted") in (["auto-replied"], ["auto-generated"])


def test_promise_21_there_is_one_of_each_kind() -> None:
    """A template of a mail to many has to be written with its `List-` fields, and tested here."""
    assert len(MAILS) >= 45
    templates = {path.stem for path in (FOLDER.parents[2] / "templates").rglob("*.txt")}
    found = {name for name in templates if re.search(r"watch|broadcast|newsletter", name)}
    answers = {"watching", "watching-board", "watching-player"}  # to the command, not to many
    assert found - answers == {"watched", "broadcast"}
