"""Finds the lines of a text that may name who speaks next, and what they have in
common.

"Anna: Hi!" and "Ben: Hi, how are you?" are such lines; "Note: bring water" is not, for
its name is a label. Lines come in two groups: *known* ones name a role ("User: ..."),
*other* ones any name.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memviz.transcripts.readers.texts.speakers import SPEAKERS, is_label, likely_role

MIN_LINES = 2
"""Number of lines that an unknown name starts before it may be somebody's."""


class Mark(NamedTuple):
    """The looks of a name at the start of a line. All lines of a speaker look alike."""

    signs: str
    """The bold or heading marks before the name: "**", "##", or nothing."""
    has_time: bool
    """Whether a time stands before the name: "[10:02] Anna: hi"."""


class NamedLine(NamedTuple):
    """A line that may name who speaks next."""

    name: str
    """The name as it is written, without "said" behind it: "Anna said:" -> "Anna"."""
    key: str
    """The name in the form that all its spellings share: "anna"."""
    mark: Mark
    start: int
    """Where the line starts in the text, in characters."""
    match: re.Match[str]


def read_named_line(match: re.Match[str]) -> NamedLine:
    """Return the line that a pattern of speaker lines has matched."""
    name = match["name"].strip()
    if name[-5:].lower() == " said":
        name = name[:-5].rstrip()
    mark = Mark(match["mark"], match["stamp"] is not None)
    return NamedLine(name, name.casefold(), mark, match.start(), match)


def find_possible_lines(
    named_lines: Sequence[NamedLine], matches: Iterable[re.Match[str]]
) -> list[NamedLine]:
    """Return the other lines that may name speakers: no labels, and marked and written
    like the known lines.

    Without known lines, those of each name look alike, and names start with a capital
    letter.
    """
    known_starts = {line.start for line in named_lines}
    known_marks = {line.mark for line in named_lines}
    has_small_names = bool(named_lines) and named_lines[0].name.islower()
    candidates = []
    in_other_case = []
    for line in map(read_named_line, matches):
        if line.start in known_starts or line.key in SPEAKERS or is_label(line.key):
            continue
        if line.name.lstrip("@")[:1].islower() != has_small_names:
            in_other_case.append(line)
        elif not known_marks or line.mark in known_marks:
            candidates.append(line)
    alike = keep_first_marking(candidates)
    accounts = _find_lines_facing_model([*named_lines, *alike], in_other_case)
    return sort_lines([*alike, *accounts])


def sort_lines(lines: Iterable[NamedLine]) -> list[NamedLine]:
    """Return lines in the order in which they stand in the text."""
    return sorted(lines, key=lambda line: line.start)


def keep_first_marking(lines: Iterable[NamedLine]) -> list[NamedLine]:
    """Return the lines whose name is marked as at its first use: after "**Anna:**",
    "Anna:" is text."""
    first_marks: dict[str, Mark] = {}
    alike = []
    for line in lines:
        first_marks.setdefault(line.key, line.mark)
        if line.mark == first_marks[line.key]:
            alike.append(line)
    return alike


def first_spellings(lines: Sequence[NamedLine]) -> dict[str, str]:
    """Return each name as it is first written, by its key."""
    names: dict[str, str] = {}
    for line in lines:
        names.setdefault(line.key, line.name)
    return names


def find_gaps(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine]
) -> list[list[NamedLine]]:
    """Return the other lines before the first known line, between each two, and after
    the last."""
    starts = [line.start for line in named_lines]
    gaps: list[list[NamedLine]] = [[] for _ in range(len(named_lines) + 1)]
    for line in others:
        gaps[bisect_right(starts, line.start)].append(line)
    return gaps


def find_regular_names(
    named_lines: Sequence[NamedLine], others: Sequence[NamedLine]
) -> dict[str, str]:
    """Return the names, by their key, that stand in several gaps and in at least half
    of them.

    A name with more than two lines a gap, on average, is the label of a list: "Step:
    ..." five times an answer.
    """
    gap_counts: Counter[str] = Counter()
    for gap in find_gaps(named_lines, others):
        gap_counts.update({line.key for line in gap})
    line_counts = Counter(line.key for line in others)
    regular = {}
    for key, name in first_spellings(others).items():
        gap_count = gap_counts[key]
        is_often = gap_count >= MIN_LINES and 2 * gap_count >= len(named_lines)
        if is_often and line_counts[key] <= 2 * gap_count:
            regular[key] = name
    return regular


def is_model(line: NamedLine) -> bool:
    """Return whether the name is that of a model or an assistant: "Claude",
    "GPT-4o"."""
    return likely_role(line.name) == "assistant"


def is_at_the_top(line: NamedLine) -> bool:
    """Return whether nothing but blank lines stands above."""
    return not line.match.string[: line.start].strip()


def _find_lines_facing_model(
    speaking: Sequence[NamedLine], in_other_case: Sequence[NamedLine]
) -> list[NamedLine]:
    """Return the lines of accounts that take turns with a model: "anasilva: fix this",
    "GitHub Copilot: done".

    An account is at the top of the text, or regularly between the model's lines, where
    nobody else speaks.
    """
    models = sort_lines(filter(is_model, speaking))
    people = [line for line in speaking if not is_model(line)]
    has_user = any(likely_role(line.name) == "user" for line in people)
    if not models or has_user or find_regular_names(models, people):
        return []
    lines = [line for line in in_other_case if line.mark == models[0].mark]
    accounts = set(find_regular_names(models, lines))
    if lines and is_at_the_top(lines[0]):
        accounts.add(lines[0].key)
    return [line for line in lines if line.key in accounts]
