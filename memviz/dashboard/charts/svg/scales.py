"""Axes of a figure in pixels, and their ticks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

_ROUND_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis: the pixels ``start`` to ``stop`` show ``low`` to ``high``, which are logarithms where it
    ``is_log``."""

    axis: Mapping[str, Any]
    """Its properties as Plotly takes them."""
    is_log: bool
    low: float
    high: float
    start: float
    stop: float

    @classmethod
    def of(cls, axis: Mapping[str, Any], start: float, stop: float) -> Scale:
        """Return the scale of an axis that has a ``range``."""
        low, high = axis["range"]
        return cls(axis, axis.get("type") == "log", low, high, start, stop)

    def pixel(self, value: float) -> float:
        """Return the pixel of a value of the data."""
        if self.is_log:
            value = log10(value)
        return self.pixel_on_axis(value)

    def pixel_on_axis(self, position: float) -> float:
        """Return the pixel of a position as notes have it: a logarithm on a logarithmic axis."""
        span = self.high - self.low or 1.0
        return self.share((position - self.low) / span)

    def share(self, part: float) -> float:
        """Return the pixel at a part (0 to 1) of the axis."""
        return self.start + part * (self.stop - self.start)

    def ticks(self, pixels_apart: float) -> Iterator[tuple[float, str]]:
        """Yield pixel and words of each tick: those that the axis names, else round numbers at least so far apart."""
        step = 1.0
        values = self.axis.get("tickvals")
        if values is None:
            step = self._step(pixels_apart)
            first = ceil(min(self.low, self.high) / step)
            last = floor(max(self.low, self.high) / step)
            values = [number * step for number in range(first, last + 1)]
        texts = self.axis.get("ticktext")
        if texts is None:
            texts = [self._words(value, step) for value in values]
        for value, text in zip(values, texts, strict=True):
            yield self.pixel(value), str(text)

    def _step(self, pixels_apart: float) -> float:
        """Return 1, 2 or 5 times a power of ten; whole numbers stand on an axis that writes whole numbers."""
        asked_step = self.axis.get("dtick")
        if asked_step is not None:
            return float(asked_step)
        most_ticks = max(1.0, abs(self.stop - self.start) / pixels_apart)
        least = abs(self.high - self.low) / most_ticks or 1.0
        power = 10.0 ** floor(log10(least))
        for digit in _ROUND_STEPS:
            step = digit * power
            if step >= least * 0.999:  # rounding must not skip the step that fits
                break
        is_whole = self.axis.get("tickformat", "").endswith("d")
        return max(1.0, step) if is_whole else step

    def _words(self, value: float, step: float) -> str:
        """Return the value in the axis' own format, such as ``,d`` or ``.0%``, or with the digits of a step."""
        prefix = self.axis.get("tickprefix", "")
        spec = self.axis.get("tickformat")
        if not spec:
            digits = max(0, -floor(log10(step) + 1e-9))
            spec = f",.{digits}f"
        number = round(value) if spec.endswith("d") else value
        return f"{prefix}{format(number, spec)}"
