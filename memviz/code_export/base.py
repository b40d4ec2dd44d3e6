"""What a target is: a place that a memory setting found with memviz can be exported to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from memviz.counters import counter as find_counter
from memviz.strategies.base import Strategy

STRATEGIES = "memviz.strategies"
OFFLINE = "offline"
DEFAULT_MODEL = "openai/gpt-5-mini"

Language = Literal["yaml", "python"]


@dataclass(frozen=True)
class Setting:
    """A memory setting to export.

    ``counter`` is the name of a token counter. ``summarizer`` and ``model`` are model names as memviz takes them
    (``offline``, ``openai/gpt-5-mini``); ``model`` answers in the chat. ``found`` says in one line on which
    conversations the setting was found and what it showed.

    Raises :class:`memviz.UnknownCounterError` for a counter without a name that others know.
    """

    strategy: Strategy
    counter: str = "o200k_base"
    summarizer: str = OFFLINE
    model: str = DEFAULT_MODEL
    system_prompt: str | None = None
    found: str = ""

    def __post_init__(self) -> None:
        find_counter(self.counter)

    @property
    def is_built_in(self) -> bool:
        """Whether the strategy is a file of memviz itself, so that no other package's has its id."""
        return type(self.strategy).__module__ == f"{STRATEGIES}.{self.strategy.id}"

    @property
    def chat_model(self) -> str:
        """The model that answers, where a library needs a real one."""
        return DEFAULT_MODEL if self.model == OFFLINE else self.model

    @property
    def summary_model(self) -> str:
        """The model that summarizes, where a library needs a real one."""
        return self.chat_model if self.summarizer == OFFLINE else self.summarizer


@dataclass(frozen=True)
class Target:
    """One place to export a setting to: its ``title``, the name and language of the file, and what to install first."""

    title: str
    file_name: str
    language: Language
    install: str
    writer: Callable[[Setting], str]

    def write(self, setting: Setting) -> str:
        """Return the whole file as text. Deterministic. Raises :class:`memviz.code_export.NoCodeError` where the target
        has no code for the strategy."""
        return self.writer(setting)
