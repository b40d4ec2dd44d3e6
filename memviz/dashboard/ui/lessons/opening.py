"""Open what a step shows on its page: Compare, Facts or another one, with the step's conversation, settings and
turn."""

from __future__ import annotations

from memviz.dashboard.lessons.address import fact_of, page_of, query_of
from memviz.dashboard.lessons.lesson import View
from memviz.dashboard.lessons.playing import Played, conversation_id
from memviz.dashboard.ui.controls.links import follow
from memviz.dashboard.ui.shell.frame import PAGES
from memviz.dashboard.ui.shell.views import COMPARE_VIEW, FACTS_VIEW, ask_view
from memviz.storage.workspace import Workspace

_SWITCHES = {"compare": COMPARE_VIEW, "facts": FACTS_VIEW}


def page_is_there(view: View) -> bool:
    """Whether this version has the page."""
    return (PAGES / f"{page_of(view)}.py").exists()


def open_view(workspace: Workspace, view: View, played: Played | None = None) -> None:
    """Go to the page of a view."""
    page = page_of(view)
    if view.show and page in _SWITCHES:
        ask_view(_SWITCHES[page], view.show)
    follow(
        page,
        query_of(
            view,
            conversation_id(view.study.conversation, workspace) or "",
            fact_of(view, played),
        ),
    )
