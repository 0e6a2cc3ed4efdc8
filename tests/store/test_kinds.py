"""The words of the kinds are in databases of every version: they stay what they are."""

from pbm.store.schema.mails import outbox
from pbm.store.values.mails import Allowance, Kind, using_up

WORDS = (
    "board again answer reminder question unproven pause-hour pause-day pause-from notice farewell"
)
LATER = "digest watched broadcast message reminders awaiting"


def test_the_words_stay() -> None:
    assert [kind.value for kind in Kind] == [*WORDS.split(), *LATER.split()]
    assert all(kind.treatment for kind in Kind)
    assert max(map(len, Kind)) <= outbox.c.kind.type.impl.length


def test_no_answer_counts_twice() -> None:
    counted = [kind for allowance in Allowance for kind in using_up(allowance)]
    assert sorted(counted) == sorted([Kind.ANSWER, Kind.QUESTION, Kind.UNPROVEN])
