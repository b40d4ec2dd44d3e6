"""The setting as a file: what is written is read back, whatever the values are."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given

import memviz
from memviz.code_export import Setting, targets
from memviz.engine.memory_config import load_memory_config, strategy_of
from tests.code_export.any_setting import any_setting
from tests.code_export.running import setting
from tests.tables import for_each


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


@for_each("id", memviz.strategies())
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
