"""Names and what they mean, one below the other."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import NamedTuple


class Meaning(NamedTuple):
    """A name as HTML, what stands small below it, and what it means, both as text."""

    name_html: str
    note: str
    meaning: str


def meanings_html(meanings: Iterable[Meaning]) -> str:
    """The list as HTML; on a phone what it means stands below the name."""
    return f'<dl class="memviz-meanings">{"".join(map(_row, meanings))}</dl>'


def _row(one: Meaning) -> str:
    note = f" <small>{escape(one.note)}</small>" if one.note else ""
    return f"<div><dt>{one.name_html}{note}</dt><dd>{escape(one.meaning)}</dd></div>"
