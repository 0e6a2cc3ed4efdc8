"""Which words are for the server, and which are for the other players."""

from collections.abc import Callable
from pathlib import Path
from time import process_time

import pytest

from pbm.commands.registry import parse_line
from pbm.commands.sentences.asked import Aim, aim_of
from pbm.commands.sentences.clauses import read_list
from pbm.commands.sentences.intentions import Intention, Meant, understand
from pbm.word_lists import WordListError
from tests.mail.reading.promises import counted_calls
from tests.rows import each_row


def said(text: str) -> str:
    """What is meant by some lines; "how" before it where it is asked how that is done."""
    found = understand(text.split("\n"))
    if found is None:
        return "talk"
    return ", ".join(f"{'how ' if item.asks_how else ''}{item.intention}" for item in found.meant)


MEANT = {
    "resign": """I resign|i RESIGN!!!|I give up|I give up.|quit|Quit!|I quit|"I resign"
        |Resign, please.|I surrender|I concede.|I'd like to resign
        |I want to give up this game now|Can I resign?|ich gebe auf|Ich möchte aufgeben.
        |j'abandonne|J’abandonne !|je veux abandonner la partie|me rindo|Abandono|mi arrendo
        |desisto|ik geef op|jag ger upp|jeg gir opp|poddaję się|Сдаюсь|Я хочу сдаться
        |投了します。|我认输！|Hi, I resign. Thanks!|Hallo Bob, ich gebe auf.
        |I want to stop playing|resign now please""",
    "how resign": """How do I resign this game?|how can I give up|How to resign
        |How do you surrender?|Could you tell me how to resign?|Wie kann ich aufgeben?
        |Comment abandonner ?|¿Cómo puedo abandonar la partida?|come posso abbandonare
        |Como posso desistir?|Hoe kan ik opgeven?|Hur ger jag upp?|Jak się poddać?|Как сдаться?""",
    "draw": """draw?|Draw!|a draw?|remis?|Remis|how about a draw|can we call it a draw
        |Shall we call it a draw?|I offer a draw|I'd like to offer a draw|Do you want a draw?
        |ich biete remis an|Je propose nulle|tablas?|Patta?|Empate?|ofrezco tablas|Ничья?
        |предлагаю ничью|引き分け？|和棋？""",
    "how draw": "How do I offer a draw?|Wie kann ich remis anbieten?|how do we call it a draw",
    "take back": """undo|undo!|undo please|take back my move please|takeback please
        |Undo my last move|I made a mistake, can I take that back?|Oops, wrong move! Undo please
        |Can I have my move back?|Zug zurücknehmen|Kann ich meinen Zug zurücknehmen?|annuler
        |Puis-je reprendre mon coup ?|deshacer|annulla la mossa|desfazer|ångra|cofnij
        |отменить ход|Можно взять ход назад?|悔棋""",
    "again": """rematch?|Rematch!|play again?|another game?|Shall we play again?
        |How about a rematch?|Revanche?|Noch eine Partie?|On rejoue ?|¿Otra partida?|Rivincita?
        |Реванш?|もう一局？|再来一局""",
    "decline": "I don't want to play|Ich möchte nicht spielen|Je ne veux pas jouer",
    "leave": """delete my account|Please delete my account!|I want to delete my account
        |Mein Konto löschen|supprimer mon compte|Удалите мой аккаунт""",
    "stop": """I want to stop getting these mails|stop sending me mails|too many emails
        |unsubscribe me|Keine Mails mehr!|Can I get fewer mails?|退订|Unsubscribe!|abmelden
        |désinscription|darme de baja|désabonnement|Descadastrar, por favor|отписка
        |odhlásit|수신거부""",
    "rules": "rules|Rules?|the rules please|What are the rules?|ルールを教えてください|规则",
    "play": "Wie geht das?|how do I play",
    "help": "help|help me|help!|Help me please|HELP|I need help|Hilfe!|ヘルプ|帮助",
    "commands": "commands|What commands are there?",
    "games": "my games|which games am I in?",
    "settings": "settings!",
    "pair": """I want to play with somebody.|Can I play against someone?|Pair me with someone
        |I'm looking for an opponent.|Can you find me an opponent?
        |Ich suche einen Gegner|Je cherche un adversaire|Busco un oponente|Ищу соперника""",
    "how pair": "How do I find an opponent?|How can I play with somebody?",
    # Said to the others in answer to a board.
    "anyone": """play!|Play, please|Anyone want a game?|Who wants to play?
        |Let's play!|I'd like to play a game
        |I want to play|Wer will spielen?|Qui veut jouer ?|Кто хочет играть?""",
    "against": "I want to play with Anna.|Can I play against anna?|I want to play tonight",
}
TALK = """I won't quit now!|undo your shoes|my rules lawyer|status quo|Resign? Never!
    |I give up hope|You win some|I resign from my job|Rules are rules|Who are you?
    |Whose idea was that?|I need help with my taxes|can you help me with my taxes?
    |I win!|I'll move tonight|Nice move|Good game|Good luck!
    |yes|no|ok|Thanks!
    |Hello again!|Thanks again|Danke nochmal!|Hey man!|Sorry!|Hello|Hi Bob|Bob
    |Why did you resign?|Don't give up!|I never give up
    |To quit or not to quit|You should have said "I resign".|How do I look?|Can you resign?
    |If I resign, you win the cup.|It was a draw last time|No draw!|I draw pictures
    |Draw me a horse|The status is unclear|Help is on the way|help yourself|What a game
    |Play it again, Sam|back to work|Is this a1-c3,d4?|The rules of my club differ from these
    |ich gebe nicht auf|je n'abandonne pas|не сдаюсь|resign 12 alice secret"""


# What the server alone knows or does, in answer to a board, and what others are asked or told.
SERVER = """Can you help me?
    |How do I win?|Can you send me the rules?|Regeln?|Wie sind die Regeln?|reglas
    |Quelles sont les règles ?|Правила|How does this work?|Comment ça marche ?
    |How do I make a move?|Wie mache ich einen Zug? Wie kann ich ziehen?|Bob, can you help me?
    |pomocy|Welche Befehle gibt es?|show me the board again please|whose turn is it
    |What's the score?|Is it my turn?|which ones are mine?|who is winning?|how long do I have?
    |When must I move?|Wer ist dran?|A qui de jouer ?|¿De quién es el turno?|A chi tocca?
    |Czyj ruch?|Чей ход?|How do I start a new game?|How do I change my name?
    |How many marbles have I lost?|Which marbles are mine?|How do I push?|larger picture please
    |When does my time run out?|¿De qué color soy?|Where did I go wrong?
    |Hoelang duurt het nog voor hij op tijd verliest?|Quanti punti ho guadagnato?
    |Non capisco la notazione, cosa vuol dire b2?|I don't understand the picture, where is a1?
    |Wie viele Kugeln habe ich noch?|Comment fait-on pour pousser ?|C'est à qui de jouer ?
    |I am new here. Which side am I?|Ich habe vergessen, welche Farbe ich habe
    |Je ne comprends pas la notation|quiero ver la última jugada|Vorrei un'immagine più grande
    |Ik snap de notatie niet|Uma imagem maior, por favor|Nie rozumiem notacji"""
OTHERS = """How long have you played?|Do you have time tomorrow?|Did you see my push?
    |what's your rating over the board?|You pushed c4 to d5, clever|I need a few days for this one
    |Where are you from?|My clock is ticking, I have to hurry|Wie lange spielst du schon?
    |Schöner Zug!|Tu as vu ma poussée ?|J'ai perdu une bille bêtement|¿Viste mi empujón?
    |Hai visto la mia spinta?|Wat is jouw rating bij de club?|Perdi mais uma bola, que azar
    |Widziałeś moje pchnięcie?|That push was not nice, was it?|I forgot it was my turn, sorry!
    |Where did you learn that? Which marbles are mine?"""


@each_row("text", [" ".join(text.split()) for text in SERVER.split("|")])
def test_what_the_server_is_asked(text: str) -> None:
    for written in (text, f"Hi Bob,\n\n{text}\n\nAlice"):
        assert aim_of(written.split("\n")) is Aim.SERVER


@each_row("text", [" ".join(text.split()) for text in OTHERS.split("|")])
def test_what_others_are_asked(text: str) -> None:
    assert aim_of([text]) in (Aim.OTHERS, Aim.EITHER)


ASKED = [
    line.split("\t")[1:]
    for line in Path(__file__).with_name("asked.tsv").read_text(encoding="utf-8").splitlines()
]


@each_row(("meant", "text"), ASKED)
def test_words_for_the_server_and_for_others(meant: str, text: str) -> None:
    assert (aim_of([text], "bob") not in (Aim.OTHERS, Aim.EITHER)) == (meant == "server")


AIMS = {
    Aim.RESIGN: "Poddaję partię|I give up this one|abandono|Ich gebe die Partie auf",
    Aim.TAKE_BACK: """nimm meinen letzten zug zurück!!|retour arrière svp|foutje, zet ongedaan maken
        |oops wrong one, can that move be withdrawn?""",
    Aim.PAUSE: "Solicito una pausa|Spiel bitte bis Montag ruhen lassen",
    # A long word has a wrong letter, an apostrophe is missing.
    Aim.SERVER: "what is the deadlien|no more notfications please|whens my deadline|My pasword?",
    # The words of one language mean something else in another.
    Aim.OTHERS: "I never give up|Non mi arrendo ancora|O preto te cai bem|Nie poddaję się",
}


@each_row(("aim", "text"), [(aim, one) for aim, texts in AIMS.items() for one in texts.split("|")])
def test_what_is_wished(aim: Aim, text: str) -> None:
    assert aim_of([" ".join(text.split())]) is aim


def test_hostile_words_are_read_in_time() -> None:
    for text in (
        ("a " * 15 + "? ") * 12,
        "x?" * 200,
        "take a " * 60,
        "what's " * 60,
        "qwertyu " * 50,
    ):
        started = process_time()
        aim_of([text[:400]])
        assert process_time() - started < 0.1


@each_row(
    ("meant", "text"),
    [(meant, text.strip()) for meant, texts in MEANT.items() for text in texts.split("|")],
)
def test_words_for_us(meant: str, text: str) -> None:
    text = " ".join(text.split())
    for written in (text, f"Hi Bob,\n\n{text}\n\nThanks,\nAlice"):
        assert said(written) == meant


@each_row("text", [text.strip() for text in TALK.split("|")])
def test_words_for_others(text: str) -> None:
    assert said(text) == "talk"


@each_row(
    ("text", "meant", "rest"),
    [
        ("I resign, good game Alice!", "resign", "I resign, good game Alice!"),
        (
            "Hi Alice,\n\nI give up. Good game!\nBob",
            "resign",
            "Hi Alice,\n\nI give up. Good game!\nBob",
        ),
        ("Good game! Rematch?", "again", "Good game! Rematch?"),
        ("My queen is lost. How do I resign?", "how resign", "My queen is lost. How do I resign?"),
        ("draw?\n\nI see no way to win.", "draw", "I see no way to win."),
        ("I resign board 12\nwell played", "resign", "well played"),
    ],
)
def test_what_is_left_for_others(text: str, meant: str, rest: str) -> None:
    found = understand(text.split("\n"))
    assert found is not None
    assert (said(text), "\n".join(found.rest)) == (meant, rest)


def test_the_board_that_is_named() -> None:
    for text in ("I resign board 12", "resign on board 12 please", "I'd like to resign game 12."):
        found = understand([text])
        assert found is not None
        assert found.meant == (Meant(Intention.RESIGN, False, 12, text.rstrip(".")),)


def test_long_words_are_no_intention() -> None:
    assert said("I resign.\n" + "Well played. " * 10) == "resign"
    assert said("I resign.\n" + "Well played. " * 40) == "talk"
    assert said("\n" * 30 + "I resign") == "resign"
    assert said("Hi\n" + "\n" * 30 + "I resign") == "talk"


def test_a_list_names_the_line_that_cannot_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pbm.commands.sentences.clauses.FOLDER", tmp_path)
    for text in ("word\n", "== others ==\nword\n", "== no ==\nno\n\n...\n"):
        (tmp_path / "list.txt").write_text(text, encoding="utf-8")
        with pytest.raises(WordListError, match=r"list\.txt, line \d"):
            read_list("list", ("yes", "no"))
    (tmp_path / "list.txt").write_text("# ours\n== no ==\nNo way\nno way\n", encoding="utf-8")
    assert read_list("list", ("yes", "no")) == {"yes": set(), "no": {"no way"}}


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ("oh hm ok ", lambda line: understand((line,))),
        ("1d 1d ", lambda line: parse_line(f"give {line}")),
    ],
    ids=["talk", "a time"],
)
def test_the_work_for_a_crafted_line_grows_with_its_words(
    words: str, read: Callable[[str], object]
) -> None:
    def work(count: int) -> int:
        return counted_calls(lambda: read((words * count).strip()))

    work(1)
    assert work(40) <= 5 * work(10)
