"""One sentence says what the chart of tokens shows."""

from __future__ import annotations

import re

import memviz
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.requests.tables import request_finding, tokens_finding
from memviz.transcripts.samples import sample


def trip(id: str, **parameters: int) -> SettingRun:
    transcript = sample("trip")
    strategy = memviz.strategy(id, **parameters)
    run = memviz.replay(
        list(transcript.messages), strategy, system_prompt=transcript.system_prompt
    )
    return SettingRun(run, strategy.label, 0)


def test_it_says_what_grows_what_stays_and_how_often_it_was_summarized() -> None:
    settings = [
        trip("buffer"),
        trip("window", window_size=10),
        trip("summary_buffer", max_token_limit=1500),
    ]
    largest = [max(record.total_tokens for record in one.run.turns) for one in settings]
    written = len(settings[2].run.compactions)
    assert tokens_finding(settings) == (
        f"Tokens sent per turn: Full buffer grows to {largest[0]:,} tokens; "
        "Sliding window · 10 messages stays below 1,800 tokens; "
        f"Summary buffer · 1,500 tokens was summarized {written} times and stays below 1,800 tokens."
    )
    assert min(largest[1:]) >= 1_700
    assert max(largest[1:]) < 1_800


def test_without_a_request_it_says_so() -> None:
    run = memviz.Chat(memviz.strategy("buffer"), counter="chars4").run
    assert (
        tokens_finding([SettingRun(run, "Full buffer", 0)])
        == "Tokens sent per turn: no request yet."
    )


def test_the_parts_of_a_request_stand_in_the_order_of_their_size() -> None:
    record = trip("window", window_size=10).run.turns[-1]
    words = request_finding(record)
    sizes = sorted(
        (tokens for tokens in record.tokens.values() if tokens), reverse=True
    )
    assert words.startswith(
        f"The request of turn 46 has {sum(sizes):,} tokens: History {sizes[0]:,}, "
    )
    assert re.findall(r" ([\d,]+)[,.]", words.split(": ")[1]) == [
        f"{size:,}" for size in sizes
    ]
