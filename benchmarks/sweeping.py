"""Speed of a sweep on one core, and how much of it goes into counting tokens.

    python -m benchmarks.sweeping

Two sweeps of 100 settings. The first is over a conversation of the size of a LoCoMo one (600 messages) with the
offline summarizer and retention, asked to take less than 10 seconds; the second over 6,000 messages of a chat with an
instant summarizer, tokens only, asked to take less than 5. Times are of the processor, counting the tokens of the
conversation included. The share says how much of the time the tokenizer itself was at work.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from time import process_time

import tiktoken

from benchmarks.synthetic.generator import generate
from memviz import Message, Model, Reply, Transcript, counter, sweep

LOCOMO_GRID = {
    "window": {"window_size": [4, 6, 8, 10, 12, 16, 20, 24, 30, 40, 50, 60, 80]},
    "token_buffer": {"max_tokens": [250 * step for step in range(1, 22)]},
    "summary": {
        "buffer_size": [
            1,
            2,
            3,
            4,
            5,
            6,
            8,
            10,
            12,
            14,
            16,
            20,
            24,
            28,
            32,
            36,
            40,
            48,
            56,
            64,
        ]
    },
    "summary_buffer": {"max_token_limit": [250 * step for step in range(1, 26)]},
    "chat_summary_buffer": {"token_limit": [500 * step for step in range(1, 16)]},
    "recent_only": {"recent_rounds": [1, 2, 3, 5, 8]},
    "buffer": {},
}
TOKENS_GRID = {
    "window": {"window_size": [5 * step for step in range(1, 25)]},
    "token_buffer": {"max_tokens": [250 * step for step in range(1, 25)]},
    "summary": {"buffer_size": [4 * step for step in range(1, 25)]},
    "summary_buffer": {"max_token_limit": [250 * step for step in range(2, 26)]},
    "chat_summary_buffer": {"token_limit": [2000, 4000, 8000]},
    "buffer": {},
}
SETTINGS, MAX_SUMMARIES, SENTENCE_WORDS = 100, 20_000, 12
WORDS = tuple(
    "about again before better bring could dinner every friend garden great heard idea just kitchen later little maybe "
    "morning never other people plan question really saturday should something tell thanks there think today train "
    "trying until visit weather week where with would yesterday your".split(" ")
)


class InstantSummarizer(Model):
    """Answers at once, and otherwise each time, so that each summary has to be counted."""

    name = "instant"

    def __init__(self) -> None:
        rng = random.Random(2)
        self._summaries = [said(rng, 70) for _ in range(MAX_SUMMARIES)]
        self._calls = 0

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        yield self.summarize(messages)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        self._calls += 1
        return Reply(self._summaries[self._calls % MAX_SUMMARIES])


class Stopwatch:
    """Time that the tokenizer itself takes."""

    def __init__(self) -> None:
        self.seconds = 0.0
        encode = tiktoken.Encoding.encode_ordinary

        def timed(encoding: tiktoken.Encoding, text: str) -> list[int]:
            started = process_time()
            try:
                return encode(encoding, text)
            finally:
                self.seconds += process_time() - started

        tiktoken.Encoding.encode_ordinary = timed  # type: ignore[method-assign]


def chat(messages: int) -> Transcript:
    """Messages of 5 to 40 words, as people type them."""
    rng = random.Random(1)
    texts = (said(rng, rng.randint(5, 40)) for _ in range(messages))
    return Transcript(
        tuple(
            Message(("user", "assistant")[at % 2], text)
            for at, text in enumerate(texts)
        )
    )


def said(rng: random.Random, words: int) -> str:
    """So many words in sentences of up to a dozen."""
    chosen = rng.choices(WORDS, k=words)
    sentences = (
        " ".join(chosen[at : at + SENTENCE_WORDS])
        for at in range(0, words, SENTENCE_WORDS)
    )
    return " ".join(f"{sentence.capitalize()}." for sentence in sentences)


def main() -> None:
    watch = Stopwatch()
    counter("o200k_base")("loads the encoding")
    offline = (
        "600 messages, offline summarizer, retention",
        generate(300, seed=1),
        LOCOMO_GRID,
        {},
    )
    instant = (
        "6,000 messages, instant summarizer, tokens only",
        chat(6_000),
        TOKENS_GRID,
        {"summarizer": InstantSummarizer(), "retention": False},
    )
    for name, transcript, grid, options in (offline, instant):
        before, started = watch.seconds, process_time()
        found = sweep(transcript, grid, executor="inline", **options)  # type: ignore[arg-type]
        seconds, tokenizing = process_time() - started, watch.seconds - before
        assert found.is_complete
        assert len(found.settings) == SETTINGS, len(found.settings)
        print(f"{name}: {seconds:.2f} s, {tokenizing / seconds:.0%} of it tokenizing")
        table = found.frame().groupby("strategy", sort=False)["seconds"]
        for strategy, cells in table:
            print(
                f"    {strategy:22}{len(cells):>4} settings{1000 * cells.mean():>9.0f} ms each"
            )


if __name__ == "__main__":
    main()
