"""Text in Plotly figures, which read a little HTML in titles, labels and tooltips."""

from html import escape
from textwrap import wrap

LEGEND_CHARS = 44
MOST_LINES = 5
"""Of a line in a legend: a phone has room for so many."""


def label_lines(label: str, chars: int) -> list[str]:
    """``label`` on as many lines of at most so many characters as it takes: Plotly cuts what is wider than the chart.
    Not escaped. Only what is longer than five lines, such as a prompt, is cut."""
    return wrap(label, chars, max_lines=MOST_LINES, placeholder=" …")


def legend_name(label: str) -> str:
    """``label`` for a legend, escaped."""
    return "<br>".join(map(escaped, label_lines(label, LEGEND_CHARS)))


def escaped(text: str) -> str:
    """``text`` such that Plotly shows it as it is. Quotes stay: Plotly does not know ``&quot;`` and would write it
    out, and no text stands inside an attribute."""
    return escape(text, quote=False)
