"""Options of `pbm-admin` that the games which are installed declare."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from pbm.rules.contract import Game, Option, Options
from pbm.rules.registry import games


class GameCommand(click.Command):
    """A command with options of the games, which are looked up when it is used."""

    of: Callable[[Game], Sequence[Option]]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own parameters, and those of the games."""
        return [*super().get_params(ctx), *_declared(self.of)]


def with_options(of: Callable[[Game], Sequence[Option]]) -> type[GameCommand]:
    """The class of a command with these options of each game."""
    return type("GameCommand", (GameCommand,), {"of": staticmethod(of)})


def chosen(given: dict[str, Any]) -> Options:
    """Those that were given."""
    return {name: value for name, value in given.items() if value}


def _declared(of: Callable[[Game], Sequence[Option]]) -> Iterable[click.Option]:
    found = {option.name: option for game in games().values() for option in of(game)}
    for option in found.values():
        told = f"As -{option.name} in a mail."
        if option.is_flag:
            yield click.Option([f"--{option.name}"], is_flag=True, help=told)
        else:
            known = _known(option)
            yield click.Option([f"--{option.name}"], metavar="NAME", callback=known, help=told)


def _known(option: Option) -> Callable[[click.Context, click.Parameter, str | None], str | None]:
    def value(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
        return option.find(given) or given if given else None

    return value
