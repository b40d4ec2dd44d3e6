"""The setting as code for memviz: it is the very same strategy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from memviz.code_export import Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.any_setting import any_setting
from tests.code_export.running import load, requests, setting
from tests.engine.probes import REPRESENTATIVES
from tests.tables import for_each


@given(wanted=any_setting())
def test_the_strategy_is_the_same(wanted: Setting) -> None:
    names = load("memviz_code", wanted)
    assert names["strategy"] == wanted.strategy
    assert (names["COUNTER"], names["SUMMARIZER"]) == (
        wanted.counter,
        wanted.summary_model,
    )


@pytest.mark.parametrize(
    ("sample", "repair"),
    [("trip", False), ("support", False), ("support", True)],  # trip calls no tools
)
@for_each("id", REPRESENTATIVES)
def test_the_memory_sends_what_a_replay_sends(
    id: str, sample: str, repair: bool
) -> None:
    messages = list(bundled()[sample].messages)
    wanted = setting(
        id, system_prompt="Be kind.", counter="cl100k_base", repair_tool_pairs=repair
    )
    memory = load("memviz_code", wanted, SUMMARIZER="offline")["memory"]
    expected = dict(requests(messages, wanted))
    for length, message in enumerate(messages, start=1):
        memory.append(message)
        if length in expected:
            assert [m.to_request() for m in memory.load()] == expected[length]


def test_the_example_answers(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = load("memviz_code", setting("window"), MODEL="offline")
    names["main"]()
    assert "Ada" in capsys.readouterr().out
    assert [m.role for m in names["memory"].get_all()] == ["user", "assistant"] * 2


@for_each("percent", [0, 30])
def test_a_small_embedding_is_named_among_what_it_needs(percent: int) -> None:
    wanted = setting("retrieval", parameters={"embedding_percent": percent})
    written = targets()["memviz_code"].write(wanted)
    needs = "# Needs: pip install 'memviz[embeddings]'"
    assert (needs in written.splitlines()) == bool(percent)
