"""Keeps secrets out of a mail's words: passwords, and the secret parts of reply addresses.

Words that may hold a password are withheld: they are neither sent to other players nor stored. A
candidate is a word after a userid or after the word "password", or alone in its line, if it has the
length of a password.
The server compares each candidate with the player's stored password hash.

Such checks are limited like logins, so that nobody can guess passwords by mail. If the limits allow
no check, the words are usually withheld unchecked. The words are also withheld if a line looks like
a command of an older server that contains a password.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from functools import cache
from itertools import compress, islice

from pbm.commands.auth import Sender, Speaker, player_of
from pbm.commands.families.play import PlayMove
from pbm.commands.language.words import KEPT_FREE
from pbm.commands.registry import COMMANDS
from pbm.commands.script import Script
from pbm.commands.sentences.clauses import read_list
from pbm.events import Answered
from pbm.mail.keys import token_digest
from pbm.mail.reading.charsets import UNSEEN
from pbm.mail.reading.inbound import masked
from pbm.passwords import LONGEST, SHORTEST, are_right
from pbm.play.game_words import is_any_bare_move
from pbm.play.limits import ALL_OWN_PASSWORDS, MOST_CHECKS, OTHERS_PASSWORDS, OWN_PASSWORDS, Rate
from pbm.rules.registry import games
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.players import Player
from pbm.word_lists import either

MOST_OF_FRONT = 100  # checks for the upstream server, since it relays everybody's mail
CHECKS_WITHIN = timedelta(hours=1)
_MOST_TRIES = 8  # hashes for a mail; each takes some 25 ms
_MOST_PLACES = 2000  # candidates in a mail
_MOST_USERIDS = 8  # userids of others in lines that look like commands
_MOST_BOARDS = 300  # newest boards of a player whose bare tags are recognised
_MOST_ASKED = 20  # words of a mail that are looked up as question tokens
_TOKEN_CHARS, _MAC_CHARS, _LONGEST_TAG = 24, 16, 18


def withhold_passwords(turn: MailTurn, speaker: Speaker) -> MailTurn:
    """Return the mail, with its words withheld if they may hold a password. Raises WorkNeeded."""
    if not may_hold_password("\n".join((turn.heading, *turn.envelope.said))):
        return turn
    scripts = turn.scripts()
    words = [  # words that may be sent on or quoted
        (
            *filter(None, (item.sentence for item in script.all_commands)),
            *(line for item in script.all_commands if item.takes_text for line in item.below),
            *((script.problem.line,) if script.problem else ()),
            *script.comment,
        )
        for script in scripts
    ]
    text = "\n\n".join(dict.fromkeys(map("\n".join, words)))
    if not text.strip():
        return turn
    players = _players_concerned(turn, speaker, scripts)
    own = player_of(speaker)
    before = (
        _handle_in_command(turn, text, own)
        or new_password(text)
        or _word_before_password(turn, text, players, speaker)
    )
    if before is None:
        return turn
    turn.notes.append(Answered("words-held", {"before": before}))
    return replace(turn, withholds_words=True)


def _players_concerned(
    turn: MailTurn, speaker: Speaker, scripts: Iterable[Script]
) -> dict[str, Player]:
    """Return, by handle, the players whose passwords the words may contain, the sender first."""
    work, own = turn.work, player_of(speaker)
    found = [own] if own else []
    commands = [command for script in scripts for command in script.commands]
    logins = dict.fromkeys(command.login.handle for command in commands if command.login)
    found += filter(None, map(work.players.by_handle, islice(logins, _MOST_USERIDS)))
    hints = turn.hints(getattr(speaker, "board_id", None))
    named = filter(None, (command.named_board for command in commands))
    for number in dict.fromkeys((*hints, *named)):
        found += work.players.reading(number)
    return {player.handle: player for player in found}


def _handle_in_command(turn: MailTurn, text: str, own: Player | None) -> str | None:
    """Return a handle in a command that contains a password, preferably the sender's; else None."""
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


def _word_before_password(
    turn: MailTurn, text: str, players: dict[str, Player], speaker: Speaker
) -> str | None:
    """Return the word before a password in the text, "" if it stands alone in its line.

    Return None if there is no password.
    """
    known = {name: kept for name, player in players.items() if (kept := player.password_hash)}
    speaking = player_of(speaker)
    found = perhaps_passwords(text, known, speaking.handle if speaking else None)
    tries: dict[tuple[str, str], str] = {}
    for count, (handle, before, word) in enumerate(islice(found, _MOST_PLACES + 1)):
        tries.setdefault((handle, word), before)
        if len(tries) > _MOST_TRIES or count == _MOST_PLACES:
            return before
    if speaking and speaking.handle in known:
        for word in islice(_alone(text), _MOST_TRIES - len(tries)):
            tries.setdefault((speaking.handle, word), "")
    own = speaker.player if isinstance(speaker, Sender) and speaker.proven else None
    for (handle, word), before in list(tries.items()):
        if _may_try(turn, players[handle], own):
            continue
        if before and (own is None or handle == own.handle):
            return before
        del tries[handle, word]
    right = are_right(turn.slow, [(known[handle], word) for handle, word in tries])
    return next(compress(tries.values(), right), None)


def _may_try(turn: MailTurn, player: Player, own: Player | None) -> bool:
    """Return whether a player's password may be checked now, and count the check."""
    if own is None:
        return may_check(turn, player.handle)
    if own.id != player.id:
        return OTHERS_PASSWORDS.take(turn.work, turn.now, player.id)
    rates = ((OWN_PASSWORDS, (player.id,)), (ALL_OWN_PASSWORDS, ()))
    return all(rate.take(turn.work, turn.now, *whose) for rate, whose in rates)


def mask_tags(turn: MailTurn, speaker: Speaker) -> MailTurn:
    """Return the mail without the secret parts of our reply addresses."""
    envelope = turn.envelope
    if envelope.perhaps_tags:
        is_secret = _is_secret(turn, speaker)
        if any(map(is_secret, envelope.perhaps_tags)):
            envelope = masked(envelope, is_secret)
    if not envelope.is_masked:
        return turn
    turn.notes.append(Answered("tag-masked", {}))
    return replace(turn, envelope=envelope, _read={})


def _is_secret(turn: MailTurn, speaker: Speaker) -> Callable[[str], bool]:
    """Return a function that recognises the sender's reply tags and the tokens of questions."""
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
    """Return whether a password of the player `handle` may be checked now, and count the check."""
    peer = turn.mail.peer
    trusted = turn.site.trusts(peer)
    rates = (
        Rate(f"password-peer {peer}", MOST_OF_FRONT if trusted else MOST_CHECKS, CHECKS_WITHIN),
        Rate(f"password {handle}", MOST_CHECKS, CHECKS_WITHIN),
    )
    return all(rate.take(turn.work, turn.now) for rate in rates)


_MOST_WORDS = 5  # searched behind a userid
_UNSEEN = re.compile(f"[{UNSEEN}]")
# A blank, perhaps encoded or non-breaking.
_BLANK = re.compile("%20|=20|[^\\S\n]")
_WORD = re.compile(rf"\S{{1,{LONGEST + 8}}}")
_OPENS, _CLOSES = (
    "\"'`([{<*_:=/|,;.>~-\u2018\u201c\u201e\u00ab",
    ".,;:!?)]}>\"'`*_|~\u2019\u201d\u00bb",
)
_LISTS = read_list("passwords", ("called", "between", "whose"))
_CALLED, _WHOSE = either(_LISTS["called"]), either(_LISTS["whose"])
_BETWEEN = _LISTS["between"] | _LISTS["called"]
_WITH_LOGIN = {word for command in COMMANDS if command.takes_login for word in command.words}
_MOVE = re.compile(
    rf"(?:{either(PlayMove.words)}) \d{{1,9}}(?:#\d{{1,5}})? (.{{1,80}})", re.ASCII | re.IGNORECASE
)
_MARKS = "[ \t>|*_\"'`(\\[{<\u2018\u201c\u201e\u00ab\u2022\u00b7#+\u2013\u2014-]"
_CLASSIC = re.compile(
    rf"(?<![a-z0-9])({'|'.join(sorted(map(re.escape, KEPT_FREE | _WITH_LOGIN)))})"
    rf"([ \t]*#?-?\d{{1,9}}(?:#-?\d{{1,5}})?:?)?\s+(?:({'|'.join(sorted(KEPT_FREE))})\s+)?"
    rf"{_MARKS}{{0,3}}([a-z][a-z0-9_-]{{1,15}})(?![a-z0-9_@-])[\s:,;=/|\"'`*_>)\]-]{{1,8}}(\S{{1,80}})",
    re.ASCII | re.IGNORECASE,
)
# The text allowed before a command's word. Only the text near the word is searched, to save time.
_BEGINS = (
    rf"(?:^|[:;,.!?>|*\"'`(\u201c\u201e\u00ab\u2013\u2014]){_MARKS}{{0,8}}"
    r"(?:(?:pbm|please)\s{1,9}){0,2}"
)
_MOST_BEFORE = 40  # characters
_NEW = re.compile(
    rf"(?<![a-z0-9])(?:change|set)[ \t]+(?:my[ \t]+)?(password)[\s:=]+(\S{{{SHORTEST},80}})",
    re.ASCII | re.IGNORECASE,
)

# A line that is only a password, perhaps as an item of a list, or below its name.
_ALONE = re.compile(
    rf"^(?:\d{{1,3}}[.)])?{_MARKS}{{0,8}}(?:(?:{_WHOSE})[ \t]{{1,8}}){{0,3}}({_CALLED})"
    rf"[*_`>\"')\]]{{0,3}}\s{{0,8}}(?:[:=\u2192]|-{{0,2}}>|[-\u2013\u2014](?=\s))?\s{{0,8}}"
    rf"(?:(?:is|ist|est|es|è)[ \t:]{{1,8}})?(\S{{{SHORTEST},80}})[ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)


def may_hold_password(text: str) -> bool:
    """Return whether a text may hold a password. A text of moves and short words cannot."""
    long = (word for word in text.split() if len(word) >= SHORTEST)
    if not all(map(is_any_bare_move, long)):
        return True
    if next(classic_userids(text), None) is None:
        return False
    found = _MOVE.fullmatch(text.strip())  # a `move` line, as in our own mails
    return found is None or not is_any_bare_move(found[1])


def new_password(text: str) -> str | None:
    """Return the word for "password", if a line sets or names a new password; else None."""
    text = _as_readers_see(text)
    for found in _NEW.finditer(text):
        if _begins().search(text, max(0, found.start() - _MOST_BEFORE), found.start()):
            return found[1]
    alone = _ALONE.search(text)
    return alone[1] if alone else None


def classic_userids(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the userids in lines that look like an older server's commands with a password.

    The flag is True if the command exists here, too, and takes a userid and a password.
    """
    text, at = _as_readers_see(text), 0
    while (found := _CLASSIC.search(text, at)) is not None:
        start = found.start()
        if not _begins().search(text, max(0, start - _MOST_BEFORE), start):
            at = start + 1
            continue
        at = found.end()
        word, board, _, handle, behind = found.groups()
        is_ours = word.lower() in _WITH_LOGIN
        if not is_ours and "\n" in found[0]:
            continue
        if board or len(behind.strip(_OPENS + _CLOSES)) >= SHORTEST:
            yield handle.lower(), is_ours


def perhaps_passwords(
    text: str, handles: Collection[str], own: str | None = None
) -> Iterator[tuple[str, str, str]]:
    """Yield a tuple for each possible password: a player's handle, a word, and the password.

    The word is the one in the text that the password follows. It is usually the handle. If it is a
    word such as "password", the handle is `own`.
    """
    if not handles:
        return
    called = f"|{_CALLED}" if own in handles else ""
    userid = re.compile(
        rf"(?<![a-z0-9_-])(?:(?a:({'|'.join(map(re.escape, handles))}))(?:@[a-z0-9.-]++)?{called})"
        rf"(?![a-z0-9_@-])",
        re.IGNORECASE,
    )
    for seen in dict.fromkeys((_as_readers_see(text), _as_readers_see(text, " "))):
        for found in userid.finditer(seen):
            before = (found[1] or found[0]).lower()
            handle = before if found[1] else own or ""
            for behind in islice(_WORD.finditer(seen, found.end()), _MOST_WORDS):
                yield from ((handle, before, spelt) for spelt in _spellings(behind[0]))
                bare = behind[0].strip(_OPENS + _CLOSES).lower()
                if bare and bare not in _BETWEEN:
                    break


@cache
def _begins() -> re.Pattern[str]:
    """Return a pattern for the text that may precede a command, such as a game's name."""
    names = "|".join(games())
    pattern = rf"{_BEGINS}(?:(?:{names})\s{{1,9}})?\Z"
    return re.compile(pattern, re.ASCII | re.IGNORECASE | re.MULTILINE)


def _spellings(word: str) -> dict[str, None]:
    """Return the forms of a word that could be passwords, with and without quotes around it."""
    left = word.lstrip(_OPENS)
    forms = (word, left, word.rstrip(_CLOSES), left.rstrip(_CLOSES))
    return dict.fromkeys(form for form in forms if SHORTEST <= len(form) <= LONGEST)


def _alone(text: str) -> Iterator[str]:
    """Yield the words that stand alone in their lines; those with digits or signs first."""
    lines = (line.split() for line in _as_readers_see(text).splitlines())
    words = ([word for word in line if word.strip(_OPENS + _CLOSES)] for line in lines)
    alone = dict.fromkeys(line[0] for line in words if len(line) == 1)
    for word in sorted(alone, key=str.isalpha):
        yield from _spellings(word)


def _as_readers_see(text: str, unseen: str = "") -> str:
    """Return the text with normal spaces, and with `unseen` instead of each invisible character."""
    return _BLANK.sub(" ", text if text.isascii() else _UNSEEN.sub(unseen, text))
