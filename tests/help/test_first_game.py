"""The first game of `help tutorial` is played as told there, and the mails say what it quotes."""

from tests.help.boards import boards_in, flow
from tests.help.pages import SERVER, SUBJECTS, mailed, page_text, text_lines
from tests.help.test_boards import FIRST_GAME
from tests.table import Person, Table

TOLD_NUMBER = "12"


def quoted(words: str) -> str:
    """Words of a mail that the tutorial quotes, with the number of the board played here."""
    assert f'"{words}"' in flow(page_text("tutorial"))
    return words.replace(TOLD_NUMBER, "1")


def last_lines(person: Person) -> str:
    return "\n".join(line.strip() for line in person.newest.text.split("\n"))


def shows(person: Person, number: int) -> bool:
    """Whether the newest mail has the board that the tutorial shows in that place."""
    board = boards_in("tutorial")[number].board
    return "\n".join(line.strip() for line in board.split("\n")) in last_lines(person)


def test_the_first_game_goes_as_told(embedded: Table) -> None:
    bob = embedded.joins("bob")
    marta = embedded.person("marta@example.org")
    marta.writes("Hello?").hears(quoted("Reply yes to play as marta, or reply with another name."))
    marta.says("yes").forgets()

    marta.says("challenge bob").gets(1)
    bob.gets(1).hears(quoted("Abalone Board 12: marta v bob"))
    assert shows(marta, 0)
    marta.hears(
        quoted("Abalone Board 12: marta v bob"),
        quoted("Your move on board 12."),
        quoted("You are o (top)"),
    )

    marta.says("a1-b2,c3").hears(
        quoted("Your own marble on c3 is in the way. Perhaps a1-c3,b2 was meant.")
    )
    marta.says(f"a1-c3,d4\n\n{quoted('Hello! A good game to you.')}")
    marta.gets(1).hears(quoted("bob's move on board 12; nothing to do."))
    bob.hears("Hello! A good game to you.")
    bob.says("i5-g5,f5")
    assert shows(marta, 1)

    for ply, move in enumerate(FIRST_GAME[2:], start=2):
        (marta, bob)[ply % 2].says(move)
    assert shows(marta, 2)
    assert embedded.moves(1) == list(FIRST_GAME)
    marta.says("c4-e6,f7")
    assert shows(marta, 3)
    bob.says("h4,h5")
    marta.forgets().says("d5-f7,g8").hears(quoted("Scores: you 1, bob 0; to win, push six off."))
    assert shows(marta, 4)


def test_the_list_of_moves_is_the_one_in_the_mails(embedded: Table) -> None:
    marta, bob = embedded.start("marta", "bob")
    for ply, move in enumerate(FIRST_GAME):
        (marta, bob)[ply % 2].says(move)
    marta.forgets().says("show")
    listed = [line for line in text_lines("tutorial") if line[:4].strip().isdigit()]
    assert len(listed) == len(FIRST_GAME) // 2
    assert flow(" ".join(listed)) in flow(marta.newest.text)


def test_a_stranger_gets_the_rules_for_the_asking(embedded: Table) -> None:
    stranger = embedded.person("someone@example.org").writes("pbm help abalone").gets(1)
    assert stranger.newest["Subject"] == "pbm: help abalone"
    assert stranger.newest.text.startswith("ABALONE\n")


def test_an_unknown_page_is_answered_with_those_there_are(embedded: Table) -> None:
    marta = embedded.joins("marta").says("help vacations")
    marta.hears(
        'There is no help page "vacations".',
        "abalone, abalone boards, abalone notation, abalone rules, abalone tactics, answers,",
    )


def test_a_help_mail_sent_back_whole_does_nothing(embedded: Table) -> None:
    marta, bob = embedded.start("marta", "bob")
    by_page = {mailed(subject).text: subject for subject in SUBJECTS}
    for subject in by_page.values():
        embedded.clock.passes(hours=1)  # there is a limit to the answers in an hour
        marta.forgets().says(f"help {subject}").gets(1)
        page = marta.newest.text
        assert page == mailed(subject).text.replace(SERVER, embedded.site.address.plain)
        marta.says(page, answering=marta.mail("Abalone Board"))
        marta.says(page, answering=marta.mail("pbm: help"))
    assert embedded.moves(1) == []
    assert embedded.boards() == [1]
    assert not embedded.departures(1)
    assert {mail["Subject"] for mail in bob.arrived} == {"Abalone Board 1: marta v bob"}
