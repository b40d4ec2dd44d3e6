"""The classic effects: views of bundled conversations, each with its address.

They are the steps of ``memviz/dashboard/lessons/classic_effects.yaml``, whose claims hold the figures of their
sentences.
"""

from collections.abc import Sequence
from urllib.parse import parse_qs

from memviz.core.translation import _
from memviz.dashboard.lessons.lesson import Step, language_of_reader
from memviz.dashboard.lessons.library import classic_effects
from memviz.dashboard.lessons.study import Study, View, query_of
from memviz.dashboard.ui.controls.links import is_link_opened
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell import views as page_views
from memviz.dashboard.ui.shell.linked import address_now
from memviz.dashboard.ui.shell.text import plain


def query_of_effect(effect: Step) -> str:
    """Return the query of the address that opens an effect, without its page."""
    fact = effect.view.highlight.fact
    return query_of(effect.view, fact if isinstance(fact, int) else None)


def is_shown_by(effect: View, view: View) -> bool:
    """Return true if a view compares what an effect does, whichever request is looked at."""
    return _runs_of(effect.study) == _runs_of(view.study)


def _runs_of(study: Study) -> tuple[object, ...]:
    """Return all that the runs of a study depend on."""
    recalls = [(recall.turn, recall.turns) for recall in study.recalls]
    return study.conversation, study.settings, recalls, study.counter, study.is_free_run


def with_effect(
    page: str, views: Sequence[page_views.View]
) -> tuple[page_views.View, ...]:
    """Return the views of a page. One that shows a classic effect says so in its sentence."""
    sentences = {view.id: view.sentence for view in views}
    view_now = compare_state().view()
    language = language_of_reader()
    for effect in classic_effects():
        if effect.view.page == page and _is_shown(effect, view_now):
            sentences[effect.view.show] = _(
                "**{title}.** {text}",
                title=effect.title.said(language),
                text=plain(effect.text.said(language)),
            )
    return tuple(view._replace(sentence=sentences[view.id]) for view in views)


def _is_shown(effect: Step, view: View) -> bool:
    if is_link_opened():
        return parse_qs(query_of_effect(effect)) == address_now()
    return is_shown_by(effect.view, view)
