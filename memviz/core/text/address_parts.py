"""Settings and recalls as they are written in the address of a page."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def setting_part(strategy_id: str, parameters: Mapping[str, Any]) -> str:
    """A setting as the part of an address."""
    return strategy_id + (
        f" {json.dumps(parameters, ensure_ascii=False)}" if parameters else ""
    )


def recall_part(turn: int, turns: Sequence[int], setting: int | None) -> str:
    """Earlier ``turns`` recalled into a turn, as the part of an address; under all settings without a ``setting``."""
    return (
        f"{turn} {','.join(map(str, turns))}{'' if setting is None else f' {setting}'}"
    )
