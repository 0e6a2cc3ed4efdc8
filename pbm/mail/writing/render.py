"""Renders text and HTML part of a mail from one template; `blocks.py` describes the syntax."""

import operator
import re
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import quote

from jinja2 import (
    ChoiceLoader,
    Environment,
    FileSystemLoader,
    PrefixLoader,
    StrictUndefined,
    Template,
    TemplateSyntaxError,
    nodes,
)
from jinja2.compiler import CodeGenerator, Frame, MacroRef
from jinja2.ext import Extension
from jinja2.runtime import Context
from jinja2.utils import Namespace

from pbm.errors import OperatorError
from pbm.mail.writing import picture
from pbm.mail.writing.blocks import (
    COMMAND,
    COMMAND_ENDS,
    FILTERS,
    KEPT,
    PICTURE,
    SUBJECT,
    blocks_of,
    cleaned,
    linked,
    unmarked,
)
from pbm.mail.writing.compose import InlinePicture
from pbm.resources import game_templates, resource_path
from pbm.rules.registry import own_game

_SUBJECT = re.compile(f"{SUBJECT}(.*)\n")
_TAGGED = re.compile(r"(?:g\d+\.)?u\d+\.[a-z0-9]+(?=@)", re.ASCII)  # in a reply address


class Rendered(NamedTuple):
    """A mail's subject, both parts with LF line ends, and the pictures of the HTML part."""

    subject: str
    text: str
    html: str
    pictures: tuple[InlinePicture, ...]


class Renderer:
    def __init__(self) -> None:
        self._templates = _own_templates()
        page = self._read("page.html").render(body=KEPT)
        self._above, _, self._below = page.partition(KEPT)

    def load(self) -> None:
        """Compile all templates now, not on first use. Raises OperatorError for a bad template."""
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
        reply: tuple[str, str | None] = ("", None),
    ) -> Rendered:
        """Render a mail. Raises jinja2.TemplateError.

        `reply` is the address that a reply goes to, and the mail's subject, None if the template
        words it. Without `message_id` there are no pictures.
        """
        params = cleaned(current_params(params))
        # Who does not play there has a link without an address.
        if tagged := "page" in params and params.get("you") and _TAGGED.search(reply[0]):
            params["page"] = params["page"].replace("#1..", f"#1.{tagged[0]}.", 1)
        source = self._templates.get_template(f"{template}.txt").render(v=params)
        worded = _SUBJECT.findall(source)
        subject = reply[1] or (worded[0] if worded else "")
        source = _SUBJECT.sub("", source)
        # An empty line ends the block above.
        blocks = [block for chunk in source.split("\n\n") if chunk for block in blocks_of(chunk)]
        described = dict.fromkeys(block.picture for block in blocks if block.picture and message_id)
        ids = {
            line: str(message_id).replace("<", f"<picture{number}.", 1)
            for number, line in enumerate(described, 1)
        }
        text = "\n\n".join(block.text for block in blocks if not block.picture)
        shown = [
            block.html.replace(PICTURE, quote(ids[block.picture].strip("<>"), safe="@"))
            if block.picture
            else block.html
            for block in blocks
            if not (block.drawn if ids else block.picture)
        ]
        return Rendered(
            subject,
            f"{text}\n",
            self._above + linked("\n".join(shown), reply[0], subject) + self._below,
            tuple(InlinePicture(name, picture.png(line)) for line, name in ids.items()),
        )


def sentence(why: dict[str, Any], template: str = "refusals.txt") -> str:
    """Return one line of text for the operator about `why`, by default the data of a refusal."""
    module = _own_templates().get_template(template).module
    said = module.said(cleaned(why))  # type: ignore[attr-defined]
    return " ".join(unmarked(said).split())


def _own_templates() -> Environment:
    return templates_of(resource_path("templates"), *game_templates().items())


@cache
def templates_of(own: Path, *games: tuple[str, Path]) -> Environment:
    """Return an environment of the templates in these folders, each compiled once per process."""
    of_games = {name: FileSystemLoader(folder) for name, folder in games}
    environment = Environment(
        extensions=[_Answers],
        loader=ChoiceLoader([FileSystemLoader(own), PrefixLoader(of_games)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
        auto_reload=False,  # else each use of a template looks at its file
        cache_size=-1,  # all of them stay
    )
    environment.context_class, environment.code_generator_class = _Context, _Compiler
    environment.filters |= FILTERS
    environment.globals = {"namespace": Namespace, "numbered": _numbered}
    environment.globals["words_of"] = partial(_words_of, environment)
    return environment


def _numbered(ply: int, view: dict[str, Any]) -> str:
    """Return a ply as "25 (#49)": as the number of its round, and as commands name it.

    A seat that has missed a round since its latest ply counts as passed over ever since.

    >>> [_numbered(ply, {"latest": [8, 7, 3]}) for ply in (5, 6, 7)]  # the third has left
    ['2 (#5)', '3 (#6)', '3 (#7)']
    """
    latest = view.get("latest") or [ply] * len(view.get("players") or "12")  # old mails lack it
    seats, moves = len(latest), 0  # moves of those who are passed over
    for last in sorted(latest):
        if last <= min(ply, max(latest)) - seats:
            moves, seats = moves - (moves - last) // seats, seats - 1
    return f"{-((moves - ply) // seats)} (#{ply})"


class _Answers(Extension):
    """A Jinja extension that marks ready-made answers, such as "<<rematch>>", in templates."""

    def preprocess(self, source: str, *_: object, **__: object) -> str:
        return source.replace("<<", COMMAND).replace(">>", COMMAND_ENDS)


class _Context(Context):
    call = operator.call  # type: ignore[assignment] # none of our functions takes the context


class _Compiler(CodeGenerator):
    """A compiler that makes `a.b` a dictionary look-up: nearly all parameters are dictionaries."""

    def visit_Getattr(self, node: nodes.Getattr, frame: Frame) -> None:  # noqa: N802
        name = repr(node.attr)
        self.write(f"(it[{name}] if type(it := ")
        self.visit(node.node, frame)
        self.write(f") is dict and {name} in it else environment.getattr(it, {name}))")

    def visit_Call(  # noqa: N802
        self, node: nodes.Call, frame: Frame, forward_caller: bool = False
    ) -> None:
        self.write("context.call(")
        self.visit(node.node, frame)
        self.signature(node, frame, {"caller": "caller"} if forward_caller else None)
        self.write(")")

    def macro_def(self, macro_ref: MacroRef, frame: Frame) -> None:  # noqa: ARG002 - as Jinja calls it
        """Compile a macro to a plain function: ours take no `caller`, `varargs` or `kwargs`."""
        names = [argument.name for argument in macro_ref.node.args]
        taken = ", ".join(f"{name}=missing" for name in names)
        self.write(f"(lambda macro: lambda {taken}: macro({', '.join(names)}))(macro)")


@cache
def _words_of(environment: Environment, game: str) -> SimpleNamespace:
    """Return the macros of `game.txt` and of the game's `board.txt`, which has precedence."""
    usual, own = (
        vars(environment.get_template(name).module) for name in ("game.txt", f"{game}/board.txt")
    )
    return SimpleNamespace(**{**usual, **own})


# -- parameters that earlier versions stored in the outbox ------------------------------------

_CALLED_NOW = {
    "started": "board-started",
    "declined": "board-declined",
    "unreachable": "player-unreachable",
    "reachable": "player-reachable",
    "came-back": "mail-came-back",
}
# Refusals whose words are now in the "reasons.txt" of the only game of that time.
_SAID_BY_THE_GAME = frozenset("no-pass one-form two-layouts bad-teams".split())
_SAID_NO_MORE = {
    "cannot-be-strict": "This server does not learn what your mail provider says about your mails, "
    "so it cannot ask for that. Answers to our mails prove who you are, as before.",
    "cannot-add": "We cannot ask that address: another player may play from it. If it is yours, "
    "write to us from there.",
}
# Each kind of offer had its own facts; a request for a take-back still has one.
_OFFER = re.compile(
    "(?!takeback-asked)(draw|takeback|pause|resume)-(asked|seconded|refused|withdrawn|lapsed|void)"
)
_PERHAPS_A_NAME = "perhaps-a-name"  # was a refusal; now the player is always asked about a name
_MARKS = ("left", "came", "towards", "off")
_CLAIM = "nothing-to-claim"  # worded by the game after our sentence


def current_params(params: dict[str, Any]) -> dict[str, Any]:
    """Convert a mail's parameters to their current form, with a game's name and title."""
    info = own_game().info  # the only game of the versions that named none
    usual = {"game": info.name, "title": info.title}
    params = _shown({**usual, **params})
    if params.get("lead"):
        params["lead"] = [_fact(item) for item in params["lead"]]
    if params.get("sections"):
        sections = (_section({**usual, **item}) for item in params["sections"])
        params["sections"] = [_with_game(item, usual) for item in sections]
    problem = params.get("problem") or {}
    if problem.get("code") == _PERHAPS_A_NAME:
        params |= {"problem": None, "named": True}
    elif problem:
        params["problem"] = _with_game(problem, usual)
    return params


def _with_game(item: dict[str, Any], usual: dict[str, str]) -> dict[str, Any]:
    """Add the game's name and title in `usual` to a refusal's parameters, if they are missing."""
    return {**item, "params": {**usual, **item["params"]}} if "params" in item else item


def _shown(view: dict[str, Any]) -> dict[str, Any]:
    """Convert the picture in a view to its current form, with a list of moves to be marked."""
    drawing = view.get("picture") if "diagram" in view else None
    if not drawing or "moves" in drawing:
        return view
    stands = {name: value for name, value in drawing.items() if name not in _MARKS}
    moved = {name: drawing[name] for name in _MARKS if name in drawing}
    return {**view, "picture": {**stands, "moves": [moved] if moved else []}}


def _fact(item: dict[str, Any]) -> dict[str, Any]:
    what = item["what"]
    if "operator" in item:  # it had its own field for the operator's act
        return {"what": "operator-acted", "did": what, "why": item["why"]}
    offer = _OFFER.fullmatch(what)
    if offer:
        kind, done = offer.groups()
        return {**item, "what": f"offer-{'made' if done == 'asked' else done}", "kind": kind}
    return {**item, "what": _CALLED_NOW.get(what, what)}


def _section(told: dict[str, Any]) -> dict[str, Any]:
    told = _shown(told)
    if told.get("section") != "refusal":
        return told
    code, params = told["code"], told["params"]
    if code in _SAID_NO_MORE:
        return {**told, "code": "illegal-move", "params": {"text": _SAID_NO_MORE[code]}}
    if code in (*_SAID_BY_THE_GAME, _CLAIM) and "why" not in params:
        said = {**params, "why": {"reason": code, **params}}
        return {**told, "code": _CLAIM if code == _CLAIM else "illegal-move", "params": said}
    if params.get("reason") == "board-name":
        return {**told, "params": {**params, "reason": "no-such-value", "sets_up": True}}
    return told
