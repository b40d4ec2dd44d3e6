"""The dollars of each setting, in total and turn by turn, and the parts that they are made of."""

from collections.abc import Hashable, Sequence
from math import floor, isclose, log10
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from memviz.core.text.wording import COMMA, dollars, duration_words
from memviz.core.translation import _, noop
from memviz.dashboard.charts.cost.setting_cost import SettingCost, usd_words
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.ui.controls.pictures import places, step_of
from memviz.dashboard.ui.controls.sidebar import choose_setting_run
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.dashboard.words.prices import PART_NAMES
from memviz.metrics.cost.cost import Cost, CostByPause, cost_by_pause
from memviz.metrics.cost.pricing import Part
from memviz.tuning.pricing_assumptions import PricingAssumptions

TOTAL_HELP = noop(
    "US dollars of the chat model and the summarizer over all turns; the change is against the first "
    "setting."
)
TOTAL_PIXELS = 180
FIRST = noop("baseline")
NONE = "–"
_COSTS_LEAST = {
    (True, True): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, shorter than the {lives} that the prompt cache "
        "lives. With pauses of {lives} or longer it does so too."
    ),
    (True, False): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, shorter than the {lives} that the prompt cache "
        "lives. With pauses of {lives} or longer it would be **{other}**, with {other_amount}."
    ),
    (False, True): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, not shorter than the {lives} that the prompt "
        "cache lives. With shorter ones it does so too."
    ),
    (False, False): noop(
        "**{label}** costs least: {amount} with pauses of {pauses}, not shorter than the {lives} that the prompt "
        "cache lives. With shorter ones it would be **{other}**, with {other_amount}."
    ),
}
"""By whether the cache outlives the pauses, and whether the same setting costs least with the other ones."""
PARTS_ALT = noop("Tokens and US dollars of each part of the cost, one column a setting")
PARTS_HELP = noop(
    "Input that a request has in common with the one before is read from the cache. What is put into "
    "it is counted as written, at the provider's price for that; most charge no more than for fresh "
    "input. Requests too short for the cache are fresh. Tokens are counted as chosen under Models, "
    "sharing and more in the sidebar; a provider's own count may differ."
)


def totals(costs: Sequence[SettingCost]) -> None:
    """Draw the dollars in total, each against the first setting, and what share of it the cache and the summarizer
    have."""
    has_hits = any(setting_cost.cost.cached_tokens.any() for setting_cost in costs)
    for column, setting_cost in zip(
        places(len(costs), TOTAL_PIXELS), costs, strict=True
    ):
        change = _change(setting_cost, costs[0])
        is_first = setting_cost is costs[0]
        delta = None
        if change is not None and len(costs) > 1:
            delta = _(FIRST) if is_first else _change_words(change)
        is_less = change is not None and change < 0
        column.metric(
            setting_cost.label,
            usd_words(setting_cost.cost.total_usd),
            delta,
            help=_(TOTAL_HELP),
            delta_color="inverse" if is_less else "off",
            delta_arrow="auto" if change and not is_first else "off",
        )
        shares = shares_words(setting_cost, has_hits=has_hits)
        if shares:
            column.caption(shares)


def _change(setting_cost: SettingCost, first: SettingCost) -> float | None:
    """By which share it costs more than the first one; ``None`` if that is unknown, or the first is free."""
    usd = setting_cost.cost.total_usd
    against = first.cost.total_usd
    if usd is None or not against:
        return None
    # Sums of floats, so nearly equal ones are.
    if isclose(usd, against, rel_tol=1e-9):
        return 0.0
    return usd / against - 1


def _change_words(change: float) -> str:
    return _("{change:+.0%} cost", change=change) if change else _("same cost")


def shares_words(setting_cost: SettingCost, *, has_hits: bool) -> str:
    """Return how much of its input came from the cache, where any did (``has_hits``), and how much of its cost is the
    summarizer's; in Markdown."""
    shares = []
    if has_hits:
        shares.append(
            _(
                "{hit_rate:.0%} of its input read from the cache",
                hit_rate=setting_cost.cost.hit_rate,
            )
        )
    if setting_cost.cost.traffic.summarizer_turns.size:
        share = setting_cost.summarizer_share
        if share is None:
            shares.append(_("summarizer's share unknown"))
        else:
            shares.append(_("{share:.0%} of the cost is the summarizer's", share=share))
    return plain(_(COMMA).join(shares))


def cheapest_words(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> str:
    """Return which setting costs least, for which pauses that holds, and which one does with others; in Markdown, empty
    where nothing can be said."""
    cheapest = _only_cheapest(costs)
    if cheapest is None:
        same = _cheapest([setting_cost.cost for setting_cost in costs]) is not None
        return _("All settings cost the same.") if same else ""
    label = plain(costs[cheapest.place].label)
    amount = plain(dollars(cheapest.usd))
    by_setting = _known_by_pause(costs, assumptions)
    if not by_setting or assumptions.cache is None:
        return _(
            "**{label}** costs least: {amount}. No pause changes that: no prompt cache is known that outlasts one.",
            label=label,
            amount=amount,
        )
    reads = assumptions.cache.is_alive(assumptions.pause_seconds)
    costs_otherwise = [both.longer if reads else both.shorter for both in by_setting]
    other = _cheapest(costs_otherwise)
    lives = duration_words(assumptions.cache.lifetime_seconds or 0.0)
    is_same = other is None or other.place == cheapest.place
    return _(
        _COSTS_LEAST[reads, is_same],
        label=label,
        amount=amount,
        pauses=duration_words(assumptions.pause_seconds),
        lives=lives,
        other="" if other is None else plain(costs[other.place].label),
        other_amount="" if other is None else plain(dollars(other.usd)),
    )


def says_how_pauses_matter(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> bool:
    """Return whether :func:`cheapest_words` says what the pause does to the cache."""
    is_compared = bool(_known_by_pause(costs, assumptions))
    return (
        _only_cheapest(costs) is not None
        and is_compared
        and assumptions.cache is not None
    )


def _known_by_pause(
    costs: Sequence[SettingCost], assumptions: PricingAssumptions
) -> list[CostByPause]:
    prices = (assumptions.main, assumptions.summarizer, assumptions.cache)
    known = []
    for setting_cost in costs:
        by_pause = cost_by_pause(setting_cost.cost.traffic, *prices)
        if by_pause is not None:
            known.append(by_pause)
    return known


class _Cheapest(NamedTuple):
    """The place of the setting that costs least, and what it costs."""

    place: int
    usd: float


def _cheapest(costs: Sequence[Cost]) -> _Cheapest | None:
    """Of those whose price is known, if these are at least two."""
    priced = [
        _Cheapest(place, cost.total_usd)
        for place, cost in enumerate(costs)
        if cost.total_usd is not None
    ]
    return min(priced, key=lambda setting: setting.usd) if len(priced) > 1 else None


def _only_cheapest(costs: Sequence[SettingCost]) -> _Cheapest | None:
    """Return the setting that costs least; ``None`` where all cost the same, or nothing is known."""
    cheapest = _cheapest([setting_cost.cost for setting_cost in costs])
    if cheapest is None:
        return None
    dearest_usd = max(setting_cost.cost.total_usd or 0.0 for setting_cost in costs)
    return None if isclose(cheapest.usd, dearest_usd, rel_tol=1e-9) else cheapest


def parts_table(costs: Sequence[SettingCost]) -> None:
    """Draw tokens and dollars of each part, one column a setting."""
    st.header(_("What is paid for?"), anchor=False, help=_(PARTS_HELP))
    columns = {
        plain(setting_cost.label): _cells(setting_cost) for setting_cost in costs
    }
    table = pd.DataFrame(columns)
    # style.css aligns them at the right, where digits compare.
    with st.container(key="costs-parts"):
        st.table(
            table[(table != NONE).any(axis=1)], border="horizontal", alt=_(PARTS_ALT)
        )


def _cells(setting_cost: SettingCost) -> dict[str, str]:
    cost = setting_cost.cost
    parts = {}
    for part, name in PART_NAMES.items():
        parts[_("{part} (tokens · USD)", part=_(name))] = _cell(setting_cost, part)
    has_summarizer = cost.traffic.summarizer_turns.size
    uses_cache = cost.cached_tokens.any() or cost.written_tokens.any()
    summarizer = usd_words(cost.summarizer_usd) if has_summarizer else NONE
    uncached = usd_words(cost.uncached_total_usd) if uses_cache else NONE
    return {
        _("Requests"): f"{len(cost.traffic.turns):,}",
        **parts,
        _("Chat model (USD)"): usd_words(cost.main_usd),
        _("Summarizer (USD)"): summarizer,
        _("Both (USD)"): usd_words(cost.total_usd),
        _("Both, without a cache (USD)"): uncached,
    }


def _cell(setting_cost: SettingCost, part: Part) -> str:
    tokens = int(setting_cost.parts.tokens[part].sum())
    if not tokens:
        return NONE
    return f"{tokens:,} · {usd_words(setting_cost.parts.total_usd(part))}"


ALL_TURNS = "all"
_TITLES = {
    "turn": noop("Turn"), "call": noop("Call"), "requests": noop("Requests"), "input_tokens": noop("Input (tokens)"),
    "fresh_tokens": noop("Fresh (tokens)"),
    "cached_tokens": noop("Read from the cache (tokens)"), "written_tokens": noop("Written to the cache (tokens)"),
    "output_tokens": noop("Output (tokens)"), "summarizer_input_tokens": noop("Summarizer input (tokens)"),
    "summarizer_output_tokens": noop("Summarizer output (tokens)"), "main_usd": noop("Chat model (USD)"),
    "uncached_main_usd": noop("Chat model without a cache (USD)"), "summarizer_usd": noop("Summarizer (USD)"),
    "cumulative_usd": noop("Both so far (USD)"), "uncached_cumulative_usd": noop("Both so far without a cache (USD)"),
}  # fmt: skip
"""What the page calls the columns; the file keeps the names of the library."""
_WORDS = {
    "requests": "request", "input_tokens": "token", "cached_tokens": "prompt cache", "written_tokens": "prompt cache",
    "summarizer_input_tokens": "summarizer", "summarizer_output_tokens": "summarizer", "summarizer_usd": "summarizer",
}  # fmt: skip
"""What a column is about, for its tooltip."""
_SO_FAR = ("cumulative_usd", "uncached_cumulative_usd")


def turn_by_turn(costs: Sequence[SettingCost], title: str) -> None:
    """Draw the table of the costs of one setting, a row a turn."""
    setting = choose_setting_run(
        [setting_cost.setting for setting_cost in costs], "costs-setting", marks=False
    )
    setting_cost = next(
        setting_cost for setting_cost in costs if setting_cost.setting is setting
    )
    table = with_totals(setting_cost)
    st.dataframe(
        table.rename(columns={name: _(title) for name, title in _TITLES.items()}),
        hide_index=True,
        column_config=_columns(table),
        alt=_alt(setting_cost),
    )
    st.download_button(
        _("Download as CSV"),
        lambda: table.to_csv(index=False, float_format="%.12g"),
        mime="text/csv",
        file_name=f"{file_name(title)}-{file_name(setting_cost.label)}-costs.csv",
        icon=":material/download:",
        key="costs-csv",
        on_click="ignore",
    )


def _alt(setting_cost: SettingCost) -> str:
    if step_of([setting_cost.setting]) == "turn":
        return _(
            "Tokens and US dollars of each turn under {label}", label=setting_cost.label
        )
    return _(
        "Tokens and US dollars of each request under {label}", label=setting_cost.label
    )


def with_totals(setting_cost: SettingCost) -> pd.DataFrame:
    """One row a turn (a request, where turns took several calls of the model), and one of totals: their turn is
    ``all``, and what was spent so far is what is spent at the end."""
    has_calls = setting_cost.setting.run.has_calls
    frame = setting_cost.cost.frame("request" if has_calls else "turn")
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
        columns[_(_TITLES[name])] = st.column_config.NumberColumn(
            format=f"%.{digits}f" if name in money else "localized",
            help=tooltip(_WORDS[name]) if name in _WORDS else None,
        )
    return columns
