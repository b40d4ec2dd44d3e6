"""A handle for the main number of the setting that is looked at: while it is dragged, the
setting's curve moves with it.

The browser draws the moving curve (``value_handle.js``) from replays that were made
ahead, so dragging asks the server for nothing. They are made a few at a time, the nearest
values first, with summarizers that cost nothing; when the visitor lets go, the setting
takes the value and the page is drawn.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.recently_used import RecentlyUsed
from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.reporting.themes import DARK, LIGHT
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import run_key
from memviz.dashboard.ui.controls.setting_rows import main_parameter
from memviz.dashboard.ui.controls.settings_editor import parameter_key
from memviz.dashboard.ui.controls.study import CompareState, Setting
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import of_session, set_widget, widget_value
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import axis_of, request_turns
from memviz.models.names import is_free
from memviz.storage.workspace import RunKey
from memviz.strategies.parameters import Parameter

HANDLE_KEY = "compare-handle"
MOST_VALUES = 41
"""On the handle's way, besides the value in force and the recorded ones."""
SLICE_SECONDS = 0.3
"""How long replays are made ahead before the browser hears of them. It asks for the next
ones as long as some are missing, from the moment on that the visitor points at the handle."""
CURVES_KEPT = 400
"""In a session, of all settings that were dragged."""
LONGEST_REQUESTS = 600
"""Of longer conversations nothing is replayed ahead: a value would take seconds."""


_WANTED = "value-handle-wants-more"
_TAKEN = "value-handle-was-let-go"


class Curve(NamedTuple):
    """One value's replay, as far as the picture moves."""

    tokens: list[int]
    """Of each request."""
    marks: list[int]
    """Numbers (0-based) of the requests that a compaction changed."""


def value_handle(
    state: CompareState,
    setting_run: SettingRun,
    summarizer: ModelChoice,
    chart: str,
) -> None:
    """Draw the handle below the chart of this key, for the setting of ``setting_run``.
    Nothing is drawn for a setting without a main number, and for one that costs money."""
    setting = next(
        (one for one in state.settings if one.index == setting_run.index), None
    )
    if setting is None or state.free_run or not is_free(summarizer.name):
        return
    parameter = main_parameter(setting)
    run = setting_run.run
    if parameter is None or not 0 < len(run.requests) <= LONGEST_REQUESTS:
        return
    with st.container(key="value-handle"):
        _handle(state, setting, parameter, setting_run, summarizer, chart)


@st.fragment
def _handle(
    state: CompareState,
    setting: Setting,
    parameter: Parameter,
    setting_run: SettingRun,
    summarizer: ModelChoice,
    chart: str,
) -> None:
    if widget_value(_TAKEN):
        set_widget(_TAKEN, False)
        st.rerun()  # the whole page shows the new value, not this fragment alone
    now = int(setting.parameters.get(parameter.name, parameter.default))
    recorded = _recorded_values(state, setting, parameter)
    values = values_of_handle(parameter, now, recorded, _needed_tokens(setting_run.run))
    curves = _make_ahead(state, setting, parameter, values, now, summarizer)
    data = {
        "chart": chart,
        "name": setting_run.label.partition(" · ")[0],
        "unit": parameter.unit,
        "title": parameter.title,
        "values": values,
        "now": now,
        "recorded": recorded,
        "places": _places(setting_run.run),
        "missing": len(values) - len(curves),
        "curves": {str(value): curve._asdict() for value, curve in curves.items()},
        "color": _themed(setting_run.index),
    }
    _component(
        data=data,
        key=f"{HANDLE_KEY}-{setting.uid}",
        on_value_change=partial(_take, setting, parameter),
        on_more_change=partial(set_widget, _WANTED, True),
    )
    set_widget(_WANTED, False)


def values_of_handle(
    parameter: Parameter, now: int, recorded: Sequence[int], needed_tokens: int
) -> list[int]:
    """Return the values on the handle's way, ascending: steps that grow with the value,
    over the suggested range, and all of ``recorded`` and ``now``. A range of tokens ends
    where the whole conversation, of ``needed_tokens``, is sent."""
    low, high = parameter.suggested or (now, now)
    if parameter.unit == "tokens":
        high = min(high, max(needed_tokens, low))
    low = max(low, parameter.minimum or 0)
    ratio = max(high, 1) / max(low, 1)
    steps = [low * ratio ** (at / (MOST_VALUES - 1)) for at in range(MOST_VALUES)]
    rounded = {_rounded(step) for step in steps}
    return sorted({*rounded, low, high, now, *recorded})


def _rounded(value: float) -> int:
    """Return the value with two digits: 1,500 and not 1,487."""
    size: int = 10 ** max(0, len(str(int(value))) - 2)
    return max(1, round(value / size) * size)


def _needed_tokens(run: Run) -> int:
    tokens: int = run.log.token_sums(run.counter).totals[len(run.log)]
    return tokens


def _places(run: Run) -> Sequence[int]:
    """Return the places of the requests on the x axis of the chart."""
    places: Sequence[int] = axis_of([run]).places(request_turns(run)).tolist()
    return places


def _recorded_values(
    state: CompareState, setting: Setting, parameter: Parameter
) -> list[int]:
    """Return the values whose summaries are recorded, all else being as it is."""
    shelf = workspace().recordings
    id = state.conversation_id or ""
    transcript, log = workspace().conversation(id, state.first)
    chosen = setting.build()
    values = set()
    for one in shelf.settings_of(transcript, log, state.counter):
        if one.id != chosen.id:
            continue
        value = getattr(one, parameter.name)
        if one == chosen.model_copy(update={parameter.name: value}):
            values.add(int(value))
    return sorted(values)


def _make_ahead(
    state: CompareState,
    setting: Setting,
    parameter: Parameter,
    values: Sequence[int],
    now: int,
    summarizer: ModelChoice,
) -> Mapping[int, Curve]:
    """Return the curves that are there, after making more of them for a moment: those of
    the values nearest to ``now`` first."""
    kept: RecentlyUsed[RunKey, Curve] = of_session(
        "value-handle-curves", lambda: RecentlyUsed(CURVES_KEPT)
    )
    at = values.index(now)
    nearest = sorted(values, key=lambda value: abs(values.index(value) - at))
    curves: dict[int, Curve] = {}
    seconds = SLICE_SECONDS if widget_value(_WANTED) else 0
    until = monotonic() + seconds
    for value in nearest:
        key = _key_of(state, setting, parameter, value, summarizer)
        if key is None:
            continue
        curve = kept.get(key)
        if curve is None and monotonic() < until:
            curve = kept.put(key, _replayed(key))
        if curve is not None:
            curves[value] = curve
    return curves


def _key_of(
    state: CompareState,
    setting: Setting,
    parameter: Parameter,
    value: int,
    summarizer: ModelChoice,
) -> RunKey | None:
    """Return the key of the setting's run with this value; ``None`` where it is not
    allowed together with the others."""
    other = Setting(
        setting.uid,
        setting.index,
        setting.strategy_id,
        {**setting.parameters, parameter.name: value},
        as_written=setting.as_written,
    )
    try:
        return run_key(workspace(), state, other, summarizer)
    except MemvizError:
        return None


def _replayed(key: RunKey) -> Curve:
    run = workspace().kept_run(key)
    if run is None:
        work = workspace().replaying(key, workspace().free_summarizer(key))
        work.go_on()
        work.wait(60)
        run = work.so_far()
    marks = [number for number, _ in run.requests.compactions()]
    return Curve(run.columns.totals.tolist(), marks)


def _take(setting: Setting, parameter: Parameter) -> None:
    """Give the setting the value that the handle was let go at."""
    said: Mapping[str, Any] = widget_value(f"{HANDLE_KEY}-{setting.uid}") or {}
    value = said.get("value")
    if isinstance(value, int):
        set_widget(parameter_key(setting, parameter.name), value)
        setting.parameters[parameter.name] = value
        set_widget(_TAKEN, True)


def _themed(index: int) -> str:
    colors = (LIGHT.settings, DARK.settings)
    light, dark = (each[index % len(each)] for each in colors)
    return f"light-dark({light}, {dark})"


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


_component = st.components.v2.component(
    "memviz_value_handle",
    html=_source("value_handle.html"),
    css=_source("value_handle.css"),
    js=_source("value_handle.js"),
)
