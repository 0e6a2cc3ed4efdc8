import base64

import pytest

from pbm.mail.address import PlayerReply, ServerAddress
from pbm.mail.keys import Key, Keyring, new_token, token_digest
from tests.rows import each_row

OLD = Key("a", b"an old secret of thirty-two octets")
NEW = Key("b2", b"a new secret of thirty-two octets!")


def test_a_tag_verifies_for_what_it_was_made() -> None:
    ring = Keyring((NEW,))
    assert ring.verify_reply_tag(ring.reply_tag(7, 1, 12), 7, 1, 12)
    assert ring.verify_reply_tag(ring.reply_tag(7, 1), 7, 1, None)


@each_row(
    ("player", "epoch", "board"), [(8, 1, 12), (7, 2, 12), (7, 1, 13), (7, 1, None), (1, 7, 12)]
)
def test_a_tag_verifies_for_nothing_else(player: int, epoch: int, board: int | None) -> None:
    ring = Keyring((NEW,))
    assert not ring.verify_reply_tag(ring.reply_tag(7, 1, 12), player, epoch, board)


def test_promise_09_a_bounces_tag_verifies_for_its_player_and_mail_only() -> None:
    ring = Keyring((NEW,))
    tag = ring.bounce_tag(7, "3f9a01c2")
    assert ring.verify_bounce_tag(tag, 7, "3f9a01c2")
    assert ring.verify_bounce_tag(tag.upper(), 7, "3f9a01c2")
    assert Keyring((OLD, NEW)).verify_bounce_tag(tag, 7, "3f9a01c2")
    assert not Keyring((OLD,)).verify_bounce_tag(tag, 7, "3f9a01c2")
    assert not ring.verify_bounce_tag(tag, 8, "3f9a01c2")
    assert not ring.verify_bounce_tag(tag, 7, "3f9a01c3")
    assert not ring.verify_bounce_tag(ring.reply_tag(7, 1), 7, "3f9a01c2")
    assert not ring.verify_reply_tag(tag, 7, 1)
    assert len(tag) == len(ring.reply_tag(7, 1))


def test_numbers_do_not_run_into_each_other() -> None:
    ring = Keyring((NEW,))
    tags = {
        ring.reply_tag(player, epoch, board)
        for player in (1, 11, 111)
        for epoch in (1, 11, 111)
        for board in (None, 1, 11, 111)
    }
    assert len(tags) == 36


def test_case_does_not_matter() -> None:
    ring = Keyring((NEW,))
    assert ring.verify_reply_tag(ring.reply_tag(7, 1, 12).upper(), 7, 1, 12)


def test_the_form_is_a_key_id_and_80_bits_in_base32() -> None:
    tag = Keyring((NEW,)).reply_tag(7, 1, 12)
    assert tag.startswith("b2")
    assert len(base64.b32decode(tag[2:].upper())) == 10
    assert tag == tag.lower()
    server = ServerAddress("pbm@localhost")
    assert server.parse(server.board_reply(7, tag, 12)) == PlayerReply(7, 12, tag)


def test_tags_mailed_by_an_older_version_stay_good() -> None:
    ring = Keyring((Key("a", b"0123456789abcdef0123456789abcdef"),))
    assert ring.reply_tag(7, 1, 12) == "aeliel6zswuh2uxvn"


def test_after_a_rotation_the_new_key_signs_and_the_old_one_verifies() -> None:
    before, after = Keyring((OLD,)), Keyring((NEW, OLD))
    assert after.reply_tag(7, 1).startswith("b2")
    assert after.verify_reply_tag(before.reply_tag(7, 1), 7, 1)
    assert not Keyring((NEW,)).verify_reply_tag(before.reply_tag(7, 1), 7, 1)


def test_a_key_does_not_verify_under_another_id() -> None:
    tag = Keyring((OLD,)).reply_tag(7, 1)
    renamed = Keyring((Key("b2", OLD.secret), OLD))
    assert not renamed.verify_reply_tag("b2" + tag[1:], 7, 1)


@each_row("tag", ["", "a", "b2", "b2" + "a" * 16, "é" * 18, "\ud800" * 18, "x" * 99])
def test_nonsense_does_not_verify(tag: str) -> None:
    assert not Keyring((NEW, OLD)).verify_reply_tag(tag, 7, 1)


def test_a_keyring_needs_keys_with_different_ids() -> None:
    with pytest.raises(ValueError, match="at least one key"):
        Keyring(())
    with pytest.raises(ValueError, match="different ids"):
        Keyring((OLD, Key("a", NEW.secret)))


def test_a_printed_keyring_shows_no_secret() -> None:
    shown = repr(Keyring((NEW, OLD))) + str(NEW) + f"{OLD}"
    assert "secret" not in shown


def test_tokens_are_fresh_and_fit_an_address() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    server = ServerAddress("pbm@localhost")
    assert all(server.question_reply(token) for token in tokens)
    assert len(base64.b32decode(next(iter(tokens)).upper())) == 15


def test_the_digest_ignores_case_and_is_not_the_token() -> None:
    token = new_token()
    assert token_digest(token.upper()) == token_digest(token)
    assert token_digest(token) != token_digest(new_token())
    assert token not in token_digest(token)
