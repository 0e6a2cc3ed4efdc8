"""Newcomers: mails from unknown addresses, answers to the welcome, and challenges to guests.

The welcome asks an unknown address whether it wants to play. A guest is somebody whom a player
challenges by mail address. Handlers return the outcome in words.
"""

from dataclasses import replace
from typing import Any

from pbm.addresses import address_key
from pbm.commands.auth import Answerer, is_open
from pbm.commands.families.account import SignUp
from pbm.commands.families.help import Help
from pbm.commands.families.lobby import Challenge, challenged_answer
from pbm.commands.families.seeks import Join, Play, SeekOthers
from pbm.commands.language.context import Context
from pbm.commands.language.words import ME, lowered
from pbm.commands.registry import parse_line, read_commands
from pbm.commands.script import Script, answer_to_welcome, begins_answer, read_script, wants_no_mail
from pbm.commands.sentences.agreeing import WELCOME, Asked
from pbm.commands.sentences.answers import name_alone, name_given, puts_off
from pbm.commands.sentences.intentions import asks_who
from pbm.commands.turn import Turn
from pbm.errors import Refusal
from pbm.events import Answered, Event, Proposed
from pbm.passwords import PasswordHash
from pbm.play.begin import robot_to_begin_with
from pbm.play.challenges import go_on, seat_guest
from pbm.play.limits import ASIDE, has_said_no
from pbm.play.listings import open_seeks
from pbm.rules.registry import default_game, game_named
from pbm.service.accounts import check_new_handle, choose_handle, suggest_handle
from pbm.service.asking.challenges import FIRST_GAMES, FirstGame, ask_signup, first_game_kept
from pbm.service.asking.questions import (
    ask_once_more,
    hash_of_first,
    stored_password,
    takes_unclear,
    within_rate,
    words_read,
)
from pbm.service.obeying.obey import apart, obey, tell
from pbm.service.obeying.scripts import giving_back, problem_answer, refused, run_script
from pbm.service.telling.mail_writer import MailWriter, answers_left
from pbm.service.understanding.mail_turn import MailTurn, Reading
from pbm.service.understanding.wishes import page_meant, pairs_meant
from pbm.store.db import UnitOfWork
from pbm.store.repositories.history import MOST_MEETINGS
from pbm.store.values.asking import PendingChallenge, Question
from pbm.store.values.players import Player

_WITH_ANOTHER_LEFT = 2  # answers left today
_LONGEST_LINE = 200  # characters of a stored line
_MOST_OFFERED = 5  # seeks
_LINES_BELOW = 2  # lines below the command that may ask for something
_CALLED_OFF = Answered("invitation-off", {})  # to a guest


def answer_stranger(turn: MailTurn, author: str) -> str:
    context = turn.context(None)
    left = answers_left(turn, author)
    if not left:
        return f"nothing: {author} had its answers for today"
    if not turn.cause.answer_counted and not ASIDE.take(turn.work, turn.now):
        return f"nothing: {author} is a stranger, and no answer to strangers is left"
    if wants_no_mail(turn.subject, turn.envelope.said):
        return say_goodbye(turn, author)
    script = turn.script(context)
    if help_stranger(context, author, script):
        return "helped a stranger"
    signs_up = signup_of(script)
    handle, problem = choose_handle(turn.work, author, signs_up.handle if signs_up else None)
    problem = problem or misread_signup(script)
    if not script.commands and asks_who(turn.envelope.said):
        problem = who_asks(turn, None)
    kept: PasswordHash | None = None
    try:
        kept = hash_of_first(turn, signs_up)
    except Refusal as refusal:
        problem = problem or refusal
    first_game = _first_game(turn.work, script)
    others = () if first_game else script.commands[1:]
    page = page_meant(script)
    asked = [item.words[0] for item in script.commands if not isinstance(item, Help)]
    ask_signup(
        *(turn, author, handle, problem),
        last=left == 1,
        more=signs_up is not None and bool(others or script.comment),
        # After `signup`, `more` mentions the other commands.
        asked=() if first_game or signs_up else list(dict.fromkeys(asked)),
        help=None if page is None else str(context.help_page(page)["text"]),
        kept=kept,
        first_game=first_game,
    )
    return f"asked {author} to play as {handle}"


def help_stranger(context: Context, author: str, script: Script) -> bool:
    """Send the help page that the first command asks for. Returns whether a page was sent."""
    first = script.commands[0] if script.commands else None
    left = answers_left(context.turn, author)
    # The day's last answer is the welcome, since that still lets them sign up.
    if not isinstance(first, Help) or left < _WITH_ANOTHER_LEFT:
        return False
    try:
        told = [event for event in first.run(context) if isinstance(event, Answered)]
    except Refusal:
        return False
    sections = [{"section": item.section, **item.params} for item in told]
    MailWriter(context.turn).answer(author, sections)
    return True


def say_goodbye(turn: Turn, address: str) -> str:
    """Confirm to an address that it gets no more mail."""
    section = {"section": "goodbye", "for_good": has_said_no(turn.work, address)}
    MailWriter(turn).answer(address, [section])
    return f"{address} does not want to play"


def _first_game(work: UnitOfWork, script: Script) -> FirstGame | None:
    """Return the game that a newcomer's script asks for, None if it asks for no game or several."""
    if not script.commands:
        pairs = pairs_meant(script)
        return FirstGame(default_game().info.name, Play.words[0]) if pairs else None
    below = map(parse_line, script.comment[:_LINES_BELOW])
    others = [item for item in script.commands if not isinstance(item, SignUp)]
    asked = [*others, *(item for item in below if item is not None)]
    first = asked[0] if asked else None
    if isinstance(first, Play) and all(isinstance(item, Play) for item in asked):
        return FirstGame(first.game.info.name, Play.words[0])
    if not isinstance(first, Challenge | Join) or len(asked) > 1 or len(first.line) > _LONGEST_LINE:
        return None
    game, line = first.game.info.name, first.of_its_game(first.line)
    if isinstance(first, SeekOthers | Join):
        return FirstGame(game, line)
    robots = _robots_challenged(work, first)
    return FirstGame(game, line, robots) if robots else None


def _robots_challenged(work: UnitOfWork, challenge: Challenge) -> tuple[str, ...]:
    """Return the handles of the challenged players if all are robots, else an empty tuple."""
    teams = (*challenge.opponents, *(challenge.seats or ()))
    names = {name for team in teams for name in team} - {ME}
    found = [work.players.by_handle(name) for name in sorted(names) if "@" not in name]
    robots = tuple(player.handle for player in found if player is not None and player.robot)
    return robots if len(robots) == len(names) else ()


def signup_of(script: Script) -> SignUp | None:
    first = script.commands[0] if script.commands else None
    return first if isinstance(first, SignUp) else None


def misread_signup(script: Script) -> Refusal | None:
    problem = script.problem
    if problem is None or problem.params.get("command") != SignUp.words[0]:
        return None
    return Refusal(problem.code, **problem.params)


def settle_signup(turn: MailTurn, speaker: Answerer) -> str:
    question = speaker.question
    work, address = turn.work, question.address
    script = turn.script(turn.context(None))
    yes, rest = answer_to_welcome(turn.envelope.said, _asked(turn, question))
    first = next(filter(str.strip, turn.envelope.said), "")
    said = " ".join(turn.envelope.said).strip().rstrip(".!")
    # The offered name is a yes, too, but only a plain yes sets a password.
    if yes is None and question.password is None and _is_offered(question, said):
        yes, rest = True, ()
    name = name_given(first)  # "No, call me marta" is not a no
    name = None if yes and _is_offered(question, name) else name
    if wants_no_mail(turn.subject, ()) or (yes is False and not name):
        return _settle_no(turn, question)
    if help_stranger(turn.context(None), address, script):
        return "helped a stranger"
    signs_up = None if yes else signup_of(script)
    stored = stored_password(turn.site.keyring, question)
    try:
        if not is_open(question, turn.arrived):
            raise Refusal("question-closed")
        if name or not (yes or signs_up):
            if misread := misread_signup(script):
                raise misread
            if not name and asks_who(turn.envelope.said, _inviter(turn, question)):
                raise who_asks(turn, invited_to(turn, question))
            name = name or (None if begins_answer(turn.envelope.said) else name_alone(first))
            return _ask_back(turn, question, name, speaker.token)
        handle = signs_up.handle if signs_up else question.params["handle"]
        check_new_handle(work, handle)
        kept = hash_of_first(turn, signs_up) if signs_up else stored
    except Refusal as refusal:
        handle, taken = choose_handle(work, address, question.params["handle"])
        handle = suggest_handle(work, address) if taken else handle
        return _ask(turn, question, handle, refusal, kept=stored)
    player = work.players.add(handle, address, turn.now)
    if kept:
        work.players.set_password(player.id, kept)
        player = work.players.get(player.id)
    work.questions.settle(question, "yes")
    _welcome(turn, speaker, player, rest[1:] if signs_up else rest)
    return f"{handle} signed up"


def handle_again(turn: MailTurn, speaker: Answerer, player: Player) -> str:
    """Handle an answer to the welcome from somebody who has signed up already."""
    question = speaker.question
    context = turn.context(player)
    script = turn.script(context)
    yes, rest = answer_to_welcome(turn.envelope.said, _asked(turn, question))
    if yes is False and script.commands:
        yes = None  # for a player, "stop" and "delete" are commands
    challenge = invited_to(turn, question) if is_open(question, turn.arrived) else None
    if challenge and player.is_active and yes is None and turn.is_unclear(script):
        inviter = challenge.handle_of(challenge.by_id)
        asks = asks_who(turn.envelope.said, inviter)
        about = {"inviter": inviter, "who": who_asks(turn, challenge).params if asks else None}
        return f"{player.handle}: {ask_once_more(turn, player, question, speaker.token, about)}"
    if yes is None or rest or not player.is_active:
        script = script if yes is None else turn.held(read_script("", rest, in_answer=False))
        return obey(context, script, proven=speaker.proven)
    if challenge is None:
        told = [Answered("signed-up", {"handle": player.handle, "again": True})]
        if question.params["invitation"] and is_open(question, turn.arrived):
            told.append(_CALLED_OFF)
        tell(context, told)
        return f"{player.handle} has signed up already"
    work = turn.work
    work.questions.settle(question, "yes" if yes else "no")
    if not yes:
        call_off(turn, challenge, question, "turned-down")
        tell(context, [Answered("dropped", {})])
        return f"{player.handle} turned an invitation down"
    tell(context, [said_yes(turn, challenge, question, player)])
    start_if_complete(turn, challenge.id)
    return f"{player.handle} took an invitation"


def _welcome(turn: MailTurn, speaker: Answerer, player: Player, rest: tuple[str, ...]) -> None:
    """Greet a new player, obey the commands below the yes (`rest`), and start the wanted game."""
    question = speaker.question
    context = turn.context(player)
    script = turn.held(read_script("", rest, in_answer=False))
    has_one = player.password_hash is not None
    lapsed = question.password is not None and not has_one
    joined: dict[str, Any] = {"handle": player.handle, "password": has_one, "lapsed": lapsed}
    challenge = invited_to(turn, question)
    asks_more = script.commands or script.problem or challenge is not None
    kept = None if asks_more else first_game_kept(question.params)
    if kept is not None:
        script = kept.script
    script, doubtful = apart(script, proven=speaker.proven or kept is not None)
    told: list[Event] = []
    if challenge is not None:
        taken = said_yes(turn, challenge, question, player)
        told.append(replace(taken, params={**taken.params, "is_new": True}))
    elif question.params["invitation"]:
        told.append(_CALLED_OFF)
    if script.problem:
        told.append(problem_answer(context, script.problem, script.comment))
    elif script.commands:
        told += run_script(within_rate(context, script.commands), Reading.of(script))
    begins = any(isinstance(command, FIRST_GAMES) for command in script.commands)
    pairs = any(isinstance(command, Play | SeekOthers) for command in script.commands)
    joined["pairs"] = pairs or kept is not None
    joined["robot"] = None if begins else robot_to_begin_with(turn.work, default_game().info.name)
    offered = open_seeks(turn.work, context.player, turn.now, _MOST_OFFERED)
    joined["open"] = offered["can"]  # after the commands above
    joined["invited"] = challenge is not None
    # To somebody who was invited the game is told first.
    told.insert(challenge is not None, Answered("signed-up", joined))
    tell(context, told)
    if challenge is not None:
        start_if_complete(turn, challenge.id)
    if doubtful.commands:
        obey(context, doubtful, proven=speaker.proven)


def _settle_no(turn: MailTurn, question: Question) -> str:
    """Record the answer "no" to an invitation or to the welcome, even if the question is closed."""
    if question.answer is None:
        turn.work.questions.settle(question, "no")
    challenge = invited_to(turn, question)
    if challenge is not None:
        call_off(turn, challenge, question, "turned-down")
    return say_goodbye(turn, question.address)


def _is_offered(question: Question, name: str | None) -> bool:
    return lowered(name or "") == str(question.params["handle"])


def _asked(turn: MailTurn, question: Question) -> Asked:
    inviter = filter(None, [_inviter(turn, question)])
    return replace(WELCOME, names=turn.names_beside([question.params["handle"], *inviter]))


def _inviter(turn: MailTurn, question: Question) -> str | None:
    challenge = invited_to(turn, question)
    return challenge.handle_of(challenge.by_id) if challenge else None


def _ask_back(turn: MailTurn, question: Question, name: str | None, token: str) -> str:
    """Ask the sender whether to play as `name`. Raises Refusal if `name` is None or not free."""
    if name is None and puts_off("\n".join(turn.envelope.said)):
        told = {"handle": question.params["handle"], "inviter": _inviter(turn, question)}
        outcome = ask_once_more(turn, question.address, question, token, told)
        return f"{question.address}: {outcome}"
    if name is None:
        if not takes_unclear(turn, question):
            return f"nothing: {question.address} said neither yes nor no again"
        raise Refusal("answer-yes", said=words_read(turn))
    handle = lowered(name)
    check_new_handle(turn.work, handle)
    turn.work.questions.forget_password(question)
    more = bool(read_script("", turn.envelope.said[1:], in_answer=False).commands)
    return _ask(turn, question, handle, named=True, more=more)


def _ask(
    turn: MailTurn, question: Question, handle: str, problem: Refusal | None = None, **told: Any
) -> str:
    left = answers_left(turn, question.address)
    if not left:
        return f"nothing: {question.address} had its answers for today"
    ask_signup(
        *(turn, question.address, handle, problem),
        last=left == 1,
        invitation=question.params["invitation"],
        challenge=invited_to(turn, question),
        first_game=first_game_kept(question.params),
        unclear=problem is not None and problem.code == "answer-yes",
        **told,
    )
    return f"asked {question.address} again: {problem.code if problem else handle}"


def invited_to(turn: Turn, question: Question) -> PendingChallenge | None:
    """Return the challenge that a question invites to, if the challenge still waits for guests."""
    number = question.params.get("invitation")
    found = turn.work.challenges.find(number) if number else None
    return found if found and found.command else None


def who_asks(turn: Turn, challenge: PendingChallenge | None) -> Refusal:
    """Return the answer to a sender who asks who we are. It tells a guest of the inviter."""
    if challenge is None:
        return Refusal("who-asks", inviter=None, title=default_game().info.title)
    inviter, history = turn.work.players.get(challenge.by_id), turn.work.history
    return Refusal(
        "who-asks",
        inviter=inviter.handle,
        title=game_named(challenge.setup["game"]).info.title,
        since=str(inviter.joined_at.date()),
        playing=history.playing(inviter.id, most=MOST_MEETINGS),
        over=history.kept_time(inviter.id, most=MOST_MEETINGS)[0],
    )


def said_yes(
    turn: MailTurn, challenge: PendingChallenge, question: Question, player: Player
) -> Answered:
    """Seat a guest who accepted the challenge; return the answer that the guest gets."""
    challenge, waits = seat_guest(turn.work, challenge, address_key(question.address), player)
    inviter = turn.work.players.get(challenge.by_id)
    if not challenge.addresses and not inviter.is_active:
        return _CALLED_OFF
    return Answered("invitation", {"inviter": inviter.handle, "waiting": waits})


def start_if_complete(turn: MailTurn, challenge_id: int) -> None:
    """If all guests have said yes, start the board, as if by a command of the inviter."""
    work = turn.work
    challenge = work.challenges.get(challenge_id)
    if challenge.addresses:
        return
    inviter = work.players.get(challenge.by_id)
    if not inviter.is_active:
        work.challenges.forget(challenge.id)
        _tell_guests(turn, challenge)
        return
    context = replace(turn.context(inviter), hints=())
    try:
        with work.savepoint():
            events = go_on(work, challenge, turn.now)
            turn.postage.count(work, inviter.id, events)
    except Refusal as refusal:
        work.challenges.forget(challenge.id)
        handles = [challenge.handle_of(number) for number in challenge.players]
        line = " ".join((challenge.command or "", *handles))
        answers = [refused(command, refusal, context) for command in read_commands([line])]
        answer = answers[0] if answers else _CALLED_OFF
        tell(context, [giving_back(answer, challenge.comment) if challenge.comment else answer])
        _tell_guests(turn, challenge, all_of_them=True)  # also the one who has just said yes
        return
    for event in [event for event in events if isinstance(event, Proposed)]:
        asked = [player.handle for player in work.players.some(event.players)]
        words = bool(challenge.comment)
        events.insert(0, challenged_answer(asked, first_unsaid=False, words=words))
    tell(context, events)


def call_off(turn: Turn, challenge: PendingChallenge, question: Question, why: str) -> None:
    """Cancel a challenge; tell guests who said yes, and mail the template `why` to the inviter."""
    turn.work.challenges.forget(challenge.id)
    inviter = turn.work.players.get(challenge.by_id)
    if inviter.addresses:
        told = {"address": question.address, "others": len(challenge.seats) > 2}
        MailWriter(turn).tell_or_keep(inviter, why, told)
    _tell_guests(turn, challenge)


def _tell_guests(turn: Turn, challenge: PendingChallenge, *, all_of_them: bool = False) -> None:
    """Tell guests who said yes that the game is off.

    The sender of the mail in hand is told only if `all_of_them` is true.
    """
    off = {"sections": [{"section": _CALLED_OFF.section}], "last": False}
    for guest in turn.work.players.some(challenge.asked):
        if all_of_them or not turn.cause.is_from(*guest.addresses):
            MailWriter(turn).tell_or_keep(guest, "answer", off)
