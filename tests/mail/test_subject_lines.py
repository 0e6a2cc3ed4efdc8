"""The first line of a template is the subject of its mail, with a mark that no language changes."""

from pbm.resources import resource_path

TEMPLATES = resource_path("templates")
# Their mails have the subject of a board, a question or a list of games.
IN_QUESTIONS = {
    *("alias", "challenge", "confirm", "invite", "new-address", "substitute", "welcome"),
    *("sections/doubt-failed", "sections/doubt-strict", "sections/doubtful-lines"),
    *("sections/ends-address", "sections/ends-all", "sections/ends-password"),
    *("sections/ends-replies", "sections/guessed-move", "sections/meant", "sections/other-board"),
    *(
        "sections/note-meant",
        "sections/planned-move",
        "sections/put-off",
        "sections/report-meant",
        "sections/stale-move",
        "sections/submitted",
        "sections/yes-or-no",
    ),
}
OF_GAMES = {"sections/digest", "sections/games", "sections/reminders"}
PARTS = {
    *("answer", "board", "earlier", "game", "happened", "one-of-several", "parts", "refusals"),
    *("words", "sections/card"),
    "trace",  # what `pbm-admin trace` prints
}


def test_each_template_of_an_answer_or_notice_words_its_subject() -> None:
    files = [*TEMPLATES.glob("*.txt"), *TEMPLATES.glob("sections/*"), *TEMPLATES.glob("operator/*")]
    first = {
        str(file.relative_to(TEMPLATES).with_suffix("")): file.read_text("utf-8").split("\n")[0]
        for file in files
    }
    worded = {name for name, line in first.items() if line.endswith(" | subject }}")}
    assert first.keys() - worded == IN_QUESTIONS | OF_GAMES | PARTS
    assert all(first[name].lstrip("{ (").startswith('"pbm: ') for name in worded)
