"""Turns and partners in a position of any game."""

from pbm.rules.contract import Position


def turn(position: Position) -> int | None:
    """Return the seat whose turn it is, None once the game is over."""
    return next(iter(position.to_move), None)


def after(position: Position, text: str) -> Position:
    """Return the position after a move of the seat whose turn it is. Raises RulesError."""
    return position.play(position.parse(text, turn(position) or 1)).position


def partners(position: Position, seat: int) -> tuple[int, ...]:
    """Return the other seats of the same side."""
    sides = position.sides
    return tuple(
        other for other, side in enumerate(sides, 1) if side == sides[seat - 1] and other != seat
    )


def hand(position: Position, seat: int) -> int:
    """Return `seat`, or a partner's seat if the player of `seat` has left."""
    if seat not in position.out:
        return seat
    return next((other for other in partners(position, seat) if other not in position.out), seat)


def mover(position: Position) -> int | None:
    """Return the seat whose player moves next (see `hand`); None once the game is over."""
    seat = turn(position)
    return None if seat is None else hand(position, seat)


def teams(position: Position) -> list[list[int]] | None:
    """Return the seats of each side, None if each side has one seat."""
    sides = position.sides
    if len(set(sides)) == len(sides):
        return None
    return [
        [seat for seat, own in enumerate(sides, 1) if own == side] for side in dict.fromkeys(sides)
    ]
