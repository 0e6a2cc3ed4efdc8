"""Mails: the whole way from the bytes that come to the commands that are found in them."""

from zlib import crc32

from pbm.mail.reading.limits import LIMITS, Limits
from tests.fuzz.targets import Target
from tests.mail.reading.our_mails import our_mails, quoted
from tests.mail.reading.promises import check_mail, check_work
from tests.mail.reading.replies_corpus import replies

_LONGEST = 3_000
_SMALL = Limits(
    mail_bytes=2_500, header_fields=12, header_bytes=900, depth=2, parts=5, text_bytes=700
)
_COUNTED = 8  # counting is slow: of so many mails the work of one is counted


def check(data: bytes) -> None:
    """Read a mail twice, under the real limits and under ones that it may reach."""
    for limits in (LIMITS, _SMALL):
        check_mail(data, limits)
    if crc32(data) % _COUNTED == 0:
        check_work(data)


def _seeds() -> tuple[bytes, ...]:
    short = [reply.raw for reply in replies() if len(reply.raw) <= _LONGEST][::4]
    head = b"From: bob@example.org\r\nSubject: Re: x\r\nContent-Type: text/plain\r\n\r\n"
    ours = [head + quoted(mail.text).encode()[: _LONGEST - 200] for mail in our_mails()[::3]]
    plain = [head + mail.text.encode()[: _LONGEST - 200] for mail in our_mails()[1::3]]
    return tuple(short + ours + plain)


_FIELDS = """From To Subject Date Message-ID In-Reply-To References MIME-Version Content-Type
    Content-Transfer-Encoding Content-Disposition Auto-Submitted Precedence List-Id
    Received""".split()
_VALUES = """text/plain text/html multipart/mixed multipart/alternative multipart/digest
    message/rfc822 ;charset= ;boundary="b" ;format=flowed ;delsp=yes ;name=x base64 8bit
    quoted-printable utf-8 utf-16 iso-2022-jp gb18030 big5 euc-kr koi8-r windows-1256 unicode_escape
    =?utf-8?q? =?utf-8?b? ?= =C3=BC =20 ==""".split()
_LINES = """> |>> |> > |-- |>From |On Sat, 21 Nov 2026 at 13:00, x <a@b.example> wrote:
    |-----Original Message-----|________________________________|---------- Forwarded message ------
    |From: x <a@b.example>|Sent: 21.11.2026 13:00|Subject: y|Von: |Gesendet: |Sent from my iPhone
    |-----BEGIN PGP SIGNED MESSAGE-----|State: 11111/111111/..111../......../........./.... 1 0,0 -
    |    I- x x x x x|bob goes on:|Your move on board 1.|To move, answer with a line such as a1,b2
    |a1-c3,d4|resign|show 1|yes|multiple|signup marta secret|\n|\r\n|\r\n\r\n|--b|--b--"""
_TAGS = """<div> </div> <p> <br> <pre> <blockquote> id="divRplyFwdMsg"> class="gmail_quote">
    style="display:none"> <table><tr><td> <!-- <style> &nbsp; &#0; &gt; </html>""".split()
_ODD = ("\u200b", "\u200f", "\ufeff", "\u00a0", "\u2028", "\u0130", "：", "＞", "写道", "كتب")

TARGET = Target(
    check,
    _seeds(),
    tuple(
        word.encode()
        for word in (
            *(f"{name}: " for name in _FIELDS),
            *_VALUES,
            *(line.strip(" ") for line in _LINES.split("|")),
            *_TAGS,
            *_ODD,
        )
    ),
    longest=_LONGEST,
)


def fuzz_one(data: bytes) -> None:
    """Give the target one input."""
    TARGET.check(data)
