"""Who speaks. A `From:` line alone proves nothing, except that an answer may go there.

What proves a player: a reply address of ours with a good tag, used from one of the player's own
addresses; or a trusted result that the domain in `From:` vouches for the mail (DMARC). A strict
player needs both, where this server learned of such results when the player chose it. Where a
trusted result says that the domain does not vouch, a tag proves nothing either.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from pbm.mail.address import PlayerReply, QuestionReply, Recipient, address_key
from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.tags import Keyring, token_digest
from pbm.play.turn import Turn
from pbm.store.db import UnitOfWork
from pbm.store.values.players import Player
from pbm.store.values.questions import Question


@dataclass(frozen=True)
class Proven:
    """A player, by a reply address or by the sender's domain."""

    player: Player
    board_id: int | None = None


@dataclass(frozen=True)
class Claimed:
    """A player's address in `From:`, and nothing that proves it, or not enough.

    `doubt` names the section that says why answering one of our mails would not have been enough
    either: the player insists that the domain vouches, or the domain says that it is not its mail.
    """

    player: Player
    board_id: int | None = None
    doubt: str = ""


@dataclass(frozen=True)
class Elsewhere:
    """A player's reply address, answered from an address that is not that player's."""

    owner: Player
    author: str
    board_id: int | None = None


@dataclass(frozen=True)
class Answerer:
    """The answer to a question, open or not, from the address that was asked.

    A yes or no needs nothing more; `proven`: other commands need no question of their own.
    `token` is the question's.
    """

    question: Question
    player: Player | None
    proven: bool = False
    token: str = field(default="", repr=False)


@dataclass(frozen=True)
class Stranger:
    """An address that nobody plays from."""

    author: str


Speaker = Proven | Claimed | Elsewhere | Answerer | Stranger


def identify(
    turn: Turn, recipient: Recipient, author: str, dmarc: Dmarc = Dmarc.UNKNOWN
) -> Speaker:
    """Tell who speaks, from the address written to and the one `From:` address.

    A question that was open when the mail came takes its answer. `dmarc` is what a trusted result
    says of the domain of that address.
    """
    work = turn.work
    player = work.players.by_address(address_key(author))
    if isinstance(recipient, QuestionReply):
        question = asked_question(work, recipient, lock=True)
        if question is not None:
            speaker = _answering(turn, question, player, author, dmarc)
            if isinstance(speaker, Answerer):
                return replace(speaker, token=recipient.token)
            return speaker
    if isinstance(recipient, PlayerReply):
        owner = tag_owner(work, turn.site.keyring, recipient, known=player)
        if owner is not None and player is not None and player.id == owner.id:
            doubt = doubt_about(player, dmarc)
            if doubt:
                return Claimed(player, recipient.board_id, doubt)
            return Proven(player, recipient.board_id)
        if owner is not None:
            return Elsewhere(owner, author, recipient.board_id)
    return _without_tag(player, author, dmarc)


def player_of(speaker: Speaker) -> Player | None:
    """The player whose mail it is, or claims to be; None for a stranger's."""
    match speaker:
        case Elsewhere(owner):
            return owner
        case Stranger():
            return None
        case _:
            return speaker.player


def doubt_about(player: Player, dmarc: Dmarc) -> str:
    """Why a good tag, used from the player's own address, is not enough; empty where it is.

    The name of the section that tells the player.
    """
    if dmarc is Dmarc.FAIL:
        return "doubt-failed"
    settings = player.settings
    insists = settings.strict and settings.strict_by_provider
    return "doubt-strict" if insists and dmarc is not Dmarc.PASS else ""


def _without_tag(player: Player | None, author: str, dmarc: Dmarc) -> Speaker:
    if player is None:
        return Stranger(author)
    if dmarc is Dmarc.PASS and not player.settings.strict:
        return Proven(player)
    return Claimed(player, doubt=doubt_about(player, dmarc))


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


def is_open(question: Question, arrived: datetime) -> bool:
    """Whether a question takes an answer that came at a moment. Once it does not, its token
    proves nothing."""
    return question.answer is None and question.expires_at > arrived


def _answering(
    turn: Turn, question: Question, player: Player | None, author: str, dmarc: Dmarc
) -> Speaker:
    still_open = is_open(question, turn.arrived)
    proven = player is not None and still_open and not doubt_about(player, dmarc)
    if question.player_id is None:
        if address_key(question.address) == address_key(author):
            return Answerer(question, player, proven)
        return _without_tag(player, author, dmarc)
    owner = turn.work.players.get(question.player_id)
    if player is not None and player.id == owner.id:
        return Answerer(question, owner, proven)
    if still_open:
        return Elsewhere(owner, author)
    return _without_tag(player, author, dmarc)
