"""Everyday words that people answer a question of signing up with: no, stop, hello.

They are read broadly: who is asked whether to play, and says anything that may be a no, is asked
no more. So each language has what its speakers write first, alone or before other words.
"""

import re
from itertools import islice

from pbm.mail.reading.charsets import fold_typography

_LONGEST = 200  # characters of a line that are looked at
_MOST_CLAUSES = 4
_SHORT_GREETING = 4  # words

# What begins a clause; the polite words below are taken off it first. One word, whatever follows:
_NO = frozenset(
    # English; German; French; Dutch, Danish, Swedish, Norwegian; Finnish, Estonian; Spanish,
    # Portuguese, Italian, Romanian; Polish, Czech, Slovak, Croatian, Serbian, Bulgarian
    "no nope nah naw nay noo nooo noooo nein nö nee non nei nej nai nain nä não nao"
    " nie нет не неа ні "
    # Hungarian; Turkish; Greek; Baltic; Irish, Welsh; Hebrew; Arabic; Persian; Hindi; Indonesian;
    # Vietnamese
    "nem hayır hayir yok όχι οχι ochi nē nav níl nage לא لا نه نہیں नहीं nahi tidak bukan"
    " không khong".split()
)
# Behind "no" these mean something else.
_NO_HARM = frozenset("problem problems problemo prob probs worries worry doubt doubts idea".split())
# Before other words these mean something else in another language, or begin a yes.
_NO_ALONE = frozenset(
    "n never ne na nu ni ни ei en pass decline refuse cannot can't cant 👎 ❌ 🙅".split()
)
# Of languages that put no blanks between words.
_NO_UNDIVIDED = ("不", "否", "没", "沒", "いいえ", "いや", "結構です", "興味", "아니", "관심", "ไม่")
_OPT_OUT_UNDIVIDED = ("退订", "退訂", "取消", "停止", "配信停止", "수신거부")
_NO_PHRASES = (
    *("not interested", "not for me", "not me", "not now", "not today", "not ever", "not really"),
    *("not at all", "not my thing", "not a fan", "absolutely not", "certainly not", "hell no"),
    *("definitely not", "of course not", "rather not", "i'd rather not", "prefer not", "not going"),
    *("do not want", "don't want", "dont want", "do not wish", "don't wish", "don't think"),
    *("do not like", "don't like", "do not play", "don't play", "do not care", "don't care"),
    *("can not play", "cannot play", "can't play", "cant play", "cannot now", "can't now"),
    *("cannot join", "can't join", "will not", "won't", "must decline", "have to decline"),
    *("count me out", "hard pass", "kein interesse", "keine lust", "keine zeit", "lieber nicht"),
    *("auf keinen fall", "nicht", "will nicht", "möchte nicht", "mag nicht", "pas intéressé"),
    *("pas intéressée", "pas interesse", "pas maintenant", "pas du tout", "geen interesse"),
    *("liever niet", "niet geïnteresseerd", "niet geinteresseerd", "ikke interesseret"),
    *("ikke interessert", "inte intresserad", "sem interesse", "nezájem", "ilgilenmiyorum"),
    *("istemiyorum",),
)
_OPT_OUT = frozenset(
    "stop stopp stopall unsubscribe unsubscribed unsuscribe unsubcribe desubscribe"
    " signoff sign-off quit optout opt-out"
    " abmelden abbestellen austragen désabonner desabonner"
    " désinscription desinscription désinscrire desinscrire désabonnement desabonnement baja"
    " cancelar descadastrar disiscrivimi cancellami rimuovi arrêt arrêtez arretez arreter basta"
    " afmelden uitschrijven avmeld avregistrera afmeld frameld lopeta wypisz odhlásit leiratkozás"
    " отписаться отпишите отписка стоп удалите ukloni odjavi".split()
)
_OPT_OUT_ALONE = frozenset("remove delete cancel spam block".split())
_OPT_OUT_PHRASES = (
    *(
        "remove me",
        "remove my",
        "remove this",
        "delete me",
        "delete my",
        "cancel my",
        "cancel this",
    ),
    *("cancel it", "spam stop", "this is spam"),
    *("opt out", "opt me out", "opting out", "sign off", "sign me off", "leave me", "take me off"),
    *("take my", "drop me", "drop my", "get me off", "leave us", "go away", "fuck off", "piss off"),
    *("bugger off", "get lost", "never again", "no more", "no further", "no mail", "no mails"),
    *("no email", "no emails", "no e-mail", "do not write", "don't write", "dont write"),
    *("do not mail", "don't mail", "dont mail", "do not email", "don't email", "dont email"),
    *("do not send", "don't send", "dont send", "do not contact", "don't contact", "dont contact"),
    *("do not ask", "don't ask", "dont ask", "do not invite", "don't invite", "do not bother"),
    *("don't bother", "do not disturb", "never write", "never mail", "never contact", "forget me"),
    *("unsubscribe me", "lass mich", "lasst mich", "lassen sie mich", "keine mails", "keine mail"),
    *("keine e-mails", "keine weiteren", "nicht mehr", "laissez-moi", "laisse-moi", "plus de mail"),
    *("ne m'écrivez", "ne m'ecrivez", "dar de baja", "darme de baja", "no me escribas", "déjame"),
    *("laat me met rust", "geen mail", "niet meer", "lad mig være", "låt mig vara"),
)
_POLITE = frozenset(
    "please pls plz thanks thank you thx ty sorry but well um uh hmm hm i i'm im am really"
    " very much oh ah so just kindly could would do yo bitte danke aber leider merci mais désolé"
    " ich bin je suis por favor gracias per favore grazie tack tak kiitos dank obrigado".split()
)
_GREETINGS = frozenset(
    "hi hello hey hallo hei hej moin servus salut bonjour hola ciao olá dear liebe lieber good"
    " guten привет здравствуйте".split()
)
_YES = frozenset("yes y ok okay sure yeah yep yup ja oui si sí sim да tak ano hai confirm".split())
# What people say besides yes and no, so that none of it is a name.
_OTHERS = frozenset(
    "thanks thank thx ty please pls sorry bye goodbye cheers welcome who what why when where which"
    " how huh pardon excuse maybe perhaps later soon tomorrow today now never-mind nevermind wait"
    " busy fine good great cool nice super perfect wow lol haha test testing spam wrong error hmm"
    " absolutely definitely certainly indeed right correct agreed accepted gladly willingly yessir"
    " understood received seen noted done play join start game begin go info rules about this that"
    " it we you he she they them us the and or not is are was am be vielleicht danke bitte gerne"
    " klar natürlich doch jawohl merci peut-être gracias grazie quizás tack kanske tak ehkä kiitos"
    " away vacation holiday out office urlaub abwesend absent".split()
)

_CLAUSE = re.compile(r"(?:[^.,;:!?()…。、，！？\n\u2013\u2014-]|(?<=\w)-(?=\w))+")
_WORD = re.compile(r"[^\s\"“”„«»*_<>\[\]]+")
ANSWERS = _NO | _NO_ALONE | _OPT_OUT | _OPT_OUT_ALONE | _YES


def says_no(line: str) -> bool:
    """Whether a line may be meant as a no, or as a wish for no more mail.

    A no beside a yes ("Never played, but yes") is none.
    """
    words = _first_words(line)
    return _is_opting_out(words) or (_is_no(words) and not _says_yes(line))


def opts_out(line: str) -> bool:
    """Whether a line begins with the wish for no more mail."""
    return _is_opting_out(_first_words(line))


def is_everyday(word: str) -> bool:
    """Whether one word is something that people answer, rather than a name."""
    return word in ANSWERS | _OTHERS | _GREETINGS or says_no(word)


def _says_yes(line: str) -> bool:
    """Whether one of the first clauses begins with a yes."""
    clauses = islice(_CLAUSE.finditer(_folded(line)), _MOST_CLAUSES)
    found = (_without_polite(_WORD.findall(clause[0])) for clause in clauses)
    return any(words and words[0] in _YES for words in found)


def _folded(line: str) -> str:
    return fold_typography(line[:_LONGEST]).casefold()


def _first_words(line: str) -> tuple[str, ...]:
    """The words of the first clause that says something, in small letters; none after a yes.

    Polite words, greetings and a name that is spoken to say nothing.
    """
    text = _folded(line)
    for clause in islice(_CLAUSE.finditer(text), _MOST_CLAUSES):
        words = _without_polite(_WORD.findall(clause[0]))
        if words and words[0] in _YES:
            return ()
        if words and not _speaks_to(words, text[clause.end() : clause.end() + 1]):
            return words
    return ()


def _without_polite(words: list[str]) -> tuple[str, ...]:
    start, end = 0, len(words)
    while start < end and words[start] in _POLITE:
        start += 1
    while start < end and words[end - 1] in _POLITE:
        end -= 1
    return tuple(words[start:end])


def _speaks_to(words: tuple[str, ...], behind: str) -> bool:
    """Whether somebody is only spoken to: "Hello Bob", or "Bob,"."""
    if words[0] in _GREETINGS:
        return len(words) <= _SHORT_GREETING
    return len(words) == 1 and behind == "," and words[0] not in ANSWERS


def _is_no(words: tuple[str, ...]) -> bool:
    if not words:
        return False
    if words[0] in _NO:
        return not (len(words) > 1 and words[1] in _NO_HARM)
    alone = len(words) == 1 and words[0] in _NO_ALONE
    return alone or words[0].startswith(_NO_UNDIVIDED) or _begins(words, _NO_PHRASES)


def _is_opting_out(words: tuple[str, ...]) -> bool:
    if not words:
        return False
    undivided = words[0].startswith(_OPT_OUT_UNDIVIDED)
    alone = len(words) == 1 and words[0] in _OPT_OUT_ALONE
    return undivided or alone or words[0] in _OPT_OUT or _begins(words, _OPT_OUT_PHRASES)


def _begins(words: tuple[str, ...], phrases: tuple[str, ...]) -> bool:
    return f"{' '.join(words)} ".startswith(tuple(f"{phrase} " for phrase in phrases))
