"""The cost of models for a visitor: at most, before a click; so far, while they are asked; in all, always in sight; and
the budget that every call of the session is held to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core.bounds import MAX_USD
from memviz.core.translation import _, noop
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.server.checks import (
    has_own_libraries,
    own_places,
    visitor_now,
)
from memviz.dashboard.ui.shell.state import heed_clicks, of_session
from memviz.dashboard.ui.shell.text import plain
from memviz.models.base import Model
from memviz.models.budget import (
    FIRST_LIMIT_USD,
    FIRST_REPLY_TOKENS,
    Budget,
    Spending,
)
from memviz.models.budgeted import VisitorModel
from memviz.models.connection_check import ConnectionReport
from memviz.models.line import Interruptible
from memviz.models.names import is_free
from memviz.models.planned_calls import CostBound
from memviz.models.recordings.recorder import Noted, Notes
from memviz.models.shared_budget import ServerBudget, VisitorBudget
from memviz.models.visitor_limits import visitor_limits
from memviz.storage.library_account import LibraryAccount
from memviz.storage.store import Store
from memviz.strategies.base import Strategy

BUDGET_KEY = "session-budget"
REPLY_KEY = "session-reply-tokens"
LEAST_REPLY_TOKENS = 16
MOST_REPLY_TOKENS = 1_000_000
ALL_VISITORS = "all"
BUDGET_HELP = noop(
    "US dollars for all calls of this browser session together, on every page. No call is made that "
    "might exceed it; what was done by then is kept. 0 allows no call that costs anything. Calls whose "
    "price is not known are counted, but no amount of dollars holds them. A reload of the page begins "
    "a new session."
)
REPLY_HELP = noop(
    "Tokens that a model may write for one answer or summary, thinking included. A call costs at most "
    "what it is sent and an answer of this length."
)


Swept = tuple[str, Strategy, str]
"""A conversation, a setting of a sweep over it, and the counter."""


@dataclass
class SpendingShown:
    """The places of the page that say what was spent."""

    draw: list[Callable[[bool], None]] = field(default_factory=list)
    """Each writes it at one place, where it has changed."""
    is_shown: bool = False
    """A model that may cost something was chosen in this session, so it is in sight from then on."""
    tests: dict[str, Tested] = field(default_factory=dict)
    """The results of tests of connections, by the control that the model was chosen with."""


class Tested(NamedTuple):
    """The finding of a test of a connection: ``made_with`` is the model with its key and address, which stay in this
    session."""

    made_with: Hashable
    found: ConnectionReport


def spending() -> Spending:
    """Return the spending of this session on models, and its budget: a part of what the server allows."""
    return of_session("spending", lambda: Spending(within=_budget_now()))


def _budget_now() -> Budget | None:
    """Return the budget of the visitor whose page runs; where none is known, that of all. ``None`` for any amount."""
    return _budget_of(visitor_now().id) if has_own_libraries() else _budget_of_all()


@cache
def _budget_of(visitor_id: str) -> Budget | None:
    limit_usd = visitor_limits().usd
    if limit_usd is None:
        return _budget_of_all()
    account = LibraryAccount(_accounts(), visitor_id)
    return VisitorBudget(limit_usd, account, _budget_of_all())


@cache
def _budget_of_all() -> Budget | None:
    limit_usd = visitor_limits().usd_in_all
    if limit_usd is None:
        return None
    return ServerBudget(limit_usd, LibraryAccount(_accounts(), ALL_VISITORS))


@cache
def _accounts() -> Store:
    """Return the place of what visitors have spent, opened once for all: that of what they share, where each has a
    library."""
    return own_places().open_shelf() if has_own_libraries() else workspace().store


def noted_replies() -> Notes:
    """Return the replies of live models in this session, to be saved as a recording."""
    return of_session("noted-replies", Notes)


def noted_sweeps() -> dict[Swept, None]:
    """Return the sweeps that live models wrote summaries for in this session, in their order."""
    return of_session("noted-sweeps", dict[Swept, None])


def spending_shown() -> SpendingShown:
    """Return the places of the page that say what was spent."""
    return of_session("spending-shown", SpendingShown)


def budgeted_model(
    model: Model, look_up: Callable[[], object], max_output_tokens: int | None = None
) -> Model:
    """Return ``model`` as every page asks it: paid out of the session's budget, and left at once when ``look_up``
    raises."""
    # From the inside out: its replies are noted, waiting for them can be broken off, and each is paid for.
    noted = Noted(model, noted_replies())
    interruptible = Interruptible(noted, look_up)
    return VisitorModel(interruptible, spending(), max_output_tokens)


def heed_clicks_and_tell() -> None:
    """Hear of clicks, and say what was spent by now, while a page's run waits for a model."""
    heed_clicks()
    tell_spent()


def bound_words(bound: CostBound) -> str:
    """Return the most that a click costs in words, no more than the session's budget has left."""
    return bound.words(spending().left_usd)


def bound_caption(
    bound: CostBound, *, before: str = "", help: str | None = None
) -> None:
    """Say beside a button what its click costs at most; ``before`` is what else the line says."""
    words = ""
    # That nothing is asked is said only where the line says nothing else.
    if bound != CostBound() or not before:
        words = bound_words(bound)
    st.caption(plain(f"{before} {words}"), help=help)


def budget_controls(models: Sequence[str]) -> None:
    """Draw the session's budget and how long an answer may be, where one of these ``models`` may cost something."""
    if all(map(is_free, models)) and not spending_shown().is_shown:
        return
    spending_shown().is_shown = True
    left, right = st.columns(2, vertical_alignment="bottom")
    limit_usd = left.number_input(
        _("Budget (USD)"),
        0.0,
        MAX_USD,
        FIRST_LIMIT_USD,
        step=0.5,
        key=BUDGET_KEY,
        help=_(BUDGET_HELP),
        persist_state="session",
    )
    reply_tokens = right.number_input(
        _("Reply limit"),
        LEAST_REPLY_TOKENS,
        MOST_REPLY_TOKENS,
        FIRST_REPLY_TOKENS,
        step=1024,
        key=REPLY_KEY,
        help=_(REPLY_HELP),
        persist_state="session",
    )
    spending().allow(limit_usd)
    spending().reply_tokens = int(reply_tokens)


def spent_line() -> None:
    """Draw what was spent in this session, anew while models are asked. No other place may be drawn before: those of
    the page's last run are forgotten here."""
    places = spending_shown()
    places.draw = []
    if places.is_shown or spending().is_used:
        places.draw = [_draw_words(st.empty(), lambda: spending().sentence)]


def tell_spent(*, anew: bool = False) -> None:
    """Write what was spent by now at all places of the page that say it; ``anew`` also where they say so already. Only
    from a run of the page, never while it is being left."""
    # A fragment has to write it anew: Streamlit lets it write outside of itself only where it wrote in the last run
    # of the whole page, and clears what it does not write again.
    for draw in spending_shown().draw:
        draw(anew)


@contextmanager
def told_beside(place: DeltaGenerator, words: str) -> Iterator[None]:
    """Draw ``words`` with what was spent since, for as long as the block asks models."""
    so_far = SpentSoFar()
    draw = _draw_words(
        place, lambda: f"{words}{so_far.words}", ":material/hourglass_empty: "
    )
    places = spending_shown()
    places.draw.append(draw)
    try:
        yield
    finally:
        # A run of the page that begins meanwhile forgets all places.
        if draw in places.draw:
            places.draw.remove(draw)


class SpentSoFar:
    """The spending since this was made."""

    def __init__(self) -> None:
        self._mark = spending().mark

    @property
    def words(self) -> str:
        """The end of a sentence that says how far work is; empty as long as nothing was spent."""
        if spending().mark == self._mark:
            return ""
        return _(" · {spent} so far", spent=spending().since(self._mark))


def _draw_words(
    place: DeltaGenerator, words: Callable[[], str], icon: str = ""
) -> Callable[[bool], None]:
    """Write ``words`` at ``place`` behind an ``icon``. Return what writes them again whenever they are others, or where
    they are to be written anew."""
    last = ""

    def draw(anew: bool) -> None:
        nonlocal last
        now = words()
        if anew or now != last:
            last = now
            place.caption(f"{icon}{plain(now)}")

    draw(True)
    return draw
