"""Handles one mail: bytes -> envelope -> sender -> script -> events -> mails in the outbox.

A command may contain a login: userid and password, as on older servers. The correct password
authenticates the player for that command only, whoever sent the mail, and the answer goes to the
player's own address. Commands with a wrong password are ignored.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import structlog

from pbm.addresses import address_key
from pbm.commands.auth import (
    Answerer,
    Elsewhere,
    Sender,
    Speaker,
    Stranger,
    asked_question,
    doubt_about,
    identify,
    player_of,
    tag_owner,
    taken_for,
)
from pbm.commands.language.words import Login
from pbm.commands.turn import Turn
from pbm.mail.address import (
    Bounce,
    PlayerReply,
    Postmaster,
    Probe,
    QuestionReply,
    Recipient,
    Unknown,
    Unsubscribe,
)
from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.reading.charsets import without_unseen
from pbm.mail.reading.inbound import Envelope
from pbm.mail.reading.limits import UnreadableMail
from pbm.passwords import are_right, dummy_hash
from pbm.play.actions import show_life
from pbm.play.limits import UNNAMED_TOLD
from pbm.play.turn import Cause
from pbm.service.answering.answers import ask_owner, handle_answer
from pbm.service.answering.newcomers import answer_stranger
from pbm.service.intake.bans import names_of, whence
from pbm.service.intake.upstream_mta import known_front, take_probe, what_it_says
from pbm.service.obeying.obey import obey
from pbm.service.post.bounces import hear_from, hear_report, send_missed
from pbm.service.telling.announce import announce_boards
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.trouble.notices import forward_to_operator
from pbm.service.turns.unsubscribing import unsubscribe
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.signature import (
    note_signature,
    with_meant_lines,
    without_known_signature,
)
from pbm.service.understanding.withheld_text import mask_tags, may_check, withhold_passwords
from pbm.store.values.mails import InboxMail, named
from pbm.store.values.players import Player

_MOST_IN_A_MAIL = 3  # different logins that are tried
_log = structlog.get_logger("pbm.turn")


def handle(turn: Turn, mail: InboxMail, read: Callable[[], Envelope]) -> str:
    """Handle one mail; `read` parses it. Returns the outcome in words, for the operator's log."""
    recipient = turn.site.address.parse(mail.recipient)
    try:
        return _handle_for(turn, mail, recipient, read)
    except UnreadableMail as error:  # from a trusted peer
        return f"nothing: {error}{_tell_owner(turn, recipient, str(error), readable=False)}"


def _handle_for(
    turn: Turn, mail: InboxMail, recipient: Recipient, read: Callable[[], Envelope]
) -> str:
    if isinstance(recipient, Postmaster):
        return forward_to_operator(turn, mail)
    if isinstance(recipient, Unknown):
        return "nothing: no address of ours"
    if isinstance(recipient, Probe):
        return take_probe(turn, recipient, mail)
    if isinstance(recipient, Bounce):
        return hear_report(turn, mail, recipient)
    envelope = read()
    told = {"lines": len(envelope.said), "automatic": envelope.automatic}
    _log.debug("mail read", **named(mail.id), **told)
    if envelope.automatic:
        return f"nothing: automatic mail ({envelope.automatic})"
    if isinstance(recipient, Unsubscribe):
        return unsubscribe(turn, recipient)
    if envelope.author is None:
        why = envelope.author_problem or ""
        return f"nothing: {why}{_tell_owner(turn, recipient, why)}"
    wrote = turn.site.author_answered(envelope.references)
    mailed = () if wrote else turn.site.boards_answered(envelope.references)
    front = known_front(turn.work, turn.site.authserv_id)
    cause = Cause(
        mail.id,
        envelope.author,
        envelope.message_id,
        mailed[0].number if len(mailed) == 1 else None,
        answer_counted=mail.answer_counted,
        came_at=mail.received_at,
        missing=envelope.missing,
    )
    mail_turn = MailTurn(
        **vars(replace(turn, cause=cause)),
        mail=mail,
        envelope=envelope,
        mailed=mailed,
        wrote=wrote,
        believes_front=front is not None,
    )
    dmarc = what_it_says(turn.site, front, mail.peer, mail.raw, envelope.author)
    speaker = identify(turn, recipient, envelope.author, dmarc)
    turn.taken.append(taken_for(speaker, recipient))
    mail_turn = without_known_signature(with_meant_lines(mail_turn), player_of(speaker))
    mail_turn = _seen(withhold_passwords(mask_tags(mail_turn, speaker), speaker))
    mail_turn, outcomes = run_logins(mail_turn, speaker, dmarc)
    if not (mail_turn.done and mail_turn.script(mail_turn.context(None)).is_empty):
        outcomes.append(_handle(mail_turn, speaker))
    return "; ".join(outcomes)


def _tell_owner(turn: Turn, recipient: Recipient, why: str, *, readable: bool = True) -> str:
    """Tell the owner of a reply address, within a limit, why a mail to it was not handled."""
    owner: Player | str | None = None
    if isinstance(recipient, PlayerReply):
        owner = tag_owner(turn.work, turn.site.keyring, recipient)
    elif isinstance(recipient, QuestionReply) and (asked := asked_question(turn.work, recipient)):
        owner = turn.work.players.get(asked.player_id) if asked.player_id else asked.address
    whose = owner.id if isinstance(owner, Player) else owner
    if owner is None or not UNNAMED_TOLD.take(turn.work, turn.now, whose, wait=False):
        return ""
    MailWriter(turn).notice(owner, "unnamed", {"why": why, "readable": readable})
    return " Told to the owner of the reply address."


def _seen(turn: MailTurn) -> MailTurn:
    """Return the mail without invisible characters. Until here they may part a password."""
    envelope = turn.envelope
    said = tuple(map(without_unseen, envelope.said))
    if said == envelope.said:
        return turn
    return replace(turn, envelope=replace(envelope, said=said), _read={})


def _handle(turn: MailTurn, speaker: Speaker) -> str:
    player = speaker.player if isinstance(speaker, Sender | Answerer) else None
    proven, missed = not isinstance(speaker, Sender) or speaker.proven, tuple[int, ...]()
    if player is None and (what := _ban_of(turn)):
        return f"nothing: {what} is banned"
    if player is not None:
        if proven:
            note_signature(turn, player)
        missed = hear_from(turn, player, proven=proven)
    match speaker:
        case Sender(known, board_id, doubt=doubt):
            context = turn.context(known, board_id)
            outcome = obey(context, turn.script(context), proven=proven, doubt=doubt)
        case Elsewhere():
            outcome = ask_owner(turn, speaker)
        case Answerer():
            outcome = handle_answer(turn, speaker)
        case Stranger(author):
            outcome = answer_stranger(turn, author)
    if turn.news:  # events that no other mail of this turn announces
        announce_boards(turn, turn.news)
    if player is not None:
        send_missed(turn, player.id, missed)
    return outcome


def _ban_of(turn: MailTurn) -> str | None:
    """Return which ban forbids a mail by now. It was none, or not known, when the mail came."""
    by = whence(turn.mail.peer, turn.mail.network)
    names = [*names_of(turn.cause.author), *names_of(turn.mail.sender, by)]
    return next((ban.what for ban in turn.work.bans.named(names)), None)


def run_logins(turn: MailTurn, speaker: Speaker, dmarc: Dmarc) -> tuple[MailTurn, list[str]]:
    """Run the commands with a correct login; return the mail without them, and the outcomes."""
    script = turn.script(turn.context(None, getattr(speaker, "board_id", None)))
    logins = dict.fromkeys(command.login for command in script.commands if command.login)
    if isinstance(speaker, Sender) and speaker.proven:  # a proven player needs no password
        logins = {login: None for login in logins if login.handle != speaker.player.handle}
    if not logins:
        return turn, []
    found = dict(_proven(turn, tuple(logins)[:_MOST_IN_A_MAIL], dmarc))
    wrong = [login.handle for login in logins if login not in found]
    outcomes = [f"a password of {handle} that proves nothing" for handle in wrong]
    for player in dict.fromkeys(found.values()):
        own = {login for login in found if found[login] == player}
        others = {command.login for command in script.commands} - own
        show_life(turn.work, player)
        turn.taken.append(f"{player.handle}: password")
        outcomes.append(obey(turn.context(player), script.without(others), proven=True))
    return replace(turn, done=frozenset(found)), outcomes


def _proven(
    turn: MailTurn, logins: tuple[Login, ...], dmarc: Dmarc
) -> Iterator[tuple[Login, Player]]:
    """Yield each correct login with its player. Unknown userids take as long as known ones."""
    tried = [login for login in logins if may_check(turn, login.handle)]
    players = [_player_of(turn, login, dmarc) for login in tried]
    checks = [
        ((player and player.password_hash) or dummy_hash(login.handle), login.password.value)
        for login, player in zip(tried, players, strict=True)
    ]
    right = are_right(turn.slow, checks)
    for login, player, is_right in zip(tried, players, right, strict=True):
        if player and is_right:
            yield login, player


def _player_of(turn: MailTurn, login: Login, dmarc: Dmarc) -> Player | None:
    """Return the login's player, or None if even the right password would prove nothing."""
    player = turn.work.players.by_handle(login.handle)
    if player is None or not player.addresses or not player.password_hash:
        return None
    if not player.settings.strict:
        return player
    is_known = address_key(turn.cause.author) in map(address_key, player.addresses)
    return player if is_known and not doubt_about(player, dmarc) else None
