"""Promise 16: charsets by an allow-list; what only Python knows as a codec is never looked up.

`test_body.py` has the labels one by one; here are all that Python knows, and whole mails.
"""

import base64
import codecs
import encodings
import encodings.aliases
import pkgutil
import quopri
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm.mail.reading import charsets
from pbm.mail.reading.charsets import codec_for, decode, decode_words
from pbm.mail.reading.inbound import Envelope
from tests.rows import each_row

Read = Callable[..., Envelope]

KNOWN_TO_PYTHON = sorted(
    {module.name for module in pkgutil.iter_modules(encodings.__path__)}
    | encodings.aliases.aliases.keys()
    | set(encodings.aliases.aliases.values())
    | {"mbcs", "oem", "utf-8-sig", "utf_8_sig", "locale", "filesystem"}
)
NO_CHARSETS = """unicode_escape raw_unicode_escape unicode-escape punycode idna utf-7 utf_7 u7
    unicode-1-1-utf-7 rot13 rot_13 hex hex_codec base64 base64_codec bz2 bz2_codec zlib zip
    zlib_codec uu uu_codec quopri quopri_codec undefined charmap mbcs oem""".split()
WORDS = {
    "iso-8859-2": "Świetny ruch",
    "iso-8859-4": "Geras ėjimas",
    "iso-8859-5": "хороший ход",
    "iso-8859-6": "جيد",
    "iso-8859-7": "καλή κίνηση",
    "iso-8859-8-i": "טוב",
    "iso-8859-9": "güzel hamle",
    "iso-8859-13": "labs gājiens",
    "iso-8859-15": "schön für 5 €",
    "windows-1250": "pěkný tah",
    "windows-1251": "хороший ход",
    "windows-1252": "schön – “gut”",
    "windows-1253": "καλή κίνηση",
    "windows-1254": "güzel hamle",
    "windows-1255": "טוב",
    "windows-1256": "جيد",
    "windows-1257": "labs gājiens",
    "windows-1258": "schön",
    "koi8-r": "хороший ход",
    "koi8-u": "гарний хід",
    "gb2312": "好棋",
    "gbk": "好棋",
    "gb18030": "好棋𠀀",
    "big5": "好棋",
    "shift_jis": "いい手",
    "iso-2022-jp": "いい手",
    "euc-jp": "いい手",
    "euc-kr": "좋은 수",
    "ks_c_5601-1987": "좋은 수",
    "iso-2022-kr": "좋은 수",
    "tis-620": "ดีมาก",
    "utf-8": "все 好 😀",
    "utf-16": "все 好 😀",
}


@each_row("charset", WORDS)
@each_row("encoding", ["base64", "quoted-printable", "8bit"])
def test_promise_16_a_mail_in_each(read_mail: Read, charset: str, encoding: str) -> None:
    words = WORDS[charset]
    codec = {"iso-8859-8-i": "iso-8859-8", "ks_c_5601-1987": "cp949"}.get(charset, charset)
    content = f"a1-b2,c3\r\n\r\n{words}\r\n".encode(codec)
    if encoding == "base64":
        content = base64.encodebytes(content)
    elif encoding == "quoted-printable":
        content = quopri.encodestring(content)
    envelope = read_mail(
        f'Content-Type: text/plain; charset="{charset.upper()}"',
        f"Content-Transfer-Encoding: {encoding}",
        body=content,
    )
    assert envelope.said == ("a1-b2,c3", "", words)


def test_promise_16_what_python_knows_is_on_the_list_or_latin_1() -> None:
    no_charsets = {name.replace("-", "_") for name in NO_CHARSETS}
    for label in KNOWN_TO_PYTHON:
        codec = codec_for(label)
        assert codec == "" or codec in {*charsets._CODECS.values(), "iso-8859-1"}, label
        assert codec.replace("-", "_") not in no_charsets, label
        assert isinstance(decode(bytes(range(256)), label), str), label


@each_row("label", NO_CHARSETS)
def test_promise_16_codecs_that_are_no_charsets_are_latin_1(label: str) -> None:
    raw = b"\\x41 =41 +AEE- xn--a \xe9"
    for name in (label, label.upper(), label.replace("_", "-"), label.replace("-", "_")):
        for form in ("{}", "{}\t", '"{}"', "'{}'", " {} "):
            assert decode(raw, form.format(name)) == "\\x41 =41 +AEE- xn--a é"
        assert decode_words(f"=?{name}?q?=5Cx41_=2BAEE-?=") == "\\x41 +AEE-"


def test_promise_16_a_label_is_never_looked_up() -> None:
    asked: list[str] = []

    def search(name: str) -> None:
        asked.append(name)

    codecs.register(search)
    try:
        for label in ("x-evil", "os.system", "a" * 5_000, "../x", "utf-8 ", "é", "x\0y"):
            decode(b"a1-b2", label)
            decode_words(f"=?{label}?b?YTEtYjI=?=")
        with pytest.raises(LookupError):
            codecs.lookup("x-control")
    finally:
        codecs.unregister(search)
    assert [name.replace("-", "_") for name in asked] == ["x_control"]


@given(st.binary(max_size=80), st.text(max_size=30) | st.sampled_from(KNOWN_TO_PYTHON))
def test_promise_16_any_bytes_under_any_label_are_text(raw: bytes, label: str) -> None:
    assert len(decode(raw, label)) <= len(raw)
