"""The address of a view on a memviz: what stands in it after the server's own, so that any memviz opens the same."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlencode

from memviz.core.errors import MemvizError
from memviz.core.text.address_parts import recall_part, setting_part
from memviz.dashboard.lessons.lesson import View
from memviz.dashboard.lessons.playing import Played
from memviz.metrics.cost.pricing import DEFAULT_MODEL, DEFAULT_PAUSE_SECONDS
from memviz.models.names import RECORDING
from memviz.storage.workspace import SAMPLE_PREFIX
from memviz.transcripts.samples import bundled

_WITHOUT_STUDY = ("library", "guide")
"""Pages that show no conversation under settings."""


def page_of(view: View) -> str:
    """The page that shows a view: the stage is one of Compare."""
    return "compare" if view.page == "stage" else view.page


def address_anywhere(view: View, played: Played | None) -> str:
    """The address on every memviz, from its first slash on: ``/compare?conversation=sample-trip&setting=buffer``. Empty
    for a view of a saved conversation, which only one server has."""
    name = view.study.conversation
    if name not in bundled():
        return ""
    query = query_of(view, SAMPLE_PREFIX + name, fact_of(view, played))
    return f"/{page_of(view)}?{query}".rstrip("?")


def followed(view: View, shown: View) -> View:
    """A view to try, which follows the fact of the view that is shown unless it names one."""
    if view.highlight.fact is not None or shown.highlight.fact is None:
        return view
    return replace(view, highlight=replace(view.highlight, fact=shown.highlight.fact))


def fact_of(view: View, played: Played | None) -> int | None:
    """The place of the fact that a view of Facts points at; ``None`` where it points at none that is there."""
    if (
        view.page != "facts"
        or played is None
        or played.study.conversation != view.study.conversation
    ):
        return None
    if view.highlight.fact is None:
        return None
    with suppress(MemvizError):  # the step itself says what is wrong with it
        return played.fact(view.highlight.fact)
    return None


def query_of(view: View, conversation_id: str, fact: int | None = None) -> str:
    """The query of an address that opens a view of this conversation, without question mark. ``fact`` is the place of
    the one that Facts shows closely."""
    parts = (
        view.link
        if view.page in _WITHOUT_STUDY
        else _parts(view, conversation_id, fact)
    )
    return urlencode([(name, text) for name, text in parts if text])


def _parts(
    view: View, conversation_id: str, fact: int | None
) -> Iterator[tuple[str, str]]:
    study = view.study
    yield "conversation", conversation_id
    for setting in study.settings:
        yield (
            "setting",
            setting_part(
                setting.id, setting.model_dump(mode="json", exclude_defaults=True)
            ),
        )
    yield "counter", study.counter
    yield "summarizer", study.writer and RECORDING + study.writer
    for recall in study.recalls:
        yield "recall", recall_part(recall.turn, recall.turns, recall.setting)
    yield "look", "" if view.highlight.setting is None else str(view.highlight.setting)
    yield "turn", str(view.turn or "")
    yield "call", str(view.call or "") if view.turn else ""
    yield "stage", "on" if view.page == "stage" else ""
    yield "view", view.show
    yield "prices", "" if study.prices_of == DEFAULT_MODEL else study.prices_of
    yield (
        "pause",
        ""
        if study.pause_seconds == DEFAULT_PAUSE_SECONDS
        else str(study.pause_seconds),
    )
    yield "fact", "" if fact is None else str(fact)
    yield from view.link
