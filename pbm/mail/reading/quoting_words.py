"""How mail programs introduce what they quote, by language: data for `pbm.mail.reading.quoting`.

Everything is in the form of `str.casefold`. Sources are the programs' own translations: Gmail,
Outlook, Apple Mail, Thunderbird, Yahoo, Proton, Samsung, GMX, QQ, NetEase, Yandex.
"""

# The verb of "On … wrote:".
WROTE = (
    "wrote|writes|said|says|schrieb|schreibt|geschrieben|a écrit|écrit|écrivait|escribió|escribio|"
    "va escriure|ha escrit|escreveu|scritto|scrive|scriveva|schreef|heeft geschreven|geschreven|"
    "skrev|skreiv|skrifaði|kirjoitti|napisał|napisała|napisał\\(a\\)|pisze|pisał|napsal|napsala|"
    "napsal\\(a\\)|píše|napísal|napísala|napísal\\(a\\)|написал|написала|написал\\(а\\)|написав|"
    "написала|пише|пишет|писал|писала|писал\\(а\\)|написа|yazdı|yazmış|írta|έγραψε|a scris|"
    "đã viết|menulis|ditulis|je napisao|napisao|napisala|napisao/la|parašė|rašė|rakstīja|kirjutas|"
    "idatzi zuen|idatzi du|escribiu|skreau|напісаў|напісала|shkroi|skrivet|scríobh|ysgrifennodd|"
    "je napisal|je napisala|skrev följande|het volgende geschreven|folgendes geschrieben|"
    "เขียนว่า|कहा|लिखा|כתב|כתבה"
)

# The same in scripts without blanks between words, or with words that take prefixes.
WROTE_ANYWHERE = (
    "写道|寫道|写到|寫到|來信|のメール|は書きました|が書き込みました|さんは|書きました|작성|님이|"
    "كتب|كتبت|تمت كتابة|نوشت|כתב|撰写|撰寫|写于|寫於|쓴 글|のメッセージ|が送信|送信:"
)

# How such a line begins, so that a folded one is found from its first line on.
OPENERS = frozenset(
    "on am at le il el em op den w dnia v dne pada на στισ în vào в ב בתאריך em a date datum "
    "missatge en kl. quoting zitat zitiere citando citerar le: í 在 于 於 em: em, mensagem "
    "dne: today, fra från von de da la þann më dňa ils às pe pada vào".split()
)

WEEKDAYS = frozenset(
    "mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday "
    "mo di mi do fr sa so montag dienstag mittwoch donnerstag freitag samstag sonntag "
    "man tir ons tor fre lør søn mandag tirsdag onsdag torsdag fredag lørdag søndag "
    "mån tis tors lör sön måndag tisdag lördag söndag ma ti ke to pe la su "
    "pon wt śr czw czw. pt sob niedz nie po út st čt pá so ne "
    "пн вт ср чт пт сб вс нд понедельник вторник среда четверг пятница суббота воскресенье "
    "lun mar mer jeu ven sam dim mié jue vie sáb dom seg ter qua qui sex sab "
    "zo wo vr za hétfő kedd szerda csütörtök péntek szombat vasárnap".split()
)

# Field names of the header block that Outlook and others put above the quoted mail.
FIELD_KINDS = {
    "from": (
        "from|von|de|van|da|från|fra|od|от|от кого|lähettäjä|odesílatel|odosielateľ|kimden|"
        "gönderen|发件人|寄件者|寄件人|差出人|送信者|送信元|보낸 사람|보낸사람|보낸이|من|از|από|"
        "feladó|de la|expéditeur|mittente|remetente|remitente|afzender|absender|avsändare|afsender|"
        "avsender|nadawca|від|відправник|מאת|từ|dari|จาก|frá|no|nuo|šalje|pošiljatelj|на|saatja|"
        "odesilatel|pošiljalac|подател|изпращач|пошиљалац|шаље|发信人|發件人|發信人|発信者|발신|"
        "발신자|보내는 사람|المرسل|फ़्रॉम|प्रेषक|فرستنده|nork|αποστολέας|από το"
    ),
    "sent": (
        "sent|date|gesendet|gesendet am|datum|envoyé|envoyé le|enviado|enviado el|enviado em|"
        "enviada em|enviada|fecha|data|inviato|inviata|verzonden|skickat|sendt|dato|lähetetty|"
        "päivämäärä|päiväys|pvm|wysłano|wysłane|data wysłania|odesláno|odoslané|dátum|отправлено|"
        "дата|дата и время|gönderildi|gönderme tarihi|tarih|发送时间|发送日期|日期|时间|傳送時間|"
        "寄件日期|傳送日期|時間|送信日時|日付|日時|보낸 날짜|날짜|보낸시간|أرسلت|تم الإرسال|"
        "التاريخ|تاريخ الإرسال|στάλθηκε|ημερομηνία|elküldve|küldve|trimis|надіслано|надісланий|"
        "נשלח|תאריך|đã gửi|ngày|dikirim|terkirim|tanggal|poslano|poslato|când|when|date sent|"
        "изпратено|išsiųsta|data ir laikas|saadetud|kuupäev|nosūtīts|datums|ส่ง|วันที่|ارسال|"
        "ارسال شده|تاریخ|تاريخ الارسال|enviat|enviat el|bidalia|भेजा गया|दिनांक|послато|датум|sänt|"
        "發送日期|發送時間|發件日期|发件时间|送信日|보낸 시간|보낸시각|보낸 일시|발신일|received"
    ),
    "to": (
        "to|an|à|pour|para|a|aan|till|til|vastaanottaja|do|komu|кому|kime|alıcı|收件人|收件者|"
        "宛先|받는 사람|받는사람|إلى|προσ|címzett|către|אל|đến|kepada|za|prima|destinatario|"
        "destinatário|destinataire|empfänger|geadresseerde|mottagare|modtager|mottaker|adresat|"
        "до|kam|adressaat|saaja|ถึง|به|گیرنده|per a|nori|प्रति|за|прима|收信人|받는이|수신|수신자|"
        "받는 이|المستلم|ke|odbiorca|příjemce|příjemci"
    ),
    "cc": (
        "cc|kopie|copie|copia|kopia|kopi|kopio|dw|копия|копія|bilgi|抄送|副本|참조|نسخة|נסא|"
        "másolatot kap|κοιν.|cc/bcc|bcc|копие|kopija|สำเนา|רעתק|cópia|참조인|copie à|reply-to|"
        "antwort an|répondre à|responder a|svar til|svara till|priority|importance|wichtigkeit"
    ),
    "subject": (
        "subject|betreff|betrifft|objet|asunto|oggetto|assunto|onderwerp|ämne|emne|aihe|temat|"
        "předmět|predmet|тема|konu|主题|主題|主旨|件名|제목|الموضوع|موضوع|θέμα|tárgy|subiect|"
        "נושא|chủ đề|subjek|perihal|assumpte|tema|относно|зноска|teema|tēma|temats|เรื่อง|gaia|"
        "विषय|zadeva|наслов|主　题|主　旨|標題|标题|件　名|제 목|sujet|onderwerp/titel|re"
    ),
}

FIELD_NAMES = {name: kind for kind, names in FIELD_KINDS.items() for name in names.split("|")}

# "-----Original Message-----": what stands between the dashes.
ORIGINAL = frozenset(
    "original message|original|reply message|original appointment|ursprüngliche nachricht|"
    "originalnachricht|original-nachricht|original nachricht|original-mail|ursprüngliche mail|"
    "ursprüngliche e-mail|message d'origine|message d’origine|message original|message initial|"
    "mensaje original|mensagem original|messaggio originale|messaggio d'origine|"
    "oorspronkelijk bericht|oorspronkelijke bericht|origineel bericht|originele bericht|"
    "ursprungligt meddelande|originalmeddelande|ursprungligt mejl|oprindelig meddelelse|"
    "original meddelelse|oprindelig besked|opprinnelig melding|originalmelding|"
    "alkuperäinen viesti|oryginalna wiadomość|wiadomość oryginalna|treść oryginalnej wiadomości|"
    "původní zpráva|původní e-mail|pôvodná správa|исходное сообщение|оригинальное сообщение|"
    "первоначальное сообщение|исходное письмо|оригінальне повідомлення|вихідне повідомлення|"
    "orijinal mesaj|orjinal mesaj|özgün ileti|orijinal ileti|özgün mesaj|原始邮件|原始郵件|"
    "原邮件|回复的原邮件|邮件原件|原始信件|元のメッセージ|元のメール|オリジナルメッセージ|"
    "original message 元のメッセージ|원본 메시지|원본 메일|원본메일|원본 이메일|αρχικό μήνυμα|"
    "mesaj original|mesajul original|eredeti üzenet|eredeti levél|الرسالة الأصلية|رسالة أصلية|"
    "رسالة اصلية|הודעה מקורית|tin nhắn gốc|thư gốc|pesan asli|missatge original|"
    "izvirno sporočilo|originalna poruka|izvorna poruka|originalus laiškas|sākotnējais ziņojums|"
    "algne sõnum|mail original|courriel original|e-mail original|correo original|posta originale|"
    "oorspronkelijke mail|antwort nachricht|ursprüngliche mitteilung|oorspronklike boodskap|"
    "mensaxe orixinal|зыходны ліст|оригинално писмо|originalna powěsć|algne kiri|jatorrizko mezua|"
    "oarspronklik berjocht|upprunalegur póstur|оригинална порака|opphavleg melding|"
    "messadi original|mesazhi origjinal|початкове повідомлення|原始消息|원본 메세지|원본메시지|"
    "originální zpráva|الرسالة الأصليَّة|پیام اصلی|मूल संदेश|ข้อความต้นฉบับ|"
    "ข้อความเดิม|original email|original e-mail|alkuperäinen viesti / orig.msg.|original msg|"
    "isi pesan asli|původní e-mailová zpráva|antworten auf nachricht".split("|")
)

# "---------- Forwarded message ---------": what stands between the dashes.
FORWARDED = frozenset(
    "forwarded message|forwarded mail|forwarded|weitergeleitete nachricht|weitergeleitete mail|"
    "weitergeleitete e-mail|message transféré|message réexpédié|courriel transféré|"
    "mensaje reenviado|mensagem encaminhada|mensagem reencaminhada|messaggio inoltrato|"
    "doorgestuurd bericht|vidarebefordrat meddelande|vidarebefordrat mejl|vidarebefordrat brev|"
    "videresendt meddelelse|videresendt besked|videresendt melding|videresendt e-post|"
    "edelleenlähetetty viesti|välitetty viesti|przekazana wiadomość|wiadomość przekazana|"
    "wiadomość przekazana dalej|přeposlaná zpráva|preposlaná správa|пересылаемое сообщение|"
    "пересланное сообщение|переадресованное сообщение|начало переадресованного сообщения|"
    "пересланное письмо|переслане повідомлення|iletilen ileti|iletilmiş mesaj|"
    "yönlendirilen mesaj|转发的邮件|转发的消息|转发邮件|轉寄的郵件|轉寄郵件|轉寄信件|转发邮件信息|"
    "已转发邮件|被转发邮件|転送メッセージ|転送されたメッセージ|전달된 메시지|전달된 메일|"
    "προωθημένο μήνυμα|mesaj redirecționat|továbbított üzenet|الرسالة المعاد توجيهها|"
    "رسالة معاد توجيهها|رسالة محوّلة|رسالة محولة|الرسالة المحولة|הודעה שהועברה|"
    "thư được chuyển tiếp|pesan terusan|missatge reenviat|proslijeđena poruka|"
    "doorgestuurde mail|mensaxe reenviada|edastatud kiri|birbidalitako mezua|"
    "treść przekazanej wiadomości|перенаправленное сообщение|пренасочено съобщение|"
    "препратено съобщение|persiųstas laiškas|posredovano sporočilo|vidaresend melding|"
    "mesazhi i përcjellë|iletilmiş ileti|رسالة ممرّرة|پیام بازارسال شده|"
    "पुनर्निर्देशित संदेश|ข้อความที่ส่งต่อ|転送元のメッセージ|fwd.msg|välitetty viesti / fwd.msg|"
    "message transmis|courriel réexpédié|mensaje remitido|weitergeleiteter inhalt".split("|")
)

# Apple Mail begins a forwarded mail with a sentence instead.
FORWARD_SENTENCES = (
    "begin forwarded message",
    "start of forwarded message",
    "anfang der weitergeleiteten nachricht",
    "anfang der weitergeleiteten e-mail",
    "début du message réexpédié",
    "début du message transféré",
    "début du courriel transféré",
    "inicio del mensaje reenviado",
    "empieza el mensaje reenviado",
    "inizio messaggio inoltrato",
    "início da mensagem reencaminhada",
    "início da mensagem encaminhada",
    "início de mensagem encaminhada",
    "begin doorgestuurd bericht",
    "vidarebefordrat brev",
    "vidarebefordrat mejl",
    "startar vidarebefordrat meddelande",
    "start på videresendt besked",
    "starten på den videresendte beskeden",
    "videresendt melding",
    "begynnelse på videresendt melding",
    "välitetty viesti alkaa",
    "początek przekazywanej wiadomości",
    "začátek přeposílané zprávy",
    "začátek přeposlané zprávy",
    "начало переадресованного сообщения",
    "початок переадресованого повідомлення",
    "iletilmiş mesajı başlat",
    "iletilen mesajın başlangıcı",
    "下面是被转发的邮件",
    "以下是转发的邮件",
    "開始轉寄郵件",
    "以下為轉寄的郵件",
    "転送されたメッセージ",
    "전달된 메시지 시작",
    "بداية الرسالة المعاد توجيهها",
    "بدء الرسالة المعاد توجيهها",
)
