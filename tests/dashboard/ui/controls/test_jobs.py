"""A job is offered with its price, tells how far it is, is stopped anywhere, and goes on from what was kept."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from streamlit.testing.v1 import AppTest

from memviz.core.model_errors import RateLimitError
from memviz.dashboard.ui.controls.jobs import Job, Tell, start_verb
from memviz.models.planned_calls import CostBound
from tests.pages.driving import labelled, sentences
from tests.tables import for_each

TOTAL = 4


@dataclass
class Ledger:
    """What became of the job: steps done and kept, what happened in which order, and the step that fails next."""

    kept: int = 0
    done: int = 0
    told: list[str] = field(default_factory=list)
    fails_at: int | None = None


def counting(ledger: Ledger) -> Job:
    """Counts to four, from where it was left."""

    def count(tell: Tell) -> None:
        try:
            for number in range(ledger.kept + 1, TOTAL + 1):
                if ledger.fails_at == number:
                    raise RateLimitError("Too many numbers.", model="abacus")
                ledger.done = number
                tell(number / TOTAL, f"{number} of {TOTAL}")
        finally:
            ledger.told.append("kept")
            ledger.kept = ledger.done

    verb = start_verb("Count", is_begun=ledger.kept > 0, has_failed=False)
    return Job(
        "count",
        count,
        verb=verb,
        model="abacus",
        bound=CostBound(0.0123),
        before="Four numbers.",
    )


LEDGER = Ledger()


@pytest.fixture
def ledger(monkeypatch: pytest.MonkeyPatch) -> Ledger:
    made = Ledger()
    monkeypatch.setattr(f"{__name__}.LEDGER", made)
    return made


def page() -> None:
    """The offer of whatever is left to count."""
    import streamlit as st

    from tests.dashboard.ui.controls import test_jobs as here

    if here.LEDGER.kept < here.TOTAL:
        kept = here.LEDGER.kept
        so_far = f"{kept} of {here.TOTAL} numbers so far." if kept else ""
        here.counting(here.LEDGER).run_when_asked(so_far=so_far)
    st.text("the rest of the page")


def opened() -> AppTest:
    return AppTest.from_function(page).run()


@for_each(
    ("is_begun", "has_failed", "verb"),
    [
        (False, False, "Count"),
        (True, False, "Go on"),
        (True, True, "Try again"),
        (False, True, "Try again"),
    ],
)
def test_what_was_stopped_goes_on_and_what_failed_is_tried_again(
    is_begun: bool, has_failed: bool, verb: str
) -> None:
    assert start_verb("Count", is_begun=is_begun, has_failed=has_failed) == verb


def test_nothing_is_done_before_the_click(ledger: Ledger) -> None:
    session = opened()
    assert sentences(session.caption) == ["Four numbers. At most $0.013."]
    assert [button.label for button in session.button] == ["Count with abacus"]
    assert ledger == Ledger()


def test_the_click_does_it_and_the_offer_is_gone(ledger: Ledger) -> None:
    session = opened().button(key="count").click().run()
    assert (ledger.kept, ledger.told) == (TOTAL, ["kept"])
    assert not session.button
    assert [text.value for text in session.text] == ["the rest of the page"]


def test_after_a_failure_it_goes_on_from_what_was_kept(ledger: Ledger) -> None:
    ledger.fails_at = 3
    session = opened().button(key="count").click().run()
    (sentence,) = sentences(session.error)
    assert sentence.endswith(
        "What was answered before is kept: try again to go on from there."
    )
    assert [button.label for button in session.button] == ["Try again with abacus"], (
        "and no Stop any more"
    )
    assert [text.value for text in session.text] == ["the rest of the page"]
    ledger.fails_at = None
    session.run()
    assert sentences(session.caption) == [
        "Four numbers. At most $0.013.",
        "2 of 4 numbers so far.",
    ]
    labelled(session.button, "Go on with abacus").click().run()
    assert ledger.kept == TOTAL


def test_what_was_done_before_a_stop_is_kept(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streamlit stops a script with an exception out of whatever is drawn next."""

    class Stopped(BaseException):
        pass

    def draw(self: object, share: float, words: str) -> None:
        if share >= 0.5:
            raise Stopped

    monkeypatch.setattr("memviz.dashboard.ui.controls.jobs.ProgressBar.__call__", draw)
    with pytest.raises(Stopped):
        counting(ledger).run()
    assert (ledger.kept, ledger.told) == (2, ["kept"])


def bar() -> None:
    """Three of a thousand turns are done; the checkbox finishes."""
    import streamlit as st

    from memviz.dashboard.ui.controls.jobs import ProgressBar

    drawn = ProgressBar()
    drawn(0.003, "turn 3 of 1,000")
    if st.checkbox("finish"):
        drawn.close()


def bars(session: AppTest) -> list[tuple[float, str]]:
    return [(bar.proto.value, bar.proto.text) for bar in session.get("progress")]


def test_short_work_shows_no_bar() -> None:
    assert bars(AppTest.from_function(bar).run()) == []


def test_long_work_shows_how_far_it_is_until_it_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("memviz.dashboard.ui.controls.jobs.FRAME_SECONDS", 0)
    session = AppTest.from_function(bar).run()
    assert [text for _, text in bars(session)] == ["turn 3 of 1,000"]
    session.checkbox[0].check().run()
    assert bars(session) == []
