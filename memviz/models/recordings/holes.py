"""Replies that a recording lacks of the settings that its file names, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted, listed
from memviz.models.recordings.recording import Hole
from memviz.strategies import strategy

NUMBERS_SHOWN = 5


def hole_words(hole: Hole) -> str:
    """The replies that are missing or changed, and what follows, as a sentence."""
    name = setting_words(hole.setting.strategy)
    if hole.summaries:
        which = _which(hole.summaries, len(hole.setting.needs), "summary", "summaries")
        return f"{name} is not played, because {which}."
    return f"{name} is played, but {_which(hole.answers, len(hole.setting.answers_need), 'answer', 'answers')}."


def setting_words(parameters: Mapping[str, Any]) -> str:
    """A recorded setting as it is named everywhere; its id where this version does not know it."""
    values = dict(parameters)
    id = str(values.pop("id", "a setting"))
    try:
        return strategy(id, **values).label
    except MemvizError:
        return id


def _which(numbers: Sequence[int], total: int, one: str, several: str) -> str:
    shown = listed([f"{number:,}" for number in numbers[:NUMBERS_SHOWN]])
    more = (
        f" and {len(numbers) - NUMBERS_SHOWN:,} more"
        if len(numbers) > NUMBERS_SHOWN
        else ""
    )
    what = f"{one} {shown}" if len(numbers) == 1 else f"{several} {shown}{more}"
    return f"{what} of its {counted(total, one)} {'is' if len(numbers) == 1 else 'are'} missing or changed in the file"
