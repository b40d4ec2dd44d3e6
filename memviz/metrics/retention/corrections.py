"""Values that a speaker takes back in the next breath: "Table for 4. Actually, make it 6", 周四……算了，还是周六.

Only a value of the same kind is taken back: a time by a time, a weekday by a weekday. So "Table for 4 on Friday.
Actually, make it Saturday" leaves the 4 as it is.
"""

import re
from collections.abc import Iterator

_I = re.IGNORECASE
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
)
_COUNT = (
    "two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
)
_HAN = "[一二两三四五六七八九十百千万]"
_WHOLE = r"(?:\d+(?:[.,]\d+)*)"
VALUE_KINDS = (
    # a time of day
    re.compile(
        rf"\b\d{{1,2}}:\d\d(?: ?[ap]\.?m\b)?|\b\d{{1,2}} ?[ap]\.?m\b|\b(?:noon|midnight)\b"
        rf"|(?:[上下]午|早上|晚上|中午)?(?:\d{{1,2}}|{_HAN}{{1,3}})点(?:半|[一三]刻|(?:\d{{1,2}}|{_HAN}{{1,3}})分?)?",
        _I,
    ),
    # a weekday
    re.compile(
        r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:today|tomorrow)\b"
        r"|(?:周|星期|礼拜)[一二三四五六日天末]|[今明后]天",
        _I,
    ),
    # a day of a month
    re.compile(
        rf"\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b|\b\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}\b"
        rf"|\b\d{{4}}-\d\d-\d\d\b|(?:\d{{1,2}}|{_HAN}{{1,2}})月(?:(?:\d{{1,2}}|{_HAN}{{1,3}})[日号])?",
        _I,
    ),
    # money
    re.compile(
        rf"[€$£¥] ?{_WHOLE}k?\b|\b{_WHOLE}k? ?(?:euros?|dollars?|pounds?|bucks|eur|usd|gbp)\b"
        rf"|(?:{_WHOLE}|{_HAN}+)(?:元|块)",
        _I,
    ),
    # a share
    re.compile(rf"\b{_WHOLE} ?(?:%|percent\b|per cent\b)", _I),
    # a count or a measure
    re.compile(
        rf"(?<![A-Za-z0-9_.,:$€£¥-]){_WHOLE}(?![A-Za-z0-9_:.,%-]*\d)|\b(?:{_COUNT})\b(?! of\b)"
        rf"|{_HAN}+(?=[个位人张条只台件间次斤米天])",
        _I,
    ),
    # a name
    re.compile(r"(?<!^)(?<![.!?] )\b[A-Z][^\W\d_]{2,}(?:[ -][A-Z][^\W\d_]+)*"),
)
"""Kinds of values, the narrowest first."""
_SMALL = (
    r"(?:[\s,:，：–—-]+|(?:it|that|this|there|we|they|i|he|she)(?:['’](?:s|re|ll|m)| is| are| will be| was| were)?\b"
    r"|(?:for|at|on|to|is|be|in|the|about|let['’]s (?:do|say|go with)|make (?:it|that))\b|还是|是|到|成|为|在)"
)
_TAKES_BACK = re.compile(
    r"(?:(?<=[.!?,…–—-] )|(?<=[….?!。！？，,\n])|(?<=^))(?:(?:oh|no|wait|sorry|hmm|uh|oops"
    r"|hold on|ah|and|but|please|哦|噢|啊|呃|等等"
    r"|等一下|抱歉)[,!. ，]*){0,3}"
    r"(?:(?P<plainly>scratch that|strike that|correction|on second thoughts?"
    r"|let['’]s make (?:it|that)|make (?:it|that)"
    r"|change (?:it|that) to|i meant?\b|不对|算了|更正|说错了|我是说|改成|改为|改到|换成)"
    r"|actually|sorry|no wait|其实|应该是|还是)"
    rf"{_SMALL}{{0,6}}",
    _I,
)
CUES = (
    "scratch that",
    "strike that",
    "correction",
    "second thought",
    "make it",
    "make that",
    "change it to",
    "change that to",
    "i mean",
    "actually",
    "sorry",
    "no wait",
    "不对",
    "算了",
    "更正",
    "说错了",
    "我是说",
    "改成",
    "改为",
    "改到",
    "换成",
    "其实",
    "应该是",
    "还是",
)
"""One of these has to stand in a text that takes something back."""
_REACH_CHARS = 160
_GOES_ON = re.compile(r" (?:[a-z]+ )?of\b|[也都是]", _I)
# "Is it Tuesday? No,", "是周二吗？不是，"
_ANSWERED_NO = re.compile(
    r"(?P<asked>[^.!?。！？\n]+[?？])\s*(?:(?:no|nope|nah)(?=[,.!;]|$)|(?:不是?|没有?)(?=[，,。.！!]|$))",
    _I,
)
# "No, it is Friday", "不是，"
_BEGINS_WITH_NO = re.compile(
    r"\s*(?:(?:no|nope|nah)(?=[,.!;]|$)|(?:不是?|没有?)(?=[，,。.！!]|$))", _I
)


def find_taken_back(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values stand that the same text takes back and replaces by another one of their kind."""
    for cue in _TAKES_BACK.finditer(text):
        begin = max(0, cue.start() - _REACH_CHARS)
        for kind in VALUE_KINDS:
            new = kind.match(text, cue.end())
            if new is None:
                continue
            # "Actually 2 of us are vegetarian", 其实周四也行: this goes on, and replaces nothing.
            if not cue["plainly"] and _GOES_ON.match(text, new.end()):
                break
            is_name = kind is VALUE_KINDS[-1]
            # "Actually, Porto is nice" takes nothing back; "make it Porto" does.
            if is_name and not cue["plainly"]:
                break
            older = list(kind.finditer(text, begin, cue.start()))
            if older and older[-1].group().lower() != new.group().lower():
                yield older[-1].span()
            break


DISPUTING = (" but ", "其实", "实际", "，但", "，可")
_DISPUTED = re.compile(
    r"(?:\b(?:thinks?|thought|believe[sd]?|says?|said|heard|claim(?:s|ed)|guess(?:es|ed)?"
    r"|assume[sd]?)\b|[说以听][为说]?)"
    r"(?P<said>[^.;!?。；！？]{1,80}?)"
    # The other clause speaks of the same: "but we should arrive by 6 pm" disputes nothing.
    r"(?:,? but(?= (?:it|that|this|they|he|she|actually|in fact|really|the \w+)\b)"
    r"|[，,](?:但|可)?(?:是|其实|实际|它|那|这)+)(?P<real>[^;!?。；！？]{1,80})",
    _I,
)


def find_disputed(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the values stand that somebody only said: "My friend thinks it costs $450, but the shop charges
    $520"."""
    for match in _DISPUTED.finditer(text):
        for kind in VALUE_KINDS[:-1]:
            said = kind.search(text, *match.span("said"))
            real = kind.search(text, *match.span("real"))
            if said and real:
                if said.group().lower() != real.group().lower():
                    yield said.span()
                break


def find_answered_with_no(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the questions stand that are answered with a no: "Is he allergic to nuts? No, his cousin is"."""
    return (match.span("asked") for match in _ANSWERED_NO.finditer(text))


def refers_back(sentence: str, before: str) -> bool:
    """Return whether a sentence begins by taking back what the one ``before`` it says, so that both are read as one."""
    if before.rstrip().endswith(("?", "？")) and _BEGINS_WITH_NO.match(sentence):
        return True
    begin = len(sentence) - len(sentence.lstrip(" .…\n"))
    match = _TAKES_BACK.match(sentence[begin:])
    return match is not None and any(
        kind.match(sentence, begin + match.end()) for kind in VALUE_KINDS
    )
