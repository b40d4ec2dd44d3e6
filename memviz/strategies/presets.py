"""Presets: what products and libraries do to their memory when nothing is configured, as strategies with parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class Preset:
    """The memory of a product or a library."""

    id: str
    title: str
    strategy: str
    """The id of the strategy that does the same."""
    parameters: Mapping[str, Any]
    """The parameters that the product has; the others have their defaults."""
    known: str
    """How the rule is known: ``read in gemini-cli 0.61.0``."""
    differs: str
    """Where the product does otherwise; empty where nothing is known to differ."""


@cache
def presets() -> dict[str, Preset]:
    """All presets by id, in the order of their file."""
    import tomllib  # only who asks for presets waits for it

    text = (files("memviz.strategies") / "presets.toml").read_text(encoding="utf-8")
    return {
        id: Preset(**{"id": id, "parameters": {}, **written})
        for id, written in tomllib.loads(text).items()
    }


def preset_of(strategy: str, steps: str | None) -> Preset | None:
    """The preset that has these steps, in whatever window; ``None`` where they are nobody's."""
    if not steps:
        return None
    for preset in presets().values():
        has_steps = preset.parameters.get("steps") == steps
        if has_steps and preset.strategy == strategy:
            return preset
    return None
