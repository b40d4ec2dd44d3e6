"""Where in the context that was sent an answer comes from, told by the words they share; no model is asked."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

from memviz.context import BlockKind, Context
from memviz.conversation import Message
from memviz.models.offline import phrases
from memviz.models.offline.sentences import passage
from memviz.models.offline.vocabulary import SAME_WORD, STOP_WORDS, words
from memviz.models.offline.word_classes import NUMBER_WORDS
from memviz.models.offline.words import UNSPACED, content_words, stem

SourceKind = Literal["verbatim", "recalled", "summary", "system"]

LEAST_SHARE = 0.6
"""A message is a source from this share of the answer's weight on. Lower ones are met by messages that
merely have the topic in common; higher ones miss an answer in other words."""
NUMBER_WEIGHT, NAME_WEIGHT, WORD_WEIGHT = 3, 2, 1
"""Whole numbers, so that equal shares are equal to the last bit."""
LEAST_STATEMENT_WEIGHT = NUMBER_WEIGHT
"""A sentence of an answer is looked up by itself if it holds a number, a name and a word, or three words;
the one that holds most is at any rate."""
MAX_STATEMENTS = 8
"""Only the heaviest sentences of an answer are, so that a long one costs no more."""
LEAST_QUOTED_BYTES = 20
"""A shorter sentence, in UTF-8, stands in many messages to the letter without being quoted from one."""
QUOTE_CHARS = 120
NEAR_CHARS = 300
"""The stretch of a message in which the answer's words, and the question's, are taken to belong together."""

_KIND_OF_BLOCK: dict[BlockKind, SourceKind] = {
    "history": "verbatim", "recalled": "recalled", "summary": "summary", "system": "system",
}  # fmt: skip
_PREFERRED: tuple[SourceKind, ...] = ("verbatim", "recalled", "summary", "system")

_ALNUM = f"[^\\W_{UNSPACED}]"
_TOKEN = re.compile(
    f"[{UNSPACED}]+"
    # a number, with at most three letters after it: 3,000 or 40GB or 14th, but not 9K4, which is a code
    rf"|(?<!{_ALNUM})(?:\d{{1,3}}(?:[,，'’\u00a0\u202f]\d{{3}}(?!\d))+|\d{{1,40}})(?:[.,\uff0e\u066b]\d{{1,40}})*+"
    rf"(?=[^\W\d_{UNSPACED}]{{0,3}}(?!{_ALNUM}))"
    rf"|{_ALNUM}{{1,64}}"
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_DIGIT = re.compile(r"\d")
_BREAK = re.compile(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")  # not the spaces that part thousands
# What an answer says around what it tells.
_FRAMING = STOP_WORDS | words(
    """
    yes sure certainly course according based earlier previously previous conversation chat context message messages
    summary note noted stated states indicated specified provided shared confirmed correct answer question
    information details record records recorded memory history instructions result user assistant
    st nd rd th haven hasn hadn weren mustn
    根据 对话 谈话 总结 消息 提到 记录 信息
    """
)
_NOT = r"(?:n['’]t| not| never)(?: \w+)?"
_IGNORANT = re.compile(
    rf"\byou(?:['’]ve| have| had| did)?{_NOT} (?:tell|told|mention|sa[iy]|stat|specif|provid|shar|g[ai]v)"
    rf"|\b(?:is|was|are|were|has|have|had){_NOT} (?:mention|stat|specif|provid|includ|discuss)"
    r"|\bno (?:mention|record|information|memory|details?|reference)\b|\bno idea\b"
    r"|\b(?:unable to|can['’]?t|cannot|can not) (?:find|recall|tell|determine|answer|say)\b"
    r"|没有?(?:告诉|说过|说明|提到|提过|提供|找到|记录)|未(?:提及|提到|提供|说明)|不知道|不记得|无法(?:得知|确定|回答|知道)",
    re.IGNORECASE,
)
_BEFORE_A_SENTENCE = frozenset(".!?:;\"'“”\u2018(「『。！？：")
_ENDS = (".", "!", "?", "。", "！", "？")
_SENTENCE_START = re.compile(r"(?<=[.!?] )|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """Where an answer comes from.

    ``kind`` is ``None`` if it is not in the context. ``position`` is the log position of the message,
    ``None`` for a summary or the system prompt. ``quote`` is a piece of the source around the match, one
    line of at most 120 characters. ``share`` (0 to 1) is the part of the weight of the answer's key terms,
    or of one sentence's where only that has a source, that the source holds; without a source, the most
    that any message holds.
    """

    kind: SourceKind | None = None
    position: int | None = None
    quote: str = ""
    share: float = 0.0


class _Candidate(NamedTuple):
    kind: SourceKind
    position: int | None
    message: Message
    keys: frozenset[str]


class _Statement(NamedTuple):
    """A sentence of an answer, and the weights of those of its terms that the question does not say."""

    text: str
    weights: dict[str, int]
    asks: bool

    @property
    def weight(self) -> int:
        return sum(self.weights.values())


def answer_source(context: Context, question: str, answer: str) -> AnswerSource:
    """The message of ``context`` that holds most of what ``answer`` says and ``question`` does not.

    Key terms are numbers (3,000 is 3000), names and other content words, pairs of characters in
    Chinese; they count as whole words, and numbers and names weigh more. An answer without any, or one
    that says it does not know, has no source. A message that a sentence of the answer quotes to the
    letter comes first. Of sources that hold as much, one word for word is taken before a recalled one, a
    summary, the system prompt; then the one that says it closest together; then the newest. The input
    is no source.
    """
    asked = _keys(question)
    told = _telling(list(_statements(answer, asked)))
    whole = _together(told)
    if not whole:
        return AnswerSource()
    candidates = list(_candidates(context))
    stated = told[:1] + [one for one in told[1:MAX_STATEMENTS] if one.weight >= LEAST_STATEMENT_WEIGHT]
    found = _quoted(candidates, stated, asked) or _best(candidates, whole, asked)
    if found.kind is not None or len(told) == 1:
        return found
    single = (_best(candidates, statement.weights, asked) for statement in stated)
    return next((source for source in single if source.kind is not None), found)


def _together(statements: Sequence[_Statement]) -> dict[str, int]:
    """The terms of all statements, each with the most it weighs in any."""
    whole: dict[str, int] = {}
    for statement in statements:
        for key, weight in statement.weights.items():
            whole[key] = max(weight, whole.get(key, 0))
    return whole


def _telling(statements: Sequence[_Statement]) -> list[_Statement]:
    """Those that tell anything, most first; questions only if there is nothing else."""
    telling = [one for one in statements if one.weights]
    return sorted([one for one in telling if not one.asks] or telling, key=lambda one: -one.weight)


def _statements(answer: str, asked: frozenset[str]) -> Iterator[_Statement]:
    """The sentences of an answer without those that say that something is not known; a quoted one may."""
    for sentence in passage(_composed(answer)).sentences:
        text = sentence.text
        if sentence.echo or not (phrases.admits_ignorance(text) or _IGNORANT.search(text)):
            weights = {key: weight for key, weight in _weights(text).items() if key not in asked}
            yield _Statement(text, weights, sentence.is_question)


def _candidates(context: Context) -> Iterator[_Candidate]:
    for block in context.blocks:
        kind = _KIND_OF_BLOCK.get(block.kind)
        if kind is None:
            continue
        placed = kind in ("verbatim", "recalled") and len(block.indices) == len(block.messages)
        positions = block.indices if placed else (None,) * len(block.messages)
        for position, message in zip(positions, block.messages, strict=True):
            yield _Candidate(kind, position, message, _keys(message.content))


def _quoted(
    candidates: Sequence[_Candidate], statements: Sequence[_Statement], asked: frozenset[str]
) -> AnswerSource | None:
    """A message that holds one of the statements to the letter."""
    long = [one for one in statements if len(one.text.encode("utf-8", "replace")) >= LEAST_QUOTED_BYTES]
    for statement in long:
        holding = [one for one in candidates if one.keys >= statement.weights.keys()]
        letters = _letters(statement.text)
        if exact := [one for one in holding if letters in _letters(one.message.content)]:
            return _preferred(exact, statement.weights, asked, 1.0)
    return None


def _letters(text: str) -> str:
    """What a quotation has to have in common: not the case, the white space, or the full stop."""
    return _flat(text).casefold().rstrip(".。!！ …")


def _best(candidates: Sequence[_Candidate], weights: Mapping[str, int], asked: frozenset[str]) -> AnswerSource:
    held = [sum(weights[key] for key in weights.keys() & candidate.keys) for candidate in candidates]
    most = max(held, default=0)
    share = most / sum(weights.values())
    if share < LEAST_SHARE:
        return AnswerSource(share=share)
    equal = [candidate for candidate, weight in zip(candidates, held, strict=True) if weight == most]
    return _preferred(equal, weights, asked, share)


def _preferred(
    equal: Sequence[_Candidate], weights: Mapping[str, int], asked: frozenset[str], share: float
) -> AnswerSource:
    """One of several sources that hold as much: by kind, then by how close together they say it."""
    kind = min((candidate.kind for candidate in equal), key=_PREFERRED.index)
    scores = {**dict.fromkeys(asked, 1), **{key: 1000 * weight for key, weight in weights.items()}}
    source = _closest([candidate for candidate in equal if candidate.kind == kind], scores)
    return AnswerSource(kind, source.position, _quote(source.message.content, scores), share)


def _closest(equal: Sequence[_Candidate], scores: Mapping[str, int]) -> _Candidate:
    """The one that says it closest together, together with most of the question; then the newest.

    What the offline model repeated in a reply of its own comes after what it repeats.
    """
    if len(equal) == 1:
        return equal[0]

    def order(at: int) -> tuple[bool, int, int]:
        message = equal[at].message
        repeats = message.role == "assistant" and phrases.quoted(message.content) is not None
        return not repeats, _densest(_hits(_flat(message.content), scores), scores, NEAR_CHARS)[0], at

    return equal[max(range(len(equal)), key=order)]


# Terms


def _keys(text: str) -> frozenset[str]:
    """The normal forms of all content words of ``text``; each spelling is looked at once."""
    return frozenset(key for token in set(_TOKEN.findall(_composed(text))) for key in _normal_forms(token))


def _weights(text: str) -> dict[str, int]:
    """The content words of one sentence and what each weighs."""
    weights: dict[str, int] = {}
    for match in _TOKEN.finditer(text):
        before = text[: match.start()].rstrip()[-1:]
        weight = _weight(match.group(), begins=not before or before in _BEFORE_A_SENTENCE)
        for key in _normal_forms(match.group()):
            weights[key] = max(weight, weights.get(key, 0))
    return weights


def _weight(token: str, begins: bool) -> int:
    if _DIGIT.search(token) or token.casefold() in NUMBER_WORDS:
        return NUMBER_WEIGHT
    is_name = token[0].isupper() and (not begins or (len(token) > 1 and token.isupper()))
    return NAME_WEIGHT if is_name else WORD_WEIGHT


@lru_cache(maxsize=16_384)
def _normal_forms(token: str) -> tuple[str, ...]:
    """What a token is compared by: a number's value, a word's stem, the character pairs of an unspaced run."""
    if _UNSPACED.match(token):
        return tuple(content_words(token) - _FRAMING)
    if token[0].isdecimal() and token[-1].isdecimal() and not any(map(str.isalpha, token)):
        return (_number(token),)
    word = unicodedata.normalize("NFKC", token).casefold()
    return () if word in _FRAMING else (stem(word),)


def _number(token: str) -> str:
    """A number's value as text: no separators of thousands, a point before decimals, no zeros at their end."""
    groups = re.split(r"\D", "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in token))
    whole, last = "".join(groups[:-1]), groups[-1]
    in_thousands = all(len(group) == 3 for group in groups[1:-1])
    if len(groups) == 1:
        value = last[1:] if len(last) == 2 and last[0] == "0" else last  # 09:05 is 9:05
    elif in_thousands and len(last) == 3 and groups[0][0] != "0":
        value = whole + last
    else:
        value = f"{whole}.{last.rstrip('0')}".rstrip(".") if in_thousands else ".".join(groups)
    return SAME_WORD.get(value, value)


# Places


def _composed(text: str) -> str:
    """``text`` with letters and their accents as one character, so that they make one word."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _flat(text: str) -> str:
    return _BREAK.sub(" ", _composed(text)).strip()


class _Hit(NamedTuple):
    start: int
    stop: int
    key: str


def _hits(text: str, wanted: Mapping[str, int]) -> list[_Hit]:
    """The places of the wanted terms in ``text``, in order."""
    tokens = {token for token in set(_TOKEN.findall(text)) if not wanted.keys().isdisjoint(_normal_forms(token))}
    found: list[_Hit] = []
    for match in _TOKEN.finditer(text) if tokens else ():
        token = match.group()
        if token not in tokens:
            continue
        if _UNSPACED.match(token):
            found.extend(_hits_in_run(token, match.start(), wanted))
        else:
            found.append(_Hit(match.start(), match.end(), _normal_forms(token)[0]))
    return found


def _hits_in_run(run: str, offset: int, wanted: Mapping[str, int]) -> Iterator[_Hit]:
    for at in range(len(run)):
        for size in (1, 2):
            if run[at : at + size] in wanted:
                yield _Hit(offset + at, offset + min(at + size, len(run)), run[at : at + size])


def _densest(hits: Sequence[_Hit], scores: Mapping[str, int], chars: int) -> tuple[int, int, int]:
    """The stretch of at most ``chars`` characters whose different terms score most: score, start, stop."""
    best, score, first = (0, 0, 0), 0, 0
    inside: Counter[str] = Counter()
    for hit in hits:
        score += scores[hit.key] if not inside[hit.key] else 0
        inside[hit.key] += 1
        while hits[first] is not hit and hit.stop - hits[first].start > chars:
            inside[hits[first].key] -= 1
            score -= scores[hits[first].key] if not inside[hits[first].key] else 0
            first += 1
        if score > best[0]:
            best = score, hits[first].start, hit.stop
    return best


def _quote(content: str, scores: Mapping[str, int]) -> str:
    """The sentence around the match, or as much of it as there is room for, on one line."""
    text = _flat(content)
    _, start, stop = _densest(_hits(text, scores), scores, QUOTE_CHARS - 2)
    room = max(0, QUOTE_CHARS - 2 - (stop - start))
    lowest = max(0, start - room)
    begins = [match.end() for match in _SENTENCE_START.finditer(text, lowest, start + 1) if match.end() <= start]
    left = begins[-1] if begins else lowest if lowest == 0 else _next_word(text, lowest + room // 2, start)
    right = min(len(text), left + QUOTE_CHARS - 2)
    if right < len(text):
        right = _last_word(text, max(stop, left + 1), right)
    piece = text[left:right].strip()
    whole = right == len(text) or piece.endswith(_ENDS)
    return "…" * (left > 0 and not begins) + piece + "…" * (not whole)


def _next_word(text: str, at: int, stop: int) -> int:
    """The first start of a word from ``at`` on, before ``stop``; ``at`` where no space is near."""
    space = text.find(" ", at, stop)
    return space + 1 if space >= 0 else at


def _last_word(text: str, least: int, at: int) -> int:
    """The last end of a sentence or word up to ``at``, not before ``least``; ``at`` where no space is near."""
    ends = [match.start() for match in _SENTENCE_START.finditer(text, least, at)]
    space = text.rfind(" ", least, at + 1)
    return ends[0] if ends else space if space >= 0 else at
