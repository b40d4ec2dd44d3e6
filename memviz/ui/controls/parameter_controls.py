"""Controls made from the parameters that strategies declare."""

from __future__ import annotations

from typing import Any

import streamlit as st

from memviz.strategies import strategies
from memviz.strategies.parameters import Parameter


def strategy_control(chosen: str, key: str) -> str:
    """Choose a strategy; returns its id."""
    known = strategies()
    return st.selectbox(
        "Strategy",
        list(known),
        index=list(known).index(chosen),
        format_func=lambda id: known[id].title,
        key=key,
        help="\n\n".join(f"**{cls.title}**: {cls.summary_line()}" for cls in known.values()),
    )


def parameter_controls(strategy_id: str, values: dict[str, Any], key: str, *, live: bool = False) -> dict[str, Any]:
    """One control a parameter, the main one first; returns all values. Those that only matter where a
    model answers are shown for ``live`` talk alone."""
    cls = strategies()[strategy_id]
    declared = [parameter for parameter in cls.parameters() if live or not parameter.live_only]
    ordered = sorted(declared, key=lambda parameter: parameter.name != cls.main_parameter)
    return {p.name: _control(p, values.get(p.name, p.default), f"{key}-{p.name}") for p in ordered}


def _control(parameter: Parameter, value: Any, key: str) -> Any:
    if parameter.kind is bool:
        return st.toggle(parameter.title, value, key=key, help=parameter.help)
    if parameter.is_number:
        return st.number_input(
            f"{parameter.title} ({parameter.unit})",
            min_value=parameter.minimum,
            max_value=parameter.maximum,
            value=value,
            step=_step(parameter),
            key=key,
            help=parameter.help,
        )
    return st.text_area(parameter.title, value or "", key=key, help=parameter.help, height=80).strip() or None


def _step(parameter: Parameter) -> int:
    """A step that crosses the suggested range in some forty clicks, as a round number."""
    low, high = parameter.suggested or (0, 40)
    step = 1
    while (high - low) / step > 100:
        step *= 10
    return step if step == 1 else step // 2
