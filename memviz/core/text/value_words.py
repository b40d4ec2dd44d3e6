"""Words for values in English, German, French, Spanish, Portuguese and Italian: months, numbers, currencies, units; and
English words that are names of people as well. All in lower case and without accents."""

import re

from memviz.core.text.vocabulary import words

_MONTH_NAMES = """
    january januar janvier enero janeiro gennaio jan
    february februar fevrier febrero fevereiro febbraio feb febr
    march marz mars marzo marco mar
    april avril abril aprile apr
    may mai mayo maio maggio
    june juni juin junio junho giugno jun
    july juli juillet julio julho luglio jul
    august aout agosto aug
    september septembre septiembre setembro settembre sep sept
    october oktober octobre octubre outubro ottobre oct okt
    november novembre noviembre novembro nov
    december dezember decembre diciembre dezembro dicembre dec dez
"""
MONTH_NUMBERS = {
    name: number
    for number, line in enumerate(_MONTH_NAMES.strip().splitlines(), start=1)
    for name in line.split()
}
SHARED_MONTHS = words(
    "may mai mayo maio march mars marco jan mar jun jul aug sep sept oct okt nov dec dez feb febr apr"
)
"""Names of months that are other words, names of people or abbreviations: a month only beside a number or where a word
such as "in" says so."""

_SMALL = """
    two zwei deux dos dois duas
    three drei trois tres
    four vier quatre cuatro quatro quattro
    five funf cinq cinco cinque
    six sechs seis
    seven sieben siete
    eight acht huit ocho oito otto
    nine neun nueve
    ten zehn dix diez dez dieci
    eleven elf onze undici
    twelve zwolf douze doce doze dodici
    thirteen dreizehn treize trece treze tredici
    fourteen vierzehn quatorze catorce catorze quattordici
    fifteen funfzehn quinze quince quindici
    sixteen sechzehn seize dieciseis dezesseis dezasseis sedici
    seventeen siebzehn diecisiete dezessete dezassete diciassette
    eighteen achtzehn dieciocho dezoito diciotto
    nineteen neunzehn diecinueve dezenove dezanove diciannove
"""
_TENS = """
    twenty zwanzig vingt veinte vinte venti
    thirty dreissig trente treinta trinta trenta
    forty vierzig quarante cuarenta quarenta quaranta
    fifty funfzig cinquante cincuenta cinquenta cinquanta
    sixty sechzig soixante sesenta sessenta sessanta
    seventy siebzig septante setenta settanta
    eighty achtzig huitante octante ochenta oitenta ottanta
    ninety neunzig nonante noventa novanta
"""
SMALL_NUMBERS = {
    name: number
    for number, line in enumerate(_SMALL.strip().splitlines(), start=2)
    for name in line.split()
} | {
    f"veinti{name}": number
    for name, number in (
        ("dos", 22),
        ("tres", 23),
        ("cuatro", 24),
        ("cinco", 25),
        ("seis", 26),
        ("siete", 27),
        ("ocho", 28),
        ("nueve", 29),
    )
}
TENS = {
    name: 10 * number
    for number, line in enumerate(_TENS.strip().splitlines(), start=2)
    for name in line.split()
}
ONES = dict.fromkeys(words("one a an un une uno una um uma ein eine"), 1)
"""One is also an article or a pronoun, and a number only within a larger one."""
MULTIPLES = {
    "hundred": 100, "hundert": 100, "thousand": 1000, "tausend": 1000, "million": 1_000_000, "millions": 1_000_000,
    "millionen": 1_000_000,
}  # fmt: skip
JOINING = words("and und et y e")

_GERMAN_DIGITS = {
    "ein": 1, "eins": 1, "zwei": 2, "drei": 3, "vier": 4, "funf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9,
}  # fmt: skip
# "zweitausenddreihundert", "hundertfunf"
_GERMAN_NUMBER = re.compile(
    r"(?:(?P<thousands>[a-z]*)tausend)?(?:(?P<hundreds>ein|zwei|drei|vier|funf|sechs|sieben|acht|neun|)hundert)?(?:und)?"
    r"(?P<rest>[a-z]*)"
)
# "einundzwanzig"
_GERMAN_TENS = re.compile(rf"(?P<ones>{'|'.join(_GERMAN_DIGITS)})und(?P<tens>[a-z]+)")


def number_of_word(word: str) -> int | None:
    """The number that one word stands for, such as "thirteen", "treze" or "dreiundzwanzig"; ``None`` for any other."""
    number = SMALL_NUMBERS.get(word) or TENS.get(word) or MULTIPLES.get(word)
    if number is None and (
        word.endswith("ig") or "hundert" in word or "tausend" in word
    ):
        number = _read_german_number(word)
    return number


def _read_german_number(word: str) -> int | None:
    """Return the value of a German number in one word: "zweitausenddreihundert" is 2300."""
    parts = _GERMAN_NUMBER.fullmatch(word)
    if parts is None:
        return None
    total = 0
    tail = parts["rest"]
    if parts["thousands"] is not None:
        # "tausend" alone is one thousand; before it may stand a number of its own: "zwanzigtausend".
        thousands = _GERMAN_DIGITS.get(parts["thousands"] or "ein")
        thousands = thousands or number_of_word(parts["thousands"])
        if thousands is None or thousands >= 1000:
            return None
        total += 1000 * thousands
    if parts["hundreds"] is not None:
        total += 100 * _GERMAN_DIGITS[parts["hundreds"] or "ein"]
    if not tail:
        return total or None
    # "einundzwanzig": the ones stand before the tens.
    tens = _GERMAN_TENS.fullmatch(tail)
    if tens and tens["tens"] in TENS:
        return total + _GERMAN_DIGITS[tens["ones"]] + TENS[tens["tens"]]
    small = _GERMAN_DIGITS.get(tail) or SMALL_NUMBERS.get(tail) or TENS.get(tail)
    return None if small is None else total + small


CURRENCIES = {
    spelling: name
    for name, spellings in {
        "eur": "€ eur euro euros 欧元",
        "usd": "$ us$ usd dollar dollars bucks 美元 美金",
        "gbp": "£ gbp pound pounds quid 英镑",
        "cny": "¥ ￥ cny rmb yuan 元 块 块钱 人民币",
        "jpy": "jpy yen 日元 円",
        "chf": "chf franken",
        "inr": "₹ inr rupee rupees",
        "krw": "₩ krw won",
        "brl": "r$ brl real reais",
        "pln": "zł pln",
        "sek": "sek kronor",
        "cad": "c$ cad",
        "aud": "a$ aud",
        "hkd": "hk$ hkd 港币 港元",
    }.items()
    for spelling in spellings.split()
}
UNITS = {
    spelling: name
    for name, spellings in {
        "pct": "% ％ percent prozent percento porcento",
        "kg": "kg kilo kilos kilogram kilograms kilogramm 公斤 千克",
        "km": "km kilometer kilometers kilometre kilometres kilometern 公里 千米",
        "cm": "cm centimeter centimeters centimetre centimetres zentimeter 厘米",
        "m": "m meter meters metre metres metern 米",
        "g": "g gram grams gramm 克",
        "mg": "mg milligram milligrams 毫克",
        "mm": "mm millimeter millimeters millimetre millimetres 毫米",
        "t": "tonne tonnes 吨",
        "deg": "° °c ℃ 度",
        "degf": "°f",
        "kwh": "kwh",
        "mph": "mph",
        "l": "l liter liters litre litres litern",
        "ml": "ml milliliter milliliters millilitre millilitres 毫升",
        "h": "h hr hrs hour hours stunde stunden 小时",
        "min": "min mins minute minutes minuten 分钟",
        "gb": "gb gigabyte gigabytes",
        "mb": "mb megabyte megabytes",
        "lb": "lb lbs",
        "oz": "oz ounce ounces",
        "ft": "ft foot feet 英尺",
        "inch": "inch inches 英寸",
        "mi": "mi mile miles 英里",
        "sqm": "m² ㎡ sqm 平方米 平米 平",
        "tb": "tb terabyte terabytes",
    }.items()
    for spelling in spellings.split()
}
"""Units that are also letters or short words count as such only behind a number."""

NAMES_THAT_ARE_WORDS = words(
    """mark may will bill rose grace hope joy faith frank rob sue pat art ray jack dean drew chase grant hunter summer
    autumn dawn ivy lily olive ruby pearl amber jade iris miles max gene guy chip don dale glen heath cliff clay brook
    april june august jean penny daisy violet heather hazel ginger sandy skip victor wade ward earl duke pierce lance
    norm nick harry carol eve angel christian rich tony basil rusty buddy buck mason carter cooper tanner baker page
    go rust swift"""
)
"""English words that are first names as well: "Mark my words" names nobody."""
AFTER_A_WORD = words(
    """i you he she it we they me him us them my your his her its our their the a an this that these those there be not
    to so all each every any which what who whose of one some as down up out off on"""
)
"""What follows such a word where it is none of the names: "May I", "Will you", "Mark the date"."""
BEFORE_A_MONTH = words(
    """in of since by until till this next last early mid late every before after from during late im seit bis ab ende
    anfang en de fin depuis desde"""
)
MEASURE_WORDS = "个人位天年月周号楼层岁次件本张条只台辆间套点分秒米斤克元块公小时折倍名家种口度页晚日"
"""Chinese characters behind a numeral that is one."""
SAME_MEASURE = {
    "min": ("h", 60), "h": ("day", 24), "day": ("week", 7), "month": ("year", 12), "g": ("kg", 1000), "m": ("km", 1000),
    "cm": ("m", 100), "ml": ("l", 1000), "mb": ("gb", 1000), "gb": ("tb", 1000)
}  # fmt: skip
"""Units, each with the next larger one and how many of it that is."""
PEOPLE_MEASURES = "人名位个"
PEOPLE = words("people guest attendee participant person visitor")
"""Words for as many people, as :func:`memviz.core.text.containment.normal_tokens` has them."""
TITLES = words(
    "mr mrs ms miss mx dr prof sir madam herr frau senor senora monsieur madame"
)
KINDS_OF_PLACE = words(
    "hotel hostel guesthouse motel restaurant cafe trattoria bistro bar pub"
)
"""Words that people leave out before or behind the name of a place."""
HAN_KINDS_OF_PLACE = ("大酒店", "酒店", "饭店", "宾馆", "餐厅", "餐馆", "民宿", "旅馆")
SHORT_FORMS = {
    "postgres": "postgresql", "js": "javascript", "k8s": "kubernetes", "mech": "mechanical", "eng": "engineering",
    "elec": "electrical", "univ": "university", "uni": "university", "dept": "department", "apt": "apartment",
    "ave": "avenue", "blvd": "boulevard", "prof": "professor", "dr": "doctor", "appt": "appointment",
    "bday": "birthday", "mgr": "manager", "govt": "government", "intl": "international", "veggie": "vegetarian",
    "fridge": "refrigerator", "bike": "bicycle", "yr": "year", "yrs": "year", "wk": "week", "wks": "week",
    "tues": "tuesday", "weds": "wednesday", "thur": "thursday", "thurs": "thursday", "mth": "month", "mths": "month",
    "approx": "approximately", "asst": "assistant", "tv": "television", "telly": "television", "phd": "doctorate",
    "photo": "photograph", "vet": "veterinarian", "gran": "grandmother", "grandma": "grandmother",
    "grandpa": "grandfather", "mum": "mother", "mom": "mother", "dad": "father", "maths": "mathematics",
    "math": "mathematics", "chem": "chemistry", "bio": "biology", "sci": "science", "psych": "psychology",
    "kid": "children", "kids": "children", "child": "children",
    "favorite": "favourite", "color": "colour", "gray": "grey",
}  # fmt: skip
"""Words that people shorten, and what each is short for."""
SHORT_WEEKDAYS = {
    "Mon": "monday",
    "Tue": "tuesday",
    "Wed": "wednesday",
    "Thu": "thursday",
    "Fri": "friday",
}
"""Only with a capital: "wed" is a word, and so is "Sun"."""
