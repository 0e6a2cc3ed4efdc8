"""Words that are no command: chat, comments, and lines that only look like one."""

import pytest

from tests.table import Table

QUOTED = "On Sat, 21 Nov 2026 at 13:00, pbm <pbm@games.example> wrote:\n> Your move on board 1.\n"


def test_nice_one_under_a_quoted_board_is_chat(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    quoted = "\n".join(f"> {line}" for line in bob.newest.text.split("\n"))
    bob.says(f"{quoted}\n\nNice one!").gets(1).hears(
        "alice's move on board 1; nothing to do.", "You wrote: | Nice one!"
    )
    alice.gets(1).hears("Your move on board 1.", "bob writes: | Nice one!")
    assert bob.newest["In-Reply-To"]
    assert alice.newest["Auto-Submitted"] == "auto-generated"
    assert table.moves(1) == []


@pytest.mark.parametrize(
    "line",
    [
        "Nice one!",
        "Good luck, and have fun.",
        "Let me think about it.",
        "Resign? Never!",
        "I moved site last week.",
        "Yes, with pleasure.",
        "no",
        "Ich verstehe nicht.",
        "12",
        "Signed, bob",
        "boards are fine",
        "move over, here I come",
        "Show me what you've got!",
        "How about rsync.",
        "> is that quoted?".replace("> ", "- "),
    ],
)
def test_plain_words_are_sent_on(line: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says(f"{line}\nSee you!").gets(1).hears(f"| {line}", "| See you!")
    alice.gets(1).hears(f"| {line}", "| See you!")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("e4", "That does not read as a move"),
        ("board looks good", "That does not read as a move"),
        ("mvoe", "Something is missing: the move."),
        ("resgin", 'Perhaps you meant "resign".'),
        ("resign because of work", 'I could not read "because of work" at the end of your line.'),
        ("move the left one up", "That does not read as a move"),
        ("declien 1", 'Perhaps you meant "decline 1".'),
        ("hlep", 'Perhaps you meant "help".'),
        ("shwo 1", 'Perhaps you meant "show 1".'),
        ("decline with regret", 'The command is "decline [board]".'),
        ("whoami really", 'I could not read "really" at the end of your line.'),
        ("challenge", "Something is missing: the handle."),
        ("show the first one", "There is no player called the."),
        ("move 1 a1-c3,d4 -fast", "This command has no option -fast."),
        ("resign -now", "This command has no option -now."),
    ],
)
def test_a_line_like_a_command_does_nothing_and_is_not_sent_on(
    line: str, sentence: str, table: Table
) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{line}\nWhat do you think?\n").gets(1)
    alice.hears(
        "Abalone Board 1: alice v bob",
        f"| {line}",
        sentence,
        "Nothing has changed.",
        "| What do you think?",
        "Your move on board 1.",
    )
    bob.hears_nothing()
    board = table.board(1)
    assert (board.ply, board.status) == (0, "playing")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("challenge accepted", "There is no player called accepted."),
        ("challenge bob -fast", "This command has no option -fast."),
        ("challenge bob -layout=chess", 'There is no board called "chess".'),
        ("challenge bob -rounds=1", '"1" is not a number of rounds'),
        ("help yourself", 'There is no help page "yourself".'),
        ("games nobody1", "There is no player called nobody1."),
        ("set subject colourful", '"subject" can be plain or classic'),
        ("signup alicia", "You play here already, as alice."),
        ("move 7 a1-c3,d4", "There is no board 7."),
        ("move 2 a1-c3,d4", "You do not play on board 2."),
    ],
)
def test_a_refusal_shows_no_board_that_has_nothing_to_do_with_it(
    line: str, sentence: str, table: Table
) -> None:
    alice, bob = table.start("alice", "bob")
    table.joins("carol").says("challenge bob")
    bob.forgets()
    alice.says(f"{line}\nWhat do you think?").gets(1)
    alice.hears("pbm: ", f"| {line}", sentence, "Nothing has changed.", "| What do you think?")
    assert "State:" not in alice.newest.text
    assert not alice.newest["X-PBM-Board"]
    bob.hears_nothing()
    board_mail = alice.mail("Abalone Board 1")
    alice.says(f"{line}\nresign 9", answering=board_mail)  # two that no board has to do with
    assert "State:" not in alice.newest.text


def test_a_refusal_beside_one_that_is_about_a_board_leaves_that_its_board(table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    alice.says("challenge nobody1\nmove e5,e6").gets(1).hears(
        "Abalone Board 1: alice v bob",
        "There is no player called nobody1.",
        "There is no marble on e5.",
        "State: ",
    )


def test_an_answer_in_between_has_words_first_and_then_a_move(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    top, _, rest = alice.newest.text.partition("To move, send")
    quoted = [
        "\n".join(f"> {line}" for line in part.rstrip().split("\n"))
        for part in (top, f"To move, send{rest}")
    ]
    alice.says(f"{quoted[0]}\n\nGood luck to you, too!\n\n{quoted[1]}\n\na1-c3,d4\n\nSo.\n")
    assert table.moves(1) == ["a1-c3,b2"]
    bob.gets(1).hears("| Good luck to you, too!", "| So.")


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("h1-g1", "There is no place h1: row h goes from h4 to h9."),
        ("H1 \u2013 G1", "There is no place h1: row h goes from h4 to h9."),
        ("h4-j4", "There is no place j4: the rows are a to i."),
        ("a1-a9", "There is no place a9: row a goes from a1 to a5."),
        ("x1-x2", "There is no place x1: the rows are a to i."),
        ("pass", "You cannot pass in this game: you must move if you can."),
        ("Pass.", "You cannot pass in this game: you must move if you can."),
    ],
)
def test_what_can_be_no_move_is_refused(line: str, sentence: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(f"{line}\n\nSorry.").gets(1).hears(
        sentence, "put a line of plain words above it", "Nothing has changed.", "| Sorry."
    )
    bob.hears_nothing()
    bob.says("h1-g1").gets(1).hears("There is no place h1")  # also when it isn't their turn
    alice.hears_nothing()
    assert table.moves(1) == []


@pytest.mark.parametrize("line", ["I pass", "pass on my regards", "x1 x2", "It is h1-g1?", "-"])
def test_words_near_those_are_sent_on(line: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says(line).gets(1).hears(f"| {line}")
    bob.gets(1).hears(f"| {line}")


def test_words_that_belong_to_no_board(table: Table) -> None:
    alice, _ = table.joins("alice"), table.joins("bob")
    alice.writes("Hello?", "Is anybody there?").gets(1)
    alice.hears(
        "I found no command in your mail",
        "| Is anybody there?",
        'Reply "play"',
        "challenge a friend by mail address",
        'the one word "help"',
    )
    alice.says("Thanks!").hears_nothing()
    table.robots_join()
    alice.writes("Hello?", "The sky is blue").gets(1).hears("against a robot at once")
    alice.writes("challenge bob", "").says("yes").forgets()
    (board,) = table.boards()
    offers = f'Reply "show {board}"', 'Reply "games"'
    alice.writes("Hello?", "The sky is blue").gets(1).hears(*offers)
    alice.writes("pbm: help", "OK, got it. Thanks!\n\nAlice").hears_nothing()
    alice.writes("", "Thanks, but how do I begin?").gets(1).forgets()
    alice.writes("", "Gibt es hier irgendwo Roboter?").gets(1).hears("Robots are computer players")
    alice.writes("", "My computer crashed.").gets(1).hears("I found no command in your mail")


def test_words_to_somebody_elses_board(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    carol = table.joins("carol")
    thread = {"In-Reply-To": alice.newest["Message-ID"]}
    carol.says("Hello you two!", headers=thread, subject="Re: Abalone Board 1: alice v bob")
    carol.gets(1).hears("it belongs to no board of yours")
    alice.hears_nothing()
    bob.hears_nothing()


def test_words_below_a_command_that_only_looks(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("show\nNice one, bob!").gets(1).hears(
        "I did not pass on your words.", "| Nice one, bob!"
    )
    bob.hears_nothing()
    alice.says("help\nThank you!", answering=alice.mail("pbm: welcome")).gets(1)
    assert "Your words" not in alice.newest.text


def test_words_below_resign_and_decline_are_sent(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("decline\nSorry, no time.").hears("| Sorry, no time.")
    bob.gets(1).hears("Board 1 is closed.", "| Sorry, no time.")
    bob.says("challenge alice\nTomorrow?").forgets()
    alice.hears("| Tomorrow?").says("resign\nNo!").forgets()
    bob.hears("Board 2 is over: you win.", "| No!")


def test_words_after_the_end_are_still_sent(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("resign").forgets()
    bob.forgets().says("Thank you for the game!").gets(1).hears("Board 1 is over: you win.")
    alice.gets(1).hears("bob writes: | Thank you for the game!")


@pytest.mark.parametrize("word", ["yes", "Yes", "ok", "OK", "confirm"])
def test_a_boards_mail_takes_no_bare_yes(word: str, table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.writes("resign 1").forgets()
    board = alice.mail("Abalone Board 1")
    alice.says(word, answering=board).gets(1)
    alice.hears("Abalone Board 1", "There is no question here that your answer could be for")
    bob.hears_nothing()
    assert table.board(1).status == "playing"


def test_list_tags_and_forward_marks(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    bob.says("Hello!", subject="Re: [abalone-club] AW: Abalone Board 1: alice v bob").forgets()
    alice.gets(1).hears("| Hello!")
    forwarded = (
        "Look at this!\n\n---------- Forwarded message ---------\nFrom: bob\nSubject: x\n\nresign\n"
    )
    alice.says(forwarded, subject="Fwd: Abalone Board 1: alice v bob").forgets()
    bob.gets(1).hears("| Look at this!")
    assert "resign" not in bob.newest.text
    assert table.board(1).status == "playing"


@pytest.mark.parametrize("command", ["resign", "a1-c3,d4", "decline", "newkey", "challenge bob"])
def test_quoted_commands_never_run(command: str, table: Table) -> None:
    alice, _ = table.start("alice", "bob")
    for number, body in enumerate(
        (
            f"> {command}\n\nHm.",
            f"Hm.\n\n{QUOTED}> {command}\n",
            f"Hm.\n\n-----Original Message-----\nFrom: pbm\nSent: today\nSubject: x\n\n{command}\n",
            f"Hm.\n-- \n{command}\n",
            f"| {command}\n\nHm.",
        )
    ):
        said = body.replace("Hm.", f"Hm, {number}.")
        alice.forgets().says(said).gets(1).hears(f"You wrote: | Hm, {number}.")
    board = table.board(1)
    assert (board.ply, board.status, table.boards()) == (0, "playing", [1])


def test_an_empty_answer(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    for nothing, told in (
        ("", "Your mail is empty"),
        (QUOTED, "I found no words of yours in your mail, only what it quotes"),
        ("-- \nAlice", "I found nothing in your mail but a signature"),
        (
            "-----BEGIN PGP MESSAGE-----\n\nhQEMA\n-----END PGP MESSAGE-----",
            "Your mail is encrypted",
        ),
    ):
        alice.says(nothing).gets(1).hears("Abalone Board 1", told)
    alice.writes("", "").gets(1).hears("I found no command in your mail")
    bob.hears_nothing()


def test_words_in_a_form_that_is_not_read(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    empty = "--b\nContent-Type: text/plain\n\n\n--b\nContent-Type: {}\n\nAAAA\n--b--\n"
    for kind, told in (
        ("application/pgp-encrypted", "Your mail is encrypted or packed"),
        ("application/pkcs7-mime; smime-type=enveloped-data", "Please send your words again as"),
        ("text/plain; name=smime.p7m", "Your mail is encrypted or packed"),
        ("application/ms-tnef", "Outlook's file winmail.dat"),
        ("application/vnd.ms-tnef; name=winmail.dat", "Outlook's file winmail.dat"),
        ("application/octet-stream; name=WinMail.dat", "Outlook's file winmail.dat"),
        ("text/plain; name=move.txt", "no words but in attachments"),
        ("image/jpeg", "no words but in attachments"),
        ("audio/ogg", "no words but in attachments"),
    ):
        alice.says(empty.format(kind), headers={"Content-Type": "multipart/mixed; boundary=b"})
        alice.gets(1).hears("Abalone Board 1", told)
    bob.hears_nothing()


def test_invisible_characters_inside_a_line(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    alice.says("who\u200bami", answering=alice.newest).hears("You are alice")
    alice.says("sh\u00adow 1").hears("Abalone Board 1")
    bob.hears_nothing()
    alice.says("Hi,\n\na1-\u2060c3,\ufeffd4\n\nmy \u200emove 👍")
    assert table.moves(1) == ["a1-c3,b2"]
    bob.hears("| Hi,", "| my move 👍")


def test_control_characters_and_strange_letters_pass(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    words = "\x00\x1b[31m\ud7ff\u202e\ufeff 你好 😀 \x7f\ue000\ue001 end"
    alice.says(f"Hello\n{words}").gets(1)
    bob.gets(1).hears("你好 😀", "end")
    assert not {"\x00", "\x1b", "\x7f", "\ue000", "\ue001"} & set(bob.newest.text)


def test_words_with_template_code_and_html_stay_words(table: Table) -> None:
    alice, bob = table.start("alice", "bob")
    words = "{{ v.state }} {% raw %} <b>bold</b> & <script>alert(1)</script>"
    alice.says(f"Hello\n{words}")
    bob.hears(f"| {words}")
    assert "<script>" not in bob.newest.html
    assert "&lt;b&gt;bold" in bob.newest.html
