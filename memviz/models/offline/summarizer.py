"""Extractive summaries: clauses that state something, the best within a token budget, in their own order.

Of what was said (:mod:`.statements`) an older state of a fact is left out. The rest is ranked by what it tells in how
many words (:mod:`.worth`), and the best are taken, of two that say the same only one. A clause that points back brings
the one before it along. Where several are left they are a list, one fact a line; a prompt that asks for facts one by
one in ``<fact>`` tags gets each of these lines as one.
"""

from __future__ import annotations

import re
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum, log
from typing import NamedTuple

from memviz.core.facts import BAR
from memviz.core.messages import Message
from memviz.core.text.sentences import Sentence
from memviz.models.offline.statements import (
    Statement,
    Topic,
    says_the_same,
    statements_of,
    supersedes,
)
from memviz.models.offline.summary_request import (
    Entry,
    Style,
    entries_in,
    instruction_of,
)
from memviz.models.offline.triples import as_triple

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
    found: list[Candidate] = []
    for entry in entries:
        stated = statements_of(entry)
        before: Candidate | None = None
        for at, statement in enumerate(stated):
            weight = statement.weight
            if entry.role == "summary":
                weight *= OLDEST_DECAY + (NEWEST_DECAY - OLDEST_DECAY) * (at + 1) / len(
                    stated
                )
            leader = before if statement.points_back else None
            before = Candidate(len(found), statement, weight, leader)
            found.append(before)
    return _holding(found)


def _holding(candidates: list[Candidate]) -> list[Candidate]:
    """Without older states of what changed; the newest is worth no less than they were."""
    holding = dict.fromkeys(candidates)
    by_topic: dict[frozenset[str], list[Candidate]] = {}
    by_value: dict[str, list[Candidate]] = {}
    for one in candidates:
        topic = one.statement.topic
        if not topic.about and not topic.values:
            # Without a value it replaces nothing, and nothing replaces it.
            continue
        alike = by_topic.setdefault(topic.about, []) if topic.about else []
        named = chain.from_iterable(by_value.get(value, ()) for value in topic.replaced)
        for old in [
            old
            for old in chain(alike[-MOST_COMPARED:], named)
            if supersedes(topic, old.statement.topic)
        ]:
            holding.pop(old, None)
            one.weight = max(one.weight, old.weight)
        alike.append(one)
        for value in topic.values:
            by_value.setdefault(value, []).append(one)
    return list(holding)


def ranked(candidates: list[Candidate]) -> list[Candidate]:
    """The best candidates, best first, with what rare words add to their weight; none before the one it points to."""
    frequency = Tally(
        chain.from_iterable(candidate.sentence.words for candidate in candidates)
    )
    count = len(candidates)
    rarity_of = {times: log(count / times) for times in set(frequency.values())}
    best = sorted(candidates, key=lambda one: -one.weight)[:CANDIDATES]
    for candidate in best:
        words = candidate.sentence.words
        # Rounded once, for sets have their words in another order with each start of Python.
        rarities = [rarity_of[frequency[word]] for word in words]
        rarity = fsum(rarities) / (len(words) or 1)
        candidate.weight *= 1 + 0.1 * rarity
    for candidate in sorted(best, key=lambda one: one.position):
        if candidate.leader is not None:
            candidate.weight = min(candidate.weight, candidate.leader.weight)
    best.sort(key=lambda one: (-one.weight, one.position))
    return [
        candidate
        for candidate in best
        if candidate.weight >= WORTH_SAYING * best[0].weight
    ]


def choose(
    best_first: Sequence[Candidate], room_tokens: int, cost: Callable[[Sentence], int]
) -> list[Candidate]:
    """Best first while they fit, of those that say the same only the first, and none without the one it points to."""
    chosen: list[Candidate] = []
    for candidate in best_first:
        if candidate.leader is not None and candidate.leader not in chosen:
            continue
        tokens = cost(candidate.sentence)
        if tokens <= room_tokens and not _is_said(candidate, chosen):
            chosen.append(candidate)
            room_tokens -= tokens
    return chosen or list(best_first[:1])


def _is_said(candidate: Candidate, chosen: list[Candidate]) -> bool:
    """Return whether one of ``chosen`` says the same already."""
    words = candidate.sentence.words
    return any(
        not words.isdisjoint(one.sentence.words)
        and _says(one.statement, candidate.statement)
        for one in chosen
    )


def _says(one: Statement, other: Statement) -> bool:
    """Return whether ``one`` has the values of ``other`` and most of its words."""
    if not says_the_same(one.topic, other.topic):
        return False
    told = other.sentence.subject
    shared = len(told & one.sentence.subject)
    return shared >= (
        SAME_WORDS_AND_VALUES if other.topic.values else SAME_WORDS
    ) * len(told)


_FACT = re.compile(r"<fact>(.*?)</fact>", re.DOTALL)
_KNOWN = re.compile(r"<existing_facts>\n(.*?)\n</existing_facts>", re.DOTALL)
_FEWER = re.compile(r"\bfewer than (\d{1,6})\b")
_NUMBERED = re.compile(r'<fact number="(\d{1,9})">(.*?)</fact>', re.DOTALL)


class FactRequest(NamedTuple):
    """The material that facts are to be made of: the ``entries`` of a conversation; or, where ``fewer_than`` is given,
    those facts that are known, of which fewer are to be left. ``numbered`` are known facts by their numbers, by which
    a new fact is to name the one that holds no longer because of it. ``are_triples`` where each is to be a subject, a
    relation and a value."""

    entries: tuple[Entry, ...]
    fewer_than: int | None = None
    numbered: tuple[tuple[str, str], ...] = ()
    are_triples: bool = False


def fact_request(messages: Sequence[Message]) -> FactRequest | None:
    """Return the facts that ``messages`` ask for; ``None`` where they ask for a summary."""
    told = instruction_of(messages)
    if "<fact>" not in told:
        return None
    known = _KNOWN.search(told)
    fewer = _FEWER.search(told[: known.start()]) if known else None
    if known is None or fewer is None:
        numbered = _NUMBERED.findall(known.group(1)) if known else ()
        return FactRequest(
            entries_in(messages),
            numbered=tuple(numbered),
            are_triples=f"subject{BAR}relation{BAR}value" in told,
        )
    facts = (Entry("summary", fact.strip()) for fact in _FACT.findall(known.group(1)))
    return FactRequest(tuple(facts), int(fewer.group(1)))


def facts(request: FactRequest, budget_tokens: int, count: Callable[[str], int]) -> str:
    """The best clauses of the conversation within ``budget_tokens``, or the best of the known facts, each a fact."""
    if request.fewer_than is None:
        chosen = best_lines(
            request.entries,
            condensed_tokens(request.entries, budget_tokens, count),
            count,
        )
    else:  # each line counts as one
        chosen = best_lines(
            request.entries,
            max(1, request.fewer_than - 1),
            lambda text: text.count("\n"),
        )
    lines = ""
    for line in chosen:
        replacing = _replacing(line, request.numbered)
        told = as_triple(line) if request.are_triples else line
        lines += f"  <fact{replacing}>{told}</fact>\n"
    return f"<facts>\n{lines}</facts>" if lines else "<facts></facts>"


def _replacing(line: str, numbered: Sequence[tuple[str, str]]) -> str:
    """The number of the newest known fact that ``line`` supersedes, as it is written in a tag; empty where it
    supersedes none."""
    told = _topics_of(line) if numbered else []
    for number, known in reversed(numbered):
        older = _topics_of(known.replace(BAR, " "))
        if any(supersedes(new, old) for new in told for old in older):
            return f' replaces="{number}"'
    return ""


def _topics_of(line: str) -> list[Topic]:
    return [one.topic for one in statements_of(Entry("summary", line))]


COMPRESSION = 3
FREE_TOKENS = 48
"""New text is brought down to a third of its tokens, but the first 48 need not be cut."""
EMPTY_SUMMARY = "Nothing was said."
"""The summary of messages without text: an empty one would count as a failure."""


def summarize(
    entries: Sequence[Entry],
    budget_tokens: int,
    count: Callable[[str], int],
    *,
    fill: bool = False,
    style: Style = Style.LIST,
) -> str:
    """The summary of ``entries`` in at most ``budget_tokens`` tokens (of whatever ``count`` counts), never empty.
    A short text is brought down below the budget, unless it is to ``fill`` it."""
    room_tokens = (
        budget_tokens if fill else condensed_tokens(entries, budget_tokens, count)
    )
    lines = best_lines(entries, room_tokens, count, style)
    if not lines:
        text = " ".join(" ".join(entry.text for entry in entries).split())
        return truncated(text or EMPTY_SUMMARY, budget_tokens, count)
    text = written(lines, style)
    return truncated(text, room_tokens, count) if len(lines) == 1 else text


def best_lines(
    entries: Sequence[Entry],
    room_tokens: int,
    count: Callable[[str], int],
    style: Style = Style.LIST,
) -> list[str]:
    """The most informative clauses that fit into ``room_tokens`` together, in their order, each with the one that it
    points back to; one that is larger where none fits, and none where nothing is stated."""
    candidates = candidates_of(entries)
    line = "- {}\n" if style is Style.LIST else "{} "
    chosen = (
        choose(
            ranked(candidates), room_tokens, lambda one: count(line.format(one.ended))
        )
        if candidates
        else []
    )
    while True:
        lines = _lines(sorted(chosen, key=lambda one: one.position))
        if len(chosen) < 2 or count(written(lines, style)) <= room_tokens:
            return lines
        _drop_least(chosen)  # joining can cost a token or two more than the sum says


def _drop_least(chosen: list[Candidate]) -> None:
    """Take out what was chosen last, and what points back to it."""
    least = chosen.pop()
    chosen[:] = [one for one in chosen if one.leader is not least]


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


def _lines(chosen: Iterable[Candidate]) -> list[str]:
    """One line a clause; what points back stands behind what it points to."""
    lines: list[str] = []
    for candidate in chosen:
        text = candidate.sentence.ended
        if candidate.leader is not None and lines:
            lines[-1] = _joined([lines[-1], text])
        else:
            lines.append(text)
    return lines


def written(lines: Sequence[str], style: Style) -> str:
    """Several lines as a list, or as sentences; a single one as it is."""
    if style is Style.SENTENCES or len(lines) < 2:
        return _joined(lines)
    return "\n".join(f"- {line}" for line in lines)


def _joined(lines: Iterable[str]) -> str:
    text = ""
    for line in lines:
        text += line if not text or text.endswith(("。", "！", "？")) else " " + line
    return text


def truncated(text: str, budget_tokens: int, count: Callable[[str], int]) -> str:
    """The longest beginning of ``text`` within ``budget_tokens``, cut between words where there is a space."""
    text = text[
        : 40 * budget_tokens + 40
    ]  # tokens are shorter than that; so a huge text costs no more than it has to
    if count(text) <= budget_tokens:
        return text
    low = 1
    high = len(text)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (
            (middle, high)
            if count(text[:middle]) <= budget_tokens
            else (low, middle - 1)
        )
    space = text.rfind(" ", 0, low + 1)
    return text[: space if space > 0 else low].rstrip()
