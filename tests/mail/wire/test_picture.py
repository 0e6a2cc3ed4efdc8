"""Pictures apart from their look, which tests/golden keeps."""

import io
import itertools
import json
from math import cos, dist, radians, sin
from random import Random

from PIL import Image

from pbm.mail.writing import picture, stamps
from pbm.mail.writing.stamps import DENSITY, Colour
from pbm.rules import abalone as rules
from pbm.rules.contract import Moved
from tests.pictures import pixels
from tests.rows import each_row

# How linear light reaches the eye: Machado, Oliveira and Fernandes (2009), severity 1.0.
_SIGHT = {
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protanopia": (
        *((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216)),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        *((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413)),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        *((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602)),
        (0.004733, 0.691367, 0.303900),
    ),
}


def linear(colour: Colour) -> list[float]:
    parts = [part / 255 for part in colour]
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]


def lab(light: list[float]) -> tuple[float, float, float]:
    """CIE L*a*b* of linear light, for white D65."""
    to_xyz = (
        (0.4124, 0.3576, 0.1805, 0.9505),
        (0.2126, 0.7152, 0.0722, 1.0),
        (0.0193, 0.1192, 0.9505, 1.089),
    )
    x, y, z = (
        max(0.0, sum(a * b for a, b in zip(row, light, strict=False)) / row[3]) for row in to_xyz
    )
    fx, fy, fz = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def seen(colour: Colour, sight: str) -> tuple[float, float, float]:
    light = linear(colour)
    mixed = (sum(a * b for a, b in zip(row, light, strict=True)) for row in _SIGHT[sight])
    return lab([min(1.0, max(0.0, value)) for value in mixed])


def contrast(one: Colour, other: Colour) -> float:
    """As WCAG 2 defines it, from 1 to 21."""
    weights = (0.2126, 0.7152, 0.0722)
    light = [
        sum(w * part for w, part in zip(weights, linear(colour), strict=True)) + 0.05
        for colour in (one, other)
    ]
    return max(light) / min(light)


@each_row("sight", _SIGHT)
def test_everybody_can_tell_the_pieces_apart(sight: str) -> None:
    seats = [stamps.PIECES[seat][0] for seat in "123456"]
    for one, other in itertools.combinations(seats, 2):
        a, b = seen(one, sight), seen(other, sight)
        assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 20, (one, other)


def test_every_sign_stands_out_from_its_piece() -> None:
    assert {
        seat: contrast(*pair) for seat, pair in stamps.PIECES.items() if contrast(*pair) < 4.5
    } == {}


def test_the_name_of_a_hole_stands_out_from_it() -> None:
    assert contrast(stamps.HOLE, stamps.NAME) > 4.5


def game(players: int, plies: int) -> list[str]:
    """The descriptions of a random game's pictures, for whoever is to move next."""
    position, dice, found = rules.start("standard", players), Random(players), []
    moves: list[Moved] = []
    for _ in range(plies):
        played = position.play(dice.choice(position.legal_moves()))
        moves.append(Moved(position.turn or 0, str(played.move), played.effect))
        position, moves = played.position, moves[1 - players :]
        named = "12" if players == 2 else str(position.turn)
        found.append(picture.described({**rules.drawing(position, tuple(moves)), "named": named}))
    return found


@each_row(("players", "bytes_"), [(2, 24_000), (4, 28_000), (6, 31_000)])
def test_no_picture_of_a_game_is_large(players: int, bytes_: int) -> None:
    sizes = [len(picture.png(described)) for described in game(players, 80)]
    assert max(sizes) <= bytes_, sizes


def test_the_same_drawing_is_the_same_bytes_and_is_drawn_once() -> None:
    described = game(2, 5)[-1]
    picture.png.cache_clear()
    first = picture.png(described)
    backwards = dict(reversed(json.loads(described).items()))
    assert picture.png(picture.described(backwards)) is first
    assert (picture.png.cache_info().misses, picture.png.cache_info().hits) == (1, 1)
    picture.png.cache_clear()
    assert picture.png(described) == first


def test_only_so_many_pictures_are_kept() -> None:
    most = picture.png.cache_info().maxsize
    assert most is not None
    assert most * 31_000 < 4_000_000
    for described in {line for players in (2, 3, 5) for line in game(players, most // 2)}:
        picture.png(described)
    assert picture.png.cache_info().currsize == most


def test_stamps_are_drawn_once_however_many_pictures_there_are() -> None:
    for described in game(2, 20):
        picture.png.__wrapped__(described)  # another test may have drawn some of them before
    kinds = (stamps.board, stamps.piece, stamps.arrow, stamps.head)
    drawn = [kind.cache_info().misses for kind in kinds]
    for described in game(2, 20):
        picture.png.__wrapped__(described)
    assert [kind.cache_info().misses for kind in kinds] == drawn


def test_a_file_holds_the_strips_that_it_was_made_from() -> None:
    colours = [(number, 255 - number, 3 * number) for number in range(16)]
    numbers = Random(1).choices(range(16), k=20 * 7)
    strips = [
        picture._compressed(Image.frombytes("L", (20, height), bytes(numbers[from_:to])))
        for height, from_, to in ((2, 0, 40), (5, 40, 140))
    ]
    # Pillow checks the sums.
    with Image.open(io.BytesIO(picture._file(20, colours, *strips))) as read:
        seen_ = read.convert("RGB").tobytes()
    assert seen_ == bytes(part for number in numbers for part in colours[number])


def items(players: int, **more: object) -> list[picture._Item]:
    return [*picture._items({**rules.drawing(rules.start("standard", players), ()), **more})]


def pieces(found: list[picture._Item]) -> dict[str, tuple[object, ...]]:
    """What the pieces look like, by the cell."""
    places = dict(zip(picture._places("abalone"), rules.GROUND.names, strict=True))
    return {places[item.point]: item.what for item in found if item.draw is stamps.piece}


def test_the_number_of_a_move_is_on_a_piece_of_its_own() -> None:
    one = {"left": [0], "came": [7, 1], "towards": 60, "off": None}
    gone = {"left": [30], "came": [], "towards": 0, "off": None}
    found = items(6, moves=[one, gone], signs=".1".ljust(7, ".") + "1".ljust(54, "."))
    assert pieces(found) == {
        "a2": ("1", "1", True, False, 0, False),
        "b3": ("1", "1", True, False, 1, False),
    }
    arrows = [item.what for item in found if item.draw is stamps.arrow]
    assert arrows == [("a1", 60), ("2nd", 0)]  # no piece of the second stands where it came to


def test_marks_stay_within_their_cells() -> None:
    """So they hide no other piece."""
    radius = stamps.PIECE * stamps.UNIT * DENSITY
    for towards in range(0, 360, 60):
        _, mask = stamps.arrow("a1", towards)
        assert mask
        half = mask.width / 2
        far = [
            (x + 0.5 - half, y + 0.5 - half)
            for x in range(mask.width)
            for y in range(mask.height)
            if mask.getpixel((x, y))
        ]
        for around in range(0, 360, 60):
            x, y = (DENSITY * stamps.UNIT * turn(radians(around)) for turn in (cos, sin))
            assert min(dist((x, y), point) for point in far) > radius - DENSITY, (towards, around)


def test_what_was_played_has_a_colour_of_no_seat() -> None:
    for colour, _ in stamps.PIECES.values():
        a, b = seen(stamps.MARK, "usual"), seen(colour, "usual")
        assert sum((x - y) ** 2 for x, y in zip(a, b, strict=True)) ** 0.5 > 40, colour
    assert contrast(stamps.MARK, (255, 255, 255)) > 4.5


def test_lost_pieces_lie_beside_their_home() -> None:
    for players in (2, 3, 4, 5, 6):
        start = str(rules.drawing(rules.start("standard", players), ())["signs"])
        signs = start
        for seat in "123456"[:players]:
            signs = signs.replace(seat, ".", 2)
        pushed = {"left": [], "came": [], "towards": 0, "off": [0, "2"]}
        found = items(players, start=start, signs=signs, moves=[pushed])
        trays = [item for item in found if item.draw is stamps.tray]
        assert [item.what[2:] for item in trays] == [(2, int(at == 1)) for at in range(players)]
        assert len({item.point for item in trays}) == players
        height = stamps.height(rules.GROUND)
        assert trays[0].point[1] < height / 2  # the first seat begins at the top
        assert {item.point[1] for item in trays} <= {
            stamps.HEAD + stamps.TRAY / 2,
            height - stamps.TRAY / 2,
        }


def test_the_picture_has_a_ground_of_its_own() -> None:
    (width, height), seen_ = pixels(
        picture.png(picture.described(rules.drawing(rules.start(), ())))
    )
    ground = rules.GROUND
    assert (width, height) == (DENSITY * ground.width, DENSITY * stamps.height(ground))
    assert set(seen_[3::4]) == {255}


@each_row(
    ("players", "named", "cells"),
    [
        (3, "2", "d8 e8 e9 f8 f9 g8 g9 h8 h9 i8 i9"),
        (6, "1", "a2 a3 a4 b3 b4 c4"),
        (6, "", ""),
    ],
)
def test_only_the_pieces_of_the_named_seat_show_their_cells(
    players: int, named: str, cells: str
) -> None:
    found = pieces(items(players, named=named))
    assert " ".join(cell for cell, what in found.items() if cell == what[1]) == cells


def test_two_players_get_one_board_with_two_palettes() -> None:
    """The names on the other's pieces have the colour of these."""
    own: dict[str, bytes] = {}
    picture._board.cache_clear()
    for named in ("1", "2"):
        drawing = {**rules.drawing(rules.start(), ()), "named": named, "you": named}
        own[named] = pixels(picture.png.__wrapped__(picture.described(drawing)))[1]
    assert picture._board.cache_info().misses == 1
    width = DENSITY * rules.GROUND.width
    places = dict(zip(rules.GROUND.names, picture._places("abalone"), strict=True))
    for cell, seat in (("a1", "1"), ("i9", "2")):
        x, y = (round(DENSITY * side) for side in places[cell])
        colours = {
            named: {
                seen_[4 * (row * width + column) :][:3]
                for row in range(y - 16, y + 16)
                for column in range(x - 16, x + 16)
            }
            for named, seen_ in own.items()
        }
        for named, found in colours.items():
            assert (found == {bytes(stamps.PIECES[seat][0])}) == (named != seat), (cell, named)


def test_the_line_above_the_board_says_who_is_who() -> None:
    heads = {
        stamps.head(384, captions).tobytes()
        for captions in (
            (),
            (("You", "1", "o"),),
            (("You", "2", "x"),),
            (("To move", "1", "o"),),
            (("You", "1", "1"), ("Partner", "3", "3")),
        )
    }
    assert len(heads) == 5


def test_words_name_every_piece_and_nothing_else() -> None:
    position = rules.parse_state(
        "11.11/1.1.11/......./......../....#..../......../......./2....2/.2222 1 0,0 -"
    )
    words = picture.in_words(picture.described(rules.drawing(position, ())))
    on = "# on e5; o on a1 to a2, a4 to a5, b1, b3, b5 to b6; x on h4, h9, i6 to i9"
    assert words == f"The board: {on}."


def test_words_tell_the_moves_that_are_marked_in_their_one_form() -> None:
    state = rules.start("standard", 3).state()
    after = rules.parse_state(state.replace(" 1 0,", " 2 0,"))
    moves = [Moved(1, "b1-b3,c1"), Moved(2, "d8,d7")]
    words = picture.in_words(picture.described(rules.drawing(after, tuple(moves))))
    assert words.endswith("; last b1-b3,c1 d8,d7.")


@each_row("plies", [0, 1, 7, 148, 5_000])
def test_a_lead_is_a_small_chart(plies: int) -> None:
    """Yellow above the middle, where the first side is ahead, and blue below it."""
    leads = [0, 250, -1_000, -40][: plies + 1]
    described = picture.described({"leads": leads, "plies": plies})
    png = picture.png(described)
    (width, height), found = pixels(png)
    assert (width, height) == tuple(DENSITY * side for side in picture.size(described))
    assert len(png) <= 4_000
    image = Image.open(io.BytesIO(png)).convert("RGB")
    for seat, rows in (
        ("1", range(picture.MIDDLE)),
        ("2", range(picture.MIDDLE + 1, picture.CHART_HEIGHT)),
    ):
        colour = stamps.PIECES[seat][0]
        at = {
            y // DENSITY
            for y in range(height)
            for x in range(0, width, 4)
            if image.getpixel((x, y)) == colour
        }
        assert at <= {*rows, picture.MIDDLE}
        assert bool(at) == (len(leads) > int(seat))
    assert found


def test_a_chart_has_words() -> None:
    words = picture.in_words(picture.described({"leads": [0, 150, -1_000], "plies": 2}))
    assert words == "The lead: from move to move 0.0, 1.5, won by force."
