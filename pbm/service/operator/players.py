"""`pbm-admin players`: changes of players by the operator."""

from pbm.addresses import address_key
from pbm.errors import OperatorError, WrongArgumentError
from pbm.events import by_operator
from pbm.mail.address import AddressError, Unknown, parse_address
from pbm.play.actions import boards_played, leave_board
from pbm.play.boards import request_move
from pbm.play.challenges import call_off_all
from pbm.play.clocks.pauses import give_back, keep_stop
from pbm.play.seeks import leave_all_seeks
from pbm.service.asking.challenges import tell_called_off
from pbm.service.operator.operator_session import OperatorSession, find_player
from pbm.service.operator.operator_turn import OperatorTurn
from pbm.service.post.bounces import reachable_again
from pbm.service.telling.announce import announce_boards, announce_seeks
from pbm.store.values.players import Player, PlayerStatus


def set_address(session: OperatorSession, handle: str, address: str, why: str) -> Player:
    """Make `address` a player's only address, and mail all boards to it."""
    with session.act(why) as act:
        player = _person(act, handle)
        try:
            new = parse_address(address)
        except AddressError as error:
            raise WrongArgumentError(str(error)) from error
        _check_address(act, player, new)
        # Their tags are void, and the boards are mailed anew.
        act.work.outbox.give_up_all(player.id, "the operator replaced the address", act.now)
        for old in player.addresses:
            if address_key(old) != address_key(new):
                act.tell(old, "address-old", handle=player.handle)
        act.work.players.set_addresses(player.id, [new], act.now)
        keep_stop(act.work, player, act.now)
        act.work.players.renew_epoch(player.id)
        act.note("address set", player=player, old=list(player.addresses), new=new)
        player = act.work.players.get(player.id)
        boards = boards_played(act.work, player)
        numbers = [board.id for board in boards]
        act.tell(player, "address-new", address=new, boards=numbers)
        for board in boards:
            done = by_operator.AddressReplaced(board.id, act.why, player.id)
            act.send_board(board, player, done)
        return player


def suspend(session: OperatorSession, handle: str, why: str) -> Player:
    """Suspend a player; the clocks of the player's boards stop."""
    with session.act(why) as act:
        player = _present(act, handle)
        if player.status == PlayerStatus.SUSPENDED:
            raise OperatorError(f"{player.handle} is suspended already.")
        suspend_player(act, player)
        return act.work.players.get(player.id)


def suspend_player(act: OperatorTurn, player: Player) -> None:
    act.work.players.change(player.id, status=PlayerStatus.SUSPENDED)
    announce_seeks(act, leave_all_seeks(act.work, player))
    act.note("suspended", player=player)
    boards = boards_played(act.work, player)
    act.tell(player, "suspended", boards=[board.id for board in boards])
    for board in boards:
        done = by_operator.PlayerSuspended(board.id, act.why, player.id)
        announce_boards(act, [done], but=player.id)


def unsuspend(session: OperatorSession, handle: str, why: str) -> Player:
    with session.act(why) as act:
        player = _present(act, handle)
        if player.status != PlayerStatus.SUSPENDED:
            raise OperatorError(f"{player.handle} is not suspended.")
        if any(ban.what == player.handle for ban in act.work.bans.all()):
            raise OperatorError(f"{player.handle} is banned. Run: pbm-admin unban {player.handle}")
        unsuspend_player(act, player)
        return act.work.players.get(player.id)


def unsuspend_player(act: OperatorTurn, player: Player) -> None:
    act.work.players.change(player.id, status=PlayerStatus.ACTIVE)
    changes = act.work.changes.about(player_id=player.id)
    since = [change.at for change in changes if change.what == "suspended"]
    give_back(act.work, player, max(since, default=act.now), act.now)
    act.note("unsuspended", player=player)
    act.tell(player, "unsuspended")
    for board in boards_played(act.work, player):
        announce_boards(act, [by_operator.SuspensionLifted(board.id, act.why, player.id)])
        request_move(act.work, board, act.now)


def reachable(session: OperatorSession, handle: str, why: str) -> Player:
    """Mark a player as reachable, send delayed mails, tell the opponents."""
    with session.act(why) as act:
        player = _present(act, handle)
        if player.unreachable_since is None:
            raise OperatorError(f"Mail to {player.handle} is not known to come back.")
        act.work.players.change(player.id, bounces=0, bounced_at=None, unreachable_since=None)
        act.note("reachable again", player=player)
        reachable_again(act, player)
        for board in boards_played(act.work, player):
            announce_boards(act, [by_operator.MailResumed(board.id, act.why, player.id)])
        return act.work.players.get(player.id)


def remove(session: OperatorSession, handle: str, why: str) -> Player:
    """Remove a player from all games, and erase all data but the handle."""
    with session.act(why) as act:
        player = _person(act, handle)
        numbers = [board.id for board in boards_played(act.work, player)]
        act.tell(player.address, "removed", handle=player.handle, boards=numbers)
        act.work.players.change(player.id, status=PlayerStatus.REMOVED)
        announce_seeks(act, leave_all_seeks(act.work, player))
        for event in call_off_all(act.work, player):
            tell_called_off(act, event)
        for board in boards_played(act.work, player):  # read anew, to say who has left the server
            events = leave_board(act.work, board, player, "removed", act.now)
            act.note("player removed", board=board, handle=player.handle)
            done = by_operator.PlayerRemoved(board.id, act.why, player.id)
            announce_boards(act, [done, *events])
        act.work.personal_data.erase(player)
        act.note("removed", player=player, boards=numbers)
        return act.work.players.get(player.id)


def _present(act: OperatorTurn, handle: str) -> Player:
    player = find_player(act.work, handle)
    if player.status == PlayerStatus.REMOVED:
        raise OperatorError(f"{player.handle} was removed; that is for good.")
    return player


def _person(act: OperatorTurn, handle: str) -> Player:
    player = _present(act, handle)
    if player.robot:
        raise OperatorError(
            f"{player.handle} is a robot, without an address. To do without it: "
            f"pbm-admin players suspend {player.handle}"
        )
    return player


def _check_address(act: OperatorTurn, player: Player, new: str) -> None:
    if not isinstance(act.site.address.parse(new), Unknown):
        raise OperatorError(f"{new} is an address of this server itself.")
    owner = act.work.players.by_address(new)
    if owner is not None and owner.id != player.id:
        raise OperatorError(f"{new} is an address of {owner.handle}.")
    if player.addresses == (new,):
        raise OperatorError(f"{new} is {player.handle}'s only address already.")
