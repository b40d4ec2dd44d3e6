"""Names of models that are no provider's."""

OFFLINE = "offline"
STAND_IN = "offline stand-in"
"""What the offline model is called wherever a person reads of it; its name stays what programs call it by."""
RECORDING = "recording:"
"""Before the name of a bundled recording, or the path of one, in place of a model's name."""

RECORDED_FIRST = "recorded, else stand-in"
"""In place of a model's name on a page: a recording where one was made for exactly what is shown, else the offline
stand-in. What holds where a link, or a visitor, names no model."""


def in_words(name: str) -> str:
    """The words that a person reads for the model of this name."""
    return STAND_IN if name == OFFLINE else name


def is_free(name: str) -> bool:
    """Return whether the model of this name costs nothing and needs no network: the offline one, or a recording."""
    return name in (OFFLINE, RECORDED_FIRST) or name.startswith(RECORDING)
