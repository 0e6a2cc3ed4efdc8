"""Queries about questions, about commands that wait for a yes (errands), and about consents."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select
from sqlalchemy.dialects.postgresql import insert as upsert

from pbm.passwords import SealedPassword
from pbm.store.queues.timers import ALL_KEPT, Timers
from pbm.store.schema.asking import consents, errands, questions
from pbm.store.schema.columns import UNSENT
from pbm.store.sql.transaction import Repository, read_as
from pbm.store.values.asking import ErrandStatus, PendingCommands, Question
from pbm.store.values.players import FIRST_EPOCH, Player
from pbm.store.values.queues import TimerKind

# Older questions have expired, unless the server was down for months.
_LONGEST_OPEN = timedelta(days=100)
_SETTLED = (ErrandStatus.DONE, ErrandStatus.DROPPED)
# Parameters of an open question.
_PASSWORD_HASH, _PASSWORD_SEAL = "password_hash", "password_seal"


class Questions(Repository):
    def ask(
        self,
        kind: str,
        address: str,
        token_digest: str,
        params: dict[str, Any],
        now: datetime,
        expires_at: datetime,
        player: Player | None = None,
        *,
        wanted_by: Player | None = None,
        password: SealedPassword | None = None,
    ) -> None:
        """Add a question, which is sent to a mail address to be answered with yes or no.

        `wanted_by` is the player who wants to use the address. If a yes is to set a password,
        `password` has its hash, which is stored until the answer.
        """
        if password:
            params = {**params, _PASSWORD_HASH: password.text, _PASSWORD_SEAL: password.seal}
        question_id = self._add(
            questions,
            kind=kind,
            address=address,
            address_key=address.lower(),
            token_digest=token_digest,
            params=params,
            asked_at=now,
            expires_at=expires_at,
            player_id=player.id if player else None,
            epoch=player.epoch if player else FIRST_EPOCH,
            wanted_by_id=wanted_by.id if wanted_by else None,
        )
        timers, at = Timers(self._transaction), expires_at + ALL_KEPT
        timers.set(TimerKind.QUESTION_LAPSE, str(question_id), now, at, question_id=question_id)

    def find(self, question_id: int) -> Question | None:
        """Find a question by number, and lock it until the commit."""
        return self._one(questions.c.id == question_id, lock=True)

    def by_token(self, token_digest: str, *, lock: bool = False) -> Question | None:
        """Find the question with a token, whether answered or not.

        The token is the secret part of the question's reply address. `token_digest` is its digest.
        """
        return self._one(questions.c.token_digest == token_digest, lock=lock)

    def _one(self, which: ColumnElement[bool], *, lock: bool) -> Question | None:
        query = select(questions).where(which)
        row = self._row(query.with_for_update() if lock else query)
        if row is None:
            return None
        params = dict(row["params"])
        password = _sealed(params.pop(_PASSWORD_HASH, None), params.pop(_PASSWORD_SEAL, None))
        return read_as(Question, row, params=params, password=password)

    def asked_player(self, kind: str, player_id: int, since: datetime) -> bool:
        its = (questions.c.player_id == player_id, questions.c.kind == kind)
        return self._exists(select(questions.c.id).where(*its, questions.c.asked_at > since))

    def asked_address(self, kind: str, address_key: str) -> bool:
        its = (questions.c.address_key == address_key, questions.c.kind == kind)
        return self._exists(select(questions.c.id).where(*its))

    def invitation_stands(self, address_key: str, asker_id: int, now: datetime) -> bool:
        """Return whether an earlier invitation forbids `asker_id` to invite a mail address.

        An invitation that was answered with yes does not count. An invitation by `asker_id` counts
        for ever. One by somebody else counts until it expires.
        """
        by_asker = questions.c.params["by"].as_integer() == asker_id
        query = (
            select(questions.c.id)
            .where(questions.c.address_key == address_key, questions.c.kind == "invite")
            .where(or_(questions.c.answer.is_(None), questions.c.answer != "yes"))
            .where(or_(questions.c.expires_at > now, by_asker))
        )
        return self._exists(query)

    def turned_down(self, address_keys: Collection[str]) -> bool:
        """Return whether somebody with one of these addresses has ever said no to playing here."""
        query = select(questions.c.id).where(
            questions.c.address_key.in_(address_keys),
            questions.c.kind.in_(("signup", "invite")),
            questions.c.answer == "no",
        )
        return self._exists(query)

    def errands_asked_about(self, player_id: int, now: datetime) -> frozenset[int]:
        """Return the errands (waiting commands) of a player about which a question is open."""
        its = questions.c.player_id == player_id
        asked = self._open(now, its, questions.c.kind.in_(("confirm", "alias")))
        return frozenset(number for params in asked for number in params.get("errands", ()))

    def _open(self, now: datetime, *where: ColumnElement[bool]) -> tuple[dict[str, Any], ...]:
        """Return the `params` of each question that is unanswered and meets the conditions."""
        query = select(questions.c.params).where(
            *where,
            questions.c.asked_at > now - _LONGEST_OPEN,
            questions.c.expires_at > now,
            questions.c.answer.is_(None),
        )
        return self._scalars(query)

    def said_yes_to(self, player: Player, origin: str, since: datetime) -> bool:
        """Return whether a question about a mail of this origin, asked after `since`, got a yes."""
        query = select(questions.c.id).where(
            questions.c.player_id == player.id,
            questions.c.kind == "confirm",
            questions.c.asked_at > since,
            questions.c.answer == "yes",
            questions.c.epoch == player.epoch,
            questions.c.params["origin"].as_string() == origin,
        )
        return self._exists(query)

    def is_invited(self, address_key: str, challenge_id: int, now: datetime) -> bool:
        its = questions.c.address_key == address_key
        found = self._open(now, its, questions.c.kind.in_(("invite", "signup")))
        return any(params.get("invitation") == challenge_id for params in found)

    def note_unclear(self, question: Question) -> None:
        """Note that a question had an answer that was neither yes nor no."""
        sealed = question.password
        kept = {_PASSWORD_HASH: sealed.text, _PASSWORD_SEAL: sealed.seal} if sealed else {}
        params = {**question.params, **kept, "unclear": True}
        self._update(questions, questions.c.id == question.id, params=params)

    def forget_password(self, question: Question) -> None:
        if question.password:
            self._update(questions, questions.c.id == question.id, params=question.params)

    def settle(self, question: Question, answer: str) -> None:
        """Record the answer to a question, and delete a password's hash that was stored for it."""
        gone = {"params": question.params} if question.password else {}
        self._update(questions, questions.c.id == question.id, answer=answer, **gone)

    def add_errand(
        self,
        player_id: int,
        board_id: int | None,
        lines: Sequence[str],
        comment: Sequence[str],
        now: datetime,
        *,
        status: ErrandStatus = ErrandStatus.WAITING,
        password: SealedPassword | None = None,
    ) -> int:
        """Store commands until a player's yes, and return the number of their row (the errand)."""
        return self._add(
            errands,
            player_id=player_id,
            board_id=board_id,
            lines=lines,
            comment=comment,
            status=status,
            asked_at=now,
            password_hash=password.text if password else None,
            password_seal=password.seal if password else None,
        )

    def waiting_errands(self, player_id: int, since: datetime) -> tuple[PendingCommands, ...]:
        its = _of(player_id, ErrandStatus.WAITING)
        return self._errands(*its, errands.c.asked_at > since)

    def submitted(self, player_id: int) -> tuple[PendingCommands, ...]:
        """Return a player's submitted moves, at most one on each board."""
        return self._errands(*_of(player_id, ErrandStatus.SUBMITTED))

    def settle_submitted(self, player_id: int, board_id: int, status: ErrandStatus) -> None:
        its = (*_of(player_id, ErrandStatus.SUBMITTED), errands.c.board_id == board_id)
        self._update(errands, *its, status=status)

    def take_unasked(self, player_id: int) -> tuple[tuple[str, ...], ...]:
        """Return the names of the commands in each mail that got no answer, and forget them."""
        its = _of(player_id, ErrandStatus.UNASKED)
        found = tuple(item.lines for item in self._errands(*its))
        if found:
            self._delete(errands, *its)
        return found

    def open_errands(self, errand_ids: Sequence[int]) -> tuple[PendingCommands, ...]:
        """Return those of these errands (waiting commands) that are neither done nor dropped."""
        return self._errands(errands.c.id.in_(errand_ids), errands.c.status.not_in(_SETTLED))

    def _errands(self, *where: ColumnElement[bool]) -> tuple[PendingCommands, ...]:
        rows = self._rows(select(errands).where(*where).order_by(errands.c.id))
        sealed = ((row, _sealed(row["password_hash"], row["password_seal"])) for row in rows)
        return tuple(read_as(PendingCommands, row, password=password) for row, password in sealed)

    def hold_words(
        self, player_id: int, board_id: int, words: Sequence[str], now: datetime
    ) -> tuple[str, ...]:
        """Store words to a board's other players until `send`; return those that they replace."""
        replaced = self.take_held_words(player_id, board_id, now - _LONGEST_OPEN)
        self.add_errand(player_id, board_id, (), words, now, status=ErrandStatus.UNSENT)
        return replaced

    def boards_with_held_words(self, player_id: int, since: datetime) -> tuple[int, ...]:
        its = (*_of(player_id, ErrandStatus.UNSENT), errands.c.asked_at > since)
        return self._scalars(select(errands.c.board_id).where(*its).order_by(errands.c.board_id))

    def take_held_words(self, player_id: int, board_id: int, since: datetime) -> tuple[str, ...]:
        """Delete a player's words that wait for `send`, and return them; () if there are none."""
        its = (*_of(player_id, ErrandStatus.UNSENT), errands.c.asked_at > since)
        taken = delete(errands).where(*its, errands.c.board_id == board_id)
        return next(iter(self._scalars(taken.returning(errands.c.comment))), ())

    def forget_held_words(self, before: datetime) -> None:
        self._delete(errands, errands.c.status == UNSENT, errands.c.asked_at <= before)

    def settle_errand(self, errand: PendingCommands, status: ErrandStatus, **values: Any) -> None:
        """Set the final status of waiting commands (an errand). Delete their password's hash."""
        gone: dict[str, Any] = {"password_hash": None, "password_seal": None, **values}
        self._update(errands, errands.c.id == errand.id, status=status, **gone)


class Consents(Repository):
    """Queries about consents. A consent is a player's yes that holds for later mails, too.

    It holds for mails from the same origin. The origin of a mail is a digest of the sender's
    address, domain and network. The command `newkey` ends all consents of a player.
    """

    def give(self, player: Player, origin: str, now: datetime, *, over: datetime) -> None:
        """Store a consent for an origin, unless a valid one was given after the time `over`."""
        row = {"player_id": player.id, "origin": origin, "epoch": player.epoch, "given_at": now}
        insert = upsert(consents).values(**row)
        new, key = insert.excluded, (consents.c.player_id, consents.c.origin)
        self._transaction.execute(
            insert.on_conflict_do_update(
                index_elements=key,
                set_={"epoch": new.epoch, "given_at": new.given_at},
                where=or_(consents.c.given_at <= over, consents.c.epoch != new.epoch),
            )
        )

    def stands(self, player: Player, origin: str, *, since: datetime) -> bool:
        """Return whether a valid consent of a player for an origin was given after `since`."""
        query = select(consents.c.given_at).where(
            consents.c.player_id == player.id,
            consents.c.origin == origin,
            consents.c.epoch == player.epoch,
            consents.c.given_at > since,
        )
        return self._exists(query)

    def forget_before(self, moment: datetime) -> None:
        self._delete(consents, consents.c.given_at < moment)


def _of(player_id: int, status: ErrandStatus) -> tuple[ColumnElement[bool], ...]:
    return errands.c.player_id == player_id, errands.c.status == status


def _sealed(text: str | None, seal: str | None) -> SealedPassword | None:
    return SealedPassword(text, seal or "") if text else None
