"""Replay speed of every strategy beside the time to tokenize the same text once, in one run.

    python -m benchmarks.replay [--messages 600 6000 60000]

The conversation is generated (a fixed seed), the summarizer answers at once, and every run keeps
full records. Times are of the processor, so a busy machine does not change them. A column of ratios
says how many times the time to tokenize once what is new to it a replay takes, tokenizing included:
the conversation, and the notes that the strategy had written; the last column how the ratio grows
from the smallest conversation to the largest. Every strategy at its values, then settings
that keep or look up much.
"""

import argparse
import gc
from collections.abc import Iterator, Sequence
from time import process_time

from benchmarks.synthetic.generator import generate
from memviz import Log, Message, Model, Reply, Strategy, counter, replay, strategy
from memviz.tuning.grid import list_offered_strategies

SETTINGS = {
    "token_buffer": {"max_tokens": 2000},
    "summary": {"buffer_size": 10},
    "summary_buffer": {"max_token_limit": 2000},
    "chat_summary_buffer": {"token_limit": 2000},
}
BESIDE = (
    ("hand_off", {"trigger_tokens": 100_000, "keep_user_tokens": 20_000}),
    ("hand_off", {"trigger_tokens": 30_000, "keep_user_tokens": 20_000}),
    ("retrieval", {"embedding_percent": 50}),
    ("retrieval", {"embedding_percent": 100}),
    ("facts_store", {"embedding_percent": 50}),
    ("pipeline", {"steps": "clear tool results at 0.5 of the window, keep 3 results"}),
)  # fmt: skip
"""Settings of interest beside those: large kept tokens, and lookups by meaning."""
COUNTER = "o200k_base"


class InstantSummarizer(Model):
    """Answers at once: with two facts in words of the turn where it is asked for facts, else with a summary of ordinary
    length. A store of facts without any would find nothing, and cost nothing."""

    name = "instant"
    text = (
        "The user plans a trip and asked about trains, rooms and the budget; dates and prices were agreed. "
        * 3
    )

    def __init__(self) -> None:
        self._calls = 0

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        yield self.summarize(messages)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        # No two summaries are the same, so that each has to be counted.
        self._calls += 1
        asked = messages[-1].content
        if "<facts>" in asked:
            return Reply(f"<facts>{self._facts_of(asked)}</facts>")
        return Reply(f"{self._calls}. {self.text}")

    def _facts_of(self, asked: str) -> str:
        words = asked.rsplit(maxsplit=20)[-20:]
        subject = " ".join(words[:2])
        values = (" ".join(words[2:10]), " ".join(words[10:]))
        triples = (f"{subject} | said in {self._calls} | {value}" for value in values)
        return "".join(f"<fact>{triple}</fact>" for triple in triples)


def tokenize_seconds(messages: Sequence[Message]) -> float:
    """Time to count every message once."""
    count = counter(COUNTER)
    started = process_time()
    for message in messages:
        count(message.content)
    return process_time() - started


def replay_seconds(
    messages: Sequence[Message], chosen: Strategy
) -> tuple[float, float]:
    """Time of one replay with full records, tokenizing included; and the time to tokenize once the notes that it
    wrote."""
    log = Log(messages)
    gc.collect()
    started = process_time()
    run = replay(log, chosen, model=InstantSummarizer(), counter=COUNTER)
    seconds = process_time() - started
    notes = [Message("system", version.text) for version in run.summaries]
    return seconds, tokenize_seconds(notes)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, nargs="+", default=[600, 6_000, 60_000])
    parser.add_argument("--repeat", type=int, default=3, help="best of so many")
    options = parser.parse_args()
    conversations = {
        count: generate(count // 2, seed=1).messages for count in options.messages
    }
    tokenize_seconds(conversations[min(conversations)])  # loads the encoding
    tokenizing = {
        n: min(tokenize_seconds(m) for _ in range(options.repeat))
        for n, m in conversations.items()
    }
    print(f"{'':22}" + "".join(f"{n:>18,}" for n in conversations) + "   messages")
    print(
        f"{'tokenizing once':22}"
        + "".join(f"{seconds * 1000:>15,.1f} ms" for seconds in tokenizing.values())
    )
    settings = [
        strategy(id, **SETTINGS.get(id, {})) for id in list_offered_strategies()
    ]
    settings += [strategy(id, **values) for id, values in BESIDE]
    labels = [one.id for one in settings[: -len(BESIDE)]]
    labels += [
        f"{id} {', '.join(map(str, values.values()))}"[:21] for id, values in BESIDE
    ]
    for label, chosen in zip(labels, settings, strict=True):
        cells, ratios = "", []
        for n, messages in conversations.items():
            times = [replay_seconds(messages, chosen) for _ in range(options.repeat)]
            seconds = min(replayed for replayed, _ in times)
            new_seconds = tokenizing[n] + min(notes for _, notes in times)
            ratios.append(seconds / new_seconds)
            cells += f"{seconds * 1000:>9,.1f} ms {ratios[-1]:4.2f}x"
        print(f"{label:22}{cells}   growth {ratios[-1] / ratios[0]:.2f}")


if __name__ == "__main__":
    main()
