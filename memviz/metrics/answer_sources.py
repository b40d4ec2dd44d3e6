"""The sources of answers: where in the context that was sent an answer comes from, and a
quotation of that place. No model is asked."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from memviz.core.context import BlockKind, Context
from memviz.core.messages import Message
from memviz.core.text import phrases
from memviz.core.text.sentences import remove_markup, split_passage
from memviz.core.text.terms import (
    NUMBER_WEIGHT,
    compose_accents,
    normal_forms_of_text,
    weigh_content_words,
)
from memviz.metrics.quotations import (
    cut_quotation,
    find_densest_stretch,
    find_hits,
    flatten_text,
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

# "you never told me", "it is not mentioned", "no record", "I can't find", "没有提到"
_NOT = r"(?:n['’]t| not| never)(?: \w+)?"
# "you have not told me", "is not mentioned"
_IGNORANT = re.compile(
    rf"\byou(?:['’]ve| have| had| did)?{_NOT} (?:tell|told|mention|sa[iy]|stat|specif|provid|shar|g[ai]v)"
    rf"|\b(?:is|was|are|were|has|have|had){_NOT} (?:mention|stat|specif|provid|includ|discuss)"
    r"|\bno (?:mention|record|information|memory|details?|reference)\b|\bno idea\b"
    r"|\b(?:unable to|can['’]?t|cannot|can not) (?:find|recall|tell|determine|answer|say)\b"
    r"|没有?(?:告诉|说过|说明|提到|提过|提供|找到|记录)|未(?:提及|提到|提供|说明)|不知道|不记得|无法(?:得知|确定|回答|知道)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnswerSource:
    """The message of a request that an answer comes from."""

    kind: SourceKind | None = None
    """The kind of the message; ``None`` if no message holds the answer."""
    position: int | None = None
    """The log position of the message; ``None`` for a summary or the system prompt."""
    quote: str = ""
    """A piece of the message around the match, in one line of at most 120 characters."""
    share: float = 0.0
    """The share (0 to 1) of the weight of the answer's key terms that the source holds, or of one sentence's terms if
    only that has a source. Without a source, the largest share of any message."""


class _Candidate(NamedTuple):
    """A message that an answer may come from, with its terms in normal form (``keys``)."""

    kind: SourceKind
    position: int | None
    message: Message
    keys: frozenset[str]


class _Statement(NamedTuple):
    """A sentence of an answer, with the weights of its terms that the question lacks."""

    text: str
    weights: dict[str, int]
    asks: bool

    @property
    def weight(self) -> int:
        return sum(self.weights.values())


def find_answer_source(context: Context, question: str, answer: str) -> AnswerSource:
    """Return the message of ``context`` that holds most of what ``answer`` says and ``question`` does not.

    They are compared by key terms: numbers (3,000 is 3000), names, other content words, and pairs of characters in
    Chinese. Numbers and names weigh more. An answer without key terms, or one that says that it does not know, has no
    source, and the input is never a source.

    A message that a sentence of the answer quotes to the letter comes first. Of messages that hold equally much, one
    in the history comes before a recalled one, a summary, and the system prompt; then the one with the terms closest
    together; then the newest.
    """
    # What the question says already tells nothing about where the answer comes from.
    asked = normal_forms_of_text(question)
    telling = _sort_telling(list(_split_statements(answer, asked)))
    weights = _merge_weights(telling)
    if not weights:
        return AnswerSource()
    candidates = list(_list_candidates(context))
    heavy = telling[:1]
    for statement in telling[1:MAX_STATEMENTS]:
        if statement.weight >= LEAST_STATEMENT_WEIGHT:
            heavy.append(statement)
    # First a message that is quoted, then the one that holds most of the whole answer. An answer may also combine
    # several messages, so at last the one that holds most of a single sentence.
    source = _find_quoted(candidates, heavy, asked) or _find_best(
        candidates, weights, asked
    )
    if source.kind is not None or len(telling) == 1:
        return source
    for statement in heavy:
        statement_source = _find_best(candidates, statement.weights, asked)
        if statement_source.kind is not None:
            return statement_source
    return source


def _merge_weights(statements: Sequence[_Statement]) -> dict[str, int]:
    """Return the terms of all statements, each with its largest weight in any of them."""
    weights: dict[str, int] = {}
    for statement in statements:
        for key, weight in statement.weights.items():
            weights[key] = max(weight, weights.get(key, 0))
    return weights


def _sort_telling(statements: Sequence[_Statement]) -> list[_Statement]:
    """Return the statements with any key term, the heaviest first; questions only if there are no others."""
    telling = [statement for statement in statements if statement.weights]
    stating = [statement for statement in telling if not statement.asks]
    return sorted(stating or telling, key=lambda statement: -statement.weight)


def _split_statements(answer: str, asked: frozenset[str]) -> Iterator[_Statement]:
    """Yield the sentences of an answer, without those that say that something is not known, unless it quotes them."""
    for sentence in split_passage(compose_accents(answer)).sentences:
        text = sentence.text
        is_ignorant = phrases.admits_ignorance(text) or _IGNORANT.search(text)
        if is_ignorant and not sentence.echo:
            continue
        weights = weigh_content_words(text)
        new = {key: weight for key, weight in weights.items() if key not in asked}
        yield _Statement(text, new, sentence.is_question)


def _list_candidates(context: Context) -> Iterator[_Candidate]:
    """Yield the messages of a request that an answer may come from, in order."""
    for block in context.blocks:
        kind = _KIND_OF_BLOCK.get(block.kind)
        if kind is None:
            continue
        messages = block.messages
        if not messages and block.text:
            # A summary inside the system prompt has no message of its own.
            messages = (Message("system", block.text),)
        positions: Sequence[int | None] = (None,) * len(messages)
        if kind in ("verbatim", "recalled") and len(block.indices) == len(messages):
            positions = block.indices
        for position, message in zip(positions, messages, strict=True):
            # Also without markup, because the sentences of the answer are read without it.
            terms = normal_forms_of_text(message.content) | normal_forms_of_text(
                remove_markup(message.content)
            )
            yield _Candidate(kind, position, message, terms)


def _find_quoted(
    candidates: Sequence[_Candidate],
    statements: Sequence[_Statement],
    asked: frozenset[str],
) -> AnswerSource | None:
    """Return the source that contains one of the statements to the letter; ``None`` where none does."""
    for statement in statements:
        if len(statement.text.encode("utf-8", "replace")) < LEAST_QUOTED_BYTES:
            continue
        letters = _strip_letters(statement.text)
        exact = []
        for candidate in candidates:
            # Terms are compared first, because that is cheap and rules out nearly all messages.
            has_terms = candidate.keys >= statement.weights.keys()
            if has_terms and _quotes(candidate.message.content, letters):
                exact.append(candidate)
        if exact:
            return _choose_preferred(exact, statement.weights, asked, 1.0)
    return None


def _quotes(content: str, letters: str) -> bool:
    return letters in _strip_letters(content) or letters in _strip_letters(
        remove_markup(content)
    )


def _strip_letters(text: str) -> str:
    """Return a text without what a quotation may change: case, white space, and the full stop at the end."""
    return flatten_text(text).casefold().rstrip(".。!！ …")


def _find_best(
    candidates: Sequence[_Candidate], weights: Mapping[str, int], asked: frozenset[str]
) -> AnswerSource:
    """Return the source that holds most of the terms in ``weights``; one without a kind where that is too little."""
    most = 0
    equal: list[_Candidate] = []
    for candidate in candidates:
        weight = sum(weights[key] for key in weights.keys() & candidate.keys)
        if weight > most:
            most = weight
            equal = []
        if weight == most:
            equal.append(candidate)
    # If even the best holds little of the answer, it has no source.
    share = most / sum(weights.values())
    if share < LEAST_SHARE:
        return AnswerSource(share=share)
    return _choose_preferred(equal, weights, asked, share)


def _choose_preferred(
    equal: Sequence[_Candidate],
    weights: Mapping[str, int],
    asked: frozenset[str],
    share: float,
) -> AnswerSource:
    """Return one of several sources that hold equally much: by kind, then by how close together the terms are."""
    kind = min((candidate.kind for candidate in equal), key=_PREFERRED.index)
    # The words of the question only decide between places with equally much of the answer.
    scores = dict.fromkeys(asked, 1)
    scores |= {key: 1000 * weight for key, weight in weights.items()}
    of_kind = [candidate for candidate in equal if candidate.kind == kind]
    source = _choose_closest(of_kind, scores)
    quoted = cut_quotation(source.message.content, scores)
    return AnswerSource(kind, source.position, quoted, share)


def _choose_closest(
    equal: Sequence[_Candidate], scores: Mapping[str, int]
) -> _Candidate:
    """Return the candidate with the terms of answer and question closest together; of equal ones, the newest.

    A reply in which the offline model repeated a message counts less than that message.
    """
    if len(equal) == 1:
        return equal[0]

    def rank(at: int) -> tuple[bool, int, int]:
        message = equal[at].message
        is_own = (
            message.role != "assistant"
            or phrases.find_quotation(message.content) is None
        )
        hits = find_hits(flatten_text(message.content), scores)
        return is_own, find_densest_stretch(hits, scores, NEAR_CHARS)[0], at

    return equal[max(range(len(equal)), key=rank)]
