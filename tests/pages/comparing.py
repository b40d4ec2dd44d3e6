"""What Compare shows of the conversation that it opens with."""

from __future__ import annotations

import memviz
from memviz.engine.run import Run
from memviz.transcripts.samples import sample

FIRST = {
    "Full buffer": memviz.strategy("buffer"),
    "Sliding window · 10 messages": memviz.strategy("window", window_size=10),
    "Summary buffer · 1,500 tokens · 120 words": memviz.strategy(
        "summary_buffer", max_token_limit=1500, summary_words=120
    ),
}


def replayed(strategy: memviz.Strategy, counter: str = "o200k_base") -> Run:
    trip = sample("trip")
    return memviz.replay(
        list(trip.messages), strategy, counter=counter, system_prompt=trip.system_prompt
    )


def sent(run: Run) -> list[float]:
    return [record.total_tokens for record in run.turns]
