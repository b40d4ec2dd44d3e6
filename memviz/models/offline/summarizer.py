"""Extractive summaries: clauses that state something, the best within a token budget, in their own order.

Of what was said (:mod:`.statements`) an older state of a fact is left out. The rest is ranked by what it tells in how
many words (:mod:`.worth`), and the best are taken, of two that say the same only one. A clause that points back brings
the one before it along. Where several are left they are a list, one fact a line.
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum, log

from memviz.core.text.sentences import Sentence
from memviz.models.offline.statements import Statement, statements_of
from memviz.models.offline.summary_request import Entry, Style
from memviz.models.offline.topics import says_the_same, supersedes

OLDEST_DECAY = 0.7
NEWEST_DECAY = 1.0
"""What a clause of the previous summary keeps of its weight, from the first to the last. The oldest facts
are its first, so a fact that is carried on from summary to summary fades as newer ones join behind it."""
MOST_COMPARED = 50
"""Of many statements about one thing the last so many are looked at for one that no longer holds."""
CANDIDATES = 60
WORTH_SAYING = 0.12
"""A clause with less than this part of the best one's weight is left out even where there is room."""
SAME_WORDS = 0.7
SAME_WORDS_AND_VALUES = 0.5
"""The share of words in common from which on two clauses say the same; less is needed where all values agree."""
RARITY_WEIGHT = 0.1
"""The part that the rarity of its words adds to the weight of a clause."""
COMPRESSION = 3
FREE_TOKENS = 48
"""New text is brought down to a third of its tokens, but the first 48 need not be cut."""
EMPTY_SUMMARY = "Nothing was said."
"""The summary of messages without text: an empty one would count as a failure."""
MOST_TOKEN_CHARS = 40
"""Tokens are shorter than so many characters; what is longer than all of a budget could be is cut before it is
counted, so that a huge text costs no more than it has to."""


@dataclass(slots=True, eq=False)
class Candidate:
    """A statement among all that were made, with what it weighs here, and the one that it points back to, if any."""

    position: int
    statement: Statement
    weight: float
    leader: Candidate | None

    @property
    def sentence(self) -> Sentence:
        """The clause."""
        return self.statement.sentence


def candidates_of(entries: Iterable[Entry]) -> list[Candidate]:
    """Return the statements, without those that a later statement supersedes."""
    candidates: list[Candidate] = []
    for entry in entries:
        statements = statements_of(entry)
        before: Candidate | None = None
        for number, statement in enumerate(statements, start=1):
            weight = statement.weight
            # The older a statement of an earlier summary, the more it has faded: lines stand in their order.
            if entry.role == "summary":
                fading = NEWEST_DECAY - OLDEST_DECAY
                weight *= OLDEST_DECAY + fading * number / len(statements)
            leader = before if statement.points_back else None
            before = Candidate(len(candidates), statement, weight, leader)
            candidates.append(before)
    return _in_force(candidates)


def _in_force(candidates: list[Candidate]) -> list[Candidate]:
    """Return the candidates without older states of what changed; the newest is worth no less than they were."""
    in_force = dict.fromkeys(candidates)
    by_subject: dict[frozenset[str], list[Candidate]] = {}
    by_value: dict[str, list[Candidate]] = {}
    for candidate in candidates:
        topic = candidate.statement.topic
        if not topic.about and not topic.values:
            # Without a value it replaces nothing, and nothing replaces it.
            continue
        of_subject = by_subject.setdefault(topic.about, []) if topic.about else []
        older = of_subject[-MOST_COMPARED:]
        for value in topic.replaced:
            older += by_value.get(value, ())
        superseded = [old for old in older if supersedes(topic, old.statement.topic)]
        for old in superseded:
            in_force.pop(old, None)
            candidate.weight = max(candidate.weight, old.weight)
        of_subject.append(candidate)
        for value in topic.values:
            by_value.setdefault(value, []).append(candidate)
    return list(in_force)


def rank(candidates: list[Candidate]) -> list[Candidate]:
    """Return the best candidates, best first, with what rare words add to their weight; none before the one it points
    to."""
    frequency = Tally(
        chain.from_iterable(candidate.sentence.words for candidate in candidates)
    )
    count = len(candidates)
    # There are few different frequencies, and a logarithm for each word would take longer.
    rarity_of = {times: log(count / times) for times in set(frequency.values())}
    best = sorted(candidates, key=lambda candidate: -candidate.weight)[:CANDIDATES]
    for candidate in best:
        words = candidate.sentence.words
        # Rounded once, for sets have their words in another order with each start of Python.
        rarities = [rarity_of[frequency[word]] for word in words]
        rarity = fsum(rarities) / (len(words) or 1)
        candidate.weight *= 1 + RARITY_WEIGHT * rarity
    # Along the text, so that a chain of references takes over the weight of its first statement.
    for candidate in sorted(best, key=lambda candidate: candidate.position):
        if candidate.leader is not None:
            candidate.weight = min(candidate.weight, candidate.leader.weight)
    best.sort(key=lambda candidate: (-candidate.weight, candidate.position))
    least_weight = WORTH_SAYING * best[0].weight
    return [candidate for candidate in best if candidate.weight >= least_weight]


def choose(
    best_first: Sequence[Candidate], room_tokens: int, cost: Callable[[Sentence], int]
) -> list[Candidate]:
    """Return the best while they fit, of those that say the same only the first, and none without the one it points
    to; the very best where none fits."""
    selection: list[Candidate] = []
    for candidate in best_first:
        if candidate.leader is not None and candidate.leader not in selection:
            continue
        tokens = cost(candidate.sentence)
        if tokens <= room_tokens and not _is_said(candidate.statement, selection):
            selection.append(candidate)
            room_tokens -= tokens
    return selection or list(best_first[:1])


def _is_said(statement: Statement, selection: Iterable[Candidate]) -> bool:
    """Return whether a candidate of ``selection`` says the same already."""
    words = statement.sentence.words
    for candidate in selection:
        has_shared_words = not words.isdisjoint(candidate.sentence.words)
        if has_shared_words and _includes(candidate.statement, statement):
            return True
    return False


def _includes(statement: Statement, other: Statement) -> bool:
    """Return whether a statement has the values of ``other`` and most of its words."""
    if not says_the_same(statement.topic, other.topic):
        return False
    least_share = SAME_WORDS_AND_VALUES if other.topic.values else SAME_WORDS
    words = other.sentence.subject
    return len(words & statement.sentence.subject) >= least_share * len(words)


def summarize(
    entries: Sequence[Entry],
    budget_tokens: int,
    count: Callable[[str], int],
    *,
    fill: bool = False,
    style: Style = Style.LIST,
) -> str:
    """Return the summary of ``entries`` in at most ``budget_tokens`` tokens (of whatever ``count`` counts), never
    empty. A short text is brought down below the budget, unless it is to ``fill`` it."""
    room_tokens = budget_tokens
    if not fill:
        room_tokens = condensed_tokens(entries, budget_tokens, count)
    lines = best_lines(entries, room_tokens, count, style)
    if not lines:
        text = " ".join(" ".join(entry.text for entry in entries).split())
        return truncate(text or EMPTY_SUMMARY, budget_tokens, count)
    text = write_lines(lines, style)
    return truncate(text, room_tokens, count) if len(lines) == 1 else text


def best_lines(
    entries: Sequence[Entry],
    room_tokens: int,
    count: Callable[[str], int],
    style: Style = Style.LIST,
) -> list[str]:
    """Return the most informative clauses that fit into ``room_tokens`` together, in their order, each with the one
    that it points back to; one that is larger where none fits, and none where nothing is stated."""
    candidates = candidates_of(entries)
    if not candidates:
        return []
    line = "- {}\n" if style is Style.LIST else "{} "

    def cost(sentence: Sentence) -> int:
        return count(line.format(sentence.ended))

    selection = choose(rank(candidates), room_tokens, cost)
    lines = _lines_of(selection)
    # Joining can cost a token or two more than the sum says.
    while len(selection) > 1 and count(write_lines(lines, style)) > room_tokens:
        # What points back to the least goes with it.
        least = selection.pop()
        selection = [other for other in selection if other.leader is not least]
        lines = _lines_of(selection)
    return lines


def condensed_tokens(
    entries: Sequence[Entry], budget_tokens: int, count: Callable[[str], int]
) -> int:
    """Return the tokens of the earlier summary plus a share of what is new, at most the
    budget."""
    carried_tokens = sum(
        count(entry.text) for entry in entries if entry.role == "summary"
    )
    # In a long conversation the earlier summary fills the budget: to count all that is
    # new would take a tenth of the time of a summary, and change nothing.
    if carried_tokens + FREE_TOKENS >= budget_tokens:
        return budget_tokens
    new_tokens = sum(count(entry.text) for entry in entries if entry.role != "summary")
    share_tokens = max(FREE_TOKENS, new_tokens // COMPRESSION)
    return min(budget_tokens, carried_tokens + share_tokens)


def _lines_of(selection: Iterable[Candidate]) -> list[str]:
    """Return one line a clause, in their old order; what points back stands behind what it points to."""
    lines: list[str] = []
    for candidate in sorted(selection, key=lambda candidate: candidate.position):
        text = candidate.sentence.ended
        if candidate.leader is not None and lines:
            lines[-1] = _join([lines[-1], text])
        else:
            lines.append(text)
    return lines


def write_lines(lines: Sequence[str], style: Style) -> str:
    """Return several lines as a list, or as sentences; a single one as it is."""
    if style is Style.SENTENCES or len(lines) < 2:
        return _join(lines)
    return "\n".join(f"- {line}" for line in lines)


def _join(lines: Iterable[str]) -> str:
    text = ""
    for line in lines:
        is_open = bool(text) and not text.endswith(("。", "！", "？"))
        text += f" {line}" if is_open else line
    return text


def truncate(text: str, budget_tokens: int, count: Callable[[str], int]) -> str:
    """Return the longest beginning of ``text`` within ``budget_tokens``, cut between words where there is a space."""
    # Longer than that it cannot be in any case, and to count a long text takes long.
    text = text[: MOST_TOKEN_CHARS * (budget_tokens + 1)]
    if count(text) <= budget_tokens:
        return text
    # Bisection: the longest beginning is found with few counts.
    low = 1
    high = len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if count(text[:middle]) <= budget_tokens:
            low = middle
        else:
            high = middle - 1
    space = text.rfind(" ", 0, low + 1)
    return text[: space if space > 0 else low].rstrip()
