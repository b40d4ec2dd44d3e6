"""Counts with what is counted, measures, money, times of day and days as people name them in passing."""

import re

from memviz.metrics.retention.label_words import COUNT, DAY, MONEY, TIME, kind

_NUMBER_WORDS = (
    "(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen"
    "|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|zwei|drei|vier|fünf|sechs|sieben|acht|neun"
    "|zehn|zwölf)(?:[- ](?:one|two|three|four|five|six|seven|eight|nine|hundred))?"
)
_NUMBER_TRIGGERS = (
    "two three four five six seven eight nine ten eleven twelve thirteen fourteen"
    " fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty"
    " seventy eighty ninety hundred zwei drei vier fünf sechs sieben acht neun zehn"
    " zwölf"
)
"""Words that announce one of the number words."""
_DIGITS = r"\d{1,3}(?:[,.]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?"
_NUMBER = rf"(?:{_DIGITS}|{_NUMBER_WORDS})"
_NOT_INSIDE = r"(?<![\w.,:/@#-])(?<! or )"
_LABELS = (
    r"number no\. nr\. nr room rule step option item chapter section article paragraph gate platform flight phase"
    r" version apartment building floor"
)
_NOT_A_LABEL = "".join(rf"(?<!\b{word} )" for word in _LABELS.split())
"""Not the 4 of "room 4 costs 90 euros", which numbers the room and counts nothing."""
_NOT_SAID_BEFORE = r"(?<!\bthese )(?<!\bthose )"
"""Not "these nine delays", which were counted before."""
_NOTHING_COUNTED = (
    "(?!(?:things?|rules?|ways?|times|ideas?|questions?|examples?|sentences?|lines?|bullets?|paragraphs?|others?|more|or|to|and"
    "|of|is|are|was|were|has|as|this|does|less|plus|minus|percent|per|its|his|hers|ours|yours|reasons?|suggestions?"
    r"|hundreds|thousands|us|costs|keeps|seems|looks|takes|makes|comes|goes|works|writes|gets|means|needs|wants|always|versus|perhaps|besides|unless|thus|yes|across|afterwards)\b)"
)
_PLURAL = (
    rf"{_NOTHING_COUNTED}(?:[a-z][\w'’-]+(?<!['’])s|people|persons?|children|men|women|feet|teeth|mice|sheep|fish|staff|kids"
    "|kilo|pax|crew|Personen|Leuten?|Gästen?|Kindern?|Zimmer|Stück|Karten|Tagen?)"
)
_UNIT = (
    r"(?:kg|g|mg|µg|mcg|ml|cl|l|cm|mm|m|km|m²|sqm|sq ?m|sq ?ft|ft|in|inch(?:es)?|lbs?|oz|gb|mb|tb|kb|gib|mib|ms|sec"
    r"|mins?|min|h|hrs?|hr|kw|kwh|mah|mph|km/h|fps|px|ghz|mhz|mbit|gbit|mbps|gbps|ppm|psi|bar|dpi|rpm|qps|rps|k|%|°c|°f|°|degrees|percent"
    r"|per ?cent|metre|meter|mile|hour|minute|day|week|month|year|night|bedroom|room|seat|page|person|man|woman|storey"
    r"|story|floor|course|part|piece|litre|liter|inch|foot|watt|volt|amp)"
)
_FROM_ONE = r"(?:an? (?:hour|week|month|year|dozen)(?: and a half)?|half an hour|half a day|a fortnight)"
_BEFORE_TIME = (
    r"\b(?:at|by|before|after|until|till|around|from|past|than|opens?|closes?|starts?|ends?|leaves?|arrives?|landing"
    r"|begins?|doors) (?:(?:at|about|around|exactly|latest) )?"
)
_HOUR_WORD = "(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_BEHIND_TIME = (
    r"(?=[.,;!)]|$| (?:on|in|and|or|because|sharp|until|each|every|at|this|today|tomorrow|so|but|when|latest"
    r"|o['’]clock|for"
    r"|since|with|if|as)\b)"
)
_WEEKDAY = (
    r"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?(?: (?:the )?\d{1,2}(?:st|nd|rd|th))?"
    r"(?: (?:morning|afternoon|evening|night|lunch)s?)?)"
)
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|apr|jun|jul|aug"
    r"|sept?|oct|nov|dec)"
)
_FEAST = (
    r"(?:christmas(?: eve)?|easter|new year['’]?s?(?: eve)?"
    r"|halloween|thanksgiving|ramadan|diwali|pentecost|whitsun)"
)
_NO_NUMBER = re.compile(r"0|1|100 ?%|(?:19|20)\d\d")


def _is_number(value: str) -> bool:
    return _NO_NUMBER.fullmatch(value) is None


COUNTS = (
    kind(
        triggers="0",
        pattern=(
            rf"{_NOT_INSIDE}(?P<value>(?:[$€£¥] ?)?(?:{_DIGITS})k? ?(?:to|-|–|~) ?(?:[$€£¥] ?)?(?:{_DIGITS})k?"
            rf"(?: (?:{_UNIT})s?\b)?)(?![\w%°:/@+*=-]|[.,]\d| ?[=×*+])"
        ),
        weight=COUNT,
        category="number",
        examples=("It takes 20 to 30 minutes. -> 20 to 30 minutes",),
    ),
    kind(
        triggers="0 $ € £",
        pattern=(
            r"[$€£¥] ?(?P<value>\d[\d,.]*\d(?: ?(?:k|m|million|thousand)\b)?|\d ?[km]\b"
            r"|\d\b)"
        ),
        weight=MONEY,
        category="number",
        examples=("It costs $1,200. -> 1,200",),
    ),
    kind(
        triggers="0",
        pattern=(
            rf"{_NOT_INSIDE}(?P<value>(?:{_DIGITS})(?: ?(?:k|million|thousand))?) ?"
            r"(?:€|£|\$|euros?|eur|pounds?|dollars?|usd|gbp|chf|francs?|bucks|quid|cents?|pence|yuan|rmb|yen|kroner)(?!\w)"
        ),
        weight=MONEY,
        category="number",
        examples=("It costs 45 euros. -> 45",),
    ),
    kind(
        triggers="0",
        pattern=(
            rf"{_NOT_INSIDE}(?P<value>\d+(?:[.,]\d+)? ?(?:x|by|×) ?\d+(?:[.,]\d+)?(?: ?(?:x|by|×) ?\d+)?"
            rf"(?: ?(?:{_UNIT})s?\b)?)(?!\w)"
        ),
        weight=COUNT,
        category="number",
        examples=("The table is 90 x 60 cm. -> 90 x 60 cm",),
    ),
    kind(
        triggers="0",
        pattern=rf"{_NOT_INSIDE}{_NOT_A_LABEL}(?P<value>\d+(?:[.,]\d+)?[- ]?{_UNIT})(?![\w/]| ?\d)",
        weight=COUNT,
        category="number",
        examples=("The bag weighs 12 kg. -> 12 kg",),
    ),
    kind(
        triggers=f"0 {_NUMBER_TRIGGERS}",
        pattern=(
            rf"{_NOT_INSIDE}{_NOT_A_LABEL}{_NOT_SAID_BEFORE}\b(?P<value>{_NUMBER}(?:[- ]"
            r"(?!(?:of|or|to|and|in|on|at|for|is|are|was|if|so|but|with"
            r"|from|by|as|it|because|that|which"
            rf"|he|she|they|we|i|you|percent)\b)[a-z][\w'’-]*){{0,2}}?[- ]{_PLURAL})(?![\w-])"
        ),
        weight=COUNT,
        category="number",
        examples=(
            "We have three cats. -> three cats",
            "Wir haben zwölf Karten. -> zwölf Karten",
        ),
    ),
    kind(
        triggers=_NUMBER_TRIGGERS,
        pattern=rf"\b(?P<value>{_NUMBER_WORDS}[- ]{_UNIT})(?!\w)",
        weight=COUNT,
        category="number",
        examples=(
            "A two-bedroom flat. -> two-bedroom",
            "A thirteen storey tower. -> thirteen storey",
            "Noch zwei kg Mehl. -> zwei kg",
        ),
    ),
    kind(
        triggers="party group table family room team class crowd batch tickets",
        pattern=(
            rf"\b(?:party|group|table|family|room|team|class|crowd|batch|tickets?) (?:of|for) (?P<value>{_NUMBER})"
            r"(?![\w-])"
        ),
        weight=COUNT,
        category="number",
        hint="how many",
        examples=(
            "A table for six. -> six",
            "Buy tickets for nine. -> nine",
        ),
    ),
    kind(
        triggers="us",
        pattern=rf"\b(?P<value>{_NUMBER}) of us\b",
        weight=COUNT,
        category="number",
        hint="how many",
        examples=("Six of us will come. -> Six",),
    ),
    kind(
        triggers="an a half",
        pattern=(
            rf"\b(?:takes?|lasts?|is|needs?|only|for|least|most|within|every|about|than) (?:about |around )?"
            rf"(?P<value>{_FROM_ONE})(?!\w)"
        ),
        weight=COUNT,
        category="number",
        examples=("It takes half an hour. -> half an hour",),
    ),
    kind(
        triggers="once twice times",
        pattern=(
            r"\b(?P<value>(?:once|twice|(?:three|four|five|\d+) times) (?:a|per|every|each)"
            r" (?:day|week|month|year|night|hour))\b"
        ),
        weight=COUNT,
        category="number",
        examples=("Water it twice a week. -> twice a week",),
    ),
    kind(
        triggers="every",
        pattern=(
            rf"\b(?P<value>every (?:(?:second|other|third|fourth|{_NUMBER}) (?!or\b)\w+"
            r"|(?:hour|morning|evening|night|month|week|quarter)))\b"
        ),
        weight=COUNT,
        examples=("We meet every other Friday. -> every other Friday",),
    ),
    kind(
        triggers="0 first second third fourth fifth sixth seventh ground top",
        pattern=r"\b(?P<value>(?:ground|top|first|second|third|fourth|fifth|sixth|seventh|\d+(?:st|nd|rd|th)) floor)\b",
        weight=COUNT,
        examples=(
            "I live on the third floor. -> third floor",
            "I live on the sixth floor. -> sixth floor",
            "I live on the seventh floor. -> seventh floor",
        ),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\b(?P<value>(?:chapter|page|floor|level|table|row|seat|line|exit|aisle|slot|locker|desk|pier"
            r"|dock|bus|tram"
            r"|route|highway|form|act|scene|verse|volume|issue|episode|season|box|bin|shelf|pitch|court|studio|hangar|channel"
            r"|building|block|apartment|apt|unit|suite|cabin|extension|ext\.?|stage|round|grade|year)"
            r" \d+[A-Za-z]?)(?![\w%]|[.,:]\d)"
        ),
        weight=COUNT,
        examples=("I parked in bay, row 12. -> row 12",),
    ),
)
"""Only a user's are facts by themselves: an assistant reckons and recommends with numbers."""
CLOCK = (
    kind(
        triggers="0",
        pattern=r"(?<![\w.,:])(?P<value>\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m)(?!\w)",
        weight=TIME,
        examples=("It opens at 7:30 pm. -> 7:30 pm",),
    ),
    kind(
        triggers="0",
        pattern=r"(?<![\w.,:])(?P<value>(?:[01]?\d|2[0-3]):[0-5]\d)(?![\w:])",
        weight=TIME,
        examples=("It opens at 19:30. -> 19:30",),
    ),
    kind(
        triggers="half quarter ten five twenty",
        pattern=(
            r"\b(?P<value>(?:half|quarter|ten|five|twenty)[- ](?:past|to)"
            rf" {_HOUR_WORD})\b"
        ),
        weight=TIME,
        examples=(
            "We meet at half past two. -> half past two",
            "We meet at ten to six. -> ten to six",
            "We meet at twenty past six. -> twenty past six",
        ),
    ),
    kind(
        triggers="0",
        pattern=rf"{_BEFORE_TIME}(?P<value>(?:1\d|2[0-4]|\d)(?: o['’]clock)?){_BEHIND_TIME}",
        weight=TIME,
        examples=("We leave at 7 sharp. -> 7",),
    ),
    kind(
        triggers="one two three four five six seven eight nine ten eleven twelve",
        pattern=(
            rf"{_BEFORE_TIME}(?P<value>{_HOUR_WORD}(?:[- ](?:fifteen|twenty|thirty|forty[- ]five))?(?:"
            rf" o['’]clock)?){_BEHIND_TIME}"
        ),
        weight=TIME,
        examples=("We leave at seven thirty. -> seven thirty",),
    ),
    kind(
        triggers="noon midnight dawn sunrise sunset breakfast lunch dinner",
        pattern=(
            r"\b(?P<value>(?:before|after|at|by|until) (?:noon|midnight"
            r"|dawn|sunrise|sunset"
            r"|breakfast|lunch|dinner))\b"
        ),
        weight=TIME,
        examples=("Come before lunch. -> before lunch",),
    ),
    kind(
        triggers="monday tuesday wednesday thursday friday saturday sunday",
        pattern=rf"\b(?P<value>{_WEEKDAY})\b",
        weight=DAY,
        examples=("Come on Tuesday morning. -> Tuesday morning",),
    ),
    kind(
        triggers="0",
        pattern=rf"(?<!\w)(?P<value>{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?(?:,? (?:19|20)\d\d)?)(?![\w:]|\.\d)",
        weight=DAY,
        examples=("Due on March 14th, 2026. -> March 14th, 2026",),
    ),
    kind(
        triggers="0",
        pattern=rf"(?<![\w.,])(?P<value>\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? (?:19|20)\d\d)?)(?!\w)",
        weight=DAY,
        examples=("Due on 14 March. -> 14 March",),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\bthe (?P<value>\d{1,2}(?:st|nd|rd|th)(?: of (?:the|this|next|each|every) month)?)(?=[.,;!?)]|$"
            r"| (?:of|at|in|and|if|so|but"
            r"|for|to|with|is|because)\b)"
        ),
        weight=DAY,
        examples=("We meet on the 17th. -> 17th",),
    ),
    kind(
        triggers="0",
        pattern=r"(?<![\w.,/-])(?P<value>\d{1,2}[./]\d{1,2}[./](?:19|20)?\d\d)(?!\w)",
        weight=DAY,
        examples=("Due on 14.3.2026. -> 14.3.2026",),
    ),
    kind(
        triggers="january february march april may june july august september october"
        " november december jan feb apr jun jul aug sep oct nov dec",
        pattern=(
            r"\b(?:in|until|by|since|from|for|before|after|early|late|mid-?|next|this|end of|of|is) "
            rf"(?P<value>(?=(?-i:[A-Z])){_MONTH}(?: (?:19|20)\d\d)?)(?!\w)(?! \d)"
        ),
        weight=DAY,
        examples=("We move in October. -> October",),
    ),
    kind(
        triggers="0",
        pattern=(
            r"\b(?:in|since|from|until|of|by|around|about|built|born|year) (?P<value>(?:1[6-9]|20)\d\d)"
            r"(?![\w%]|[.,]\d|-)"
        ),
        weight=DAY,
        examples=("It was built in 1934. -> 1934",),
    ),
    kind(
        triggers="christmas easter new halloween thanksgiving ramadan diwali pentecost"
        " whitsun",
        pattern=rf"\b(?P<value>{_FEAST})(?!\w)",
        weight=DAY,
        examples=("We come for Easter. -> Easter",),
    ),
    kind(
        triggers="0",
        pattern=r"\b(?P<value>Q[1-4](?: (?:19|20)\d\d)?)\b",
        weight=DAY,
        examples=("It ships in Q3 2026. -> Q3 2026",),
    ),
)
PLAIN_NUMBERS = (
    kind(
        triggers="0",
        pattern=(
            r"\b(?:turn(?:s|ed|ing)?|aged?|(?-i:[A-Z])\w+,|['’]m|am|is|she['’]s|he['’]s) (?P<value>\d{1,3})"
            r"(?=[.,;!)]|$| (?:and|years|in|on|this|next|now)\b)"
        ),
        weight=COUNT - 0.5,
        category="number",
        is_value=_is_number,
        examples=("My son turns 9. -> 9",),
    ),
    kind(
        triggers="0",
        pattern=rf"{_NOT_INSIDE}(?P<value>(?:{_DIGITS})(?:k\b)?)(?![\w%°:/@+*=-]|[.,]\d| ?[=×*+]| or \d)",
        weight=COUNT - 0.5,
        category="number",
        is_value=_is_number,
        examples=("There are 14 in total. -> 14",),
    ),
)
"""Numbers of which nothing says what they are but the words around them."""
