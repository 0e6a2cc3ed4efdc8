"""Questions: asked with a token that only the asked mailbox sees, settled by `yes` or `no`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm import rules
from pbm.commands.subjects import question_subject
from pbm.events import Invited
from pbm.mail.tags import new_token, token_digest
from pbm.service.allowance import may_answer
from pbm.service.handles import suggest_handle
from pbm.service.letters import Letters
from pbm.store.db import UnitOfWork
from pbm.store.values import Player, Question

SIGNUP_FOR = timedelta(days=3)
OPEN_FOR = timedelta(hours=48)
ASK_ABOUT_ALIAS_EVERY = timedelta(days=1)


def ask_signup(
    work: UnitOfWork,
    letters: Letters,
    address: str,
    handle: str,
    problem: dict[str, Any] | None,
    *,
    last: bool,
    now: datetime,
    invitation: int | None = None,
) -> None:
    """Ask an unknown address whether it wants to play under a handle.

    `problem` is the refusal of the handle that was wished for; `last`: the last answer today;
    `invitation`: the errand of the challenge that a yes belongs to.
    """
    token = new_token()
    kept = {"handle": handle, "invitation": invitation}
    work.questions.ask("signup", address, token_digest(token), kept, now, now + SIGNUP_FOR)
    board = rules.diagram(rules.start())
    params = {"handle": handle, "last": last, "problem": problem, "board": board}
    letters.question(address, "welcome", question_subject(f"play as {handle}"), token, params)


def ask_invited(
    work: UnitOfWork, letters: Letters, player: Player, event: Invited, now: datetime
) -> None:
    """Ask those whom a player has challenged by their addresses. Nobody is asked twice."""
    errand_id = work.questions.add_errand(
        player.id, None, [event.line], event.comment, now, status="invited"
    )
    board = rules.diagram(rules.start())
    for address in event.addresses:
        token, handle = new_token(), suggest_handle(work, address)
        kept = {"handle": handle, "invitation": errand_id}
        work.questions.ask("invite", address, token_digest(token), kept, now, now + SIGNUP_FOR)
        params = {
            "handle": handle,
            "inviter": player.handle,
            "comment": list(event.comment),
            "board": board,
        }
        subject = question_subject(f"a game of Abalone with {player.handle}")
        letters.question(address, "invite", subject, token, params)


def ask_errand(
    work: UnitOfWork,
    letters: Letters,
    player: Player,
    lines: Sequence[str],
    comment: Sequence[str],
    board_id: int | None,
    now: datetime,
    *,
    proven: bool,
    avoidable: bool = False,
    reasons: Sequence[dict[str, Any]] = (),
) -> None:
    """Ask a player whether the commands were really meant.

    Those that nobody has proven share one question with all others of that kind which wait.
    `avoidable`: an answer to one of our mails would not have been asked about; `reasons` are
    sections that say why it is asked.
    """
    if not may_answer(work, letters, player, now):
        return
    status = "held" if proven else "waiting"
    added = work.questions.add_errand(player.id, board_id, lines, comment, now, status=status)
    waiting = work.questions.waiting_errands(player.id, now - OPEN_FOR)
    waiting = work.questions.open_errands([added]) if proven else waiting
    told = [{"lines": list(errand.lines), "comment": list(errand.comment)} for errand in waiting]
    _ask_player(
        work,
        letters,
        player,
        "confirm",
        next((line for line in lines), "your words"),
        {"errands": [errand.id for errand in waiting]},
        {"errands": told, "reasons": list(reasons), "avoidable": avoidable},
        now,
    )


def ask_alias(
    work: UnitOfWork,
    letters: Letters,
    owner: Player,
    author: str,
    errand_id: int,
    told: dict[str, Any],
    now: datetime,
) -> None:
    """Ask a player about a reply that came from an address we don't know as theirs."""
    kept = {"author": author, "errands": [errand_id]}
    subject, params = f"a reply from {author}", {"author": author, **told}
    _ask_player(work, letters, owner, "alias", subject, kept, params, now)


def _ask_player(
    work: UnitOfWork,
    letters: Letters,
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
    letters.question(player.address, kind, question_subject(subject), token, params, player.id)


def is_open(question: Question, now: datetime) -> bool:
    """Whether a question still takes its answer."""
    return question.answer is None and question.expires_at > now
