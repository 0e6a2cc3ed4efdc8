"""Masks tags and tokens in the words of a mail, before anything else reads them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from pbm.commands.auth import Speaker, player_of
from pbm.events import Answered
from pbm.mail.reading.inbound import masked
from pbm.mail.tags import token_digest
from pbm.service.turns.mail_turn import MailTurn

_MOST_BOARDS = 300  # the newest ones, whose tags are known where they stand alone
_MOST_ASKED = 20  # words that may be tokens of questions
_TOKEN_CHARS, _MAC_CHARS, _LONGEST_TAG = 24, 16, 18


def without_tags(turn: MailTurn, speaker: Speaker) -> MailTurn:
    """The same mail with the tags and tokens in its words masked; the sender is told.

    Whole addresses were masked when it was read.
    """
    envelope = turn.envelope
    is_secret = _is_secret(turn, speaker)
    if any(map(is_secret, envelope.perhaps_tags)):
        envelope = masked(envelope, is_secret)
    if not envelope.is_masked:
        return turn
    turn.notes.append(Answered("tag-masked", {"title": "what was left out"}))
    return replace(turn, envelope=envelope, _read={})


def _is_secret(turn: MailTurn, speaker: Speaker) -> Callable[[str], bool]:
    """Whether a word by itself is a tag of the speaker's, or the token of a question.

    Any other word of that form may be anything: a password, say.
    """
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
