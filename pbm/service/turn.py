"""A turn: one mail of the inbox, obeyed whole in one transaction.

bytes -> envelope -> who speaks -> script -> events -> mails in the outbox; then the commit.
Doing a row again changes nothing: until the commit it is still new, afterwards it is done.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy.exc import DBAPIError

from pbm.clock import Clock
from pbm.commands.auth import Answerer, Claimed, Elsewhere, Proven, Speaker, Stranger, identify
from pbm.mail.address import Bounce, Postmaster, Probe, Unknown
from pbm.mail.inbound import read
from pbm.passwords import HashingNeeded, PasswordWork
from pbm.service.aliases import ask_owner
from pbm.service.announce import announce_boards
from pbm.service.answers import hear_answer
from pbm.service.bounces import hear_from, hear_report
from pbm.service.cleared_passwords import tell_whose_was_cleared
from pbm.service.front import known_front, take_probe, what_it_says
from pbm.service.hearing import Hearing
from pbm.service.in_hand import InHand
from pbm.service.letters import Cause, House, Letters
from pbm.service.logins import hear_logins
from pbm.service.obey import obey
from pbm.service.postmaster import NoOperatorError, forward_to_operator
from pbm.service.receive import is_long
from pbm.service.strangers import answer_stranger
from pbm.service.trouble import in_a_line, tell_operator, tell_sender, traceback_of
from pbm.service.watchdog import Watchdog
from pbm.store.db import Database, UnitOfWork, is_away
from pbm.store.together import Steps, at_once
from pbm.store.values import InboxMail

MOST_TRIES = 3
Tell = Callable[[UnitOfWork, House, InboxMail, datetime], None]
_log = structlog.get_logger("pbm.turn")


class TurnFailedError(Exception):
    """A turn went wrong in a way that nobody foresaw; everything that it did must be undone."""

    def __init__(self, mail: InboxMail, error: Exception) -> None:
        super().__init__(f"mail {mail.id}: {error}")
        self.mail = mail
        self.error = error


@dataclass
class Turns:
    """The inbox, taken a mail at a time, the oldest first."""

    database: Database
    house: House
    clock: Clock
    in_hand: InHand | None = None
    watchdog: Watchdog | None = None
    _hashed: dict[int, PasswordWork] = field(default_factory=dict, init=False, repr=False)

    def begin(self) -> None:
        """Tell what an upgrade did; count a try for the mail whose turn a process died in."""
        with self.database.transaction() as work:
            tell_whose_was_cleared(work, self.house, self.clock())
        number = self.in_hand.left_over() if self.in_hand else None
        if number is None:
            return
        with self.database.transaction() as work:
            mail = work.inbox.find_new(number)
            if mail is not None:
                self._count(work, mail, "the server died while it obeyed this mail")
        self.put_down()

    def close(self) -> None:
        """Let another process remember in this one's place."""
        if self.in_hand:
            self.in_hand.close()

    def take_next(self) -> bool:
        """Obey the oldest new mail in a transaction of its own; False if there is none.

        A mail that fails is tried three times and then put aside as stuck, so that it stops
        nothing else; one for which a password is hashed is still to be obeyed then. Raises
        DBAPIError while the database is away: that is no try.
        """
        try:
            with self.database.transaction() as work:
                return self.take_in(work)
        except TurnFailedError as failed:
            with self.database.transaction() as work:
                self.count_in(work, failed)
            return True
        except HashingNeeded as needed:
            needed.work_out()
            return True
        finally:
            self.put_down()

    def take_in(self, work: UnitOfWork) -> bool:
        """Obey the oldest new mail, as `take_some` does; False if there is none."""
        return bool(at_once(self.take_some(work, most=1)))

    def take_some(self, work: UnitOfWork, most: int) -> Steps:
        """Obey the oldest new mails, each a step; the outcome is how many there were.

        Raises TurnFailedError, HashingNeeded. After the commit, or the failure, call `put_down`.
        Of several mails one that fails undoes all: then take them one by one.
        """
        mails = work.inbox.claim(most)
        self._forget_hashed(mails)
        outcomes: list[tuple[int, str]] = []
        for mail in mails:
            yield is_long(mail.raw)
            outcomes.append((mail.id, self._take(work, mail)))
        work.inbox.finish(outcomes, self.clock())
        return len(mails)

    def _take(self, work: UnitOfWork, mail: InboxMail) -> str:
        if self.in_hand:
            self.in_hand.take(mail.id)
        passwords = self._hashed.get(mail.id) or PasswordWork()
        try:
            with self._watched(mail):
                outcome = self._obey(work, mail, passwords)
        except HashingNeeded as needed:
            self._hashed[mail.id] = passwords
            raise HashingNeeded(partial(self._work_out, mail, needed)) from None
        except Exception as error:
            if isinstance(error, DBAPIError) and is_away(error):
                raise
            self._hashed.pop(mail.id, None)  # a further try hashes anew, too
            raise TurnFailedError(mail, error) from error
        _log.info("mail done", mail=mail.id, outcome=outcome)
        return outcome

    def _watched(self, mail: InboxMail) -> AbstractContextManager[None]:
        return self.watchdog.watching(mail.id) if self.watchdog else nullcontext()

    def _work_out(self, mail: InboxMail, needed: HashingNeeded) -> None:
        with self._watched(mail):
            needed.work_out()

    def _forget_hashed(self, claimed: Sequence[InboxMail]) -> None:
        """Forget what was hashed for mails whose turns are over: no earlier ones wait."""
        first = claimed[0].id if claimed else None
        done = [number for number in self._hashed if first is None or number < first]
        for number in done:
            del self._hashed[number]

    def count_in(self, work: UnitOfWork, failed: "TurnFailedError") -> None:
        """Count the try of a mail whose turn has failed and was undone."""
        if isinstance(failed.error, NoOperatorError):
            work.inbox.count_try(failed.mail.id, str(failed.error))
            work.inbox.set_stuck(failed.mail.id)
            return
        trouble = traceback_of(failed.error)
        _log.error("mail failed", mail=failed.mail.id, exception=trouble)
        self._count(work, failed.mail, in_a_line(failed.error))

    def put_down(self) -> None:
        """Remember that no turn is under way."""
        if self.in_hand:
            self.in_hand.clear()

    def _obey(self, work: UnitOfWork, mail: InboxMail, passwords: PasswordWork) -> str:
        """Obey one mail and return the outcome for the operator."""
        now, house = self.clock(), self.house
        recipient = house.address.parse(mail.recipient)
        if isinstance(recipient, Postmaster):
            return forward_to_operator(house, Letters(work, house, now, Cause(mail.id)), mail)
        if isinstance(recipient, Unknown):
            return "nothing: no address of ours"
        if isinstance(recipient, Probe):
            return take_probe(work, house, recipient, mail, now)
        if isinstance(recipient, Bounce):
            return hear_report(work, house, mail, recipient, now)
        envelope = read(mail.raw, envelope_sender=mail.sender, own_address=house.address.plain)
        if envelope.automatic:
            return f"nothing: automatic mail ({envelope.automatic})"
        if envelope.author is None:
            return f"nothing: {envelope.author_problem}"
        answered = house.board_answered(envelope.references)
        thread = answered.number if answered else None
        cause = Cause(mail.id, envelope.author, envelope.message_id, thread)
        letters = Letters(work, house, now, cause, answer_counted=mail.answer_counted)
        front = known_front(work, house.authserv_id)
        hearing = Hearing(
            *(work, house, letters, envelope, now, passwords, mail.peer, front is not None)
        )
        dmarc = what_it_says(house, front, mail, envelope.author)
        speaker = identify(work, house.keyring, recipient, envelope.author, now, dmarc)
        hearing, outcomes = hear_logins(hearing, speaker, dmarc)
        if not (hearing.done and hearing.script(hearing.context(None)).is_empty):
            outcomes.append(_hear(hearing, speaker))
        return "; ".join(outcomes)

    def _count(self, work: UnitOfWork, mail: InboxMail, error: str) -> None:
        if work.inbox.count_try(mail.id, error) >= MOST_TRIES:
            work.inbox.set_stuck(mail.id)
            for tell in (tell_operator, tell_sender):
                self._try(tell, work, mail)

    def _try(self, tell: Tell, work: UnitOfWork, mail: InboxMail) -> None:
        try:
            with work.savepoint():
                tell(work, self.house, mail, self.clock())
        except Exception as error:
            if isinstance(error, DBAPIError) and is_away(error):
                raise
            # What broke the turn may break this, too; the mail is stuck all the same.
            trouble = traceback_of(error)
            _log.error("nobody told of a stuck mail", mail=mail.id, exception=trouble)


def _hear(hearing: Hearing, speaker: Speaker) -> str:
    if isinstance(speaker, Proven | Claimed | Answerer) and speaker.player is not None:
        hear_from(hearing, speaker.player, proven=not isinstance(speaker, Claimed))
    outcome = _do(hearing, speaker)
    if hearing.news:  # nothing else was told to the boards
        announce_boards(hearing.work, hearing.letters, hearing.news)
    return outcome


def _do(hearing: Hearing, speaker: Speaker) -> str:
    match speaker:
        case Proven(player, board_id):
            context = hearing.context(player, board_id)
            return obey(hearing, context, hearing.script(context), proven=True)
        case Claimed(player, board_id, doubt):
            context = hearing.context(player, board_id)
            return obey(hearing, context, hearing.script(context), proven=False, doubt=doubt)
        case Elsewhere():
            return ask_owner(hearing, speaker)
        case Answerer():
            return hear_answer(hearing, speaker)
        case Stranger(author):
            context = hearing.context(None)
            return answer_stranger(context, hearing.letters, author, hearing.script(context))
