"""Who speaks. A `From:` line alone proves nothing, except that an answer may go there."""

from dataclasses import dataclass
from datetime import datetime

from pbm.mail.address import PlayerReply, QuestionReply, Recipient, address_key
from pbm.mail.tags import Keyring, token_digest
from pbm.store.db import UnitOfWork
from pbm.store.values import Player, Question


@dataclass(frozen=True)
class Proven:
    """A reply address of the player's own, answered from one of the player's addresses."""

    player: Player
    board_id: int | None = None


@dataclass(frozen=True)
class Claimed:
    """A player's address in `From:`, and nothing that proves it."""

    player: Player


@dataclass(frozen=True)
class Elsewhere:
    """A player's reply address, answered from an address that is not that player's."""

    owner: Player
    author: str
    board_id: int | None = None


@dataclass(frozen=True)
class Answerer:
    """The answer to a question, open or not, from the address that was asked."""

    question: Question
    player: Player | None


@dataclass(frozen=True)
class Stranger:
    """An address that nobody plays from."""

    author: str


Speaker = Proven | Claimed | Elsewhere | Answerer | Stranger


def identify(
    work: UnitOfWork, keyring: Keyring, recipient: Recipient, author: str, now: datetime
) -> Speaker:
    """Tell who speaks, from the address written to and the one `From:` address."""
    player = work.players.by_address(address_key(author))
    if isinstance(recipient, QuestionReply):
        question = asked_question(work, recipient, lock=True)
        if question is not None:
            return _answering(work, question, player, author, now)
    if isinstance(recipient, PlayerReply):
        owner = tag_owner(work, keyring, recipient, known=player)
        if owner is not None and player is not None and player.id == owner.id:
            return Proven(player, recipient.board_id)
        if owner is not None:
            return Elsewhere(owner, author, recipient.board_id)
    return Claimed(player) if player else Stranger(author)


def tag_owner(
    work: UnitOfWork, keyring: Keyring, reply: PlayerReply, *, known: Player | None = None
) -> Player | None:
    """Return the player whose tag a reply address carries; None for a wrong or revoked one.

    `known`: a player at hand, who often is the one.
    """
    is_known = known is not None and known.id == reply.player_id
    player = known if is_known else work.players.find(reply.player_id)
    if player is None or not player.addresses:
        return None
    good = keyring.verify_reply_tag(reply.tag, player.id, player.epoch, reply.board_id)
    return player if good else None


def asked_question(
    work: UnitOfWork, reply: QuestionReply, *, lock: bool = False
) -> Question | None:
    """Return the question that a reply address carries, answered or not.

    None for a wrong token, and for one from before its player's last `newkey`.
    """
    question = work.questions.by_token(token_digest(reply.token), lock=lock)
    if question is None:
        return None
    player = _asked_player(work, question)
    return None if player and player.epoch != question.epoch else question


def _asked_player(work: UnitOfWork, question: Question) -> Player | None:
    """The player who was asked, or who plays from the address that was asked by now."""
    if question.player_id is not None:
        return work.players.get(question.player_id)
    return work.players.by_address(address_key(question.address))


def is_open(question: Question, now: datetime) -> bool:
    """Whether a question still takes its answer. Once it does not, its token proves nothing."""
    return question.answer is None and question.expires_at > now


def _answering(
    work: UnitOfWork, question: Question, player: Player | None, author: str, now: datetime
) -> Speaker:
    if question.player_id is None:
        if address_key(question.address) == address_key(author):
            return Answerer(question, player)
        return Claimed(player) if player else Stranger(author)
    owner = work.players.get(question.player_id)
    if player is not None and player.id == owner.id:
        return Answerer(question, owner)
    if is_open(question, now):
        return Elsewhere(owner, author)
    return Claimed(player) if player else Stranger(author)
