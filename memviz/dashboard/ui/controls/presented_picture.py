"""What a picture is before an audience: one sentence in large letters, all the room there is, and notes for the
speaker."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import streamlit as st

from memviz.dashboard.charts.setting_run import SettingRun
from memviz.dashboard.ui.controls.selected_request import is_marked
from memviz.dashboard.ui.shell.presenting import is_bare, presents, speaker_notes
from memviz.dashboard.ui.shell.text import plain
from memviz.metrics.summaries.compaction_words import compaction_words

MOST_PIXELS = 2_000
"""As high as a picture may become; the style of the page leaves it what the window has."""


def finding_to_audience(finding: str, notes: Iterable[str] = ()) -> None:
    """Before an audience: what the picture shows, in one sentence, and ``notes`` for who speaks about it."""
    if presents():
        st.markdown(plain(finding))
        speaker_notes([finding, *notes])


def picture_pixels(pixels: int) -> int:
    """How high a picture is that has ``pixels`` among others."""
    return MOST_PIXELS if is_bare() else pixels


def compaction_notes(settings: Sequence[SettingRun]) -> Iterator[str]:
    """Of each setting the first thing that it did, with its numbers: what a speaker may point at."""
    for setting in settings:
        first = next(
            (
                compaction
                for compaction in setting.run.compactions
                if is_marked(compaction)
            ),
            None,
        )
        if first is not None:
            yield f"{setting.label}: {compaction_words(first, setting.run).sentence}"
