"""Mails that waited in the outbox while the program was replaced by a newer one."""

import json
from pathlib import Path
from typing import Any

import pytest

from pbm.mail.writing.render import Renderer

RENDERER = Renderer()
KEPT = json.loads(Path(__file__).with_name("rows_of_before.json").read_text())


def test_a_refused_record_that_an_earlier_version_queued_can_be_rendered() -> None:
    problem = {"code": "bad-record", "params": {"text": "Line 3 is no move."}}
    params = {"problem": problem, "board": "", "handle": "kate", "more": False, "last": False}
    assert "Line 3 is no move." in RENDERER.render("welcome", params).text


@pytest.mark.parametrize(("fact", "said"), KEPT["facts"])
def test_a_fact_that_an_earlier_version_told(fact: dict[str, Any], said: str) -> None:
    params = {**KEPT["board"], "lead": [fact], "comments": []}
    assert said in " ".join(RENDERER.render("board", params).text.split())


@pytest.mark.parametrize(("refusal", "said"), KEPT["refusals"])
def test_a_refusal_that_an_earlier_version_wrote(refusal: dict[str, Any], said: str) -> None:
    told = {"title": "move", "line": "", "nearest": None, "example": None, "talk": False}
    section = {"section": "refusal", **told, "comment": [], "alone": True, **refusal}
    rendered = RENDERER.render("answer", {"sections": [section]})
    assert said in " ".join(rendered.text.split())
