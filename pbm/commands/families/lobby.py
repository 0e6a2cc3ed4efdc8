"""Commands that begin a game, or decline one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import ClassVar

from pbm.addresses import address_key
from pbm.commands.language.arguments import ROUNDS, Opponents, Span, Spans, Team
from pbm.commands.language.context import Context, no_such_player
from pbm.commands.language.declare import (
    BoardCommand,
    Chosen,
    Command,
    flag,
    game_options,
    operand,
    option,
)
from pbm.commands.language.words import ME
from pbm.errors import Refusal
from pbm.events import Answered, Event
from pbm.mail.address import is_at_home, leads_elsewhere
from pbm.mail.reading.automatic import is_own, is_role
from pbm.play import limits
from pbm.play.actions import decline_board
from pbm.play.begin import begin_board, check_others, is_lesson
from pbm.play.boards import Setup, in_seats, in_teams, partners_option, setup_of
from pbm.play.challenges import invite, propose, who_is_asked
from pbm.play.clocks import terms
from pbm.play.matches import last_of_match, next_seating
from pbm.rules.contract import completed
from pbm.store.values.asking import PRIVATE
from pbm.store.values.boards import BoardStatus
from pbm.store.values.players import Player, PlayerStatus

WAITING_FOR = timedelta(days=3)


class Challenge(Command, group="lobby"):
    """Start a game with others; everybody gets the board at once."""

    words = ("challenge",)
    prefix = "chall"
    plainly = (
        'Answer any mail of ours with "challenge" and the name of a player here, such as'
        ' "challenge bob". You both get the board.'
    )
    examples: ClassVar[tuple[str, ...]] = (
        "challenge bob",
        "challenge bob and carol",
        "challenge -seats=carol,me,bob",
        "challenge dave@example.org",
        "challenge bob -rounds=2",
    )

    opponents: tuple[Team, ...] = operand(Opponents(), many=True, unless="seats")
    chosen: Chosen = game_options(lambda game: game.info.options)
    seats: tuple[Team, ...] | None = option("seats", Opponents("handle,..."))
    random: bool = flag("random")
    rounds: int | None = option("rounds", ROUNDS)
    rated: bool = flag("rated")
    unrated: bool = flag("unrated")
    private: bool = flag("private")
    forfeittime: timedelta | None = option(
        "forfeittime", Span(terms.SHORTEST, terms.LONGEST, "reminded")
    )
    nagtime: tuple[timedelta, ...] | None = option(
        "nagtime", Spans(",", *5 * [Span(terms.SOONEST, terms.LONGEST)])
    )
    totaltime: timedelta | None = option("totaltime", Span(terms.SHORTEST, terms.MOST, "reminded"))
    bank: tuple[timedelta, ...] | None = option(
        "bank",
        Spans("+", Span(terms.SHORTEST, terms.MOST, "reminded"), Span(terms.LEAST, terms.MOST)),
    )

    def run(self, context: Context) -> Iterator[Event]:
        names = self._names(context)
        setup = self._setup(len(names))
        named = _with_handles(context, self.seats or self.opponents)
        unsaid = not any(context.player.handle in team for team in named)
        try:
            setup.position(len(names))
        except Refusal as refusal:
            raise Refusal(refusal.code, **{**refusal.params, "with_you": unsaid}) from refusal
        addresses = tuple(name for name in names if "@" in name)
        known = {
            name: opponent_named(context, name, by_address=True)
            for name in names
            if "@" not in name
        }
        if addresses:
            check_invitations(context, addresses)
            work, people = context.work, tuple(known.values())
            check_others(work, self.game.info.name, people, context.player, context.now)
        # Whether the sender got the first of three or more seats without asking for it.
        first_unsaid = unsaid and not self.random and len(names) > 2
        seated = [known.get(name, name) for name in self._seating(names, context)]
        players = [item for item in seated if isinstance(item, Player)]
        if addresses:
            quoted = context.work.history.has_moved(context.player_id)
            told = {"addresses": list(addresses), "first_unsaid": first_unsaid, "quoted": quoted}
            yield Answered("invited", told)
            guests = [item.id if isinstance(item, Player) else item for item in seated]
            yield invite(context.work, setup, guests, context.player, context.now, self._line([]))
            return
        is_said = self.rated or self.unrated
        teaches = not is_said and is_lesson(context.work, players, context.player)
        setup = replace(setup, rated=setup.rated and not teaches)
        given = (context.work, setup, players, context.player, context.now)
        asked = who_is_asked(players, context.player)
        if not asked:
            yield replace(begin_board(*given), first_unsaid=first_unsaid, teaches=teaches)
            return
        yield challenged_answer([player.handle for player in asked], first_unsaid=first_unsaid)
        yield from propose(*given, first_unsaid=first_unsaid)

    def pinned(self, context: Context) -> str:
        return self._line(self._names(context))

    def _setup(self, players: int) -> Setup:
        info, chosen = self.game.info, self.chosen.options()
        if self.rated and self.unrated:
            raise Refusal("rated-or-unrated")
        partners = partners_option(self.game)
        if self._has_partners and partners:
            chosen[partners.name] = True
        clock = terms.chosen_terms(
            players,
            each=self.forfeittime,
            reminders=self.nagtime or (),
            total=self.totaltime,
            bank=(self.bank[0], sum(self.bank[1:], timedelta())) if self.bank else None,
        )
        options = completed(info.options, chosen)
        return Setup(info.name, options, self.rounds, not self.unrated, clock, self.private)

    @property
    def _has_partners(self) -> bool:
        return any(len(team) > 1 for team in (*self.opponents, *(self.seats or ())))

    def _line(self, names: list[str]) -> str:
        options = self._options()
        if self._has_partners:
            partners = partners_option(self.game)
            options = [item for item in options if not partners or item != f"-{partners.name}"]
            names = ["+".join(team) for team in in_teams(self.game, names)]
        return self.of_its_game(" ".join([self.words[0], *options, *names]))

    def _options(self) -> list[str]:
        options = list(dict.fromkeys(self.chosen.written()))
        if self.random:
            options.append("-random")
        if self.rounds:
            options.append(f"-rounds={self.rounds}")
        clock = (
            ("forfeittime", "", (self.forfeittime,) if self.forfeittime else ()),
            ("nagtime", ",", self.nagtime or ()),
            ("totaltime", "", (self.totaltime,) if self.totaltime else ()),
            ("bank", "+", self.bank or ()),
        )
        for name, between, spans in clock:
            if spans:
                options.append(f"-{name}={between.join(map(terms.write_duration, spans))}")
        options += ["-rated"] if self.rated else ["-unrated"] if self.unrated else []
        return [*options, PRIVATE] if self.private else options

    def _names(self, context: Context) -> list[str]:
        """Return the handles and guests' addresses in seat order. Raises Refusal."""
        own = context.player.handle
        names = self._in_seats(_with_handles(context, self.seats or self.opponents))
        if not (self.seats or self._has_partners or own in names):
            names = [own, *names]
        if len({name.lower() for name in names}) < len(names) or len(names) == 1:
            raise Refusal("challenge-same-player", yourself=set(names) == {own})
        if own not in names:
            line = self._line([ME, *(names if self.seats else names[1:])])
            raise Refusal("challenge-without-you", line=line)
        if len(names) > max(self.game.info.seats):
            raise Refusal("challenge-too-many", most=max(self.game.info.seats))
        if self.seats:
            self._check_seats(context, names)
        return names

    def _in_seats(self, teams: Sequence[Team]) -> list[str]:
        if any(len(team) > 1 for team in teams):
            return in_seats(self.game, teams)
        return [name for team in teams for name in team]

    def _check_seats(self, context: Context, names: Sequence[str]) -> None:
        """Raise Refusal if -seats= contradicts the rest of the line."""
        if self.random:
            raise Refusal("lots-or-seats")
        teams = _with_handles(context, self.opponents)
        named = {name for team in teams for name in team}
        seated = [set(team) for team in in_teams(self.game, names)]
        split = any(len(team) > 1 and set(team) not in seated for team in teams)
        if split or (named and named | {context.player.handle} != set(names)):
            raise Refusal("other-seats")

    def _seating(self, names: list[str], context: Context) -> list[str]:
        """Shuffle the names if the line has `-random`. Partners stay partners."""
        if not self.random:
            return names
        shuffled = context.turn.site.shuffled
        if not self._has_partners:
            return shuffled(names)
        teams = [tuple(shuffled(team)) for team in in_teams(self.game, names)]
        order = shuffled([str(index) for index in range(len(teams))])
        return self._in_seats([teams[int(index)] for index in order])


def check_invitations(context: Context, addresses: Sequence[str]) -> None:
    """Raise Refusal if one of the addresses must not be invited, or if there are too many."""
    work, now, server = context.work, context.now, context.server
    asked = work.challenges.guests_of(context.player.id, now - WAITING_FOR)
    if asked + len(addresses) > limits.MOST_INVITED:
        raise Refusal("too-many-invitations", most=limits.MOST_INVITED, days=WAITING_FOR.days)
    for address in addresses:
        check_is_of_a_person(context, address)
        if is_at_home(address, server):
            raise Refusal("invited-at-home", address=address, server=server)
        key = address_key(address)
        # A player may be asked again, by somebody else.
        is_asked = (
            work.questions.invitation_stands(key, context.player_id, now)
            if work.players.by_address(key)
            else work.questions.asked_address("invite", key)
        )
        if is_asked or limits.has_said_no(work, address):
            raise Refusal("invited-already", address=address, server=server)
        if not limits.strangers_answers_left(work, address, now):
            raise limits.refusal_of_stranger(work, address, now)


def check_is_of_a_person(context: Context, address: str) -> None:
    """Raise Refusal for an address that is no person's, such as this server's or postmaster@."""
    own = is_own(address, context.server)
    if own or is_role(address) or leads_elsewhere(address, context.server):
        raise Refusal("nobody-there", address=address, own=own)


def challenged_answer(
    handles: Sequence[str], *, first_unsaid: bool, words: bool = False
) -> Answered:
    """Return the answer that says that a challenge waits until the players `handles` agree.

    If `first_unsaid`, nobody asked for the first seat. If `words`, the challenge has a comment.
    """
    days = limits.CHALLENGE_STANDS.days
    told = {"asked": list(handles), "first_unsaid": first_unsaid, "days": days}
    told |= {"words": True} if words else {}
    return Answered("challenged", told)


def _with_handles(context: Context, teams: Sequence[Team]) -> list[Team]:
    """Write the sender's handle in place of `me` and of the sender's addresses."""
    player = context.player
    own = {ME, *map(address_key, player.addresses)}
    return [
        tuple(player.handle if address_key(name) in own else name for name in team)
        for team in teams
    ]


def opponent_named(context: Context, handle: str, *, by_address: bool = False) -> Player:
    """Return the active player with this handle. Raises Refusal."""
    player = context.work.players.by_handle(handle)
    if player is not None and player.status == PlayerStatus.REMOVED and not by_address:
        raise Refusal("has-left", handle=handle)
    if player is None or player.status == PlayerStatus.REMOVED:
        raise no_such_player(context, handle, by_address=by_address)
    if not player.is_active:
        raise Refusal("player-away", handle=handle)
    return player


class Decline(BoardCommand, group="lobby"):
    """Leave a board before your first move, without a trace."""

    takes_login = True
    words = ("decline",)

    def run(self, context: Context) -> Iterator[Event]:
        board = context.own_board(self.board)
        player = context.player
        if board.has_moved(player.id):
            raise Refusal("decline-too-late", number=board.id)
        if player.id not in board.still_in:
            raise Refusal("already-out", number=board.id)
        yield from decline_board(context.work, board, player, context.now)


class Rematch(BoardCommand, group="lobby"):
    """Start the same game again with the same players, once it is over."""

    takes_login = True
    words = ("rematch",)
    examples = ("rematch", "rematch 12", "rematch 12 -seats=bob,me")

    seats: tuple[Team, ...] | None = option("seats", Opponents("handle,..."))

    def run(self, context: Context) -> Iterator[Event]:
        named = context.board(self.board)
        # Locked, so that two simultaneous requests do not start two rematches.
        board = context.work.boards.get(last_of_match(context.work, named).id, lock=True)
        if board.from_record or not board.seats_of(context.player.id):
            raise Refusal("not-your-board", number=named.id)
        if board.status != BoardStatus.FINISHED:
            match = board.id != named.id
            raise Refusal("no-rematch-yet", number=board.id, playing=board.playing, match=match)
        for other in context.work.boards.rematches(board.id):
            if other.status != BoardStatus.CLOSED:  # a declined one is closed
                raise Refusal("rematch-already", number=board.id, other=other.id)
        handles = [board.handle_of(player_id) for player_id in next_seating(board)]
        if seated := self._named(context):
            if sorted(seated) != sorted(handles):
                raise Refusal("rematch-seats", handles=handles, number=board.id)
            handles = seated
        players = [opponent_named(context, handle) for handle in handles]
        given = (context.work, setup_of(board), players, context.player, context.now)
        yield begin_board(*given, rematch_of=board.id)

    def _named(self, context: Context) -> list[str]:
        return [name for team in _with_handles(context, self.seats or ()) for name in team]

    def pinned(self, context: Context) -> str:
        named = ",".join(self._named(context))
        seats = f" -seats={named}" if named else ""
        return f"rematch {context.board(self.board).id}{seats}"
