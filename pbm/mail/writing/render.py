"""Renders the text and HTML parts of a mail from one template.

`blocks.py` says what templates may contain, and how it looks in each part.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
    TemplateSyntaxError,
)
from jinja2.runtime import Context

from pbm.errors import OperatorError
from pbm.mail.writing import picture
from pbm.mail.writing.blocks import FILTERS, KEPT, Block, blocks_of, cleaned, html_of, linked
from pbm.mail.writing.compose import InlinePicture
from pbm.mail.writing.legacy_params import as_frozen_now
from pbm.resources import game_templates, resource_path
from pbm.rules.registry import own_game


class Rendered(NamedTuple):
    """The two parts of a mail, lines ending in a line feed, and the pictures in the HTML part."""

    text: str
    html: str
    pictures: tuple[InlinePicture, ...]


class Renderer:
    """The templates of this server."""

    def __init__(self) -> None:
        self._templates = templates_of(resource_path("templates"), *game_templates().items())
        page = self._read("page.html").render(body=KEPT)
        self._above, _, self._below = page.partition(KEPT)

    def load(self) -> None:
        """Read all templates now; else each is read when it is first needed.

        Raises OperatorError for one that is not written as templates are.
        """
        for name in self._templates.list_templates():
            self._read(name)

    def _read(self, name: str) -> Template:
        try:
            return self._templates.get_template(name)
        except TemplateSyntaxError as error:
            said = (error.message or "it cannot be read").rstrip(".")
            raise OperatorError(
                f"{error.filename or name}, line {error.lineno}: {said}. Mend that template, or "
                "install pbm anew."
            ) from error
        except UnicodeDecodeError as error:
            told = f"The template {name} is not written in UTF-8. Mend it, or install pbm anew."
            raise OperatorError(told) from error

    def render(
        self,
        template: str,
        params: dict[str, Any],
        message_id: str | None = None,
        address: str | None = None,
    ) -> Rendered:
        """Render both parts of a mail. Raises jinja2.TemplateError for a broken template.

        The Content-IDs of the pictures follow from the Message-ID; without one there are none.
        Links write to `address`, which must prove nobody: whatever quotes the mail quotes them.
        """
        params = cleaned(_about_a_game(as_frozen_now(params)))
        source = self._templates.get_template(f"{template}.txt").render(v=params)
        # An empty line ends whatever stands above it.
        blocks = [block for chunk in source.split("\n\n") if chunk for block in blocks_of(chunk)]
        ids = _content_ids(blocks, message_id)
        text = "\n\n".join(block.text for block in blocks if not block.picture)
        shown = [html_of(block, ids) for block in blocks if not block.picture or ids]
        return Rendered(
            f"{text}\n",
            self._above + linked("\n".join(shown), address) + self._below,
            tuple(InlinePicture(name, picture.png(described)) for described, name in ids.items()),
        )

    def said(self, why: dict[str, Any]) -> str:
        """What a game says against something."""
        return str(self._templates.get_template("refusals.txt").module.said(cleaned(why)))  # type: ignore[attr-defined]


def sentence(why: dict[str, Any]) -> str:
    """Say in the words of a game why something cannot be, to one who gets no mail."""
    return " ".join(_renderer().said(why).split())


@cache
def _renderer() -> Renderer:
    return Renderer()


@cache
def templates_of(own: Path, *games: tuple[str, Path]) -> Environment:
    """The templates of these folders, each compiled once for the whole process."""
    of_games = {name: FileSystemLoader(folder) for name, folder in games}
    environment = _Environment(
        loader=ChoiceLoader([FileSystemLoader(own), PrefixLoader(of_games)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,  # else each use of a template looks at its file
        cache_size=-1,  # all of them stay
    )
    environment.filters |= FILTERS
    environment.globals["words_of"] = partial(_words_of, environment)
    return environment


class _Calls(Context):
    """Calls functions at once: none that a template uses asks for its context."""

    def call(
        self, function: Callable[..., Any], /, *args: Any, _loop_vars: Any = None, **kwargs: Any
    ) -> Any:
        return function(*args, **kwargs)


class _Environment(Environment):
    """What fills a template are dictionaries nearly always: their keys are looked at first."""

    context_class = _Calls

    def getattr(self, obj: Any, attribute: str) -> Any:
        """What stands behind a dot in a template."""
        if type(obj) is dict and attribute in obj:
            return obj[attribute]
        return super().getattr(obj, attribute)


@cache
def _words_of(environment: Environment, game: str) -> SimpleNamespace:
    """The macros of a game's own `board.txt`, and those of `game.txt` that it lacks."""
    usual, own = (
        vars(environment.get_template(name).module) for name in ("game.txt", f"{game}/board.txt")
    )
    return SimpleNamespace(**{**usual, **own})


def _content_ids(blocks: Sequence[Block], message_id: str | None) -> dict[str, str]:
    """The Content-ID of each picture, by what describes it; none without a Message-ID."""
    if message_id is None:
        return {}
    described = dict.fromkeys(block.picture for block in blocks if block.picture)
    return {
        line: message_id.replace("<", f"<picture{number}.", 1)
        for number, line in enumerate(described, 1)
    }


def _about_a_game(params: dict[str, Any]) -> dict[str, Any]:
    """What fills a template, each part with its game: what names none is of a version before, and
    about the only one of then."""
    info = own_game().info
    usual = {"game": info.name, "title": info.title}
    params = {**usual, **params}
    if params.get("problem"):
        params["problem"] = _of_a_game(params["problem"], usual)
    if "sections" in params:
        params["sections"] = [_of_a_game({**usual, **each}, usual) for each in params["sections"]]
    return params


def _of_a_game(told: dict[str, Any], usual: dict[str, str]) -> dict[str, Any]:
    """A refusal whose parameters name a game, too."""
    return {**told, "params": {**usual, **told["params"]}} if "params" in told else told
