"""Entries of a legend that several charts share, as HTML; all text is escaped."""

from __future__ import annotations

from html import escape


def legend_item(picture: str, words: str) -> str:
    """A :func:`swatch` or :func:`glyph` and what it means."""
    return f'<span style="display:inline-flex;align-items:center;gap:0.4rem">{picture}{escape(words)}</span>'


def swatch(color: str) -> str:
    """A square of a colour."""
    return f'<span style="width:0.9rem;height:0.9rem;border-radius:0.2rem;background:{color}"></span>'


def glyph(character: str, color: str) -> str:
    """A character in a colour."""
    return f'<span style="color:{color}">{character}</span>'
