"""The common part of strategies that send the newest messages beside what they noted or look up."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from memviz.core import small_embedding
from memviz.core.memory import Memory
from memviz.core.text.wording import listed
from memviz.core.text.words import content_words
from memviz.core.translation import _
from memviz.core.vectors import VectorIndex, texts_of
from memviz.core.word_index import WordIndex, is_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from memviz.core.conversation import Log
    from memviz.strategies.base import Strategy
    from memviz.strategies.clauses import Fill


LINES_KEPT = 4096
"""The most lines of questions whose words are remembered."""
LONGEST_KEPT_CHARS = 2_000
"""The longest of them: a pasted log may be one line."""


class Hit(NamedTuple):
    """An earlier message that was found."""

    position: int
    score: float


class Scores(NamedTuple):
    """The scores of the texts that are searched, one each."""

    words: NDArray[np.float64]
    """BM25; 0 where words do not count."""
    nearness: NDArray[np.float64]
    """Cosines by an embedding; 0 where none is asked for."""
    total: NDArray[np.float64]
    """What the best are found by: the words' alone or the weighted sum of both."""


def find_newest_start(memory: Memory, newest_messages: int) -> int:
    """Return the position of the first of the newest messages, the input among them at least; a result of a tool has
    its call with it."""
    start = min(memory.before_input, memory.length - newest_messages)
    start = max(memory.history_start, start)
    log = memory.log
    if start < memory.length and log[start].role == "tool":
        caller = log.tools.call_of.get(start)
        return start if caller is None else max(memory.history_start, caller)
    return start


def find_due_messages(memory: Memory, fill: Fill) -> range:
    """Return the positions of the messages that are to be noted now; none where ``fill`` is not over its limit.

    Those of all completed turns can be noted, and where none is complete all that a user said in a row. Calls of tools
    and their results are not parted.
    """
    stop = memory.before_open_turn
    if stop <= memory.cursor and memory.log[memory.length - 1].role == "user":
        stop = memory.length
    return range(memory.cursor, stop) if fill.is_over else range(0)


def text_of(memory: Memory, positions: range) -> str:
    """Return what people and the assistant said at these positions."""
    messages = memory.messages(positions)
    return "\n".join(message.content for message in messages if is_text(message))


def words_of(memory: Memory, positions: range) -> frozenset[str]:
    """Return the stems in what people and the assistant said at these positions."""
    return _words_in(text_of(memory, positions))


def _words_in(text: str) -> frozenset[str]:
    """Return the stems in a text. No word goes across a line break, so those of a line are found once, whether it
    stands alone or among others, and for all settings that look it up."""
    return frozenset().union(*map(_words_in_line, text.split("\n")))


def _words_in_line(line: str) -> frozenset[str]:
    if len(line) > LONGEST_KEPT_CHARS:
        return content_words(line)
    return _kept_words_in_line(line)


_kept_words_in_line = lru_cache(maxsize=LINES_KEPT)(content_words)


def score_texts(
    words: WordIndex | None,
    vectors: VectorIndex | None,
    question: str,
    sought: range,
    percent: int,
) -> Scores:
    """Return the scores of the texts at the positions ``sought``, by the words of a question and by nearness to it,
    ``percent`` of it nearness; what does not count needs no index."""
    import numpy as np  # only a search waits for it

    start = sought.start
    stop = sought.stop
    nothing = np.zeros(len(sought))
    by_words = nothing
    if words is not None:
        by_words = words.scores(_words_in(question), start, stop)
    if vectors is None:
        return Scores(by_words, nothing, by_words)
    nearness = vectors.nearness(question, start, stop)
    return Scores(by_words, nearness, add_weighted(by_words, nearness, percent))


def why_found_by_words(
    memory: Memory, words: frozenset[str], hit: Hit, rank: int, found: int
) -> str:
    """Return the words of a question that a message holds, which was found with a score (``hit``), and its place among
    those that hold any."""
    return _(
        "number {rank:,} of {found:,} that hold words of the question ({words}), score {score:.1f}",
        rank=rank,
        found=found,
        words=listed(memory.log.word_index().words_of(words, hit.position)),
        score=hit.score,
    )


def why_no_embedding(percent: int, model: str | None) -> str:
    """The reason why texts cannot be compared by their meaning: the small embedding is asked for, and is not installed;
    empty where they can."""
    is_missing = percent and not model and not small_embedding.is_installed()
    return _(small_embedding.MISSING) if is_missing else ""


def embedding_asked_by(strategy: object) -> str:
    """The name of the embedding model that a strategy compares vectors of; empty where none has to be asked."""
    if not getattr(strategy, "embedding_percent", 0):
        return ""
    return getattr(strategy, "embedding_model", None) or ""


def texts_compared(strategies: Iterable[Strategy], logs: Iterable[Log]) -> list[str]:
    """The texts of conversations whose vectors strategies are known to compare before they are replayed, each once:
    what is said, and what a request asks where that is another text, as where a speaker has a name."""
    if not any(strategy.looks_up for strategy in strategies):
        return []
    # A dictionary keeps the texts in their order, each once.
    texts: dict[str, None] = {}
    for log in logs:
        texts |= dict.fromkeys(texts_of(log))
        requests = [*log.requests()]
        if log.pending is not None:
            requests.append(log.pending)
        for request in requests:
            asked = log[log.input_start(request.stop) : request.stop]
            contents = [message.content for message in asked if is_text(message)]
            texts["\n".join(contents)] = None
    return [text for text in texts if text.strip()]


def writes_compared_texts(strategy: Strategy) -> bool:
    """Return whether further texts that a strategy compares are only known while it is replayed: facts that a
    summarizer writes, and several messages that are one question."""
    return not strategy.looks_up or getattr(strategy, "query_messages", 1) > 1


def add_weighted(
    words: NDArray[np.float64], nearness: NDArray[np.float64], percent: int
) -> NDArray[np.float64]:
    """Return the weighted sum of two scores of each message, ``percent`` of it nearness: both are first divided by the
    highest of this question, so that 1 is the best."""
    words = words / (words.max(initial=0) or 1)
    nearness = nearness / (nearness.max(initial=0) or 1)
    summed: NDArray[np.float64] = ((100 - percent) * words + percent * nearness) / 100
    return summed


def best_first(scores: NDArray[np.float64], most: int | None = None) -> list[int]:
    """Return the places of the scores above 0, the best first and of equals the later one; at ``most`` so many."""
    import numpy as np  # only a search waits for it

    least = _bound_of_best(scores, most) if most else 0.0
    places = (scores >= least if least > 0 else scores).nonzero()[0]
    if most is None or len(places) > MOST_SORTED_ALONE:
        order = np.lexsort((places, scores[places]))[::-1]
        best: list[int] = places[order][:most].tolist()
        return best
    # Few numbers are sorted sooner without numpy.
    ranked = sorted(zip(scores[places].tolist(), places.tolist(), strict=True))
    ranked.reverse()
    return [place for _, place in ranked[:most]]


def find_best(
    scores: NDArray[np.float64], start: int, most: int | None = None
) -> list[Hit]:
    """Return the messages whose scores are above 0, the best first and of equals the later one; at ``most`` so many.
    The first score is that of the message at position ``start``."""
    places = best_first(scores, most)
    best_scores = scores[places].tolist()
    positions = (start + place for place in places)
    return [*map(Hit, positions, best_scores)]


FIRST_LOOKED_AT = 32


def best_in_steps(
    scores: NDArray[np.float64], most: int | None = None
) -> Iterator[int]:
    """Yield the same places as :func:`best_first`, as far as they are asked for: few of them nearly always, and few
    are found sooner than all."""
    best = best_first(scores, FIRST_LOOKED_AT)
    yield from best
    if len(best) == FIRST_LOOKED_AT:
        yield from best_first(scores, most)[FIRST_LOOKED_AT:]


GROUP_SIZE = 16
MOST_SORTED_ALONE = 64


def _bound_of_best(scores: NDArray[np.float64], most: int) -> float:
    """Return a score that none of the ``most`` best is below; 0 where that is not quickly found."""
    import numpy as np  # only a search waits for it

    # So many groups have a score of at least the bound, and so at least as many scores. The best of each group are
    # found much sooner than an order among all scores.
    count = len(scores)
    if count < most:
        return 0.0
    groups = count // GROUP_SIZE
    if groups >= most:
        grouped = scores[: groups * GROUP_SIZE].reshape(GROUP_SIZE, groups)
        scores = grouped.max(axis=0)
    return float(np.partition(scores, -most)[-most])
