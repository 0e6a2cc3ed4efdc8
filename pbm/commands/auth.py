"""Authentication: who sent a mail. A `From:` line alone proves nothing.

There are two proofs that a mail is from a player. One is a valid signature, called a tag, in the
reply address to which the mail was sent; it counts only if the mail comes from one of the player's
addresses. The other is a DMARC pass of the domain in `From:`, if we trust the server that reports
it. If DMARC fails, no tag counts.

Most players need one proof. A strict player needs both, or only the tag if this server got no DMARC
results when the player became strict.
"""

from dataclasses import dataclass, field
from datetime import datetime

from pbm.addresses import address_key
from pbm.commands.turn import Turn
from pbm.mail.address import PlayerReply, QuestionReply, Recipient
from pbm.mail.keys import Keyring, token_digest
from pbm.mail.reading.auth_results import Dmarc
from pbm.store.db import UnitOfWork
from pbm.store.values.asking import Question
from pbm.store.values.players import Player


@dataclass(frozen=True)
class Sender:
    """The sender of a mail from a player's address."""

    player: Player
    board_id: int | None = None
    proven: bool = True  # to be the player
    doubt: str = ""  # the mail section that says why a reply address proves nothing


@dataclass(frozen=True)
class Elsewhere:
    """A sender who uses a reply address of `owner` from an address that is not the owner's."""

    owner: Player
    author: str
    board_id: int | None = None


@dataclass(frozen=True)
class Answerer:
    """The sender of an answer to a question. The question may be closed by now."""

    question: Question
    player: Player | None
    proven: bool = False  # commands in the answer need no confirmation
    token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Stranger:
    author: str


Speaker = Sender | Elsewhere | Answerer | Stranger


def identify(turn: Turn, recipient: Recipient, author: str, dmarc: Dmarc) -> Speaker:
    work = turn.work
    player = work.players.by_address(author)
    if isinstance(recipient, QuestionReply):
        speaker = _by_question(turn, recipient, player, author, dmarc)
        if speaker is not None:
            return speaker
    if isinstance(recipient, PlayerReply):
        owner = tag_owner(work, turn.site.keyring, recipient)
        if owner is not None and (player is None or player.id != owner.id):
            return Elsewhere(owner, author, recipient.board_id)
        if owner is not None:
            doubt, board_id = doubt_about(owner, dmarc), recipient.board_id
            return Sender(owner, board_id, proven=not doubt, doubt=doubt)
    if player is None:
        return Stranger(author)
    if dmarc is Dmarc.PASS and not player.settings.strict:
        return Sender(player)
    return Sender(player, proven=False, doubt=doubt_about(player, dmarc))


def _by_question(
    turn: Turn, recipient: QuestionReply, player: Player | None, author: str, dmarc: Dmarc
) -> Speaker | None:
    """Return who sent a mail to a question's reply address. None means that it is no answer.

    `author` is the mail's author address. `player` is the player with that address, if any.
    """
    question = asked_question(turn.work, recipient, lock=True)
    if question is None:
        return None
    still_open = is_open(question, turn.arrived)
    doubted = doubt_about(player, dmarc) if player else dmarc is Dmarc.FAIL
    proven = still_open and not doubted
    if question.player_id is None:
        is_asked = address_key(question.address) == address_key(author)
        return Answerer(question, player, proven, recipient.token) if is_asked else None
    owner = turn.work.players.get(question.player_id)
    if player is not None and player.id == owner.id:
        return Answerer(question, owner, proven, recipient.token)
    return Elsewhere(owner, author) if still_open else None


def player_of(speaker: Speaker) -> Player | None:
    """Return the player that a mail seems to be from; None for a stranger.

    If the mail came to a player's reply address from somebody else's address, it is that player.
    """
    if isinstance(speaker, Elsewhere):
        return speaker.owner
    return None if isinstance(speaker, Stranger) else speaker.player


def taken_for(speaker: Speaker, recipient: Recipient) -> str:
    """Return whose mail it was taken for, and by what, as in "bob: tag"."""
    player, by = player_of(speaker), type(speaker).__name__.lower()
    if isinstance(speaker, Sender):
        proof = "tag" if isinstance(recipient, PlayerReply) else "dmarc"
        by = proof if speaker.proven else speaker.doubt or "claim"
    return f"{player.handle if player else '-'}: {by}"


def doubt_about(player: Player, dmarc: Dmarc) -> str:
    """Return why a valid reply address does not prove that a mail is from the player.

    It is the name of a mail section that says so; "" if the reply address is proof.
    """
    if dmarc is Dmarc.FAIL:
        return "doubt-failed"
    settings = player.settings
    insists = settings.strict and settings.strict_by_provider
    return "doubt-strict" if insists and dmarc is not Dmarc.PASS else ""


def tag_owner(work: UnitOfWork, keyring: Keyring, reply: PlayerReply) -> Player | None:
    """Return the player of a reply address; None if its signature, the tag, is wrong or revoked."""
    player = work.players.find(reply.player_id)
    if player is None or not player.addresses:
        return None
    good = keyring.verify_reply_tag(reply.tag, player.id, player.epoch, reply.board_id)
    return player if good else None


def asked_question(
    work: UnitOfWork, reply: QuestionReply, *, lock: bool = False
) -> Question | None:
    """Return the question that a reply address answers; None if the address is not valid."""
    question = work.questions.by_token(token_digest(reply.token), lock=lock)
    if question is None:
        return None
    if question.player_id is not None:
        player: Player | None = work.players.get(question.player_id)
    else:  # the asked address may belong to a player by now
        player = work.players.by_address(question.address)
    return None if player and player.epoch != question.epoch else question


def is_open(question: Question, arrived: datetime) -> bool:
    return question.answer is None and question.expires_at > arrived
