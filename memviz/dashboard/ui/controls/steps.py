"""What a step on the x axis of charts that go by request is called."""

from __future__ import annotations

from collections.abc import Sequence

from memviz.dashboard.charts.setting_run import SettingRun


def step_of(settings: Sequence[SettingRun]) -> str:
    """``turn`` where every turn took one call of the model, else ``request``."""
    return "request" if any(setting.run.has_calls for setting in settings) else "turn"


def step_by_step(settings: Sequence[SettingRun]) -> str:
    """What the table behind such a chart is called."""
    step = step_of(settings)
    return f"{step.capitalize()} by {step}, in numbers"
