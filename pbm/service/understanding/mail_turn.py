"""The unit of work that handles one mail. It parses the mail into scripts.

A script is all that a mail asks for: its commands, and a comment for the other players.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property, partial

from pbm.addresses import address_key
from pbm.commands.families.help import help_page
from pbm.commands.language.context import Context, game_meant
from pbm.commands.language.words import Login
from pbm.commands.registry import COMMANDS
from pbm.commands.script import Script, answer_to_welcome, begins_answer, read_script
from pbm.commands.turn import Turn
from pbm.mail.reading.inbound import Envelope, clean_subject
from pbm.mail.reading.signatures import name_words
from pbm.mail.site import Answering
from pbm.play.subjects import board_named, is_own
from pbm.service.accounts import check_new_handle
from pbm.store.values.mails import InboxMail
from pbm.store.values.players import Player


@dataclass(frozen=True, kw_only=True)
class MailTurn(Turn):
    mail: InboxMail
    envelope: Envelope
    mailed: tuple[Answering, ...] = ()  # boards shown in the mail that this one answers
    believes_front: bool = False  # trusts the upstream mail server
    done: frozenset[Login] = frozenset()  # logins whose commands have already run
    withholds_words: bool = False  # they may hold a password, so nobody gets them
    _read: dict[tuple[bool, int | None], Script] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def subject(self) -> str:
        """The subject without reply marks and list tags."""
        return clean_subject(self.envelope.subject)

    @cached_property
    def heading(self) -> str:
        """The subject if the sender wrote it; empty if it repeats the subject of our mail."""
        is_ours = self._board_named is not None or is_own(self.subject)
        return "" if is_ours else self.subject

    @cached_property
    def _board_named(self) -> int | None:
        return board_named(self.subject)

    def hints(self, board_id: int | None) -> tuple[int, ...]:
        """Return the numbers of the boards that the mail may be about, the likeliest first."""
        numbers = (board_id, self.cause.board_id, self._board_named)
        return tuple(dict.fromkeys(number for number in numbers if number))

    def context(self, actor: Player | None, board_id: int | None = None) -> Context:
        """Return what the mail's commands need. `board_id` is from the mail's reply address."""
        return Context(
            turn=self,
            actor_id=actor.id if actor else None,
            help_page=partial(help_page, commands=COMMANDS, server=self.site.address.plain),
            check_handle=partial(check_new_handle, self.work),
            hints=self.hints(board_id),
            mailed=self.mailed,
            can_be_strict=self.believes_front,
        )

    def script(self, context: Context) -> Script:
        """Return the mail's script, without the commands that have already run."""
        script = self.held(self._script(context.hints, in_answer=bool(context.hints)))
        return script.without(self.done) if self.done else script

    def scripts(self) -> tuple[Script, ...]:
        """Parse the mail as an answer, as a new mail, and without a yes or no at its top."""
        _, below = answer_to_welcome(self.envelope.said)
        read = [self._script((), in_answer=in_answer) for in_answer in (True, False)]
        return (*read, read_script("", below, in_answer=False))

    def names_beside(self, handles: Iterable[str]) -> frozenset[str]:
        """Return the names, in lower case, with which an answer may address or sign."""
        local = address_key(self.cause.author).partition("@")[0]
        return name_words(local) | self.envelope.author_words | {*handles}

    def is_unclear(self, script: Script) -> bool:
        """Return whether this mail may be an answer to us, although it says neither yes nor no."""
        return not script.commands and (begins_answer(self.envelope.said) or not script.problem)

    def held(self, script: Script) -> Script:
        """Return the script, without the sender's words if they may hold a password."""
        return script.without_words() if self.withholds_words else script

    def _script(self, hints: tuple[int, ...], *, in_answer: bool) -> Script:
        about = in_answer, next(iter(hints), None)
        if about not in self._read:
            self._read[about] = read_script(
                self.heading,
                self.envelope.said,
                in_answer=in_answer,
                below_quotes=self.envelope.below_quotes,
                game=game_meant(self.work, hints),
            )
        return self._read[about]
