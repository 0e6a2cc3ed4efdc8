"""Reads the answer to the open offers of a board, such as an offered draw."""

from dataclasses import dataclass, field, replace

from pbm.commands.families.agree import Accept, Reject
from pbm.commands.language.declare import Command
from pbm.commands.registry import read_commands
from pbm.commands.script import Script, is_bare_yes, read_script
from pbm.commands.sentences import answers
from pbm.commands.sentences.agreeing import Asked, agrees, beside_yes
from pbm.events import Answered
from pbm.play.offers import DRAW, TAKEBACK
from pbm.service.understanding.known import Known


@dataclass(frozen=True)
class OfferAnswer:
    """What words say to open offers: a clear yes, a clear no, or something that begins like one."""

    yes: Script | None = None
    no: Script | None = None  # what a no does, unless `others` ask for something
    says_no: bool = False
    others: Script = field(default_factory=Script)  # what stands beside the yes or no


def answering_words(known: Known, script: Script) -> Script | None:
    """Return a script whose comment may be an answer to an offer, or None."""
    if script.problem and script.problem.code == "unclear-move":  # "Yes, K-R"
        script = replace(script, problem=None, comment=script.said)
    if script.commands or script.problem:
        return None
    if known.number is None and not script.said:  # the subject is all that they wrote
        script = replace(script, comment=(script.heading,))
    return script if script.comment else None


def read_offer_answer(known: Known, words: Script) -> OfferAnswer | None:
    """Return the answer to the offers that wait for the sender; None for other words."""
    board = known.mine
    if board is None or not known.asked:
        return None
    kinds = tuple(offer.kind for offer in known.asked if offer.kind in (DRAW, TAKEBACK))
    about, said = Asked(kinds, names=known.names_beside(board)), answers.spoken(words.comment)
    line, below = words.comment[said.lines - 1], words.comment[said.lines :]
    yes = agrees(words.comment, about)
    if not yes and (not said.begins or answers.opts_out(line)):
        return None
    if yes and known.is_shown:
        beside = beside_yes(words.comment, about)
        accepted = replace(words, commands=_answering(known, Accept), comment=beside)
        return OfferAnswer(yes=accepted)
    others = read_script("", (said.rest, *below), in_answer=True, game=known.game_meant)
    no = None
    if not yes and said.no and known.is_shown:
        left = (line, *below) if said.rest else others.comment
        no = replace(words, commands=_answering(known, Reject), comment=left)
    says_no = not yes and answers.says_no(line)
    return OfferAnswer(no=no, says_no=says_no, others=others)


def read_yes_to_nothing(known: Known, words: Script) -> Script | None:
    """Return the script for a yes where no offer waits for the sender, or None."""
    if not is_bare_yes(words):
        return None
    is_thanks = known.mine is None and answers.only_thanks(words.comment)
    return None if is_thanks else Script(answer=yes_to_what(known))


def yes_to_what(known: Known, **more: bool) -> Answered:
    told = {"offers": [offer.kind for offer in known.asked], **more}
    return Answered("bare-yes", told, known.number)


def _answering(known: Known, command: type[Accept | Reject]) -> tuple[Command, ...]:
    offer = next(iter(known.asked))
    ply = f"#{offer.moved}" if offer.kind == TAKEBACK else ""
    return read_commands([f"{command.words[0]} {offer.kind} {known.number}{ply}"])
