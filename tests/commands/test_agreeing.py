"""Which answers agree to a question, and at what cost."""

from time import process_time

import pytest

from pbm.commands.sentences.agreeing import Asked, agrees

RESIGN = Asked.about(["resign 1"], {"alice", "bob"})
GUARD = 10.0  # seconds; whatever grows with the square of a text takes over a minute


@pytest.mark.parametrize("line", ["a" * 64_000, "a-" * 32_000, "1,2," * 16_000, "a-b " * 16_000])
def test_a_long_command_that_was_asked_about_costs_little(line: str) -> None:
    began = process_time()
    assert agrees(["yes"], Asked.about([f"report 1 {line}"], {"alice"}))
    assert process_time() - began < GUARD


def test_a_wish_to_play_resigns_nothing() -> None:
    wishes = ("I want to play", "let's play", "quiero jugar", "je veux jouer", "ich bin dabei")
    assert [wish for wish in wishes if agrees([wish], RESIGN)] == []


def test_an_unknown_word_is_a_name_only_apart() -> None:
    answers = {
        "Ja\nQuatsch": False,
        "Yes\nKidding": False,
        "yes\nAlice": True,
        "yes\n\nMarta": True,
    }
    assert {text: agrees(text.split("\n"), RESIGN) for text in answers} == answers


@pytest.mark.parametrize(
    ("answer", "counts"),
    [
        # Chat stands beside a yes that says again what was asked, or says yes twice.
        ("Yes, I resign. My grandson outplays me, too.", True),
        ("Absolutely, yes. The weather was dreadful.", True),
        ("Yes, lovely weather here too", False),
        ("Sí, mi familia está muy bien, gracias.", False),
        # Nobody resigns for others, and there is more to give up than a game.
        ("Yes, my brother resigned", False),
        ("Oui, j'abandonne le café.", False),
        ("Sì, hai perso, Bob.", False),
        ("Please resign, Bob! My kettle is boiling.", False),
        ("Bob, give up now. Lovely day.", False),
        ("I give up, Bob! My kettle is boiling.", True),
        ("Yes, resign, Bob.", True),
        # Words are known by their stems, in any order, with a wrong letter, and drawn out.
        ("Schweren Herzens ja: Auf Brett 1 gebe ich mich geschlagen.", True),
        ("Yesss I resgin. Congratulatoins", True),
        ("I resign. Blorgify", False),
        ("Ok merci.", False),
        # A name is known by a given name, a title or an initial.
        ("Yes, I resign.\nHarold", True),
        ("Yes, I resign.\nProf. A. Gallo", True),
        ("Yes, I resign.\nKidding", False),
    ],
)
def test_chat_beside_an_explicit_yes(answer: str, counts: bool) -> None:
    assert agrees(answer.split("\n"), RESIGN) is counts


def test_a_letter_too_few_in_each_word_costs_little() -> None:
    began = process_time()
    assert not agrees(["definitly " * 50 + "no"], RESIGN)
    assert process_time() - began < GUARD
