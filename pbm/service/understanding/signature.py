"""Withholds signatures from other players, tells the authors once, and learns new signatures.

Most signatures are found by their form (`pbm/mail/reading/signatures.py`). Others are learned:
lines that end two mails of a player are left out of the second mail and of all later ones.
"""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from pbm.commands.language.declare import Command
from pbm.commands.registry import nearly_move, parse_line, whole_move
from pbm.commands.sentences.agreeing import Asked, agrees
from pbm.commands.sentences.answers import spoken
from pbm.commands.sentences.intentions import understand
from pbm.commands.sentences.moves_inside import moves_inside
from pbm.events import Answered
from pbm.mail.reading.signatures import possible_starts
from pbm.rules.registry import default_game
from pbm.service.understanding.mail_turn import MailTurn
from pbm.service.understanding.withheld_text import new_password
from pbm.store.values.players import Player

_MOST_SIGNATURES = 5  # of a player, who may write with several programs


def with_meant_lines(turn: MailTurn) -> MailTurn:
    """Move lines meant for the server (commands, answers, moves) from the signature to the text."""
    envelope = turn.envelope
    meant = tuple(filter(_is_meant, envelope.signature))
    if not meant:
        return turn
    kept = tuple(line for line in envelope.signature if line not in meant)
    said = (*envelope.said, "", *meant)
    return replace(turn, envelope=replace(envelope, said=said, signature=kept), _read={})


def _is_meant(line: str) -> bool:
    """Return whether a line is a command, an answer or a move, and no title like "Help Desk"."""
    is_title = " " in line.strip() and line.istitle()
    commands = isinstance(parse_line(line), Command) and not is_title
    answers = agrees((line,), Asked()) or spoken((line,)).no
    return commands or answers or whole_move(line) is not None


def _asks(line: str) -> bool:
    """Return whether a line says or asks something, so that it is no part of a signature."""
    return (
        _is_meant(line)
        or any(mark in line for mark in "?？؟")
        or understand((line,)) is not None
        or nearly_move(line, default_game()) is not None
        or bool(moves_inside(line, default_game()))
    )


def without_known_signature(turn: MailTurn, player: Player | None) -> MailTurn:
    """Return the mail without its signature, if an earlier mail of the player had the same one."""
    envelope = turn.envelope
    if player is None or envelope.signature:
        return turn
    known = (*player.settings.signature.split(), *player.settings.endings.split())
    said = envelope.said
    for start in possible_starts(said) if known else ():
        if _digest(said[start:]) in known and not any(map(_asks, said[start:])):
            kept = tuple("\n".join(said[:start]).rstrip("\n").split("\n"))
            below = tuple(at for at in envelope.below_quotes if at < start)
            envelope = replace(envelope, said=kept, below_quotes=below, signature=said[start:])
            return replace(turn, envelope=envelope, _read={})
    return turn


def note_signature(turn: MailTurn, player: Player) -> None:
    """Tell a player which lines were left out as a signature, once for each signature."""
    lines = list(filter(None, turn.envelope.signature))
    if not lines:
        _note_ending(turn, player)
        return
    digest, told = _digest(lines), player.settings.signature.split()
    if digest not in told:
        newest_first = " ".join([digest, *told][:_MOST_SIGNATURES])
        turn.work.players.change_settings(player.id, signature=newest_first)
        shown = [] if new_password("\n".join(lines)) else lines
        turn.notes.append(Answered("signature-left-out", {"lines": shown}))


def _note_ending(turn: MailTurn, player: Player) -> None:
    """Remember the mail's last lines. If the next mail ends with them, they are a signature."""
    said = turn.envelope.said
    starts = possible_starts(said)
    endings = " ".join(_digest(said[at:]) for at in starts if not any(map(_asks, said[at:])))
    if endings and endings != player.settings.endings and not turn.withholds_words:
        turn.work.players.change_settings(player.id, endings=endings)


def _digest(lines: Sequence[str]) -> str:
    text = "\n".join(filter(None, lines))
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
