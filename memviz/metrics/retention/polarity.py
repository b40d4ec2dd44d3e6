"""The parts of a text that affirm what they mention, and those that deny it or call it outdated.

Read clause by clause: in "She lives not in Lisbon but in Porto" Lisbon is denied and Porto is not, and in "They moved
from Lisbon to Porto" Lisbon is outdated. A negation reaches from its word to the end of its clause; one that denies
nothing ("not only", "no later than", "don't forget") does not count, and neither does a question.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from memviz.core.text.chunks import FoundInChunks
from memviz.core.text.letters import simplified
from memviz.metrics.retention import endings, update_cues
from memviz.metrics.retention.corrections import (
    CUES,
    DISPUTING,
    answered_with_no,
    disputed,
    refers_back,
    taken_back,
)

BORDER = " ʘʘ "
"""Stands where something was left out, so that no phrase reaches over it."""

_I = re.IGNORECASE
# "It costs 3.50 euros."
_SENTENCE = re.compile(
    r"[^.!?。！？\n;；]+(?:\.(?=\S)[^.!?。！？\n;；]*)*[.!?。！？\n;；]*"
)
_CHANGE = (
    r"(?:mov|switch|chang|updat|correct|reschedul|postpon|push|rais|lower|increas|reduc"
    r"|renam|relocat|transferr|upgrad"
    r"|downgrad|went|goes|going|revis|shift|extend|cut|dropp|bump|lift|climb|jump|swapp"
    r"|slid|sank|grew|rose|fell|adjust|amend|migrat|convert"
    r"|brought)\w*"
)
_WITHIN = r"(?:[^.;!?]|(?<=\d)\.(?=\d))"
"""A character of a sentence's part; the point of a number is one."""
_MONEY = "€$£¥元"
_CANCELLED = r"(?:cancell?ed|called off|scrapped|abgesagt|storniert|annul[ée]+\w*|cancelad[oa]s?)"
_OUTDATED = (
    # from X to Y, after a word of change
    re.compile(
        rf"\b{_CHANGE}\b{_WITHIN}{{0,80}}?\bfrom (?P<old>{_WITHIN}{{1,80}}?),? (?:to|into|onto|over to)\b",
        _I,
    ),
    re.compile(
        rf"\bfrom (?P<old>{_WITHIN}{{1,60}}?) to {_WITHIN}{{1,60}}? (?:was|were|has|have|is)? ?"
        r"(?:changed|moved)\b",
        _I,
    ),
    re.compile(
        r"\bchang(?:ed|es|ing) (?P<old>(?!from\b|to\b|(?:the|his|her|their|my"
        r"|our)\b)[^.,;!?]{1,60}?) (?:to|into)\b",
        _I,
    ),
    re.compile(
        r"\breplac(?:e|es|ed|ing) (?P<old>(?!by\b|with\b)[^.,;!?]{1,60}?) (?:with|by)\b",
        _I,
    ),
    re.compile(
        r"\b(?:instead of|rather than|in place of|no longer|not any ?more|not any longer|as opposed to)\b"
        r"(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$|[.,;:!?)(](?!\d)|\b(?:but|and|he|she|they"
        r"|it|we|the user|now|because"
        r"|since)\b)",
        _I,
    ),
    re.compile(
        r"\b(?:used to|formerly|previously)\b(?! (?:mentioned|said|stated|agreed|discussed|noted"
        r"|the \w+ing|it\b))"
        r"(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$|[.,;:!?)(](?!\d)|\b(?:but|and|now)\b)",
        _I,
    ),
    re.compile(
        rf"(?<!be )(?<!or )\b{_CANCELLED}\b(?! (?:free|until|up to|if|by))(?P<old>(?:[^.,;:!?()]"
        rf"|(?<=\d)[.,:](?=\d)){{1,80}}?)"
        r"(?=$|[.,;:!?()](?!\d)|\b(?:and|but|because|since|so)\b)",
        _I,
    ),
    # German, French, Spanish, Portuguese
    re.compile(
        r"\bvon (?P<old>[^.,;!?]{1,60}?) (?:nach|auf|zu|zum|zur) [^.;!?]{1,60}?"
        r"(?:gezogen|verschoben|geändert|gewechselt|erhöht|gesenkt|verlegt|umgestellt)",
        _I,
    ),
    re.compile(
        r"\b(?:zog|zieht|wechsel\w+|verschob\w*|änder\w+|erhöh\w+"
        r"|senk\w+) [^.;!?]{0,40}?von (?P<old>[^.,;!?]{1,60}?)"
        r" (?:nach|auf|zu|zum|zur)\b",
        _I,
    ),
    re.compile(
        r"\b(?:anstatt|statt|anstelle von|nicht mehr|au lieu de|en lugar de|en vez de|em vez de|ya no|já não)\b"
        r"(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$|[.,;:!?)(](?!\d)|\b(?:sondern|aber|und"
        r"|mais|et|sino|pero|mas|e)\b)",
        _I,
    ),
    re.compile(
        r"\b(?:déménag|chang|pass|mud|cambi|pas|alter)\w+ [^.;!?]{0,40}?\b(?:de|del|do"
        r"|da) (?P<old>[^.,;!?]{1,60}?)"
        r" (?:à|a|para|au|en|pour)\b",
        _I,
    ),
    re.compile(
        r"\bn(?:e |['’])\S+ plus (?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,80})", _I
    ),
    # Chinese
    re.compile(
        r"[从從由](?P<old>[^，。；！？,;]{1,30}?)(?:搬|改|换|換|变|變|调|調|移|转|轉|升|涨"
        r"|漲|降|提|推|延|挪|增|减|減|加到|缩|扩|跳槽|离职|離職|辞职|辭職|退)"
    ),
    re.compile(r"[把将將](?P<old>[^，。；！？,;]{1,30}?)(?:改|换|換|变|變)[成为為到]"),
    re.compile(
        r"(?:不再|再也不|已经不|已經不)(?P<old>[^，。；！？,;]{1,40}?)(?=$|[，。；！？,;]|而是|但|现在|現在)"
    ),
    re.compile(
        r"(?:原来|原來|以前|曾经|曾經)(?P<old>[住在是叫用有][^，。；！？,;]{1,40}?)(?=$|[，。；！？,;])"
    ),
)
_NO_DENIAL = (
    r"(?! (?:only|just|merely|simply|until|till|before|far from|bad|yet sure|sure|certain|to mention"
    r"|(?:any )?(?:more|less"
    r"|fewer|later|earlier|longer) than|doubt|problem|matter|worries|wonder|forget|hesitate|miss(?:es|ed)?|worry|mind"
    r"|later than|sooner than"
    r"|nur|allein|seulement|solo|só)\b)"
)
_DENIED = (
    re.compile(
        rf"\bno\b(?!\.| ?\d| ?[,!]|$){_NO_DENIAL}(?P<old>(?:[^.,;:!?()—–]"
        rf"|(?<=\d)[.,:](?=\d)){{1,60}}?)(?=$|[.,;:!?()—–](?!\d)"
        rf"|\b(?:for|on|at|by|before"
        r"|after|until|but|and|because|since|so|if|when|that|who|which|longer)\b)",
        _I,
    ),
    re.compile(
        rf"(?:\b(?:not|never|nor|neither|without|cannot)|n['’]t)\b{_NO_DENIAL}"
        r"(?P<old>(?:[^.,;:!?()—–]|(?<=\d)[.,:](?=\d)){1,100}?(?:,? (?:or|nor) (?:[^.,;:!?()—–]"
        r"|(?<=\d)[.,:](?=\d)){1,60}?)?)(?=$|[.,;:!?()—–](?!\d)"
        r"|\b(?:but|because|since|so|although|though|while|whereas|that|who|which|when|where|if|until|unless"
        r"|except|however"
        r"|instead|before|after|between)\b|\band (?:now |then |also )?(?:he|she|it|they|we|i|you|the|his|her"
        r"|their|my|our|is|are|was|has|have|will"
        r"|lives|works|wants|likes|prefers|needs|moved|\w{3,}ed)\b)",
        _I,
    ),
    re.compile(
        r"(?:^|[,;:] ?|\b(?:and|but) )(?P<old>(?:[^.,;:!?]|(?<=\d)[.,:](?=\d)){1,60}?) (?:is|was|are|were"
        r"|isn['’]t|wasn['’]t"
        r"|aren['’]t)(?: not| no longer)?"
        r"(?<=not|n['’]t|ger) (?:the|an?|his|her|their|my|our|your|correct|right|true|valid|current|up to date"
        r"|where|available"
        r"|an option|in force|needed|it)\b",
        _I,
    ),
    re.compile(
        rf"\b(?:nicht|kein(?:e[nmrs]?)?|nie|niemals)\b{_NO_DENIAL}(?P<old>(?:[^.,;:!?()]"
        rf"|(?<=\d)[.,:](?=\d)){{1,80}}?)(?=$"
        rf"|[.,;:!?()](?!\d)|\b(?:sondern|aber|weil|da|und)\b)",
        _I,
    ),
    re.compile(
        r"\bn(?:e |['’])\S+ (?:pas|jamais)\b(?P<old>(?:[^.,;:!?()]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$"
        r"|[.,;:!?()](?!\d)|\b(?:mais|car"
        r"|et)\b)",
        _I,
    ),
    re.compile(
        r"\b(?:não|nao|nunca|nem)\b(?P<old>(?:[^.,;:!?()]|(?<=\d)[.,:](?=\d)){1,80}?)(?=$"
        r"|[.,;:!?()](?!\d)|\b(?:mas|sino|pero|porque"
        r"|e|y)\b)",
        _I,
    ),
    re.compile(
        r"(?:(?<!不是)(?<!没有)(?<!不会)(?<!不能)(?<!无)不(?!(?:[是会能可]|得)[不没]"
        r"|[过過仅僅但只同错錯久断斷客止少超如管然论論必]|会忘|要忘|得不"
        r"|好意思|知道|用谢|早于|晚于|到)|(?<!不是)没有?(?!不|问题|关系|事|错|[跟和与给对向])"
        r"|沒有?(?![跟和與給對向])|并非|並非|别(?![人的墅])(?=[去买吃放用选订]))"
        r"(?P<old>[^，。；！？,;]{1,40}?)(?=$|[，。；！？,;]|而是|但)"
    ),
)
_OUTDATED_BEFORE = (
    re.compile(
        r" (?:was|were|has been|is|are|have been) (?:replaced|superseded)\b", _I
    ),
    # from one value to another, or from one word to another: "09:40→Porto" is a route, and "12:10→13:15" a journey
    re.compile(
        rf"(?:(?<=\d)(?<!:\d\d)|(?<=\d%)|(?<=\d [{_MONEY}])|(?<=\d[{_MONEY}])) ?(?:->|→|⇒) ?(?=[{_MONEY}]?\d)"
        r"|(?<=[^\W\d]) ?(?:->|→|⇒) ?(?=[^\W\d])"
    ),
    re.compile(
        rf" (?:was|were|is|are|been|got|has|ist|wurde|fue|foi|est) (?:\w+ )?{_CANCELLED}\b(?! (?:free|until|if))",
        _I,
    ),
    re.compile(
        r"(?<=[\d一二三四五六七八九十百千万点月日号元年])(?:改|换|換|变|變)(?:成|为|為|到)"
    ),
    re.compile(r"取消(?!政策|费|費)"),
)
"""What calls outdated what stands before it in its clause."""
_OUTDATED_BY = (
    ("from ",),
    ("from ",),
    ("chang",),
    ("replac",),
    ("instead of", "rather than", "in place of", "longer", "not any", "opposed"),
    ("used to", "formerly", "previously"),
    ("cancel", "called off", "scrapped", "abgesagt", "storniert", "annul"),
    ("von ",),
    ("von ",),
    (
        "statt",
        "anstelle",
        "nicht mehr",
        "au lieu",
        "lugar de",
        "vez de",
        "ya no",
        "já não",
    ),
    ("déménag", "chang", "pass", "mud", "cambi", "pas", "alter"),
    (" plus ",),
    ("从", "從", "由"),
    ("把", "将", "將"),
    ("不",),
    ("原来", "原來", "以前", "曾"),
)
_DENIED_BY = (
    ("no ",),
    ("not", "never", "nor", "neither", "without", "n't", "n’t"),
    ("not", "n't", "n’t", "longer"),
    ("nicht", "kein", "nie"),
    (" pas", " jamais"),
    ("não", "nao", "nunca", "nem"),
    ("不", "没", "沒", "并非", "並非", "别"),
)
_OUTDATED_BEFORE_BY = (
    ("replaced", "superseded"),
    ("->", "→", "⇒"),
    ("cancel", "called off", "scrapped", "abgesagt", "storniert", "annul"),
    ("改", "换", "換", "变", "變"),
    ("取消",),
)
"""What a sentence has to hold before each pattern is tried: to look for a few letters takes next to no time."""
_Rule = tuple[tuple[str, ...], re.Pattern[str] | str]
_ENDED: tuple[_Rule, ...] = (
    *zip(_OUTDATED_BY, _OUTDATED, strict=True),
    *update_cues.ENDED,
    *endings.ENDED,
)
_NOT_SO: tuple[_Rule, ...] = (
    *zip(_DENIED_BY, _DENIED, strict=True),
    *update_cues.DENIED,
    *endings.DENIED,
)
_ALL_CUES = {cue for cues, _ in (*_ENDED, *_NOT_SO) for cue in cues} | {
    cue for cues in _OUTDATED_BEFORE_BY for cue in cues
}
_ALL_CUES |= {*CUES, *DISPUTING, "? no", "?\nno"}
_CUES = tuple(
    cue for cue in _ALL_CUES if not any(other in cue for other in _ALL_CUES - {cue})
)
"""Without those that hold another one."""
# "instead of" -> "instead": what one chunk of a text with the cue has to hold.
_FRAGMENTS = {cue: max(cue.split(), key=len) for cue in _CUES if cue.isascii()}
_MAY_BEGIN = FoundInChunks(
    lambda chunk: [cue for cue, part in _FRAGMENTS.items() if part in chunk]
)
"""To look for each of two hundred cues in a text takes as long as to read it, and texts share most chunks."""
# "might", "unless"
_POSSIBLY = re.compile(r"\b(?:can|could|may|might|if|unless)\b", _I)
# ", ", " but "
_CLAUSE_STARTS = re.compile(r"[,:](?!\d)|[;!?(，；：]|\b(?:and|but)\b", _I)
_NEGATIVE = (
    r"\b(?:not|never|no|none|without|cannot|avoid\w*|allerg\w*|intoleran\w*|hates?|hated|dislikes?|disliked|refus\w+"
    r"|forbidden|vegan|vegetarian|afraid|phobia|against|unable|nicht|kein\w*|nie|unverträglich\w*|allergi\w*"
    r"|pas|jamais"
    r"|nunca|não)\b|n['’]t\b|-free\b|\bnon-|[不没沒忌]|过敏|過敏|讨厌|討厭"
)
_ABOUT_BEFORE = (
    r"\b(?:used to|formerly|previous(?:ly)?|former|original(?:ly)?|initially|at first|instead of|cancell?ed"
    r"|g[ai]ve up|given up|quit|stop(?:ped)?"
    r"|left out)\b|以前|之前|原来|原來|取消|放弃|戒"
)
_IS_NEGATIVE = re.compile(_NEGATIVE, _I)
_STATES_ITSELF = re.compile(
    r"\b(?:vegan|vegetarian|allerg\w*|intoleran\w*|afraid)\b|过敏|過敏|素", _I
)
"""Words for what is not eaten or liked, which a "not" denies like any other word."""
_IS_ASKED_NEGATIVELY = re.compile(f"{_NEGATIVE}|{_ABOUT_BEFORE}", _I)
_NEGATIVE_ANSWER = re.compile(
    r"(?:(?:he|she|they|i|the user) )?(?:no|not|without|never|(?:do|does|did|is|are|can|has|have)(?: not"
    r"|n['’]t)|cannot"
    r"|avoids?|avoiding)(?: (?:own|owns|have|has|had|got|want|wants|use|uses|eat|eats|keep|keeps|any|an?|the|more))*"
    r" (\w.*)|(\w+)-free"
    # "dislikes olives", "unmarried"
    r"|(?:dislikes?|hates?|can['’]?t stand) (\w.*)|un(?!i|der|cle|less|til)(\w{5,})"
    r"|(?:不能|不可以|不|没有|没|无|别|免|忌)(?:放|加|要|吃|喝|用|养|想要|吸|抽)?([^\W\d_]+)",
    _I,
)
_CLAUSE = re.compile(r"[^,;:.!?，。；！？\n]+")
PERSON = (
    r"(?:brother|sister|mother|father|mum|mom|dad|wife|husband|partner|son|daughter|uncle|aunt|cousin|niece|nephew"
    r"|friend|boss|colleague|neighbou?r|flatmate|roommate|landlord|manager|grand\w+|parents?|team|company|office"
    r"|bruder|schwester|mutter|vater|frau|mann|freundin?|chef|frère|sœur|mère|père|hermano|hermana|irmão|irmã)s?\b"
    r"|哥哥|弟弟|姐姐|妹妹|妈妈|爸爸|父亲|母亲|妻子|丈夫|老公|老婆|儿子|女儿|朋友|老板"
    r"|同事|邻居|室友|同学|表[哥姐弟妹]"
)
"""A pattern for words of people whom one is related to."""
_PERSON = re.compile(rf"\b{PERSON}", _I)


def is_asked_negatively(text: str) -> bool:
    """Return whether a question or an answer is about what is not, or was before: to deny it is to affirm it."""
    return _IS_ASKED_NEGATIVELY.search(text) is not None


def is_answered_negatively(answer: str) -> bool:
    """Return whether an answer is what is not: "no nuts", but not "vegetarian", which a "not" denies."""
    return is_asked_negatively(_STATES_ITSELF.sub(" ", answer))


def states_itself(answer: str) -> bool:
    """Return whether an answer has the negative in itself, and no other: "vegetarian", "allergic to nuts"."""
    return _STATES_ITSELF.search(answer) is not None and not is_answered_negatively(
        answer
    )


def denied_content(answer: str) -> str | None:
    """Return what an answer that is a negative denies: "no nuts" is about nuts; ``None`` for any other answer."""
    found = _NEGATIVE_ANSWER.fullmatch(simplified(answer.strip()))
    return next(filter(None, found.groups())) if found else None


def is_negative(clause: str) -> bool:
    """Return whether a clause states what is not: "I eat no nuts", "I am allergic to nuts"."""
    return _IS_NEGATIVE.search(clause) is not None


def clauses_with_negatives(text: str) -> tuple[str, ...]:
    """The clauses of ``text``, if any of them is a negative; none of any other text."""
    return tuple(_CLAUSE.findall(text)) if is_negative(text) else ()


def is_same_subject(question: str, update: str) -> bool:
    """Return whether both may be about the same: not if only one of them is about the user's brother."""
    return {one.lower() for one in _PERSON.findall(question)} == {
        one.lower() for one in _PERSON.findall(update)
    }


class Polarity(NamedTuple):
    """A text without what it denies, what it calls outdated, and what of it comes after the last of that."""

    affirmed: str
    outdated: str = ""
    since: str = ""
    updates: str = ""
    """The sentences that call something outdated."""
    denied: str = ""
    """What is denied or outdated, and nothing else, but for what is ``undone``."""
    undone: str = ""
    """What is denied or outdated that is a negative itself: "allergic to nuts"."""


def may_deny(text: str) -> bool:
    """Return whether :func:`polarity` has to be asked: many texts deny nothing."""
    return bool(_cues_in(text))


def _cues_in(text: str) -> list[str]:
    lower = simplified(text).lower()
    # Text without spaces has no chunks that come twice.
    cues = set(_MAY_BEGIN.in_text(lower)) if lower.isascii() else _CUES
    return [cue for cue in cues if cue in lower]


def polarity(text: str, mentions: Callable[[str], bool] | None = None) -> Polarity:
    """Return what ``text`` affirms and calls outdated; of the sentences alone that ``mentions`` tells, if given."""
    outdated: list[tuple[int, int]] = []
    denied: list[tuple[int, int]] = []
    updates: list[str] = []
    for first, sentence in _split_denying(text):
        if mentions is not None and not mentions(sentence):
            continue
        spans_of_sentence = _find_spans(sentence)
        if spans_of_sentence.outdated:
            updates.append(sentence)
        # Places in the sentence become places in the text.
        for start, stop in spans_of_sentence.outdated:
            outdated.append((first + start, first + stop))
        for start, stop in spans_of_sentence.denied:
            denied.append((first + start, first + stop))
    if not outdated and not denied:
        return Polarity(text)
    # What stands behind the last outdated part is said since.
    last = max((stop for _, stop in outdated), default=len(text))
    spans = sorted(outdated + denied)
    said_of_old = BORDER.join(text[start:stop] for start, stop in outdated)
    parts = [text[start:stop] for start, stop in spans]
    undone = BORDER.join(part for part in parts if _STATES_ITSELF.search(part))
    not_so = BORDER.join(part for part in parts if not _STATES_ITSELF.search(part))
    return Polarity(
        _without(text, spans, 0),
        said_of_old,
        _without(text, spans, last),
        " ".join(updates),
        not_so,
        undone,
    )


def sentences_that_may_deny(text: str) -> Iterator[str]:
    """The sentences of ``text`` that :func:`polarity` reads."""
    return (sentence for _, sentence in _split_denying(text))


@lru_cache(maxsize=4096)
def _split_denying(text: str) -> tuple[tuple[int, str], ...]:
    """These sentences and where they begin. The cues are looked for in the whole text, and those that are there in its
    sentences."""
    cues = _cues_in(text)
    if not cues:
        return ()
    lower = text.lower()
    may_refer_back = any(map(lower.__contains__, (*CUES, "?", "？")))
    sentences: list[tuple[int, str]] = []
    for match in _SENTENCE.finditer(text):
        start = match.start()
        one = match.group()
        if may_refer_back and sentences and refers_back(one, sentences[-1][1]):
            start = sentences.pop()[0]
            one = text[start : match.end()]
        sentences.append((start, one))
    return tuple(
        (start, one)
        for start, one in sentences
        if any(map(simplified(one).lower().__contains__, cues))
    )


class _Spans(NamedTuple):
    """Characters of a sentence."""

    outdated: tuple[tuple[int, int], ...] = ()
    denied: tuple[tuple[int, int], ...] = ()


@lru_cache(maxsize=16_384)
def _find_spans(sentence: str) -> _Spans:
    """Return the parts that one sentence calls outdated, and what it denies; a question does neither."""
    if sentence.rstrip().endswith(("?", "？")):
        return _Spans()
    statement = simplified(sentence.rstrip(".!?。！？\n;； "))
    lower = statement.lower()
    outdated = [
        *_find_matches(_ENDED, statement, lower),
        *_find_before(statement, lower),
    ]
    # The patterns of corrections are slow, and hardly any sentence has one of their cues.
    if any(cue in lower for cue in CUES):
        outdated += taken_back(statement)
    denied = [*_find_matches(_NOT_SO, statement, lower)]
    if "?" in statement or "？" in statement:
        denied += answered_with_no(statement)
    if any(cue in lower for cue in DISPUTING):
        denied += disputed(statement)
    return _Spans(tuple(outdated), tuple(denied))


def _find_matches(
    rules: Iterable[_Rule], sentence: str, lower: str
) -> Iterator[tuple[int, int]]:
    for cues, pattern in rules:
        if any(map(lower.__contains__, cues)):
            compiled = _compiled(pattern) if isinstance(pattern, str) else pattern
            yield from (match.span("old") for match in compiled.finditer(sentence))


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, _I)


def _find_before(sentence: str, lower: str) -> Iterator[tuple[int, int]]:
    for pattern, cues in zip(_OUTDATED_BEFORE, _OUTDATED_BEFORE_BY, strict=True):
        if not any(map(lower.__contains__, cues)):
            continue
        for match in pattern.finditer(sentence):
            starts = [
                found.end()
                for found in _CLAUSE_STARTS.finditer(sentence, 0, match.start())
            ]
            first = starts[-1] if starts else 0
            if not _POSSIBLY.search(sentence, first, match.start()):
                # "取消" stands before what it takes back as well
                yield first, len(sentence) if match.group() == "取消" else match.start()


def _without(text: str, spans: list[tuple[int, int]], since: int) -> str:
    """``text`` from ``since`` on, without the ``spans``, which are in order."""
    parts = []
    at = since
    for start, stop in spans:
        if stop <= at:
            continue
        parts.append(text[at : max(start, at)])
        at = stop
    return BORDER.join([*parts, text[at:]])
