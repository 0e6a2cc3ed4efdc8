import pytest

from pbm.addresses import address_key, mailbox_key
from pbm.mail.address import (
    AddressError,
    Bounce,
    Plain,
    PlayerReply,
    Postmaster,
    QuestionReply,
    ServerAddress,
    Unknown,
    parse_address,
)
from tests.rows import each_row

TAG = "ab" + "abcdefgh234567ij"
TOKEN = "abcdefghijklmnopqrstuv23"


@each_row(
    "text",
    [
        "alice@example.org",
        "pbm@localhost",
        "a.b-c+d@x1.example.org",
        "!#$%&'*+/=?^_`{|}~@example.org",
        "x" * 64 + "@example.org",
        "alice@" + ".".join(["d" * 60] * 3),
    ],
)
def test_addresses_that_mail_programs_have(text: str) -> None:
    assert parse_address(text) == text


def test_the_domain_is_lowered_and_the_local_part_kept() -> None:
    assert parse_address("Alice.L@Example.ORG") == "Alice.L@example.org"
    assert parse_address("Alice@MÜLLER.Example") == "Alice@xn--mller-kva.example"


def test_two_spellings_have_one_key() -> None:
    assert address_key("Alice@Example.org") == address_key("alice@EXAMPLE.org")


@each_row(
    "text",
    [
        "",
        "alice",
        "@example.org",
        "alice@",
        "alice@@example.org",
        "a b@example.org",
        "alice@example.org ",
        "alice@example.org\r\nRCPT TO:<bob@example.org>",
        "alice@example.org\n",
        "al\x00ice@example.org",
        "<alice@example.org>",
        "a@x)b@y",
        "alice@exam_ple.org",
        "alice@-example.org",
        "alice@example-.org",
        "alice@example..org",
        "alice@example.org.",
        ".alice@example.org",
        "alice.@example.org",
        "al..ice@example.org",
        '"alice smith"@example.org',
        '"alice"@example.org',
        "alice@[127.0.0.1]",
        "alice@127.0.0.1",
        "älice@example.org",
        "alice@straße.example",
        "alic\u212a@example.org",
        "a,b@example.org",
        "a;b@example.org",
        "a:b@example.org",
        "x" * 65 + "@example.org",
        "alice@" + "d" * 64 + ".org",
        "a@" + ".".join(["d" * 63] * 4),
    ],
)
def test_what_is_no_address(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_address(text)
    assert str(caught.value).endswith(".")
    assert str(caught.value).isascii()


def test_reply_addresses_come_back_as_what_they_were_made_of() -> None:
    server = ServerAddress("pbm@host.example")
    assert server.board_reply(7, TAG, 12) == f"pbm+g12.u7.{TAG}@host.example"
    assert server.board_reply(7, TAG) == f"pbm+u7.{TAG}@host.example"
    assert server.question_reply(TOKEN) == f"pbm+c.{TOKEN}@host.example"
    assert server.parse(server.board_reply(7, TAG, 12)) == PlayerReply(7, 12, TAG)
    assert server.parse(server.board_reply(7, TAG)) == PlayerReply(7, None, TAG)
    assert server.parse(server.question_reply(TOKEN)) == QuestionReply(TOKEN)


def test_case_does_not_matter() -> None:
    server = ServerAddress("PBM@Host.Example")
    assert server.plain == "pbm@host.example"
    assert server.parse(f"PBM+G12.U7.{TAG.upper()}@HOST.EXAMPLE") == PlayerReply(7, 12, TAG)
    assert server.parse("Pbm@HOST.example") == Plain()


@each_row("separator", ["+", "-", "_", "=", "."])
def test_another_separator(separator: str) -> None:
    server = ServerAddress("pbm@localhost", separator=separator)
    address = server.board_reply(7, TAG, 12)
    assert address == f"pbm{separator}g12.u7.{TAG}@localhost"
    assert server.parse(address) == PlayerReply(7, 12, TAG)


def test_a_local_part_that_holds_the_separator() -> None:
    server = ServerAddress("abalone-pbm@localhost", separator="-")
    assert server.parse(server.board_reply(7, TAG)) == PlayerReply(7, None, TAG)
    assert isinstance(server.parse("abalone-u7@localhost"), Unknown)


@each_row(
    "recipient",
    ["postmaster", "PostMaster", "postmaster@localhost", "POSTMASTER@LOCALHOST", "abuse@localhost"],
)
def test_the_operators_addresses(recipient: str) -> None:
    assert ServerAddress("pbm@localhost").parse(recipient) == Postmaster()


@each_row(
    "recipient",
    ["bob@localhost", "pbm@elsewhere.example", "postmaster@elsewhere.example", "pbmx@localhost"],
)
def test_strangers_are_told_the_plain_address(recipient: str) -> None:
    found = ServerAddress("pbm@localhost").parse(recipient)
    assert isinstance(found, Unknown)
    assert "pbm@localhost" in found.reason
    assert "bob" not in found.reason
    assert "elsewhere" not in found.reason


@each_row(
    "detail",
    [
        "",
        "u7",
        f"u7.{TAG[:-2]}",
        f"u7.{TAG}xx",
        f"u0.{TAG}",
        f"u07.{TAG}",
        f"u-7.{TAG}",
        f"u\N{ARABIC-INDIC DIGIT SEVEN}.{TAG}",
        f"u{'9' * 30}.{TAG}",
        f"g0.u7.{TAG}",
        f"g12.{TAG}",
        f"u7.g12.{TAG}",
        f"g12.u7.{TAG}.",
        "c.",
        "c.short",
        f"c.{TOKEN}1",
        "d.x",
        f"b.7.{TAG}",
        f"b.7.1234567.{TAG}",
        f"b.7.123456789.{TAG}",
        f"b.7.1234567_.{TAG}",
        f"b.0.12345678.{TAG}",
        f"b.u7.12345678.{TAG}",
        "b.7.12345678.",
    ],
)
def test_reply_addresses_of_a_wrong_shape(detail: str) -> None:
    found = ServerAddress("pbm@localhost").parse(f"pbm+{detail}@localhost")
    assert isinstance(found, Unknown)
    assert TAG not in found.reason


@each_row("recipient", ["", "abuse", '"pbm"@localhost', "pbm@[127.0.0.1]", "pbm"])
def test_a_recipient_that_is_no_address(recipient: str) -> None:
    assert isinstance(ServerAddress("pbm@localhost").parse(recipient), Unknown)


@each_row(
    "address", ["postmaster@localhost", "abuse@localhost", "x" * 24 + "@localhost", "nonsense"]
)
def test_addresses_no_server_can_have(address: str) -> None:
    with pytest.raises(AddressError):
        ServerAddress(address)


def test_a_separator_that_cannot_work() -> None:
    with pytest.raises(AddressError):
        ServerAddress("pbm@localhost", separator="@")


def test_the_longest_reply_address_fits() -> None:
    server = ServerAddress("x" * 23 + "@localhost")
    address = server.board_reply(999_999_999, TAG, 999_999_999)
    assert server.parse(address) == PlayerReply(999_999_999, 999_999_999, TAG)


def test_promise_09_where_a_mail_comes_back_to() -> None:
    server = ServerAddress("pbm@host.example")
    address = server.bounces(7, "3f9a01c2", TAG)
    assert address == f"pbm+b.7.3f9a01c2.{TAG}@host.example"
    assert server.parse(address) == server.parse(address.upper()) == Bounce(7, "3f9a01c2", TAG)
    longest = ServerAddress("x" * 23 + "@localhost")
    address = longest.bounces(999_999_999, "3f9a01c2", TAG)
    assert longest.parse(address) == Bounce(999_999_999, "3f9a01c2", TAG)
    assert TAG not in repr(Bounce(7, "3f9a01c2", TAG))


@each_row(
    ("address", "key"),
    [
        ("Alice@Example.org", "alice@example.org"),
        ("alice+Games@example.org", "alice@example.org"),
        ("alice+a+b@example.org", "alice@example.org"),
        ("+alice@example.org", "+alice@example.org"),
        ("alice@exa+mple.org", "alice@exa+mple.org"),
    ],
)
def test_promise_08_addresses_that_may_be_one_mailbox(address: str, key: str) -> None:
    assert mailbox_key(address) == key


def test_tags_and_tokens_are_not_printed() -> None:
    assert TAG not in repr(PlayerReply(7, 12, TAG))
    assert TOKEN not in repr(QuestionReply(TOKEN))
