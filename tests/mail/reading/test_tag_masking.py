"""Our own addresses in a text, however they are spelled, and what it costs to find them."""

import pytest

from pbm.mail.reading import tag_masking
from pbm.mail.reading.tag_masking import MASK, mask_tags
from tests.rows import each_row

TAG = "k1abcdefghijklmnop"


@each_row(
    "text",
    [
        "Congratulations, interdisciplinarily!",
        "I read about it on page u7. Interesting!",
        "a1-c3,d4 and g5. u2. It is 100%, or 1=1.",
        "c.f. https://games.example/abc.def?x=42",
        "k1abcdefghijklmnoq",
        "你好。我走 a1-c3,d4。",
    ],
)
def test_other_words_stay(text: str) -> None:
    assert mask_tags(text, lambda word: word == TAG) == text


def test_lines_stay_where_they_were() -> None:
    text = f"one\ntwo {TAG[:5]}\n{TAG[5:]} three\n\nfour g1.u2.{TAG}\nfive"
    masked = mask_tags(text, lambda word: word == TAG)
    assert masked == f"one\ntwo {MASK}\n three\n\nfour {MASK}\nfive"


@pytest.mark.parametrize(
    "piece",
    ["u7.", "g1.u1.", "a", "\u200b", "%2e", "%25", "&#46;", "\n>", "u1 dot ", "b.1.abcdefgh.", "+"],
)
def test_the_work_is_linear(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    begin = tag_masking._begin

    def counting(seen: str, at: int) -> int:
        first = begin(seen, at)
        looked.extend(range(first, at))
        return first

    monkeypatch.setattr(tag_masking, "_begin", counting)
    asked: list[str] = []
    work = []
    for count in (1000, 4000):
        text = f"{piece * count} u1.{TAG} "
        assert TAG not in mask_tags(text, lambda word: bool(asked.append(word)))
        work.append(len(asked) + len(looked))
        asked.clear()
        looked.clear()
    assert work[1] <= 4 * work[0] + 10
