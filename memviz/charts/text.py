"""Text in Plotly figures, which read a little HTML in titles, labels and tooltips."""

from __future__ import annotations

from html import escape


def escaped(text: str) -> str:
    """``text`` such that Plotly shows it as it is. Quotes stay: Plotly does not know ``&quot;`` and would write it
    out, and no text stands inside an attribute."""
    return escape(text, quote=False)
