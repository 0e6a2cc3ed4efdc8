"""Settings that cannot work are told in one sentence, in which no secret stands."""

import errno
import os
import pwd
import sqlite3
import subprocess
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from pbm.config import Settings, load_settings
from pbm.errors import OperatorError
from pbm.files import check_access, trouble
from tests import preloaded
from tests.e2e.ports import free_port

Run = Callable[..., subprocess.CompletedProcess[str]]
SECRET = "very-secret-and-long-enough-to-be-a-key-0123456789"
PASSWORD = "tr0ub4dor"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a program of ours in an empty folder."""

    def start(
        *words: str | bytes, settings: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("PBM_")}
        listen = {"PBM_LISTEN": f"127.0.0.1:{free_port()}"}
        environment = {**kept, **listen, **(settings or {})}
        return preloaded.run(words, folder=tmp_path, environment=environment)

    return start


def is_one_sentence(done: subprocess.CompletedProcess[str], words: str) -> None:
    """Check that a run has failed with one line for a person."""
    errors = [
        line
        for line in done.stderr.split("\n")
        if line and 'event="new database"' not in line  # the folder was empty
    ]
    assert (done.returncode, done.stdout, len(errors)) == (1, "", 1), done.stderr
    assert errors[0].startswith("Error: ")
    assert words in errors[0]
    assert PASSWORD not in done.stderr
    assert SECRET not in done.stderr


@pytest.mark.parametrize("program", [("pbm", "serve"), ("pbm-admin", "players", "list")])
@pytest.mark.parametrize(
    ("name", "meant"),
    [("PBM_HELPERS", ""), ("PBM_ADRESS", "Did you mean PBM_ADDRESS?"), ("PBM_", "")],
)
def test_a_variable_that_is_no_setting_is_refused(
    run: Run, program: tuple[str, ...], name: str, meant: str
) -> None:
    done = run(*program, settings={name: PASSWORD})
    is_one_sentence(done, f"{name}, a variable of the environment, is no setting.")
    assert meant in done.stderr
    assert ("Did you mean" in done.stderr) == bool(meant)
    assert "The settings are PBM_ADDRESS, " in done.stderr


@pytest.mark.parametrize("program", [("pbm", "serve"), ("pbm-admin", "migrate")])
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"PBM_LISTEN": "nowhere"}, "PBM_LISTEN: 'nowhere' is not host:port"),
        ({"PBM_LISTEN": " , "}, "PBM_LISTEN names no address"),
        ({"PBM_LISTEN": "http://127.0.0.1:80"}, "must start with smtp:// or lmtp://"),
        ({"PBM_LISTEN": "lmtp://127.0.0.1"}, "'lmtp://127.0.0.1' is not host:port"),
        ({"PBM_LISTEN": "lmtp://127.0.0.1:25"}, "LMTP must not use port 25"),
        ({"PBM_LISTEN": "smtp:///run/pbm"}, "only lmtp:// can have a socket"),
        ({"PBM_LISTEN": "lmtp:///run/"}, "names no file for the socket"),
        ({"PBM_LISTEN": "lmtp:///" + "x" * 107}, "may have 107 bytes, not more"),
        ({"PBM_TRUSTED_PEERS": "friends"}, "PBM_TRUSTED_PEERS"),
        ({"PBM_MAILS_PER_HOUR": "many"}, "PBM_MAILS_PER_HOUR is a whole number"),
        ({"PBM_ROBOT_PROCESSES": "0"}, "PBM_ROBOT_PROCESSES must be a number from 1 to 64"),
        ({"PBM_ROBOT_PROCESSES": "all"}, "PBM_ROBOT_PROCESSES is a whole number"),
        ({"PBM_PEER_MAILS_PER_HOUR": "-1"}, "PBM_PEER_MAILS_PER_HOUR is a whole number"),
        ({"PBM_ROBOT_SECONDS": "soon"}, "PBM_ROBOT_SECONDS is a number of seconds up to 60"),
        ({"PBM_ROBOT_SECONDS_MOST": "-1"}, "PBM_ROBOT_SECONDS_MOST is a number of seconds up to"),
        ({"PBM_ROBOT_SECONDS": "61"}, "PBM_ROBOT_SECONDS is a number of seconds up to 60"),
        ({"PBM_AUTHSERV_ID": "mx.example; x"}, "PBM_AUTHSERV_ID must be the first word"),
        ({"PBM_WEB_URL": "games.example"}, "PBM_WEB_URL is where the board page lies, such as"),
        (
            {"PBM_WEB_LISTEN": "8080"},
            "PBM_WEB_LISTEN: '8080' is not host:port, such as 127.0.0.1:8080",
        ),
        ({"PBM_BACKUP_DIR": "/dev/null"}, "PBM_BACKUP_DIR: '/dev/null' is no folder."),
        ({"PBM_DATABASE_URL": f"mysql://pbm:{PASSWORD}@db/pbm"}, "PBM_DATABASE_URL must look like"),
        ({"PBM_DATABASE_URL": f"postgresql://pbm:{PASSWORD}@db:x/pbm"}, "PBM_DATABASE_URL must"),
        ({"PBM_DATABASE_URL": PASSWORD}, "PBM_DATABASE_URL must look like"),
        ({"PBM_DATABASE_URL": "sqlite:////proc/none/pbm.sqlite3"}, "The folder /proc/none cannot"),
    ],
)
def test_settings_that_cannot_work(
    run: Run, program: tuple[str, ...], settings: dict[str, str], words: str
) -> None:
    is_one_sentence(run(*program, settings=settings), words)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"PBM_SECRET_KEY": PASSWORD}, "PBM_SECRET_KEY is too short"),
        ({"PBM_ADDRESS": "pbm"}, "PBM_ADDRESS: "),
        ({"PBM_SEPARATOR": "#"}, "PBM_SEPARATOR: The separator of reply addresses must be one of"),
        ({"PBM_OPERATOR": "me"}, "PBM_OPERATOR: "),
        ({"PBM_TLS_CERT": "/nowhere.pem"}, "PBM_TLS_KEY is not set, but PBM_TLS_CERT is"),
        (
            {"PBM_TLS_CERT": "/nowhere.pem", "PBM_TLS_KEY": "/nowhere.pem"},
            "PBM_TLS_CERT: /nowhere.pem cannot be read: No such file or directory.",
        ),
        (
            {"PBM_DATABASE_URL": f"postgresql://pbm:a@{PASSWORD}/b:c@127.0.0.1:1/pbm"},
            "PBM_DATABASE_URL has an @ behind the host",
        ),
        (
            {"PBM_DATABASE_URL": f"postgresql://pbm:a@{PASSWORD}@127.0.0.1:1/pbm"},
            "percent-encode what is neither letter nor digit: an @ is %40",
        ),
        (
            {"PBM_DATABASE_URL": f"postgresql://p/bm:{PASSWORD}@127.0.0.1:1/pbm"},
            "PBM_DATABASE_URL has an @ behind the host",
        ),
        ({"PBM_SMARTHOST": f"http://pbm:{PASSWORD}@host"}, "PBM_SMARTHOST must start with"),
        ({"PBM_SMARTHOST": f"smtp://pbm:{PASSWORD}/x@host"}, "PBM_SMARTHOST has"),
        ({"PBM_SMARTHOST": f"smtp://pbm:{PASSWORD}@host:x"}, "PBM_SMARTHOST has"),
    ],
)
def test_settings_that_no_server_starts_with(
    run: Run, settings: dict[str, str], words: str
) -> None:
    is_one_sentence(run("pbm", "serve", settings=settings), words)
    found = run("pbm-admin", "check", settings=settings)
    assert found.returncode == 1
    assert words in found.stdout
    assert PASSWORD not in found.stdout + found.stderr


@pytest.mark.parametrize(
    "url", [f"pbm:{PASSWORD}@127.0.0.1:1/pbm", f"127.0.0.1:1/pbm?password={PASSWORD}"]
)
def test_a_database_that_is_away(run: Run, url: str) -> None:
    """A server waits for it (tests/e2e/test_starting.py)."""
    settings = {"PBM_DATABASE_URL": f"postgresql://{url}"}
    is_one_sentence(run("pbm-admin", "migrate", settings=settings), "The database cannot be used: ")
    found = run("pbm-admin", "check", settings=settings)
    assert found.returncode == 1
    assert "Connection refused. Does PostgreSQL run, and is it where" in found.stdout
    assert PASSWORD not in found.stdout + found.stderr


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("PBM_ADDRESS = ", "pbm.toml cannot be read"),
        ('PBM_ADRESS = "pbm@x.example"', "PBM_ADRESS is no setting. Did you mean PBM_ADDRESS?"),
        ("PBM_LISTEN = 25", "PBM_LISTEN must be given as text"),
        ("PBM_ROBOT_SECONDS = true", "PBM_ROBOT_SECONDS must be given as text"),
        ("PBM_ROBOT_SECONDS = 61", "PBM_ROBOT_SECONDS is a number of seconds up to 60"),
        ("PBM_ROBOT_PROCESSES = 2.5", "PBM_ROBOT_PROCESSES is a whole number"),
        (f"PBM_ROBOT_SECONDS = {'1' * 5000}", "pbm.toml cannot be read: "),
        (f'PBM_SECRET_KEY = ["{SECRET}"]', "PBM_SECRET_KEY must be given as text"),
        (None, "pbm.toml is no file."),
    ],
)
def test_a_settings_file_that_cannot_be_read(
    run: Run, tmp_path: Path, toml: str | None, words: str
) -> None:
    if toml is None:
        (tmp_path / "pbm.toml").mkdir()
    else:
        (tmp_path / "pbm.toml").write_text(toml, encoding="utf-8")
    for program in (("pbm", "serve"), ("pbm-admin", "check"), ("pbm-admin", "players", "list")):
        is_one_sentence(run(*program), words)


@pytest.mark.parametrize(
    "words", [("players", "list"), ("queue", "list"), ("verify",), ("journal",), ("backup", "b")]
)
def test_the_wrong_folder_is_left_as_it_was(
    run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    is_one_sentence(run("pbm-admin", *words), "There is no database at ")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(run: Run, tmp_path: Path) -> None:
    (tmp_path / "var").write_text("in the way", encoding="utf-8")
    is_one_sentence(run("pbm-admin", "migrate"), "The folder var cannot be made: File exists.")
    is_one_sentence(run("pbm", "serve"), "The folder var cannot be made: File exists.")


def test_what_is_no_database(run: Run, tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    (tmp_path / "var" / "pbm.sqlite3").write_text("hello\n" * 1000, encoding="utf-8")
    for program in (("pbm", "serve"), ("pbm-admin", "migrate"), ("pbm-admin", "players", "list")):
        is_one_sentence(run(*program), "file is not a database")


def test_a_database_without_tables(run: Run, tmp_path: Path) -> None:
    (tmp_path / "var").mkdir()
    with closing(sqlite3.connect(tmp_path / "var" / "pbm.sqlite3")) as database:
        database.execute("CREATE TABLE other (id)")
    is_one_sentence(run("pbm-admin", "players", "list"), "Run: pbm-admin migrate")


def test_a_word_that_is_no_text(run: Run) -> None:
    assert run("pbm-admin", "migrate").returncode == 0
    is_one_sentence(run("pbm-admin", "players", "show", b"\xff"), "There is no player called")


@pytest.mark.parametrize(
    ("uid", "told"),
    [
        (65534, "Permission denied. {file} belongs to {me}, and this runs as "),
        (0, "Permission denied."),
        (None, "No space left on device."),
    ],
)
def test_whose_a_file_is_that_cannot_be_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, uid: int | None, told: str
) -> None:
    file = tmp_path / "secret.key"
    file.touch()
    code = errno.ENOSPC if uid is None else errno.EACCES
    own = file.stat().st_uid
    monkeypatch.setattr(os, "geteuid", lambda: own if uid == 0 else 65534)
    said = trouble(file, OSError(code, os.strerror(code)))
    assert said.startswith(told.format(file=file, me=pwd.getpwuid(own).pw_name))
    assert ("as root: chown -R" in said) == (uid == 65534)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OperatorError, match=f"^{tmp_path}: it cannot be read and written."):
        check_access(tmp_path / "none", tmp_path, file)


def test_a_port_that_is_taken(run: Run) -> None:
    is_one_sentence(run("pbm", "serve", settings={"PBM_LISTEN": "192.0.2.1:25"}), "Can't listen")


def test_no_secret_is_printed(run: Run) -> None:
    settings = {
        "PBM_SECRET_KEY": SECRET,
        "PBM_SMARTHOST": f"smtp://pbm:{PASSWORD}@127.0.0.1:{free_port()}",
        "PBM_OPERATOR": "op@example.org",
    }
    printed = ""
    for words in (
        ("migrate",),
        ("check",),
        ("players", "list"),
        ("queue", "list"),
        ("verify",),
        ("backup", "b"),
        ("restore", "b"),
        ("restore", "--force", "b"),
        ("send", "--as", "a@example.org", "hi"),
        ("read", "a@example.org"),
        ("journal",),
    ):
        done = run("pbm-admin", *words, settings=settings)
        assert "Traceback" not in done.stderr
        printed += done.stdout + done.stderr
    assert "Restored as of" in printed
    assert SECRET not in printed
    assert PASSWORD not in printed


def test_numbers_in_the_file_need_no_quotes(tmp_path: Path) -> None:
    toml = tmp_path / "pbm.toml"
    toml.write_text("PBM_ROBOT_SECONDS = 2.5\nPBM_MAILS_PER_HOUR = 30\n", encoding="utf-8")
    settings = load_settings({"PBM_ROBOT_PROCESSES": "3"}, toml)
    assert (settings.seconds_for_robots, settings.most_mails[0]) == (2.5, 30)
    assert settings.search_workers == 3


def test_the_settings_do_not_show_their_secrets() -> None:
    environ = {
        "PBM_SECRET_KEY": SECRET,
        "PBM_SMARTHOST": f"smtps://pbm:{PASSWORD}@host",
        "PBM_DATABASE_URL": f"postgresql://pbm:{PASSWORD}@host/pbm",
    }
    settings = load_settings(environ, Path("/nonexistent/pbm.toml"))
    assert (settings.secret_key, settings.smarthost) == (SECRET, environ["PBM_SMARTHOST"])
    for shown in (repr(settings), str(settings), f"{settings}"):
        assert SECRET not in shown
        assert PASSWORD not in shown
        assert "pbm@localhost" in shown
    assert repr(Settings()) != repr(Settings(address="other@localhost"))


def test_pages_without_an_address_are_refused(run: Run) -> None:
    is_one_sentence(run("pbm", "serve", "--roles=web"), "--roles=web: set PBM_WEB_LISTEN, such as")
