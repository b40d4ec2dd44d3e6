"""Open what a step shows on its page: Compare, Facts or another one, with the step's conversation, settings and
turn."""

from __future__ import annotations

from collections.abc import Iterator

from memviz.errors import MemvizError
from memviz.lessons.lesson import View
from memviz.lessons.playing import Played, conversation_id
from memviz.metrics.cost.pricing import DEFAULT_MODEL, DEFAULT_PAUSE_SECONDS
from memviz.ui.shell.frame import PAGES
from memviz.ui.shell.links import follow, link_query
from memviz.ui.shell.state import AddedRecall, CompareState
from memviz.ui.shell.views import COMPARE_VIEW, FACTS_VIEW, ask_view
from memviz.workspace import Workspace

_SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}
STAGE = ("stage", "on")
"""The part of Compare's address that shows the stage."""


def page_of(view: View) -> str:
    """The page that shows a view: the stage is one of Compare."""
    return "compare" if view.page == "stage" else view.page


def page_is_there(view: View) -> bool:
    """Whether this version has the page."""
    return (PAGES / f"{page_of(view)}.py").exists()


def open_view(workspace: Workspace, view: View, played: Played | None = None) -> None:
    """Go to the page of a view."""
    page = page_of(view)
    if view.show and page in _SWITCHES:
        ask_view(_SWITCHES[page], view.show)
    follow(page, query_of(workspace, view, played))


def query_of(workspace: Workspace, view: View, played: Played | None = None) -> str:
    """The address of a view, without its page."""
    study = view.study
    state = CompareState(conversation_id=conversation_id(study.conversation, workspace), counter=study.counter)
    state.settings = []
    for setting in study.settings:
        state.add(setting.id, setting.model_dump(mode="json", exclude_defaults=True))
    uids = [setting.uid for setting in state.settings]
    state.recalls = [
        AddedRecall(one.turn, one.turns, None if one.setting is None else uids[one.setting]) for one in study.recalls
    ]
    state.looked_at = view.highlight.setting
    return link_query(state, view.turn, parts=_parts(view, played), call=view.call)


def _parts(view: View, played: Played | None) -> Iterator[tuple[str, str]]:
    if view.page == "stage":
        yield STAGE
    yield "view", view.show
    if view.study.prices_of != DEFAULT_MODEL:
        yield "prices", view.study.prices_of
    if view.study.pause_seconds != DEFAULT_PAUSE_SECONDS:
        yield "pause", str(view.study.pause_seconds)
    if view.page == "facts" and view.highlight.fact is not None and played is not None:
        try:
            yield "fact", str(played.fact(view.highlight.fact))
        except MemvizError:  # the step itself says what is wrong with it
            return
    yield from view.link
