"""The values that the sentences of a conversation state: those with a label first, then
those known by their shape.

A label beside a value says what it is: "the door code is 7742", "allergic to wool", "my
dentist is Okafor". Such a value is a fact though nobody uses it again, and needs no shape
of its own. Labels are known in English and German, those of codes and allergies also in
French and Spanish; Chinese has :mod:`memviz.metrics.retention.chinese_values`. The kinds
stand in the modules ``*_kinds``.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from memviz.core.conversation import Log
from memviz.core.text.chunks import FoundInChunks
from memviz.core.text.sentences import Sentence, split_passage
from memviz.core.text.words import HAN, has_han
from memviz.metrics.retention.announced_kinds import AnnouncedKinds
from memviz.metrics.retention.chinese_details import find_details
from memviz.metrics.retention.chinese_values import ChinesePeople, find_chinese_values
from memviz.metrics.retention.code_kinds import (
    CODES,
    EMAILS,
    PEOPLE,
    PHONES,
    SOFTWARE_NAMES,
)
from memviz.metrics.retention.count_kinds import CLOCK, COUNTS, PLAIN_NUMBERS
from memviz.metrics.retention.label_words import Value
from memviz.metrics.retention.option_kinds import OPTIONS, TITLES
from memviz.metrics.retention.stated_values import (
    find_names,
    find_values,
    has_verb,
    is_stated,
)
from memviz.metrics.retention.taste_kinds import TASTES
from memviz.metrics.retention.time_and_place_kinds import (
    DAYS,
    GROUPS,
    TIMES_AND_PLACES,
)

SENTENCE_CHARS = range(12, 241)
"""Lengths of a sentence that may state a value, in characters."""
HAN_CHARS = 3
"""Number of letters that say as much as one Chinese character."""
LEAST_INFORMATIVENESS = 1.7
"""Of a sentence that states a value, see :class:`memviz.core.text.traits.Traits`. Leaves
out courtesies and advice: "Glad that I could help with the booking." """
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

# The end of a sentence: 'We land at "9:40".' A line without one is a heading, a cell of a
# table or an entry of a list, and states nothing by itself.
_ENDED = re.compile(r"""[.!…。！][\s"'”’」)）*_]*$""")
# Mathematics, tables and code: "total = 3 × 40"
_FORMULA = re.compile(r"[=×±<>|{}]")
# What is left open: "Maybe we meet on the 17th."
_UNSURE = re.compile(
    r"\b(?:if|maybe|perhaps|might|could|would be|for example|such as|suppose|imagine|falls|vielleicht)\b|\be\.g\."
    r"|如果|假如|比如|例如|建议|也许|可能",
    re.IGNORECASE,
)
# Where a condition begins, which leaves open what follows: "We meet on the 17th if it
# stays dry" names the day.
_CONDITION = re.compile(r"\b(?:if|falls)\b|如果", re.IGNORECASE)
# Words before "if" that make it an indirect question: "Ask whether 40 euros is enough if
# we leave early."
_ASKING = re.compile(
    r"\b(?:ask|see|know|check|wonder|tell|sure|decide|would|should|can(?!['’]t))\b",
    re.IGNORECASE,
)
# What somebody only thinks about, heard, or remembers of old times: "I'm thinking of 300
# euros", "my sister keeps saying 3,000", "when I was a child we had 2 dogs".
_MUSING = re.compile(
    r"\b(?:keeps? (?:on )?saying|(?:was |were )?told me that|suggest(?:s|ed)? that|not sure|no idea|i wonder|wondering"
    r"|thinking (?:about|of|that)|would help|tempted|last time|used to|bothers me|ignored|in theory|in general"
    r"|people say"
    r"|as a child|when i was|i remember)\b|听说|据说|小时候|的时候|我在想|不确定|不知道",
    re.IGNORECASE,
)
# One of these is in all that the English part of the pattern finds.
_MUSING_CUES = (
    *("saying", "told me", "suggest", "not sure", "no idea", "wonder", "thinking"),
    *("would help", "tempted", "last time", "used to", "bothers me", "ignored"),
    *(
        "in theory",
        "in general",
        "people say",
        "as a child",
        "when i was",
        "i remember",
    ),
)
# What an assistant says it did: "I've booked table 12."
_DONE = re.compile(
    r"\b(?:i['’]ve|i have|i|we|you are|you['’]re|it is|is|are|has been|have been) (?:now |all |just |also )*"
    r"(?:booked|reserved"
    r"|confirmed|scheduled|created|assigned|ordered|moved|changed|set to|registered|deployed|opened|filed)\b"
    r"|已经?(?:为您|帮您|给您)?(?:预订|预约|确认|安排|改|订|登记|提交|创建)",
    re.IGNORECASE,
)
# The words that ask for something to be done: "Hi, can you book a table for six?"
_REQUEST = re.compile(
    r"(?:(?:ok(?:ay)?|and|so|now|then|also|great|thanks|hi|hello|hey|please|good|perfect),? )*"
    r"(?:(?:can|could|would|will) (?:you|we)|(?:can|could|may) i (?:have|get|book|order|ask)|please"
    r"|(?:i['’]d|i would) like|i want|i need|help me)\b|.*(?:帮我|请|麻烦|能不能|可以帮|能帮|给我)",
    re.IGNORECASE,
)
# The words that ask to be told something: "Can you remind me of the code?"
_TELL = re.compile(
    r"\b(?:tell|remind|remember|recall|know|explain|what|which|when|who|where|how|why|whether|confirm|repeat|check)\b"
    r"|什么|多少|谁|哪|怎么|记得|为什么|告诉|提醒|几[点号个天]",
    re.IGNORECASE,
)
# Two German function words: "Wir treffen die Kollegen um 9 Uhr am Bahnhof."
_GERMAN = re.compile(
    r"\b(?:ich|wir|und|der|die|das|den|dem|ein|eine|einen|einer|ist|sind|hat|habe|nicht|mit|für|von|vom|im|am|um"
    r"|auf|meine?|unsere?|kommt)\b(?=.*\b(?:ich|wir|und|der|das|den|dem|eine|einen|ist|sind|hat|haben|nicht|mit|für|vom"
    r"|um|auf|bei|kommt|kostet)\b)",
    re.IGNORECASE,
)
# Words that begin with a small letter: "the Harbour café" -> the, café
_SMALL = FoundInChunks(re.compile(r"(?<![\w'’-])[a-zß-ÿ]+").findall)


class ToldSentence(NamedTuple):
    """A sentence of a message."""

    position: int
    """The log position of the message."""
    sentence: Sentence
    of_user: bool
    """The user says it, not the assistant."""


def find_told_values(log: Log) -> Iterator[tuple[ToldSentence, Value]]:
    """Return the values that the user and the assistant state, in order, each with its
    sentence."""
    sentences = list(_list_told_sentences(log))
    small_words = set[str]()
    for message in log:
        small_words.update(_SMALL.in_text(message.content))
    names = find_names([told.sentence.text for told in sentences], small_words)
    people = ChinesePeople(message.content for message in log)
    return (
        (told, value)
        for told in sentences
        for value in _find_values(told, names, people)
    )


def _list_told_sentences(log: Log) -> Iterator[ToldSentence]:
    for position, message in enumerate(log):
        if message.role in ("user", "assistant"):
            for sentence in split_passage(message.content).sentences:
                yield ToldSentence(position, sentence, message.role == "user")


def _find_values(
    told: ToldSentence, names: set[str], people: ChinesePeople
) -> list[Value]:
    """Return the values of a sentence. The more there are, the less each counts."""
    sentence = told.sentence
    if len(sentence.text) >= SENTENCE_CHARS.stop or sentence.echo:
        return []
    is_request = told.of_user and _is_request(sentence.text)
    if sentence.is_question and not is_request:
        return []
    shaped = list(_find_shaped_values(told, names))
    # Of two that overlap the first wins: a label says more than a shape, and a shape that
    # states a fact by itself more than a detail said in passing.
    candidates = list(_find_labelled_values(told, people))
    candidates += [value for value in shaped if value.alone]
    candidates += _find_passing_details(told)
    candidates += shaped
    taken_chars: set[int] = set()
    values = []
    for value in candidates:
        chars = range(value.start, value.stop)
        if taken_chars.isdisjoint(chars):
            taken_chars.update(chars)
            values.append(value)
    if not values:
        return []
    share = sentence.traits.informativeness / len(values)
    return [value._replace(weight=value.weight + share) for value in values]


def _find_labelled_values(told: ToldSentence, people: ChinesePeople) -> Iterator[Value]:
    """Yield the values that a label names: "The door code is 7742." -> 7742"""
    text = told.sentence.text
    of_user = told.of_user
    if has_han(text):
        labelled = list(find_chinese_values(text, of_user, people))
    else:
        kinds = _KINDS if of_user else _KINDS_OF_BOTH
        labelled = kinds.values_in(text, of_user)
    stated = _drop_open_values(labelled, told)
    if stated and (of_user or not told.sentence.traits.is_hedged):
        yield from (value._replace(alone=True) for value in stated)


def _find_passing_details(told: ToldSentence) -> Iterator[Value]:
    """Yield the details that a user says in passing, and what the assistant says it did.

    "Can you book a table for six?" -> six
    """
    text = told.sentence.text
    # Few sentences of an assistant say so, and to look is cheap.
    if not told.of_user and _DONE.search(text) is None:
        return
    if _FORMULA.search(text) or _muses(text):
        return
    if not told.of_user and told.sentence.traits.is_hedged:
        return
    if has_han(text):
        details = list(find_details(text))
    else:
        details = _DETAILS.values_in(text, of_user=True)
    yield from (
        value._replace(alone=True) for value in _drop_open_values(details, told)
    )


def _drop_open_values(values: Sequence[Value], told: ToldSentence) -> Sequence[Value]:
    """Return the values that the sentence does not leave open.

    "Maybe 40 euros, call 555 0199" leaves the price open, and not the telephone number.
    """
    if not values or not _is_unsure(told):
        return values
    return _keep_sure_values(values, told.sentence.text) if told.of_user else ()


def _is_unsure(told: ToldSentence) -> bool:
    """Return whether the sentence leaves open what it says.

    The words of a request at its beginning do not count: in "Could you book table 12?"
    nothing is open.
    """
    text = told.sentence.text
    request = _REQUEST.match(text) if told.of_user else None
    start = request.end() if request else 0
    return _UNSURE.search(text, start) is not None


def _is_request(text: str) -> bool:
    """Return whether the user asks for something to be done.

    A request may state a value: "Can you book a table for six?" A question that asks to be
    told something is none: "Can you tell me the code?"
    """
    return _REQUEST.match(text) is not None and _TELL.search(text) is None


def _keep_sure_values(values: Sequence[Value], text: str) -> list[Value]:
    """Return the values of a sentence with an unsure word that hold all the same.

    - Those before a condition: "We meet on the 17th if it stays dry." -> the 17th; unless
      the words before it are unsure themselves.
    - Telephone numbers and addresses: they hold under any condition.
    """
    condition = _CONDITION.search(text)
    before_condition = text[: condition.start()] if condition else ""
    sure: list[Value] = []
    is_open = _UNSURE.search(before_condition) or _ASKING.search(before_condition)
    if not is_open:
        sure = [value for value in values if value.stop <= len(before_condition)]
    reachable = _REACHABLE.values_in(text, of_user=True)
    return sure + [value for value in reachable if value not in sure]


def _find_shaped_values(told: ToldSentence, names: set[str]) -> Iterator[Value]:
    """Yield the values that are known by their shape: dates, money, numbers and names."""
    text = told.sentence.text
    of_user = told.of_user
    values = find_values(text, names)
    # Most sentences have none; to ask how much they tell takes longer.
    if not values:
        return
    if not _tells_enough(told.sentence):
        if of_user:
            yield from _find_passing_names(told, values)
        return
    for value in values:
        is_name = value.category == "name"
        # A user's name counts in a fragment as well.
        is_name_of_user = of_user and is_name
        is_in_context = is_name_of_user or _is_whole(told.sentence, value)
        if not is_in_context:
            continue
        # Where every noun has a capital letter, one says nothing.
        if is_name and _GERMAN.search(text):
            continue
        alone = is_stated(value, text, of_user)
        # An assistant works out many numbers.
        if of_user or alone or value.category != "number":
            yield value._replace(alone=alone)


def _find_passing_names(told: ToldSentence, values: Sequence[Value]) -> Iterator[Value]:
    """Yield the names of a user's sentence that tells little else: "I asked Okafor." -> Okafor

    Not if the sentence is unsure or only muses: "I wonder about Marta Okafor."
    """
    text = told.sentence.text
    barred = (_FORMULA, _GERMAN)
    if _muses(text) or _is_unsure(told) or any(one.search(text) for one in barred):
        return
    for value in values:
        if value.category == "name":
            yield value._replace(alone=True)


def _is_whole(sentence: Sentence, value: Value) -> bool:
    """Return whether it ends like a sentence, or has a verb before the value.

    In a chat many sentences lack the full stop: "we land at 9:40".
    """
    text = sentence.text
    return _ENDED.search(text) is not None or has_verb(text[: value.start])


def _tells_enough(sentence: Sentence) -> bool:
    """Return whether a sentence is long, sure and informative enough to state a value."""
    text = sentence.text
    least = SENTENCE_CHARS.start
    if len(text) < least and len(HAN.findall(text)) * HAN_CHARS < least:
        return False
    traits = sentence.traits
    if traits.is_hedged or traits.informativeness < LEAST_INFORMATIVENESS:
        return False
    return _FORMULA.search(text) is None and not _muses(text)


def _muses(text: str) -> bool:
    """Return whether somebody only thinks about it, or heard it: "I wonder about 300 euros"."""
    if text.isascii() and not any(map(text.lower().__contains__, _MUSING_CUES)):
        return False
    return _MUSING.search(text) is not None
