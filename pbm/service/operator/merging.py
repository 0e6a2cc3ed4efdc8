"""`pbm-admin players merge`: two accounts of one person become one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pbm.errors import OperatorError
from pbm.play.actions import boards_played
from pbm.play.challenges import call_off_all
from pbm.play.seeks import leave_all_seeks
from pbm.service.asking.challenges import tell_called_off
from pbm.service.operator.boards import seat_instead
from pbm.service.operator.operator_session import OperatorSession, find_player
from pbm.service.telling.announce import announce_seeks
from pbm.store.db import UnitOfWork
from pbm.store.values.boards import Board
from pbm.store.values.players import Player, PlayerStatus


@dataclass(frozen=True)
class Merge:
    """The account `old` goes into the account `new`, with its seats on `boards`."""

    old: Player
    new: Player
    boards: Sequence[Board]


def look(session: OperatorSession, old: str, new: str) -> Merge:
    """Return what a merge would do. Raises OperatorError if it cannot be done."""
    with session.look() as work:
        return _plan(work, old, new, lock=False)


def merge(session: OperatorSession, handle: str, new_handle: str, why: str) -> None:
    """Give a player's addresses, seats, blocks, notes and watches to another one, for good."""
    with session.act(why) as act:
        plan, work = _plan(act.work, handle, new_handle, lock=True), act.work
        old, new = plan.old, plan.new
        announce_seeks(act, leave_all_seeks(work, old))
        for event in call_off_all(work, old):
            tell_called_off(act, event)
        work.outbox.give_up_all(old.id, f"{old.handle} is {new.handle} now", act.now)
        work.players.set_addresses(old.id, [], act.now)
        for address in old.addresses:  # behind those of `new`, which gets mail at its first one
            work.players.add_address(new.id, address, act.now)
        work.personal_data.move(old.id, new.id)
        new = work.players.get(new.id)
        numbers = [board.id for board in plan.boards]
        act.tell(new, "merged", old=old.handle, addresses=list(new.addresses), boards=numbers)
        for board in plan.boards:
            seat_instead(act, board, old, new)
        sits_at = {board.id for board in boards_played(work, new, lock=False)}
        watches = work.watchings.of_watcher(new.id)
        work.watchings.end(new.id, [item.id for item in watches if item.board_id in sits_at])
        work.players.change(old.id, status=PlayerStatus.REMOVED)
        work.personal_data.erase(replace(old, addresses=()))  # what is left of it
        act.note("merged", player=old, into=new.handle, boards=numbers)
        act.note("merged", player=new, instead_of=old.handle, boards=numbers)


def _plan(work: UnitOfWork, handle: str, new_handle: str, *, lock: bool) -> Merge:
    old, new = find_player(work, handle), find_player(work, new_handle)
    if old.id == new.id:
        raise OperatorError(f"{handle} and {new_handle} are the same player.")
    for player in (old, new):
        if player.robot:
            raise OperatorError(f"{player.handle} is a robot. Robots cannot be merged.")
        if not player.is_active:
            known = f"{player.handle} is {player.status}"
            raise OperatorError(f"{known}. Only players who are active can be merged.")
    boards = boards_played(work, old, lock=lock)
    both = [str(board.id) for board in boards if board.seats_of(new.id)]
    if both:
        raise OperatorError(
            f"Both {old.handle} and {new.handle} play on {', '.join(both)}. "
            "End these boards first, or replace one of them: pbm-admin games"
        )
    return Merge(old, new, boards)
