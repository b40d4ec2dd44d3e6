"""What to say where there is no code for a strategy."""

from __future__ import annotations

from memviz.code_export.base import Setting
from memviz.code_export.python_text import comment


def statement(setting: Setting, place: str) -> str:
    """Say that there is no code for this strategy, why, and what to do."""
    why = (
        f"There is no code for {place} yet that does what the strategy {setting.strategy.id!r} does."
        if setting.is_built_in
        else f"The strategy {setting.strategy.id!r} comes from another package, so memviz does not know its rule as "
        f"code for {place}."
    )
    sentences = [
        f"{setting.strategy.label}, for {place}.",
        f"{why} Run it with memviz itself (see the exports for memviz and for memory.yaml): a memviz.ChatMemory gives "
        "the messages to send as a list, and any library takes such a list.",
    ]
    return "\n#\n".join(comment(sentence) for sentence in sentences) + "\n"
