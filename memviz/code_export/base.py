"""A place that a memory setting found with memviz can be exported to, and the error where it has no code for it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memviz.code_export.python_text import one_line
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.counters import counter as find_counter
from memviz.core.errors import MemvizError
from memviz.core.translation import ENGLISH, _, noop, use_language
from memviz.models.names import DEFAULT_MODEL, OFFLINE, is_free
from memviz.strategies.base import Strategy

Language = Literal["yaml", "python"]


@dataclass(frozen=True)
class Setting:
    """A memory setting to export.

    Raises :class:`memviz.UnknownCounterError` for a counter without a name that others know.
    """

    strategy: Strategy
    counter: str = DEFAULT_COUNTER
    """The name of a token counter."""
    summarizer: str = OFFLINE
    """The writer of the summaries in the simulation: a model's name as memviz takes it, such as ``offline``,
    ``recording:trip`` or ``openai/gpt-5-mini``."""
    model: str = DEFAULT_MODEL
    """The name of the model that answers in the chat."""
    system_prompt: str | None = None
    """The system prompt that was simulated."""
    found: str = ""
    """One line on which conversations the setting was found and what it showed."""
    repair_tool_pairs: bool = False
    """As in :func:`memviz.replay`: whether tool calls without results and results without calls, which providers
    refuse, are left out of requests."""
    summarizer_model: str = ""
    """The name of the model that is to write the summaries; empty: the ``summarizer``, and where that is no model of a
    provider the one that answers in the chat."""

    def __post_init__(self) -> None:
        find_counter(self.counter)

    @property
    def is_built_in(self) -> bool:
        """Return whether the strategy is a file of memviz itself, so that no other package's has its id."""
        return type(self.strategy).__module__ == f"memviz.strategies.{self.strategy.id}"

    @property
    def chat_model(self) -> str:
        """The model that answers in exported code: never the built-in model, which is for trying things out."""
        return DEFAULT_MODEL if is_free(self.model) else self.model

    @property
    def summary_model(self) -> str:
        """The model that summarizes in exported code, the same in every target."""
        chosen = self.summarizer_model or self.summarizer
        return self.chat_model if is_free(chosen) else chosen

    @property
    def summarizer_difference(self) -> str:
        """A sentence on who wrote the summaries that were simulated, and who will write them."""
        wrote = one_line(self.summarizer)
        writes = one_line(self.summary_model)
        if self.summarizer == OFFLINE:
            return (
                f"memviz's built-in model wrote the summaries there; here {writes} writes them. A model words them "
                "differently and at another length, so what a summary keeps and costs differs."
            )
        if wrote == writes:
            return f"{wrote} wrote the summaries there and writes them here, but no two times in the same words."
        return f"{wrote} wrote the summaries there; here {writes} writes them, in other words and at another length."


@dataclass(frozen=True)
class Target:
    """One place to export a setting to."""

    title: str
    file_name: str
    """The name of the file that is saved."""
    language: Language
    install: str
    """The command that installs what is needed; empty where that is nothing."""
    writer: Callable[[Setting], str]

    def write(self, setting: Setting) -> str:
        """Return the whole file as text. Deterministic. Raises :class:`memviz.code_export.NoCodeError` where the target
        has no code for the strategy."""
        with use_language(ENGLISH):
            return self.writer(setting)


class NoCodeError(MemvizError):
    """There is no code for this strategy in this place. Attributes: the ``strategy``'s id and the ``place``."""

    def __init__(self, setting: Setting, place: str) -> None:
        self.strategy = setting.strategy.id
        self.place = place
        self._setting = setting
        super().__init__(str(self))

    def __str__(self) -> str:
        """The sentence, in the language of who reads it: code is written in English, so it was raised there."""
        return _(
            _NO_CODE if self._setting.is_built_in else _UNKNOWN_RULE,
            place=_(self.place),
            strategy=repr(self.strategy),
            label=one_line(self._setting.strategy.label),
        )


_NO_CODE = noop(
    "There is no code for {place} that does what the strategy {strategy} does. Export {label} to memviz_code or "
    "memory_yaml instead: memviz itself runs it, and gives the messages to send as a list that any library takes."
)
_UNKNOWN_RULE = noop(
    "The strategy {strategy} comes from another package, so memviz does not know its rule as code for {place}. Export "
    "{label} to memviz_code or memory_yaml instead: memviz itself runs it, and gives the messages to send as a list "
    "that any library takes."
)
