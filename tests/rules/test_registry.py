"""Which games are let in, and why others are not; each that is plays its playthrough."""

import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

import pytest

from pbm.commands.language.declare import Command
from pbm.commands.registry import parse_line
from pbm.mail.writing.render import Renderer
from pbm.rules import registry
from pbm.rules.abalone import GAME
from pbm.rules.contract import Game, Info, Outcome
from pbm.rules.registry import GamesError, PlaythroughError, check_playthrough, games, load_games

SECOND = Path(__file__).parents[1] / "games"


class Changed:
    """A game that says something else of itself."""

    def __init__(self, game: Game, **said: object) -> None:
        self._game = game
        self.info: Info = replace(game.info, **said)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> object:
        return getattr(self._game, name)


@pytest.fixture
def point(monkeypatch: pytest.MonkeyPatch) -> Callable[..., EntryPoint]:
    """The entry point of a game, with something else said."""

    def made(called: str = "abalone", module: str = "planted", **said: object) -> EntryPoint:
        planted = ModuleType(module)
        planted.GAME = Changed(GAME, **said)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module, planted)
        return EntryPoint(called, f"{module}:GAME", registry.GROUP)

    return made


def forget_games() -> None:
    looked_up = registry.game_named, registry.default_game, registry.own_game
    for cache in (games, registry._found, *looked_up):
        cache.cache_clear()


def second_point() -> EntryPoint:
    return EntryPoint("connect4", "fourinarow:GAME", registry.GROUP)


@pytest.fixture
def second_game(monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """The game that is made for the tests."""
    monkeypatch.syspath_prepend(str(SECOND))
    (game,) = load_games([second_point()])[0].values()
    yield game
    sys.modules.pop("fourinarow")


@pytest.fixture
def preferred(second_game: Game, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    """The second game, installed beside the first and meant where none is named."""
    both = [*entry_points(group=registry.GROUP), second_point()]
    monkeypatch.setattr(registry, "entry_points", lambda group: both)  # noqa: ARG005
    forget_games()
    registry.prefer("connect4")
    yield second_game
    registry.prefer("")
    forget_games()


def test_a_line_that_waits_names_its_game(preferred: Game) -> None:
    for line, game in (("connect4 import", preferred), ("abalone import -layout=german", GAME)):
        command = parse_line(line)
        assert isinstance(command, Command)
        assert command.game.info == game.info
        assert command.pinned(None) == line  # type: ignore[arg-type]


def test_a_mail_of_before_is_about_the_game_of_then(preferred: Game) -> None:
    params = {"problem": None, "board": "", "handle": "kate", "more": False, "last": False}
    told = Renderer().render("welcome", params).text
    assert f"playing {GAME.info.title} by mail" in told
    assert preferred.info.title not in told


def test_every_game_plays_its_playthrough(second_game: Game) -> None:
    for game in (*games().values(), second_game):
        check_playthrough(game)


def test_a_position_and_a_move_print_as_people_write_them(second_game: Game) -> None:
    start = GAME.start(2, {})
    assert repr(start.parse("a1-c3,d4", 1)) == "LineMove('a1-c3,b2')"
    assert " C- . . o o o . . / 9\n" in repr(start)
    assert repr(second_game.start(2, {})).startswith("   a b c d e f g\n6  . . .")


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"contract": 2}, "is made for version 2 of the contract, and this server has version 1"),
        ({"name": "chess"}, "calls itself 'chess'"),
        ({"title": "No\nTitle"}, "must be 2 to 30 letters"),
        ({"playthrough": ""}, "it has no playthrough"),
        ({"playthrough": "# nothing\n"}, "it has no playthrough"),
        ({"playthrough": "play"}, "does not begin with"),
        ({"playthrough": "start 2\n1 zz"}, "its playthrough cannot be played"),
        ({"playthrough": "start 2\nleave x"}, "'x' where a number belongs"),
        ({"playthrough": "start 2\n1 a1-c3,d4"}, "stops before the game is over"),
    ],
)
def test_what_is_unfit_is_left_out(
    said: dict[str, object], why: str, point: Callable[..., EntryPoint], second_game: Game
) -> None:
    fit, left_out = load_games([second_point(), point(**said)])
    assert list(fit.values()) == [second_game]
    assert why in left_out.pop("abalone")
    assert not left_out


def test_rules_that_have_changed_are_refused(point: Callable[..., EntryPoint]) -> None:
    kept = GAME.info.playthrough
    changes = ((' {"ejected"', ' {"taken"'), ("quiet=1\n", "quiet=2\n"), ("over last", "over none"))
    for before, after in changes:
        assert before in kept
        fit, left_out = load_games([point(playthrough=kept.replace(before, after, 1))])
        assert not fit
        assert re.search("of its playthrough is .* but its rules make it", left_out["abalone"])


def test_of_two_of_one_name_only_our_own_is_fit(point: Callable[..., EntryPoint]) -> None:
    points = [point(module="one"), point(module="two")]
    fit, left_out = load_games(points)
    assert not fit
    assert "Two packages bring a game called abalone: one:GAME and two" in left_out["abalone"]
    fit, left_out = load_games([*points, *entry_points(group=registry.GROUP)])
    assert fit == {"abalone": GAME}
    assert "Keep one of them." in left_out["abalone"]


def test_a_server_without_games_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for points, why in (
        ([], "No game is installed"),
        ([EntryPoint("go", "nowhere.to_be_found:GAME", registry.GROUP)], "The game go cannot be l"),
    ):
        monkeypatch.setattr(registry, "entry_points", lambda group, found=points: found)  # noqa: ARG005
        forget_games()
        with pytest.raises(GamesError, match=why):
            games()
    monkeypatch.undo()
    forget_games()


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("raise KeyError('x')", "The game bad cannot be loaded: KeyError: 'x'."),
        ("GAME = (", "The game bad cannot be loaded: SyntaxError: "),
        ("GAME = 1", "The game bad cannot be loaded: AttributeError: "),
    ],
)
def test_one_that_cannot_be_loaded_is_named(
    code: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "unloadable.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "unloadable", raising=False)
    bad = EntryPoint("bad", "unloadable:GAME", registry.GROUP)
    fit, left_out = load_games([bad, *entry_points(group=registry.GROUP)])
    assert list(fit) == ["abalone"]
    assert left_out["bad"].startswith(why)


@pytest.mark.parametrize("member", ["is_move_text", "mentions_place", "check_place", "load"])
def test_one_that_fails_on_what_people_write_is_left_out(
    member: str, second_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = getattr(second_game, member)

    def fails(text: str) -> object:
        text.encode("ascii")
        return plain(text)

    monkeypatch.setattr(second_game, member, fails, raising=False)
    fit, left_out = load_games([second_point()])
    assert not fit
    assert "The game connect4 is not let in: UnicodeEncodeError: " in left_out["connect4"]


def test_one_whose_words_are_missing_is_left_out(
    second_game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(second_game, "info", replace(second_game.info, folder=tmp_path))
    why = load_games([second_point()])[1]["connect4"]
    assert f"{tmp_path}/templates/connect4/reasons.txt is missing" in why


def test_only_a_game_that_is_here_can_be_preferred() -> None:
    registry.prefer("abalone")
    assert registry.default_game() is GAME
    registry.prefer("")
    with pytest.raises(GamesError, match="PBM_GAME: there is no game 'chess' here"):
        registry.prefer("chess")


def test_a_playthrough_needs_a_state_that_comes_back(second_game: Game) -> None:
    class Forgetful(Changed):
        def load(self, state: str) -> object:  # noqa: ARG002
            return self._game.start(2, {})

    with pytest.raises(PlaythroughError, match="does not give its position back"):
        check_playthrough(Forgetful(second_game))  # type: ignore[arg-type]


def test_a_list_of_moves_must_have_each_move_that_was_played(second_game: Game) -> None:
    class Listless(Changed):
        def legal_moves(self, position: object) -> tuple[()]:  # noqa: ARG002
            return ()

    with pytest.raises(PlaythroughError, match="its legal moves lack d"):
        check_playthrough(Listless(second_game))  # type: ignore[arg-type]


def test_a_move_that_no_row_can_hold_is_refused(
    second_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.rules.registry.LONGEST_MOVE", 0)
    with pytest.raises(PlaythroughError, match="the move d has more than 0 characters"):
        check_playthrough(second_game)


@pytest.mark.parametrize(
    ("outcome", "why"),
    [
        (Outcome((1,), "four"), "has 1 ranks for 2 seats"),
        (Outcome((1, 2), "four in a row"), "'four in a row' of its outcome has more than 12"),
    ],
)
def test_an_outcome_that_does_not_fit_is_refused(
    outcome: Outcome, why: str, second_game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fourinarow.Outcome", lambda *_: outcome)
    with pytest.raises(PlaythroughError, match=why):
        check_playthrough(second_game)
