"""Asks a player who is to take over the seats of another one."""

from pbm.commands.turn import Turn
from pbm.events.board import SubstituteAsked
from pbm.mail.keys import new_token, token_digest
from pbm.play.limits import CHALLENGE_STANDS
from pbm.play.offers import SUBSTITUTE
from pbm.play.subjects import question_subject
from pbm.service.telling.announce import shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.asking import ErrandStatus
from pbm.store.values.mails import Kind


def ask_guest(turn: Turn, event: SubstituteAsked) -> None:
    """Mail the board to the guest, with the question whether to play on there."""
    work, number, until = turn.work, event.board_id, turn.now + CHALLENGE_STANDS
    board, guest = work.boards.get(number), work.players.get(event.guest)
    lines = (f"accept {SUBSTITUTE} {number}",)
    errand = work.questions.add_errand(
        guest.id, number, lines, (), turn.now, status=ErrandStatus.HELD
    )
    kept = {"errands": [errand], "no": [f"reject {SUBSTITUTE} {number}"], "origin": None}
    by, token = board.handle_of(event.player), new_token()
    work.questions.ask(
        *("confirm", guest.address, token_digest(token), kept, turn.now, until, guest)
    )
    told = {**shown_to(turn, guest, board), "by": by, "until": f"{until:%Y-%m-%d}"}
    subject = question_subject(f"play on for {by}")
    MailWriter(turn).question(guest, SUBSTITUTE, subject, told, token, kind=Kind.NOTICE)
