"""The answer to a player's mail, and the limit on answers."""

from collections.abc import Sequence

from pbm.events import Answered
from pbm.play.limits import is_paused, limit_reached
from pbm.play.subjects import answer_subject
from pbm.play.turn import Turn
from pbm.service.telling.announce import shown_to
from pbm.service.telling.mail_writer import MailWriter
from pbm.store.values.players import Player


def announce_answer(turn: Turn, player: Player, sections: Sequence[Answered]) -> bool:
    """Write one answer with all sections, in a board's thread if it is about one board.

    Returns False if the player is over the limit of answers.
    """
    if not sections or not player.addresses:
        return True
    if not may_answer(turn, player):
        return False
    numbers = {section.board_id for section in sections}
    # Sections about no board join the thread of the only board, unless a section shows boards.
    if len(numbers) > 1 and not any(section.boards for section in sections):
        numbers.discard(None)
    number = numbers.pop() if len(numbers) == 1 else None
    # Sections with boards come last, so that a state line is the last line of the mail.
    told = [
        {"section": section.section, **section.params}
        for section in sorted(sections, key=lambda section: bool(section.boards))
    ]
    if number is None:
        shown = [board for section in sections for board in section.boards]
        first = sections[0]
        title = str(first.params.get("title") or first.section.replace("-", " "))
        subject = str(first.params.get("subject_line") or answer_subject(title))
        MailWriter(turn).answer(player, subject, told, shown=shown)
        return True
    board = turn.work.boards.get(number)
    params = {**shown_to(turn, player, board), "sections": told}
    MailWriter(turn).answer_on_board(player, board, params)
    return True


def may_answer(turn: Turn, player: Player) -> bool:
    """Whether the player may get an answer or question now; one over the limit is told so once."""
    work, now, unproven = turn.work, turn.now, turn.unproven
    if is_paused(work, player.address, now, unproven=unproven):
        return False
    limit = limit_reached(work, player, now, unproven=unproven)
    if limit is None:
        return True
    until = (now + limit.within).strftime("%Y-%m-%d %H:%M UTC")
    paused = {
        "section": "paused-unproven" if unproven else "paused",
        "until": until,
        "most": limit.most,
    }
    subject = answer_subject(f"answers paused until {until}")
    MailWriter(turn).answer(player, subject, [paused], kind=limit.pause)
    return False
