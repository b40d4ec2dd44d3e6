"""Codes and other names that identify: numbers with a label, telephone numbers, e-mail addresses, ports, versions,
paths, and who somebody is.

Telephone numbers are found by their label, or by their plus sign and length. The package phonenumbers, which knows
the numbering plans of all countries, takes 5 MB and, unless it is told a country, finds only numbers with a plus
sign; no conversation says its country.
"""

import re

from memviz.core.text.vocabulary import DATE_WORDS, STOP_WORDS, words
from memviz.metrics.retention import label_words as part
from memviz.metrics.retention.label_words import CODE, PERSON, PHONE, SOFTWARE, kind

_PHONE_LENGTHS = range(7, 16)
_NO_PHONE = re.compile(
    r"\d{4}-\d\d-\d\d|\d+(?:\.\d+){3}|(?:19|20)\d\d ?[-–] ?(?:19|20)\d\d"
)


def _is_code(value: str) -> bool:
    """Digits, or capital letters alone: "PIN 5093", "WELCOME", "B7KX", but not "code a1"."""
    return sum(map(str.isdigit, value)) != 1 or (
        len(value) > 3 and value.upper() == value
    )


def _is_phone(value: str) -> bool:
    return (
        sum(map(str.isdigit, value)) in _PHONE_LENGTHS
        and _NO_PHONE.search(value) is None
    )


PHONES = (
    kind(
        triggers="0",
        pattern=rf"{part.PHONE_NOUN}[^.;!?\d+(]{{0,40}}(?P<value>{part.PHONE_DIGITS})",
        weight=PHONE,
        category="number",
        of_user=False,
        is_value=_is_phone,
        examples=("Call me on 555-0142. -> 555-0142",),
    ),
    kind(
        triggers="0",
        pattern=rf"(?<![\w+])(?P<value>{part.INTERNATIONAL})",
        weight=PHONE,
        category="number",
        of_user=False,
        is_value=_is_phone,
        examples=("Reach us: +44 20 7946 0018. -> +44 20 7946 0018",),
    ),
)
EMAILS = (
    kind(
        triggers="@",
        pattern=rf"(?P<value>{part.EMAIL})",
        weight=CODE,
        examples=("Write to ana@example.org. -> ana@example.org",),
    ),
)
CODES = (
    kind(
        triggers="0 code coupon voucher password kennwort clave contraseña",
        pattern=rf"{part.CODE_NOUN}{part.OF_SOMETHING}{part.SAYS}(?-i:(?P<value>{part.SPACED_CODE}|{part.CODE_WORD}))",
        weight=CODE,
        of_user=False,
        is_value=_is_code,
        examples=(
            "The door code is 7742. -> 7742",
            "The password is SESAME. -> SESAME",
            "Das Kennwort lautet SESAM. -> SESAM",
            "La clave es SESAMO. -> SESAMO",
        ),
    ),
    kind(
        triggers="0",
        pattern=rf"{part.NUMBERED}{part.SAYS}(?-i:(?P<value>{part.STRONG_CODE}))",
        weight=CODE,
        examples=("Our order 000-7741 is late. -> 000-7741",),
    ),
    kind(
        triggers="0",
        pattern=(
            rf"\b(?:flights?|trains?|coach|bus|ferry|flug|zug|vol|(?:['’]m|am|['’]re|are) on)(?: number)?(?: is)? "
            rf"(?-i:(?P<value>{part.LINE_NUMBER}))"
        ),
        weight=CODE,
        examples=("I take flight LX 1837. -> LX 1837",),
    ),
    kind(
        triggers="0",
        pattern=(
            rf"\b{part.NUMBERED_PLACE}{part.SAYS}(?P<value>\d{{1,4}}[A-Z]?)(?![\w%°€.,:/-]*\w)"
            r"(?! [a-z]+s\b| people\b)"
        ),
        weight=CODE,
        examples=("We are in room 214. -> 214",),
    ),
    kind(
        triggers="wifi wi wlan network ssid hotspot",
        pattern=(
            r"\b(?:wi-?fi|wlan|network|ssid|hotspot)(?: network)?(?: name)?,?"
            r" (?:is |will be |runs |called |named |under |as )+"
            r"[\"“']?(?P<value>(?=\S*[a-z])(?=\S*[\d_])[\w-]{4,})(?!\w)"
        ),
        weight=CODE,
        examples=("The wifi is called barn_guest5. -> barn_guest5",),
    ),
    kind(
        triggers="blood blut",
        pattern=rf"\b(?:blood (?:type|group)|blutgruppe)(?: is| ist)?:? (?-i:(?P<value>{part.BLOOD_TYPE}))",
        weight=CODE,
        examples=("My blood type is AB negative. -> AB negative",),
    ),
    kind(
        triggers="0",
        pattern=rf"(?<![\w.,])(?P<value>{part.PERCENT})(?= (?:\w+ )?(?:off|discount|rebate|less|cheaper|rabatt))",
        weight=CODE,
        category="number",
        of_user=False,
        examples=("Members get 15 % off. -> 15 %",),
    ),
    kind(
        triggers="saves spart rabatt discount reduction",
        pattern=(
            r"\b(?:saves?(?: us| you| me)?|spar\w*(?: wir| ich)?|(?:discount|reduction|rabatt) (?:of|von)) "
            rf"(?P<value>{part.PERCENT})(?!\w)"
        ),
        weight=CODE,
        category="number",
        examples=(
            "It saves us 15 %. -> 15 %",
            "There is a discount of 20%. -> 20%",
        ),
    ),
)


_ENDINGS = "py|js|tsx?|json|ya?ml|toml|csv|tsv|sql|md|txt|pdf|xlsx?|docx?|pptx?|sh|conf|cfg|ini|log|html|css|java|go|rs"
_ENDINGS += "|rb|zip|gz|png|jpe?g|env|db|lock|service|parquet|ipynb|tf|xml"
_NO_PATH = re.compile(
    r"(?:and/or|he/she|she/he|his/her|him/her|w/o|n/a|yes/no|on/off|either/or|km/h|\w/\w|\d+/\d+|[a-z]+/[a-z]+)",
    re.IGNORECASE,
)
_SLASHED_TWICE = re.compile(r"/.*/")
_NO_PRODUCT = re.compile(
    r"(?:Day|Days|Step|Part|Week|Question|Option|Number|No|Phase|Point|Item|Task|Year|Grade|Level|Around|About|At|Only"
    r"|Just|Over|From|The|Am|Um|Bis|Vom|Ab|Seit|Mit|Für|Is|Are|In|On|By|For|With|And|But|Or|So|Then|Now|My|Our|We|It|Its|That|Room|Table|Max|Min|Jan"
    r"|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec|January|February|March|April|August|September|October"
    r"|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day) "
)


def _is_path(value: str) -> bool:
    """A path goes up from a root, has two slashes, or holds something else than letters: ``release/spring-26``."""
    if value.startswith(("/", "~", "./", "../")) or _SLASHED_TWICE.search(value):
        return True
    return _NO_PATH.fullmatch(value) is None


def _is_product(value: str) -> bool:
    # "Still 27 Heron Court": the first word of a sentence is written large as well.
    begins_a_sentence = value.split()[0].lower() in STOP_WORDS
    return not begins_a_sentence and _NO_PRODUCT.match(value) is None


SOFTWARE_NAMES = (
    kind(
        triggers="http www",
        pattern=r"(?P<value>(?:https?://|www\.)[^\s<>\"“”'’`，。）)]+[\w/])",
        weight=CODE,
        of_user=False,
        examples=("See https://example.org/help. -> https://example.org/help",),
    ),
    kind(
        triggers="0",
        pattern=r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?)(?![\w.]*\w)",
        weight=SOFTWARE,
        examples=("The host is 10.0.0.7:8080. -> 10.0.0.7:8080",),
    ),
    kind(
        triggers="port",
        pattern=r"\bports?(?: number)?(?: (?:is|to|on|from|now|=))* ?:?(?P<value>\d{2,5})(?![\w.]*\w)",
        weight=CODE,
        category="number",
        of_user=False,
        examples=("It listens on port 8443. -> 8443",),
    ),
    kind(
        triggers="/",
        pattern=r"(?<![\w/.:@])(?P<value>(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]*\w/?)",
        weight=SOFTWARE,
        of_user=False,
        examples=("Logs go to /var/log/app. -> /var/log/app",),
    ),
    kind(
        triggers="/",
        pattern=r"(?<![\w/.:@-])(?P<value>[A-Za-z][\w.-]*(?:/[\w.@-]*[\w@-])+)(?![\w/])",
        weight=SOFTWARE,
        of_user=False,
        is_value=_is_path,
        examples=("Look at release/spring-26. -> release/spring-26",),
    ),
    kind(
        triggers=".",
        pattern=rf"(?<![\w/.@-])(?P<value>[\w-]+(?:\.[\w-]+)*\.(?:{_ENDINGS}))(?![\w-])",
        weight=SOFTWARE,
        examples=("Edit settings.toml first. -> settings.toml",),
    ),
    kind(
        triggers=".",
        pattern=(
            r"(?<![\w/.@-])(?P<value>[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|de|cn|uk|eu|fr|example|local"
            r"|internal))(?![\w-])"
        ),
        weight=SOFTWARE,
        examples=("Our server is mail.example.org. -> mail.example.org",),
    ),
    kind(
        triggers="us eu ap sa ca me af cn europe asia australia",
        pattern=(
            r"(?<![\w-])(?P<value>(?:us|eu|ap|sa|ca|me|af|cn|europe|asia|australia)-"
            r"(?:north|south|east|west|central)(?:east|west)?-?\d)(?![\w-])"
        ),
        weight=SOFTWARE,
        of_user=False,
        examples=(
            "We deploy to eu-west-1. -> eu-west-1",
            "We deploy to australia-southeast1. -> australia-southeast1",
        ),
    ),
    kind(
        triggers="bran",
        pattern=(
            r"\bbranch (?:(?:is|called|named|to|now) )*[`\"'“]?(?P<value>(?=[\w./-]*[-/_\d]|main\b|master\b"
            r"|develop\b)[\w./-]*\w)"
        ),
        weight=SOFTWARE,
        of_user=False,
        examples=("Use the branch called fix-login. -> fix-login",),
    ),
    kind(
        triggers="bran",
        pattern=r"\b(?P<value>(?=[\w./-]*[-/_\d]|main\b|master\b|develop\b|staging\b)[\w./-]*\w) branch\b",
        weight=SOFTWARE,
        examples=("It is on the fix-login branch. -> fix-login",),
    ),
    kind(
        triggers="_",
        pattern=r"(?<![\w./-])(?P<value>[A-Za-z]\w*_\w*[A-Za-z0-9])(?![\w/-])",
        weight=SOFTWARE,
        of_user=False,
        examples=("Set max_retries to two. -> max_retries",),
    ),
    kind(
        triggers="#",
        pattern=r"(?<!\w)(?P<value>#[A-Za-z][\w-]{2,})",
        weight=SOFTWARE,
        examples=("Post it in #ops-alerts. -> #ops-alerts",),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\b(?:versions?|release|tag(?:ged)?|v)(?: (?:is|to|from|now))*[ :]?"
            r"(?P<value>v?\d+(?:\.\d+)*(?:-?(?:rc|beta|alpha)\.?\d*)?)(?![\w%]|[.,]\d)"
        ),
        weight=SOFTWARE,
        category="number",
        of_user=False,
        examples=("We run version 3.2. -> 3.2",),
    ),
    kind(
        triggers="0",
        pattern=r"(?<![\w.,/-])(?P<value>v?\d+\.\d+\.\d+(?:-[\w.]+)?)(?![\w%]|[.,/]\d)",
        weight=SOFTWARE,
        category="number",
        of_user=False,
        examples=("Pinned to 2.14.1 for now. -> 2.14.1",),
    ),
    kind(
        triggers="0",
        pattern=(
            r"(?-i:(?<![\w.-])(?P<value>[A-Z][A-Za-z+#.]+(?:[ -][A-Z][A-Za-z]+)? v?\d+(?:\.\d+){0,2}))"
            r"(?![\w%°€$:/-]|[.,]\d| ?(?:[ap]m|euros?|percent|people|minutes|hours|days)\b)"
        ),
        weight=SOFTWARE,
        is_value=_is_product,
        examples=("We use Python 3.12. -> Python 3.12",),
    ),
    kind(
        triggers="0",
        pattern=r"(?<![\w-])(?P<value>(?=[a-z-]*\d)[a-z]+(?:-[a-z]+)*-\d{1,4}[a-z]?)(?![\w-])",
        weight=SOFTWARE,
        of_user=False,
        examples=("The node is web-07. -> web-07",),
    ),
)
"""What is written in a sentence as machines read it. Most is taken from the assistant as well."""


_NO_NAME = (
    STOP_WORDS
    | DATE_WORDS
    | words(
        f"{part.NATIONALITIES} march may dr mr mrs ms prof id service support ai god"
    )
)


def _is_name(value: str) -> bool:
    return value.split()[0].lower() not in _NO_NAME


PEOPLE = (
    kind(
        triggers="A",
        pattern=(
            rf"\b{part.RELATIONS}\b(?: (?:of|for|at|from) [^.,;:]{{2,40}}?(?= (?:is|are|called|named)\b))?,? "
            r"(?:is called |is named |is now |is |are |called |named |heißt |ist |se llama |s['’]appelle )?"
            rf"{part.NAME}"
        ),
        weight=PERSON,
        category="name",
        of_user=False,
        is_value=_is_name,
        examples=("My sister is called Anna Berg. -> Anna Berg",),
    ),
    kind(
        triggers="name",
        pattern=(
            rf"\b(?:{part.RELATIONS}|my|our|his|her|its|their|\w+['’]s)(?:['’]s)?"
            rf" (?:(?:last|first|full|new) )?name(?: is|['’]s) {part.NAME}"
        ),
        weight=PERSON,
        category="name",
        is_value=_is_name,
        examples=("My dog's name is Bruno. -> Bruno",),
    ),
    kind(
        triggers="called named goes known heiße heißt appelle llamo",
        pattern=(
            r"(?:(?:\b(?:is|are|was|am)|['’](?:m|s|re)) (?:called|named|known as)|\b(?:goes by|heiß[et]n?|m['’]appelle"
            rf"|me llamo)) {part.NAME}"
        ),
        weight=PERSON,
        category="name",
        of_user=False,
        is_value=_is_name,
        examples=(
            "He is known as Sparky. -> Sparky",
            "The boat is named Pearl. -> Pearl",
            "Ich heiße Jonas. -> Jonas",
            "Je m'appelle Amélie. -> Amélie",
        ),
    ),
    kind(
        triggers="i im this",
        pattern=rf"^(?:(?:hello|hi|hey),? )?(?:i['’]?m|i am|this is) {part.NAME}(?=[,.!]| and | from |$)",
        weight=PERSON,
        category="name",
        is_value=_is_name,
        examples=(
            "Hi, I'm Anna Berg. -> Anna Berg",
            "This is Tomas from Brno. -> Tomas",
        ),
    ),
    kind(
        triggers="ich mein je soy",
        pattern=(
            r"(?:^|[,;.!] )(?:ich bin|mein name ist|je suis|soy) "
            rf"(?P<value>{part.NAME_WORD} {part.PARTICLES}{part.NAME_WORD})(?=[,.!]| und | et | y | aus |$)"
        ),
        weight=PERSON,
        category="name",
        is_value=_is_name,
        examples=(
            "Mein Name ist Jonas Weber. -> Jonas Weber",
            "Soy Lucia Torres. -> Lucia Torres",
        ),
    ),
    kind(
        triggers="is",
        pattern=(
            rf"(?<![\w.]){part.TITLES}(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD})?) is "
            rf"(?:my|our|his|her|the) (?:[\w-]+ )?{part.RELATIONS}\b"
        ),
        weight=PERSON,
        category="name",
        is_value=_is_name,
        examples=("Okafor is my dentist. -> Okafor",),
    ),
)
