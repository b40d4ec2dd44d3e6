"""The search for values that later ones replace: "the check-up moved to Friday", "port 6432 rather than 5433".

:mod:`~memviz.metrics.retention.proposed_probes` proposes a probe for the newer value, with the older one as stale.
"""

from collections.abc import Container, Sequence
from functools import lru_cache
from itertools import permutations
from typing import NamedTuple

from memviz.core.text.containment import contains, normal_tokens
from memviz.core.text.vocabulary import (
    CHANGE_WORDS,
    NUMBER_WORDS,
    STOP_WORDS,
    words,
)
from memviz.core.text.words import HAN, content_words, stem
from memviz.metrics.retention.change_words import (
    ADDED,
    CHANGE,
    CLAUSE_END,
    FROM,
    FROM_TO,
    GONE,
    NEW,
    NEW_FIRST,
    NEW_IS,
    OLD_FIRST,
    RENAMED,
    SET_ASIDE,
    STRONG,
)
from memviz.metrics.retention.polarity import judge_polarity
from memviz.metrics.retention.value_sorts import TEXT_SORTS, Sort, find_sort
from memviz.transcripts.base import Category

MOST_ALIKE = 300
"""The most earlier values of the same sort that are compared with a new one."""
_CURRENCIES = words("euros euro dollars dollar pounds pound francs yuan")
_SUBJECTLESS = frozenset(
    map(stem, STOP_WORDS | CHANGE_WORDS | NUMBER_WORDS | _CURRENCIES)
) | {"please", "actual", "updat", "plan"}
"""Stems that do not tell what a sentence is about."""


class Statement(NamedTuple):
    """A value that somebody states in a sentence, with the question that asks for it."""

    position: int
    question: str
    """The sentence with the value blanked."""
    answer: str
    category: Category
    weight: float
    alone: bool
    """True if it is a fact even if nobody uses the value again."""
    sentence: str = ""
    start: int = 0
    """The character of the sentence at which the value begins."""
    stale: tuple[str, ...] = ()
    """The earlier values that it replaced."""

    @property
    def stop(self) -> int:
        """The character of the sentence after the value."""
        return self.start + len(self.answer)

    @property
    def before(self) -> str:
        """The sentence up to the value."""
        return self.sentence[: self.start]


def find_changes(statements: Sequence[Statement]) -> dict[int, int]:
    """Return by number (0-based) of a replaced value the number of the value that replaces it.

    ``statements`` are in the order of the conversation.
    """
    sorts = [_find_sort(statement) for statement in statements]
    newer_of = _find_changes_in_sentences(statements, sorts)
    # "From 5433 to 6432" replaces all 5433 that were said before.
    newer_of_answer = {
        statements[older].answer: newer for older, newer in newer_of.items()
    }
    for number, statement in enumerate(statements):
        newer = newer_of_answer.get(statement.answer)
        if newer is not None and statement.position < statements[newer].position:
            newer_of[number] = newer
    settled = {*newer_of, *newer_of.values()}
    for newer in range(len(statements)):
        if newer not in settled:
            older = _find_older(statements, sorts, newer, newer_of)
            if older is not None:
                newer_of[older] = newer
    return newer_of


def _find_sort(statement: Statement) -> Sort:
    _, _, behind = statement.question.partition("___")
    return find_sort(statement.answer, statement.category, statement.before, behind)


def _find_changes_in_sentences(
    statements: Sequence[Statement], sorts: Sequence[Sort]
) -> dict[int, int]:
    """Return the changes for which one sentence names both values: "from 5433 to 6432", "6432 rather than 5433"."""
    numbers_by_sentence: dict[tuple[int, str], list[int]] = {}
    for number, statement in enumerate(statements):
        sentence = (statement.position, statement.sentence)
        numbers_by_sentence.setdefault(sentence, []).append(number)
    newer_of = {}
    for numbers in numbers_by_sentence.values():
        for older, newer in permutations(numbers, 2):
            sort = sorts[newer]
            if sorts[older][0] != sort[0]:
                continue
            if not _are_different(statements[older], statements[newer]):
                continue
            if _replaces_in_sentence(statements[older], statements[newer], sort):
                newer_of[older] = newer
    return newer_of


def _replaces_in_sentence(older: Statement, newer: Statement, sort: Sort) -> bool:
    """Return whether the sentence of both values says that the newer one replaces the older one."""
    sentence = newer.sentence
    if newer.start < older.start:
        between = sentence[newer.stop : older.start]
        return NEW_FIRST.fullmatch(between) is not None
    between = sentence[older.stop : newer.start]
    if FROM.search(older.before) is None or OLD_FIRST.fullmatch(between) is None:
        return False
    # "We travel from Rome to Turin" replaces nothing, so names need a stronger word than numbers do.
    change = RENAMED if sort[0] in TEXT_SORTS else FROM_TO
    return change.search(sentence) is not None


def _find_older(
    statements: Sequence[Statement],
    sorts: Sequence[Sort],
    newer: int,
    replaced: Container[int],
) -> int | None:
    """Return the value of an earlier message that number ``newer`` replaces; the first of:

    1. one that the sentence of the newer value calls outdated:
       "We moved from Lisbon to Porto", where Lisbon was said before
    2. one that this sentence names as gone: "Ben can't come, so Mia is the driver now"
    3. where it speaks of a change, one of the same sort about the same subject:
       "The check-up is on Tuesday.", later "The check-up moved to Friday."
    """
    statement = statements[newer]
    is_change = _tells_of_change(statement)
    outdated = judge_polarity(statement.sentence).outdated
    if not is_change and not outdated:
        return None
    sort = sorts[newer]
    earlier = []
    for number in range(newer):
        is_earlier = statements[number].position < statement.position
        if is_earlier and number not in replaced:
            earlier.append(number)
    # The newest first: what was said last is what changes.
    for number in reversed(earlier):
        candidate = statements[number]
        if not _may_replace(sort, sorts[number]):
            continue
        is_outdated = contains(outdated, candidate.answer)
        if is_outdated and _are_different(statement, candidate):
            return number
        if is_change and _is_named_as_gone(candidate, statement):
            return number
    # A value that is added replaces none: "She also plays chess now".
    if not is_change or ADDED.search(statement.sentence):
        return None
    of_same_sort = [number for number in earlier if sorts[number] == sort]
    alike = []
    for number in of_same_sort[-MOST_ALIKE:]:
        if _are_different(statement, statements[number]):
            alike.append(number)
    return _choose_alike(statements, statement, sort, alike)


def _may_replace(newer: Sort, older: Sort) -> bool:
    return newer == older or (newer[0] in TEXT_SORTS and older[0] in TEXT_SORTS)


def _choose_alike(
    statements: Sequence[Statement],
    statement: Statement,
    sort: Sort,
    alike: Sequence[int],
) -> int | None:
    """Return which of the values ``alike``, all of one sort, ``statement`` replaces; ``None`` for none of them.

    It is the last one about the same subject. A day, a time or a count may also replace the last one whose sentence
    shares a word with its own, or the only one.
    """
    subject = _find_subject(statement)
    shared_counts = {
        number: len(_find_subject(statements[number]) & subject) for number in alike
    }
    is_text = sort in (("name",), ("text",))
    least = 2 if is_text and not NEW.search(_cut_clause(statement)) else 1
    about_same = [number for number in alike if shared_counts[number] >= least]
    if about_same:
        return max(about_same, key=lambda number: (shared_counts[number], number))
    if sort[0] in ("name", "place", "text", "number", "code"):
        return None
    if not STRONG.search(f"{_cut_clause_before(statement)} {_cut_clause(statement)}"):
        return None
    # Two characters of a Chinese sentence are easily shared.
    if not HAN.search(statement.sentence):
        sentence_words = _find_telling_words(statement.sentence)
        for number in reversed(alike):
            if _find_telling_words(statements[number].sentence) & sentence_words:
                return number
    return alike[0] if len(alike) == 1 and sort != ("count", "") else None


def _tells_of_change(statement: Statement) -> bool:
    """Return whether the clause of the value, or the one before, tells of a change to this value."""
    if SET_ASIDE.search(statement.before):
        return False
    if NEW_IS.search(statement.before) or CHANGE.search(_cut_clause(statement)):
        return True
    return STRONG.search(_cut_clause_before(statement)) is not None


def _is_named_as_gone(older: Statement, newer: Statement) -> bool:
    """Return whether another clause of the sentence says that the older value is gone.

    "The hall is full, so we meet in the park": the hall.
    """
    place = newer.sentence.find(older.answer)
    if place < 0 or older.answer in _cut_clause(newer) or newer.answer in older.answer:
        return False
    mention = newer._replace(start=place, answer=older.answer)
    if SET_ASIDE.search(mention.before):
        return True
    return GONE.search(_cut_clause(mention)) is not None


def _cut_clause_before(statement: Statement) -> str:
    clauses = CLAUSE_END.split(statement.before)
    return clauses[-2] if len(clauses) > 1 else ""


def _cut_clause(statement: Statement) -> str:
    """Return the clause of the sentence that holds the value."""
    start = 0
    for match in CLAUSE_END.finditer(statement.sentence):
        if match.start() >= statement.stop:
            return statement.sentence[start : match.start()]
        if match.end() <= statement.start:
            start = match.end()
    return statement.sentence[start:]


def _are_different(statement: Statement, other: Statement) -> bool:
    """Return whether neither value is a part of the other, as "June" is a part of "26 June"."""
    tokens = f" {' '.join(normal_tokens(statement.answer))} "
    other_tokens = f" {' '.join(normal_tokens(other.answer))} "
    return tokens not in other_tokens and other_tokens not in tokens


def _find_subject(statement: Statement) -> frozenset[str]:
    """Return the words that tell what the clause is about, or the sentence if the clause has no such words."""
    clause = _cut_clause(statement).replace(statement.answer, " ")
    sentence = statement.sentence.replace(statement.answer, " ")
    return _find_telling_words(clause) or _find_telling_words(sentence)


@lru_cache(maxsize=4096)
def _find_telling_words(text: str) -> frozenset[str]:
    stems = content_words(text) - _SUBJECTLESS
    return frozenset(word for word in stems if not word[0].isdigit())
