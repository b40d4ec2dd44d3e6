"""Work that models are asked for: offered with what it costs at most, begun on a click, told, and stopped."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.background import BackgroundWork
from memviz.core.errors import MemvizError
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.pickers import summarizer_button
from memviz.dashboard.ui.controls.spending import (
    SpentSoFar,
    bound_caption,
    tell_spent,
    told_beside,
)
from memviz.dashboard.ui.shell.elements import (
    box,
    button,
    row,
    show_caption,
    show_error,
)
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.models.names import OFFLINE
from memviz.models.planned_calls import CostBound

FRAME_SECONDS = 0.2
"""The least time between two drawings of progress; work that takes less shows no bar at all."""
REFRESH_SECONDS = 0.4
"""The time between two looks at work in a thread of its own."""
NO_OTHER_CALL = noop("No other call was made.")
KEPT = noop("What was answered before is kept: try again to go on from there.")
Tell = Callable[[float, str], None]
"""Takes the share of the work that is done, and what is being done in words."""


class ProgressBar:
    """A bar that appears once work has taken a moment, at the place where it was made."""

    def __init__(self) -> None:
        self._place: DeltaGenerator = st.empty()
        self._last_drawing = monotonic()

    def __call__(self, share: float, words: str) -> None:
        """Draw that this ``share`` of the work is done."""
        if monotonic() - self._last_drawing >= FRAME_SECONDS:
            self._last_drawing = monotonic()
            self._place.progress(share, words)

    def close(self) -> None:
        """Take the bar away: the work is done."""
        self._place.empty()


def start_verb(first: str, *, is_begun: bool, has_failed: bool) -> str:
    """Return the verb of the start button: ``first`` before anything was done, *Go on* where that was only stopped, and
    *Try again* where a failure is said beside it."""
    if has_failed:
        return _("Try again")
    return _("Go on") if is_begun else first


def start_button(label: str, key: str, *, is_main: bool = True) -> bool:
    """Draw the button that a job waits for. Return true if it was clicked."""
    return button(
        label, key, ":material/play_arrow:", type="primary" if is_main else "secondary"
    )


def stop_button(
    key: str, *, help: str | None = None, on_click: Callable[[], None] | None = None
) -> bool:
    """Draw the button that ends a job early. Return true if it was clicked."""
    return button(_("Stop"), key, ":material/stop_circle:", on_click, help=help)


def use_the_stand_in_button(key: str) -> None:
    """Draw the button that lets the built-in model summarize instead, which costs nothing."""
    summarizer_button(_("Use the built-in model"), OFFLINE, key)


@dataclass
class Job:
    """Work that models are asked for while the page's run waits for it.

    Every click ends it, with an exception out of whatever is drawn next, so it must be run outside of any fragment:
    Streamlit would let the fragment's run finish before it hears of a click within it.
    """

    key: str
    """The key of the start button; the other controls are named after it."""
    work: Callable[[Tell], object]
    """Asks, and tells now and then how far it is. It keeps what was done itself, however it is ended."""
    words: str = ""
    """The words beside the way out; where there are none, the bar alone says how far it is."""
    is_offline: bool = False
    """Models that cost nothing keep nobody waiting: it is only said what is being done."""
    verb: str = ""
    """The words on the start button, before the name of the model."""
    model: str = ""
    bound: CostBound = field(default_factory=CostBound)
    """The most that it may cost."""
    before: str = ""
    """Other words beside the bound on the cost."""

    @property
    def label(self) -> str:
        """The words on its start button."""
        return _("{verb} with {model}", verb=self.verb, model=plain(self.model))

    def offer(self, *, beside: Callable[[], object] | None = None) -> bool:
        """Draw the start button, and beside it what a click costs at most; ``beside`` draws other ways to go on. Return
        true if it was clicked."""
        with row():
            is_asked = start_button(self.label, self.key)
            if beside is not None:
                beside()
            bound_caption(self.bound, before=self.before)
        return is_asked

    def run(self, *, stop_help: str | None = None) -> MemvizError | None:
        """Work it off, with progress and a way out. Return the error that ended it early, if one did."""
        if self.is_offline:
            with st.spinner(self.words):
                return self._work_off(lambda share, words: None)
        place = st.empty()
        with place.container(horizontal=True, vertical_alignment="center"):
            # Its click needs no answer here: any click ends the run of the page, and with it the work.
            stop_button(f"{self.key}-stop", help=stop_help)
            words_place = st.empty()
        bar = ProgressBar()
        if self.words:
            with told_beside(words_place, self.words):
                error = self._work_off(bar)
        else:
            so_far = SpentSoFar()

            def tell(share: float, words: str) -> None:
                bar(share, f"{words}{plain(so_far.words)}")

            error = self._work_off(tell)
        if error is None:
            bar.close()
        place.empty()
        tell_spent()
        return error

    def _work_off(self, tell: Tell) -> MemvizError | None:
        try:
            self.work(tell)
        except MemvizError as error:
            return error
        return None

    def run_when_asked(self, *, so_far: str = "", is_asked: bool = False) -> bool:
        """Say what it costs and what was done ``so_far``, and run it after a click, or at once where it ``is_asked``
        for elsewhere. A job that came to its end draws the page again; after a failure the page goes on, and ``True``
        says that more may be done than before."""
        bound_caption(self.bound, before=self.before)
        if so_far:
            st.caption(so_far)
        start = st.empty()
        with start:
            is_clicked = start_button(self.label, self.key)
        # The button of another try is drawn below, so its click is read from its key before it is drawn.
        again = f"{self.key}-again"
        if not (is_clicked or is_asked or widget_value(again)):
            return False
        error = self.run(stop_help=_("What was answered so far is kept."))
        if error is None:
            st.rerun()  # the question whether to start is settled
        start.empty()
        show_error(error, _(KEPT))
        start_button(_("Try again with {model}", model=plain(self.model)), again)
        return True


class Step(NamedTuple):
    """The progress of work in a thread: the share that is done, and the same in words."""

    share: float
    words: str


@st.fragment(run_every=REFRESH_SECONDS)
def watch(
    work: BackgroundWork,
    step: Callable[[], Step],
    stop_key: str,
    note: Callable[[], str] = str,
) -> None:
    """Draw how far ``work`` is, a ``note`` if there is one, and a way out; the page is drawn again once it has
    ended."""
    if work.wait(0):
        st.rerun()
    with box():
        st.progress(*step())
        words = note()
        if words:
            show_caption(words)
        stop_button(stop_key, on_click=work.cancel)
    tell_spent(anew=True)
