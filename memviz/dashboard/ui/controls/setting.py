"""One setting that is being edited: a strategy with its parameters, and what was wrong with values of its controls."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from memviz.core.errors import MemvizError, ParameterError
from memviz.core.translation import _, noop
from memviz.models.registry import is_like_a_key
from memviz.strategies import COMPARED_AT_FIRST, strategies, strategy
from memviz.strategies.base import Strategy
from memviz.strategies.presets import Preset
from memviz.tuning.scaling import ScaledPresets

A_KEY = noop("an API key")
A_NAME = noop("the name of a model")


@dataclass
class Setting:
    """One strategy setting being edited."""

    uid: int | str
    index: int
    """Decides its colour for as long as it lives."""
    strategy_id: str
    parameters: dict[str, Any] = field(default_factory=dict)
    as_written: bool = False
    """True to show the summarizer's wording also where the visitor reworded it."""
    used: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The parameters of the strategies that it had before, by their id."""
    scaled: ScaledPresets | None = None
    """The scale of its limits, where they were scaled to the conversation."""
    times_scaled: int = 0
    not_scaled_words: str = ""
    """The reason why the limits were not scaled, where the visitor asked for it."""
    refused: dict[str, ParameterError] = field(default_factory=dict)
    """The errors in values of its controls that are not used, by the parameter's name."""

    def take(self, values: Mapping[str, Any]) -> None:
        """Use these values of controls. One that is not allowed is refused, and the one before stays."""
        self.refused = {}
        if self._problem(values) is None:
            self.parameters |= values
            return
        # One by one, so that a single wrong value does not hold back the others.
        for name, value in values.items():
            problem = self._problem({name: value})
            if problem is not None and problem.name == name:
                self.refused[name] = problem
            else:  # what else is wrong is not its fault
                self.parameters[name] = value

    def _problem(self, values: Mapping[str, Any]) -> ParameterError | None:
        # Parameters are stored, linked and shown, as no key may be.
        if is_like_a_key(values.get("embedding_model") or ""):
            return ParameterError("embedding_model", _(A_KEY), A_NAME)
        try:
            strategy(self.strategy_id, **{**self.parameters, **values})
        except ParameterError as error:
            return error
        return None

    def turn_to(self, strategy_id: str) -> None:
        """Take another strategy, with the parameters that it last had in this setting."""
        self.used[self.strategy_id] = self.parameters
        self.strategy_id = strategy_id
        self.parameters = dict(self.used.get(strategy_id, {}))
        self.scaled = None
        self.not_scaled_words = ""
        self.refused = {}

    def turn_to_preset(self, preset: Preset) -> None:
        """Take the strategy of a product or a library, with its parameters."""
        self.turn_to(preset.strategy)
        self.parameters = dict(preset.parameters)
        self.times_scaled += 1

    def scale(self, scaled: ScaledPresets | None) -> None:
        """Take over limits that were scaled, or with ``None`` go back to the presets."""
        if scaled:
            self.parameters = {**self.parameters, **scaled.values}
        elif self.scaled:
            self.parameters = {**self.parameters, **self.scaled.presets}
        self.scaled = scaled
        self.times_scaled += 1

    @property
    def strategy_class(self) -> type[Strategy]:
        """The class of its strategy."""
        return strategies()[self.strategy_id]

    def build(self) -> Strategy:
        """Return the strategy. Raises ParameterError."""
        return strategy(self.strategy_id, **self.parameters)

    @property
    def is_sound(self) -> bool:
        """Return true if its parameters are allowed."""
        with suppress(MemvizError):
            return bool(self.build())
        return False


def first_settings() -> list[Setting]:
    """Return the settings that a newcomer sees side by side."""
    return [
        Setting(number, number, id, {**values})
        for number, (id, values) in enumerate(COMPARED_AT_FIRST)
    ]
