"""How far long work is. Drawing it is also what lets the visitor stop the work, or change their mind."""

from __future__ import annotations

from time import monotonic

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.text.wording import counted

FRAME_SECONDS = 0.2
"""How often it is drawn at most; work that takes less shows no bar at all."""


class ProgressBar:
    """A bar that appears once work has taken a moment, at the place where it was made."""

    def __init__(self) -> None:
        self._place: DeltaGenerator = st.empty()
        self._drawn = monotonic()

    def __call__(self, share: float, words: str) -> None:
        """This ``share`` of the work is done."""
        if monotonic() - self._drawn >= FRAME_SECONDS:
            self._drawn = monotonic()
            self._place.progress(share, words)

    def close(self) -> None:
        """The work is done."""
        self._place.empty()


class Progress:
    """A bar for the turns of a run."""

    def __init__(self, label: str) -> None:
        self.label, self._bar, self._begun = label, ProgressBar(), monotonic()

    def __call__(self, done: int, turns: int) -> None:
        """``done`` of ``turns`` are done; the rest is said to take as long as these did."""
        left = round((monotonic() - self._begun) / done * (turns - done)) if done else 0
        more = f", about {counted(left, 'second')} more" if left > 1 else ""
        self._bar(done / turns, f"{self.label}: turn {done:,} of {turns:,}{more}")

    def close(self) -> None:
        """The work is done."""
        self._bar.close()
