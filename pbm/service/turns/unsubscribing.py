"""Ends mails to many, by a mail to the address that their `List-Unsubscribe` names."""

from pbm.commands.turn import Turn
from pbm.mail.address import Unsubscribe
from pbm.play import broadcasts, watching
from pbm.service.telling.mail_writer import MailWriter


def unsubscribe(turn: Turn, asked: Unsubscribe) -> str:
    """End what the address names, without a question; tell the player once."""
    work, keyring, number = turn.work, turn.site.keyring, int(asked.what[1:] or 0)
    is_ours = keyring.verify_unsubscribe_tag(asked.tag, asked.player_id, asked.what)
    player = work.players.find(asked.player_id) if is_ours else None
    if player is not None and asked.what == broadcasts.UNSUBSCRIBED:
        work.players.change_settings(player.id, broadcasts=False)
        return f"{player.handle} wants no broadcasts"
    if player is None or not asked.what.startswith(watching.WATCHING):
        return "nothing: no address of ours"
    board = work.boards.find(number) if number else None
    found = work.watchings.of_watcher(player.id)
    if number:
        found = watching.covering(work, player.id, board) if board else ()
    if found and player.addresses:
        told = {"section": "watching", **watching.end(work, found)}
        MailWriter(turn).notice(player, "answer", {"sections": [told], "last": False})
    return f"{player.handle} unsubscribed"
