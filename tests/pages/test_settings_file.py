"""A memory.yaml that was exported comes back as a setting."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

import memviz
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import sample
from tests.pages.driving import labelled, open_page, sentences, token_lines


def opened(content: str, name: str = "memory.yaml") -> AppTest:
    page = open_page("compare")
    labelled(page.file_uploader, "Open a memory.yaml").set_value(
        (name, content.encode(), "text/yaml")
    )
    return page.run()


@pytest.mark.parametrize(
    "setting",
    [
        memviz.strategy("window", window_size=7),
        memviz.strategy("chat_summary_buffer", token_limit=900),
    ],
    ids=lambda setting: setting.id,
)
def test_the_file_shows_the_very_run_that_was_measured(
    setting: memviz.Strategy,
) -> None:
    page = opened(
        targets()["memory_yaml"].write(Setting(setting, counter="cl100k_base"))
    )
    run = memviz.replay(sample("trip"), setting, counter="cl100k_base")
    assert token_lines(page)[setting.label] == [
        record.total_tokens for record in run.turns
    ]
    assert labelled(page.selectbox, "Token counter").value == "cl100k_base"
    assert "goes on with its own summarizer" in "\n".join(
        toast.value for toast in page.toast
    )


def test_a_file_with_a_mistake_says_where() -> None:
    page = opened("memory:\n  strategy: windw\n")
    assert "memory.yaml, line 2" in "\n".join(sentences(page.error))
    assert len(token_lines(page)) == 3
