"""What every page is drawn in."""

from __future__ import annotations

from memviz.dashboard.ui.shell.frame import STYLE


def test_the_style_sheet_holds_nothing_that_looks_like_markup() -> None:
    """Streamlit passes over a sheet with a ``<`` in it, comments included, and says nothing."""
    assert "<" not in STYLE.read_text(encoding="utf-8")
