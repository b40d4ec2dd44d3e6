"""Words of a question that a statement says in other words: "went up" says "raised"."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from memviz.core.text.sentences import Sentence
from memviz.core.text.words import content_words


class _Meaning(NamedTuple):
    """The ``stems`` of a question that every sentence says which ``said`` is found in."""

    stems: frozenset[str]
    said: re.Pattern[str]


def _meaning(asked: str, said: str) -> _Meaning:
    return _Meaning(content_words(asked), re.compile(said, re.IGNORECASE))


_STREET = (
    r"\b\d{1,4}[a-z]? (?:\w+ ){1,3}(?:street|road|avenue|lane|court|square|drive|way|close|st|rd|ave)\b"
    r"|\w+(?:straße|strasse|gasse|allee|weg|platz) \d"
)
_UP = r"\b(?:w[eo]nt|gone|goes|going) up\b|\b(?:rais|increas|rose|risen|higher|grew)|erhöht|gestiegen|涨|增加|提高"
_DOWN = (
    r"\b(?:went|gone|goes|going|came|brought) down\b|\b(?:lower|reduc|decreas|drop|fell|cheaper)|gesenkt|gesunken"
    r"|降|减少"
)
_SAME = r"\b(?:stay|remain)(?:s|ed)? (?:the same|unchanged)\b|\bunchanged\b|gleich geblieben|没变"
"""Whether something rose is answered as well by a sentence that says it fell, or stayed as it was."""
_MEANINGS = (
    _meaning(
        "colour",
        r"\b(?:red|blue|green|yellow|black|white|gr[ae]y|brown|orange|purple|violet|pink|silver|gold|beige|turquoise)\b",
    ),
    _meaning(
        "raise raised increase increased rise risen grow grown higher erhöht gestiegen 提高 增加 上涨 涨价",
        rf"{_UP}|{_DOWN}|{_SAME}",
    ),
    _meaning(
        "lower lowered reduce reduced decrease decreased drop dropped fall fell fallen cut cheaper gesenkt gesunken"
        " 降低 减少 下降",
        rf"{_UP}|{_DOWN}|{_SAME}",
    ),
    _meaning(
        "cancel cancelled abgesagt 取消",
        r"\bcalled off\b|\bcancel|\bfell through\b|abgesagt|取消",
    ),
    _meaning(
        "postpone postponed move moved reschedule rescheduled shift shifted delay delayed verschoben 推迟",
        r"\bput off\b|\bpush(?:ed)? back\b|\b(?:postpon|moved|reschedul|shifted|delayed)|verschoben|推迟|改到|提前",
    ),
    _meaning(
        "change changed",
        r"\b(?:changed|moved|switched|instead|raised|lowered|now)\b|改成|改为|改到",
    ),
    _meaning(
        "leave depart departure abfahrt abreise 出发",
        r"\b(?:set(?:s|ting)? off|depart|fly out|head(?:ing)? off|leav)"
        r"|(?:fahren|reisen|fliegen)\b.*\b(?:los|ab)\b|出发|动身",
    ),
    _meaning(
        "arrive arrival", r"\b(?:arriv|get in\b|gets in\b|land(?:s|ing)?\b)|到达|抵达"
    ),
    _meaning("name namen 名字 名称", r"\b(?:called|named|name is)\b|\bheiß|叫"),
    _meaning(
        "deadline due",
        r"\b(?:due|deadline)\b|\bhand(?:ed)? in by\b|\bhas to be (?:done|ready) by\b|截止",
    ),
    _meaning("begin start", r"\b(?:begin|start|open)s?\b|开始|开门"),
    _meaning("open", r"\b(?:begin|start|open|close)[sd]?\b|开门|关门"),
    _meaning(
        "book booked reserve reserved", r"\b(?:book|reserv|decided|cancel)|预订|订了"
    ),
    _meaning("email mail 邮箱", r"[\w.+-]+@[\w-]+\.\w"),
    _meaning("address adresse 地址", rf"{_STREET}|住在|[路街]\S*号"),
    _meaning(
        "child children kids kinder 孩子",
        r"\b(?:sons?|daughters?|sohn|tochter|söhne|töchter)\b|儿子|女儿",
    ),
    _meaning(
        "family familie 家人",
        r"\b(?:wife|husband|sons?|daughters?|mother|father|mum|mom|dad|brothers?|sisters?|partner|frau|mann|sohn|tochter)\b"
        r"|[妻儿][子]|女儿|丈夫|先生|太太|[爸妈哥姐弟妹]",
    ),
    _meaning("finish end close", r"\b(?:finish|end|close)(?:s|es)?\b|结束|关门"),
    _meaning("travel trip journey", r"\b(?:trip|travel|journey)"),
    _meaning(
        "stay accommodation",
        r"\b(?:hotel|guesthouse|hostel|apartment|flat|house|booked|rented)\b",
    ),
)


def all_have_other_words(stems: frozenset[str]) -> bool:
    """Whether a statement may say all of ``stems`` in other words, and so share no word with the question."""
    return (
        bool(stems)
        and frozenset[str]().union(*(own for own, _ in _asked(stems))) == stems
    )


def implied(stems: frozenset[str], sentence: Sentence) -> frozenset[str]:
    """Those of the ``stems`` of a question that ``sentence`` says in other words, and not in one of theirs."""
    found = (
        own
        for own, said in _asked(stems)
        if own.isdisjoint(sentence.words) and said.search(sentence.text)
    )
    return frozenset[str]().union(*found)


@lru_cache(maxsize=256)  # the same question meets every sentence of a context
def _asked(stems: frozenset[str]) -> tuple[tuple[frozenset[str], re.Pattern[str]], ...]:
    return tuple(_of(stems))


def _of(stems: frozenset[str]) -> Iterator[tuple[frozenset[str], re.Pattern[str]]]:
    for meaning in _MEANINGS:
        if own := meaning.stems & stems:
            yield own, meaning.said
