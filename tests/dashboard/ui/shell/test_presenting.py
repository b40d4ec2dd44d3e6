"""What an address says about how much of a page is shown."""

from __future__ import annotations

from memviz.dashboard.ui.compare.views import DOLLARS, MEMORY_MAP, TOKENS, compare_views
from memviz.dashboard.ui.facts.views import KEPT, LIVES, SUMMARIES, facts_views
from memviz.dashboard.ui.shell.linked import is_own_address, note_own_address
from memviz.dashboard.ui.shell.presenting import (
    Part,
    hidden_parts,
    hides,
    is_bare,
    letter_scale,
    presenting,
    view_named,
    view_part,
)
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, FACTS_VIEW
from memviz.dashboard.ui.shell.walk import WALK


def test_hidden_parts_are_those_that_there_are() -> None:
    assert hidden_parts({"hide": ["sidebar, reader", "numbers,sidebar,,door"]}) == (
        {Part.SIDEBAR, Part.READER, Part.NUMBERS},
        ["door"],
    )
    assert hidden_parts({}) == (frozenset(), [])


def test_a_minimal_page_names_its_view_by_another_part() -> None:
    assert view_named({"view": "dollars"}) == "dollars"
    assert view_named({"view": "minimal", "show": "dollars"}) == "dollars"
    assert view_named({"view": "minimal"}) == view_named({}) == ""


def test_all_is_shown_unless_somebody_says_otherwise() -> None:
    assert not any(map(hides, Part))
    assert not is_bare()
    assert letter_scale() == 1
    assert view_part() == "view"
    state = presenting()
    try:
        state.is_minimal = True
        assert {part for part in Part if not hides(part)} == {Part.PLAYER}
        assert view_part() == "show"
        state.is_minimal, state.is_on = False, True
        assert {part for part in Part if not hides(part)} == {Part.TITLE, Part.PLAYER}
        assert letter_scale() > 1.5
    finally:
        state.is_minimal = state.is_on = False


def test_the_pictures_of_the_walk_are_views_with_these_titles() -> None:
    presenting().is_on = True
    try:
        views = {COMPARE_VIEW: compare_views(), FACTS_VIEW: facts_views()}
    finally:
        presenting().is_on = False
    titles = {
        (key, view.id): view.question for key, each in views.items() for view in each
    }
    charts = [picture for picture in WALK if not picture.is_staged]
    assert [titles[place.key, place.view] for place in charts] == [
        place.title for place in charts
    ]
    assert [place.view for place in charts] == [
        TOKENS,
        DOLLARS,
        MEMORY_MAP,
        KEPT,
        LIVES,
    ]
    assert [view.id for view in facts_views()] == [LIVES, SUMMARIES]


def test_a_session_knows_the_addresses_that_it_wrote() -> None:
    note_own_address("turn=7&setting=a&setting=b")
    assert is_own_address({"turn": ["7"], "setting": ["a", "b"]})
    assert not is_own_address({"turn": ["8"], "setting": ["a", "b"]})
