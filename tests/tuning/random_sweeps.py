"""Sweeps with made-up cells: small numbers, so that equal ones are common."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from memviz.metrics.cost.pricing import Pricing, make_unpriced
from memviz.metrics.requests.traffic import Traffic
from memviz.transcripts.base import RULE
from memviz.tuning.cell import Cell, CellIndex
from memviz.tuning.grid import expand_grid
from memviz.tuning.pricing_assumptions import PricingAssumptions
from memviz.tuning.results import Sweep

SETTINGS = expand_grid(
    {
        "window": {"window_size": [2, 4, 8]},
        "token_buffer": {"max_tokens": [100, 200]},
        "buffer": {},
    }
)
FACTS = 4


def priced_at(input_usd: float, output_usd: float = 0.0) -> Pricing:
    """US dollars a million tokens."""
    return make_unpriced("made-up").by_hand(
        input_usd_per_million=input_usd, output_usd_per_million=output_usd
    )


TERMS = PricingAssumptions(priced_at(10, 20), priced_at(1, 2))
UNPRICED = PricingAssumptions(None, None)


def cell(
    setting: int,
    sent: list[int],
    retained: list[int] | None = None,
    *,
    summarizer: int = 0,
    error: str = "",
    subject: str = "c0",
) -> Cell:
    """A cell with these request sizes; of its 4 facts each request retains so many (``None``: it has no facts)."""
    if error:
        return Cell(SETTINGS[setting], subject, error=error)
    size, nothing = len(sent), np.zeros(len(sent), np.int64)
    calls = np.ones(1 if summarizer else 0, np.int64)
    sent_tokens = np.array(sent, np.int64)
    traffic = Traffic(
        np.arange(1, size + 1),
        sent_tokens,
        nothing,
        nothing + 5,
        calls,
        calls * summarizer,
        calls * 7,
        calls - 1,
        calls * 0,
    )
    return Cell(
        SETTINGS[setting],
        subject,
        traffic,
        retained=nothing if retained is None else np.array(retained, np.int64),
        born=nothing if retained is None else nothing + FACTS,
        facts=0 if retained is None else FACTS,
        # Every other setting was measured over rules.
        shares={} if setting % 2 or not retained else {RULE: retained[0] / FACTS},
        summarizations=len(calls),
    )


def sweep_of(
    *rows: list[Cell | None], assumptions: PricingAssumptions = TERMS
) -> Sweep:
    """A sweep with one list of cells a conversation, one cell a setting; ``None`` was not measured yet."""
    cells = {
        CellIndex(s, c): one
        for c, row in enumerate(rows)
        for s, one in enumerate(row)
        if one is not None
    }
    return Sweep(
        SETTINGS[: max(map(len, rows))],
        tuple(f"c{at}" for at in range(len(rows))),
        cells,
        assumptions,
    )


@st.composite
def cells(draw: st.DrawFn, setting: int, has_facts: bool, errors: bool) -> Cell | None:
    if errors and draw(st.sampled_from([False, False, True])):
        return draw(st.sampled_from([None, cell(setting, [], error="does not fit")]))
    sent = draw(
        st.lists(st.sampled_from([100, 200, 300, 1000]), min_size=1, max_size=3)
    )
    retained = (
        draw(st.lists(st.integers(0, FACTS), min_size=len(sent), max_size=len(sent)))
        if has_facts
        else None
    )
    return cell(setting, sent, retained, summarizer=draw(st.sampled_from([0, 0, 50])))


@st.composite
def sweeps(draw: st.DrawFn, *, errors: bool = True) -> Sweep:
    """Some settings over some conversations, with facts or without, with failed and missing cells if ``errors``."""
    count = draw(st.integers(1, len(SETTINGS)))
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        has_facts = draw(st.sampled_from([True, True, False]))
        rows.append(
            [draw(cells(setting, has_facts, errors)) for setting in range(count)]
        )
    return sweep_of(*rows, assumptions=draw(st.sampled_from([TERMS, UNPRICED])))
