"""The mutants: a piece of a file, what stands there instead, and the tests that then fail."""

from dataclasses import dataclass

_LOCKS = "tests/store/test_locks.py::test_"
_POSTS = "tests/service/test_posts_at_once.py::test_"
_IN_HAND = "tests/service/test_mails_in_hand.py::test_"


@dataclass(frozen=True)
class Mutant:
    """What stands in a file instead of a piece that is there once; each of the tests then fails."""

    old: str
    new: str
    tests: tuple[str, ...]


def _held(name: str) -> str:
    return f"{_LOCKS}it_is_held_until_the_commit[{name}]"


def _passed(name: str) -> str:
    return f"{_LOCKS}what_another_has_is_passed_over[{name}]"


def _added(name: str) -> str:
    return f"{_LOCKS}rows_that_refer_to_it_are_added_meanwhile[{name}]"


def _once(name: str) -> str:
    return f"{_LOCKS}what_is_held_is_not_locked_once_more[{name}]"


def _again(name: str) -> str:
    return f"{_LOCKS}after_a_lock_rows_are_read_again[{name}]"


_UNDONE = f"{_LOCKS}what_an_undone_savepoint_has_locked_is_locked_again"
_BETWEEN = f"{_POSTS}what_another_has_sent_between_query_and_lock_is_not_sent_again"
_ONE_POST = f"{_POSTS}a_mail_is_claimed_by_one_process"
_CLAIMED_ONCE = f"{_POSTS}a_mail_is_claimed_once"
_LET_GO = f"{_POSTS}what_is_sent_is_let_go"
_NOT_NEW = f"{_LOCKS}a_mail_that_another_has_done_is_not_new"
_NOT_DUE = f"{_LOCKS}a_mail_that_another_has_sent_or_put_off_is_not_due"
_RECORDED = f"{_POSTS}one_outcome_is_recorded_at_a_time"
_CHANGED = f"{_POSTS}a_refused_mail_and_an_old_reminder_lock_what_they_change"
_REPORT = f"{_POSTS}a_report_locks_the_player"
_OLD_BUCKETS = f"{_LOCKS}old_buckets_that_another_uses_are_not_waited_for"
_SETTINGS = f"{_LOCKS}settings_are_read_only_once_nobody_else_changes_them"
_ADVANCED = f"{_LOCKS}a_timer_that_another_has_is_not_brought_forward"

_SKIPPING = "with_for_update(skip_locked=True, key_share=True)"
_OF_FREE = f"        free = query.{_SKIPPING}\n        found = self._scalars(free)\n"
_OF_AWAITED = f"        free = query.{_SKIPPING}\n        found = tuple("
_OF_BOARD = "_LOCK = Statement(select(boards.c.id).where(_IT).with_for_update(key_share=True))"
_OF_PLAYER = "players.c.id == player_id).with_for_update(key_share=True)"
_MAIL = '    .limit(bindparam("most", type_=Integer))\n    .with_for_update(skip_locked=True)\n'


def _instead(old: str, part: str, new: str, *tests: str) -> Mutant:
    """A mutant in which only a part of the piece differs."""
    assert old.count(part) == 1, (old, part)
    return Mutant(old, old.replace(part, new), tests)


MUTANTS = {
    "store/sql/transaction.py": (
        Mutant("self.locked_boards = locked  #", "pass  #", (_UNDONE,)),
        Mutant(
            "set(self.locked_boards)\n",
            "set[int]()\n",
            (f"{_LOCKS}what_was_locked_before_an_undone_savepoint_is_held",),
        ),
        Mutant(
            "            self.locked_boards.clear()\n",
            "",
            (f"{_LOCKS}a_transaction_that_goes_on_after_its_commit_holds_nothing",),
        ),
        Mutant("not self.is_shared or board_id in self.locked_boards", "True", (_held("a board"),)),
        Mutant(" or board_id in self.locked_boards", "", (_once("a board"),)),
        Mutant("if self.is_shared and not is_plain:", "if False:", (_again("a player"),)),
        Mutant(" and statement._for_update_arg is None", "", (_again("a challenge"),)),
    ),
    "store/sql/statement.py": (
        Mutant("cache.clear()  # others may", "pass  # others may", (_again("a mail"),)),
    ),
    "store/repositories/boards.py": (
        _instead(_OF_BOARD, ".with_for_update(key_share=True)", "", _held("a board")),
        _instead(_OF_BOARD, "key_share=True", "", _added("a board")),
        Mutant(
            'transaction.locked_boards.update(row["id"] for row in locked)',
            "pass",
            (_once("a board"),),
        ),
        _instead(_OF_FREE, f".{_SKIPPING}", "", _held("a free board")),
        _instead(_OF_FREE, "skip_locked=True, ", "", _passed("a free board")),
        _instead(_OF_FREE, ", key_share=True", "", _added("a free board")),
        Mutant("self._transaction.locked_boards.update(found)", "pass", (_once("a free board"),)),
        _instead(_OF_AWAITED, f".{_SKIPPING}", "", _held("awaited boards")),
        _instead(_OF_AWAITED, "skip_locked=True, ", "", _passed("awaited boards")),
        _instead(_OF_AWAITED, ", key_share=True", "", _added("awaited boards")),
        Mutant(
            "self._transaction.locked_boards.update(board.id for board in found)",
            "pass",
            (_once("awaited boards"),),
        ),
    ),
    "store/repositories/players.py": (
        _instead(_OF_PLAYER, ".with_for_update(key_share=True)", "", _held("a player")),
        _instead(_OF_PLAYER, "key_share=True", "", _added("a player")),
        Mutant("        self.lock(player_id)\n", "", (_held("a player"),)),
        Mutant(
            "self._transaction.scalar(_locked(players.c.settings, player_id))",
            "self._transaction.scalar(\n"
            "            select(players.c.settings).where(players.c.id == player_id))",
            (_SETTINGS,),
        ),
    ),
    "store/repositories/challenges.py": (
        Mutant("row = self._row(query.with_for_update())", "row = self._row(query)",
               (_held("a challenge"),)),
        Mutant("self._rows(query.with_for_update())", "self._rows(query)",
               (_held("what expires"),)),
    ),
    "store/repositories/questions.py": (
        Mutant("query.with_for_update() if lock else query", "query", (_held("its token"),)),
        Mutant("questions.c.id == question_id, lock=True", "questions.c.id == question_id, "
               "lock=False", (_held("a question"),)),
    ),
    "store/repositories/seeks.py": (
        Mutant("SELECT pg_advisory_xact_lock(1885498989, 1)", "SELECT 1",
               (f"{_LOCKS}only_one_has_it[the seeks]",)),
    ),
    "store/repositories/ratings.py": (
        Mutant("SELECT pg_advisory_xact_lock(1885498989, 0)", "SELECT 1",
               (f"{_LOCKS}only_one_has_it[the ratings]",)),
    ),
    "store/repositories/server_state.py": (
        Mutant("query.with_for_update() if lock else query", "query", (_held("a fact"),)),
    ),
    "store/repositories/buckets.py": (
        Mutant("            .with_for_update(skip_locked=True)\n", "", (_OLD_BUCKETS,)),
        Mutant(".with_for_update(skip_locked=True)", ".with_for_update()", (_OLD_BUCKETS,)),
        Mutant(
            "free = func.pg_try_advisory_xact_lock(_LOCK_CLASS, func.hashtext(key))",
            "free = true()",
            ("tests/store/test_buckets.py::test_nobody_waits_for_what_another_counts",),
        ),
    ),
    "store/queues/queue.py": (
        Mutant("query.with_for_update(skip_locked=not wait) if lock else query", "query",
               (_held("a new mail"),)),
        Mutant("skip_locked=not wait", "", (_passed("a new mail"),)),
        Mutant("self._rows(query.with_for_update(skip_locked=True))", "self._rows(query)",
               (_held("a timer"),)),
        Mutant("skip_locked=True", "", (_passed("a timer"),)),
    ),
    "store/queues/inbox.py": (
        _instead(_MAIL, "    .with_for_update(skip_locked=True)\n", "", _held("a mail")),
        _instead(_MAIL, "skip_locked=True", "", _passed("a mail")),
        Mutant("inbox_id, inbox.c.status == NEW, *only", "inbox_id, *only", (_NOT_NEW,)),
        Mutant("is_new = inbox.c.status == NEW", "is_new = inbox.c.id > 0", (_NOT_NEW,)),
        Mutant("self.change(inbox_id, inbox.c.status == NEW, ", "self.change(inbox_id, ",
               (_NOT_NEW,)),
    ),
    "store/queues/timers.py": (
        Mutant("later.with_for_update(skip_locked=True)", "later", (_ADVANCED,)),
        Mutant("skip_locked=True", "", (_ADVANCED,)),
    ),
    "store/queues/outbox.py": (
        Mutant("_AMONG, outbox.c.status == DUE))", "_AMONG))", (_NOT_DUE,)),
        Mutant(' if row["due_at"] <= now)', ")", (_NOT_DUE,)),
        Mutant("        ~_AMONG,\n", "        or_(~_AMONG, outbox.c.id > 0),\n", (_CLAIMED_ONCE,)),
        Mutant(
            "    .where(func.pg_try_advisory_xact_lock(IN_HAND, _AWAITING.c.id))\n",
            "",
            (f"{_IN_HAND}what_the_post_has_in_hand_is_told_by_no_other_mail",),
        ),
        Mutant(
            ".with_for_update(skip_locked=True)",
            ".with_for_update()",
            (f"{_IN_HAND}what_somebody_lets_go_out_who_has_not_the_board_is_waited_for_by_nobody",),
        ),
    ),
    "store/processes/locks.py": (
        Mutant("fcntl.LOCK_EX | fcntl.LOCK_NB", "fcntl.LOCK_SH | fcntl.LOCK_NB",
               (f"{_LOCKS}one_server_has_a_file",)),
        Mutant("WHERE pg_try_advisory_lock(:class, id)", "WHERE :class > 0", (_ONE_POST,)),
        Mutant("pg_advisory_unlock(:class, id) FROM", "sign(:class) * id FROM", (_LET_GO,)),
        Mutant("self._connection.invalidate()", "pass", (_ONE_POST,)),
        Mutant("SELECT pg_try_advisory_lock(1885498989, 2)", "SELECT true",
               ("tests/admin/test_scheduled_backups.py::test_two_processes_make_one",)),
    ),
    "service/post/post.py": (
        Mutant("if mail.id in mine]", "if mail.id in held]", (f"{_BETWEEN}[sent]",)),
        Mutant("self.holds.take([mail.id for mail in found])",
               "frozenset(mail.id for mail in found)", (_ONE_POST,)),
        Mutant("if found and not self.database.embedded:", "if False:", (_ONE_POST,)),
        Mutant("self.holds.let_go(held - mine)", "pass", (f"{_BETWEEN}[deferred]",)),
        Mutant("self.holds.let_go(held - mine)", "self.holds.let_go(held)", (_ONE_POST,)),
        Mutant("        finally:\n            self.holds.let_go(held - mine)\n", "        except "
               "KeyError:\n            pass\n        self.holds.let_go(held - mine)\n",
               (f"{_POSTS}what_cannot_be_looked_at_again_is_let_go",)),
        Mutant("self.holds.let_go([self._ended", "list([self._ended", (_LET_GO,)),
        Mutant("self._ended.append(mail.id)", "pass", (_LET_GO,)),
        Mutant("sorted(self._under_way)", "[]", (_CLAIMED_ONCE,)),
        Mutant("self._under_way.update(mail.id for mail in found)", "pass", (_CLAIMED_ONCE,)),
        Mutant("async with self._writing:\n                await", "if True:\n                "
               "await", (_RECORDED,)),
        Mutant("async with self._writing:\n            sent", "if True:\n            sent",
               (_RECORDED,)),
        Mutant("work.boards.get(number, lock=True)", "work.boards.get(number)", (_CHANGED,)),
        Mutant(" and board.to_move.player_id == mail.player_id", "", (_CHANGED,)),
    ),
    "service/post/bounces.py": (
        Mutant("work.players.find_locked(bounce.player_id)", "work.players.find(bounce.player_id)",
               (_REPORT,)),
        Mutant("turn.work.players.find_locked(mail.player_id)",
               "turn.work.players.find(mail.player_id)", (_CHANGED,)),
        Mutant("turn.work.boards.get(board_id, lock=True)", "turn.work.boards.get(board_id)",
               (_CHANGED,)),
    ),
}  # fmt: skip
