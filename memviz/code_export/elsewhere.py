"""What to say where a strategy cannot be taken to."""

from __future__ import annotations

from memviz.code_export.base import Setting
from memviz.code_export.python_text import comment


def statement(setting: Setting, place: str) -> str:
    """A strategy from another package: its rule is that package's, so only memviz can run it."""
    sentences = [
        f"{setting.strategy.label}, for {place}.",
        f"The strategy {setting.strategy.id!r} comes from another package, so memviz does not know its rule as code "
        f"for {place}. Run it with memviz itself (see the exports for memviz and for memory.yaml): a memviz.ChatMemory "
        "gives the messages to send as a list, and any library takes such a list.",
    ]
    return "\n#\n".join(comment(sentence) for sentence in sentences) + "\n"
