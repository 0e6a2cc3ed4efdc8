"""Handles one mail: bytes -> envelope -> speaker -> script -> events -> mails in the outbox."""

from pbm.commands.auth import Answerer, Claimed, Elsewhere, Proven, Speaker, Stranger, identify
from pbm.mail.address import Bounce, Postmaster, Probe, Unknown
from pbm.mail.reading.auth_results import Dmarc
from pbm.mail.reading.inbound import Envelope
from pbm.mail.site import Site
from pbm.play.turn import Cause, Turn
from pbm.service.answering.addresses import ask_owner
from pbm.service.answering.answers import handle_answer
from pbm.service.answering.strangers import answer_stranger
from pbm.service.intake.upstream_mta import known_front, take_probe, what_it_says
from pbm.service.obeying.logins import run_logins
from pbm.service.obeying.obey import obey
from pbm.service.post.bounces import hear_from, hear_report, send_missed
from pbm.service.telling.announce import announce_boards
from pbm.service.trouble.notices import forward_to_operator
from pbm.service.turns.next_mails import read_mail
from pbm.service.turns.preparation import Preparation
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.withheld_text import (
    mask_tags,
    note_signature,
    with_meant_lines,
    withhold_passwords,
)
from pbm.store.values.mails import InboxMail


def handle(turn: Turn, mail: InboxMail, prepared: Preparation) -> str:
    """Handle one mail and return the outcome for the operator."""
    recipient = turn.site.address.parse(mail.recipient)
    if isinstance(recipient, Postmaster):
        return forward_to_operator(turn, mail)
    if isinstance(recipient, Unknown):
        return "nothing: no address of ours"
    if isinstance(recipient, Probe):
        return take_probe(turn, recipient, mail)
    if isinstance(recipient, Bounce):
        return hear_report(turn, mail, recipient)
    envelope = prepared.envelope or read_mail(turn.site, mail)
    if envelope.automatic:
        return f"nothing: automatic mail ({envelope.automatic})"
    if envelope.author is None:
        return f"nothing: {envelope.author_problem}"
    cause = _cause(turn.site, mail, envelope, envelope.author)
    front = known_front(turn.work, turn.site.authserv_id)
    mail_turn = MailTurn(
        work=turn.work,
        site=turn.site,
        now=turn.now,
        cause=cause,
        passwords=prepared.passwords,
        apart=prepared.apart,
        envelope=envelope,
        peer=mail.peer,
        network=mail.network,
        sender=mail.sender,
        believes_front=front is not None,
    )
    dmarc = what_it_says(turn.site, front, mail, cause.author)
    return _handle_person(mail_turn, identify(turn, recipient, cause.author, dmarc), dmarc)


def _cause(site: Site, mail: InboxMail, envelope: Envelope, author: str) -> Cause:
    answered = site.board_answered(envelope.references)
    thread = answered.number if answered else None
    return Cause(
        *(mail.id, author, envelope.message_id, thread),
        answer_counted=mail.answer_counted,
        came_at=mail.received_at,
    )


def _handle_person(turn: MailTurn, speaker: Speaker, dmarc: Dmarc) -> str:
    """Handle a person's mail and return the outcome for the operator."""
    turn = with_meant_lines(turn)
    turn = withhold_passwords(mask_tags(turn, speaker), speaker)
    turn, outcomes = run_logins(turn, speaker, dmarc)
    if not (turn.done and turn.script(turn.context(None)).is_empty):
        outcomes.append(_handle(turn, speaker))
    return "; ".join(outcomes)


def _handle(turn: MailTurn, speaker: Speaker) -> str:
    player = speaker.player if isinstance(speaker, Proven | Claimed | Answerer) else None
    missed: tuple[int, ...] = ()
    if player is not None:
        if not isinstance(speaker, Claimed):
            note_signature(turn, player)
        missed = hear_from(turn, player, proven=not isinstance(speaker, Claimed))
    outcome = _do(turn, speaker)
    if turn.news:  # the boards were told nothing else
        announce_boards(turn, turn.news)
    if player is not None:
        send_missed(turn, player.id, missed)
    return outcome


def _do(turn: MailTurn, speaker: Speaker) -> str:
    match speaker:
        case Proven(player, board_id):
            context = turn.context(player, board_id)
            return obey(context, turn.script(context), proven=True)
        case Claimed(player, board_id, doubt):
            context = turn.context(player, board_id)
            return obey(context, turn.script(context), proven=False, doubt=doubt)
        case Elsewhere():
            return ask_owner(turn, speaker)
        case Answerer():
            return handle_answer(turn, speaker)
        case Stranger(author):
            return answer_stranger(turn, author)
