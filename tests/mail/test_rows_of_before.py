"""Mails that waited in the outbox while the program was replaced by a newer one."""

from pbm.mail.writing.render import Renderer


def test_a_refused_record_that_an_earlier_version_queued_can_be_rendered() -> None:
    problem = {"code": "bad-record", "params": {"text": "Line 3 is no move."}}
    params = {"problem": problem, "board": "", "handle": "kate", "more": False, "last": False}
    assert "Line 3 is no move." in Renderer().render("welcome", params).text
