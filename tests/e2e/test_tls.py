"""A running server with a certificate, and what `pbm-admin check` finds about it."""

import shutil
import smtplib
import ssl
from pathlib import Path

import pytest

from tests.e2e.player import SERVER
from tests.e2e.ports import free_port
from tests.e2e.postfix import running_postfix
from tests.e2e.running import RunningServer
from tests.e2e.sink import Sink
from tests.mail.wire.certificates import Issued, expire, issue
from tests.polling import PATIENCE, until

MAIL = b"From: x@wild.example\r\nSubject: help\r\n\r\nhelp\r\n"


@pytest.fixture
def issued(tmp_path: Path) -> Issued:
    return issue(tmp_path, "games.example")


def settings_with(issued: Issued, sink: Sink) -> dict[str, str]:
    return {
        "PBM_ADDRESS": SERVER,
        "PBM_SMARTHOST": sink.url,
        "PBM_OPERATOR": "operator@world.example",
        "PBM_TLS_CERT": str(issued.certificate),
        "PBM_TLS_KEY": str(issued.key),
    }


def certificate_line(server: RunningServer) -> str:
    lines = server.admin("check").stdout.split("\n")
    (line,) = [line for line in lines if line.split()[1:2] == ["certificate:"]]
    return line


def test_a_certificate_is_shown_and_checked(tmp_path: Path, sink: Sink, issued: Issued) -> None:
    settings = settings_with(issued, sink)
    with RunningServer(tmp_path, settings) as server:
        trust = ssl.create_default_context(cafile=str(issued.certificate))
        trust.check_hostname = False
        with smtplib.SMTP("127.0.0.1", server.port, timeout=PATIENCE) as smtp:
            smtp.starttls(context=trust)
            smtp.sendmail("x@wild.example", SERVER, MAIL)
        until(lambda: sink.to("x@wild.example"), "the answer")
        found = server.admin("check")
        assert found.returncode == 0, found.stdout
        assert "good until " in certificate_line(server)

        renewed = issue(tmp_path, "renewed.example")
        with smtplib.SMTP("127.0.0.1", server.port, timeout=60) as before:
            before.starttls(context=trust)
            shutil.copy(renewed.certificate, issued.certificate)
            assert "belongs to another certificate" in certificate_line(server)
            server.hangs_up("certificate not read again, the old one is shown")
            shutil.copy(renewed.key, issued.key)
            assert "shows another certificate than" in certificate_line(server)
            server.hangs_up("certificate read again")
            assert before.noop()[0] == 250
        assert "good until " in certificate_line(server)

        issue(tmp_path, "games.example", days=13)
        server.hangs_up("certificate read again")
        assert certificate_line(server).startswith("FAIL")
        assert "UTC only, less than 14 days." in certificate_line(server)
        expire(issued)
        until(lambda: "has expired, on " in certificate_line(server), "the certificate's end")
        server.hangs_up('event="certificate is not good now"')
        assert "it has expired, on " in server.log


def test_a_server_that_was_started_before_the_certificate(
    tmp_path: Path, sink: Sink, issued: Issued
) -> None:
    settings = settings_with(issued, sink)
    without = {name: value for name, value in settings.items() if "TLS" not in name}
    with RunningServer(tmp_path, without) as server:
        beside = RunningServer(tmp_path, settings, port=server.port)
        assert "does not offer STARTTLS. Start it again" in certificate_line(beside)


def test_a_real_postfix_hands_over_in_tls(tmp_path: Path, sink: Sink, issued: Issued) -> None:
    port, lmtp_port = free_port(), free_port()
    listen = f"127.0.0.1:{port}, lmtp://127.0.0.1:{lmtp_port}"
    settings = {**settings_with(issued, sink), "PBM_LISTEN": listen}
    files = {
        "main.cf": (
            "relay_domains = games.example\n"
            "transport_maps = hash:/etc/postfix/transport\n"
            "lmtp_tls_security_level = encrypt\n"
            "lmtp_tls_loglevel = 1\n"
        ),
        "transport": f"games.example lmtp:[127.0.0.1]:{lmtp_port}\n",
    }
    with (
        RunningServer(tmp_path, settings, port=port),
        running_postfix(sink.port, files) as postfix,
        smtplib.SMTP("127.0.0.1", postfix.port, timeout=PATIENCE) as smtp,
    ):
        smtp.sendmail("x@wild.example", SERVER, MAIL)
        until(lambda: "2.0.0 kept as" in postfix.log, "the mail handed over")
        assert "TLS connection established to 127.0.0.1" in postfix.log
        until(lambda: sink.to("x@wild.example"), "the answer")
