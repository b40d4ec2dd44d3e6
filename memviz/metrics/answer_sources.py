"""The sources of answers: where in the context that was sent an answer comes from, and a
quotation of that place. No model is asked."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memviz.core.context import BlockKind, Context
from memviz.core.messages import Message
from memviz.core.text import phrases
from memviz.core.text.sentences import passage, without_markup
from memviz.core.text.terms import (
    IS_UNSPACED,
    NUMBER_WEIGHT,
    TOKEN,
    composed,
    keys,
    normal_forms,
    weights_of,
)

SourceKind = Literal["verbatim", "recalled", "summary", "system"]

LEAST_SHARE = 0.6
"""A message is a source from this share of the answer's weight on. Lower ones are met by messages that
merely have the topic in common; higher ones miss an answer in other words."""
LEAST_STATEMENT_WEIGHT = NUMBER_WEIGHT
"""A sentence of an answer is looked up by itself if it holds a number, a name and a word, or three words;
the one that holds most is at any rate."""
MAX_STATEMENTS = 8
"""Only the heaviest sentences of an answer are, so that a long one costs no more."""
LEAST_QUOTED_BYTES = 20
"""A shorter sentence, in UTF-8, stands in many messages to the letter without being quoted from one."""
NEAR_CHARS = 300
"""The stretch of a message in which the answer's words, and the question's, are taken to belong together."""

_KIND_OF_BLOCK: dict[BlockKind, SourceKind] = {
    "history": "verbatim", "recalled": "recalled", "summary": "summary", "system": "system",
}  # fmt: skip
_PREFERRED: tuple[SourceKind, ...] = ("verbatim", "recalled", "summary", "system")

_NOT = r"(?:n['’]t| not| never)(?: \w+)?"
_IGNORANT = re.compile(
    rf"\byou(?:['’]ve| have| had| did)?{_NOT} (?:tell|told|mention|sa[iy]|stat|specif|provid|shar|g[ai]v)"
    rf"|\b(?:is|was|are|were|has|have|had){_NOT} (?:mention|stat|specif|provid|includ|discuss)"
    r"|\bno (?:mention|record|information|memory|details?|reference)\b|\bno idea\b"
    r"|\b(?:unable to|can['’]?t|cannot|can not) (?:find|recall|tell|determine|answer|say)\b"
    r"|没有?(?:告诉|说过|说明|提到|提过|提供|找到|记录)|未(?:提及|提到|提供|说明)|不知道|不记得|无法(?:得知|确定|回答|知道)",
    re.IGNORECASE,
)
QUOTE_CHARS = 120
"""Most characters of a quotation."""
_BREAK = re.compile(r"[ \t\n\r\f\v\x1c-\x1f\x85\u2028\u2029]+")
"""White space, but not the spaces that part thousands."""
_ENDS = (".", "!", "?", "。", "！", "？")
_SENTENCE_START = re.compile(r"(?<=[.!?] )|(?<=[。！？])")


def flat(text: str) -> str:
    """Return ``text`` on one line."""
    return _BREAK.sub(" ", composed(text)).strip()


class Hit(NamedTuple):
    """A term in a text: its characters ``[start, stop)``, and its normal form."""

    start: int
    stop: int
    key: str


def hits_of(text: str, wanted: Mapping[str, int]) -> list[Hit]:
    """Return the places of the wanted terms in ``text``, in order."""
    is_wanted = {
        token: not wanted.keys().isdisjoint(normal_forms(token))
        for token in set(TOKEN.findall(text))
    }
    found: list[Hit] = []
    for match in TOKEN.finditer(text) if any(is_wanted.values()) else ():
        token = match.group()
        if not is_wanted[token]:
            continue
        if IS_UNSPACED.match(token):
            found += _hits_in_run(token, match.start(), wanted)
        else:
            found.append(Hit(*match.span(), normal_forms(token)[0]))
    return found


def _hits_in_run(run: str, offset: int, wanted: Mapping[str, int]) -> Iterator[Hit]:
    for at in range(len(run)):
        for size in (1, 2):
            key = run[at : at + size]
            if key in wanted:
                yield Hit(offset + at, offset + at + len(key), key)


def densest(
    hits: Sequence[Hit], scores: Mapping[str, int], chars: int
) -> tuple[int, int, int]:
    """Return the stretch of at most ``chars`` characters whose different terms score most: score, start, stop."""
    best = (0, 0, 0)
    score = 0
    first = 0
    inside: Counter[str] = Counter()
    for hit in hits:
        if not inside[hit.key]:
            score += scores[hit.key]
        inside[hit.key] += 1
        while hits[first] is not hit and hit.stop - hits[first].start > chars:
            left = hits[first].key
            inside[left] -= 1
            if not inside[left]:
                score -= scores[left]
            first += 1
        if score > best[0]:
            best = score, hits[first].start, hit.stop
    return best


def quote(content: str, scores: Mapping[str, int]) -> str:
    """Return the sentence around the match, or as much of it as there is room for, on one line."""
    text = flat(content)
    most = QUOTE_CHARS - 2
    _, start, stop = densest(hits_of(text, scores), scores, most)
    room = max(0, most - (stop - start))
    lowest = max(0, start - room)
    matches = _SENTENCE_START.finditer(text, lowest, start + 1)
    begins = [match.end() for match in matches if match.end() <= start]
    left = lowest
    if begins:
        left = begins[-1]
    elif lowest:
        left = _next_word(text, lowest + room // 2, start)
    right = min(len(text), left + most)
    if right < len(text):
        right = _last_word(text, max(stop, left + 1), right)
    piece = text[left:right].strip()
    if left > 0 and not begins:
        piece = f"…{piece}"
    is_whole = right == len(text) or piece.endswith(_ENDS)
    return piece if is_whole else f"{piece}…"


def _next_word(text: str, at: int, stop: int) -> int:
    """Return the first start of a word from ``at`` on, before ``stop``; ``at`` where no space is near."""
    space = text.find(" ", at, stop)
    return space + 1 if space >= 0 else at


def _last_word(text: str, least: int, at: int) -> int:
    """Return the last end of a sentence or word up to ``at``, not before ``least``; ``at`` where no space is near."""
    ends = [match.start() for match in _SENTENCE_START.finditer(text, least, at)]
    if ends:
        return ends[0]
    space = text.rfind(" ", least, at + 1)
    return space if space >= 0 else at


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The place that an answer comes from."""

    kind: SourceKind | None = None
    """``None`` if it is not in the context."""
    position: int | None = None
    """The log position of the message, ``None`` for a summary or the system prompt."""
    quote: str = ""
    """A piece of the source around the match, one line of at most 120 characters."""
    share: float = 0.0
    """The part (0 to 1) of the weight of the answer's key terms, or of one sentence's where only that has a source,
    that the source holds; without a source, the most that any message holds."""


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
    """Return the message of ``context`` that holds most of what ``answer`` says and ``question`` does not.

    Key terms are numbers (3,000 is 3000), names and other content words, pairs of characters in
    Chinese; they count as whole words, and numbers and names weigh more. An answer without any, or one
    that says it does not know, has no source. A message that a sentence of the answer quotes to the
    letter comes first. Of sources that hold as much, one word for word is taken before a recalled one, a
    summary, the system prompt; then the one that says it closest together; then the newest. The input
    is no source.
    """
    asked = keys(question)
    told = _telling(list(_statements(answer, asked)))
    whole = _together(told)
    if not whole:
        return AnswerSource()
    candidates = list(_candidates(context))
    others = told[1:MAX_STATEMENTS]
    heavy = [one for one in others if one.weight >= LEAST_STATEMENT_WEIGHT]
    stated = [told[0], *heavy]
    found = _quoted(candidates, stated, asked) or _best(candidates, whole, asked)
    if found.kind is not None or len(told) == 1:
        return found
    for statement in stated:
        source = _best(candidates, statement.weights, asked)
        if source.kind is not None:
            return source
    return found


def _together(statements: Sequence[_Statement]) -> dict[str, int]:
    """Return the terms of all statements, each with the most it weighs in any."""
    whole: dict[str, int] = {}
    for statement in statements:
        for key, weight in statement.weights.items():
            whole[key] = max(weight, whole.get(key, 0))
    return whole


def _telling(statements: Sequence[_Statement]) -> list[_Statement]:
    """Return those that tell anything, most first; questions only if there is nothing else."""
    telling = [one for one in statements if one.weights]
    stating = [one for one in telling if not one.asks]
    return sorted(stating or telling, key=lambda one: -one.weight)


def _statements(answer: str, asked: frozenset[str]) -> Iterator[_Statement]:
    """Yield the sentences of an answer without those that say that something is not known; a quoted one may."""
    for sentence in passage(composed(answer)).sentences:
        text = sentence.text
        is_ignorant = phrases.admits_ignorance(text) or _IGNORANT.search(text)
        if is_ignorant and not sentence.echo:
            continue
        weights = weights_of(text)
        told = {key: weight for key, weight in weights.items() if key not in asked}
        yield _Statement(text, told, sentence.is_question)


def _candidates(context: Context) -> Iterator[_Candidate]:
    for block in context.blocks:
        kind = _KIND_OF_BLOCK.get(block.kind)
        if kind is None:
            continue
        said = block.messages
        if not said and block.text:
            # A summary that stands inside the system prompt has no message of its own.
            said = (Message("system", block.text),)
        positions: Sequence[int | None] = (None,) * len(said)
        if kind in ("verbatim", "recalled") and len(block.indices) == len(said):
            positions = block.indices
        for position, message in zip(positions, said, strict=True):
            # As the sentences of the answer are read.
            plain = without_markup(message.content)
            known = keys(message.content) | keys(plain)
            yield _Candidate(kind, position, message, known)


def _quoted(
    candidates: Sequence[_Candidate],
    statements: Sequence[_Statement],
    asked: frozenset[str],
) -> AnswerSource | None:
    """Return a message that holds one of the statements to the letter."""
    for statement in statements:
        if len(statement.text.encode("utf-8", "replace")) < LEAST_QUOTED_BYTES:
            continue
        holding = [one for one in candidates if one.keys >= statement.weights.keys()]
        letters = _letters(statement.text)
        exact = [one for one in holding if _quotes(one.message.content, letters)]
        if exact:
            return _preferred(exact, statement.weights, asked, 1.0)
    return None


def _quotes(content: str, letters: str) -> bool:
    return letters in _letters(content) or letters in _letters(without_markup(content))


def _letters(text: str) -> str:
    """Return what a quotation has to have in common: not the case, the white space, or the full stop."""
    return flat(text).casefold().rstrip(".。!！ …")


def _best(
    candidates: Sequence[_Candidate], weights: Mapping[str, int], asked: frozenset[str]
) -> AnswerSource:
    most = 0
    equal: list[_Candidate] = []
    for candidate in candidates:
        held = sum(weights[key] for key in weights.keys() & candidate.keys)
        if held > most:
            most = held
            equal = []
        if held == most:
            equal.append(candidate)
    share = most / sum(weights.values())
    if share < LEAST_SHARE:
        return AnswerSource(share=share)
    return _preferred(equal, weights, asked, share)


def _preferred(
    equal: Sequence[_Candidate],
    weights: Mapping[str, int],
    asked: frozenset[str],
    share: float,
) -> AnswerSource:
    """Return one of several sources that hold as much: by kind, then by how close together they say it."""
    kind = min((candidate.kind for candidate in equal), key=_PREFERRED.index)
    scores = dict.fromkeys(asked, 1)
    scores |= {key: 1000 * weight for key, weight in weights.items()}
    source = _closest([one for one in equal if one.kind == kind], scores)
    quoted = quote(source.message.content, scores)
    return AnswerSource(kind, source.position, quoted, share)


def _closest(equal: Sequence[_Candidate], scores: Mapping[str, int]) -> _Candidate:
    """Return the one that says it closest together, together with most of the question; then the newest.

    What the offline model repeated in a reply of its own comes after what it repeats.
    """
    if len(equal) == 1:
        return equal[0]

    def rank(at: int) -> tuple[bool, int, int]:
        message = equal[at].message
        is_own = message.role != "assistant" or phrases.quoted(message.content) is None
        hits = hits_of(flat(message.content), scores)
        return is_own, densest(hits, scores, NEAR_CHARS)[0], at

    return equal[max(range(len(equal)), key=rank)]
