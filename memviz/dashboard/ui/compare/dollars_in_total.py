"""The dollars of each setting, in total and turn by turn, and the parts that they are made of."""

from collections.abc import Hashable, Sequence
from math import floor, isclose, log10
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from memviz.core.text.wording import dollars, duration_words
from memviz.dashboard.charts.cost.setting_cost import SettingCost, usd_words
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.controls.pictures import places, step_of
from memviz.dashboard.ui.controls.sidebar import choose_setting_run
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.dashboard.words.prices import PART_NAMES
from memviz.metrics.cost.cost import Cost, Part, cost_by_pause
from memviz.tuning.pricing_assumptions import PricingAssumptions

TOTAL_HELP = "US dollars of the chat model and the summarizer over all turns; the change is against the first setting."
TOTAL_PIXELS = 180
LIVES = "that the prompt cache lives"
"""In the words on the cheapest setting where they say what the pause does to the cache."""
FIRST = "first setting"
NONE = "–"
PARTS_ALT = "Tokens and US dollars of each part of the cost, one column a setting"
PARTS_HELP = (
    "Input that a request has in common with the one before is read from the cache. What is put into it is counted "
    "as written, at the provider's price for that; most charge no more than for fresh input. Requests too short for "
    "the cache are fresh. Tokens are counted as chosen under Models and more in the "
    "sidebar; a provider's own count may differ."
)


def totals(costs: Sequence[SettingCost]) -> None:
    """Dollars in total, each against the first setting, and what share of it the cache and the summarizer have."""
    has_hits = any(one.cost.cached_tokens.any() for one in costs)
    for column, one in zip(places(len(costs), TOTAL_PIXELS), costs, strict=True):
        change = _change(one, costs[0])
        is_first = one is costs[0]
        delta = None
        if change is not None and len(costs) > 1:
            delta = FIRST if is_first else _change_words(change)
        is_less = change is not None and change < 0
        column.metric(
            one.label,
            usd_words(one.cost.total_usd),
            delta,
            help=TOTAL_HELP,
            delta_color="inverse" if is_less else "off",
            delta_arrow="auto" if change and not is_first else "off",
        )
        shares = shares_words(one, has_hits=has_hits)
        if shares:
            column.caption(shares)


def _change(one: SettingCost, first: SettingCost) -> float | None:
    """By which share it costs more than the first one; ``None`` if that is unknown, or the first is free."""
    usd = one.cost.total_usd
    against = first.cost.total_usd
    if usd is None or not against:
        return None
    # Sums of floats, so nearly equal ones are.
    if isclose(usd, against, rel_tol=1e-9):
        return 0.0
    return usd / against - 1


def _change_words(change: float) -> str:
    return f"{change:+.0%} cost" if change else "same cost"


def shares_words(one: SettingCost, *, has_hits: bool) -> str:
    """Return how much of its input came from the cache, where any did (``has_hits``), and how much of its cost is the
    summarizer's; in Markdown."""
    told = []
    if has_hits:
        told.append(f"{one.cost.hit_rate:.0%} of its input read from the cache")
    if one.cost.traffic.summarizer_turns.size:
        share = one.summarizer_share
        if share is None:
            told.append("summarizer's share unknown")
        else:
            told.append(f"{share:.0%} of the cost is the summarizer's")
    return plain(", ".join(told))


def cheapest_words(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> str:
    """Return which setting costs least, for which pauses that holds, and which one does with others; in Markdown, empty
    where nothing can be said."""
    cheapest = _cheapest([one.cost for one in costs])
    if cheapest is None:
        return ""
    dearest_usd = max(one.cost.total_usd or 0.0 for one in costs)
    if isclose(cheapest.usd, dearest_usd, rel_tol=1e-9):
        return "All settings cost the same."
    words = f"**{plain(costs[cheapest.place].label)}** costs least: {plain(dollars(cheapest.usd))}"
    prices = (assumptions.main, assumptions.summarizer, assumptions.cache)
    by_pause = [cost_by_pause(one.cost.traffic, *prices) for one in costs]
    known = [both for both in by_pause if both is not None]
    if not known or assumptions.cache is None:
        return f"{words}. No pause changes that: no prompt cache is known that outlasts one."
    reads = assumptions.cache.is_alive(assumptions.pause_seconds)
    other = _cheapest([one.longer if reads else one.shorter for one in known])
    lives = duration_words(assumptions.cache.lifetime_seconds or 0.0)
    if reads:
        holds = f"shorter than the {lives} {LIVES}"
        others = f"pauses of {lives} or longer"
    else:
        holds = f"not shorter than the {lives} {LIVES}"
        others = "shorter ones"
    pauses = duration_words(assumptions.pause_seconds)
    words = f"{words} with pauses of {pauses}, {holds}. With {others}"
    if other is None or other.place == cheapest.place:
        return f"{words} it does so too."
    label = plain(costs[other.place].label)
    return f"{words} it would be **{label}**, with {plain(dollars(other.usd))}."


class _Cheapest(NamedTuple):
    """The place of the setting that costs least, and what it costs."""

    place: int
    usd: float


def _cheapest(costs: Sequence[Cost]) -> _Cheapest | None:
    """Of those whose price is known, if these are at least two."""
    known = [
        _Cheapest(place, cost.total_usd)
        for place, cost in enumerate(costs)
        if cost.total_usd is not None
    ]
    return min(known, key=lambda one: one.usd) if len(known) > 1 else None


def parts_table(costs: Sequence[SettingCost]) -> None:
    """Tokens and dollars of each part, one column a setting."""
    st.header("What is paid for?", anchor=False, help=PARTS_HELP)
    table = pd.DataFrame({plain(one.label): _cells(one) for one in costs})
    # style.css aligns them at the right, where digits compare.
    with st.container(key="costs-parts"):
        st.table(table[(table != NONE).any(axis=1)], border="horizontal", alt=PARTS_ALT)


def _cells(one: SettingCost) -> dict[str, str]:
    cost = one.cost
    parts = {}
    for part, name in PART_NAMES.items():
        parts[f"{name} (tokens · USD)"] = _cell(one, part)
    has_summarizer = cost.traffic.summarizer_turns.size
    uses_cache = cost.cached_tokens.any() or cost.written_tokens.any()
    summarizer = usd_words(cost.summarizer_usd) if has_summarizer else NONE
    uncached = usd_words(cost.uncached_total_usd) if uses_cache else NONE
    return {
        "Requests": f"{len(cost.traffic.turns):,}",
        **parts,
        "Chat model (USD)": usd_words(cost.main_usd),
        "Summarizer (USD)": summarizer,
        "Both (USD)": usd_words(cost.total_usd),
        "Both, without a cache (USD)": uncached,
    }


def _cell(one: SettingCost, part: Part) -> str:
    tokens = int(one.parts.tokens[part].sum())
    return f"{tokens:,} · {usd_words(one.parts.total_usd(part))}" if tokens else NONE


ALL_TURNS = "all"
_TITLES = {
    "turn": "Turn", "call": "Call", "requests": "Requests", "input_tokens": "Input (tokens)",
    "fresh_tokens": "Fresh (tokens)",
    "cached_tokens": "Read from the cache (tokens)", "written_tokens": "Written to the cache (tokens)",
    "output_tokens": "Output (tokens)", "summarizer_input_tokens": "Summarizer input (tokens)",
    "summarizer_output_tokens": "Summarizer output (tokens)", "main_usd": "Chat model (USD)",
    "uncached_main_usd": "Chat model without a cache (USD)", "summarizer_usd": "Summarizer (USD)",
    "cumulative_usd": "Both so far (USD)", "uncached_cumulative_usd": "Both so far without a cache (USD)",
}  # fmt: skip
"""What the page calls the columns; the file keeps the names of the library."""
_WORDS = {
    "requests": "request", "input_tokens": "token", "cached_tokens": "prompt cache", "written_tokens": "prompt cache",
    "summarizer_input_tokens": "summarizer", "summarizer_output_tokens": "summarizer", "summarizer_usd": "summarizer",
}  # fmt: skip
"""What a column is about, for its tooltip."""
_SO_FAR = ("cumulative_usd", "uncached_cumulative_usd")


def turn_by_turn(costs: Sequence[SettingCost], title: str) -> None:
    """The table of one setting."""
    setting = choose_setting_run(
        [one.setting for one in costs], "costs-setting", marks=False
    )
    one = next(one for one in costs if one.setting is setting)
    table = with_totals(one)
    st.dataframe(
        table.rename(columns=_TITLES),
        hide_index=True,
        column_config=_columns(table),
        alt=f"Tokens and US dollars of each {step_of([one.setting])} under {one.label}",
    )
    st.download_button(
        "Download as CSV",
        lambda: table.to_csv(index=False, float_format="%.12g"),
        mime="text/csv",
        file_name=f"{file_name(title)}-{file_name(one.label)}-costs.csv",
        icon=":material/download:",
        key="costs-csv",
        on_click="ignore",
    )


def with_totals(one: SettingCost) -> pd.DataFrame:
    """One row a turn (a request, where turns took several calls of the model), and one of totals: their turn is
    ``all``, and what was spent so far is what is spent at the end."""
    has_calls = one.setting.run.has_calls
    frame = one.cost.frame("request" if has_calls else "turn")
    total: dict[Hashable, Any] = frame.sum(skipna=False).to_dict()
    total |= {name: frame[name].iloc[-1] for name in _SO_FAR}
    turns = [*frame["turn"].astype(str), ALL_TURNS]
    last_row = pd.DataFrame([total]).astype(frame.dtypes)
    table = pd.concat([frame, last_row], ignore_index=True).assign(turn=turns)
    if has_calls:
        table = table.assign(call=[*frame["call"].astype(str), ""])
    return table


def _columns(table: pd.DataFrame) -> dict[str, Any]:
    """Dollars with as many digits as the smallest amount needs to show two."""
    money = [name for name in table.columns if name.endswith("_usd")]
    amounts = [usd for name in money for usd in table[name].tolist() if usd > 0]
    digits = max(2, 1 - floor(log10(min(amounts)))) if amounts else 2
    columns = {}
    for name in table.columns.difference(["turn", "call"], sort=False):
        columns[_TITLES[name]] = st.column_config.NumberColumn(
            format=f"%.{digits}f" if name in money else "localized",
            help=tooltip(_WORDS[name]) if name in _WORDS else None,
        )
    return columns
