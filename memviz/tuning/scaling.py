"""Scaling of limits that are made for a whole context window to a single, smaller conversation.

A product that compacts at 100,000 of 200,000 tokens does nothing in a conversation of 14,000. Scaled, it compacts at
the same share of the conversation: at 7,000. Tune, Compare and the search for remedies try products in this way.
"""

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
"""Usual sizes of context windows."""
LARGEST_SHARE = 2
"""Limits are assumed to be made for the smallest usual window that is at least this many times the largest limit."""
WINDOW_PARAMETERS = ("window_tokens", "context_window", "context_window_tokens")
"""The names of parameters that are the window itself."""
OTHER_SHARE = 10
"""A window more than this many times the largest limit is not the one that the limits are made for."""
DIGITS = 2
"""The digits of a scaled limit that are not zero."""


class ScaledPresets(NamedTuple):
    """The limits of a strategy, by name of the parameter, before and after scaling."""

    presets: Mapping[str, int]
    """The limits for a window of ``window_tokens``."""
    values: Mapping[str, int]
    """The same shares of ``needed_tokens``."""
    window_tokens: int
    needed_tokens: int
    """The tokens that the conversation takes in all."""

    @property
    def words(self) -> str:
        """A sentence that lists the scaled limits."""
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
    """Return the limits of ``strategy`` scaled to a conversation that takes ``needed_tokens`` in all.

    A limit of 100,000 tokens, made for a window of 200,000, becomes 7,000 for a conversation of 14,000. A parameter
    that is the window itself becomes ``needed_tokens``, or half of it where all limits are shares of the window, for
    else a share near 1 would never be reached.

    Args:
        strategy: The strategy.
        needed_tokens: The tokens of the whole conversation.
        chosen: Values of a product, which replace the defaults of the strategy.

    Returns:
        ``None`` where there is nothing to scale: there is no limit in tokens, or the conversation fills the window.
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
        # The limits stay as they are; only the window itself was larger than the conversation.
        for name in WINDOW_PARAMETERS:
            window_tokens = presets.get(name, window_tokens)
    return ScaledPresets(presets, values, window_tokens, needed_tokens)


def scale_product(id: str, needed_tokens: int) -> Strategy:
    """Return the setting of a product, with its limits scaled to a conversation of ``needed_tokens``.

    ``claude_code`` and 14,000 tokens give a setting with a window of 7,000.
    """
    scale = scale_presets(
        strategy_class(id), needed_tokens, all_presets()[id].parameters
    )
    return make_strategy(id, **(scale.values if scale else {}))


def list_presets(
    strategy: type[Strategy], chosen: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, int]:
    """Return the limits in tokens of a strategy, or of a product (``chosen``), by name of the parameter.

    A parameter that is the window itself is among them if the limits are made for it, or if there are no others. A
    limit of 0 stands for none and is left out.
    """
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
    """Return the usual context window, in tokens, that these limits are made for: 200,000 for a limit of 100,000."""
    limits = _list_limits(presets)
    if not limits:
        return max(presets.values())
    least = LARGEST_SHARE * max(limits)
    return next((window for window in WINDOWS_TOKENS if window >= least), least)


def _list_limits(presets: Mapping[str, int]) -> list[int]:
    """Return the limits in tokens, without the window itself."""
    return [value for name, value in presets.items() if name not in WINDOW_PARAMETERS]


def is_scaled(scale: ScaledPresets | None, parameters: Mapping[str, Any]) -> bool:
    """Return whether ``parameters`` have the scaled values, so that the user has not changed them since."""
    return scale is not None and scale.values.items() <= parameters.items()


def _round_share(preset: int, share: float) -> int:
    """Return a share of a limit, rounded to :data:`DIGITS` digits, unless the share is 1: 7,123 -> 7,100"""
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
