"""A marble that can be had by force is taken, and both twins take it alike."""

from typing import cast

import pytest

from pbm.rules.abalone import parse_state
from pbm.rules.abalone.engine import compiled, plain
from pbm.rules.abalone.engine.boards import CODE_MASK
from pbm.rules.abalone.engine.roots import Outlook, Root, SearchLimits, Twin, root_of
from pbm.rules.abalone.engine.searching import before_taking, search, taken
from pbm.rules.abalone.engine.weights import Ways, Weights
from pbm.rules.abalone.moves import move_coded
from pbm.rules.abalone.notation import parse_move
from pbm.rules.abalone.position import AbalonePosition
from pbm.rules.contract import Budget

# From random play: an ejection is forced in three plies, and a search by what positions are worth
# does something else first.
FORCED = (
    "11.11/1111.1/1....../1.21..../..2.2.11./..2.2.../....22./22..2./2.222 2 0,0 quiet=61",
    "11.11/1..111/11...../...1...1/...1.22.1/..22.22./.22..../2.2222/.2... 2 0,0 quiet=29",
    "11..2/.22..2/1...2.2/1112..2./...11.21./.221...1/.2..1../.2.2../..1.1 2 0,0 quiet=79",
    "111../....22/.112.../..1...2./.1...2.2./22.1..1./2..11../21.2.1/22..1 1 1,0 quiet=19",
)
NODES = 20_000
TWO = SearchLimits(100, depth=1, best=2)


@pytest.mark.parametrize("state", FORCED)
def test_a_forced_ejection_is_found_and_was_not_without_looking_for_it(state: str) -> None:
    position = parse_state(state)
    found = search([position], Budget(NODES))
    assert still_forced(position, found.lines[0].moves[0])
    assert found.nodes <= NODES
    by_worth = search([position], Budget(NODES), ways=Ways())
    assert not still_forced(position, by_worth.lines[0].moves[0])


def still_forced(position: AbalonePosition, text: str) -> bool:
    """Whether a move ejects a marble, or leaves one that is ejected next whatever the other does,
    who ejects none first: looked for in every move."""
    scores = position.scores
    after = position.play(parse_move(text, position)).position
    if after.scores != scores:
        return True
    replies = [after.play(move).position for move in after.legal_moves()]
    return all(
        reply.scores == scores
        and any(reply.play(move).position.scores != scores for move in reply.legal_moves())
        for reply in replies
    )


@pytest.mark.parametrize("state", FORCED[:2])
def test_both_twins_take_alike(state: str) -> None:
    positions = [parse_state(state)]
    limits = SearchLimits(12_000)
    first = before_taking(limits)
    outlooks = [
        taken(
            positions,
            twin(root_of(positions), Weights(), Ways(), first),
            twin,
            Weights(),
            Ways(),
            limits,
        )
        for twin in (plain.search, compiled.search)
    ]
    assert outlooks[0] == outlooks[1]
    assert outlooks[0].nodes <= limits.nodes


@pytest.mark.parametrize(("worth", "is_taken"), [(-649, True), (-651, False)])
def test_it_may_cost_most_of_a_marble(worth: int, is_taken: bool) -> None:
    """By what positions are worth after it, beside what they are worth after the other move."""
    position = parse_state(FORCED[0])
    best, other = (
        line[0] for _, line in plain.search(root_of([position]), Weights(), Ways(), TWO).lines
    )
    kept = position.play(move_coded(best & CODE_MASK)).position.marbles

    def twin(root: Root, weights: Weights, _: Ways, limits: SearchLimits) -> Outlook:
        if weights == Weights():
            return Outlook(((0 if root.marbles == kept else -worth, (1,)),), 3, 10)
        if limits.best > 1:
            return Outlook(((1000, (other,)),), 4, 10)
        return Outlook(((0, (1,)),), 3, 10)

    found = Outlook(((0, (best,)),), 4, 10)
    outlook = taken([position], found, cast(Twin, twin), Weights(), Ways(), SearchLimits(1_000))
    assert outlook.lines[0][1][0] == (other if is_taken else best)
