"""Values that a sentence states: dates, codes, amounts and names, found by their shape."""

import re
from collections.abc import Iterator, Set

from memviz.core.text.vocabulary import DATE_WORDS, MONTHS, STOP_WORDS, words
from memviz.metrics.retention.label_words import NATIONALITIES, Value

_MONTH = (
    "(?:"
    + "|".join(
        sorted(
            (month.capitalize() for month in MONTHS | {"march", "may"}),
            key=len,
            reverse=True,
        )
    )
    + ")"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"""
    (?<!\w){_DAY}(?:\ of|\.)?\ {_MONTH}(?!\w)(?:,?\ \d{{4}}(?!\w))?
  | (?<!\w){_MONTH}\ {_DAY}(?!\w)(?:,?\ \d{{4}}(?!\w))?
  | (?<![\w-])\d{{4}}-\d\d-\d\d(?![\w-])
  | (?<!\d)(?:\d{{4}}年)?\d{{1,2}}月\d{{1,2}}[日号]
  | (?:[一二三四五六七八九〇零]{{4}}年)?十?[一二三四五六七八九十]月(?:[初廿]|[二三]?十)?[一二三四五六七八九十][日号]
  | (?<![\d:.])\d{{1,2}}:\d\d(?![\d:])
"""
_CODE = r"""
    [A-Za-z0-9.+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+
  | (?<![A-Za-z0-9_@/.-])(?=[A-Za-z0-9_-]*\d)(?=[A-Za-z0-9_-]*(?:[A-Z]|[a-z]_))
    [A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*(?![A-Za-z0-9_@/-])
"""
_CURRENCY = r"(?:[Ee]uros?|€|EUR|[Ff]rancs?|Franken|CHF|dollars?|pesos?|couronnes|kr)(?![A-Za-z])"
_NOT_INSIDE = r"(?<![A-Za-z0-9_.,:/第-])(?<!第\ )"
"""Not the end of a longer word, nor the 12 of "第 12 条", which numbers a rule and counts nothing."""
_AMOUNT = (
    rf"{_NOT_INSIDE}\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?"
    rf"|{_NOT_INSIDE}\d{{1,3}}(?:[.\ \u00a0\u202f]\d{{3}})+(?:,\d\d)?(?=[\ \u00a0\u202f]?{_CURRENCY})"
    rf"|{_NOT_INSIDE}\d+(?:\.\d+)?"
)
_HAN_AMOUNT = r"[一二两三四五六七八九十百千万亿][零一二两三四五六七八九十百千万亿半]*"
_UNIT = r"""
    [ \u00a0\u202f]?(?:%|percent|[Ee]uros?|Franken|Prozent|Gästen?|Personen|Leuten?|Schülern?|Kindern?
        |Teilnehmern?|Stunden|Minuten|Tagen?|Nächten?|Wochen|Monaten?|Jahren?|Grad|personnes|invités
        |dollars?|pounds?|cents?|degrees|hours?|minutes?|seconds?|days?|nights?|weeks?|months?|years?
        |points?|kilos?|grams?|miles?|kilomet\w+|centimet\w+|met(?:er|re)s?|lit(?:er|re)s?|people|guests|pages|volts?
        |watts?|[kKMG]B|[kcm]?m|kg|mg|ml|kW|ms|EUR|USD|GBP|CHF|€)(?![A-Za-z0-9])
  | (?:万元|亿元|[欧日]元|美元|英镑|元|块钱|万|平方米|千瓦|公斤|厘米|公里|小时|分钟|个月
      |[块斤克册组天年岁人位米度斗层张]|%)
"""
_HAN_UNIT = "(?:万元|亿元|欧元|美元|英镑|日元|元|块|平方米|公斤|公里|小时|分钟|个月|[斤克天岁位])"
_VALUE = re.compile(
    rf"(?P<date>{_DATE})|(?P<code>{_CODE})"
    rf"|(?P<amount>(?:(?:{_AMOUNT})(?![\d/:-]|[.,]\d)|{_HAN_AMOUNT}(?={_HAN_UNIT}))(?P<unit>{_UNIT})?)",
    re.VERBOSE,
)
_MAY_HAVE_VALUE = re.compile(r"[\d@一二两三四五六七八九十百千万亿]")
_CAPITAL = r"[A-Z\u00c0-\u00de]"
_AFTER_CAPITAL = r"(?:['’][A-Z]|[a-z]{1,2}[A-Z])?[a-z\u00df-\u00ff]+(?:[A-Z][a-z]+)*(?:-[A-Z][a-z]+)*"
# "Marta", "O'Neil & Sons", "Leonardo da Vinci". It begins with the capital letter, which is
# searched for faster than what must not stand before it.
_NAME = re.compile(
    rf"{_CAPITAL}(?<![\w'’-].){_AFTER_CAPITAL}"
    rf"(?:(?:['’]s)? (?:(?:d[aeou]s?|del|di|la|le|van|von|der|of|of the|&) )?{_CAPITAL}{_AFTER_CAPITAL})*(?![\w/-])"
)
_RANGE = re.compile(r"(?:\d ?(?:to|or|[-–~至到])|between) ?$")
_RANGE_GOES_ON = re.compile(r" ?(?:to|or|[-–~至到]) ?\d")
_STATING = re.compile(
    r"(?:[$€£¥]|\b(?:i|he|she|we|they)['’](?:m|s|re)|\b(?:sind|haben|zahlen|rechnen mit|liegt bei|Platz für"
    r"|serons|est de|coûte|sommes|is|are|was|were|am|costs?|pays?|paid|spend|spent|earns?|weighs?|measures?|lasts?"
    r"|takes?|holds?|have|has|owe|budget|rent|price|salary|fee|deposit|discount|limit|requires?|need|room|route|number|size|kostet|beträgt"
    r"|ist)\b(?: (?:now|about|around|at|most|least|exactly|only|just|up|to|almost|nearly|over|under|roughly|still|an?"
    r"|the|of|all|already))*) ?[$€£¥]?$"
    r"|(?:是|为|有|共|要|花了?|付了?|约|大概|大约|定在|改成|涨到|降到|到|[价租薪金费额算例率期积款限月年晚斤])$",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"^[\d., \u00a0\u202f]+(?:[Ee]uros?|Franken|dollars?|pounds?|cents?|[GMT]B|EUR|USD|GBP|CHF)\b"
    r"|^[\d.,]+ ?€|^[^\s，。]*(?:元|块)"
)
_VERB = re.compile(
    r"(?:\b(?:i|we|he|she)['’](?:m|s|re)|\b(?:is|are|was|were|am|costs?|pay|paid|weighs?|liegt bei|kostet|beträgt|ist"
    r"|sind|est|est de|coûte|sommes))(?: (?:now|about|around|at|almost))? ?[$€£¥]?$",
    re.IGNORECASE,
)
_DEFINES = re.compile(
    r"^(?:The|Your|Our) (?!difference|sum|mean|average|result|rest)[^,;:.]{3,70} (?:is|are)"
    r"(?: now| on| scheduled for| confirmed for| at)*"
    r"(?: (?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?)? ?$"
)
_LEAST_DIGITS = 3
"""A number with fewer digits means something only together with its unit."""
_CODE_CHARS = 5
_ENUMERATED = re.compile(r"(?<!\w)\w\)$")
"""An entry of a list begins: "1) Specify the line"."""
_NO_NAMES = (
    STOP_WORDS
    | DATE_WORDS
    | {"march", "may", "dr", "mr", "mrs", "ms", "prof"}
    | words(NATIONALITIES)
)


def has_verb(before: str) -> bool:
    """Return whether a verb stands right before a value, so that the text is a sentence and no entry of a list."""
    return _VERB.search(before) is not None


def is_stated(value: Value, sentence: str, of_user: bool) -> bool:
    """Return whether a sentence with this value states a fact.

    Of a user, dates, codes, money and definitions ("it weighs 3 kg") count. An assistant says many numbers, so of it
    only definitions with a unit count, such as "The deposit for the hub is 40 euros".
    """
    before = sentence[: value.start]
    text = sentence[value.start : value.stop]
    if value.category == "name":
        return of_user
    is_other_fact = value.category == "single fact"
    if not of_user:
        with_unit = text + sentence[value.stop :][:8]
        has_unit = is_other_fact or _MONEY.search(with_unit) is not None
        return has_unit and _DEFINES.search(before) is not None
    if is_other_fact or _MONEY.search(sentence[value.start :]):
        return True
    is_decimal = "." in text and text[-1].isdigit()
    return not is_decimal and _STATING.search(before) is not None


def find_values(sentence: str, names: Set[str]) -> list[Value]:
    """Return the values of ``sentence`` in order, without overlaps.

    Names are words of ``names``, and several capitalised words in a row in the middle of a sentence.
    """
    found: list[Value] = []
    if _MAY_HAVE_VALUE.search(sentence):
        read = [_make_value(match, sentence) for match in _VALUE.finditer(sentence)]
        found = [value for value in read if value is not None]
    taken = {at for value in found for at in range(value.start, value.stop)}
    for match in _NAME.finditer(sentence):
        is_free = taken.isdisjoint(range(*match.span()))
        if is_free and _is_name(match, sentence, names):
            found.append(Value("name", *match.span(), 2.0))
    return sorted(found, key=lambda value: value.start)


def find_names(sentences: list[str], lower_case: Set[str]) -> set[str]:
    """Return the words that are capitalised inside a sentence and never written with a small letter."""
    found: set[str] = set()
    for text in sentences:
        for match in _NAME.finditer(text):
            found.update(_find_inside(match, text))
    no_names = lower_case | _NO_NAMES
    return {word for word in found if word.lower() not in no_names}


def _is_name(match: re.Match[str], sentence: str, names: Set[str]) -> bool:
    words = {word for word in match.group().split() if word[0].isupper()}
    if words <= names:
        return True
    if len(words) < 2 or words != set(_find_inside(match, sentence)):
        return False
    return _NO_NAMES.isdisjoint(word.lower() for word in words)


def _find_inside(match: re.Match[str], sentence: str) -> Iterator[str]:
    """Yield the words of a match, without the first one if it may be capitalised because a sentence begins with it."""
    before = sentence[: match.start()].rstrip(" \"'“\u2018(*_")
    begins = not before or before[-1] in ".:!?–—•-…\n|"
    begins = begins or _ENUMERATED.search(before) is not None
    words = [word for word in match.group().split() if word[0].isupper()]
    yield from words[begins:]


def _make_value(match: re.Match[str], sentence: str) -> Value | None:
    text = match.group()
    start, stop = match.span()
    if match["date"]:
        return Value("single fact", start, stop, 2.0)
    if match["code"]:
        is_telling = len(text) >= _CODE_CHARS
        return Value("single fact", start, stop, 4.0) if is_telling else None
    # A part of a range is an estimate.
    if _RANGE.search(sentence[:start]) or _RANGE_GOES_ON.match(sentence, stop):
        return None
    unit = match["unit"] or ""
    number = text.removesuffix(unit)
    # Numbers below 1 are probabilities, or steps of a calculation.
    if number.startswith("0.") and not unit:
        return None
    is_long = sum(map(str.isdigit, number)) >= _LEAST_DIGITS
    if is_long and not unit.startswith(("万", "亿", "%")):
        return Value("number", start, start + len(number), 3.0)
    if unit and len(number) > 1:
        return Value("number", start, stop, 2.5)
    return None
