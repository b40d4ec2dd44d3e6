"""The values that the sentences of a conversation state: those with a label first, then those known by their
shape.

A label beside a value says what it is: "the door code is 7742", "allergic to wool", "my dentist is Okafor". Such a
value is a fact though nobody uses it again, and needs no shape of its own. Labels are known in English and German,
those of codes and allergies also in French and Spanish; Chinese has :mod:`memviz.metrics.retention.chinese_values`.
The kinds stand in the modules ``*_kinds``.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.text.sentences import Sentence, passage
from memviz.core.text.words import HAN
from memviz.metrics.retention.chinese_details import details_in
from memviz.metrics.retention.chinese_values import ChinesePeople, chinese_in
from memviz.metrics.retention.code_kinds import (
    CODES,
    EMAILS,
    PEOPLE,
    PHONES,
    SOFTWARE_NAMES,
)
from memviz.metrics.retention.count_kinds import CLOCK, COUNTS, PLAIN_NUMBERS
from memviz.metrics.retention.label_words import (
    TRIGGER_CHARS,
    Kind,
    Value,
    find_values,
)
from memviz.metrics.retention.option_kinds import OPTIONS, TITLES
from memviz.metrics.retention.stated_values import (
    has_verb,
    is_stated,
    names_in,
    values_in,
)
from memviz.metrics.retention.taste_kinds import TASTES
from memviz.metrics.retention.time_and_place_kinds import (
    DAYS,
    GROUPS,
    TIMES_AND_PLACES,
)

_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_MARKS = frozenset('@/._#$€£"“')
_CAPITAL = re.compile(r"[\w,] [A-Z\u00c0-\u00de]")


class AnnouncedKinds:
    """Kinds that are searched for together, in sentences that have one of their triggers.

    The order counts: of two values that overlap the first is taken, so the kind that
    says more about a value stands first.
    """

    def __init__(self, *kinds: Kind) -> None:
        self.kinds = kinds
        self._numbers_of: dict[str, list[int]] = {}
        """The numbers of the kinds that each trigger announces."""
        for number, kind in enumerate(kinds):
            for trigger in kind.triggers:
                self._numbers_of.setdefault(trigger, []).append(number)

    def values_in(self, sentence: str, of_user: bool) -> list[Value]:
        """Return the values of these kinds in ``sentence``, kind by kind."""
        triggers = _shapes_in(sentence)
        # Every value that an assistant states has a digit, a mark or a capital letter.
        if not of_user and not triggers:
            return []
        triggers.update(_word_beginnings(sentence))
        return list(find_values(self._announced_by(triggers), sentence))

    def _announced_by(self, triggers: set[str]) -> list[Kind]:
        """Return the kinds with one of ``triggers``, in order: a sentence has few."""
        numbers = set[int]()
        for trigger in triggers & self._numbers_of.keys():
            numbers.update(self._numbers_of[trigger])
        return [self.kinds[number] for number in sorted(numbers)]


def _shapes_in(sentence: str) -> set[str]:
    """Return the triggers that are no words: "Gate B4" has a digit and a capital."""
    triggers = set(_MARKS.intersection(sentence))
    if _DIGIT.search(sentence):
        triggers.add("0")
    if _CAPITAL.search(sentence):
        triggers.add("A")
    return triggers


def _word_beginnings(sentence: str) -> Iterator[str]:
    for word in _LETTERS.findall(sentence.lower()):
        yield word[:TRIGGER_CHARS]


_REACHABLE = AnnouncedKinds(*PHONES, *EMAILS)
_KINDS = AnnouncedKinds(
    *PHONES,
    *EMAILS,
    *CODES,
    *SOFTWARE_NAMES,
    *TASTES,
    *PEOPLE,
    *TIMES_AND_PLACES,
    *DAYS,
    *GROUPS,
    *TITLES,
)
_DETAILS = AnnouncedKinds(*COUNTS, *CLOCK, *OPTIONS, *PLAIN_NUMBERS)
_KINDS_OF_BOTH = AnnouncedKinds(*(kind for kind in _KINDS.kinds if not kind.of_user))
SENTENCE_CHARS = range(12, 241)
"""Of a sentence that states a value."""
HAN_CHARS = 3
"""A Chinese character says as much as so many letters."""
LEAST_INFORMATIVENESS = 1.7
"""Of the stating sentence, see :class:`memviz.core.text.traits.Traits`: leaves out courtesies and advice."""
_ENDED = re.compile(r"""[.!…。！][\s"'”’」)）*_]*$""")
"""A line without a full stop is a heading, a cell of a table or an entry of a list, and states nothing by itself."""
_FORMULA = re.compile(r"[=×±<>|{}]")
_UNSURE = re.compile(
    r"\b(?:if|maybe|perhaps|might|could|would be|for example|such as|suppose|imagine|falls|vielleicht)\b|\be\.g\."
    r"|如果|假如|比如|例如|建议|也许|可能",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|falls)\b|如果", re.IGNORECASE)
"""What a condition leaves open begins with it: "We meet on the 17th if it stays dry" names the day."""
_ASKING = re.compile(
    r"\b(?:ask|see|know|check|wonder|tell|sure|decide|would|should|can(?!['’]t))\b",
    re.IGNORECASE,
)
"""Before "if" they make an indirect question of it, or a mere thought."""
_MUSING = re.compile(
    r"\b(?:keeps? (?:on )?saying|(?:was |were )?told me that|suggest(?:s|ed)? that|not sure|no idea|i wonder|wondering"
    r"|thinking (?:about|of|that)|would help|tempted|last time|used to|bothers me|ignored|in theory|in general"
    r"|people say"
    r"|as a child|when i was|i remember)\b|听说|据说|小时候|的时候|我在想|不确定|不知道",
    re.IGNORECASE,
)
"""What somebody only thinks about, heard, or remembers of old times decides nothing."""
_DONE = re.compile(
    r"\b(?:i['’]ve|i have|i|we|you are|you['’]re|it is|is|are|has been|have been) (?:now |all |just |also )*"
    r"(?:booked|reserved"
    r"|confirmed|scheduled|created|assigned|ordered|moved|changed|set to|registered|deployed|opened|filed)\b"
    r"|已经?(?:为您|帮您|给您)?(?:预订|预约|确认|安排|改|订|登记|提交|创建)",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:(?:ok(?:ay)?|and|so|now|then|also|great|thanks|hi|hello|hey|please|good|perfect),? )*"
    r"(?:(?:can|could|would|will) (?:you|we)|(?:can|could|may) i (?:have|get|book|order|ask)|please"
    r"|(?:i['’]d|i would) like|i want|i need|help me)\b|.*(?:帮我|请|麻烦|能不能|可以帮|能帮|给我)",
    re.IGNORECASE,
)
_TELL = re.compile(
    r"\b(?:tell|remind|remember|recall|know|explain|what|which|when|who|where|how|why|whether|confirm|repeat|check)\b"
    r"|什么|多少|谁|哪|怎么|记得|为什么|告诉|提醒|几[点号个天]",
    re.IGNORECASE,
)
_GERMAN = re.compile(
    r"\b(?:ich|wir|und|der|die|das|den|dem|ein|eine|einen|einer|ist|sind|hat|habe|nicht|mit|für|von|vom|im|am|um"
    r"|auf|meine?|unsere?|kommt)\b(?=.*\b(?:ich|wir|und|der|das|den|dem|eine|einen|ist|sind|hat|haben|nicht|mit|für|vom"
    r"|um|auf|bei|kommt|kostet)\b)",
    re.IGNORECASE,
)
_SMALL = re.compile(r"(?<![\w'’-])[a-zß-ÿ]+")


class Told(NamedTuple):
    """A sentence of the message at ``position``, and whether the user says it."""

    position: int
    sentence: Sentence
    of_user: bool


def told_values(log: Log) -> Iterator[tuple[Told, Value]]:
    """Return all values that the user and the assistant state in sentences that tell something, in order."""
    told = list(_told(log))
    small = {word for message in log for word in _SMALL.findall(message.content)}
    names = names_in([one.sentence.text for one in told], small)
    people = ChinesePeople(message.content for message in log)
    return ((one, value) for one in told for value in _values(one, names, people))


def _told(log: Log) -> Iterator[Told]:
    for position, message in enumerate(log):
        if message.role in ("user", "assistant"):
            for sentence in passage(message.content).sentences:
                yield Told(position, sentence, message.role == "user")


def _values(told: Told, names: set[str], people: ChinesePeople) -> list[Value]:
    """Return the values of a sentence, of two that overlap only the first. Each of many in one sentence counts less."""
    sentence = told.sentence
    if len(sentence.text) >= SENTENCE_CHARS.stop or sentence.echo:
        return []
    is_request = told.of_user and _is_request(sentence.text)
    if sentence.is_question and not is_request:
        return []
    shaped = list(_shaped(told, names))
    candidates = list(_labelled(told, people))
    candidates += [value for value in shaped if value.alone]
    candidates += [*_details(told), *shaped]
    taken: set[int] = set()
    found = []
    for value in candidates:
        places = range(value.start, value.stop)
        if taken.isdisjoint(places):
            taken.update(places)
            found.append(value)
    shared = sentence.traits.informativeness / max(1, len(found))
    return [value._replace(weight=value.weight + shared) for value in found]


def _labelled(told: Told, people: ChinesePeople) -> Iterator[Value]:
    """Yield the values that the sentence names as what they are."""
    text = told.sentence.text
    of_user = told.of_user
    if _is_chinese(text):
        found = list(chinese_in(text, of_user, people))
    else:
        kinds = _KINDS if of_user else _KINDS_OF_BOTH
        found = kinds.values_in(text, of_user)
    stated = _stated(found, told)
    if stated and (of_user or not told.sentence.traits.is_hedged):
        yield from (one._replace(alone=True) for one in stated)


def _details(told: Told) -> Iterator[Value]:
    """Yield the details that a user says in passing, and what the assistant says it did."""
    text = told.sentence.text
    # Few sentences of an assistant say so, and to look is cheap.
    if not told.of_user and _DONE.search(text) is None:
        return
    if _FORMULA.search(text) or _MUSING.search(text):
        return
    if not told.of_user and told.sentence.traits.is_hedged:
        return
    if _is_chinese(text):
        found = list(details_in(text))
    else:
        found = _DETAILS.values_in(text, of_user=True)
    yield from (one._replace(alone=True) for one in _stated(found, told))


def _is_chinese(text: str) -> bool:
    return not text.isascii() and HAN.search(text) is not None


def _stated(found: Sequence[Value], told: Told) -> Sequence[Value]:
    """Return those of ``found`` that the sentence does not leave open."""
    if not found or not _is_unsure(told):
        return found
    return _sure(found, told.sentence.text) if told.of_user else ()


def _is_unsure(told: Told) -> bool:
    """Return whether the sentence leaves open what it says, the words of a request before it apart."""
    text = told.sentence.text
    request = _REQUEST.match(text) if told.of_user else None
    return _UNSURE.search(text, request.end() if request else 0) is not None


def _is_request(text: str) -> bool:
    """Return whether the user asks for something to be done, which may name what it has to be like: "Can you book a
    table for six?" A question that asks to be told something is none."""
    return _REQUEST.match(text) is not None and _TELL.search(text) is None


def _sure(found: Sequence[Value], text: str) -> list[Value]:
    """Return the values before a condition, unless that is unsure itself, and those that hold under any condition: the
    telephone numbers and addresses."""
    condition = _CONDITION.search(text)
    stated = text[: condition.start()] if condition else ""
    before = []
    if not _UNSURE.search(stated) and not _ASKING.search(stated):
        before = [one for one in found if one.stop <= len(stated)]
    reachable = _REACHABLE.values_in(text, of_user=True)
    return before + [one for one in reachable if one not in before]


def _shaped(told: Told, names: set[str]) -> Iterator[Value]:
    text = told.sentence.text
    of_user = told.of_user
    values = values_in(text, names)
    # Most sentences have none; to ask how much they tell takes longer.
    if not values:
        return
    if not _tells(told.sentence):
        if of_user:
            yield from _passing_names(told, values)
        return
    for value in values:
        is_name = value.category == "name"
        if not (of_user and is_name) and not _is_whole(told.sentence, value):
            continue
        # Where every noun has a capital letter, one says nothing.
        if is_name and _GERMAN.search(text):
            continue
        alone = is_stated(value, text, of_user)
        # An assistant works out many numbers.
        if of_user or alone or value.category != "number":
            yield value._replace(alone=alone)


def _passing_names(told: Told, values: Sequence[Value]) -> Iterator[Value]:
    """Yield the names among the ``values`` of a user's sentence that tells little else, unless it only muses."""
    text = told.sentence.text
    barred = (_MUSING, _FORMULA, _GERMAN)
    if _is_unsure(told) or any(pattern.search(text) for pattern in barred):
        return
    for value in values:
        if value.category == "name":
            yield value._replace(alone=True)


def _is_whole(sentence: Sentence, value: Value) -> bool:
    """Return whether it ends like a sentence, or has a verb before the value, as in a chat without full stops."""
    text = sentence.text
    return _ENDED.search(text) is not None or has_verb(text[: value.start])


def _tells(sentence: Sentence) -> bool:
    text = sentence.text
    least = SENTENCE_CHARS.start
    if len(text) < least and len(HAN.findall(text)) * HAN_CHARS < least:
        return False
    if _FORMULA.search(text) or _MUSING.search(text):
        return False
    traits = sentence.traits
    return not traits.is_hedged and traits.informativeness >= LEAST_INFORMATIVENESS
