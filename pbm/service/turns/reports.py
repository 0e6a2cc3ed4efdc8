"""What a player reports goes to the operator at once."""

from pbm.events import Reported
from pbm.plain import to_plain
from pbm.play.turn import Turn
from pbm.service.turns.mail_writer import MailWriter


def pass_on(turn: Turn, event: Reported) -> None:
    """Mail a report to the operator; without one it is kept, and `pbm-admin reports` shows it."""
    if not turn.site.operator:
        return
    board = turn.work.boards.get(event.about)
    told = {**to_plain(event), "players": [seat.handle for seat in board.seats]}
    subject = f"{event.handle} reports board {event.about}"
    MailWriter(turn).notice(turn.site.operator, "report-operator", subject, told)
