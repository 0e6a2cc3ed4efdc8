import pytest

from pbm.mail.smtp_out.smarthost import Smarthost, SmarthostError, parse_smarthost
from tests.rows import each_row


@each_row(
    ("url", "host"),
    [
        ("smtp://mail.example.org", Smarthost("mail.example.org", 25, False)),
        ("smtps://mail.example.org", Smarthost("mail.example.org", 465, True)),
        ("smtp://127.0.0.1:2525/", Smarthost("127.0.0.1", 2525, False)),
        ("SMTP://[::1]:2525", Smarthost("::1", 2525, False)),
        ("smtp://bob:pw@host:587", Smarthost("host", 587, False, "bob", "pw")),
        (
            "smtps://bob%40example.org:p%3Aw%2F%40%C3%A4@host",
            Smarthost("host", 465, True, "bob@example.org", "p:w/@ä"),
        ),
    ],
)
def test_urls_that_work(url: str, host: Smarthost) -> None:
    assert parse_smarthost(url) == host


@each_row(
    "url",
    [
        "",
        "mail.example.org",
        "mail.example.org:25",
        "http://mail.example.org",
        "smtp://",
        "smtp://:25",
        "smtp://host:0",
        "smtp://host:99999",
        "smtp://host:x",
        "smtp://ho st",
        "smtp://hóst",
        "smtp://host/path",
        "smtp://host?tls=no",
        "smtp://bob@host",
        "smtp://:tr0ubad0r@host",
        "smtp://bob:tr0ub/ad0r@host",
        "smtp://bob:tr0ub#ad0r@host",
        "smtp://bob:tr0ub?ad0r@host",
        "smtp://bob:tr0ubad0r%0A@host",
        "smtp://bob:tr0ubad0r%ff@host",
        "smtp://[::1",
    ],
)
def test_urls_that_do_not(url: str) -> None:
    with pytest.raises(SmarthostError) as caught:
        parse_smarthost(url)
    assert "PBM_SMARTHOST" in str(caught.value)
    assert "tr0ub" not in str(caught.value)
    assert "ad0r" not in str(caught.value)
    assert caught.value.__cause__ is None


@each_row("host", ["localhost", "LOCALHOST.", "127.0.0.1", "127.9.9.9", "[::1]"])
def test_this_machine(host: str) -> None:
    assert parse_smarthost(f"smtp://{host}").is_loopback


@each_row("host", ["mail.example.org", "10.0.0.1", "localhost.example.org"])
def test_another_machine(host: str) -> None:
    assert not parse_smarthost(f"smtp://{host}").is_loopback


def test_the_password_is_not_printed() -> None:
    assert "swordfish" not in repr(parse_smarthost("smtp://bob:swordfish@host"))
