"""Questions: asked with a token that only the asked mailbox sees, settled by `yes` or `no`."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from pbm.commands.declare import Command
from pbm.commands.limits import take_unasked_mail
from pbm.commands.registry import parse_line
from pbm.commands.subjects import question_subject
from pbm.errors import Refusal
from pbm.events import Guest, Invited
from pbm.mail.tags import new_token, token_digest
from pbm.passwords import PasswordHash, SealedPassword
from pbm.rules.contract import Game, View, completed
from pbm.rules.registry import default_game, game_named
from pbm.service.accounts.first_passwords import sealed_for
from pbm.service.accounts.handles import suggest_handle
from pbm.service.turns.allowance import may_answer
from pbm.service.turns.mail_writer import MailWriter
from pbm.store.db import UnitOfWork
from pbm.store.values import Player

SIGNUP_FOR = timedelta(days=3)
OPEN_FOR = timedelta(hours=48)
ASK_ABOUT_ALIAS_EVERY = timedelta(days=1)
_MOST_ERRANDS = 10  # in one question
_MOST_LINES, _MOST_CHARACTERS = 5, 400  # of a comment, in a mail that only asks


def ask_signup(
    work: UnitOfWork,
    mail_writer: MailWriter,
    address: str,
    handle: str,
    problem: dict[str, Any] | None,
    *,
    last: bool,
    now: datetime,
    more: bool = False,
    asked: Sequence[str] = (),
    invitation: int | None = None,
    kept: PasswordHash | None = None,
) -> None:
    """Ask an unknown address whether it wants to play under a handle.

    `problem` is the refusal of the handle that was wished for; `last`: the last answer today;
    `more`: commands stood below that are not kept; `asked`: the names of commands that only a
    player may give, not kept either; `invitation`: the errand of the challenge that a yes
    belongs to; `kept`: the hash of the password that was sent along.
    """
    token = new_token()
    sealed = sealed_for(mail_writer.keyring, kept, address)
    asked_for = {"handle": handle, "invitation": invitation}
    work.questions.ask(
        *("signup", address, token_digest(token), asked_for, now, now + SIGNUP_FOR),
        password=sealed,
    )
    game = default_game()
    params = {
        "handle": handle,
        "last": last,
        "more": more,
        "asked": list(asked),
        "problem": problem,
        "game": game.info.name,
        "title": game.info.title,
        "board": _first_board(game),
        "password": sealed is not None,
    }
    mail_writer.question(address, "welcome", question_subject(f"play as {handle}"), token, params)


def record_invited(work: UnitOfWork, player: Player, event: Invited, now: datetime) -> Invited:
    """Write down at once whom a challenge asks, so that the next command knows it, too.

    Raises Refusal where one of them must not be written to now.
    """
    errand_id = work.questions.add_errand(player.id, None, [event.line], (), now, status="invited")
    guests = tuple(
        Guest(address, suggest_handle(work, address), new_token()) for address in event.addresses
    )
    for guest in guests:
        if not take_unasked_mail(work, player.id, guest.address, now):
            raise Refusal("not-now", address=guest.address)
        kept = {"handle": guest.handle, "invitation": errand_id}
        digest = token_digest(guest.token)
        work.questions.ask("invite", guest.address, digest, kept, now, now + SIGNUP_FOR)
    return replace(event, errand_id=errand_id, guests=guests)


def ask_invited(work: UnitOfWork, mail_writer: MailWriter, player: Player, event: Invited) -> None:
    """Ask those whom a player has challenged by their addresses. Nobody is asked twice.

    They get no words of somebody whom they may not know. The board brings those, once all have
    said yes.
    """
    if event.errand_id and event.comment:
        work.questions.set_comment(event.errand_id, event.comment)
    game = game_named(event.game)
    title = game.info.title
    told = {"inviter": player.handle, "title": title, "board": _first_board(game)}
    for guest in event.guests:
        params = {"handle": guest.handle, **told}
        subject = question_subject(f"a game of {title} with {player.handle}")
        mail_writer.question(guest.address, "invite", subject, guest.token, params, granted=True)


def _first_board(game: Game) -> str:
    """How a game begins, for somebody who has never seen it."""
    info = game.info
    position = game.start(info.seats[0], completed(info.options, {}), 0)
    return "\n".join(position.diagram(View()))


def shortened(comment: Sequence[str]) -> list[str]:
    """The beginning of a comment, for a mail that only asks; a last line says that it is cut."""
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


def ask_errand(
    work: UnitOfWork,
    mail_writer: MailWriter,
    player: Player,
    lines: Sequence[str],
    comment: Sequence[str],
    board_id: int | None,
    now: datetime,
    *,
    proven: bool,
    avoidable: bool = False,
    reasons: Sequence[dict[str, Any]] = (),
    password: SealedPassword | None = None,
) -> None:
    """Ask a player whether the commands were really meant.

    Those that nobody has proven share one question with others of that kind which wait: the
    newest ten, none twice. Older ones can still be said yes to where they were asked about.
    `avoidable`: an answer to one of our mails would not have been asked about; `reasons` are
    sections that say why it is asked; `password` is the new one among the lines.
    """
    if not may_answer(work, mail_writer, player, now):
        return
    status = "held" if proven else "waiting"
    waiting = () if proven else work.questions.waiting_errands(player.id, now - OPEN_FOR)
    asked = (board_id, tuple(lines), tuple(comment))
    # Nobody can tell whether the password that waits is the same as this one.
    same = [
        item
        for item in waiting
        if password is None and (item.board_id, item.lines, item.comment) == asked
    ]
    if not same:
        added = work.questions.add_errand(
            *(player.id, board_id, lines, comment, now),
            status=status,
            password=password,
        )
        same += work.questions.open_errands([added])
    waiting = (*(item for item in waiting if item not in same), *same)
    older = max(0, len(waiting) - _MOST_ERRANDS)
    waiting = waiting[older:]
    told = [
        {"lines": [_as_shown(line) for line in item.lines], "comment": shortened(item.comment)}
        for item in waiting
    ]
    _ask_player(
        work,
        mail_writer,
        player,
        "confirm",
        next(iter(lines), "your words"),
        {"errands": [errand.id for errand in waiting]},
        {"errands": told, "older": older, "reasons": list(reasons), "avoidable": avoidable},
        now,
    )


def _as_shown(line: str) -> str:
    """A line that waits, as it may be seen: a version before this one wrote hashes into them."""
    found = parse_line(line)
    return found.line if isinstance(found, Command) and found.new_password else line


def ask_alias(
    work: UnitOfWork,
    mail_writer: MailWriter,
    owner: Player,
    author: str,
    errand_id: int,
    told: dict[str, Any],
    now: datetime,
) -> None:
    """Ask a player about a reply that came from an address we don't know as theirs."""
    kept = {"author": author, "errands": [errand_id]}
    subject, params = f"a reply from {author}", {"author": author, **told}
    _ask_player(work, mail_writer, owner, "alias", subject, kept, params, now)


def _ask_player(
    work: UnitOfWork,
    mail_writer: MailWriter,
    player: Player,
    kind: str,
    subject: str,
    kept: dict[str, Any],
    params: dict[str, Any],
    now: datetime,
) -> None:
    """Ask a player; `kept` is what the answer will need, `params` what the mail says."""
    token = new_token()
    work.questions.ask(kind, player.address, token_digest(token), kept, now, now + OPEN_FOR, player)
    mail_writer.question(player.address, kind, question_subject(subject), token, params, player.id)
