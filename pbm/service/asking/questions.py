"""Questions to players and to their new addresses, and standing consent.

Each question has a token, which only the asked mailbox sees; `yes` or `no` settles the question.

Standing consent: after a player's yes to an unproven mail, moves of the same origin need no yes for
a day. An origin is the `From:` address, the envelope sender's domain, which must match it, and the
network. It can be forged; see docs/adr/proof.md.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_network
from typing import Any

from pbm.addresses import address_key
from pbm.clock import local_moment
from pbm.commands.families.account import SignUp
from pbm.commands.language.context import Context
from pbm.commands.language.declare import Command
from pbm.commands.registry import read_commands
from pbm.commands.script import Script
from pbm.commands.sentences.answers import puts_off
from pbm.commands.turn import Claim, Turn
from pbm.errors import Refusal
from pbm.events import AddressWanted
from pbm.mail.keys import Keyring, new_token, token_digest
from pbm.passwords import SHORTEST, PasswordHash, SealedPassword
from pbm.play.limits import ALL_NEW_PASSWORDS, NEW_PASSWORDS, ORIGIN_KNOWN, SUBMITTED_STANDS
from pbm.play.subjects import question_subject
from pbm.rules.registry import default_game
from pbm.service.telling.announce import answers_stop, may_answer
from pbm.service.telling.mail_writer import MailWriter, answers_left
from pbm.service.understanding.mail_turn import MailTurn
from pbm.store.repositories.buckets import Rate
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
_INVITING = ("signup", "invite")
_MOVE_LINE = re.compile(r"^(?:move|confirm) (\d+)#(\d+) (?:@\S+ )?", re.ASCII)
_TAKEBACK_LINE = re.compile(r"\b(takeback) (\d+)#(\d+)$", re.ASCII)
_MOST_LINES, _MOST_CHARACTERS = 5, 400  # of a comment, in a mail that only asks
_NET_BITS = {4: 16, 6: 32}  # a large provider's servers share such a network


def shortened(comment: Sequence[str]) -> list[str]:
    """Return the first lines of a comment, for a question; add "(and more)" to a longer one."""
    told: list[str] = []
    room = _MOST_CHARACTERS
    for line in comment[:_MOST_LINES]:
        told.append(line[:room])
        room -= len(line)
        if room < 0:
            break
    return [*told, "(and more)"] if told != list(comment) else told


def ask_errand(
    turn: Turn,
    player: Player,
    told: Told,
    reasons: Sequence[dict[str, Any]],
    *,
    avoidable: bool = False,  # an answer to a mail of ours would need no yes
    vouches: bool = False,  # a yes is a standing consent, too
    guessed: bool = False,  # from plain words
    password: SealedPassword | None = None,
    kept: bool = False,  # a submitted move, in place of another one on its board
) -> bool:
    """Ask a player to confirm commands (`told`). Mail sections in `reasons` say why we ask.

    The question is about nothing else, whatever else waits. Returns False if limits forbid it.
    """
    if not may_answer(turn, player):
        return False
    questions, (board_id, lines, _) = turn.work.questions, told
    status = ErrandStatus.WAITING if turn.claim else ErrandStatus.HELD
    if kept and board_id:
        status = ErrandStatus.SUBMITTED
        questions.settle_submitted(player.id, board_id, ErrandStatus.DROPPED)
    stands = SUBMITTED_STANDS if kept else OPEN_FOR
    number = questions.add_errand(player.id, *told, turn.now, status=status, password=password)
    way = origin_of(turn) if vouches and turn.claim and not player.settings.strict else ""
    params = {
        "errands": [_errand_data(turn, player, told)],
        "guessed": guessed,
        "reasons": list(reasons),
        "claimed": turn.claim is not None,
        "avoidable": avoidable,
        "stands_for": turn.cause.author if way else "",
        **({"days": stands.days} if kept else {}),
    }
    subject = question_subject(as_shown(next(iter(lines), "your words")))
    about = {"errands": [number], "way": way, "origin": turn.claim.origin if turn.claim else None}
    ask_player(turn, player, "confirm", subject, params, about, turn.now + stands)
    return True


def _errand_data(turn: Turn, player: Player, told: Told) -> dict[str, Any]:
    _, lines, comment = told
    found = read_commands(lines)
    ends = [item.consequences(turn, player) for item in found]
    return {
        "lines": list(map(as_shown, lines)),
        "question": found[0].question() if len(lines) == len(found) == 1 else "",
        "comment": shortened(comment),
        "ends": [section for section in ends if section],
    }


def open_questions(turn: Turn, player: Player) -> list[dict[str, Any]]:
    """Return the open questions to a player about commands, for a template.

    `line` is what may be sent instead of a yes, if that does the same; else None.
    """
    asked = turn.work.questions.errands_asked_about(player.id, turn.now)
    told = []
    for errand in turn.work.questions.open_errands(sorted(asked)):
        found = read_commands(errand.lines)
        same = len(found) == 1 and not (found[0].danger or errand.comment or errand.password)
        shown = as_shown(next(iter(errand.lines), "your words"))
        told.append({"shown": question_subject(shown), "line": errand.lines[0] if same else None})
    return told


def as_shown(line: str) -> str:
    """Format a stored command line for players; a password's hash in the line is left out.

    >>> as_shown("move 4#7 K-R")
    'move #7 on board 4: K-R'
    """
    line = next((item.line for item in read_commands([line]) if item.new_password), line)
    line = _TAKEBACK_LINE.sub(r"\1 of move #\3 on board \2", line)
    return _MOVE_LINE.sub(r"move #\2 on board \1: ", line)


def ask_player(
    turn: Turn,
    player: Player,
    kind: str,
    subject: str,
    params: dict[str, Any],
    kept: dict[str, Any],
    until: datetime | None = None,
    mail: Kind = Kind.QUESTION,
    template: str = "",
) -> None:
    """Store and mail a question, open till `until`; `kept` is stored for handling the answer.

    The template has the name of the question's kind, unless it is named.
    """
    token, until = new_token(), until or turn.now + OPEN_FOR
    asked = kind, player.address, token_digest(token), kept, turn.now, until, player
    turn.work.questions.ask(*asked)
    MailWriter(turn).question(player, template or kind, subject, params, token, kind=mail)


def ask_once_more(
    turn: MailTurn, reader: Player | str, question: Question, token: str, told: dict[str, Any]
) -> str:
    """Ask again after an unclear answer; `told` are parameters of the template.

    Returns what was done, for the operator's log.
    """
    if not takes_unclear(turn, question):
        return "neither yes nor no again, so not answered"
    may = may_answer(turn, reader) if isinstance(reader, Player) else answers_left(turn, reader)
    if not may:
        return "neither yes nor no, but had enough answers"
    section = {"section": "yes-or-no", "asks": question.kind, "said": words_read(turn), **told}
    waits = question.kind in _INVITING and puts_off("\n".join(turn.envelope.said))
    if waits:
        section |= {"section": "put-off", "until": local_moment(question.expires_at, "UTC")}
    subject = question_subject("another day?" if waits else "yes or no?")
    params = {"sections": [section], "last": False}
    MailWriter(turn).question(reader, "answer", subject, params, token)
    return f"{'not now' if waits else 'neither yes nor no'}, so asked once more"


def takes_unclear(turn: MailTurn, question: Question) -> bool:
    """Return whether a question gets its first unclear answer, and note that."""
    if question.params.get("unclear"):
        return False
    turn.work.questions.note_unclear(question)
    return True


def words_read(turn: MailTurn) -> list[str]:
    """Return the sender's words, shortened, for a mail that tells what was read."""
    return [] if turn.withholds_words else shortened([*filter(str.strip, turn.envelope.said)])


def record_wanted(turn: Turn, player: Player, event: AddressWanted) -> AddressWanted:
    """Store the question to a new address; return the event with the question's token."""
    # A later `newkey` raises the epoch, which makes the question void.
    kept = {"player": player.id, "epoch": player.epoch, "instead": event.instead}
    token, until = new_token(), turn.now + OPEN_FOR
    asking = NEW_ADDRESS, event.address, token_digest(token), kept, turn.now, until
    turn.work.questions.ask(*asking, wanted_by=player)
    return replace(event, token=token)


def ask_new_address(turn: Turn, player: Player, event: AddressWanted) -> None:
    """Mail a question to an address: does it belong to `player`?

    If a player already has the address, ask nothing, and notify that player instead.
    """
    owner = turn.work.players.by_address(event.address)
    if owner is not None:
        told = {"by": player.handle, "address": event.address, "handle": owner.handle}
        MailWriter(turn).notice(owner, "address-wanted", told, address=event.address)
        return
    title = default_game().info.title
    params = {"handle": player.handle, "instead": event.instead, "title": title}
    subject = question_subject(f"play as {player.handle} from here")
    asking = "new-address", subject, params, event.token
    MailWriter(turn).question(event.address, *asking, granted=True)


def claim_of(turn: Turn, player: Player, script: Script) -> Claim:
    """Return what the limits of unproven mails need to know of one."""
    origin, since = _digest(_way_of(turn)), turn.now - ORIGIN_KNOWN
    known = turn.work.questions.said_yes_to(player, origin, since)
    return Claim(origin, known, tuple(command.words[0] for command in script.commands))


def origin_of(turn: Turn) -> str:
    """Return a digest of a mail's origin: its author, the sender's domain, and the network.

    Returns "" if there is no mail, if the network is unknown, or if the domains of author and
    sender are unrelated.
    """
    author, domain, network = _way_of(turn)
    one, other = (f".{name}" for name in (author.rpartition("@")[2], domain))
    if not network or not (one.endswith(other) or other.endswith(one)):
        return ""
    return _digest((author, domain, network))


def _way_of(turn: Turn) -> tuple[str, str, str]:
    """Return a mail's author, the sender's domain, and the network, which is "" if unknown."""
    if not isinstance(turn, MailTurn):
        return "", "", ""
    peer, domain = turn.mail.peer, address_key(turn.mail.sender).rpartition("@")[2]
    origin = turn.mail.network or ("" if turn.site.trusts(peer) else peer)
    if origin:
        network = ip_network(origin)
        origin = str(network.supernet(new_prefix=_NET_BITS[network.version]))
    return address_key(turn.cause.author), domain, origin


def _digest(way: tuple[str, str, str]) -> str:
    return sha256("\n".join(way).encode()).hexdigest()[:32]


def is_consented(turn: Turn, player: Player, commands: Sequence[Command]) -> bool:
    """Return whether the player has agreed in advance to commands of an unproven sender.

    Such a standing consent covers only moves and queries.
    """
    covered = all(command.covered_by_yes or command.reads_only for command in commands)
    if not commands or not covered or player.settings.strict:
        return False
    origin, since = origin_of(turn), turn.now - CONSENT_STANDS
    return bool(origin) and turn.work.consents.stands(player, origin, since=since)


# Hashes for all strangers; each takes some 25 ms.
_SIGNUP_PASSWORDS = Rate("signup-passwords", 60, timedelta(hours=1))


def hash_of_first(turn: Turn, command: SignUp | None) -> PasswordHash | None:
    """Hash the password in a newcomer's `signup`, if any. Raises Refusal and WorkNeeded."""
    if command is None or command.password is None:
        return None
    if not _SIGNUP_PASSWORDS.take(turn.work, turn.now):
        raise Refusal("password-not-kept")
    return turn.hash_of(command.password.value)


def stored_password(keyring: Keyring, asked: Question | PendingCommands) -> PasswordHash | None:
    """Return the stored hash of a new password; None if there is none or its seal is invalid."""
    if asked.password is None:
        return None
    of_player = f"player {asked.player_id}"
    owner = of_address(asked.address) if isinstance(asked, Question) else of_player
    return keyring.open_password(asked.password, owner)


def of_address(address: str) -> str:
    """Return the name under which an unknown address owns a sealed password."""
    return f"address {address_key(address)}"


def within_rate(context: Context, commands: Sequence[Command]) -> Context:
    """Return a context in which hashing raises Refusal if commands set too many passwords."""
    new = {word for word in _new_passwords(commands) if len(word) >= SHORTEST}
    refusal = _why_not(context.turn, context.player, len(new)) if new else None
    if refusal is None:
        return context
    return replace(context, turn=replace(context.turn, new_password=refusal))


def _why_not(turn: Turn, player: Player, count: int) -> Refusal | None:
    """Return a Refusal if `count` new passwords may not be hashed now, else None.

    Unless there is another reason to refuse, the passwords are counted against the rate limits.
    """
    work, now, unproven = turn.work, turn.now, turn.claim
    waiting = work.questions.waiting_errands(player.id, now - OPEN_FOR) if unproven else ()
    if any(errand.password for errand in waiting):  # the player could not tell two apart
        return Refusal("password-waits")
    if answers_stop(turn, player):
        return Refusal("too-many-passwords")
    kind = ("unproven",) if unproven else ()
    rates = ((NEW_PASSWORDS, (player.id, *kind)), (ALL_NEW_PASSWORDS, kind))
    taken = all(rate.take(work, now, *whose) for _ in range(count) for rate, whose in rates)
    return None if taken else Refusal("too-many-passwords")


def sealed_for_errand(context: Context, commands: Sequence[Command]) -> SealedPassword | None:
    """Hash and sign the last new password that commands set; return None if they set none."""
    new = _new_passwords(commands)
    if not new:
        return None
    kept = context.turn.hash_of(new[-1])
    return context.turn.site.keyring.seal_password(kept, f"player {context.player_id}")


def _new_passwords(commands: Sequence[Command]) -> list[str]:
    return [command.new_password for command in commands if command.new_password]
