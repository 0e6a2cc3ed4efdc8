"""The programs that sort mails into threads do what they are described to do."""

from tests.threads import Kept, by_references, by_subject_and_reference


def sizes(threads: list[list[Kept]]) -> list[int]:
    return sorted(len(thread) for thread in threads)


def test_a_chain_is_one_thread_in_whatever_order_it_comes() -> None:
    mails = [
        Kept("<a@x>", "s"),
        Kept("<b@x>", "s", ("<a@x>",)),
        Kept("<c@x>", "s", ("<a@x>", "<b@x>")),
    ]
    assert sizes(by_references(mails)) == sizes(by_references(mails[::-1])) == [3]
    assert sizes(by_subject_and_reference(mails)) == [3]


def test_a_mail_that_nobody_has_holds_its_answers_together() -> None:
    mails = [Kept("<b@x>", "s", ("<a@x>",)), Kept("<c@x>", "s", ("<a@x>",))]
    assert sizes(by_references(mails)) == [2]
    assert sizes(by_subject_and_reference(mails)) == [2]


def test_in_reply_to_counts_where_there_are_no_references() -> None:
    mails = [Kept("<a@x>", "s"), Kept("<b@x>", "s", in_reply_to="<a@x>")]
    assert sizes(by_references(mails)) == [2]


def test_what_is_linked_stays_linked() -> None:
    mails = [
        Kept("<b@x>", "s", ("<a@x>",)),
        Kept("<c@x>", "s", ("<z@x>", "<b@x>")),  # says that b stands below z
        Kept("<z@x>", "s"),
    ]
    assert sizes(by_references(mails)) == [1, 2]


def test_a_circle_is_no_trap() -> None:
    mails = [
        Kept("<a@x>", "s", ("<b@x>",)),
        Kept("<b@x>", "s", ("<a@x>",)),
        Kept("<c@x>", "s", ("<c@x>",)),
    ]
    assert sizes(by_references(mails)) == [1, 2]


def test_subjects_join_threads_only_where_a_program_goes_by_them() -> None:
    mails = [Kept("<a@x>", "One"), Kept("<b@x>", "Re: One"), Kept("<c@x>", "Two", ("<a@x>",))]
    assert sizes(by_references(mails)) == [1, 2]
    assert sizes(by_references(mails, by_subject=True)) == [3]
    assert sizes(by_subject_and_reference(mails)) == [1, 1, 1]
