"""Prompts that were tried for one summarization, and what came of them: an order to the prompt lab, and its result."""

from collections.abc import Hashable
from typing import NamedTuple

from memviz.core.errors import MemvizError
from memviz.engine.compaction import Compaction
from memviz.engine.prompt_trial import Trial


class PromptsToTry(NamedTuple):
    """An order to the prompt lab at one of its places: other instructions for one summarization."""

    place: str
    compaction: Compaction
    instructions: tuple[str, ...]
    so_far: tuple[Trial | None, ...] = ()
    """Trials of an earlier attempt that need no other one; ``None`` stands for each that does."""


class TriedPrompts(NamedTuple):
    """The result of the prompts that were asked for."""

    asked: PromptsToTry
    made_with: Hashable
    """The summarizer with its key and address."""
    trials: tuple[Trial | None, ...]
    """A trial for each prompt, ``None`` where there is none."""
    error: MemvizError | None = None
    """The failure that ended the attempt, if one did."""

    @property
    def written(self) -> tuple[Trial | None, ...]:
        """The trials that gave a summary."""
        return tuple(
            None if trial is None or trial.draft.error is not None else trial
            for trial in self.trials
        )

    @property
    def has_failed(self) -> bool:
        """True if there is a failure to be said."""
        return self.error is not None or any(
            trial is not None and trial.draft.error for trial in self.trials
        )
