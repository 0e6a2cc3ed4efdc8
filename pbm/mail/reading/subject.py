"""Subjects without the prefixes of mailers and lists."""

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
    rf"(?:{_words(_REPLY)}|{_words(_FORWARD)})"
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
    subject = _fold(text[:_LONGEST])
    while (rest := _without_marks(subject)) != subject:
        subject = rest
    return subject


def _without_marks(subject: str) -> str:
    """One round: remove all marks and tags at the beginning, then one enclosing forward mark."""
    at = 0
    while mark := _MARK.match(subject, at) or _list_tag(subject, at):
        at = mark.end()
    rest = subject[at:]
    if around := _BRACKETED_FORWARD.match(rest):
        return _fold(around[1])
    if around := _FORWARD_END.search(rest):
        return _fold(rest[: around.start()])
    return _fold(rest)


def _list_tag(subject: str, at: int) -> re.Match[str] | None:
    return None if _BRACKETED_FORWARD.match(subject, at) else _LIST_TAG.match(subject, at)


def _fold(text: str) -> str:
    return " ".join(text.split()).lstrip(_DIRECTION_MARKS + " ")
