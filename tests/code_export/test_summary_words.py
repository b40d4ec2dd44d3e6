"""How long a summary may be, in every export: what is asked for there is what was asked for in the simulation."""

from __future__ import annotations

from pathlib import Path

import pytest

import memviz
from memviz.code_export import targets
from memviz.engine.memory_config import load_memory_config, strategy_of
from memviz.strategies.langchain_summarization import LangchainSummarization
from memviz.transcripts.samples import bundled
from tests.code_export.running import load, setting, with_code
from tests.tables import for_each

WITH_LENGTH = [
    id for id, cls in memviz.strategies().items() if "summary_words" in cls.model_fields
]
SENTENCE = "Write it in at most 77 words."
LIBRARIES = ("llamaindex", "langchain_middleware", "openai_agents", "plain_python")
WRITTEN = [
    (target, id)
    for target in LIBRARIES
    for id in with_code(target)
    if id in WITH_LENGTH
]


def test_there_are_strategies_with_a_length_and_code_for_them() -> None:
    assert len(WITH_LENGTH) >= 7
    assert {target for target, _ in WRITTEN} == set(LIBRARIES)


@pytest.mark.parametrize("id", WITH_LENGTH)
def test_memory_yaml_holds_it(id: str, tmp_path: Path) -> None:
    path = tmp_path / "memory.yaml"
    path.write_text(
        targets()["memory_yaml"].write(setting(id, parameters={"summary_words": 77})),
        encoding="utf-8",
    )
    assert strategy_of(load_memory_config(path)).summary_words == 77  # type: ignore[attr-defined]


@for_each("id", WITH_LENGTH)
def test_memvizs_code_holds_it(id: str) -> None:
    assert (
        load("memviz_code", setting(id, parameters={"summary_words": 77}))[
            "strategy"
        ].summary_words
        == 77
    )


@for_each(
    ("target", "id"), [pair for pair in WRITTEN if pair[1] != "langchain_summarization"]
)
def test_the_instruction_of_a_librarys_code_ends_with_it(target: str, id: str) -> None:
    with_length, without = (
        targets()[target]
        .write(setting(id, parameters={"summary_words": words}))
        .replace('"\n    "', "")
        for words in (77, 0)
    )
    assert SENTENCE + '"' in with_length
    assert "at most" not in without.partition("INSTRUCTION")[2].partition("\n\n\n")[0]


def test_plain_python_asks_for_it_in_the_prompt_that_it_sends() -> None:
    wanted, messages = (
        setting("summary", parameters={"summary_words": 77}),
        list(bundled()["trip"].messages),
    )
    names, asked = load("plain_python", wanted), []
    names["summarize"] = lambda sent: asked.append(sent[0]["content"]) or "S"
    memory = names["Memory"]()
    for message in messages:
        memory.append(message.to_request())
    assert asked
    assert all(prompt.partition("\n\n")[0].endswith(SENTENCE) for prompt in asked)


@pytest.mark.parametrize("words", [0, 77])
def test_langchains_own_prompt_is_the_one_that_was_simulated(words: int) -> None:
    pytest.importorskip("langchain.agents")
    wanted = setting("langchain_summarization", parameters={"summary_words": words})
    names = load("langchain_middleware", wanted)
    assert isinstance(wanted.strategy, LangchainSummarization)
    simulated = wanted.strategy.arguments().get(
        "summary_prompt", names["DEFAULT_SUMMARY_PROMPT"]
    )
    assert names["write_summary_prompt"]() == simulated
    assert (SENTENCE in simulated) == bool(words)
