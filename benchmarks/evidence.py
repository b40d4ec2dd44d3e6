"""Is what answers a question in the request? Without a model, over conversations with questions.

    python -m benchmarks.evidence [FILE ...] [--after N] [--embedding PERCENT ...]

Each question is asked behind the whole conversation, under settings that need no summarizer, and the messages that the
conversation names as its evidence are looked up in the request. Without files the bundled conversations are asked their
own questions. A file of LoCoMo or LongMemEval brings its questions with their evidence along; they are not part of
memviz. ``--after 3`` leaves the first three conversations out, which something may have been tuned on, and
``--first 3`` all others. ``--embedding 30`` adds retrieval with such a share of a small embedding, which needs the
extra ``embeddings``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import memviz
from memviz import Log, Message, Probe, Transcript, load_transcripts
from memviz.core.counters import counter
from memviz.core.memory import Memory, MemorySpace
from memviz.core.summaries import SummaryLog
from memviz.engine.assembly import assemble, count
from memviz.engine.parts import Parts
from memviz.strategies.base import Strategy
from memviz.transcripts.samples import bundled

SETTINGS = [
    memviz.strategy("buffer"),
    memviz.strategy("token_buffer", max_tokens=1000),
    memviz.strategy("token_buffer", max_tokens=4000),
    memviz.strategy("head_and_tail", head_size=4, tail_size=20),
    memviz.strategy("retrieval", top_k=5, neighbours=0),
    memviz.strategy("retrieval", top_k=5, neighbours=1),
    memviz.strategy("retrieval", top_k=10, neighbours=0),
    memviz.strategy("retrieval", top_k=10, neighbours=1),
    memviz.strategy("retrieval", top_k=30, neighbours=0),
]
HEAD = (
    "| setting | evidence in the request, mean of the questions | questions with all of it | tokens a request |\n"
    "|---|---|---|---|"
)


class Asked(NamedTuple):
    """One question under one setting: how many of its ``evidence`` messages the request holds, and its ``tokens``."""

    evidence: int
    held: int
    tokens: int


def ask(setting: Strategy, log: Log, probe: Probe) -> Asked:
    """The request for the question that ``log`` ends with."""
    sums = log.token_sums(counter("o200k_base"))
    nothing = SummaryLog(sums.counter, setting.summary_wording)
    space = MemorySpace(log, sums, nothing)
    memory = Memory(space, len(log), cursor=log.system_stop)
    parts = assemble(memory, setting.select(memory))
    held = {*positions_of(parts), *range(log.system_stop)}.intersection(probe.evidence)
    tokens = sum(count(memory, parts).values())
    return Asked(len(probe.evidence), len(held), tokens)


def positions_of(parts: Parts) -> Iterator[int]:
    """The log positions of all messages of a request that are sent whole."""
    for piece in parts.messages:
        if piece.form is None:
            yield from piece.positions
    yield from parts.recalled


def table(
    transcripts: Sequence[Transcript], settings: Sequence[Strategy] = SETTINGS
) -> str:
    """A row for each setting over all questions that name their evidence."""
    asked: dict[Strategy, list[Asked]] = {setting: [] for setting in settings}
    for transcript, probe in questions(transcripts):
        log = Log([*answered(transcript), Message("user", probe.question)])
        for setting, found in asked.items():
            found.append(ask(setting, log, probe))
    return "\n".join([HEAD, *(_row(setting, asked[setting]) for setting in settings)])


def with_embeddings(percents: Sequence[int]) -> list[Strategy]:
    """Each retrieval of the settings with such shares of a small embedding."""
    return [
        setting.model_copy(update={"embedding_percent": percent})
        for percent in percents
        for setting in SETTINGS
        if setting.id == "retrieval"
    ]


def answered(transcript: Transcript) -> Iterator[Message]:
    """The messages, and an empty reply where nobody answered the last one, which would be a part of the question."""
    yield from transcript.messages
    if transcript.messages[-1].role == "user":
        yield Message("assistant", "")


def _row(setting: Strategy, asked: Sequence[Asked]) -> str:
    evidence = sum(one.held / one.evidence for one in asked) / len(asked)
    whole = sum(one.held == one.evidence for one in asked) / len(asked)
    tokens = sum(one.tokens for one in asked) / len(asked)
    return f"| {setting.code_label} | {evidence:.0%} | {whole:.0%} | {tokens:,.0f} |"


def questions(transcripts: Iterable[Transcript]) -> Iterator[tuple[Transcript, Probe]]:
    """The questions that name their evidence, each with its conversation."""
    for transcript in transcripts:
        for probe in transcript.probes:
            if probe.evidence:
                yield transcript, probe


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", help="Conversations with questions.")
    parser.add_argument(
        "--after", type=int, default=0, help="Conversations that are left out."
    )
    parser.add_argument(
        "--first", type=int, help="Conversations behind so many are left out."
    )
    parser.add_argument(
        "--embedding", nargs="*", type=int, default=[], help="Percent of a score."
    )
    given = parser.parse_args()
    transcripts = [one for file in given.files for one in load_transcripts(file)]
    transcripts = (transcripts or list(bundled().values()))[given.after : given.first]
    number = sum(1 for _ in questions(transcripts))
    print(f"{number:,} questions over {len(transcripts):,} conversations\n")
    print(table(transcripts, [*SETTINGS, *with_embeddings(given.embedding)]))


if __name__ == "__main__":
    main()
