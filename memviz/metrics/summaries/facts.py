"""Facts that a memory keeps, one a line of its notes: those that each version added, replaced and removed, and the
message that a fact most likely came from."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from memviz.core.conversation import Log
from memviz.core.facts import LISTS, TAGGED_FACT, facts_in
from memviz.core.summaries import SummaryVersion
from memviz.core.text.terms import compose_accents, weigh_content_words
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import readable
from memviz.metrics.summaries.events import CompactionEvent, compaction_events
from memviz.metrics.summaries.evolution import content_keys

LEAST_SHARE = 0.5
"""A message is taken for the source of a fact from this share of the weight of the fact's words on, and a new line for
a rewording of an old one from this share of the words of both."""
_BULLET = re.compile(r"^(?:[-*•]|\d{1,3}[.)])\s+")


class FactLine(NamedTuple):
    """One fact of a version."""

    text: str
    change: Literal["added", "replaced", "kept"]
    since: int
    """The number of the version that says it so for the first time."""
    replaces: str = ""
    """The fact of the version before whose wording or value it changed; empty where it is *added* or *kept*."""
    source: int | None = None
    """The log position of the message that it most likely came from: of the messages which its version took in the one
    that holds most of its words. A fact that only changed its wording has the source of the one before. ``None`` where
    no message holds half of it."""
    share: float = 0.0
    """The share of the weight of its words that the source holds, 0 to 1; numbers and names weigh more."""


class FactsVersion(NamedTuple):
    """One version of the facts against the version whose place it took."""

    event: CompactionEvent
    """The event by which it came about."""
    version: SummaryVersion
    lines: tuple[FactLine, ...]
    """The facts of the version, in order."""
    removed: tuple[str, ...]
    """The facts that are gone without another in their place."""

    def of(self, change: Literal["added", "replaced", "kept"]) -> tuple[FactLine, ...]:
        """Return the lines of this kind."""
        return tuple(line for line in self.lines if line.change == change)


def without_tags(text: str) -> str:
    """Return notes as people read them: each tagged fact is a line of its own behind a dash."""
    return TAGGED_FACT.sub(lambda match: f"- {' '.join(match[2].split())}", text)


def fact_lines(text: str) -> list[str]:
    """Return the facts of a text: each in a ``<fact>``, or one a line, without the bullets or numbers before them."""
    if "<fact" in text:
        facts = [" ".join(fact.text.split()) for fact in facts_in(text)]
    else:
        facts = [_BULLET.sub("", line.strip()).strip() for line in text.splitlines()]
    return [fact for fact in facts if fact]


def are_facts(version: SummaryVersion) -> bool:
    """Return whether a version is a list of facts: by its track, or because it says so, each fact in a ``<fact>``."""
    if version.track in LISTS:
        return True
    if not version.text.startswith("<fact>"):
        return False
    return not TAGGED_FACT.sub("", version.text).strip()


def facts_versions(run: Run) -> tuple[FactsVersion, ...]:
    """Return all versions of the facts of ``run``, in order; none where it keeps no such notes."""
    return run.once(facts_versions, lambda: _find_versions(run))


def _find_versions(run: Run) -> tuple[FactsVersion, ...]:
    versions: dict[int | None, FactsVersion] = {}
    for event in compaction_events(run):
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
    # First the lines that stand as they were. Two that read the same are two, and each is taken once.
    lines_by_text: dict[str, list[FactLine]] = {}
    for line in before:
        lines_by_text.setdefault(_normalize(line.text), []).append(line)
    texts = fact_lines(version.text)
    still: dict[int, FactLine] = {}
    for at, text in enumerate(texts):
        if alike := lines_by_text.get(_normalize(text)):
            still[at] = alike.pop(0)
    # Then each new line is held against the old ones that are gone, to find those that it rewords.
    remaining = {id(line) for lines in lines_by_text.values() for line in lines}
    missing_lines = [line for line in before if id(line) in remaining]
    fresh = {at: text for at, text in enumerate(texts) if at not in still}
    replaced = dict(_pair_reworded(fresh, missing_lines))
    sources = _Sources(log, version.added)
    lines = []
    for at, text in enumerate(texts):
        if at in still:
            lines.append(still[at]._replace(text=text, change="kept", replaces=""))
        else:
            old = missing_lines[replaced[at]] if at in replaced else None
            lines.append(sources.of(text, old, version.version))
    reworded_places = set(replaced.values())
    removed = []
    for at, line in enumerate(missing_lines):
        if at not in reworded_places:
            removed.append(line.text)
    return FactsVersion(event, version, tuple(lines), tuple(removed))


def _normalize(text: str) -> str:
    """Return a line without case, spaces and full stop, which make no other fact: " Likes Tea." is "likes tea"."""
    return " ".join(compose_accents(text).casefold().split()).rstrip(".")


def _pair_reworded(
    fresh: Mapping[int, str], missing_lines: Sequence[FactLine]
) -> Iterator[tuple[int, int]]:
    """Yield the number of each new line with that of the old one in whose place it stands: those that have most words
    in common first, each once."""
    # Of pairs with as much in common the upper lines come first, hence the negative numbers.
    pairs = []
    for at, text in fresh.items():
        for place, line in enumerate(missing_lines):
            pairs.append((_share_of_words(text, line.text), -at, -place))
    replaced: dict[int, int] = {}
    for share, at, place in sorted(pairs, reverse=True):
        if share < LEAST_SHARE:
            return
        if at not in replaced and place not in replaced.values():
            replaced[at] = place
            yield -at, -place


def _share_of_words(text: str, other: str) -> float:
    """Return the share of the words of two lines that both have, from 0 to 1."""
    keys = content_keys(text)
    other_keys = content_keys(other)
    all_keys = keys | other_keys
    return len(keys & other_keys) / len(all_keys) if all_keys else 0.0


class _Sources:
    """The messages that one version took in."""

    def __init__(self, log: Log, positions: range) -> None:
        self._messages = []
        for position in positions:
            message = log[position]
            keys = content_keys(readable(message))
            self._messages.append((keys, message.role == "user", position))

    def of(self, text: str, replaced: FactLine | None, version: int) -> FactLine:
        """Return a new line with its source. Of messages that hold as much a user's counts, then the newest."""
        weights = weigh_content_words(compose_accents(text))
        candidates = []
        for keys, of_user, position in self._messages:
            weight = sum(weights[key] for key in weights.keys() & keys)
            candidates.append((weight, of_user, position))
        # Of equal weights the user's is the larger one (True > False), then the one with the higher position.
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
