"""Players who push marbles off whenever they can, so that games end soon."""

from random import Random

from pbm.rules import abalone as rules


def greedy_move(position: rules.AbalonePosition, chance: Random) -> rules.LineMove:
    """A move that ejects an opponent's marble if there is one, else any."""

    def appeal(move: rules.LineMove) -> float:
        ejected = position.play(move).ejected
        return len([seat for seat in ejected if seat not in position.out]) + chance.random()

    return max(position.legal_moves(), key=appeal)
