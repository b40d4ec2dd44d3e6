"""Places for one thing a setting, so that none stands alone on its row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

MOST_A_ROW = 3


def places(
    count: int, least_pixels: int, gap: Literal["small", "xsmall"] = "small"
) -> Iterator[DeltaGenerator]:
    """A cell for each of ``count`` things, in rows of the same length where that is possible; fewer stand side by side
    where a cell would be narrower than ``least_pixels``. On a phone they are stacked (style.css)."""
    cells = st.grid(
        cells_a_row(count),
        min_column_width=least_pixels,
        gap=gap,
        key="small-multiples",
    )
    for _ in range(count):
        yield cells.cell()


def cells_a_row(count: int) -> int:
    """Up to three stand side by side, four as two pairs, and seven as four and three."""
    rows = -(-count // MOST_A_ROW)
    return -(-count // rows) if count <= 2 * MOST_A_ROW else MOST_A_ROW + 1
