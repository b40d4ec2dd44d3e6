"""The setting as a file: what is written is read back, whatever the values are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz
from memviz.code_export import Setting, targets
from memviz.core.counters import COUNTERS
from memviz.engine.memory_config import load_memory_config, strategy_of
from memviz.strategies.parameters import Parameter
from tests.code_export.running import setting

any_text = st.text(
    st.characters(exclude_categories=()), max_size=60
)  # lone surrogates and control characters too


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    if parameter.kind is bool:
        return st.booleans()
    if parameter.is_number:
        return st.integers(parameter.minimum or 1, parameter.maximum or 10**12)
    if parameter.choices:
        return st.sampled_from([value for value, _ in parameter.choices])
    if parameter.name == "other_triggers":  # a text with a form of its own
        return st.sampled_from(
            [None, "5000 tokens and 3 messages or 0.8 of the window"]
        )
    return st.none() | any_text


@st.composite
def any_setting(draw: st.DrawFn) -> Setting:
    cls = draw(st.sampled_from(list(memviz.strategies().values())))
    strategy = cls(
        **{parameter.name: draw(values(parameter)) for parameter in cls.parameters()}
    )
    summarizer = draw(
        st.sampled_from(["offline", "openai/gpt-5-mini", "ollama/llama3:8b"])
    )
    return Setting(
        strategy,
        draw(st.sampled_from(list(COUNTERS))),
        summarizer,
        found=draw(any_text),
        system_prompt=draw(st.none() | any_text),
        repair_tool_pairs=draw(st.booleans()),
    )


@given(wanted=any_setting())
def test_what_is_written_is_read_back(wanted: Setting) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "memory.yaml"
        path.write_text(targets()["memory_yaml"].write(wanted), encoding="utf-8")
        config = load_memory_config(path)
    assert strategy_of(config) == wanted.strategy
    memory = config["memory"]
    assert (memory["counter"], memory["summarizer"]) == (
        wanted.counter,
        wanted.summary_model,
    )
    assert memory.get("system_prompt") == (wanted.system_prompt or None)
    assert memory["repair_tool_pairs"] == wanted.repair_tool_pairs


@pytest.mark.parametrize("id", memviz.strategies())
def test_every_parameter_is_in_the_file(id: str) -> None:
    text = targets()["memory_yaml"].write(setting(id))
    for parameter in memviz.strategies()[id].parameters():
        assert f" {parameter.name}: " in text


def test_the_chat_summary_buffer_is_also_what_build_chat_memory_reads(
    tmp_path: Path,
) -> None:
    path = tmp_path / "memory.yaml"
    wanted = setting(
        "chat_summary_buffer",
        parameters={"token_limit": 77, "summarize_prompt": "Be brief."},
    )
    path.write_text(targets()["memory_yaml"].write(wanted), encoding="utf-8")
    memory = load_memory_config(path)["memory"]
    built = memviz.build_chat_memory(
        None, memory["token_limit"], memory["summarize_prompt"]
    )
    assert built.strategy == wanted.strategy
