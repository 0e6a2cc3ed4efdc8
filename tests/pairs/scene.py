"""A server on which much is going on, and what somebody may want of it."""

from collections.abc import Iterable

from tests.conversations.playing import plays
from tests.table import Person, Table

OTHERS = ("bob", "carol", "dave", "erin", "frank", "grace")
WANTED = (  # each of these is kept beside the others
    *("set picture off", "set subject classic", "set mails turn", "set mails all"),
    *("set mails digest", "set digest daily", "set digest hourly", "set digest 18:00"),
    *("set digest off", "set timezone America/New_York", "set timezone UTC", "set weekend on"),
    *("weekend off", "set strict on", "set strict off", "set languages English, Deutsch"),
    *("set languages none", "set challenges off", "set limit 3", "challenges ask"),
    *("challenges off", "challenges on", "limit 5", "limit none", "accept all", "reject all"),
)
OF_ONESELF = (
    *("change handle lisa", "change handle marta", "change address alice@new.example"),
    *("change address alice@two.example", "add alice@work.example", "add alice@two.example"),
    *("change password correct-horse", "change password none", "newkey", "delete"),
    *("vacation 2026-12-20 2026-12-27", "vacation tomorrow 10d", "vacation tomorrow 25d", "back"),
    *("block bob", "block dave", "block frank", "unblock bob", "unblock grace"),
    *("watch bob", "watch 1", "notify carol", "unwatch all", "unwatch dave", "set public off"),
)
OF_BOARDS = (
    *("move 1 {move1}", "move 2 {move2}", "move 4 {move4}", "move 5 {move5}", "move 6 {move6}"),
    *("draw 1", "draw 2", "takeback 1", "takeback 6", "accept 2", "accept draw 2", "reject 2"),
    *("accept takeback 6", "accept 6", "reject takeback 6", "reject 6", "pause 1", "pause 6"),
    *("resume 7", "accept resume 7", "reject resume 7", "give 3d 1", "give 2 weeks 7"),
    *("resign 1", "resign 2", "decline 4", "decline 8", "claim 1", "claim 2", "rematch 3"),
    *("hint 1", "hint 5", "analyse 3", "report 1 bob insults me", "give 3d 2", "resign"),
    *("send", "send 1", "plan 4 if * then {move4}", "plan 5 none", "go on 1"),
    *("substitute 1 frank", "accept substitute 1", "reject substitute 1"),
    *("chat 1 Hello", "mute 6", "unmute 6"),
    *("submit 1 {move1}", "submit 5 {move5}", "confirm 1", "drop 6", "set confirm off"),
)
OF_THE_LOBBY = (
    *("challenge bob", "challenge bob -bowl", "challenge bob and carol", "challenge erin"),
    *("challenge dave", "challenge -seats=carol,me,bob", "challenge zoe@example.net"),
    *("challenge frank -rounds=2", "challenge pebble", "accept challenge dave"),
    *("reject challenge dave", "reject challenge erin", "accept", "reject"),
    *("play", "seek", "seek 3", "seek -rating=1200-1600", "join 1", "join 2", "unseek 3"),
    *("unseek", "unseek all"),
)
CHANGES = (*WANTED, *OF_ONESELF, *OF_BOARDS, *OF_THE_LOBBY)
LOOKS = (
    *("help move", "whoami", "settings", "limit", "vacation", "block", "stop", "show 1", "games"),
    *("show", "standings", "export 3", "history", "info bob", "info me", "players", "next"),
    *("showas 1", "seeks", "signup marta", "preview 1 {move1}", "showas next", "games waiting"),
    *("status", "status 1", "preview new 3", "replay 3 2-"),
)


def set_the_scene(table: Table) -> Person:
    """Let people play and wait for each other; returns alice, of whom most of them want something.

    Boards 1, 2, 6 and 7 wait for her: on 2 she is offered a draw, on 6 a take-back is asked for,
    and 7 stands still. Board 3 is over, 4 and 8 have just begun, and 5 is against a robot.
    """
    table.robots_join()
    alice, *others = (table.joins(name) for name in ("alice", *OTHERS))
    bob, carol, dave, erin, *_ = others
    alice.says("challenge bob").says("challenge carol").says("challenge bob -bowl")
    bob.says("resign 3").says("challenge carol and alice")
    alice.says("challenge pebble").says("challenge bob -pillar").says("challenge carol -bowl")
    carol.says("challenge alice")
    plays(table, [alice, bob], 1, plies=4)
    for number, other in ((2, carol), (6, bob), (7, carol)):
        plays(table, [alice, other], number, plies=2)
    carol.says("draw 2").says("pause 7")
    bob.says("takeback 6").says("seek -forfeittime=9d")
    alice.says("accept pause 7").says("seek -rating=1000-1400").says("block grace")
    carol.says("resume 7").says("seek 3")
    dave.says("set digest daily")
    erin.says("challenges ask")
    alice.says("challenge erin").says("set challenges ask").says("challenge guest@example.net")
    dave.says("challenge alice")
    alice.says("set digest 9:00").says("set picture off").says("vacation 2026-12-01 2026-12-03")
    alice.says("set timezone Europe/Berlin").says("set weekend off").says("set languages Polski")
    return alice.says("whoami")


def lines(table: Table, some: Iterable[str]) -> tuple[str, ...]:
    """Lines with a legal move of each board where one is to stand."""
    boards = [board for board in map(table.board, table.boards()) if board.playing]
    moves = {f"move{board.id}": str(board.position.legal_moves()[0]) for board in boards}
    return tuple(line.format(**moves) for line in some)
