"""Subjects without what mailers and lists put before them."""

import re

_LONGEST = 1_000

# Reply marks: English (and Latin), German, Dutch, Scandinavian, Romance, Polish, Hungarian,
# Turkish, Indonesian, Greek, Hebrew, Russian, Chinese, Japanese, Korean, Arabic, Vietnamese.
_REPLY = (
    "re r res rsp rpl reply aw antw antwort antwoord sv svar vs ref rif risp risposta resp "
    "resposta respuesta réf rép odp odpowiedź odpověď vá ynt yan yanıt bls bal răsp απ σχετ השב "
    "תגובה ответ отв відп 回复 回覆 答复 答覆 回信 回 返信 回答 답장 회신 응답 رد الرد trả_lời"
).split()

# Forward marks in the same order.
_FORWARD = (
    "fw fwd forward forwarded wg weitergeleitet tr transf i enc encam vl vb vbr vidarebefordrat "
    "vidaresänt videresendt doorst doorgestuurd pd dal przekazana przekazane rv reenv reenviado "
    "inoltro inoltra inoltrato továbbítás i̇lt ilt yönl trs meneruskan redir πρθ προώθ הועבר "
    "пересл переслано пересылка пер 转发 轉寄 轉發 転送 전달 إعادة_توجيه إعادة_التوجيه "
    "chuyển_tiếp přeposláno"
).split()


def _words(names: list[str]) -> str:
    longest_first = sorted((name.replace("_", " ") for name in names), key=len, reverse=True)
    return "|".join(map(re.escape, longest_first))


_COUNT = r"(?:\[[0-9]{1,4}\]|\([0-9]{1,4}\)|[\^*][0-9]{1,4})?"
_MARK = re.compile(
    rf"(?:(?P<reply>{_words(_REPLY)})|(?P<forward>{_words(_FORWARD)}))"
    rf" ?{_COUNT}[ \u200e\u200f]?[:\uff1a\ufe55][ \u200e\u200f]*",
    re.IGNORECASE,
)
_LIST_TAG = re.compile(r"\[[^\[\]]{0,80}\] ?")
_BRACKETED_FORWARD = re.compile(r"\[fwd?: ?([^\[\]]*)\]$", re.IGNORECASE)
_FORWARD_END = re.compile(r" ?\(fwd\)$", re.IGNORECASE)
_DIRECTION_MARKS = "\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069\ufeff"


def clean_subject(text: str) -> str:
    """The subject without reply and forward marks (in any language and nesting), list tags
    before it, and needless blanks. Cleaning twice changes nothing.
    """
    return _clean(text)[0]


def is_forward(subject: str) -> bool:
    """Is one of the marks before the subject that of a forwarded mail?"""
    return _clean(subject)[1]


def _clean(text: str) -> tuple[str, bool]:
    forwarded = False
    subject = _fold(text[:_LONGEST])
    while True:
        rest, seen_forward = _without_marks(subject)
        forwarded = forwarded or seen_forward
        if rest == subject:
            return subject, forwarded
        subject = rest


def _without_marks(subject: str) -> tuple[str, bool]:
    """One round: every mark and tag at the beginning, then one forward mark around the rest."""
    forwarded = False
    at = 0
    while True:
        if mark := _MARK.match(subject, at):
            forwarded = forwarded or mark["forward"] is not None
        elif (mark := _LIST_TAG.match(subject, at)) and not _BRACKETED_FORWARD.match(subject, at):
            pass
        else:
            break
        at = mark.end()
    rest = subject[at:]
    if around := _BRACKETED_FORWARD.match(rest):
        return _fold(around[1]), True
    if around := _FORWARD_END.search(rest):
        return _fold(rest[: around.start()]), True
    return _fold(rest), forwarded


def _fold(text: str) -> str:
    return " ".join(text.split()).lstrip(_DIRECTION_MARKS + " ")
