"""Questions to players and to their new addresses, and standing consent.

Each question has a token that only the asked mailbox sees; `yes` or `no` settles it.

Standing consent: a player's yes to an unproven mail covers moves of the same origin for a day. The
origin of a mail is its `From:` address, the matching domain of the envelope sender, and the
network. It can be forged; docs/adr/proof.md discusses the risk.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from ipaddress import ip_network
from typing import Any

from pbm.commands.registry import read_commands
from pbm.commands.script import Script
from pbm.events import AddressWanted, Answered
from pbm.mail.address import address_key
from pbm.mail.tags import new_token, token_digest
from pbm.passwords import SealedPassword
from pbm.play.limits import MOST_ERRANDS
from pbm.play.subjects import question_subject
from pbm.play.turn import Turn
from pbm.rules.registry import default_game
from pbm.service.telling.answer import may_answer
from pbm.service.telling.mail_writer import MailWriter
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.values.asking import (
    CONSENT_STANDS,
    OPEN_FOR,
    ErrandStatus,
    PendingCommands,
    Question,
)
from pbm.store.values.mails import Kind
from pbm.store.values.players import Player

Told = tuple[int | None, tuple[str, ...], tuple[str, ...]]  # commands: board, lines, comment
NEW_ADDRESS = "address"  # the kind of question
_MOVE_LINE = re.compile(r"^move (\d+)#(\d+) ", re.ASCII)
_MOST_LINES, _MOST_CHARACTERS = 5, 400  # of a comment, in a mail that only asks
_NET_BITS = {4: 16, 6: 32}  # a large provider's servers share such a network


def shortened(comment: Sequence[str]) -> list[str]:
    """The first lines of a comment, for a question; "(and more)" is added if it is longer."""
    told: list[str] = []
    room = _MOST_CHARACTERS
    for line in comment[:_MOST_LINES]:
        if len(line) > room:
            told.append(line[:room])
            break
        told.append(line)
        room -= len(line)
    cut = told != list(comment)
    return [*told, "(and more)"] if cut else told


def ask_once_more(
    turn: Turn, reader: Player | str, question: Question, token: str, told: dict[str, Any]
) -> None:
    """Ask a question again after an unclear answer; `told` are parameters of the template."""
    if isinstance(reader, Player) and not may_answer(turn, reader):
        return
    section = {"section": "yes-or-no", "asks": question.kind, **told}
    params = {"sections": [section], "last": False}
    MailWriter(turn).question(reader, "answer", question_subject("yes or no?"), params, token)


def ask_errand(
    turn: Turn,
    player: Player,
    told: Told,
    reasons: Sequence[dict[str, Any]],
    *,
    avoidable: bool = False,
    guessed: bool = False,
    password: SealedPassword | None = None,
) -> None:
    """Ask a player to confirm commands, `told`.

    Unproven commands share one question with the newest ones that wait, `MOST_ERRANDS` in all.
    `reasons`: sections that explain the question. `avoidable`: in an answer to our mail the
    commands would need no question. `guessed`: they were inferred from plain words. `password`: the
    new one.
    """
    if not may_answer(turn, player):
        return
    waiting = _waiting_with(turn, player, told, password)
    way = ""  # the origin that a yes gives consent for, if all commands have the same
    if avoidable and turn.unproven and not player.settings.strict:
        own = origin_of(turn)
        ids = [errand.id for errand in waiting]
        way = own if turn.work.questions.ways_of(player.id, ids, turn.now) <= {own} else ""
    older = max(0, len(waiting) - MOST_ERRANDS)
    waiting = waiting[older:]
    params = {
        "errands": [_errand_data(turn, player, item) for item in waiting],
        "guessed": guessed,
        "older": older,
        "reasons": list(reasons),
        "avoidable": avoidable,
        "stands_for": turn.cause.author if way else "",
    }
    _, lines, _ = told
    subject = question_subject(as_shown(next(iter(lines), "your words")))
    kept = {"errands": [errand.id for errand in waiting], "way": way}
    ask_player(turn, player, "confirm", subject, params, kept)


def _waiting_with(
    turn: Turn, player: Player, told: Told, password: SealedPassword | None
) -> list[PendingCommands]:
    """Store the commands; return them behind those that already wait."""
    questions, now = turn.work.questions, turn.now
    waiting = questions.waiting_errands(player.id, now - OPEN_FOR) if turn.unproven else ()
    # Equal commands share a row, except if they hold a password, which cannot be compared.
    same = [
        item
        for item in waiting
        if password is None and (item.board_id, item.lines, item.comment) == told
    ]
    if not same:
        status = ErrandStatus.WAITING if turn.unproven else ErrandStatus.HELD
        added = questions.add_errand(player.id, *told, now, status=status, password=password)
        same += questions.open_errands([added])
    return [*(item for item in waiting if item not in same), *same]


def _errand_data(turn: Turn, player: Player, errand: PendingCommands) -> dict[str, Any]:
    """Template parameters of pending commands: lines, comment, consequences."""
    found = read_commands(errand.lines)
    ends = [item.consequences(turn, player) for item in found]
    return {
        "lines": list(map(as_shown, errand.lines)),
        "question": found[0].question() if len(errand.lines) == len(found) == 1 else "",
        "comment": shortened(errand.comment),
        "ends": [section for section in ends if section],
    }


def as_shown(line: str) -> str:
    """Format a stored command line for display, without the hash that old versions stored in it.

    >>> as_shown("move 4#7 K-R")
    'move 7 on board 4: K-R'
    """
    line = next((item.line for item in read_commands([line]) if item.new_password), line)
    return _MOVE_LINE.sub(r"move \2 on board \1: ", line)


def ask_alias(turn: Turn, owner: Player, author: str, errand_id: int, told: dict[str, Any]) -> None:
    """Ask a player whether a reply from an unknown address is theirs."""
    kept = {"author": author, "errands": [errand_id]}
    subject = question_subject(f"a reply from {author}")
    ask_player(turn, owner, "alias", subject, {"author": author, **told}, kept)


def ask_player(
    turn: Turn,
    player: Player,
    kind: str,
    subject: str,
    params: dict[str, Any],
    kept: dict[str, Any],
    until: datetime | None = None,
    mail: Kind = Kind.QUESTION,
) -> None:
    """Store and mail a question to a player; `kept` is stored for the answer."""
    token, until = new_token(), until or turn.now + OPEN_FOR
    asked = kind, player.address, token_digest(token), kept, turn.now, until, player
    turn.work.questions.ask(*asked)
    MailWriter(turn).question(player, kind, subject, params, token, kind=mail)


def record_wanted(turn: Turn, player: Player, event: AddressWanted) -> AddressWanted:
    """Store the question to a new address before it is mailed, so that `newkey` can void it."""
    kept = {"player": player.id, "epoch": player.epoch, "instead": event.instead}
    token, until = new_token(), turn.now + OPEN_FOR
    turn.work.questions.ask(NEW_ADDRESS, event.address, token_digest(token), kept, turn.now, until)
    return replace(event, token=token)


def ask_new_address(turn: Turn, player: Player, event: AddressWanted) -> None:
    """Ask an address whether it is this player's; if it is another player's, only tell that one."""
    owner = turn.work.players.by_address(address_key(event.address))
    if owner is not None:
        told = {"by": player.handle, "address": event.address, "handle": owner.handle}
        about = "address-wanted", "your address", told
        MailWriter(turn).notice(owner, *about, address=event.address)
        return
    title = default_game().info.title
    params = {"handle": player.handle, "instead": event.instead, "title": title}
    subject = question_subject(f"play as {player.handle} from here")
    asking = "new-address", subject, params, event.token
    MailWriter(turn).question(event.address, *asking, granted=True)


def tell_other_addresses(turn: Turn, player: Player, sections: Sequence[Answered]) -> None:
    """Tell a player's other addresses about a change."""
    for address in player.addresses[1:]:
        for section in sections:
            told = {"sections": [{"section": section.section, **section.params}], "last": False}
            MailWriter(turn).notice(address, "answer", str(section.params["title"]), told)


def origin_of(turn: Turn) -> str:
    """The origin of a turn's mail, as a digest; empty if no consent can cover the mail.

    That is so if the envelope sender's domain does not match `From:`, or the network is unknown.
    """
    if not isinstance(turn, MailTurn):
        return ""
    author, sender = address_key(turn.cause.author), address_key(turn.mail.sender)
    peer = turn.mail.peer
    origin = turn.mail.network or ("" if turn.site.trusts(peer) else peer)
    one, other = (f".{address.rpartition('@')[2]}" for address in (author, sender))
    if not origin or not (one.endswith(other) or other.endswith(one)):
        return ""
    network = ip_network(origin)
    network = network.supernet(new_prefix=_NET_BITS[network.version])
    known = (author, sender.rpartition("@")[2], str(network))
    return sha256("\n".join(known).encode()).hexdigest()[:32]


def give_consent(turn: Turn, player: Player, origin: str) -> None:
    """Store a player's consent; a second one does not prolong the first."""
    over = turn.now - CONSENT_STANDS
    turn.work.consents.give(player, origin, turn.now, over=over)


def is_consented(turn: Turn, player: Player, script: Script) -> bool:
    """Whether a standing consent covers an unproven script, which has only moves and queries."""
    covered = all(command.covered_by_yes or command.reads_only for command in script.commands)
    if not script.commands or not covered or player.settings.strict:
        return False
    origin, since = origin_of(turn), turn.now - CONSENT_STANDS
    return bool(origin) and turn.work.consents.stands(player, origin, since=since)
