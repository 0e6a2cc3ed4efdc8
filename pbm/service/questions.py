"""Questions: asked with a token that only the asked mailbox sees, settled by `yes` or `no`."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from pbm import rules
from pbm.commands.subjects import question_subject
from pbm.mail.tags import new_token, token_digest
from pbm.service.letters import Letters
from pbm.store.db import UnitOfWork
from pbm.store.values import Player

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
) -> None:
    """Ask an unknown address whether it wants to play under a handle.

    `problem` is the refusal of the handle that was wished for; `last`: the last answer today.
    """
    token = new_token()
    work.questions.ask(
        "signup", address, token_digest(token), {"handle": handle}, now, now + SIGNUP_FOR
    )
    board = rules.diagram(rules.start())
    params = {"handle": handle, "last": last, "problem": problem, "board": board}
    letters.question(address, "welcome", question_subject(f"play as {handle}"), token, params)


def ask_errand(
    work: UnitOfWork,
    letters: Letters,
    player: Player,
    lines: Sequence[str],
    comment: Sequence[str],
    board_id: int | None,
    now: datetime,
    reasons: Sequence[dict[str, Any]] = (),
) -> None:
    """Ask a player whether the commands were really meant; those still waiting are asked along.

    `reasons` are sections that say more than that a mail's `From:` proves nothing.
    """
    work.questions.add_errand(player.id, board_id, lines, comment, now)
    waiting = work.questions.waiting_errands(player.id, now - OPEN_FOR)
    token = new_token()
    params = {"errands": [errand.id for errand in waiting]}
    work.questions.ask(
        "confirm", player.address, token_digest(token), params, now, now + OPEN_FOR, player.id
    )
    told = [{"lines": list(errand.lines), "comment": list(errand.comment)} for errand in waiting]
    first = next((line for errand in waiting for line in errand.lines), "your words")
    letters.question(
        player.address,
        "confirm",
        question_subject(first),
        token,
        {"errands": told, "reasons": list(reasons)},
        player.id,
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
    token = new_token()
    params = {"author": author, "errands": [errand_id]}
    work.questions.ask(
        "alias", owner.address, token_digest(token), params, now, now + OPEN_FOR, owner.id
    )
    subject = question_subject(f"a reply from {author}")
    letters.question(owner.address, "alias", subject, token, {"author": author, **told}, owner.id)
