"""A handle for the main number of the setting that is looked at: while it is dragged, the
setting's curve moves with it.

The browser draws the moving curve (``value_handle.js``) from replays that were made
ahead, so dragging asks the server for nothing. They are made a few at a time, the nearest
values first, with summarizers that cost nothing; when the visitor lets go, the setting
takes the value and the page is drawn.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from time import monotonic
from typing import Any, NamedTuple

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.recently_used import RecentlyUsed
from memviz.core.translation import _, script_words
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.stage.files import own_text
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.message_html import setting_color
from memviz.dashboard.ui.controls.pickers import ModelChoice
from memviz.dashboard.ui.controls.replaying import run_key
from memviz.dashboard.ui.controls.setting import Setting
from memviz.dashboard.ui.controls.setting_rows import main_parameter, value_of
from memviz.dashboard.ui.controls.settings_editor import parameter_key
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import of_session, set_widget, widget_value
from memviz.metrics.requests.request_axis import list_request_turns, make_axis
from memviz.models.names import is_free
from memviz.storage.workspace import RunKey
from memviz.strategies.parameters import Parameter

HANDLE_KEY = "compare-handle"
MOST_VALUES = 41
"""On the handle's way, besides the value in force and the recorded ones."""
SLICE_SECONDS = 0.3
"""The time for which replays are made ahead before the browser hears of them. It asks for the next ones as long as some
are missing, from the moment on that the visitor points at the handle."""
CURVES_KEPT = 400
"""In a session, of all settings that were dragged."""
LONGEST_REQUESTS = 600
"""The most requests of a conversation that is replayed ahead: a value would take seconds."""


_WANTED = "value-handle-wants-more"
_TAKEN = "value-handle-was-let-go"


class Curve(NamedTuple):
    """One value's replay, as far as the picture moves."""

    tokens: list[int]
    """The tokens of each request."""
    marks: list[int]
    """Numbers (0-based) of the requests that a compaction changed."""


class _Handle(NamedTuple):
    """The setting that is dragged, by its main parameter."""

    setting: Setting
    parameter: Parameter
    summarizer: ModelChoice
    run: SettingRun

    @property
    def now(self) -> int:
        """The value in force."""
        return int(value_of(self.setting, self.parameter))


def draw_value_handle(
    setting_run: SettingRun, summarizer: ModelChoice, chart_key: str
) -> None:
    """Draw the handle of the setting of ``setting_run``, whose curve moves on the chart of
    this key. Nothing is drawn for a setting without a main number, and where summaries
    cost money."""
    state = compare_state()
    setting = state.setting_at(setting_run.index)
    if setting is None or state.free_run or not is_free(summarizer.name):
        return
    parameter = main_parameter(setting)
    if parameter is None or not 0 < len(setting_run.run.requests) <= LONGEST_REQUESTS:
        return
    with st.container(key="value-handle"):
        _draw(_Handle(setting, parameter, summarizer, setting_run), chart_key)


@st.fragment
def _draw(handle: _Handle, chart_key: str) -> None:
    if widget_value(_TAKEN):
        set_widget(_TAKEN, False)
        st.rerun()  # the whole page shows the new value, not this fragment alone
    run = handle.run.run
    strategy, _dot, _parameters = handle.run.label.partition(" · ")
    recorded_values = _find_recorded_values(handle)
    keys = _keys_on_the_way(handle, recorded_values)
    curves = _replay_ahead(keys, handle.now)
    data = {
        "chart": chart_key,
        "name": strategy,
        "unit": _(handle.parameter.unit),
        "title": handle.parameter.title,
        "values": list(keys),
        "now": handle.now,
        "recorded": recorded_values,
        "places": make_axis([run]).places(list_request_turns(run)).tolist(),
        "missing": len(keys) - len(curves),
        "curves": {str(value): curve._asdict() for value, curve in curves.items()},
        "color": setting_color(handle.run.index),
        "words": script_words(own_text(__package__, "value_handle.js")),
    }
    key = f"{HANDLE_KEY}-{handle.setting.uid}"
    _component(
        data=data,
        key=key,
        on_value_change=partial(_take, handle, key),
        on_more_change=partial(set_widget, _WANTED, True),
    )
    set_widget(_WANTED, False)


def spread_values(
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
    values = {low, high, now, *recorded}
    for number in range(MOST_VALUES):
        # From 0 at the low end to 1 at the high one, so that each value is so many times the one before.
        share = number / (MOST_VALUES - 1)
        values.add(_round_to_two_digits(low * ratio**share))
    return sorted(values)


def _round_to_two_digits(value: float) -> int:
    """Return the value with two digits: 1,500 and not 1,487."""
    digits = len(str(int(value)))
    size: int = 10 ** max(0, digits - 2)
    return max(1, round(value / size) * size)


def _find_recorded_values(handle: _Handle) -> list[int]:
    """Return the values whose summaries are recorded, all else being as it is."""
    transcript, log = studied_conversation()
    counter = compare_state().counter
    setting = handle.setting.build()
    name = handle.parameter.name
    values = set()
    for recorded in workspace().recordings.settings_of(transcript, log, counter):
        if recorded.id != setting.id:
            continue
        value = getattr(recorded, name)
        if recorded == setting.model_copy(update={name: value}):
            values.add(int(value))
    return sorted(values)


def _keys_on_the_way(handle: _Handle, recorded: Sequence[int]) -> dict[int, RunKey]:
    """Return the keys of the setting's runs by its values on the way, ascending. A value
    that is not allowed together with the other parameters is not on it."""
    run = handle.run.run
    needed_tokens = int(run.log.token_sums(run.counter).totals[len(run.log)])
    values = spread_values(handle.parameter, handle.now, recorded, needed_tokens)
    keys = {}
    for value in values:
        parameters = {**handle.setting.parameters, handle.parameter.name: value}
        setting = replace(handle.setting, parameters=parameters)
        with suppress(MemvizError):
            keys[value] = run_key(
                workspace(), compare_state(), setting, handle.summarizer
            )
    return keys


def _replay_ahead(keys: Mapping[int, RunKey], now: int) -> dict[int, Curve]:
    """Return the curves that are there by their values, after making more of them for a
    moment if the browser asked: those of the values nearest to ``now`` first."""
    session_curves: RecentlyUsed[RunKey, Curve] = of_session(
        "value-handle-curves", lambda: RecentlyUsed(CURVES_KEPT)
    )
    places = {value: place for place, value in enumerate(keys)}
    nearest = sorted(keys, key=lambda value: abs(places[value] - places[now]))
    until = monotonic() + (SLICE_SECONDS if widget_value(_WANTED) else 0)
    curves: dict[int, Curve] = {}
    for value in nearest:
        key = keys[value]
        curve = session_curves.get(key)
        if curve is None and monotonic() < until:
            curve = session_curves.put(key, _replay_curve(key))
        if curve is not None:
            curves[value] = curve
    return curves


def _replay_curve(key: RunKey) -> Curve:
    run = workspace().run(key, workspace().free_summarizer(key))
    marks = [number for number, _made in run.requests.compactions()]
    return Curve(run.columns.totals.tolist(), marks)


def _take(handle: _Handle, key: str) -> None:
    """Give the setting the value that the handle was let go at."""
    moved: Mapping[str, Any] = widget_value(key) or {}
    value = moved.get("value")
    if isinstance(value, int):
        name = handle.parameter.name
        set_widget(parameter_key(handle.setting, name), value)
        handle.setting.parameters[name] = value
        set_widget(_TAKEN, True)


_component = st.components.v2.component(
    "memviz_value_handle",
    html=own_text(__package__, "value_handle.html"),
    css=own_text(__package__, "value_handle.css"),
    js=own_text(__package__, "value_handle.js"),
)
