"""Keeps secrets out of a mail's words: passwords, reply tags, tokens.

Words that may hold a password are withheld: neither sent on nor stored. Candidates are hashed and
compared within the limits of logins, so that mails cannot be used to guess passwords; over the
limits the words are withheld, too.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import timedelta
from functools import cache
from hashlib import sha256
from itertools import islice

from pbm.commands.auth import Proven, Speaker, player_of
from pbm.commands.language.declare import Command
from pbm.commands.password_words import (
    classic_userids,
    may_hold_password,
    new_password,
    perhaps_passwords,
)
from pbm.commands.registry import parse_line, whole_move
from pbm.commands.script import Script
from pbm.commands.sentences.answers import spoken
from pbm.events import Answered
from pbm.mail.reading.inbound import masked
from pbm.mail.tags import token_digest
from pbm.play.limits import ALL_OWN_PASSWORDS, MOST_CHECKS, OTHERS_PASSWORDS, OWN_PASSWORDS
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.players import Player

MOST_OF_FRONT = 100  # checks for the upstream server, since it relays everybody's mail
CHECKS_WITHIN = timedelta(hours=1)
_MOST_TRIES = 8  # hashes for a mail; each takes some 25 ms
_MOST_PLACES = 2000  # candidates in a mail
_MOST_USERIDS = 8  # userids of others in lines that look like commands
_MOST_BOARDS = 300  # newest boards of a player whose bare tags are recognised
_MOST_ASKED = 20  # words of a mail that are looked up as question tokens
_TOKEN_CHARS, _MAC_CHARS, _LONGEST_TAG = 24, 16, 18


def withhold_passwords(turn: MailTurn, speaker: Speaker) -> MailTurn:
    """The mail, with its words withheld if they may hold a password. Raises WorkNeeded."""
    if not may_hold_password("\n".join((turn.heading, *turn.envelope.said))):
        return turn
    scripts = turn.scripts()
    words = [  # words that may be sent on or quoted
        (
            *filter(None, (item.sentence for item in script.commands)),
            *((script.problem.line,) if script.problem else ()),
            *script.comment,
        )
        for script in scripts
    ]
    text = "\n\n".join(dict.fromkeys(map("\n".join, words)))
    if not text.strip():
        return turn
    players = _concerned(turn, speaker, scripts)
    own = player_of(speaker)
    before = (
        _in_a_command(turn, text, own)
        or new_password(text)
        or _of_password(turn, text, players, speaker)
    )
    if before is None:
        return turn
    turn.notes.append(Answered("words-held", {"title": "words held back", "before": before}))
    return replace(turn, withholds_words=True)


def _concerned(turn: MailTurn, speaker: Speaker, scripts: Iterable[Script]) -> dict[str, Player]:
    """The players whose passwords the words may contain, by handle, the sender first."""
    work, own = turn.work, player_of(speaker)
    found = [own] if own else []
    commands = [command for script in scripts for command in script.commands]
    logins = dict.fromkeys(command.login.handle for command in commands if command.login)
    found += filter(None, map(work.players.by_handle, islice(logins, _MOST_USERIDS)))
    hints = turn.hints(getattr(speaker, "board_id", None))
    named = filter(None, (command.named_board for command in commands))
    for number in dict.fromkeys((*hints, *named)):
        found += work.players.seated(number)
    return {player.handle: player for player in found}


def _in_a_command(turn: MailTurn, text: str, own: Player | None) -> str | None:
    """The first player's handle in a line that looks like a command with a password."""
    others: set[str] = set()
    for handle, is_command in classic_userids(text):
        if own and handle == own.handle:
            return handle
        if is_command:
            others.add(handle)
        if len(others) > _MOST_USERIDS:
            return handle
    found = map(turn.work.players.by_handle, sorted(others))
    return next((player.handle for player in found if player), None)


def _of_password(
    turn: MailTurn, text: str, players: dict[str, Player], speaker: Speaker
) -> str | None:
    """The word before a password, or before a candidate over the limits; else None."""
    hashes = {name: player.password_hash for name, player in players.items()}
    known = {name: kept for name, kept in hashes.items() if kept}
    speaking = player_of(speaker)
    found = perhaps_passwords(text, known, speaking.handle if speaking else None)
    tries: dict[tuple[str, str], str] = {}
    for count, (handle, before, word) in enumerate(islice(found, _MOST_PLACES + 1)):
        tries.setdefault((handle, word), before)
        if len(tries) > _MOST_TRIES or count == _MOST_PLACES:
            return before
    own = speaker.player if isinstance(speaker, Proven) else None
    for (handle, word), before in list(tries.items()):
        if _may_try(turn, players[handle], own):
            continue
        if own is None or handle == own.handle:
            return before
        del tries[handle, word]
    right = turn.passwords.are_right([(known[handle], word) for handle, word in tries])
    return next(
        (before for before, is_right in zip(tries.values(), right, strict=True) if is_right), None
    )


def _may_try(turn: MailTurn, player: Player, own: Player | None) -> bool:
    """Whether one more password may be checked. That of others has a rate apart from logins."""
    if own is None:
        return may_check(turn, player.handle)
    if own.id != player.id:
        return OTHERS_PASSWORDS.take(turn.work, turn.now, player.id)
    rates = ((OWN_PASSWORDS, (player.id,)), (ALL_OWN_PASSWORDS, ()))
    return all(rate.take(turn.work, turn.now, *whose) for rate, whose in rates)


def mask_tags(turn: MailTurn, speaker: Speaker) -> MailTurn:
    """The mail with reply tags and tokens in its text masked; a note tells the sender."""
    envelope = turn.envelope
    if envelope.perhaps_tags:
        is_secret = _is_secret(turn, speaker)
        if any(map(is_secret, envelope.perhaps_tags)):
            envelope = masked(envelope, is_secret)
    if not envelope.is_masked:
        return turn
    turn.notes.append(Answered("tag-masked", {"title": "what was left out"}))
    return replace(turn, envelope=envelope, _read={})


def with_meant_lines(turn: MailTurn) -> MailTurn:
    """The mail, with commands and answers moved from the assumed signature to the words."""
    envelope = turn.envelope
    meant = tuple(filter(_is_meant, envelope.signature))
    if not meant:
        return turn
    kept = tuple(line for line in envelope.signature if line not in meant)
    said = (*envelope.said, "", *meant)
    return replace(turn, envelope=replace(envelope, said=said, signature=kept), _read={})


def _is_meant(line: str) -> bool:
    """Whether a line is a command, answer or move, rather than a title such as "Help Desk"."""
    is_title = " " in line.strip() and line.istitle()
    commands = isinstance(parse_line(line), Command) and not is_title
    return commands or spoken((line,)).answer is not None or whole_move(line) is not None


def note_signature(turn: MailTurn, player: Player) -> None:
    """Tell a player, once for each signature, which lines are not sent to the others."""
    lines = list(filter(None, turn.envelope.signature))
    digest = sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]
    if lines and digest != player.settings.signature:
        turn.work.players.change_settings(player.id, signature=digest)
        shown = [] if new_password("\n".join(lines)) else lines
        turn.notes.append(
            Answered("signature-left-out", {"title": "your signature", "lines": shown})
        )


def _is_secret(turn: MailTurn, speaker: Speaker) -> Callable[[str], bool]:
    """Return a test whether a word is a reply tag of the sender's, or the token of a question."""
    player, keyring, work = player_of(speaker), turn.site.keyring, turn.work
    asked: set[str] = set()

    @cache
    def tags() -> frozenset[str]:
        if player is None:
            return frozenset()
        boards = work.boards.numbers_of(player.id, most=_MOST_BOARDS)
        return keyring.tags_without_ids(player.id, player.epoch, boards)

    def is_secret(word: str) -> bool:
        if len(word) == _TOKEN_CHARS:
            asked.add(word)
            return len(asked) > _MOST_ASKED or is_token(word)
        return len(word) <= _LONGEST_TAG and word[-_MAC_CHARS:] in tags()

    @cache
    def is_token(word: str) -> bool:
        return work.questions.by_token(token_digest(word)) is not None

    return is_secret


def may_check(turn: MailTurn, handle: str) -> bool:
    """Count a check of a password; returns whether it is within the limits."""
    peer = turn.mail.peer
    trusted = turn.site.trusts(peer)
    rates = {
        f"password-peer {peer}": MOST_OF_FRONT if trusted else MOST_CHECKS,
        f"password {handle}": MOST_CHECKS,
    }
    take = turn.work.buckets.take
    return all(take(key, most, CHECKS_WITHIN, turn.now) for key, most in rates.items())
