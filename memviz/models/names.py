"""Names of models that are no provider's."""

from __future__ import annotations

OFFLINE = "offline"
RECORDING = "recording:"
"""Before the name of a bundled recording, or the path of one, in place of a model's name."""


def is_free(name: str) -> bool:
    """Whether the model of this name costs nothing and needs no network: the offline one, or a recording."""
    return name == OFFLINE or name.startswith(RECORDING)
