"""Limits that are made for a model's whole context window, scaled to one conversation: the same shares of a window that
is as large as the conversation needs. A preset of 100,000 tokens does nothing in a conversation of 14,000."""

from collections.abc import Mapping
from math import floor, log10
from types import MappingProxyType
from typing import Any, NamedTuple

from memviz.core.text.wording import listed
from memviz.core.translation import _
from memviz.strategies import strategy as make_strategy
from memviz.strategies import strategy_class
from memviz.strategies.base import Strategy
from memviz.strategies.parameters import Parameter
from memviz.strategies.presets import presets as all_presets

WINDOWS_TOKENS = (
    4_000,
    8_000,
    16_000,
    32_000,
    64_000,
    128_000,
    200_000,
    400_000,
    1_000_000,
    2_000_000,
)
"""Usual context windows."""
LARGEST_SHARE = 2
"""Presets are taken to be made for the smallest usual window of which the largest of them is at most one in so many
parts."""
WINDOW_PARAMETERS = ("window_tokens", "context_window", "context_window_tokens")
"""Names of a parameter that says the window itself."""
OTHER_SHARE = 10
"""A window of which the largest limit is not even one in so many parts is not what the limits are made for."""
DIGITS = 2


class ScaledPresets(NamedTuple):
    """Token parameters of a strategy by name: the ``presets``, made for a window of ``window_tokens``, and the
    ``values`` that are the same shares of one of ``needed_tokens``."""

    presets: Mapping[str, int]
    values: Mapping[str, int]
    window_tokens: int
    needed_tokens: int

    @property
    def words(self) -> str:
        """A sentence on what was scaled, from what."""
        changes = (
            f"{name.replace('_', ' ')} {self.presets[name]:,} → {value:,}"
            for name, value in self.values.items()
            if value != self.presets[name]
        )
        return _(
            "Scaled from a window of {window:,} tokens to a conversation of {needed:,}: {changes}.",
            window=self.window_tokens,
            needed=self.needed_tokens,
            changes=listed(changes),
        )


def scale_presets(
    strategy: type[Strategy],
    needed_tokens: int,
    chosen: Mapping[str, Any] = MappingProxyType({}),
) -> ScaledPresets | None:
    """Return the presets of ``strategy`` for a conversation that takes ``needed_tokens`` in all: of a limit of 100,000
    tokens, made for a window of 200,000, and a conversation of 14,000 one of 7,000.

    A parameter that says the window itself, of which others are shares, becomes what the conversation needs; half of
    that where all limits are shares, or those near the end of the window would not be reached. ``chosen`` are a
    product's own, in place of the strategy's defaults. ``None`` where there is nothing to scale: it has no limit in
    tokens, or the conversation would fill the window that they are made for.
    """
    presets = list_presets(strategy, chosen)
    if not presets or needed_tokens <= 0:
        return None
    window_tokens = find_window(presets)
    share = min(1.0, needed_tokens / window_tokens)
    own_window_tokens = needed_tokens
    if not _list_limits(presets):
        own_window_tokens = max(1, needed_tokens // 2)
    values = {}
    for parameter in strategy.parameters():
        preset = presets.get(parameter.name)
        if preset is None:
            continue
        target_tokens = own_window_tokens
        if parameter.name not in WINDOW_PARAMETERS:
            target_tokens = _round_share(preset, share)
        values[parameter.name] = min(preset, _clip_to_bounds(parameter, target_tokens))
    if values == presets:
        return None
    if share == 1:
        # Only the window itself was larger than the conversation.
        for name in WINDOW_PARAMETERS:
            window_tokens = presets.get(name, window_tokens)
    return ScaledPresets(presets, values, window_tokens, needed_tokens)


def scale_product(id: str, needed_tokens: int) -> Strategy:
    """Return the setting of a product, with its limits scaled to a conversation that takes ``needed_tokens`` in all:
    of ``claude_code`` and 14,000 tokens one with a window of 7,000."""
    scale = scale_presets(
        strategy_class(id), needed_tokens, all_presets()[id].parameters
    )
    return make_strategy(id, **(scale.values if scale else {}))


def list_presets(
    strategy: type[Strategy], chosen: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, int]:
    """Return the limits in tokens that a strategy begins with, or a product, by parameter; a limit of 0 is none. A
    window is among them where they are made for it, or where it is all there is."""
    presets = {
        parameter.name: int(chosen.get(parameter.name, parameter.default))
        for parameter in strategy.parameters()
        if parameter.unit == "tokens"
        and parameter.is_number
        and parameter.default
        and not parameter.live_only
    }
    limits = _list_limits(presets)
    for name in WINDOW_PARAMETERS:
        if limits and presets.get(name, 0) > OTHER_SHARE * max(limits):
            del presets[name]
    return presets


def find_window(presets: Mapping[str, int]) -> int:
    """Return the usual context window that these limits are made for, in tokens: 200,000 of a limit of 100,000."""
    limits = _list_limits(presets)
    if not limits:
        return max(presets.values())
    least = LARGEST_SHARE * max(limits)
    return next((window for window in WINDOWS_TOKENS if window >= least), least)


def _list_limits(presets: Mapping[str, int]) -> list[int]:
    """Return the limits in tokens, without the window itself."""
    return [value for name, value in presets.items() if name not in WINDOW_PARAMETERS]


def is_scaled(scale: ScaledPresets | None, parameters: Mapping[str, Any]) -> bool:
    """Return whether ``parameters`` still are as they were scaled."""
    return scale is not None and scale.values.items() <= parameters.items()


def _round_share(preset: int, share: float) -> int:
    """Return the share of a limit with two digits that are not zero: people compare such numbers. All of it stays as it
    is."""
    if share == 1:
        return preset
    exact = preset * share
    if exact < 1:
        return 1
    return int(round(exact, DIGITS - 1 - floor(log10(exact))))


def _clip_to_bounds(parameter: Parameter, value: float) -> int:
    allowed = max(parameter.minimum or 1, value)
    if parameter.maximum is not None:
        allowed = min(parameter.maximum, allowed)
    return int(allowed)
