"""Sentences that the request generator cuts and mixes: many scripts, and characters with history."""

ENGLISH = [
    "I was charged twice this month and I want my money back.",
    "The app crashes whenever I open the settings page on my phone.",
    "Please cancel my subscription; I've moved to another provider.",
    "Our delivery arrived damaged, and nobody answers the hotline!",
    "Could you tell me whether invoice 2024-0117 has been paid?",
    "Disk usage is at 97% on /var and writes are failing.",
    "Thanks a lot, the new release works perfectly.",
    "It's the third time I'm asking: when will this be fixed?",
    "def f(x):\n    return x ** 2  # doesn't matter",
    "See https://example.org/a?b=c&d=%20e or write to jane.doe@example.org.",
]

SCRIPTS = [
    "Ich wurde diesen Monat zweimal belastet, die Straße ist überflutet.",
    "J'ai été débité deux fois ; où est passé l'argent ?",
    "Me cobraron dos veces este mes, ¡quiero mi dinero!",
    "Zażółć gęślą jaźń, proszę o zwrot pieniędzy.",
    "Đơn hàng của tôi bị hỏng khi giao đến nơi.",
    "Приложение падает, когда я открываю настройки.",
    "Η εφαρμογή κλείνει μόλις ανοίξω τις ρυθμίσεις.",
    "התשלום חויב פעמיים החודש, אבקש החזר.",
    "تم خصم المبلغ مرتين هذا الشهر وأريد استرداده.",
    "मुझसे इस महीने दो बार शुल्क लिया गया।",
    "এই মাসে আমার কাছ থেকে দুবার টাকা নেওয়া হয়েছে।",
    "இந்த மாதம் இருமுறை கட்டணம் வசூலிக்கப்பட்டது.",
    "เดือนนี้ฉันถูกเรียกเก็บเงินสองครั้ง",
    "今月は二重に請求されました。返金してください。",
    "这个月我被重复扣款了，请退款。",
    "이번 달에 두 번 청구되었어요. 환불해 주세요.",
    "ამ თვეში ორჯერ ჩამომეჭრა თანხა.",
    "Այս ամիս երկու անգամ գանձվել է։",
    "ይህን ወር ሁለት ጊዜ ተከፍሏል።",
    "ကျွန်ုပ်ကို နှစ်ကြိမ် ကောက်ခံခဲ့သည်။",
]

ODD = [
    "\u0065\u0301 \u00e9 \u1112\u1161\u11ab \ufb01 \u212b",  # decomposed, composed, compatibility
    "Z\u0351\u036b\u0343\u0363a\u0328\u0301lgo",
    "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd \u2764\ufe0f",
    "\u0130stanbul \u0131\u015f\u0131k \u01c5 \u1e9e \u03a3\u03c2",
    "tab\tand\r\nline\u2028separator\u2029paragraph\u0085next",
    "no\u00a0break\u3000wide\u200bzero\ufeffbom\u00adsoft",
    "\u0001\u001f\u007f control \ufffd \ue000 \U000f0000 \U0010fffd",
    "\u202eright to left\u202c \u2066isolate\u2069",
    "\uff21\uff22\uff23 \u2460 \u00bd \u2167 \U0001d400 \u3392",
    "'t 's 're 've 'm 'll 'd 'S don't DON'T o'clock",
    "a" * 120,
    "x\u2029\ua3e4 \u0378 \U0001f6d8 \U000323af",
    "1234567890 1,234.56 0x7F -1e-9 3.14159265358979",
    "     five  two   three\n\n\n\ntwo\t\ttabs        ",
    "\u2581\u2581under \u2581 score\u2581",
    "",
]

# Literals that are tokens of their own in one vocabulary or another.
TOKENS = [
    "[MASK]", "[CLS]", "[SEP]", "[PAD]", "[UNK]", "[unused7]", "<mask>", "<bos>", "<eos>", "<pad>",
    "<unk>", "<unused12>", "<2mass>", "[@BOS@]", "<h1>", "</table>", "<|endoftext|>", "<|padding|>",
    "|||IP_ADDRESS|||", "|||EMAIL_ADDRESS|||", "<start_of_turn>", "[mask]", "[ MASK ]", "[MASK][MASK]",
    "  [MASK]  ", "\u2581<mask>", "<0x0A>", "##ing",
]  # fmt: skip

LABELS = [
    "billing", "tech", "other", "refund", "delivery", "account", "legal", "sales", "spam", "urgent",
    "low", "medium", "high", "none of these", "Sonstiges", "退款", "возврат", "n/a", "a", "B2B", "über",
]  # fmt: skip
