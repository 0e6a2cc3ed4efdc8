"""`help limits` names each limit with the figure that the program really has."""

from datetime import timedelta

from pbm.commands.families import records
from pbm.commands.families.control import MOST_BLOCKED
from pbm.commands.families.invite import MOST_WAITING
from pbm.commands.families.look import MOST_SHOWN
from pbm.commands.script import MOST_COMMANDS
from pbm.config import Settings
from pbm.mail.reading.limits import LIMITS
from pbm.passwords import LONGEST, SHORTEST
from pbm.play import begin, challenges, limits, seeks
from pbm.play.advice import ANALYSES, HINTS
from pbm.play.limits import Limit, Rate
from pbm.play.records import KEPT_UNSEEN
from pbm.play.reports import REPORTS
from pbm.play.turn import MOST_MAILS
from pbm.play.waiting import MOST_TOGETHER
from pbm.service.asking import questions
from pbm.service.intake.mailrates import MailRates
from pbm.service.intake.newcomers import AGAIN_AFTER
from pbm.service.understanding.withheld_text import MOST_CHECKS
from pbm.store.values.questions import CONSENT_STANDS, OPEN_FOR
from tests.help.pages import page_text
from tests.rows import each_row

HOUR, DAY, WEEK = timedelta(hours=1), timedelta(days=1), timedelta(weeks=1)
FIRST = limits.NEWCOMERS_ANSWERS


def within(rate: Rate | Limit, time: timedelta) -> int:
    """The figure of a rate for a time; it would mean another thing for another one."""
    assert rate.within == time
    return rate.most


def named() -> list[str]:
    """What the page must say, with the figures of the code."""
    hourly, daily = limits.PLAYER_LIMITS
    days = questions.SIGNUP_FOR // DAY
    day = limits.NEWCOMERS_DAY // HOUR
    stands, asked = CONSENT_STANDS // HOUR, questions.ASK_ABOUT_ALIAS_EVERY // HOUR
    kilobytes = LIMITS.text_bytes // 1024
    return [
        f"{within(hourly, HOUR)} an hour and {within(daily, DAY)} a day",
        f"In your first {day} hours here, {FIRST} answers meet no such pause",
        f"{within(limits.UNPROVEN_LIMIT, HOUR)} an hour, and in your first {day} hours {FIRST}",
        f"{limits.TOLD.most} mails at once, and {within(limits.TOLD, 12 * HOUR) // 6} more in 2",
        f"{within(limits.CHALLENGED, 12 * HOUR)} challenges to you come through in 12 hours,"
        f" {within(limits.CHALLENGED_BY, 12 * HOUR)} of one player",
        f"open for {OPEN_FOR // HOUR} hours; whether you want to play, {days} days",
        f"about {questions.MOST_ERRANDS} mails of yours",
        f"stands for {stands} hours",
        f"once in {asked} hours",
        f"holds {MOST_COMMANDS} commands, and brings other players {MOST_MAILS} mails",
        f"shows {MOST_SHOWN} boards at most",
        f"come {MOST_TOGETHER} to a mail",
        f"{LIMITS.mail_bytes >> 20} MB at most, and {kilobytes} KB of text",
        f"{MailRates().per_address} mails an hour are taken from one address",
        f"{within(limits.STARTS, HOUR)} games an hour; and {within(begin.FIRST_STARTS, DAY)} in 24"
        f" hours until others have moved on {begin.TAKEN_UP} of them; and {begin.MOST_UNANSWERED}",
        f"{within(records.IMPORTS, DAY)} records of games in 24 hours, with"
        f" {records.MOST_PLIES} moves at most; a long one counts once for each {records.A_RECORD}"
        f" moves. One goes when nobody has looked at it for {KEPT_UNSEEN // DAY} days",
        f"{within(limits.NEWS, HOUR)} times an hour, not counting moves",
        f"{within(limits.SAME_WORDS, DAY)} times in 24 hours",
        f"{seeks.MOST_OPEN} seeks of yours are open at a time, and you join"
        f" {within(seeks.JOINS, DAY)} in 24 hours. A seek stands for {seeks.STANDS_FOR // WEEK}"
        f' weeks if you say nothing else; whoever said "play" waits for {seeks.PAIRS_FOR // WEEK}.',
        f"{challenges.MOST_WAITING} of yours can wait at a time. The same player is asked"
        f" {within(challenges.ASKED, DAY)} times in 24 hours for you, and has"
        f" {challenges.WAITS_FOR // DAY} days",
        f"You block {MOST_BLOCKED} players, and send the operator"
        f" {within(REPORTS, DAY)} reports in 24 hours",
        f"In 24 hours you get {within(HINTS, DAY)} hints, and {within(ANALYSES, DAY)} games",
        f"gets {limits.STRANGER_ANSWERS} mails of ours in 24 hours",
        f"{within(limits.OF_NETWORK, HOUR)} an hour are answered from one network and"
        f" {within(limits.STRANGERS, HOUR)} an hour from everybody, and"
        f" {within(limits.VOUCHED, HOUR)} more",
        f"gets through when it comes once more {AGAIN_AFTER // timedelta(minutes=1)} minutes later",
        f"For you we write to {within(limits.UNASKED, DAY)} of them in 24 hours, for all players"
        f" together to {within(limits.ASKED, HOUR)} an hour, and {MOST_WAITING} who have not",
        f"{SHORTEST} characters or more, and {LONGEST} at most",
        f"{within(limits.NEW_PASSWORDS, HOUR)} new ones an hour are kept, and {MOST_CHECKS} are",
    ]


@each_row("said", named())
def test_help_names_it(said: str) -> None:
    assert said in " ".join(page_text("limits").split())


def test_the_settings_have_the_same_figures() -> None:
    settings = Settings(address="pbm@play.example")
    assert int(settings.mails_per_hour) == MailRates().per_address
