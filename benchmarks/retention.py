"""Retention of 18 settings at every turn of a long conversation, on one core.

    python -m benchmarks.retention [--turns 3000] [--facts-per-100-turns 50]

The conversation is generated (a fixed seed), the summarizer answers at once and keeps some of the facts it is
given, so that summaries hold answers and lose them. Times are of the processor. Making the runs is printed apart;
what counts is the rest: the answers looked up in the conversation once, then for every run its
matrices, life lines, survival and table. The last column is how many times tokenizing the conversation
once takes as long.
"""

import argparse
import resource
from collections.abc import Iterator, Sequence
from time import process_time

from benchmarks.synthetic.generator import generate
from memviz import Log, Message, Model, Reply, counter, replay, strategies, strategy
from memviz.metrics.retention.life_lines import life_lines
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from memviz.metrics.retention.survival import make_category_table, measure_survival

SETTINGS: list[tuple[str, dict[str, int]]] = [
    ("buffer", {}),
    ("window", {"window_size": 10}),
    ("window", {"window_size": 100}),
    ("token_buffer", {"max_tokens": 2000}),
    ("token_buffer", {"max_tokens": 16000}),
    ("recent_only", {"recent_rounds": 3}),
    ("recent_only", {"recent_rounds": 20}),
    ("summary", {"buffer_size": 4}),
    ("summary", {"buffer_size": 10}),
    ("summary", {"buffer_size": 40}),
    ("summary_buffer", {"max_token_limit": 500}),
    ("summary_buffer", {"max_token_limit": 2000}),
    ("summary_buffer", {"max_token_limit": 8000}),
    ("chat_summary_buffer", {"token_limit": 2000}),
    ("chat_summary_buffer", {"token_limit": 8000}),
    ("chat_summary_buffer", {"token_limit": 64000}),
    ("summary_only", {}),
    ("recent_only", {"recent_rounds": 1}),
    ("head_and_tail", {}),
    ("fifo_facts", {}),
    ("threshold_summary", {}),
    ("langchain_summarization", {}),
    ("clear_tool_results", {}),
]
COUNTER = "o200k_base"
LIMIT_SECONDS = 60


class KeepingSummarizer(Model):
    """Answers at once: of what it is given it keeps every third line that has a digit in it, the newest 40."""

    name = "keeping"

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        yield self.summarize(messages)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        sentences = messages[-1].content.replace("\n", ". ").split(". ")
        told = [
            sentence
            for sentence in sentences
            if any(character.isdigit() for character in sentence)
        ]
        return Reply(". ".join(["In short", *told[::3][-40:]]))


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--turns", type=int, default=3000)
    parser.add_argument("--facts-per-100-turns", type=int, default=50)
    options = parser.parse_args()
    transcript = generate(
        options.turns, seed=1, facts_per_100_turns=options.facts_per_100_turns
    )
    log, probes = Log(transcript.messages), transcript.probes
    count = counter(COUNTER)
    count("")  # loads the encoding
    started = process_time()
    for message in log:
        count(message.content)
    tokenizing = process_time() - started
    print(
        f"{len(log):,} messages, {len(probes):,} probes, {len(SETTINGS)} settings; tokenizing once {tokenizing:.2f} s"
    )
    started = process_time()
    texts = ProbeTexts(log, probes)
    total = process_time() - started
    print(
        f"{'answers in the conversation':48}{'':>10}{total:>8.2f} s {total / tokenizing:>6.1f}x"
    )
    replaying = 0.0
    for id, parameters in SETTINGS:
        started = process_time()
        run = replay(
            log, strategy(id, **parameters), model=KeepingSummarizer(), counter=COUNTER
        )
        replayed = process_time() - started
        before = peak_mib()
        started = process_time()
        kept = retention(run, probes, texts)
        _lines = life_lines(run, kept, texts)
        ages, table = measure_survival(kept, log), make_category_table(kept, log)
        seconds = process_time() - started
        total, replaying = total + seconds, replaying + replayed
        name = f"{id} {' '.join(map(str, parameters.values()))}"
        last = f"{table[-1].retained:,} of {table[-1].born:,} kept, half-life {ages.half_life}"
        print(
            f"{name:28}{last:44}replay {replayed:>6.2f} s, retention {seconds:>6.2f} s "
            f"{seconds / tokenizing:>5.1f}x, +{peak_mib() - before:.0f} MiB"
        )
    assert {id for id, _ in SETTINGS} == set(strategies())
    print(
        f"replays {replaying:.1f} s; retention {total:.1f} s in all, {total / tokenizing:.1f}x tokenizing once"
    )
    print(
        f"peak memory {peak_mib():,.0f} MiB; limit {LIMIT_SECONDS} s: {'met' if total < LIMIT_SECONDS else 'MISSED'}"
    )


if __name__ == "__main__":
    main()
