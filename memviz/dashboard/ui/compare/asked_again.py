"""An answer that a setting lost: what lost it, and the turn that stated it, brought back into the question, with what
that costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from memviz.core.text.containment import PhraseIndex
from memviz.core.text.terms import keys
from memviz.core.text.wording import request_name
from memviz.dashboard.ui.controls.recalls import BroughtBack, brought_back_into
from memviz.engine.recall_tokens import stating_turns
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.answers import AnswerSource
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.life_lines import fact_losses, life_lines
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.summaries.events import grows_a_list
from memviz.transcripts.base import Probe
from memviz.tuning.pricing_assumptions import PricingAssumptions

MOST_SUGGESTED, LONGEST_SUGGESTED = 3, 60
BOUNDED_MESSAGES = 300
"""A request of more is not searched for what it lost: it is a full buffer, or nearly one."""


def suggested(probes: Sequence[Probe], runs: Sequence[Run] = ()) -> list[str]:
    """A few short questions about a conversation: first those that one of the ``runs`` has lost the answer to, and of
    both kinds those about what was said first, since that is lost first."""
    short = [
        probe
        for probe in probes
        if probe.evidence and len(probe.question) <= LONGEST_SUGGESTED
    ]

    lost = {fact for run in runs for fact in _unspoken(run, short)}
    short.sort(key=lambda probe: (probe not in lost, max(probe.evidence)))
    return [probe.question for probe in short[:MOST_SUGGESTED]]


def _unspoken(run: Run, facts: Sequence[Probe]) -> Iterator[Probe]:
    """The facts of which nothing at the end of a run holds an answer, or all content words of the question, which may
    be answered in other words. No model is asked."""
    sent = run.turns[-1].context.messages if run.turns else ()
    if not 0 < len(sent) <= BOUNDED_MESSAGES:
        return
    texts = [*(message.content for message in sent), run.turns[-1].reply or ""]
    answers = [
        (number, answer) for number, fact in enumerate(facts) for answer in fact.answers
    ]
    found = PhraseIndex([answer for _, answer in answers]).find(texts).phrases
    said, words = (
        {answers[phrase][0] for phrase in found},
        [keys(text) for text in texts],
    )
    for number, fact in enumerate(facts):
        asked = keys(fact.question)
        if number not in said and not any(asked <= known for known in words):
            yield fact


def fact_asked(question: str, probes: Sequence[Probe]) -> Probe | None:
    """The fact that ``question`` asks for, if it is one of ``probes``."""
    asked = question.strip().casefold()
    return next(
        (one for one in probes if one.question.strip().casefold() == asked), None
    )


def lost_words(run: Run, fact: Probe) -> str:
    """Which version of the summary lost the fact, or since which request it is not sent; empty where the last request
    still knows it."""
    return run.once((lost_words, fact), lambda: _lost_words(run, fact))


def _lost_words(run: Run, fact: Probe) -> str:
    texts = ProbeTexts(run.log, [fact])
    kept = retention(run, [fact], texts)
    lives = life_lines(run, kept, texts)
    if not (lives and lives[0].spans) or lives[0].spans[-1].state.is_known:
        return ""
    lost = lives[0].spans[-1]
    if lost.state is Knowledge.CONTRADICTED:
        return f"Only denied or outdated since {request_name(*lost.first)}."
    by, name = (
        fact_losses(run, kept, lives, texts)[0, lost.first_place],
        request_name(*lost.first),
    )
    version = None if by is None else run.compactions[by].version
    if version is None:
        return f"Not sent since {name}."
    noun = "entry" if grows_a_list(run) else "version"
    return f"Lost in {noun} {version:,} of the summary, before the request of {name}."


def stated_at(
    question: str, probes: Sequence[Probe], sources: Mapping[int, AnswerSource]
) -> tuple[int, ...]:
    """The log positions that state the answer to ``question``: those of the probe that asks the same; else the message
    from which other settings (``sources``, by number) had their answers."""
    probe = fact_asked(question, probes)
    if probe is not None and probe.evidence:
        return probe.evidence
    found = [
        source.position
        for source in sources.values()
        if source.kind and source.position is not None
    ]
    return (min(found),) if found else ()


def bringing_back(
    run: Run, asked: TurnRecord, positions: Sequence[int], prices: PricingAssumptions
) -> BroughtBack | None:
    """What it takes to bring the turns of these positions back into the request of a question; ``None`` where the
    strategy allows no recall or the request holds them already."""
    turns = tuple(turn for turn in stating_turns(run.log, positions) if turn)
    if not turns or not run.strategy.allows_recall:
        return None
    # The question's request is in no bill of the run; its last request is priced in its place.
    found = brought_back_into(run, asked, turns, prices, run.turns[-1].turn)
    return found if found.tokens > 0 else None
