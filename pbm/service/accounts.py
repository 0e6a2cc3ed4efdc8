"""Checks and suggests handles; tells players that database migration 7 cleared their password."""

from collections.abc import Iterator
from pathlib import Path

from pbm.commands.language.arguments import AGAINST, JOINING
from pbm.commands.language.words import KEPT_FREE, cut_short, is_handle
from pbm.commands.registry import find_command
from pbm.commands.sentences.answers import ANSWERS
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.play.game_words import mentions_place
from pbm.rules.registry import games
from pbm.rules.robots import ROBOTS
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.word_lists import read_sections

CLEARED = "passwords-cleared"
_FALLBACK = "player"
_SHORTEST, _LONGEST = 2, 16
_MOST_ALIKE = 10_000
_FILE = Path(__file__).with_name("handles.txt")
_LISTS = read_sections(_FILE, ("language", "mailboxes", "staff", "nobody"), str.split)
# Words of the command language, and words it may use later.
_LANGUAGE = KEPT_FREE | JOINING | AGAINST | frozenset(_LISTS["language"])
_NO_NAMES = _LANGUAGE.union(*_LISTS.values())
_JOINTS = str.maketrans("", "", "-_")
_DIGITS = "0123456789"


def choose_handle(work: UnitOfWork, author: str, wanted: str | None) -> tuple[str, Refusal | None]:
    """Return `wanted` if the player may have it, else a free handle; also return any refusal."""
    if wanted is None:
        return suggest_handle(work, author), None
    try:
        check_new_handle(work, wanted)
    except Refusal as refusal:
        return suggest_handle(work, wanted), refusal
    return wanted, None


def check_new_handle(work: UnitOfWork, handle: str, player_id: int | None = None) -> None:
    """Raise Refusal if the player cannot have this handle. `player_id` is None for a new player."""
    if reserved := _why_reserved(handle):
        raise reserved
    if handle in ROBOTS and work.players.formerly(handle) is None:  # also before robots are players
        raise Refusal("handle-taken", handle=handle)
    if work.players.by_handle(handle) or work.players.formerly(handle) not in (None, player_id):
        raise Refusal("handle-taken", handle=handle)


def suggest_handle(work: UnitOfWork, address: str) -> str:
    """Return a free handle similar to `address`, which is a mail address or a refused handle."""
    local = address.split("@", 1)[0].split("+", 1)[0].lower()
    kept = "".join(c if c.isascii() and (c.isalnum() or c in "_-") else "-" for c in local)
    stem = kept.strip("-_0123456789")[:_LONGEST]
    if len(stem) < _SHORTEST or _why_reserved(f"{stem[: _LONGEST - 1]}2"):
        stem = _FALLBACK  # not postmaster2, which looks like postmaster
    for candidates in _some_alike(stem):
        taken = work.players.handles_among(candidates)
        for handle in candidates:
            if handle not in taken and handle not in ROBOTS and not _why_reserved(handle):
                return handle
    raise Refusal("handle-taken", handle=stem)


def _some_alike(stem: str) -> Iterator[list[str]]:
    """Yield batches of candidates: first the stem, then the stem with numbers, such as "marta2"."""
    root = stem[: _LONGEST - len(str(_MOST_ALIKE)) + 1]
    candidates, number = [stem], 2
    while number < _MOST_ALIKE:
        some = range(number, min(number * 4, _MOST_ALIKE))
        yield [*candidates, *(f"{root}{count}" for count in some)]
        candidates, number = [], some.stop


def _why_reserved(handle: str) -> Refusal | None:
    if not is_handle(handle):
        return Refusal("bad-handle", handle=cut_short(handle))
    if handle in _LANGUAGE or find_command(handle) or mentions_place(handle):
        return Refusal("reserved-handle", handle=handle)
    plain = handle.translate(_JOINTS)
    stem = plain.rstrip(_DIGITS)  # "operator" of operator2
    poses = stem in _LISTS["staff"] or stem in games()
    if poses or plain in _NO_NAMES or plain in games() or plain in ANSWERS:
        return Refusal("kept-handle", handle=handle)
    return None


def tell_whose_was_cleared(turn: Turn) -> None:
    """Mail players whose password database migration 7 has cleared, at all their addresses."""
    fact = turn.work.facts.take(CLEARED)
    for player in turn.work.players.some(fact.value) if fact else ():
        told = "password-cleared", {"handle": player.handle}
        for reader in (*player.addresses[1:], *([player] if player.addresses else ())):
            MailWriter(turn).notice(reader, *told)
