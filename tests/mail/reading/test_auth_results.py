"""Whose `Authentication-Results` count, and what they say (RFC 8601)."""

import gc
import json
import re
import sys
from pathlib import Path

import pytest

from pbm.mail.reading.auth_results import Dmarc, Front, dmarc_of, read_results
from tests.rows import each_row

# What `authres` makes of the results of DMARC in each value.
AUTHRES = json.loads(Path(__file__).with_name("authres_readings.json").read_text())
NAME = "mx.games.example"
FRONT = Front(NAME, hops=1)
AUTHOR = "alice@example.org"
OURS = f"Received: from mail.example.org (mail.example.org [192.0.2.1]) by {NAME};\r\n\tdate\r\n"
THEIRS = "Received: from phone by mail.example.org; date\r\n"
MAIL = f"From: {AUTHOR}\r\nSubject: x\r\n\r\nAuthentication-Results: {NAME}; dmarc=pass\r\n"
PASS = f"Authentication-Results: {NAME}; dmarc=pass header.from=example.org\r\n"
FAIL = f"Authentication-Results: {NAME}; dmarc=fail (p=reject) header.from=example.org\r\n"


def says(*lines: str, front: Front = FRONT, author: str = AUTHOR) -> Dmarc:
    """What a mail that begins so says about its author."""
    return dmarc_of("".join([*lines, MAIL]).encode(), front, author)


def on_top(value: str) -> Dmarc:
    """What a field that the front has put on top says."""
    return says(f"Authentication-Results:{value}\r\n", OURS, THEIRS)


class TestWhoseCount:
    def test_promise_12_above_our_own_received(self) -> None:
        assert says(PASS, OURS, THEIRS) is Dmarc.PASS
        assert says(FAIL, OURS, THEIRS) is Dmarc.FAIL
        assert says(OURS, THEIRS) is Dmarc.UNKNOWN

    @pytest.mark.parametrize("forged", [PASS, FAIL])
    def test_promise_12_forged_below_it(self, forged: str) -> None:
        assert says(OURS, forged) is Dmarc.UNKNOWN
        assert says(OURS, THEIRS, forged) is Dmarc.UNKNOWN
        assert says(OURS, forged, THEIRS) is Dmarc.UNKNOWN

    def test_promise_12_forged_below_our_own_result(self) -> None:
        assert says(FAIL, OURS, PASS, THEIRS) is Dmarc.FAIL
        assert says(PASS, OURS, FAIL, THEIRS) is Dmarc.PASS

    def test_promise_12_forged_above_but_nothing_of_ours(self) -> None:
        """It never went through the front, or not by the way that was looked at."""
        assert says(PASS) is Dmarc.UNKNOWN
        assert says(PASS, OURS, front=Front(NAME, hops=2)) is Dmarc.UNKNOWN

    def test_promise_12_in_the_body(self) -> None:
        assert dmarc_of(f"{OURS}{MAIL}{PASS}".encode(), FRONT, AUTHOR) is Dmarc.UNKNOWN

    @each_row(
        "other",
        [
            "mail.example.org",
            f"x{NAME}",
            f"{NAME}.example.org",
            f"{NAME}.",
            "games.example",
            f"{NAME}/x",
            f"{NAME},{NAME}",
        ],
    )
    def test_promise_12_another_id(self, other: str) -> None:
        assert on_top(f" {other}; dmarc=pass header.from=example.org") is Dmarc.UNKNOWN

    @each_row(
        "value",
        [
            f" (x) {NAME}; dmarc=pass header.from=example.org",
            f" ({NAME}) other.example; dmarc=pass header.from=example.org",
            f" other.example ({NAME}; dmarc=pass header.from=example.org)",
            f' "{NAME}"; dmarc=pass header.from=example.org',
            f" {NAME}(x).example; dmarc=pass header.from=example.org",
            f' {NAME}"x"; dmarc=pass header.from=example.org',
            f" x {NAME}; dmarc=pass header.from=example.org",
            f" ; {NAME}; dmarc=pass header.from=example.org",
            f" {NAME} 2; dmarc=pass header.from=example.org",
            f" {NAME} 1 1; dmarc=pass header.from=example.org",
            f" {NAME} dmarc=pass header.from=example.org",
        ],
    )
    def test_promise_12_in_comments_and_quotes(self, value: str) -> None:
        assert on_top(value) is Dmarc.UNKNOWN

    @each_row(
        "name", ["authentication-results", "AUTHENTICATION-RESULTS", "Authentication-results"]
    )
    def test_promise_12_in_other_case(self, name: str) -> None:
        assert says(f"{name}: {NAME}; dmarc=fail\r\n", OURS) is Dmarc.FAIL
        assert says(OURS, f"{name}: {NAME}; dmarc=fail\r\n") is Dmarc.UNKNOWN
        upper = f"{name}: {NAME.upper()}; DMARC=PASS Header.From=EXAMPLE.ORG\r\n"
        assert says(upper, OURS) is Dmarc.PASS

    @each_row("space", [" ", "\t", "  \t "])
    def test_promise_12_a_space_before_the_colon(self, space: str) -> None:
        for line in (PASS, FAIL):
            assert says(line.replace(":", f"{space}:", 1), OURS) is Dmarc.UNKNOWN
        # One such Received is one more from outside, not a way around counting.
        assert says(OURS.replace(":", f"{space}:", 1), PASS) is Dmarc.UNKNOWN

    def test_promise_12_two_of_them(self) -> None:
        assert says(PASS, PASS, OURS) is Dmarc.PASS
        assert says(PASS, FAIL, OURS) is Dmarc.FAIL
        assert says(FAIL, PASS, OURS) is Dmarc.FAIL
        spf = f"Authentication-Results: {NAME}; spf=fail smtp.mailfrom=x@example.net\r\n"
        assert says(spf, PASS, OURS) is Dmarc.PASS
        assert says(PASS, FAIL.replace(NAME, "mx.example.net"), OURS) is Dmarc.PASS

    def test_a_line_that_is_no_field_ends_what_counts(self) -> None:
        assert says(OURS.replace("Received:", "Received"), PASS, OURS) is Dmarc.UNKNOWN
        assert says("nonsense\r\n", PASS, OURS) is Dmarc.UNKNOWN

    def test_right_below_the_received_of_a_border_that_puts_them_there(self) -> None:
        below = Front(NAME, hops=1, below=True)
        assert says(OURS, PASS, THEIRS, front=below) is Dmarc.PASS
        assert says(PASS, OURS, THEIRS, front=below) is Dmarc.PASS
        assert says(OURS, FAIL, THEIRS, front=below) is Dmarc.FAIL
        assert says(OURS, FAIL, PASS, THEIRS, front=below) is Dmarc.FAIL
        assert says(OURS, PASS, FAIL, THEIRS, front=below) is Dmarc.FAIL
        for forged in (PASS, FAIL):
            assert says(OURS, THEIRS, forged, front=below) is Dmarc.UNKNOWN
            assert says(OURS, forged.replace(":", " :", 1), front=below) is Dmarc.UNKNOWN
        assert says(PASS, front=below) is Dmarc.UNKNOWN

    def test_several_servers_of_ours(self) -> None:
        two = Front(NAME, hops=2)
        inside = f"Received: from {NAME} by scanner; date\r\n"
        assert says(inside, PASS, OURS, THEIRS, front=two) is Dmarc.PASS
        assert says(PASS, inside, OURS, THEIRS, front=two) is Dmarc.PASS
        assert says(inside, OURS, PASS, THEIRS, front=two) is Dmarc.UNKNOWN


class TestWhatTheySay:
    @each_row(
        "value",
        [
            f" {NAME};\r\n\tdmarc=pass\r\n\t header.from=example.org",
            f"\r\n {NAME}; dmarc=pass header.from=example.org",
            f" {NAME} 1; dmarc=pass header.from=example.org",
            f" {NAME} (ours) 1 (one); dmarc=pass header.from=example.org",
            f"{NAME};dmarc=pass header.from=example.org",
            f" {NAME}; dmarc=pass (p=none dis=none) header.from=example.org",
            f" {NAME}; dmarc (a (b) \\) c;) = (d) pass (e) header (f) . from = example.org (g)",
            f" {NAME}; dmarc/1=pass header.from=example.org",
            f" {NAME}; dmarc / 1 = pass header.from=example.org",
            f' {NAME}; dmarc=pass reason="all is well; really" header.from=example.org',
            f' {NAME}; dmarc=pass reason="a \\" b" header.from=example.org',
            f' {NAME}; dmarc=pass header.from="example.org"',
            f" {NAME}; dmarc=pass header.from=alice@example.org",
            f" {NAME}; dmarc=pass header.from=example.org policy.dmarc=none;",
            f" {NAME}; spf=fail smtp.mailfrom=x@y.example; dkim=pass (2048-bit key)"
            " header.d=example.org header.i=@example.org header.b=Ab/C+d=; dmarc=pass"
            " (policy=none) header.from=example.org",
            f" {NAME}; iprev=pass policy.iprev=2001:db8::1; dmarc=pass header.from=example.org",
        ],
    )
    def test_promise_12_a_pass(self, value: str) -> None:
        assert on_top(value) is Dmarc.PASS

    @each_row(
        "value",
        [
            f" {NAME}; none",
            f" {NAME} 1; none",
            f" {NAME};",
            f" {NAME}",
            "",
            f" {NAME}; dmarc=none header.from=example.org",
            f" {NAME}; dmarc=temperror header.from=example.org",
            f" {NAME}; dmarc=bestguesspass header.from=example.org",
            f" {NAME}; dmarc=pass",
            f" {NAME}; dmarc=pass header.from=example.net",
            f" {NAME}; dmarc=pass header.from=sub.example.org",
            f" {NAME}; dmarc=pass header.from=example.org.example.net",
            f" {NAME}; dmarc=pass header.from=example.net header.from=example.org",
            f" {NAME}; dmarc=pass header.from=example.org; dmarc=none",
            f" {NAME}; dmarc=pass smtp.from=example.org",
            f" {NAME}; x-dmarc=pass header.from=example.org",
            f" {NAME}; dmarc/2=pass header.from=example.org",
            f" {NAME}; spf=pass header.from=example.org",
            f' {NAME}; dmarc=none reason="dmarc=pass header.from=example.org"',
            f' {NAME}; dmarc=pass reason="header.from=example.org"',
            f' {NAME}; dmarc=pass reason="x" reason= header.from=example.org x',
            f' {NAME}; spf=none reason="; dmarc=pass header.from=example.org"',
            f" {NAME}; spf=none (; dmarc=pass header.from=example.org)",
            f" {NAME} (; dmarc=pass header.from=example.org",
            f" {NAME}; dmarc=pass header.from=example.org (",
            f" {NAME}; dmarc=pass header.from=example.org )",
            f' {NAME}; dmarc=pass header.from=example.org "',
            f" {NAME}; dmarc=pass header.from=example.org \\",
            f" {NAME}; dmarc=pass header.from=example.org; nonsense",
            f" {NAME}; =; dmarc=pass header.from=example.org",
        ],
    )
    def test_promise_12_no_pass(self, value: str) -> None:
        assert on_top(value) is Dmarc.UNKNOWN

    @each_row(
        "value",
        [
            f" {NAME}; dmarc=fail",
            f" {NAME}; dmarc=FAIL (p=reject) header.from=example.net",
            f" {NAME}; dmarc=pass header.from=example.org; dmarc=fail header.from=example.org",
            f" {NAME}; spf=pass smtp.mailfrom=x;dmarc=pass header.from=example.org;"
            " dmarc=fail header.from=example.org",
            f" {NAME}; nonsense; dmarc=fail header.from=example.org",
        ],
    )
    def test_promise_12_a_fail(self, value: str) -> None:
        assert on_top(value) is Dmarc.FAIL

    def test_the_domain_is_that_of_the_author(self) -> None:
        assert says(PASS, OURS, author="bob@EXAMPLE.ORG") is Dmarc.PASS
        assert says(PASS, OURS, author="bob@example.net") is Dmarc.UNKNOWN
        assert says(PASS, OURS, author="example.org@example.net") is Dmarc.UNKNOWN


class TestAgainstAnotherReader:
    """`authres` 1.2.0, a reader of these fields by others, as it was recorded: it has no wheel."""

    @each_row(
        ("value", "results", "dmarc"),
        [
            ("mx.example; none", [], {}),
            ("mx.example 1; none", [], {}),
            ("mx.example; spf=pass smtp.mailfrom=example.net", [("spf", "pass")], {}),
            (
                "mx.example (a (nested) one); dkim=fail (bad) reason=broken header.i=@example.net",
                [("dkim", "fail")],
                {},
            ),
            (
                'mx.example; dmarc=pass reason="a; b" header.from=example.org',
                [("dmarc", "pass")],
                {"header.from": "example.org"},
            ),
            (
                "mx.example; auth=pass (cram-md5) smtp.auth=x@y.ex; spf=pass smtp.mailfrom=y.ex",
                [("auth", "pass"), ("spf", "pass")],
                {},
            ),
            (
                "mx.example; dmarc=pass (p=none\r\n\tdis=none)\r\n\theader.from=example.org",
                [("dmarc", "pass")],
                {"header.from": "example.org"},
            ),
            (
                "MX.example; DMARC=Pass header.from=example.org",
                [("dmarc", "pass")],
                {"header.from": "example.org"},
            ),
        ],
    )
    def test_it_reads_the_same(
        self, value: str, results: list[tuple[str, str]], dmarc: dict[str, str]
    ) -> None:
        ours = read_results(re.sub("\r\n", "", value))
        assert ours is not None
        assert ours.clear
        assert ours.authserv_id == "mx.example"
        assert [(item.method, item.result) for item in ours.results] == results
        told = [item.properties for item in ours.results if item.method == "dmarc"]
        assert {x: y for x, y in (told or [()])[0] if x != "reason"} == dmarc

    def test_it_never_sees_a_pass_where_the_other_sees_none(self) -> None:
        for value, theirs in AUTHRES:
            if on_top(f" {value}") is Dmarc.PASS:
                assert theirs, value
                assert all(said == ["pass", "example.org"] for said in theirs), value

    def test_the_recorded_values_hold_both_passes_and_others(self) -> None:
        passes = sum(on_top(f" {value}") is Dmarc.PASS for value, _ in AUTHRES)
        assert 50 < passes < len(AUTHRES) - 50


@pytest.mark.parametrize("piece", ["(", "((", '"', "\\", ";", "=", " ", "dmarc=pass ", "a.b=c "])
def test_promise_14_long_nonsense_costs_no_more_than_it_is_long(piece: str) -> None:
    """Each doubling of the text may double the steps, and no more."""
    steps = [_steps(f"{NAME}; dmarc=pass {piece * count}") for count in (1_000, 2_000, 4_000)]
    assert steps[2] - steps[1] <= 2.2 * (steps[1] - steps[0]) + 100


def _steps(value: str) -> int:
    """How many lines of the reader are run for a value."""
    count = 0

    def note(*_: object) -> object:
        nonlocal count
        count += 1
        return note

    before = sys.gettrace()
    gc.disable()  # what others left to be collected is no work of the reader
    sys.settrace(note)
    try:
        read_results(value)
    finally:
        sys.settrace(before)
        gc.enable()
    return count
