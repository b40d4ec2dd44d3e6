"""What every page is drawn in."""

from __future__ import annotations

import gc

import pytest

from memviz.dashboard.ui.shell import frame
from memviz.dashboard.ui.shell.frame import STYLE


def test_the_style_sheet_holds_nothing_that_looks_like_markup() -> None:
    """Streamlit passes over a sheet with a ``<`` in it, comments included, and says nothing."""
    assert "<" not in STYLE.read_text(encoding="utf-8")


def test_the_collector_looks_seldom_at_what_pages_build(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = []
    for name in ("collect", "freeze", "set_threshold"):
        monkeypatch.setattr(
            gc, name, lambda *given, name=name: done.append((name, *given))
        )
    frame._leave_imports_to_themselves.__wrapped__()
    assert done == [("collect",), ("freeze",), ("set_threshold", frame.NEW_OBJECTS)]
