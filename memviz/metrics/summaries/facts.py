"""Summaries that are lists of facts: which facts each version added, replaced and removed, and where they came from.

Strategies that extract facts keep notes such as "- Likes tea". A new version is compared with the one before, line by
line, and for each new line the message is searched that it most likely came from. Pages show the result.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from memviz.core.conversation import Log
from memviz.core.facts import LISTS, TAGGED_FACT, facts_in
from memviz.core.summaries import SummaryVersion
from memviz.core.text.terms import compose_accents, weigh_content_words
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import read_message
from memviz.metrics.summaries.events import CompactionEvent, list_compaction_events
from memviz.metrics.summaries.evolution import find_content_keys

LEAST_SHARE = 0.5
"""The least share of the weight of a fact's words that its source has to hold, and the least share of the words of both
that a new line has in common with the old one that it rewords."""
_BULLET = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")


class FactLine(NamedTuple):
    """One fact of a version."""

    text: str
    change: Literal["added", "replaced", "kept"]
    since: int
    """The number of the first version that has the fact in these words."""
    replaces: str = ""
    """The fact of the version before that it reworded or changed; empty where it is *added* or *kept*."""
    source: int | None = None
    """The log position of the message that it most likely came from: the one, of those that its version summarized,
    with most of its words. A fact that was only reworded keeps its source. ``None`` where no message has half of it."""
    share: float = 0.0
    """The share (0 to 1) of its words that the source holds; numbers and names weigh more than other words."""


class FactsVersion(NamedTuple):
    """A version that is a list of facts, compared with the version that it replaced."""

    event: CompactionEvent
    """The compaction that wrote it."""
    version: SummaryVersion
    lines: tuple[FactLine, ...]
    """The facts of the version, in order."""
    removed: tuple[str, ...]
    """The facts of the version before that it dropped without replacing them."""

    def of(self, change: Literal["added", "replaced", "kept"]) -> tuple[FactLine, ...]:
        """Return the facts with this change."""
        return tuple(line for line in self.lines if line.change == change)


def strip_tags(text: str) -> str:
    """Return notes as people read them: ``<fact>Likes tea</fact>`` becomes ``- Likes tea``."""
    return TAGGED_FACT.sub(lambda match: f"- {' '.join(match[2].split())}", text)


def split_fact_lines(text: str) -> list[str]:
    """Return the facts of notes: the contents of ``<fact>`` tags, else the lines without bullets and numbers."""
    if "<fact" in text:
        facts = [" ".join(fact.text.split()) for fact in facts_in(text)]
    else:
        facts = [_BULLET.sub("", line.strip()).strip() for line in text.splitlines()]
    return [fact for fact in facts if fact]


def are_facts(version: SummaryVersion) -> bool:
    """Return whether a version is a list of facts: by its track, or because it has nothing but ``<fact>`` tags."""
    if version.track in LISTS:
        return True
    if not version.text.startswith("<fact>"):
        return False
    return not TAGGED_FACT.sub("", version.text).strip()


def list_facts_versions(run: Run) -> tuple[FactsVersion, ...]:
    """Return all versions that are lists of facts, in order; none for a run that keeps no such notes."""
    return run.once(list_facts_versions, lambda: _find_versions(run))


def _find_versions(run: Run) -> tuple[FactsVersion, ...]:
    versions: dict[int | None, FactsVersion] = {}
    for event in list_compaction_events(run):
        version = event.version
        before = versions.get(event.compaction.base)
        if version is not None and (before is not None or are_facts(version)):
            lines = before.lines if before is not None else ()
            versions[version.version] = _compare_versions(
                run.log, event, version, lines
            )
    return tuple(versions.values())


def _compare_versions(
    log: Log,
    event: CompactionEvent,
    version: SummaryVersion,
    before: Sequence[FactLine],
) -> FactsVersion:
    # First find the lines that did not change. Equal lines are taken one by one.
    lines_by_text: dict[str, list[FactLine]] = {}
    for line in before:
        lines_by_text.setdefault(_normalize(line.text), []).append(line)
    texts = split_fact_lines(version.text)
    unchanged: dict[int, FactLine] = {}
    for number, text in enumerate(texts):
        if equal_lines := lines_by_text.get(_normalize(text)):
            unchanged[number] = equal_lines.pop(0)
    # Then compare each new line with the old ones that are gone, to find those that it rewords.
    remaining = {id(line) for lines in lines_by_text.values() for line in lines}
    missing_lines = [line for line in before if id(line) in remaining]
    new_texts = {
        number: text for number, text in enumerate(texts) if number not in unchanged
    }
    replaced = dict(_pair_reworded(new_texts, missing_lines))
    sources = _Sources(log, version.added)
    lines = []
    for number, text in enumerate(texts):
        if number in unchanged:
            line = unchanged[number]._replace(text=text, change="kept", replaces="")
        elif number in replaced:
            old_line = missing_lines[replaced[number]]
            line = sources.find_source(text, old_line, version.version)
        else:
            line = sources.find_source(text, None, version.version)
        lines.append(line)
    reworded = set(replaced.values())
    removed = [
        line.text for number, line in enumerate(missing_lines) if number not in reworded
    ]
    return FactsVersion(event, version, tuple(lines), tuple(removed))


def _normalize(text: str) -> str:
    """Return a line without what makes no difference to a fact: " Likes Tea." -> likes tea"""
    return " ".join(compose_accents(text).casefold().split()).rstrip(".")


def _pair_reworded(
    new_texts: Mapping[int, str], missing_lines: Sequence[FactLine]
) -> Iterator[tuple[int, int]]:
    """Yield pairs of a new line and the old line that it rewords, by their numbers; each line is in one pair at most.

    The lines that have most words in common are paired first, of equal pairs those that stand higher.
    """
    candidates = []
    for new, text in new_texts.items():
        for old, line in enumerate(missing_lines):
            candidates.append((_measure_shared_words(text, line.text), new, old))
    candidates.sort(key=lambda candidate: (-candidate[0], *candidate[1:]))
    paired_new: set[int] = set()
    paired_old: set[int] = set()
    for share, new, old in candidates:
        if share < LEAST_SHARE:
            return
        if new not in paired_new and old not in paired_old:
            paired_new.add(new)
            paired_old.add(old)
            yield new, old


def _measure_shared_words(text: str, other: str) -> float:
    """Return the share of the words of two lines that both have, from 0 to 1."""
    keys = find_content_keys(text)
    other_keys = find_content_keys(other)
    all_keys = keys | other_keys
    return len(keys & other_keys) / len(all_keys) if all_keys else 0.0


class _Sources:
    """The messages that one version summarized, to search the sources of its facts."""

    def __init__(self, log: Log, positions: range) -> None:
        self._messages = []
        for position in positions:
            message = log[position]
            keys = find_content_keys(read_message(message))
            self._messages.append((keys, message.role == "user", position))

    def find_source(
        self, text: str, replaced: FactLine | None, version: int
    ) -> FactLine:
        """Return a new line with its source; ``replaced`` is the old line that it rewords, if any.

        The source is the message with most of its words, of equal ones that of a user, then the newest.
        """
        weights = weigh_content_words(compose_accents(text))
        candidates = []
        for keys, of_user, position in self._messages:
            weight = sum(weights[key] for key in weights.keys() & keys)
            # In this order a user's message is larger than another one (True > False), and a later than an earlier one.
            candidates.append((weight, of_user, position))
        most, _, position = max(candidates, default=(0, False, -1))
        share = most / sum(weights.values()) if most else 0.0
        line = FactLine(text, "added", version)
        if replaced is not None:
            line = line._replace(change="replaced", replaces=replaced.text)
        if share >= LEAST_SHARE:
            return line._replace(source=position, share=share)
        if replaced is None or replaced.source is None or replaced.share < LEAST_SHARE:
            return line
        return line._replace(source=replaced.source, share=replaced.share)
