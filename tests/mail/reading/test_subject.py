"""Subjects: decoded, and freed of what mailers and lists put before them."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from pbm.mail.reading.inbound import Envelope, clean_subject
from tests.rows import each_row

Read = Callable[..., Envelope]

REPLY_MARKS = (
    "Re:|RE:|re:|Re[2]:|RE[12]:|Re(3):|Re^2:|Re*3:|Re :|Re [2] :|RE：|Aw:|AW:|Antw:|Antwort:|Sv:|"
    "SV:|Vs:|Odp:|Ref:|Rif:|RIF:|Res:|RES:|R:|Rsp:|回复:|回复：|回覆：|答复:|答覆：|返信:|回信:|답장:|"
    "회신:|Ответ:|Отв:|رد:|رد\u200f:|الرد:|Ynt:|YNT:|Vá:|Σχετ:|ΑΠ:|השב:|תגובה:|Bls:|BLS:|Odpověď:|"
    "Réf:"
).split("|")
FORWARD_MARKS = (
    "Fw: FW: Fwd: FWD: Fwd[2]: Wg: WG: Tr: TR: I: Enc: ENC: Vl: VL: Vb: VB: Doorst: Pd: PD: Rv: "
    "RV: 转发: 转发： 轉寄: 轉寄： 転送: 전달: Пересл: إعادة_توجيه: Videresendt: İlt: Yönl: "
    "Továbbítás: Przekazana:"
).split()


@each_row("mark", REPLY_MARKS)
def test_reply_marks_of_many_languages(mark: str) -> None:
    assert clean_subject(f"{mark} move 12 a1-b2") == "move 12 a1-b2"
    assert clean_subject(f"{mark}move 12 a1-b2") == "move 12 a1-b2"
    assert clean_subject(f"Re: {mark} AW: {mark}{mark} move 12") == "move 12"


@each_row("mark", [m.replace("_", " ") for m in FORWARD_MARKS])
def test_forward_marks_of_many_languages(mark: str) -> None:
    assert clean_subject(f"{mark} Abalone Board 12") == "Abalone Board 12"
    assert clean_subject(f"Re: [club] {mark}x") == "x"


@each_row(
    ("subject", "clean"),
    [
        ("", ""),
        ("  \t ", ""),
        ("move 12  a1-b2", "move 12 a1-b2"),
        ("[club] move 12", "move 12"),
        ("Re: [club] [other-club] AW: [club] move", "move"),
        ("[Club of (players) 7] Re: x", "x"),
        ("x [club]", "x [club]"),
        ("[Fwd: Re: Abalone Board 12]", "Abalone Board 12"),
        ("Abalone Board 12 (fwd)", "Abalone Board 12"),
        ("Re:Re:Re:Re:Re: x", "x"),
        ("RE: RE[2]: Antw: Sv: 回复： Fwd: x", "x"),
        ("Re:\u00a0x\u00a0y", "x y"),
        ("\u200fRe: x", "x"),
        ("رد\u200f: x", "x"),
        # Not marks:
        ("r 12", "r 12"),
        ("re", "re"),
        ("resign 12", "resign 12"),
        ("rematch", "rematch"),
        ("reject draw", "reject draw"),
        ("ref a1", "ref a1"),
        ("queue 12 a1-b2 if c3-c4: d4-d5", "queue 12 a1-b2 if c3-c4: d4-d5"),
        ("more: x", "more: x"),
        ("Treffen: x", "Treffen: x"),
        ("RE 12: x", "RE 12: x"),
        ("Abalone Board 12: alice v bob", "Abalone Board 12: alice v bob"),
        ("Please confirm: move 12", "Please confirm: move 12"),
    ],
)
def test_clean_subject(subject: str, clean: str) -> None:
    assert clean_subject(subject) == clean


@given(
    st.lists(
        st.sampled_from(
            ["Re:", " ", "[x]", "[", "]", "Fwd:", "[Fwd: ", "(fwd)", "move", "AW：", "R", ":"]
        )
    ).map("".join)
    | st.text()
)
def test_cleaning_twice_changes_nothing(subject: str) -> None:
    once = clean_subject(subject)
    assert clean_subject(once) == once
    assert "\n" not in once


@each_row(
    ("field", "subject"),
    [
        ("move 12 a1-b2", "move 12 a1-b2"),
        ("move 12\r\n a1-b2", "move 12 a1-b2"),
        ("move 12\r\n\ta1-b2", "move 12 a1-b2"),
        ("=?utf-8?q?move_12_a1=2Db2?=", "move 12 a1-b2"),
        ("=?UTF-8?B?bW92ZSAxMiBhMS1iMg==?=", "move 12 a1-b2"),
        ("Re: =?utf-8?q?sch=C3=B6n?= =?utf-8?q?_gut?=", "Re: schön gut"),
        ("=?utf-8?q?sch=C3?=\r\n =?utf-8?q?=B6n?=", "schön"),
        ("=?utf-8?b?c2Now7Y?= =?utf-8?b?bg?=", "schön"),
        ("=?utf-8?q?a?= b =?utf-8?q?c?=", "a b c"),
        ("=?utf-8?q?a?==?iso-8859-1?q?=F6?=", "aö"),
        ("=?utf-8?q?a?= =?iso-8859-1?q?=F6?=", "aö"),
        ("=?iso-8859-1?q?sch=F6n?=", "schön"),
        ("=?x-unknown?q?sch=F6n?=", "schön"),
        ("=?unicode_escape?q?=5Cu0041?=", "\\u0041"),
        ("=?utf-7?q?+AEE-?=", "+AEE-"),
        ("=?rot13?q?zbir?=", "zbir"),
        ("=?utf-8*en?q?move?=", "move"),
        ("=?koi8-r?B?y8/UwQ==?=", "кота"),
        ("=?gb2312?B?u9i4tA==?=", "回复"),
        ("=?iso-2022-jp?B?GyRCSlY/LhsoQg==?=", "返信"),
        ("=?utf-8?b?!!!bW92ZQ=?=", "move"),
        ("=?utf-8?b?bW92Z?=", "mov"),
        ("=?utf-8?q?=ZZ_=x?=", "=ZZ =x"),
        ("=?utf-8?x?move?=", "=?utf-8?x?move?="),
        ("=?utf-8?q?move", "=?utf-8?q?move"),
        ("=?utf-8?q?with blank?=", "with blank"),
        ("=?utf-8?q?a=0D=0AFrom:_b?=", "a  From: b"),
        ("=?utf-8?q?a=00b=1Bc?=", "abc"),
        ("schön", "schön"),
        (b"sch\xf6n", "schön"),
        (b"a \x96 b", "a – b"),
        ("a\x00b", "ab"),
    ],
)
def test_decoded_subject(read_mail: Read, field: str | bytes, subject: str) -> None:
    raw = field if isinstance(field, bytes) else field.encode()
    assert read_mail(b"Subject: " + raw).subject == subject


def test_the_first_subject_counts_and_is_cut(read_mail: Read) -> None:
    assert read_mail("Subject: one", "Subject: two").subject == "one"
    assert read_mail().subject == ""
    assert len(read_mail("Subject: " + "x" * 20_000).subject) == 1_000
