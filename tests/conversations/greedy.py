"""Players who push marbles off whenever they can, so that games end soon."""

from random import Random

from pbm.rules import abalone as rules


def greedy_move(position: rules.Position, chance: Random) -> rules.Move:
    """A move that ejects an opponent's marble if there is one, else any."""

    def appeal(move: rules.Move) -> float:
        ejected = rules.play(position, move).ejected
        return len([seat for seat in ejected if seat not in position.out]) + chance.random()

    return max(rules.legal_moves(position), key=appeal)
