"""Mails that waited in the outbox while the program was replaced by a newer one."""

import json
from pathlib import Path
from typing import Any

import pytest

from pbm.mail.writing.render import Renderer
from tests.rows import each_row

RENDERER = Renderer()
KEPT = json.loads(Path(__file__).with_name("legacy_params.json").read_text())


def test_a_refused_record_that_an_earlier_version_queued_can_be_rendered() -> None:
    problem = {"code": "bad-record", "params": {"text": "Line 3 is no move."}}
    params = {"problem": problem, "board": "", "handle": "kate", "more": False, "last": False}
    assert "Line 3 is no move." in RENDERER.render("welcome", params).text


def test_a_name_that_an_earlier_version_was_not_sure_of_is_asked_about() -> None:
    problem = {"code": "perhaps-a-name", "params": {"handle": "kate"}}
    params = {"problem": problem, "board": "", "handle": "kate", "more": False, "last": False}
    assert RENDERER.render("welcome", params).text.startswith("Play as kate?")


def test_an_invitation_that_an_earlier_version_queued_can_be_rendered() -> None:
    params = {"handle": "kate", "inviter": "alice", "title": "Abalone", "board": ""}
    text = RENDERER.render("invite", params).text
    assert text.startswith("Would you like to play Abalone with alice")
    assert "We ask you this once, and never again." in text


def test_an_answer_that_an_earlier_version_could_not_read() -> None:
    params = {"sections": [{"section": "yes-or-no", "title": "yes or no?"}]}
    assert "answer the mail that asks once more" in " ".join(
        RENDERER.render("answer", params).text.split()
    )


@pytest.mark.parametrize(
    ("offer", "said"),
    [("draw", 'asked for a draw: answer with the words "accept draw"'), (None, "When we ask")],
)
def test_a_yes_that_an_earlier_version_did_not_take(offer: str | None, said: str) -> None:
    params = {"sections": [{"section": "bare-yes", "title": "yes to what?", "offer": offer}]}
    assert said in " ".join(RENDERER.render("answer", params).text.split())


@each_row(("fact", "said"), KEPT["facts"])
def test_a_fact_that_an_earlier_version_told(fact: dict[str, Any], said: str) -> None:
    params = {**KEPT["board"], "lead": [fact], "comments": []}
    assert said in " ".join(RENDERER.render("board", params).text.split())


@each_row(("refusal", "said"), KEPT["refusals"])
def test_a_refusal_that_an_earlier_version_wrote(refusal: dict[str, Any], said: str) -> None:
    told = {"title": "move", "line": "", "nearest": None, "example": None, "talk": False}
    section = {"section": "refusal", **told, "comment": [], "alone": True, **refusal}
    rendered = RENDERER.render("answer", {"sections": [section]})
    assert said in " ".join(rendered.text.split())


def test_an_analysis_without_a_chart_is_still_written() -> None:
    kept = {"section": "analysis", "number": 1, "mistakes": [], "last": None, "most": 1000}
    params = {**KEPT["board"], "sections": [kept]}
    assert "no move cost much" in RENDERER.render("answer", params).text
