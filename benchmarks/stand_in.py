"""How many facts summaries of the offline model hold, beside those of the version before.

    python -m benchmarks.stand_in

Kept are facts that a request holds, word for word or in a summary: at the last request, and on average over all
requests (the mean of the conversations). No weight of its rules is set by the generated conversations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from benchmarks.measured import measured_conversations
from benchmarks.synthetic.generator import generate
from memviz import Log, replay, retention, strategy
from memviz.metrics.retention.retention import ProbeTexts
from memviz.models.offline import OfflineModel
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

SETTINGS = (
    strategy("summary", buffer_size=8),
    strategy("summary_buffer", max_token_limit=1500),
    strategy("chat_summary_buffer", token_limit=1500),
    strategy("summary_only"),
)
GENERATED_SEEDS = range(11, 17)
GENERATED_TURNS, GENERATED_FACTS_PER_100_TURNS = 100, 25


class Kept(NamedTuple):
    """Facts that the last request holds, of so many; the mean share of those that all requests hold; outdated values
    in the last request."""

    last: int
    facts: int
    mean: float
    stale: int


VERSION_BEFORE = 4
BEFORE = {
    "chinese": (
        Kept(6, 20, 0.546, 0),
        Kept(4, 20, 0.502, 0),
        Kept(5, 20, 0.528, 0),
        Kept(20, 20, 1.0, 5),
    ),
    "support": (
        Kept(10, 20, 0.683, 2),
        Kept(11, 20, 0.711, 1),
        Kept(12, 20, 0.756, 1),
        Kept(18, 20, 0.906, 4),
    ),
    "trip": (
        Kept(10, 18, 0.699, 2),
        Kept(7, 18, 0.585, 2),
        Kept(8, 18, 0.625, 2),
        Kept(18, 18, 1.0, 4),
    ),
    "tutoring": (
        Kept(12, 19, 0.399, 0),
        Kept(12, 19, 0.35, 0),
        Kept(12, 19, 0.384, 0),
        Kept(19, 19, 1.0, 3),
    ),
    "generated": (
        Kept(49, 150, 0.596, 1),
        Kept(49, 150, 0.581, 0),
        Kept(55, 150, 0.605, 2),
        Kept(146, 150, 0.964, 30),
    ),
}
"""What that version kept, which chose whole sentences, setting by setting."""


def conversations() -> dict[str, Sequence[Transcript]]:
    """The groups of conversations by what the table calls them."""
    made = [
        generate(GENERATED_TURNS, seed, GENERATED_FACTS_PER_100_TURNS)
        for seed in GENERATED_SEEDS
    ]
    return {
        **{name: [one] for name, one in measured_conversations()},
        "generated": made,
    }


def texts_of(transcript: Transcript) -> ProbeTexts:
    """The questions of a conversation with its messages, which are read once for all settings."""
    return ProbeTexts(Log(transcript.messages), transcript.probes)


def kept(
    transcripts: Sequence[Transcript], texts: Sequence[ProbeTexts], setting: Strategy
) -> Kept:
    """What one setting keeps of all facts of these conversations, whose ``texts`` were read before."""
    last = facts = stale = 0
    means = []
    for transcript, its_texts in zip(transcripts, texts, strict=True):
        run = replay(transcript, setting, model=OfflineModel())
        found = retention(run, transcript.probes, its_texts)
        known = (found.retained & found.born).sum(axis=1)
        born = found.born.sum(axis=1)
        last, facts = last + int(known[-1]), facts + int(born[-1])
        stale += int((found.stale & found.born)[-1].sum())
        means.append(float((known[born > 0] / born[born > 0]).mean()))
    return Kept(last, facts, sum(means) / len(means), stale)


def table() -> Iterator[str]:
    """Every setting over every group, before and now."""
    yield "| conversation | setting | kept at last, before | now | on average, before | now | outdated, before | now |"
    yield "|---|---|---|---|---|---|---|---|"
    for name, transcripts in conversations().items():
        # Their messages are read once for all settings.
        texts = list(map(texts_of, transcripts))
        for setting, before in zip(SETTINGS, BEFORE[name], strict=True):
            now = kept(transcripts, texts, setting)
            yield (
                f"| {name} | {setting.label} | {before.last} of {before.facts} | {now.last} of {now.facts} | "
                f"{before.mean:.0%} | {now.mean:.0%} | {before.stale} | {now.stale} |"
            )


def main() -> None:
    print("\n".join(table()))


if __name__ == "__main__":
    main()
