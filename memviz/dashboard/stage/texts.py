"""The texts of the stage in the language of its reader: what its script says, and what its colours mean."""

from typing import Any

from memviz.core.translation import _, script_words
from memviz.dashboard.charts.palette import (
    PART_COLORS,
    PART_TITLES,
    STEP_COLORS,
    STEP_TITLES,
)
from memviz.dashboard.stage.files import script
from memviz.dashboard.words.prices import BROKEN_BY


def colors() -> dict[str, Any]:
    """Return the colours of parts of a request and of what becomes of a message, with their names, and the names of
    what breaks the cached prefix."""
    return {
        "parts": PART_COLORS,
        "fates": list(STEP_COLORS),
        "titles": [_(title) for title in STEP_TITLES],
        "names": {part: _(title) for part, title in PART_TITLES.items()},
        "broken": {breaker.value: _(name) for breaker, name in BROKEN_BY.items()},
    }


def own_words() -> dict[str, Any]:
    """Return the translations of what the script of the stage says, as a part of its data; nothing in English, which
    it has itself."""
    words = script_words(script())
    return {"words": words} if words else {}
