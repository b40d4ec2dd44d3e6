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
        "0",
        rf"{part.PHONE_NOUN}[^.;!?\d+(]{{0,40}}(?P<value>{part.PHONE_DIGITS})",
        PHONE,
        "number",
        of_user=False,
        is_value=_is_phone,
    ),
    kind(
        "0",
        rf"(?<![\w+])(?P<value>{part.INTERNATIONAL})",
        PHONE,
        "number",
        of_user=False,
        is_value=_is_phone,
    ),
)
EMAILS = (kind("@", rf"(?P<value>{part.EMAIL})", CODE),)
CODES = (
    kind(
        "0 code coupon voucher password passphrase discount promo",
        rf"{part.CODE_NOUN}{part.OF_SOMETHING}{part.SAYS}(?-i:(?P<value>{part.SPACED_CODE}|{part.CODE_WORD}))",
        CODE,
        of_user=False,
        is_value=_is_code,
    ),
    kind("0", rf"{part.NUMBERED}{part.SAYS}(?-i:(?P<value>{part.STRONG_CODE}))", CODE),
    kind(
        "0",
        rf"\b(?:flights?|trains?|coach|bus|ferry|flug|zug|vol|(?:['’]m|am|['’]re|are) on)(?: number)?(?: is)? "
        rf"(?-i:(?P<value>{part.LINE_NUMBER}))",
        CODE,
    ),
    kind(
        "0",
        rf"\b{part.NUMBERED_PLACE}{part.SAYS}(?P<value>\d{{1,4}}[A-Z]?)(?![\w%°€.,:/-]*\w)"
        r"(?! [a-z]+s\b| people\b)",
        CODE,
    ),
    kind(
        "wifi wi wlan network ssid hotspot",
        r"\b(?:wi-?fi|wlan|network|ssid|hotspot)(?: network)?(?: name)?,?"
        r" (?:is |will be |runs |called |named |under |as )+"
        r"[\"“']?(?P<value>(?=\S*[a-z])(?=\S*[\d_])[\w-]{4,})(?!\w)",
        CODE,
    ),
    kind(
        "blood blut",
        rf"\b(?:blood (?:type|group)|blutgruppe)(?: is| ist)?:? (?-i:(?P<value>{part.BLOOD_TYPE}))",
        CODE,
    ),
    kind(
        "0",
        rf"(?<![\w.,])(?P<value>{part.PERCENT})(?= (?:\w+ )?(?:off|discount|rebate|less|cheaper|rabatt))",
        CODE,
        "number",
        of_user=False,
    ),
    kind(
        "save saves spar rabatt discount reduction",
        r"\b(?:saves?(?: us| you| me)?|spar\w*(?: wir| ich)?|(?:discount|reduction|rabatt) (?:of|von)) "
        rf"(?P<value>{part.PERCENT})(?!\w)",
        CODE,
        "number",
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
    return _NO_PRODUCT.match(value) is None


SOFTWARE_NAMES = (
    kind(
        "http www",
        r"(?P<value>(?:https?://|www\.)[^\s<>\"“”'’`，。）)]+[\w/])",
        CODE,
        of_user=False,
    ),
    kind(
        "0",
        r"(?<![\w.])(?P<value>\d{1,3}(?:\.\d{1,3}){3}(?:[:/]\d{1,5})?)(?![\w.]*\w)",
        SOFTWARE,
    ),
    kind(
        "port",
        r"\bports?(?: number)?(?: (?:is|to|on|from|now|=))* ?:?(?P<value>\d{2,5})(?![\w.]*\w)",
        CODE,
        "number",
        of_user=False,
    ),
    kind(
        "/",
        r"(?<![\w/.:@])(?P<value>(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]*\w/?)",
        SOFTWARE,
        of_user=False,
    ),
    kind(
        "/",
        r"(?<![\w/.:@-])(?P<value>[A-Za-z][\w.-]*(?:/[\w.@-]*[\w@-])+)(?![\w/])",
        SOFTWARE,
        of_user=False,
        is_value=_is_path,
    ),
    kind(
        ".",
        rf"(?<![\w/.@-])(?P<value>[\w-]+(?:\.[\w-]+)*\.(?:{_ENDINGS}))(?![\w-])",
        SOFTWARE,
    ),
    kind(
        ".",
        r"(?<![\w/.@-])(?P<value>[a-z][\w-]*(?:\.[\w-]+)*\.(?:com|org|net|io|dev|app|de|cn|uk|eu|fr|example|local"
        r"|internal))(?![\w-])",
        SOFTWARE,
    ),
    kind(
        "us eu ap sa ca me af cn euro asia",
        r"(?<![\w-])(?P<value>(?:us|eu|ap|sa|ca|me|af|cn|europe|asia|australia)-"
        r"(?:north|south|east|west|central)(?:east|west)?-?\d)(?![\w-])",
        SOFTWARE,
        of_user=False,
    ),
    kind(
        "bran",
        r"\bbranch (?:(?:is|called|named|to|now) )*[`\"'“]?(?P<value>(?=[\w./-]*[-/_\d]|main\b|master\b"
        r"|develop\b)[\w./-]*\w)",
        SOFTWARE,
        of_user=False,
    ),
    kind(
        "bran",
        r"\b(?P<value>(?=[\w./-]*[-/_\d]|main\b|master\b|develop\b|staging\b)[\w./-]*\w) branch\b",
        SOFTWARE,
    ),
    kind(
        "_",
        r"(?<![\w./-])(?P<value>[A-Za-z]\w*_\w*[A-Za-z0-9])(?![\w/-])",
        SOFTWARE,
        of_user=False,
    ),
    kind("#", r"(?<!\w)(?P<value>#[A-Za-z][\w-]{2,})", SOFTWARE),
    kind(
        "0",
        r"\b(?:versions?|release|tag(?:ged)?|v)(?: (?:is|to|from|now))*[ :]?"
        r"(?P<value>v?\d+(?:\.\d+)*(?:-?(?:rc|beta|alpha)\.?\d*)?)(?![\w%]|[.,]\d)",
        SOFTWARE,
        "number",
        of_user=False,
    ),
    kind(
        "0",
        r"(?<![\w.,/-])(?P<value>v?\d+\.\d+\.\d+(?:-[\w.]+)?)(?![\w%]|[.,/]\d)",
        SOFTWARE,
        "number",
        of_user=False,
    ),
    kind(
        "0",
        r"(?-i:(?<![\w.-])(?P<value>[A-Z][A-Za-z+#.]+(?:[ -][A-Z][A-Za-z]+)? v?\d+(?:\.\d+){0,2}))"
        r"(?![\w%°€$:/-]|[.,]\d| ?(?:[ap]m|euros?|percent|people|minutes|hours|days)\b)",
        SOFTWARE,
        is_value=_is_product,
    ),
    kind(
        "0",
        r"(?<![\w-])(?P<value>(?=[a-z-]*\d)[a-z]+(?:-[a-z]+)*-\d{1,4}[a-z]?)(?![\w-])",
        SOFTWARE,
        of_user=False,
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
        "A",
        rf"\b{part.RELATIONS}\b(?: (?:of|for|at|from) [^.,;:]{{2,40}}?(?= (?:is|are|called|named)\b))?,? "
        r"(?:is called |is named |is now |is |are |called |named |heißt |ist |se llama |s['’]appelle )?"
        rf"{part.NAME}",
        PERSON,
        "name",
        of_user=False,
        is_value=_is_name,
    ),
    kind(
        "name",
        rf"\b(?:{part.RELATIONS}|my|our|his|her|its|their|\w+['’]s)(?:['’]s)?"
        rf" (?:(?:last|first|full|new) )?name(?: is|['’]s) {part.NAME}",
        PERSON,
        "name",
        is_value=_is_name,
    ),
    kind(
        "called named goes known heiße heißt appelle llamo",
        r"(?:(?:\b(?:is|are|was|am)|['’](?:m|s|re)) (?:called|named|known as)|\b(?:goes by|heiß[et]n?|m['’]appelle"
        rf"|me llamo)) {part.NAME}",
        PERSON,
        "name",
        of_user=False,
        is_value=_is_name,
    ),
    kind(
        "i im this",
        rf"^(?:(?:hello|hi|hey),? )?(?:i['’]?m|i am|this is) {part.NAME}(?=[,.!]| and | from |$)",
        PERSON,
        "name",
        is_value=_is_name,
    ),
    kind(
        "ich mein je soy",
        r"(?:^|[,;.!] )(?:ich bin|mein name ist|je suis|soy) "
        rf"(?P<value>{part.NAME_WORD} {part.PARTICLES}{part.NAME_WORD})(?=[,.!]| und | et | y | aus |$)",
        PERSON,
        "name",
        is_value=_is_name,
    ),
    kind(
        "is",
        rf"(?<![\w.]){part.TITLES}(?P<value>{part.NAME_WORD}(?: {part.NAME_WORD})?) is "
        rf"(?:my|our|his|her|the) (?:[\w-]+ )?{part.RELATIONS}\b",
        PERSON,
        "name",
        is_value=_is_name,
    ),
)
