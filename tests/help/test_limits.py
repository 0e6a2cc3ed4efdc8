"""`help limits` has the figures of the table of limits, and no others."""

import re

from pbm.commands.families.help import with_figures
from pbm.config import Settings
from pbm.play.limits import MAILS_OF_ADDRESS
from pbm.resources import help_pages
from pbm.service.intake.keeping import MailRates
from tests.help.pages import page_text
from tests.rows import each_row

PAGE = help_pages()["limits"].read_text(encoding="utf-8")
PERIODS = r"[Ii]n (2|12|24)\s+hours"  # of a rate whose figure stands before


def test_each_figure_is_of_the_table() -> None:
    without = re.sub(r"\{[^}]+\}", "", re.sub(PERIODS, "", PAGE))
    assert re.findall(r"\d+", without) == []
    assert "{" not in page_text("limits")


@each_row(
    "said",
    [
        "20 an hour and 100 a day. Then",
        "30 mails at once, and 5 more in 2 hours",
        "open for 48 hours; whether you want to play, 3 days",
        "A seek stands for 4 weeks",
        "It has 1 MB at most, and 64 KB",
        "when it comes once more 30 minutes later",
    ],
)
def test_the_page_says_it(said: str) -> None:
    assert said in " ".join(page_text("limits").split())


@each_row("wrong", ["{SEEK_STANDS/month}", "{NEVER}", "{CHALLENGED/hour}", "{AGAIN_AFTER/hour}"])
def test_a_figure_that_there_is_not(wrong: str) -> None:
    try:
        assert with_figures(wrong) == wrong
    except (KeyError, ValueError):
        return
    assert wrong == "{SEEK_STANDS/month}"  # not read as a figure


def test_the_settings_have_the_same_figures() -> None:
    settings = Settings(address="pbm@play.example")
    assert int(settings.mails_per_hour) == MailRates().per_address == MAILS_OF_ADDRESS.most
