"""Is what answers a question in the request? Without a model, over conversations with questions.

    python -m benchmarks.evidence [FILE ...] [--after N] [--first N] [--embedding PERCENT ...]

Without files the bundled conversations are asked their own questions. Files that one has, which are not part of memviz:

- LoCoMo's and LongMemEval's bring their questions with their evidence along. Each question is asked behind the whole
  conversation, and the messages that are named as its evidence are looked up in the request.
- MemoryStress' file has a thousand sessions, facts and questions of four checkpoints: see
  :mod:`benchmarks.memory_stress`.
- Conversations with tools and without questions, such as results of tau-bench: what is asked for are values that a
  tool returned and that a later call used, in the request that led to that call.

Settings of every family are compared; notes are written by the built-in model, which quotes. Dollars are list prices of
one model, of input that no cache held, and those of the notes of a whole conversation beside them. Nobody judges an
answer: a judge is a model too, has to be paid, and its verdicts differ from one version to the next, while a message is
in a request or is not. So the table says what a model could know, and not what it makes of it.

``--after 3`` leaves the first three conversations out, which something may have been tuned on, and ``--first 3`` all
others. ``--embedding 30`` adds retrieval with such a share of a small embedding, which needs the extra ``embeddings``.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import memviz
from benchmarks.memory_stress import is_memory_stress, read_memory_stress
from memviz import Log, Message, Probe, Transcript, load_transcripts
from memviz.core.counters import counter
from memviz.core.memory import Memory, MemorySpace
from memviz.core.summaries import SummaryLog
from memviz.core.text.containment import PhraseIndex, contains
from memviz.engine.assembly import assemble
from memviz.engine.blocks import build_context
from memviz.engine.part_tokens import count_tokens_by_part
from memviz.engine.parts import Parts
from memviz.metrics.cost.pricing import find_pricing
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.knowledge import Knowledge
from memviz.metrics.retention.tool_argument_recall import (
    NeededArgument,
    measure_tool_argument_recall,
)
from memviz.models.names import DEFAULT_MODEL
from memviz.strategies.base import Move, Strategy, Trigger
from memviz.transcripts.samples import bundled

SETTINGS = [
    memviz.strategy("buffer"),
    memviz.strategy("window", window_size=20),
    memviz.strategy("token_buffer", max_tokens=1000),
    memviz.strategy("token_buffer", max_tokens=4000),
    memviz.strategy("head_and_tail", head_size=4, tail_size=20),
    memviz.strategy("summary", buffer_size=10),
    memviz.strategy("summary_buffer", max_token_limit=1500, summary_words=120),
    memviz.strategy("threshold_summary", trigger_tokens=4000),
    memviz.strategy("summary_only"),
    memviz.strategy("hand_off", trigger_tokens=4000),
    memviz.strategy("fifo_facts", token_limit=4000),
    memviz.strategy("facts_store"),
    memviz.strategy("working_memory"),
    memviz.strategy("observations", observe_tokens=2000, reflect_tokens=4000),
    memviz.strategy("retrieval", top_k=5, neighbours=0),
    memviz.strategy("retrieval", top_k=5, neighbours=1),
    memviz.strategy("retrieval", top_k=10, neighbours=0),
    memviz.strategy("retrieval", top_k=10, neighbours=1),
    memviz.strategy("retrieval", top_k=30, neighbours=0),
    memviz.strategy("clear_tool_results", trigger_tokens=1000),
    memviz.strategy("pipeline", window_tokens=4000),
]
HEAD = (
    "| setting | evidence in the request, mean of the questions | questions with all of it | answer's words in it | "
    "tokens a request | dollars of 1,000 requests | dollars of the notes of a conversation |\n"
    "|---|---|---|---|---|---|---|"
)
PRICES = find_pricing(DEFAULT_MODEL)


class Asked(NamedTuple):
    """One question under one setting: how many of its ``evidence`` messages the request holds, and its ``tokens``."""

    evidence: int
    held: int
    tokens: int
    is_told: bool = False
    """True if the words of the answer stand in the request, in whatever form."""


class Under(NamedTuple):
    """One setting over one conversation: its questions, and what its notes cost."""

    asked: list[Asked]
    notes_usd: float


def ask(
    setting: Strategy,
    log: Log,
    probe: Probe,
    known: Memory | None = None,
    said_at: set[int] | None = None,
) -> Asked:
    """The request for the question that ``log`` ends with. ``known`` is the memory behind the last reply, of a setting
    that has one; ``said_at`` are the messages that hold an answer. What the question alone would clear is cleared; no
    notes are written for it."""
    sums = log.token_sums(counter("o200k_base"))
    nothing = SummaryLog(sums.counter, setting.summary_wording)
    summaries = nothing if known is None else known.space.summaries
    space = MemorySpace(log, sums, summaries)
    memory = Memory(space, len(log), cursor=log.system_stop)
    if known is not None:
        memory = known._replace(space=space, length=len(log))
        for effect in setting.plan(memory):
            if not isinstance(effect, Move):
                break
            memory = memory.moved(effect.mark, effect.to)
    parts = assemble(memory, setting.select(memory))
    whole = {*positions_of(parts), *range(log.system_stop)}
    held = whole.intersection(probe.evidence)
    tokens = count_tokens_by_part(memory, parts)
    if said_at is None:
        (said_at,) = answers_said(log, [probe])
    is_told = not said_at.isdisjoint(whole)
    if not is_told:
        contents = {log[position].content for position in whole}
        *sent, _ = build_context(memory, parts, tokens, ()).messages
        words = "\n".join(one.content for one in sent if one.content not in contents)
        is_told = any(contains(words, answer) for answer in probe.answers)
    return Asked(len(probe.evidence), len(held), sum(tokens.values()), is_told)


def answers_said(
    messages: Sequence[Message], probes: Sequence[Probe]
) -> list[set[int]]:
    """The messages that hold an answer, for each question."""
    answers = [
        (number, answer)
        for number, probe in enumerate(probes)
        for answer in probe.answers
    ]
    found: list[set[int]] = [set() for _ in probes]
    matches = PhraseIndex([answer for _, answer in answers]).find(
        [message.content for message in messages]
    )
    for text, phrase in zip(matches.texts, matches.phrases, strict=True):
        found[answers[int(phrase)][0]].add(int(text))
    return found


def ask_all(
    settings: Iterable[Strategy],
    messages: Sequence[Message],
    probes: Sequence[Probe],
    said: Sequence[set[int]],
) -> dict[Strategy, Under]:
    """Each of these questions behind the whole conversation, under each setting."""
    conversation = Log(messages)
    memories: dict[Strategy, Memory | None] = {}
    under = {}
    for setting in settings:
        memories[setting] = None
        notes_usd = 0.0
        if setting.trigger is not Trigger.NEVER:
            run = memviz.replay(
                conversation, setting, model="offline", counter="o200k_base"
            )
            memories[setting] = memviz.Chat.resume(run).memory
            notes_usd = usd_of_notes(run)
        under[setting] = Under([], notes_usd)
    for probe, said_at in zip(probes, said, strict=True):
        # One for all settings: what it has counted and indexed for the first is there for the others.
        log = Log([*messages, Message("user", probe.question)])
        for setting, memory in memories.items():
            under[setting].asked.append(ask(setting, log, probe, memory, said_at))
    return under


def look_at_calls(setting: Strategy, messages: Sequence[Message]) -> Under:
    """Each value of a tool's result that a later call used, in the request that led to the call."""
    run = memviz.replay(messages, setting, model="offline", counter="o200k_base")
    asked = []
    for needed in measure_tool_argument_recall(run).arguments:
        if is_from_a_tool(run.log, needed):
            is_held = needed.source in (Knowledge.VERBATIM, Knowledge.RECALLED)
            tokens = run.requests[needed.request].total_tokens
            asked.append(Asked(1, int(is_held), tokens, needed.in_context))
    return Under(asked, usd_of_notes(run))


def is_from_a_tool(log: Log, needed: NeededArgument) -> bool:
    """True for a value that a tool returned before anybody said it."""
    for message in log[: needed.position]:
        if contains(message.content, needed.value):
            return message.role == "tool"
    return False


def usd_of_notes(run: memviz.Run) -> float:
    """What writing the notes of a run would cost, each call's input in full."""
    sent = count_traffic(run)
    read = int(sent.summarizer_input_tokens.sum())
    written = int(sent.summarizer_output_tokens.sum())
    return usd_of(read, written)


def usd_of(read: float, written: float = 0) -> float:
    """List prices of the default model."""
    assert PRICES is not None
    rates = PRICES.plain
    return read * (rates.input_usd_per_token or 0) + written * (
        rates.output_usd_per_token or 0
    )


def positions_of(parts: Parts) -> Iterator[int]:
    """The log positions of all messages of a request that are sent whole."""
    for piece in parts.messages:
        if piece.form is None:
            yield from piece.positions
    yield from parts.recalled


def table(
    transcripts: Sequence[Transcript], settings: Sequence[Strategy] = SETTINGS
) -> str:
    """A row for each setting over all questions that name their evidence; where none does, over the values that calls
    used."""
    under: dict[Strategy, list[Under]] = {setting: [] for setting in settings}
    named = list(questions(transcripts))
    for transcript in transcripts:
        probes = [probe for one, probe in named if one is transcript]
        messages = list(answered(transcript))
        if probes:
            said = answers_said(messages, probes)
            asked = ask_all(settings, messages, probes, said)
            for setting, found in asked.items():
                under[setting].append(found)
        elif not named:
            log = Log(transcript.messages)
            for setting in settings:
                under[setting].append(look_at_calls(setting, log))
    return "\n".join([HEAD, *(_row(setting, under[setting]) for setting in settings)])


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


def _row(setting: Strategy, under: Sequence[Under]) -> str:
    asked = [one for conversation in under for one in conversation.asked]
    evidence = sum(one.held / one.evidence for one in asked) / len(asked)
    whole = sum(one.held == one.evidence for one in asked) / len(asked)
    told = sum(one.is_told for one in asked) / len(asked)
    tokens = sum(one.tokens for one in asked) / len(asked)
    notes = sum(conversation.notes_usd for conversation in under) / len(under)
    paid = f"{notes:.4f}" if notes else "0"
    return (
        f"| {setting.code_label} | {evidence:.0%} | {whole:.0%} | {told:.0%} | {tokens:,.0f} | "
        f"{usd_of(1000 * tokens):.2f} | {paid} |"
    )


def read(path: str) -> list[Transcript]:
    """The conversations in a file, each with its questions."""
    return (
        read_memory_stress(path) if is_memory_stress(path) else load_transcripts(path)
    )


def questions(transcripts: Iterable[Transcript]) -> Iterator[tuple[Transcript, Probe]]:
    """The questions that name their evidence, each with its conversation."""
    for transcript in transcripts:
        for probe in transcript.probes:
            if probe.evidence:
                yield transcript, probe


def look_over(transcripts: Sequence[Transcript]) -> int:
    """The number of values of tools' results that calls used."""
    under = (look_at_calls(SETTINGS[0], one.messages) for one in transcripts)
    return sum(len(one.asked) for one in under)


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
    transcripts = [one for file in given.files for one in read(file)]
    transcripts = (transcripts or list(bundled().values()))[given.after : given.first]
    number = sum(1 for _ in questions(transcripts))
    if number:
        print(f"{number:,} questions over {len(transcripts):,} conversations\n")
    else:
        plain = look_over(transcripts)
        if not plain:
            parser.exit(
                1,
                "Nothing is asked in these conversations, and no call uses a value of a result.\n",
            )
        print(
            f"{plain:,} values of results that calls used, over {len(transcripts):,} conversations\n"
        )
    print(table(transcripts, [*SETTINGS, *with_embeddings(given.embedding)]))


if __name__ == "__main__":
    main()
