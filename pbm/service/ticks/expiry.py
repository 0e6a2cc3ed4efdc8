"""Expiry of seeks, questions and records, erasure of old rows, and recounting of ratings."""

from collections import defaultdict
from datetime import datetime, timedelta

from pbm.addresses import address_key
from pbm.play.advance import play_on
from pbm.play.challenges import lapse_challenge
from pbm.play.limits import KEPT_UNSEEN, MAILS_KEPT, REPORTS_KEPT, WORDS_KEPT
from pbm.play.offers import SUBSTITUTE, end_substitute
from pbm.play.ratings import STALE, look_around, rated_players, recount
from pbm.play.seeks import close_seek
from pbm.service.answering.newcomers import call_off, invited_to
from pbm.service.asking.challenges import CHALLENGE, tell_called_off
from pbm.service.telling.announce import announce_boards, announce_seeks
from pbm.service.ticks.tick import Tick
from pbm.store.queues.timers import ALL_KEPT
from pbm.store.values.asking import CONSENT_STANDS, OPEN_FOR, ErrandStatus, Question, SeekStatus
from pbm.store.values.players import Pool

_EVERY = timedelta(days=1)
_LOOKED_AT = "done mails"  # the fact with the numbers up to which mails were looked at today
_MOST_MAILS = 200  # looked at in one transaction
_MOST_PAGES = 25  # that a SQLite file shrinks by in one transaction
_NEXT_ERASURE_AFTER = timedelta(seconds=1)  # lets turns run between
AT_ONCE = 10  # boards recounted in one transaction, which holds the lock of all ratings
_NEXT_COUNT_AFTER = timedelta(milliseconds=100)


def lapse_seek(tick: Tick) -> str | datetime:
    tick.work.seeks.lock()
    seek = tick.work.seeks.find(int(tick.timer.about))
    if seek is None or seek.status != SeekStatus.OPEN:
        return "the seek is over"
    if wait := tick.waits_for_mail(seek.expires_at):
        return wait
    if tick.now < seek.expires_at:  # the server was down meanwhile
        return seek.expires_at
    announce_seeks(tick, close_seek(tick.work, seek, SeekStatus.LAPSED))
    return f"seek {seek.id} has lapsed"


def lapse_question(tick: Tick) -> str | datetime:
    """Close an unanswered question; drop the commands or the challenge that wait for its answer."""
    question = tick.work.questions.find(tick.timer.question_id or 0)
    if question is None or question.answer is not None:
        return "answered"
    if wait := tick.waits_for_mail(question.expires_at):
        return wait
    if tick.now < question.expires_at:  # the server was down meanwhile
        return question.expires_at + ALL_KEPT
    if question.kind == CHALLENGE:
        challenge = tick.work.challenges.find(question.params["challenge"])
        if challenge is None or question.player_id not in challenge.waiting:
            return "answered"
        tell_called_off(tick, lapse_challenge(tick.work, challenge))
        return "challenge lapsed"
    tick.work.questions.forget_password(question)
    dropped = tick.work.questions.open_errands(question.params.get("errands", ()))
    for errand in dropped:
        _end_wish_for(tick, question, errand.board_id or 0)
        tick.work.questions.settle_errand(errand, ErrandStatus.DROPPED, lines=[], comment=[])
    count = len(dropped) + _lapse_invitation(tick, question)
    return f"{question.kind} question lapsed, {count} dropped with it"


def _end_wish_for(tick: Tick, question: Question, number: int) -> None:
    """End the wish that a player who has not answered plays on for another one."""
    board = tick.work.boards.find(number, lock=True)
    offer = board.offer(SUBSTITUTE) if board and "no" in question.params else None
    if board and offer and question.player_id in board.open_offers.get(offer, ()):
        ended = end_substitute(tick.work, board, offer, is_silent=True)
        after = tick.work.boards.get(board.id)
        announce_boards(tick, [*ended, *play_on(tick.work, after, tick.now)])


def _lapse_invitation(tick: Tick, question: Question) -> bool:
    """Call off the challenge of an unanswered invitation; return whether there was one."""
    challenge = invited_to(tick, question)
    key = address_key(question.address)
    if challenge is None or key not in map(address_key, challenge.addresses):
        return False
    if tick.work.questions.is_invited(key, challenge.id, tick.now):
        return False
    if tick.timer.since < question.expires_at:
        call_off(tick, challenge, question, "unanswered")
    else:  # an upgrade set the timer long after the expiry
        tick.work.challenges.forget(challenge.id)
    return True


def lapse_record(tick: Tick) -> str | datetime:
    """Delete an imported record that nobody has looked at for the time `KEPT_UNSEEN`."""
    board = tick.work.boards.find(int(tick.timer.about), lock=True)
    if board is None:
        return "the record has gone"
    by = board.changed_at + KEPT_UNSEEN
    if tick.now < by:  # somebody has looked at it
        return by
    tick.work.playing.forget(board.id)
    return f"nobody looks at record {board.id} any more"


def erase_old_rows(tick: Tick) -> datetime:
    """Delete old rate limits, mails, comments, reports, consents; each run deletes some."""
    more = tick.work.buckets.forget_full(tick.now)
    more |= _forget_done_mails(tick)
    more |= tick.work.words.forget_before(tick.now - WORDS_KEPT)
    tick.work.reports.forget_before(tick.now - REPORTS_KEPT)
    tick.work.consents.forget_before(tick.now - CONSENT_STANDS)
    tick.work.questions.forget_held_words(tick.now - OPEN_FOR)
    more |= tick.work.counts.give_back_pages(_MOST_PAGES)
    return tick.now + (_NEXT_ERASURE_AFTER if more else _EVERY)


def _forget_done_mails(tick: Tick) -> bool:
    """Delete some mails that were done long ago; return whether there may be more today."""
    fact = tick.work.facts.find(_LOOKED_AT)
    after = fact.value if fact else {"inbox": 0, "outbox": 0}
    before = tick.now - MAILS_KEPT
    upto = {
        name: queue.forget_done(after[name], before, _MOST_MAILS)
        for name, queue in (("inbox", tick.work.inbox), ("outbox", tick.work.outbox))
    }
    if upto == after:
        tick.work.facts.forget(_LOOKED_AT)
        return False
    tick.work.facts.note(_LOOKED_AT, upto, tick.now)
    return True


def recount_ratings(tick: Tick) -> str | datetime:
    """Recount ratings after a result has changed; each run recounts at most `AT_ONCE` boards."""
    work = tick.work
    work.ratings.hold()
    stale = work.facts.find(STALE, lock=True)
    if stale is None:
        return "no board to count anew"
    some = work.ratings.counted_from(stale.value, AT_ONCE)
    changed: dict[tuple[str, Pool], set[int]] = defaultdict(set)
    boards = {board.id: board for board in work.boards.get_many([one.board_id for one in some])}
    for counted in some:
        board = boards[counted.board_id]
        if not board.is_installed:
            continue
        changed[counted.game, counted.pool] |= rated_players(work, board)
        found = recount(work, board, counted)
        if found is None:
            work.ratings.forget(counted)
        else:
            work.ratings.set_results(counted, found)
    for (game, pool), player_ids in changed.items():
        look_around(work, game, pool, player_ids)
    if len(some) < AT_ONCE:
        work.facts.forget(STALE)
        return f"counted {len(some)} boards anew, and that was the last"
    work.facts.note(STALE, some[-1].number + 1, tick.now)
    return tick.now + _NEXT_COUNT_AFTER
