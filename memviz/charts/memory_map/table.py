"""What the memory maps show, as a table: how many messages had which fate at every request."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from memviz.charts.memory_map.fate_words import FATE_WORDS
from memviz.charts.requests.tables import request_columns, shown_requests
from memviz.charts.setting_run import SettingRun
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.metrics.requests.request_axis import calls_of
from memviz.text.wording import distinct_names


def fates_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Numbers of messages, one column for each fate that occurs under a setting."""
    maps = [fate_map(setting.run) for setting in settings]
    shown = shown_requests([setting.run for setting in settings])
    columns: dict[str, list[int | None]] = {}
    for name, one in zip(
        distinct_names([setting.label for setting in settings]), maps, strict=True
    ):
        requests = zip(one.turns.tolist(), calls_of(one.turns).tolist(), strict=True)
        rows = {request: row for row, request in enumerate(requests)}
        for fate, words in FATE_WORDS.items():
            if one.counts[:, fate].any():
                columns[f"{name}: {words}"] = [
                    int(one.counts[rows[request], fate]) if request in rows else None
                    for request in shown
                ]
    return pd.DataFrame({**request_columns(shown), **columns})
