"""Choose the statement that answers a question best, or two that answer it together, or none."""

import re
from collections.abc import Sequence

from memviz.models.offline.context_sources import Source
from memviz.models.offline.matching import Match, Matches, accepts
from memviz.models.offline.question import Question

_INTRODUCES = re.compile(
    r"\b(?i:my (?:full |first |last )?name(?: is|['’]s)|call me|mein name ist|ich heiße|je m['’]appelle|me llamo)\b"
    r"|(?:^|[,!.] )(?:I['’]m|I am|[Ii]ch bin|[Jj]e suis) (?!(?:German|French|English|Italian|Spanish|Dutch|British"
    r"|American|Chinese|Japanese|Indian|Irish|Swiss|Austrian|Polish|Turkish)\b)[A-Z\u00c0-\u00de][\w-]+"
    r"(?=[,.!]| [A-Z]| and | und |$)"
    r"|(?<![们你他她])我(?:的名字)?(?:叫|名叫|的名字是)(?!什么|你|他|她|了|来|去)[\u4e00-\u9fff]"
)
COVERED_THRESHOLD = 0.62
DIRECT_THRESHOLD = 0.4
"""The least share of the question that an answer covers: with the sentences around it, and by itself. With lower
thresholds it quotes sentences that merely share a topic; with higher ones it misses facts in other words."""
UPDATE_SHARE = 0.75
"""A later statement with a changed value replaces the best one if it covers at least this part of what that covers."""
PAIR_BELOW = 0.7
PAIR_THRESHOLD = 0.75
PAIR_GAIN = 0.2
"""Two statements are tried where the best one covers less than ``PAIR_BELOW``. Together they must cover
``PAIR_THRESHOLD``, and the second must add ``PAIR_GAIN`` to the first."""
PAIR_STARTS = 10
"""Only so many of the best statements are tried as the first of two: each is paired with all others."""


def find(
    question: Question, among: Sequence[Source]
) -> tuple[list[Match], frozenset[str]]:
    """Return the best statements for ``question`` (up to two), and those of its stems that nobody said."""
    if question.wants_own_name and (introduced := _introduction(among)):
        return [introduced], frozenset()
    matches = Matches(question, among)
    able = [match for match in matches.found if match.direct >= DIRECT_THRESHOLD]
    fitting = [
        match
        for match in able
        if match.covered >= COVERED_THRESHOLD and accepts(question, match.sentence)
    ]
    best = _updated(matches, fitting)
    if not question.has_names and (best is None or best.covered < PAIR_BELOW):
        pair = _pair(matches, able, best.covered if best else 0.0)
        if pair:
            return pair, matches.missing
    return [best] if best else [], matches.missing


def _introduction(among: Sequence[Source]) -> Match | None:
    """The newest sentence in which the user says a name of their own."""
    for position in reversed(range(len(among))):
        source = among[position]
        if source.kind not in ("user", "summary"):
            continue
        for at, sentence in enumerate(source.passage.sentences):
            states = not sentence.is_question and not sentence.echo
            if states and _INTRODUCES.search(sentence.text):
                return Match(source, position, at, frozenset(), covered=1.0)
    return None


def _updated(matches: Matches, fitting: Sequence[Match]) -> Match | None:
    """The best statement, or a later one that changes its value: "500 euros", then "we raised it to 700"."""
    best = max(fitting, key=matches.score, default=None)
    if best is None or matches.question.wants_first_value:
        return best
    changes = [match for match in fitting if _changes(match, best)]
    return max(changes, key=matches.score, default=best)


def _changes(match: Match, best: Match) -> bool:
    new = match.sentence.traits
    return (
        match.order > best.order
        and new.is_change
        and not new.is_hedged
        and new.numbers != best.sentence.traits.numbers
        and match.covered >= UPDATE_SHARE * best.covered
    )


def _pair(matches: Matches, able: Sequence[Match], alone: float) -> list[Match]:
    """Two statements linked by a name that the question does not say: "My dentist is Dr. Okafor", "Okafor moved to
    Ghent" answer where the dentist moved to."""
    best: list[Match] = []
    best_score = 0.0
    least_together = max(PAIR_THRESHOLD, alone + PAIR_GAIN)
    by_score = sorted(able, key=matches.score, reverse=True)
    for first in by_score[:PAIR_STARTS]:
        said = first.sentence.traits.names
        names = [name for name in said if not matches.question.says(name)]
        if not names:
            continue
        for second in matches.found:
            together = matches.share(first.hits | second.hits)
            if (
                together < least_together
                or matches.share(second.hits - first.hits) < PAIR_GAIN
                or not accepts(matches.question, second.sentence)
            ):
                continue
            text = second.sentence.text.lower()
            score = together + PAIR_GAIN * matches.score(second)
            if score > best_score and any(name in text for name in names):
                best = [first, second]
                best_score = score
    return best
