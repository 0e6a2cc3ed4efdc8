"""Turns requests in plain words, such as "I give up", into commands.

A command that only reads is run. Before any other command is run, the sender is asked, since the
words may be misunderstood. The other players do not get these words.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from pbm.commands.families.help import Help
from pbm.commands.families.status import Status
from pbm.commands.families.watch import covering
from pbm.commands.language.declare import Command
from pbm.commands.language.words import is_handle
from pbm.commands.registry import COMMAND_WORDS, begun_by, parse_line, read_commands
from pbm.commands.script import Script, is_bare_no
from pbm.commands.sentences.asked import Aim, aim_of, card_lines
from pbm.commands.sentences.clauses import words_of
from pbm.commands.sentences.intentions import (
    Intention,
    Meant,
    Understood,
    address_invited,
    days_away,
    handle_told,
    one_line,
    topic_asked,
    understand,
)
from pbm.commands.sentences.topics import Named, Topic, Wish, how_often, topic_of, with_owners
from pbm.events import Answered
from pbm.rules.contract import Game
from pbm.rules.registry import default_game
from pbm.service.telling.announce import others_reading
from pbm.service.understanding.mail_turn import Known, Reading

_WISHED = {aim: Intention[aim.name] for aim in (Aim.TAKE_BACK, Aim.PAUSE, Aim.RESIGN)}
_WISHES = frozenset(
    (Intention.RESIGN, Intention.DRAW, Intention.TAKE_BACK, Intention.AGAIN, Intention.LEAVE)
)
_EXPLAINED = (Intention.TOURNAMENT, Intention.STATE)
_FEW_WORDS = 4  # of a stranger's question that needs a help page
_MOST_SAID = 60  # words that may be about a command
_MOST_NUMBERS = 3  # that may be boards
_DIGITS = 10  # too many of a board's number
_MOST_CARDS = 3  # in an answer to a mail to no board
_OF_A_BOARD = frozenset(("colours", "time", "show"))  # lines of the card that differ
_LOOKS = ("help", "stop", "games", "settings", "hint", "plan", "note", "replay")  # they need no yes
_DEEDS = frozenset(
    item for item in Intention if item.line and item.line not in _LOOKS and "help" not in item.line
)


def read_wish(known: Known, script: Script) -> Reading | None:
    """Return a reading with the commands that a mail's plain words ask for, or None."""
    told = None if script.commands or script.problem else handle_told(script.comment)
    if told and _is_name(known, *told):
        return _perhaps_message(known, script, told[0])
    said = _understood(script)
    if said is None and not known.hints and not script.commands and not script.problem:
        guessed = _with_details(known, script)
        topic = topic_asked(script.said or (script.heading,))
        if guessed or topic is None:
            return guessed or status_asked(known, script)
        said = Understood((topic,), ())
    if said is None:
        return None
    number = known.number
    meant = [item for item in said.meant if not _is_talk(known, item)]
    game = known.game_meant
    deeds = [item for item in meant if item.intention in _DEEDS and not item.asks_how]
    asked = next((item.intention for item in meant if item.intention in _EXPLAINED), None)
    if asked and not deeds:
        return Reading(answer=Answered("explained", {"about": asked}, number))
    lines: dict[str, Meant] = {}
    for item in deeds or meant:
        lines.setdefault(_line(item, number, game), item)
    if not lines:
        return None
    commands = tuple(_command(line, item, game) for line, item in lines.items())
    guess = None
    if deeds and (said.rest or not all(_concerns_nobody(known, item) for item in deeds)):
        only = known.mine or known.meant()
        guess = _guess(lines.values(), only.id if only else None)
    return Reading(commands, said.rest, guess=guess)


def read_topic(known: Known, script: Script) -> Reading | None:
    """Return a reading of words about what a command does; None for other words.

    These are watching games of others, notes, handing a seat over, and how commands work.
    """
    words, problem = script.said or (script.heading,), script.problem
    text = " ".join(words).casefold().replace("'", " ").replace("’", " ")
    said = with_owners(words_of(text))
    is_option = problem and problem.params.get("reason") == "option"
    if script.commands or is_option or len(said) > _MOST_SAID:
        return None
    handles = {word for word in said if is_handle(word)} - {known.player.handle}
    numbers = [word for word in said if word.isascii() and word.isdigit() and len(word) < _DIGITS]
    named = Named(numbers, handles, handles, handles, in_game=known.mine is not None)
    topic = topic_of(words, named, COMMAND_WORDS)
    if topic and topic.wish is not Wish.HOW:
        boards = [word for word in numbers[:_MOST_NUMBERS] if known.work.boards.find(int(word))]
        called = {word for word in handles if re.search(rf"\b{word},|, {word}\b", text)}
        players = known.work.players.active_among(handles - called)
        own = [int(word) for word in boards if known.sits_at(int(word))]
        seats = known.mine.seats if known.mine else ()
        guests = players - {seat.handle for seat in seats}
        others = [word for word in boards if int(word) not in own]
        followed = _followed(known) if players and topic.wish is Wish.UNWATCH else ()
        named = replace(named, boards=others, players=players, guests=guests, followed=followed)
        topic = topic_of(words, named, COMMAND_WORDS)
        meant = topic and _line_for(known, topic, named, *own, how=how_often(words), said=said)
    else:
        meant = topic and f"help {topic.page}"
    if not (topic and meant) or (topic.wish is Wish.HOW and _understood(script)):
        return None
    if topic.wish is Wish.SUBSTITUTE and problem and problem.code == "syntax":
        return None  # "substitute dora@example.org" is told what is wrong
    command = parse_line(meant)
    if not isinstance(command, Command):
        return None
    command.line = one_line(words)
    verb, *about = meant.split()
    if command.reads_only or topic.wish in (Wish.UNWATCH, Wish.NOTED):
        return Reading((command,))
    on = int(about[0]) if about and about[0].isdigit() else None
    handle = next((word for word in about if word in handles), None)
    told = "note none" if verb == "note" and topic.wish is Wish.ERASE else verb
    deeds = [{"command": told, "number": on, "handle": handle}]
    wrote, in_game = [one_line(words)], named.in_game
    guess = {"section": "meant", "wrote": wrote, "deeds": deeds, "in_game": in_game}
    return Reading((command,), tuple(filter(None, topic.words.split("\n"))), guess=guess)


def _line_for(
    known: Known, topic: Topic, named: Named, *own: int, how: str, said: Sequence[str]
) -> str:
    """Return the line of a command that does what is wanted, or shows its page."""
    target = next((word for word in said if word in {*named.boards, *named.players}), "")
    number, page = next(iter(own), known.number), f"help {topic.page}"
    if topic.wish is Wish.UNWATCH:
        covers = known.mine is None and covering(known)
        return "unwatch" if covers else f"unwatch {target}" if target else page * named.in_game
    if topic.wish is Wish.WATCH and target:
        verb = "notify" if how == "over" else "watch"
        return f"{verb} {target}{' -moves' if how == 'moves' else ''}"
    if topic.wish is Wish.SUBSTITUTE and len(named.guests) == 1 and number:
        return f"substitute {number} {next(iter(named.guests))}"
    if topic.page in ("note", "plan") and number and topic.wish is not Wish.HOW:
        board = known.work.boards.get(number)
        if topic.page == "plan" and not known.work.plans.find(board, known.player_id):
            return ""  # it is one that its author only has in mind
        return f"{topic.page} {number}{' none' if topic.wish is Wish.ERASE else ''}"
    return page


def _followed(known: Known) -> set[str]:
    watched = known.work.watchings.of_watcher(known.player_id)
    return {known.work.players.get(it.followed_id).handle for it in watched if it.followed_id}


def _is_name(known: Known, word: str, sure: bool) -> bool:
    others = {word} - {known.player.handle}
    return bool(others) and (sure or bool(known.work.players.handles_among(others)))


def _perhaps_message(known: Known, script: Script, handle: str) -> Reading:
    """Return a reading of "tell carol that I am ill", which nobody gets unasked."""
    if known.mine is None:
        return Reading(read_commands(["help message"]))
    number, words = known.mine.id, script.comment
    known.work.questions.hold_words(known.player_id, number, words, known.now)
    told = {"number": number, "handle": handle, "comment": list(words)}
    return Reading(answer=Answered("perhaps-message", told, number))


def read_question(known: Known, said: Reading) -> Reading | None:
    """Return a reading of words to a board's players that ask something; None for other words.

    What only the server can do is asked about. Questions to the server are marked.
    """
    if said.commands or said.problem or said.guess or said.answer:
        return None
    board = known.mine
    if board is None:
        return None
    others = [seat.handle for seat in board.seats if seat.player_id != known.player_id]
    aim = aim_of(said.comment, others[0] if len(others) == 1 else "")
    if aim is Aim.OTHERS:
        return None
    wish = _WISHED.get(aim)
    can_be = board.has_moved(known.player_id) or wish is not Intention.TAKE_BACK
    if wish and board.playing and can_be:
        return _asking(known, Meant(wish, False, board.id, one_line(said.comment)))
    if aim is Aim.EITHER or not known.turn.claim or others_reading(board, known.player_id):
        aside = said.aside if aim is Aim.EITHER else None  # it would say that the words went out
        return replace(said, aim=aim if aim is Aim.EITHER else Aim.SERVER, aside=aside)
    return _answering([f"status {board.id}"], said.comment)


def status_asked(known: Known, script: Script) -> Reading | None:
    """Return a reading of a question to the server in a mail to no board; None for other words."""
    asked = script.said or (script.heading,)
    has_command = any(isinstance(parse_line(line), Command) for line in asked)
    if has_command or aim_of(asked) in (Aim.OTHERS, Aim.EITHER):
        return None
    pages = card_lines(asked)
    boards = known.work.boards.of_player(known.player_id, playing=True, most=_MOST_CARDS + 1)
    lines = [f"status {number}" for number in sorted(board.id for board in boards)]
    if not lines or _OF_A_BOARD.isdisjoint(pages or _OF_A_BOARD):
        lines = [f"help {page}" for page in pages[:_MOST_CARDS]] or ["help"]
    return _answering(lines if len(lines) <= _MOST_CARDS else ["games"], asked)


def _answering(lines: Sequence[str], asked: Sequence[str]) -> Reading:
    """Return a reading that answers questions with what `lines` bring."""
    commands = read_commands(lines)
    for command in commands:
        if isinstance(command, Status):
            command.asked = tuple(asked)
    return Reading(commands)


def _with_details(known: Known, script: Script) -> Reading | None:
    """Return a reading of words with an address to invite, or days of an absence, or None."""
    address, line = address_invited(script.said), vacation_line(script.said)
    if not (address or line):
        return None
    wish = Intention.AGAINST if address else Intention.AWAY
    meant = Meant(wish, False, None, one_line(script.said), address)
    return _asking(known, meant, "" if address else line or "")


def _asking(known: Known, meant: Meant, line: str = "") -> Reading:
    """Return the reading that asks whether a request is meant, or shows the help page in `line`."""
    game = known.game_meant
    command = _command(line or _line(meant, None, game), meant, game)
    guess = None if isinstance(command, Help) else _guess([meant], None)
    return Reading((command,), guess=guess)


def vacation_line(lines: Sequence[str]) -> str | None:
    """Return a `vacation` or `help vacation` line for a sender who will be away; else None."""
    days = days_away(lines)
    if days is None:
        return None
    line = f"vacation {days}"
    return line if days and isinstance(parse_line(line), Command) else "help vacation"


def only_wishes(line: str) -> bool:
    """Return whether a line consists of requests such as "draw?", and has no other words."""
    said = understand((line,))
    return (
        said is not None
        and not said.rest
        and all(meant.intention in _WISHES and not meant.asks_how for meant in said.meant)
    )


def page_meant(script: Script) -> str | None:
    """Return the help page that a newcomer's words ask for ("" is the main page), or None."""
    said = _understood(script)
    asked = [_line(item, None, default_game()).split() for item in said.meant] if said else []
    page = next((" ".join(line[1:]) for line in asked if line[:1] == ["help"]), None)
    lines = script.said or (script.heading,)
    asks = (
        not script.commands
        and len(words_of(" ".join(lines))) <= _FEW_WORDS
        and aim_of(lines) is Aim.SERVER
    )
    return "" if page == "tutorial" or (page is None and asks) else page


def pairs_meant(script: Script) -> bool:
    """Return whether a script's words ask to be paired with an opponent, and for nothing else."""
    said = _understood(script)
    found = said.meant if said else ()
    return bool(found) and all(
        item.intention is Intention.PAIR and not item.asks_how for item in found
    )


def read_decline(known: Known, words: Script) -> Reading | None:
    """Return a reading that asks whether a mere "no" means `decline`; None if it cannot."""
    board, player = known.mine, known.player_id
    if board is None or board.open_offers or not is_bare_no(words):
        return None
    if not board.playing or board.has_moved(player) or player not in board.still_in:
        return None
    return _asking(known, Meant(Intention.DECLINE, False, board.id, one_line(words.comment)))


def _understood(script: Script) -> Understood | None:
    """Return the requests in a script's words. If the words have none, the subject is read."""
    if script.commands:  # "help me out" reads as a command
        first, *others = script.commands
        names_page = isinstance(first, Help) and (first.subject or "").isalnum()
        only_looks = first.reads_only and not names_page and not others
        return _requests_alone(first.line, script.comment) if only_looks else None
    if script.problem and script.problem.code == "too-many-commands":
        return None  # the words were read as commands
    if script.problem:
        return understand((script.problem.line, *script.comment))
    return understand(script.comment) or _requests_alone(script.heading, script.comment)


def _requests_alone(line: str, words: tuple[str, ...]) -> Understood | None:
    """Return the requests in `line`; None if the line has any other words."""
    said = understand((line,))
    return replace(said, rest=words) if said and not said.rest else None


def _is_talk(known: Known, meant: Meant) -> bool:
    """Return whether a request is probably addressed to the other players, such as "You win"."""
    board = known.mine
    if meant.intention in (Intention.ANYONE, Intention.ROBOTS, Intention.FEWER):  # "Who plays?"
        return board is not None
    if meant.intention in (Intention.CONFIRM, Intention.DROP_MOVE):
        return not known.work.questions.submitted(known.player_id)
    if meant.intention is Intention.HINT:  # other people on the board may be asked
        seats = board.seats if board else ()
        return any(not seat.robot and seat.player_id != known.player_id for seat in seats)
    if meant.intention is Intention.AGAINST:
        return board is not None or known.work.players.by_handle(meant.handle or "") is None
    is_over = board is None or not board.playing
    if meant.intention is Intention.ONCE_MORE:
        return not is_over
    if meant.intention is Intention.DECLINE:
        return is_over and board is not None
    return is_over and meant.intention is Intention.LOST


def _concerns_nobody(known: Known, meant: Meant) -> bool:
    """Return whether a deed needs no yes, as it concerns no other person: a game with a robot."""
    if known.turn.claim or meant.intention is not Intention.AGAINST:
        return False
    other = known.work.players.by_handle(meant.handle or "")
    return other is not None and bool(other.robot)


def _line(meant: Meant, number: int | None, game: Game) -> str:
    intention, board = meant.intention, meant.board or number
    if intention is Intention.RULES:
        return f"help {game.info.name}"
    word, _, more = intention.line.partition(" ")
    if meant.asks_how and intention in _DEEDS:
        return f"help {word}"
    named = board if any(item.about_board for item in begun_by(intention.line)) else None
    return " ".join(map(str, filter(None, (word, named, more, meant.handle))))


def _command(line: str, meant: Meant, game: Game) -> Command:
    """Parse the command `line` for the request `meant`. A refusal quotes the sender's words."""
    command = parse_line(line, game)
    assert isinstance(command, Command)
    command.line = meant.wrote
    return command


def _guess(deeds: Collection[Meant], number: int | None) -> dict[str, object]:
    """Return the mail section that asks whether the requests `deeds` are meant."""
    asked = [
        {
            "command": item.intention.line.split()[0],
            "number": item.board or number,
            "handle": item.handle,
        }
        for item in deeds
    ]
    return {"section": "meant", "wrote": [item.wrote for item in deeds], "deeds": asked}
