"""The role `web`: public pages, on PBM_WEB_LISTEN, from a database of its own."""

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from socket import create_server

import structlog

from pbm.clock import system_clock
from pbm.commands.families.help import help_page
from pbm.commands.registry import COMMANDS
from pbm.config import Settings
from pbm.files import why_no_port
from pbm.mail.site import own_address
from pbm.resources import help_pages
from pbm.store.db import Database
from pbm.web.pages import Pages, Shown
from pbm.web.serving import WebServer

USUAL = "127.0.0.1:8080"
_SWITCH_SECONDS = 0.0005  # a tenth of the usual; a turn waits for a page that long, again and again
_log = structlog.get_logger("pbm.app")


def if_free(settings: Settings) -> Settings:
    """Return the settings, without pages if something else listens on their port."""
    assert settings.web_address
    try:
        create_server(settings.web_address).close()
    except OSError as error:
        told = f"{settings.web_listen}: {why_no_port(error)}. PBM_WEB_LISTEN can name another port."
        _log.warning("no pages", why=told)
        return replace(settings, web_listen="")
    return settings


@contextmanager
def showing(settings: Settings) -> Iterator[WebServer]:
    """Serve public pages in threads. Raises OperatorError if the port cannot be opened."""
    assert settings.web_address
    sys.setswitchinterval(_SWITCH_SECONDS)
    with closing(Database(settings.database_url, reads_only=True)) as database:
        server = WebServer(pages_of(settings, database), settings.trusted_networks)
        with server.running(*settings.web_address):
            yield server


def pages_of(settings: Settings, database: Database) -> Pages:
    address = own_address(settings).plain
    return Pages(database, system_clock, Shown(address, _help(address)))


def _help(address: str) -> dict[str, Callable[[], str]]:
    """Return the help pages by the names that paths have for them."""
    named = [*help_pages(), *(command.words[0] for command in COMMANDS)]
    return {name.replace(" ", "-"): partial(_text, name, address) for name in named}


def _text(name: str, address: str) -> str:
    text: str = help_page(name, COMMANDS, address)["text"]
    return text
