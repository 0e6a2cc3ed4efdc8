"""Every secret that the tests issue, noted as it is made, and looked for where none may be.

Tags of reply addresses, tokens of questions, keys and passwords are noted wherever this process
makes or meets one; those of a server in a process of its own are read from its mails and its key
file. They are looked for in what every test logs and prints (`tests/conftest.py`), in all mails,
replies and stored words of a `Table`, and in the logs of running servers.
"""

import re
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

from argon2 import PasswordHasher

from pbm.commands.language.words import Login
from pbm.commands.registry import COMMANDS
from pbm.mail import keys as keyfile
from pbm.mail.address import ServerAddress
from pbm.mail.keys import Keyring
from pbm.service.turns import handle_mail

_WORD = re.compile(r"[a-z0-9]{16,}", re.ASCII)
_REPLY_ADDRESS = re.compile(
    rb"^[\w-]+:[^\r\n]*\+[a-z0-9.]*?\.([a-z0-9]{16,})@", re.MULTILINE | re.IGNORECASE
)
_DIFFERENT_LETTERS = 4
_PRINTED = {
    word for command in COMMANDS for example in command.examples for word in example.split()
}
_KEY_LINE = re.compile(r"^[a-z0-9]{1,2}\s+(\S{32,})\s*$", re.MULTILINE)


class SecretsIssued:
    """The secrets so far, and where they are found again."""

    def __init__(self) -> None:
        self.words: set[str] = set()  # tags and tokens: one word each, in small letters
        self.texts: set[str] = set()  # passwords and keys

    def note_address(self, detail: str) -> None:
        """Note what follows the last dot of a reply address: its tag or token."""
        self.words.add(detail.rpartition(".")[2].lower())

    def note_mail(self, raw: bytes) -> None:
        """Note the tags and tokens in the header of a mail that has come from a server."""
        head = raw.partition(b"\r\n\r\n")[0]
        self.words |= {found.decode().lower() for found in _REPLY_ADDRESS.findall(head)}

    def note_key_file(self, path: Path) -> None:
        """Note the keys of a file, if it is there."""
        if path.exists():
            self.texts |= set(_KEY_LINE.findall(path.read_text(encoding="ascii")))

    def found_in(self, text: str) -> list[str]:
        """The kinds of secrets that a text holds; never the secrets themselves."""
        lowered = text.lower()
        found = ["a tag or token" for _ in self.words.intersection(_WORD.findall(lowered))]
        found += ["a password or key" for secret in self.texts if secret in text]
        return sorted(set(found))

    def none_in(self, text: str, where: str) -> None:
        """Fail if a text holds a secret."""
        found = self.found_in(text)
        assert not found, f"{' and '.join(found)} stands in {where}"

    def watch(self) -> None:
        """Note from now on what this process makes or meets."""
        _before(ServerAddress, "_subaddress", lambda _, detail: self.note_address(detail))
        for method in ("reply_tag", "verify_reply_tag"):
            _before(Keyring, method, lambda ring, *_: self._note_keys(ring.keys))
        _before(PasswordHasher, "hash", lambda _, password: self._note_password(password))
        _after(
            PasswordHasher, "verify", lambda right, _, __, word: right and self._note_password(word)
        )
        # A wrong word for a player who has one is perhaps a right one that was misspelt.
        _after(handle_mail, "_player_of", self._note_login)

    def _note_login(self, player: object, _: object, login: Login, __: object) -> None:
        if player is not None:
            self._note_text(login.password.value)

    def _note_keys(self, keys: tuple[keyfile.Key, ...]) -> None:
        for key in keys:
            self._note_text(key.secret.decode("utf-8", "replace"))

    def _note_password(self, password: bytes | str) -> None:
        self._note_text(
            password if isinstance(password, str) else password.decode("utf-8", "replace")
        )

    def _note_text(self, text: str) -> None:
        # `aaaaaaaa` is found everywhere, and what the help prints is nobody's secret.
        if len(set(text)) >= _DIFFERENT_LETTERS and text not in _PRINTED:
            self.texts.add(text)


def _after(owner: type | ModuleType, function: str, note: Callable[..., Any]) -> None:
    original = getattr(owner, function)

    @wraps(original)
    def noting(*args: Any, **kwargs: Any) -> Any:
        result = original(*args, **kwargs)
        note(result, *args, **kwargs)
        return result

    setattr(owner, function, noting)


def _before(owner: type, method: str, note: Callable[..., Any]) -> None:
    original = getattr(owner, method)

    @wraps(original)
    def noting(*args: Any, **kwargs: Any) -> Any:
        note(*args, **kwargs)
        return original(*args, **kwargs)

    setattr(owner, method, noting)


ISSUED = SecretsIssued()
