"""Cells of the CSV tables that memviz writes, guarded so that a spreadsheet runs none of them as a formula."""

import unicodedata

COLUMNS = ("position", "role", "name", "content", "tool_calls", "tool_call_id")
"""The header of a table that memviz wrote, by which its reader knows that apostrophes have to be taken off again."""
APOSTROPHE = "'"
FORMULA_SIGNS = frozenset("=+-@")
_UNSEEN = frozenset(
    {"Cc", "Cf", "Zs", "Zl", "Zp"}
)  # categories of characters that some programs pass over


def escape_formula(text: str) -> str:
    """The text of a cell. One that a spreadsheet could run as a formula, even if only after it dropped leading
    spaces, gets an apostrophe in front; so does one that starts with an apostrophe, so that :func:`unescape_formula` is
    exact. (OWASP, CSV Injection.)"""
    return (
        APOSTROPHE + text if text.startswith(APOSTROPHE) or is_dangerous(text) else text
    )


def unescape_formula(cell: str) -> str:
    """The text that :func:`escape_formula` was given."""
    return cell.removeprefix(APOSTROPHE)


def escape_label(label: str | None) -> str:
    """The cell of a label that may be absent (an empty cell) or empty (an apostrophe)."""
    return "" if label is None else escape_formula(label) or APOSTROPHE


def is_dangerous(text: str) -> bool:
    """Return whether a cell with this text starts with a control character, or with a formula sign (full-width and
    small variants too) behind nothing but spaces and characters that nobody sees."""
    if text and unicodedata.category(text[0]) == "Cc":
        return True
    first_visible = next(
        (sign for sign in text if unicodedata.category(sign) not in _UNSEEN), ""
    )
    if not first_visible:
        return False
    return unicodedata.normalize("NFKC", first_visible)[:1] in FORMULA_SIGNS
