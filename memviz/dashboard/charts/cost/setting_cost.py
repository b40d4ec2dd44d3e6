"""One setting and what it costs, as the charts of cost take it; what a point of it says, and what each chart shows in
one sentence for those who do not see it."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memviz.core.text.wording import counted, dollars, listed
from memviz.core.translation import _, noop
from memviz.dashboard.charts.figure import escape_text
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.thinning import Texts
from memviz.dashboard.words.requests import name_at
from memviz.metrics.cost.cost import Cost
from memviz.metrics.cost.pricing import CostParts, Part

Amounts = NDArray[np.float64]
UNKNOWN = noop("unknown")
_PART_WORDS = {
    Part.CACHED: noop("{tokens} read from the cache: {paid}"),
    Part.FRESH: noop("{tokens} read fresh: {paid}"),
    Part.WRITTEN: noop("{tokens} read and put into the cache: {paid}"),
    Part.OUTPUT: noop("{tokens} written by the model: {paid}"),
    Part.SUMMARIZER_INPUT: noop("{tokens} read by the summarizer: {paid}"),
    Part.SUMMARIZER_OUTPUT: noop("{tokens} written by the summarizer: {paid}"),
}


class View(Enum):
    """The amount that is drawn at a request."""

    SO_FAR = noop("Total so far")
    EACH_STEP = noop("Each turn")
    """A step is a request where turns took several calls of the model. The words are those of links."""


class Unit(Enum):
    """In what it is drawn: in tokens only where no price is known."""

    USD = "US dollars"
    TOKENS = "tokens"


class SettingCost(NamedTuple):
    """One setting: its line, what it costs, and the parts of that."""

    setting: SettingRun
    cost: Cost
    parts: CostParts

    @property
    def label(self) -> str:
        """The name of the setting."""
        return self.setting.label

    @property
    def summarizer_share(self) -> float | None:
        """The summarizer's share of all dollars; ``None`` if a price is unknown, 0 if nothing costs anything."""
        total = self.cost.total_usd
        summarizer = self.cost.summarizer_usd
        if total is None or summarizer is None:
            return None
        return summarizer / total if total else 0.0

    def amounts(
        self, view: View, unit: Unit = Unit.USD
    ) -> tuple[Amounts, Amounts] | None:
        """The amounts of the chat model and of the summarizer, one entry a request; ``None`` if a price is unknown."""
        parts = self.parts
        if unit is Unit.TOKENS:
            main = parts.main_tokens.astype(np.float64)
            summarizer = parts.summarizer_tokens.astype(np.float64)
        elif parts.main_usd is None or parts.summarizer_usd is None:
            return None
        else:
            main = parts.main_usd
            summarizer = parts.summarizer_usd
        if view is View.SO_FAR:
            return np.cumsum(main), np.cumsum(summarizer)
        return main, summarizer

    def uncached(self, view: View) -> Amounts | None:
        """US dollars of both models had there been no cache, one entry a request; ``None`` if a price is unknown."""
        so_far = self.cost.uncached_cumulative_usd
        if so_far is None or view is View.SO_FAR:
            return so_far
        return np.diff(so_far, prepend=0.0)


def usd_words(usd: float | None) -> str:
    """Return an amount, or that it is not known: never a zero for what nobody knows."""
    return _(UNKNOWN) if usd is None else dollars(usd)


_OF_UNKNOWN = noop("<b>{label}</b><br>{request} cost an unknown amount:{parts}")
_OF_A_TURN = noop(
    "<b>{label}</b><br>{request} cost <b>{usd}</b>, all turns so far {total}:{parts}"
)
_OF_A_CALL = noop(
    "<b>{label}</b><br>{request} cost <b>{usd}</b>, all calls so far {total}:{parts}"
)


def turn_words(setting_cost: SettingCost) -> Texts[int]:
    """Return a tooltip for each request, in order."""
    each = setting_cost.amounts(View.EACH_STEP)
    so_far = setting_cost.amounts(View.SO_FAR)
    uncached = setting_cost.uncached(View.EACH_STEP)
    turns = setting_cost.cost.turns
    has_calls = len(np.unique(turns)) < len(turns)
    has_hits = bool(setting_cost.cost.cached_tokens.any())

    def words(row: int) -> str:
        about = {
            "label": escape_text(setting_cost.label),
            "request": name_at(turns, row),
            "parts": _parts_of(setting_cost, row),
        }
        if each is None or so_far is None or uncached is None:
            return _(_OF_UNKNOWN, **about)
        template = _OF_A_CALL if has_calls else _OF_A_TURN
        tooltip = _(
            template,
            usd=dollars(float(each[0][row] + each[1][row])),
            total=dollars(float(so_far[0][row] + so_far[1][row])),
            **about,
        )
        if has_hits:
            tooltip += _(
                "<br>without the cache: {dollars}",
                dollars=dollars(float(uncached[row])),
            )
        return tooltip

    return Texts(range(len(turns)), words)


def _parts_of(setting_cost: SettingCost, row: int) -> str:
    """Return what a request was paid for, a line a part."""
    lines = ""
    for part, words in _PART_WORDS.items():
        tokens = int(setting_cost.parts.tokens[part][row])
        usd = setting_cost.parts.usd[part]
        paid = _(UNKNOWN) if usd is None else dollars(float(usd[row]))
        if tokens:
            lines += "<br>" + _(words, tokens=counted(tokens, "token"), paid=paid)
    return lines


def cost_finding(costs: Sequence[SettingCost]) -> str:
    """Return what the lines of cost come to."""
    costs_in_words = []
    turns = 0
    for setting_cost in costs:
        turns = max(turns, int(setting_cost.cost.turns.max(initial=0)))
        if setting_cost.cost.total_usd is not None:
            costs_in_words.append(
                _(
                    "{label} costs {dollars}",
                    label=setting_cost.label,
                    dollars=dollars(setting_cost.cost.total_usd),
                )
            )
    if not costs_in_words:
        return _("No price is known, so tokens are drawn.")
    return _(
        "Over {turns} {settings}.",
        turns=counted(turns, "turn"),
        settings=listed(costs_in_words),
    )


def cache_finding(costs: Sequence[SettingCost]) -> str:
    """Return which share of the input each setting read from the cache."""
    rates = []
    for setting_cost in costs:
        rates.append(f"{setting_cost.label} {setting_cost.cost.hit_rate:.0%}")
    return _("Input read from the prompt cache: {settings}.", settings=listed(rates))


def requests_finding(costs: Sequence[SettingCost]) -> str:
    """Return the largest request of each setting."""
    largest = []
    for setting_cost in costs:
        tokens = int(setting_cost.cost.traffic.input_tokens.max(initial=0))
        largest.append(f"{setting_cost.label} {tokens:,}")
    return _("Tokens of the largest request: {settings}.", settings=listed(largest))
