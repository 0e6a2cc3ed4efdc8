"""Single lines that introduce or follow a quotation, by program and language."""

from textwrap import wrap

import pytest

from pbm.mail.reading.quoting import OwnWords, find_own_words
from pbm.mail.writing.blocks import SAID_COLUMNS
from tests.mail.reading.our_mails import our_mails, own_words, quoted, unfolded
from tests.rows import each_row

WROTE = "On Sat, 21 Nov 2026 at 12:00, pbm <pbm@games.example> wrote:"
BOARDS = [mail for mail in our_mails() if mail.is_a_boards]
ATTRIBUTIONS = """\
On Fri, 2025-11-21 at 18:02 +0000, PBM Abalone wrote:
On Friday, 21 November 2025 18:02:11 CET PBM Abalone wrote:
On 2025-11-21 18:02, PBM Abalone wrote:
On Fri, 21 Nov 2025 18:02:11 +0000/PBM Abalone <pbm@games.example> wrote:
On Nov 21, 2025, 18:02, at 18:02, PBM Abalone <pbm@games.example> wrote:
On 21 Nov 2025, 18:02 +0100, PBM Abalone <pbm@games.example>, wrote:
On Fri, Nov 21, 2025 at 6:02 PM +0100, "PBM Abalone" <pbm@games.example> wrote:
At Fri, 21 Nov 2025 18:02:11 +0000,/PBM Abalone wrote:
In message <1.2025@games.example> PBM Abalone <pbm@games.example> writes:
PBM Abalone <pbm@games.example> writes:
PBM Abalone <pbm@games.example> wrote on 11/21/2025 06:02:11 PM:
On 11/21/2025 6:02 PM PBM Abalone <pbm@games.example> wrote:
2025-11-21 18:02 GMT+01:00 PBM Abalone <pbm@games.example>:
Am Freitag, dem 21.11.2025 um 18:02 +0000 schrieb PBM Abalone:
Am Freitag, 21. November 2025, 18:02:11 CET schrieb PBM Abalone:
Am 2025-11-21 18:02, schrieb PBM Abalone:
PBM Abalone <pbm@games.example> schrieb am Fr., 21. Nov. 2025, 18:02:
PBM Abalone <pbm@games.example> schrieb am 21.11.2025 18:02 CET:
Le ven. 21 nov. 2025, 18:02, PBM Abalone <pbm@games.example> a écrit :
Le 2025-11-21 18:02, PBM Abalone a écrit\u00a0:
----- Le 21 Nov 25, à 18:02, PBM Abalone pbm@games.example a écrit :
El vie., 21 de noviembre de 2025 18:02, PBM Abalone <pbm@games.example>/escribió:
El 21 nov 2025, a las 18:02, PBM Abalone <pbm@games.example> escribió:
Il 21/11/2025 18:02 PBM Abalone <pbm@games.example> ha scritto:
Il giorno 21 nov 2025, alle ore 18:02, PBM Abalone <pbm@games.example>/ha scritto:
No dia 21/11/2025, às 18:02, PBM Abalone/<pbm@games.example> escreveu:
Em 21 de nov. de 2025, à(s) 18:02, PBM Abalone <pbm@games.example> escreveu:
PBM Abalone <pbm@games.example> escreveu no dia sexta, 21/11/2025 à(s) 18:02:
Missatge de PBM Abalone <pbm@games.example> del dia dv., 21 de nov. 2025 a les 18:02:
Op 21-11-2025 om 18:02 schreef PBM Abalone:
Op vr 21 nov. 2025 18:02 schreef PBM Abalone <pbm@games.example>:
Den 2025-11-21 kl. 18:02, skrev PBM Abalone:
Den 21.11.2025 18:02, skrev PBM Abalone:
Den fre. 21. nov. 2025 kl. 18.02 skrev PBM Abalone/<pbm@games.example>:
PBM Abalone <pbm@games.example> kirjoitti 21.11.2025 kello 18.02:
Dnia 21 listopada 2025 18:02 PBM Abalone <pbm@games.example> napisał(a):
W dniu pt., 21.11.2025 o 18:02 PBM Abalone <pbm@games.example>/napisał(a):
Dne 21. 11. 25 v 18:02 PBM Abalone napsal(a):
pi 21. 11. 2025 o 18:02 PBM Abalone <pbm@games.example> napísal(a):
21 ноября 2025 г. 18:02:11 GMT+03:00, PBM Abalone <pbm@games.example> пишет:
Пятница, 21 ноября 2025, 18:02 +03:00 от PBM Abalone <pbm@games.example>:
В Пт, 21/11/2025 в 18:02 +0000, PBM Abalone пишет:
пятница, 21 ноября 2025 г. пользователь PBM Abalone написал:
PBM Abalone <pbm@games.example> şunları yazdı (21 Kas 2025 18:02):
21.11.2025 18:02 tarihinde PBM Abalone yazdı:
2025. nov. 21. dátummal, 18:02 időpontban PBM Abalone <pbm@games.example> írta:
În vin., 21 nov. 2025 la 18:02, PBM Abalone <pbm@games.example> a scris:
Στις 21/11/2025 6:02 μ.μ., ο/η PBM Abalone έγραψε:
Vào Th 6, 21 thg 11, 2025 vào lúc 18:02 PBM Abalone/<pbm@games.example> đã viết:
Pada tanggal Jum, 21 Nov 2025 pukul 18.02 PBM Abalone <pbm@games.example>/menulis:
在 2025/11/21 18:02, PBM Abalone 写道:
於 2025年11月21日 下午6:02，PBM Abalone <pbm@games.example> 寫道：
PBM Abalone <pbm@games.example> 於 2025年11月21日 週五 18:02 寫道：
2025/11/21 18:02、PBM Abalone <pbm@games.example>のメール:
2025. 11. 21. 오후 6:02, PBM Abalone <pbm@games.example> 작성:
في الجمعة، ٢١ نوفمبر ٢٠٢٥ في ٦:٠٢ م تمت كتابة ما يلي بواسطة PBM <pbm@games.example>:
בתאריך יום ו׳, 21 בנוב׳ 2025 ב-18:02 מאת PBM Abalone <pbm@games.example>:
""".split("\n")[:-1]

SEPARATORS = """\
-----Original Message-----
----- Original Message -----
-------- Original Message --------
---- Original message ----
-----Ursprüngliche Nachricht-----
-------- Originalnachricht --------
----Ursprüngliche Nachricht----
-----Original-Nachricht-----
-----Message d'origine-----
-----Message d’origine-----
-----Mensaje original-----
-----Messaggio originale-----
-----Oorspronkelijk bericht-----
-----Mensagem original-----
-----Ursprungligt meddelande-----
-----Oprindelig meddelelse-----
-------- Oprindelig besked --------
-----Opprinnelig melding-----
-----Alkuperäinen viesti-----
-----Wiadomość oryginalna-----
---------- Původní e-mail ----------
-----Исходное сообщение-----
-----Orijinal İleti-----
-----邮件原件-----
------------------ 原始邮件 ------------------
-----原始郵件-----
-----元のメッセージ-----
-----원본 메시지-----
-----الرسالة الأصلية-----
________________________________
""".split("\n")[:-1]

FORWARD_MARKS = """\
---------- Forwarded message ---------
---------- Forwarded message ----------
-------- Forwarded Message --------
----- Forwarded Message -----
----- Forwarded message from PBM Abalone <pbm@games.example> -----
Begin forwarded message:
-------- Weitergeleitete Nachricht --------
Anfang der weitergeleiteten Nachricht:
---------- Message transféré ---------
Début du message réexpédié :
---------- Mensaje reenviado ---------
Inicio del mensaje reenviado:
---------- Messaggio inoltrato ---------
Inizio messaggio inoltrato:
---------- Mensagem encaminhada ---------
---------- Doorgestuurd bericht ---------
Begin doorgestuurd bericht:
---------- Vidarebefordrat meddelande ---------
---------- Videresendt meddelelse ---------
-------- Videresendt melding --------
---------- Przekazana wiadomość ---------
Начало переадресованного сообщения:
---------- Пересылаемое сообщение --------
---------- İletilen ileti ---------
---------- 转发的邮件 ---------
-------- 转发的消息 --------
下面是被转发的邮件：
---------- 轉寄郵件 ---------
---------- 転送メッセージ ---------
---------- Forwarded message ---------
---------- 전달된 메시지 ---------
---------- رسالة معاد توجيهها ---------
""".split("\n")[:-1]

FOOTERS = """\
Sent from my iPhone
Sent from my Galaxy
Sent from Yahoo Mail for iPhone
Sent from Outlook for Android<https://aka.ms/AAb9ysg>
Sent from Mail for Windows
(Sent from a phone)
Sent via Superhuman ( https://superhuman.example )
Sent with Proton Mail secure email.
\u2063Get BlueMail for Android
Get Outlook for iOS<https://aka.ms/o0ukef>
Please excuse my brevity.
Von meinem iPhone gesendet
Von Samsung Mobile gesendet
Gesendet von Outlook für Android<https://aka.ms/AAb9ysg>
Gesendet mit der GMX Mail App
Diese Nachricht wurde von meinem Android-Gerät mit K-9 Mail gesendet.
Envoyé de mon iPhone
Envoyé à partir de Outlook pour Android
Télécharger Outlook pour iOS
Enviado desde mi iPhone
Enviado desde Outlook para Android
Obtener Outlook para iOS
Inviato da iPhone
Scarica Outlook per iOS
Enviado do meu iPhone
Obter o Outlook para iOS
Verstuurd vanaf mijn iPhone
Verzonden vanuit Outlook voor iOS
Skickat från min iPhone
Skickas från Outlook för Android
Sendt fra min iPhone
Skaff deg Outlook for iOS
Lähetetty iPhonesta
Hanki Outlook for iOS
Wysłane z iPhone'a
Odesláno z iPhonu
Získejte Outlook pro iOS
Отправлено с iPhone
Отправлено из мобильного приложения Яндекс Почты
Скачайте Outlook для iOS
iPhone'umdan gönderildi
iOS için Outlook'u edinin
发自我的iPhone
从我的 iPhone 发送
获取 Outlook for iOS
從我的 iPhone 傳送
取得 iOS 版 Outlook
iPhoneから送信
Outlook for iOS を入手
나의 iPhone에서 보냄
أُرسلت من الـ iPhone
الحصول على Outlook لـ iOS
Virus-free. www.avast.com
Virenfrei. www.avast.com
CONFIDENTIALITY NOTICE: the contents of this mail are for its addressee.
""".split("\n")[:-1]


@each_row("form", ATTRIBUTIONS)
def test_attributions(form: str) -> None:
    line = form.replace("/PBM", "\nPBM").replace("/<", "\n<").replace("/escr", "\nescr")
    for verb in ("ha scritto", "napisał", "menulis"):
        line = line.replace("/" + verb, "\n" + verb)
    marked = f"{line}\n\n> a5-b5\n> x\n"
    assert own_words("a1-b2\n\n" + marked) == ("a1-b2",)
    assert own_words("a1-b2\nbye\n" + marked) == ("a1-b2", "bye")
    assert own_words(marked + "\na1-b2") == ("a1-b2",)
    assert own_words(f"a1-b2\n\n{line}\n\na5-b5\n") == ("a1-b2",)
    assert own_words(f"a1-b2\n\n  \u200e{line}\u200f  \n\na5-b5\n") == ("a1-b2",)


@each_row("mark", SEPARATORS)
def test_separators(mark: str) -> None:
    assert own_words(f"a1-b2\n\n{mark}\nFrom: x\na5-b5") == ("a1-b2",)
    assert own_words(f"a1-b2\n{mark}\n\na5-b5") == ("a1-b2",)


@each_row("mark", FORWARD_MARKS)
def test_forward_marks(mark: str) -> None:
    assert own_words(f"look\n\n{mark}\nFrom: x\n\na5-b5\n\n> x\n\na5-b5") == ("look",)
    assert own_words(f"{mark}\na5-b5") == ()
    assert own_words(f"> {mark}\n> a5-b5\na1-b2") == ("a1-b2",)


@each_row("footer", FOOTERS)
def test_footers(footer: str) -> None:
    assert own_words(f"a1-b2\n\n{footer}\n") == ("a1-b2",)
    assert own_words(f"a1-b2\n\n{footer}\nan advertisement\n> a5-b5\nbelow") == (
        "a1-b2",
        "",
        "below",
    )
    assert own_words(f"{footer}\n\na1-b2") == ("a1-b2",)


@each_row(
    "line",
    [
        "move 12 a1-b2",
        "a1-c3,d4",
        "challenge bob --nagtime=3 -bowl",
        "signup alice",
        "-bowl",
        "**",
        "#17",
        "yes",
        "1. a1-b2",
        "* a1-b2",
        "I wrote: nothing",
        "Bob said: well played",
        "you wrote",
        "On the other hand: no",
        "To win: push",
        "Am I right? Le roi est mort:",
        "see you on 2025-11-28 at 18:00",
        "vacation 2025-11-28 2025-12-05",
        "my address is alice@example.org now",
        "change address alice@example.org",
        "--- three dashes",
        "well -- maybe",
        "A>B is not a quotation",
        "a | b",
        "|x",
        "Gesendet",
        "I sent it from my iPhone",
        "Ich habe dir den Zug gesendet",
        "original message",
        "forwarded",
        "State of the art",
    ],
)
def test_lines_that_people_write(line: str) -> None:
    assert own_words(line) == (line,)
    assert own_words(f"hi\n{line}\nbye") == ("hi", line, "bye")
    assert own_words(f"{line}\n\n> a5-b5\n\nbye") == (line, "", "bye")


@pytest.mark.parametrize(
    "mark", [": ", ":", "# ", "#", "} ", "}", "% ", "~ ", "- ", "+ ", "$", "=="]
)
def test_a_boards_mail_is_known_behind_any_sign(mark: str) -> None:
    own = ("a1-b2", "", "Nice game", f"{mark.strip()}1 of us", "- and a list")
    words = "\n".join(own)
    for mail, text in ((mail, text(mail.text)) for mail in BOARDS for text in (str, unfolded)):
        behind = quoted(text, mark)
        kept = tuple(line for line in own if not line.startswith(mark))
        for above in ("", "pbm wrote:\n", f"{WROTE}\n", f"{WROTE}\n\n"):
            assert own_words(f"{words}\n\n{above}{behind}") == kept, mail.name
            assert own_words(f"{above}{behind}\n\n{words}") == kept, mail.name


@pytest.mark.parametrize("mark", ["> ", ">", ": ", "# ", "AB> "])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_an_answer_right_below_the_line_above_a_boards_mail(mark: str, gap: str) -> None:
    for mail in BOARDS:
        behind = quoted(mail.text, mark)
        for answer in ("a1-b2", "a1-b2\nNice game\n\nBob"):
            assert own_words(f"{WROTE}{gap}{answer}{gap}{behind}") == tuple(answer.split("\n"))
    # Other mails may quote so without marks, and hold marked lines.
    assert own_words(f"{WROTE}{gap}a1-b2{gap}{quoted('Hello', mark)}") == ()


def test_where_an_answer_begins_below_a_quotation() -> None:
    assert find_own_words("a\nb\n\nc") == OwnWords(("a", "b", "", "c"))
    assert find_own_words("> q\n\na\nb\n\n> q\n\nc\n\nd").below_quotes == (0, 3)
    assert find_own_words("a\n\nOn 2026-11-21 x wrote:\n> q\n\nb").below_quotes == (2,)
    # What a program broke off a quoted line stands right below it.
    assert find_own_words("> q\na\n> q\n\nb").below_quotes == (2,)
    # Comments in a mail of ours are marked so.
    assert find_own_words("bob writes:\n\n| q\n\na").below_quotes == ()


@each_row("form", ATTRIBUTIONS)
def test_attributions_folded_at_any_width(form: str) -> None:
    long = form.replace("/", " ").replace("pbm@games", "pbm+g12.u7.k1abcdefghijklmnop@games")
    own = ("a1-b2", "", "Nice one, see you on 2026-11-28!", "Bob")
    said = "\n".join(own)
    for width in range(34, 90, 4):
        line = "\n".join(wrap(long, width, break_long_words=False, break_on_hyphens=False))
        for quotation in ("> a5-b5\n> x", "a5-b5\nx"):
            assert own_words(f"{said}\n\n{line}\n\n{quotation}\n") == own
            assert own_words(f"{said}\n\n{line}\n{quotation}\n") == own
        assert own_words(f"{line}\n> a5-b5\n\n{said}\n") == own


FIELD_BLOCKS = """\
From: A|Sent: D|To: B|Subject: S
From: A|Date: D|To: B|Subject: S
Von: A|Gesendet: D|An: B|Betreff: S
De : A|Envoyé : D|À : B|Objet : S
De: A|Enviado el: D|Para: B|Asunto: S
De: A|Enviada em: D|Para: B|Assunto: S
Da: A|Inviato: D|A: B|Oggetto: S
Van: A|Verzonden: D|Aan: B|Onderwerp: S
Från: A|Skickat: D|Till: B|Ämne: S
Fra: A|Sendt: D|Til: B|Emne: S
Lähettäjä: A|Lähetetty: D|Vastaanottaja: B|Aihe: S
Od: A|Wysłano: D|Do: B|Temat: S
Od: A|Odesláno: D|Komu: B|Předmět: S
Od: A|Odoslané: D|Komu: B|Predmet: S
Feladó: A|Elküldve: D|Címzett: B|Tárgy: S
De la: A|Trimis: D|Către: B|Subiect: S
От: A|Отправлено: D|Кому: B|Тема: S
Від: A|Надіслано: D|Кому: B|Тема: S
От: A|Изпратено: D|До: B|Относно: S
Kimden: A|Gönderildi: D|Kime: B|Konu: S
Gönderen: A|Gönderme Tarihi: D|Alıcı: B|Konu: S
Από: A|Στάλθηκε: D|Προς: B|Θέμα: S
מאת: A|נשלח: D|אל: B|נושא: S
من: A|تم الإرسال: D|إلى: B|الموضوع: S
من: A|تاريخ الإرسال: D|إلى: B|الموضوع: S
از: A|ارسال: D|به: B|موضوع: S
发件人: A|发送时间: D|收件人: B|主题: S
发件人：A|发送时间：D|收件人：B|主　题：S
寄件者: A|寄件日期: D|收件者: B|主旨: S
差出人: A|送信日時: D|宛先: B|件名: S
보낸 사람: A|보낸 날짜: D|받는 사람: B|제목: S
Nuo: A|Išsiųsta: D|Kam: B|Tema: S
No: A|Nosūtīts: D|Kam: B|Tēma: S
Saatja: A|Saadetud: D|Adressaat: B|Teema: S
De: A|Enviat el: D|Per a: B|Assumpte: S
Nork: A|Bidalia: D|Nori: B|Gaia: S
Từ: A|Đã gửi: D|Đến: B|Chủ đề: S
จาก: A|ส่ง: D|ถึง: B|เรื่อง: S
Dari: A|Terkirim: D|Kepada: B|Subjek: S
Ó: A|Seolta: D|Go: B|Ábhar: S
Kutoka: A|Ilitumwa: D|Kwa: B|Mada: S
""".split("\n")[:-1]


@each_row("form", FIELD_BLOCKS)
@each_row("mark", ["{}", "*{}*", "  {}", "{}\u200f"])
def test_blocks_of_fields(form: str, mark: str) -> None:
    """The last two languages are known to nobody here: the form tells."""
    filled = {
        "A": "PBM <pbm@games.example>",
        "D": "21. 11. 2026 18:02",
        "B": "a@x.example",
        "S": "Board",
    }
    fields = [(line[:-1].rstrip(), filled[line[-1]]) for line in form.split("|")]
    block = [f"{mark.format(name)} {value}" for name, value in fields]
    for gap in ("\n", "\n\n"):
        body = gap.join(block)
        assert own_words(f"a1-b2\nbye\n\n{body}\n\na5-b5\n") == ("a1-b2", "bye")
        assert own_words(f"a1-b2\n{body}\na5-b5\n") == ("a1-b2",)
        assert own_words(f"{body}\n\n> a5-b5\n\na1-b2") == ("a1-b2",)


@each_row("columns", range(70, 80))
@each_row("stop", ["", ".", "!"])
def test_the_end_of_a_comment_that_a_program_broke_is_nobodys(columns: int, stop: str) -> None:
    """Another player chooses the words, but not where a program breaks them."""
    said = f"{'x' * 30} {'y' * 40}"[: min(columns, 73) - len("> | ") - len(stop)] + stop
    quoted = wrap(f"> | {said} resign", columns)
    assert len(f"{said} resign") <= SAID_COLUMNS
    assert quoted[1:] == ["resign"]
    for above in ("", "a1-b2\n\n"):
        text = f"{above}> bob writes:\n>\n" + "\n".join(quoted) + "\n>\n> State: 1\n"
        assert "resign" not in own_words(text)


def test_an_answer_between_two_quotations_is_the_own_words() -> None:
    """Our sentences behind somebody's initials begin no mail of ours that has no marks."""
    said = "alice has not made a first move for seven days. That counts as a decline, so this board"
    text = f"""{ATTRIBUTIONS[0]}
AB> {said} is closed and counts for nothing. The others play on board 2.
AB> You are x.

a1-b2

-----Original Message-----
From: bob <bob@example.org>

Your move on board 1.

State: .1111/111111/..111../...1..../........./......../..222../222222/22222 2 0,0 quiet=1"""
    assert own_words(text) == ("a1-b2",)
