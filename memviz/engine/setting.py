"""The setting of a conversation, and the surroundings of the memory that it begins with."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from memviz.core.conversation import Log
from memviz.core.counters import Counter
from memviz.core.memory import MemorySpace
from memviz.core.messages import Message
from memviz.core.summaries import SummaryLog
from memviz.models.base import Model
from memviz.strategies.base import Strategy


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting of a conversation: a strategy, and everything that it works with."""

    strategy: Strategy
    counter: Counter
    summarizer: Model | None = None
    """Without one there is nobody to ask for summaries."""
    system_prompt: str | None = None
    repair_tool_pairs: bool = False
    """Leave out of requests a tool's call without its result, and a result without its
    call."""
    edits: Mapping[int, str] = field(default_factory=dict)
    """The user's wording of summary versions, by their number. It takes the place of what
    the summarizer writes."""
    tools: tuple[str, ...] = ()
    """The schemas of tools, each as JSON text, that go with every request."""


def new_space(log: Log, setting: Setting, tool_tokens: int = 0) -> MemorySpace:
    """Return the surroundings of an empty memory: the log, its token sums, no summaries."""
    counter = setting.counter
    system_prompt = None
    prompt_tokens = 0
    if setting.system_prompt:
        system_prompt = Message("system", setting.system_prompt)
        prompt_tokens = counter(setting.system_prompt)
    return MemorySpace(
        log=log,
        sums=log.token_sums(counter),
        summaries=SummaryLog(counter, setting.strategy.summary_wording),
        system_prompt=system_prompt,
        prompt_tokens=prompt_tokens,
        tool_tokens=tool_tokens,
    )
