"""The commands that begin a game, or keep it from beginning."""

from collections.abc import Iterator, Sequence

from pbm.commands.context import Context
from pbm.commands.declare import Chosen, Command, flag, game_options, operand, option
from pbm.commands.invite import check_invitations
from pbm.commands.words import ME, BoardKind, BoardRef, Opponent, Rounds
from pbm.errors import Refusal
from pbm.events import Answered, Event, Invited
from pbm.mail.address import address_key
from pbm.play.begin import begin_board
from pbm.play.boards import Setup, setup_of
from pbm.play.decline import decline_board
from pbm.play.matches import last_of_match, next_seating
from pbm.rules.contract import completed
from pbm.store.values import Board, Player

_TEAMS, _SEATS_IN_TEAMS = 2, 4


class Challenge(Command):
    """Start a game with others; everybody gets the board at once.

    The first player named sits at seat 1 and moves first. With one name you are seat 1 and
    the other is seat 2. With two names or more yours must be among them; `me` is you.
    Whoever does not want to play answers `decline`. What you write below the command goes
    to all of them.

    {game} -random draws lots for the seats. -rounds=2 plays a match
    of two games, one after the other, in each of which the next player begins.

    Somebody who does not play here yet is invited by mail address instead of a handle. We ask
    that person once, and never again; the board starts when all who were asked have said yes. Your
    words wait until then: somebody who has not said yes does not get them. If one has not answered
    within three days, the game is off, and you are told.

    Until somebody has moved or written there, you can have three games going with that player
    that you began. Begin ten games a day at most, until others have moved in five of yours.
    """

    words = ("challenge",)
    prefix = "chall"
    group = "lobby"
    examples = (
        "challenge bob",
        "challenge me bob carol",
        "challenge dave@example.org",
        "challenge bob -rounds=2",
    )

    opponents: tuple[str, ...] = operand(Opponent(), many=True)
    chosen: Chosen = game_options(lambda game: game.info.options)
    random: bool = flag("random")
    rounds: int | None = option("rounds", Rounds())

    def run(self, context: Context) -> Iterator[Event]:
        """Seat the players and start the board, or ask those who don't play here yet."""
        setup = self._setup()
        names = self._names(context)
        setup.position(len(names))
        addresses = tuple(name for name in names if "@" in name)
        known = {
            name: _opponent(context, name, by_address=True) for name in names if "@" not in name
        }
        if addresses:
            check_invitations(context, addresses)
            yield Answered("invited", {"title": "your invitation", "addresses": list(addresses)})
            yield Invited(self._line(names), addresses, self.game.info.name)
            return
        players = [known[name] for name in self._seating(names, context)]
        yield from begin_board(
            context.work,
            setup,
            players,
            context.player,
            context.now,
            is_agreed=context.is_agreed,
        )

    def pinned(self, context: Context) -> str:
        """Name the same players later."""
        return self._line(self._names(context))

    def _setup(self) -> Setup:
        """The game and the way to play. Raises Refusal."""
        info = self.game.info
        chosen = self.chosen.options()
        if self._has_partners:
            if self._partners is None:
                raise Refusal("no-partners", title=info.title)
            chosen[self._partners] = True
        return Setup(info.name, completed(info.options, chosen), self.rounds)

    @property
    def _in_teams(self) -> bool:
        chosen = any(option.partners for option, _, _ in self.chosen.found)
        return chosen or (self._has_partners and self._partners is not None)

    @property
    def _partners(self) -> str | None:
        """The option for partners who are written with a +, if the game has one."""
        return next((item.name for item in self.game.info.options if item.partners), None)

    @property
    def _has_partners(self) -> bool:
        return any(_are_partners(name) for name in self.opponents)

    def _line(self, names: list[str]) -> str:
        partners = f"-{self._partners}"
        options = dict.fromkeys(self.chosen.written())
        if self._in_teams:
            options[partners] = None
        if self._has_partners and len(names) == _SEATS_IN_TEAMS:
            options.pop(partners, None)
            one, two, three, four = names
            names = [f"{one}+{three}", f"{two}+{four}"]
        if self.random:
            options["-random"] = None
        if self.rounds:
            options[f"-rounds={self.rounds}"] = None
        return self.of_its_game(" ".join([self.words[0], *options, *names]))

    def _names(self, context: Context) -> list[str]:
        """The handles in the order of the seats, and the addresses of those who have none."""
        own = context.player.handle
        named = _one_by_one(self.opponents)
        names = [own if name == ME else _known(context, name) for name in named]
        if len(names) == 1 and names != [own]:
            names = [own, *names]
        if len({name.lower() for name in names}) < len(names) or len(names) == 1:
            raise Refusal("challenge-same-player")
        if own not in names:
            others = named[1:] if self._in_teams and len(named) == _SEATS_IN_TEAMS else named
            raise Refusal("challenge-without-you", line=self._line([ME, *others]))
        if len(names) > max(self.game.info.seats):
            raise Refusal("challenge-too-many", most=max(self.game.info.seats))
        return names

    def _seating(self, names: list[str], context: Context) -> list[str]:
        """The names in the order of the seats, by lot if that is wanted; partners stay partners."""
        if not self.random:
            return names
        if not self._has_partners:
            return context.shuffled(names)
        teams = [context.shuffled(names[0::2]), context.shuffled(names[1::2])]
        first, second = (teams[int(place)] for place in context.shuffled("01"))
        return [first[0], second[0], first[1], second[1]]


def _are_partners(name: str) -> bool:
    return "+" in name and "@" not in name


def _one_by_one(names: Sequence[str]) -> list[str]:
    """The names in the order of the seats: partners, written with a +, sit opposite each other."""
    if not any(_are_partners(name) for name in names):
        return list(names)
    if len(names) != _TEAMS or not all(_are_partners(name) for name in names):
        raise Refusal("bad-partners")
    (one, three), (two, four) = (name.split("+") for name in names)
    return [one, two, three, four]


def _known(context: Context, name: str) -> str:
    """The handle of somebody named by an address, if there is one."""
    player = context.work.players.by_address(address_key(name)) if "@" in name else None
    return player.handle if player else name


def _opponent(context: Context, handle: str, *, by_address: bool = False) -> Player:
    """`by_address`: an address would do as well. Raises Refusal for nobody who can play."""
    player = context.work.players.by_handle(handle)
    if player is None or player.status == "removed":
        raise Refusal("no-such-player", handle=handle, by_address=by_address)
    if player.status != "active":
        raise Refusal("player-away", handle=handle)
    return player


class Decline(Command):
    """Leave a board before your first move, without a trace.

    The board is closed and counts for nothing. Where two or more others remain, they start
    a new board without you. In a later round of a match the match ends, with its score so far.

    A first move that is not made within seven days is a decline, too. After two days you get a
    reminder.
    """

    takes_login = True
    words = ("decline",)
    group = "lobby"
    examples = ("decline", "decline 12")

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Close the board."""
        board = context.own_board(self.board)
        player = context.player
        if board.has_moved(player.id):
            raise Refusal("decline-too-late", number=board.id)
        if player.id not in board.still_in:
            raise Refusal("already-out", number=board.id)
        yield from decline_board(context.work, board, player, context.now)

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"decline {context.own_board(self.board).id}"


class Rematch(Command):
    """Start the same game again with the same players, once it is over.

    The seats move on by one, so that the next player begins. A match is played again as a whole.
    Whoever does not want to play answers `decline`.
    """

    takes_login = True
    words = ("rematch",)
    group = "lobby"
    examples = ("rematch", "rematch 12")

    board: BoardRef | None = operand(BoardKind(), optional=True)

    def run(self, context: Context) -> Iterator[Event]:
        """Start it, once."""
        named = context.board(self.board)
        # Locked, so that two players who ask at once do not start two of them.
        board = context.work.boards.get(last_of_match(context.work, named).id, lock=True)
        if board.from_record or not board.seats_of(context.player.id):
            raise Refusal("not-your-board", number=named.id)
        if board.status != "finished":
            match = board.id != named.id
            raise Refusal("no-rematch-yet", number=board.id, playing=board.playing, match=match)
        going = [item.id for item in context.work.boards.rematches(board.id) if _counts(item)]
        if going:
            raise Refusal("rematch-already", number=board.id, other=going[0])
        handles = [board.handle_of(player_id) for player_id in next_seating(board)]
        players = [_opponent(context, handle) for handle in handles]
        setup = setup_of(board)
        yield from begin_board(
            context.work,
            setup,
            players,
            context.player,
            context.now,
            rematch_of=board.id,
            is_agreed=context.is_agreed,
        )

    def pinned(self, context: Context) -> str:
        """Name the board."""
        return f"rematch {context.board(self.board).id}"


def _counts(board: Board) -> bool:
    """Whether a rematch was not declined."""
    return board.status != "closed"
