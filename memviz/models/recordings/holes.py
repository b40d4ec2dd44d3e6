"""Sentences on the replies that a recording names and does not hold."""

from collections.abc import Mapping, Sequence
from typing import Any

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted, listed, plural
from memviz.models.recordings.recording import Hole
from memviz.strategies import strategy

NUMBERS_SHOWN = 5
"""Replies that a sentence names by their numbers; of more it says how many."""


def hole_words(hole: Hole) -> str:
    """Return which replies are missing or changed, and what follows, as a sentence.

    Without a summary the setting cannot be played; without an answer it can.
    """
    setting = hole.setting
    name = setting_words(setting.strategy)
    if hole.summaries:
        lacking = _lacking(hole.summaries, len(setting.needs), "summary")
        return f"{name} is not played, because {lacking}."
    lacking = _lacking(hole.answers, len(setting.answers_need), "answer")
    return f"{name} is played, but {lacking}."


def setting_words(parameters: Mapping[str, Any]) -> str:
    """Return the label of a recorded setting, or its id if this version has no such."""
    values = dict(parameters)
    strategy_id = str(values.pop("id", "a setting"))
    try:
        return strategy(strategy_id, **values).label
    except MemvizError:
        return strategy_id


def _lacking(numbers: Sequence[int], total: int, noun: str) -> str:
    """Return the clause that says which replies are lacking, by their numbers.

    [2]              "answer 2 of its 3 answers is missing or changed in the file"
    [1, 2]           "answers 1 and 2 of its 3 answers are missing or changed ..."
    [1, 2, ... 7]    "answers 1, 2, 3, 4 and 5 and 2 more of its 9 answers are ..."
    """
    replies = f"{plural(noun, len(numbers))} "
    replies += listed([f"{number:,}" for number in numbers[:NUMBERS_SHOWN]])
    not_shown = len(numbers) - NUMBERS_SHOWN
    if not_shown > 0:
        replies += f" and {not_shown:,} more"
    verb = "is" if len(numbers) == 1 else "are"
    all_replies = counted(total, noun)
    return f"{replies} of its {all_replies} {verb} missing or changed in the file"
