"""Any setting that a visitor may export, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import memviz
from memviz.code_export import Setting
from memviz.core.counters import COUNTERS
from memviz.strategies.parameters import Parameter

any_text = st.text(
    st.characters(exclude_categories=()), max_size=60
)  # lone surrogates and control characters too


def values(parameter: Parameter) -> st.SearchStrategy[Any]:
    if parameter.replay_only:  # no program can do it
        return st.just(parameter.default)
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
    if parameter.name == "steps":
        return st.sampled_from(
            [None, "drop thinking\nsummarize at 0.8 of the window, keep 10 messages"]
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
