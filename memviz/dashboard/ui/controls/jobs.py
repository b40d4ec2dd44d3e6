"""Work that a model is asked for in steps: its price, a start button, progress, a way out, and going on later."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar, NamedTuple, Protocol

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted
from memviz.dashboard.ui.controls.spending import (
    SpentSoFar,
    bound_caption,
    tell_spent,
    told_beside,
)
from memviz.dashboard.ui.shell.elements import row
from memviz.dashboard.ui.shell.errors import show_error
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.models.cost_bound import CostBound

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


REFRESH_SECONDS = 0.4
"""How often a job in a thread of its own is looked at."""
NO_OTHER_CALL = "No other call was made."
KEPT = "What was answered before is kept: try again to go on from there."


class Step(NamedTuple):
    """The progress of a job: the share that is done, and the same in words."""

    share: float
    words: str


def start_verb(first: str, *, is_begun: bool, has_failed: bool) -> str:
    """Return the verb of the start button: ``first`` before anything was done, *Go on* where that was only stopped, and
    *Try again* where a failure is said beside it."""
    return "Try again" if has_failed else "Go on" if is_begun else first


def start_button(
    label: str, key: str, *, place: DeltaGenerator | None = None, is_main: bool = True
) -> bool:
    """Draw the button that a job waits for. Returns whether it was clicked."""
    button = place.button if place is not None else st.button
    return button(
        label,
        icon=":material/play_arrow:",
        type="primary" if is_main else "secondary",
        key=key,
    )


def stop_button(
    key: str,
    *,
    place: DeltaGenerator | None = None,
    help: str | None = None,
    on_click: Callable[[], None] | None = None,
) -> bool:
    """Draw the button that ends a job early. Returns whether it was clicked."""
    button = place.button if place is not None else st.button
    return button(
        "Stop", icon=":material/stop_circle:", key=key, help=help, on_click=on_click
    )


def offer(
    label: str,
    key: str,
    bound: CostBound,
    *,
    before: str = "",
    beside: Callable[[], object] | None = None,
) -> bool:
    """Offer to ask a model, and say beside the button what that costs at most. ``before`` is what else the line says,
    and ``beside`` draws another way out. Returns whether the button was clicked."""
    with row():
        is_asked = start_button(label, key)
        if beside is not None:
            beside()
        bound_caption(bound, before=before)
    return is_asked


def show_failure(error: MemvizError) -> None:
    """Say of work that ended early why it did."""
    st.error(plain(f"{error} {NO_OTHER_CALL}"), icon=":material/error:")


@contextmanager
def stoppable(words: str, key: str, *, is_offline: bool = False) -> Iterator[None]:
    """Say what is being done, in ``words``, with a way out, for as long as the block asks a model. A click on it, or on
    anything else, ends the block. It has to be outside of any fragment: Streamlit would let the fragment's run finish
    before it hears of a click within it. A model that ``is_offline`` keeps nobody waiting: there it is only said what
    is being done."""
    if is_offline:
        with st.spinner(words):
            yield
        return
    place = st.empty()
    with place.container(horizontal=True, vertical_alignment="center"):
        stop_button(key)
        told = st.empty()
    try:
        with told_beside(told, words):
            yield
    except MemvizError:
        place.empty()
        tell_spent()
        raise
    place.empty()
    tell_spent()


@dataclass
class ResumableJob(ABC):
    """Steps that ``model`` is asked for, ``done`` of ``total`` of them in earlier attempts. A subclass says what a step
    is, how what was done is kept, and what the rest will cost."""

    model: str
    done: int
    total: int

    verb: ClassVar[str]
    """What the start button says before anything is done."""
    unit: ClassVar[str]
    """What ``total`` counts."""
    start_key: ClassVar[str]
    stop_key: ClassVar[str]

    @abstractmethod
    def estimate(self) -> str:
        """Return a sentence on what the steps that are left are likely to take."""

    @abstractmethod
    def bound(self) -> CostBound:
        """Return the most that they may cost."""

    @abstractmethod
    def steps(self) -> Generator[Step, None, None]:
        """Do what is left, and say now and then how far it is. It is closed wherever it is when the user stops it."""

    @abstractmethod
    def keep(self) -> None:
        """Keep what was done. This may run while the page is being left, so it must not draw."""

    @property
    def is_begun(self) -> bool:
        """True if there is something to go on from."""
        return self.done > 0

    @property
    def has_failed(self) -> bool:
        """True if it is said of an earlier attempt that something in it failed."""
        return False

    @property
    def done_of_total(self) -> str:
        """The part that was done, in words."""
        return f"{self.done:,} of {counted(self.total, self.unit)}"

    def introduce(self) -> None:
        """Draw what there is to read before one starts it."""
        bound_caption(self.bound(), before=self.estimate())
        if self.is_begun:
            st.caption(f"{self.done_of_total} so far.")

    def run_when_asked(self, *, is_asked: bool = False) -> bool:
        """Offer the job, and run it after a click, or at once where it ``is_asked`` for elsewhere. A job that came to
        its end draws the page again; after a failure the page goes on, and ``True`` says that more may be done than
        before."""
        self.introduce()
        verb = start_verb(self.verb, is_begun=self.is_begun, has_failed=self.has_failed)
        label = f"{verb} with {plain(self.model)}"
        start, again = st.empty(), f"{self.start_key}-again"
        is_asked = (
            start_button(label, self.start_key, place=start)
            or is_asked
            or bool(widget_value(again))
        )
        if not is_asked:
            return False
        stop = st.empty()
        stop_button(self.stop_key, place=stop, help="What was answered so far is kept.")
        try:
            self._run()
        except MemvizError as error:
            for place in (start, stop):
                place.empty()
            tell_spent()
            show_error(error, KEPT)
            start_button(f"Try again with {plain(self.model)}", again)
        else:
            st.rerun()  # the question whether to start is settled
        return True

    def _run(self) -> None:
        bar, so_far = ProgressBar(), SpentSoFar()
        try:
            with closing(self.steps()) as steps:
                for share, words in steps:
                    bar(share, f"{words}{plain(so_far.words)}")
            bar.close()
        finally:  # also when it was stopped or the page was left
            self.keep()


class BackgroundWork(Protocol):
    """A job in a thread of its own."""

    def wait(self, seconds: float) -> bool:
        """Wait so long at most; returns whether it has ended."""

    def cancel(self) -> None:
        """Begin no other step; finished ones are kept."""


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
    with st.container(border=True):
        st.progress(*step())
        if said := note():
            st.caption(plain(said))
        stop_button(stop_key, on_click=work.cancel)
    tell_spent(anew=True)
