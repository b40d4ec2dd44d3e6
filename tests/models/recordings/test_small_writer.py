"""The trip as a really small model wrote it: what it lost and made up is counted here, and nothing of it is mended."""

from __future__ import annotations

from functools import cache

import pytest

import memviz
from memviz.metrics.summaries.inventions import Worth, find_inventions, measure_worth
from memviz.strategies import strategy
from memviz.transcripts.samples import sample
from tests.tables import for_each

NAME = "trip-smollm2"
SMALL = memviz.recordings()[NAME]
TRIP = sample("trip")
LENGTH = 120


@cache
def run_of(id: str, model: str, words: int = LENGTH, **parameters: int) -> memviz.Run:
    return memviz.replay(
        TRIP,
        strategy(id, summary_words=words, **parameters),
        model=f"recording:{model}",
    )


def worth(run: memviz.Run) -> tuple[int, int, int, int]:
    found: Worth = measure_worth(run, memviz.retention(run, TRIP.probes))
    assert found.words is not None
    return found.known, found.stated, round(found.words), found.invented


def test_it_is_whole_and_plays_only_where_it_is_chosen() -> None:
    assert SMALL.about.only_by_name
    assert SMALL.models == ("SmolLM2 135M",)
    assert not SMALL.holes
    assert not SMALL.is_cut
    assert all(
        one.strategy["summary_words"] == LENGTH for one in SMALL.settings.values()
    )
    for one in SMALL.replies.values():
        assert (one.reply.recorded_seconds, one.reply.cost_usd, one.reply.usage) == (
            None,
            None,
            None,
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("id", "parameters", "claude_free", "claude", "small"),
    [
        (
            "summary",
            {"buffer_size": 8},
            (18, 18, 1490, 17),
            (14, 18, 125, 6),
            (7, 18, 152, 2),
        ),
        (
            "summary_buffer",
            {"max_token_limit": 1500},
            (18, 18, 1890, 14),
            (16, 18, 125, 7),
            (6, 18, 155, 1),
        ),
        ("summary_only", {}, (18, 18, 106, 6), (18, 18, 118, 14), (8, 18, 120, 5)),
        (
            "chat_summary_buffer",
            {"token_limit": 10_000},
            (18, 18, 956, 11),
            (18, 18, 120, 7),
            (17, 18, 116, 0),
        ),
    ],
)
def test_three_writers_of_one_memory_in_numbers(
    id: str,
    parameters: dict[str, int],
    claude_free: tuple[int, ...],
    claude: tuple[int, ...],
    small: tuple[int, ...],
) -> None:
    """Facts known at the end, facts stated, words a summary, and names and numbers that the prompt lacks."""
    assert worth(run_of(id, "trip", 0, **parameters)) == claude_free
    assert worth(run_of(id, "trip", **parameters)) == claude
    assert worth(run_of(id, NAME, **parameters)) == small


@for_each(
    ("id", "parameters", "expected"),
    [
        ("summary", {"buffer_size": 8}, {7: ("100", "150")}),
        ("summary_buffer", {"max_token_limit": 1500}, {8: ("Italian",)}),
        (
            "summary_only",
            {},
            {11: ("June",), 13: ("Bahia", "1.2"), 17: ("13",), 44: ("12",)},
        ),
        ("chat_summary_buffer", {"token_limit": 10_000}, {}),
    ],
)
def test_its_inventions_by_summary(
    id: str, parameters: dict[str, int], expected: dict[int, tuple[str, ...]]
) -> None:
    found = {
        one.version: one.terms
        for one in find_inventions(run_of(id, NAME, **parameters))
    }
    assert found == expected


def test_a_warning_of_the_prompt_became_its_opposite_and_no_count_shows_it() -> None:
    wrong = [
        one
        for one in SMALL.replies.values()
        if "pequena quantidade é perfeito" in one.reply.text
    ]
    assert wrong
    assert "pequena quantidade é perigosa" in wrong[0].request.messages[-1].content


def test_most_replies_were_cut_at_the_limit() -> None:
    cut = [one for one in SMALL.replies.values() if one.reply.finish_reason == "length"]
    assert (len(cut), len(SMALL.replies)) == (56, 79)
