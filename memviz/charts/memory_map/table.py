"""What the memory maps show, as a table: how many messages had which fate at every request."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from memviz.charts.memory_map.fate_words import FATE_WORDS
from memviz.charts.requests.tables import TURN, shown_turns
from memviz.charts.requests.tokens_per_turn import SettingRun
from memviz.metrics.memory_map.fate_map import fate_map
from memviz.text.wording import distinct_names


def fates_table(settings: Sequence[SettingRun]) -> pd.DataFrame:
    """Numbers of messages, one column for each fate that occurs under a setting."""
    maps = [fate_map(setting.run) for setting in settings]
    turns = shown_turns(max((int(one.turns[-1]) for one in maps if len(one.turns)), default=0))
    columns: dict[str, list[int | None]] = {}
    for name, one in zip(distinct_names([setting.label for setting in settings]), maps, strict=True):
        rows = {int(turn): row for row, turn in enumerate(one.turns)}
        for fate, words in FATE_WORDS.items():
            if one.counts[:, fate].any():
                columns[f"{name}: {words}"] = [
                    int(one.counts[rows[turn], fate]) if turn in rows else None for turn in turns
                ]
    return pd.DataFrame({TURN: turns, **columns})
