"""The examples of the field guide: every strategy and every program's memory at work on a bundled conversation, with
summaries as they were recorded, where they were."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from memviz.core.translation import language_now
from memviz.engine.recording import setting_of
from memviz.engine.records import TurnRecord
from memviz.engine.replay import replay
from memviz.engine.run import Run
from memviz.metrics.requests.message_text import (
    SaidAndSent,
    compare_said_and_sent,
    find_telling_request,
)
from memviz.models.names import OFFLINE, RECORDING
from memviz.models.recordings import bundled as recordings
from memviz.models.recordings.recording import About, Recording
from memviz.models.registry import model
from memviz.strategies import strategy, strategy_class
from memviz.strategies.base import Strategy
from memviz.strategies.presets import presets
from memviz.transcripts.samples import sample
from memviz.tuning.scaling import scale_presets

CONVERSATIONS = ("trip", "support")
"""The bundled conversations of examples: of these the first on which a strategy does anything. The second has tools."""
CONVERSATIONS_IN = {"zh": ("chinese", "support")}
"""The conversations of examples by the language of their reader, where it has some of its own."""
NOTHING_RECORDED = Recording("", About(), {})


class Example(NamedTuple):
    """A strategy over a bundled conversation, by its id. ``summarizer`` is the name of the model that wrote."""

    strategy: Strategy
    conversation: str
    run: Run
    summarizer: str

    @property
    def picture(self) -> SaidAndSent:
        """The most telling request of the run."""
        return compare_said_and_sent(self.run, find_telling_request(self.run))

    @property
    def ten_turns(self) -> list[TurnRecord]:
        """The requests of ten of its turns, evenly spread, the first and the last among them."""
        turns = self.run.turns
        last = len(turns) - 1
        places = [round(number * last / 9) for number in range(10)]
        return [turns[place] for place in places]

    @property
    def is_recorded(self) -> bool:
        """Return whether a large language model wrote its summaries, in place of the built-in model."""
        return self.strategy.writes_notes and self.summarizer.startswith(RECORDING)


def example_of(id: str) -> Example | None:
    """Return the example of the strategy, or of the preset, of this id; ``None`` where it cannot be run here."""
    if strategy(id).reason_not_to_run():
        return None
    return _example_among(id, CONVERSATIONS_IN.get(language_now(), CONVERSATIONS))


@cache
def _example_among(id: str, conversations: tuple[str, ...]) -> Example:
    idle = []
    for conversation in conversations:
        example = _example(id, conversation)
        if not is_idle(example):
            return example
        idle.append(example)
    return idle[0]


def is_idle(example: Example) -> bool:
    """Return whether the conversation lacks what the strategy acts on, such as tools."""
    memory_at_end = example.run.requests[-1].memory
    return bool(example.strategy.idle_because(memory_at_end))


def _example(id: str, conversation: str) -> Example:
    transcript = sample(conversation)
    recording = recordings.recordings().get(conversation, NOTHING_RECORDED)
    parameters = _recorded_parameters(recording, id)
    if not parameters:
        parameters = _scaled_parameters(id, conversation)
    setting = strategy(id, **parameters)
    summarizer = OFFLINE
    if recording.holds(setting_of(transcript, setting)):
        summarizer = RECORDING + conversation
    run = replay(transcript, setting, model=model(summarizer))
    return Example(setting, conversation, run, summarizer)


def _recorded_parameters(recording: Recording, id: str) -> dict[str, Any]:
    """Return the parameters of the strategy that summaries were recorded for; empty where none were."""
    for setting in recording.settings.values():
        parameters = dict(setting.strategy)
        if parameters.pop("id") == id:
            return parameters
    return {}


def _scaled_parameters(id: str, conversation: str) -> dict[str, Any]:
    """Return the values of parameters that are made for large windows, made as much smaller as the conversation is."""
    # The full buffer sends everything: its largest request is as large as the conversation.
    whole = replay(sample(conversation), strategy("buffer"))
    parameters = presets()[id].parameters if id in presets() else {}
    scale = scale_presets(strategy_class(id), int(whole.columns.largest), parameters)
    return dict(scale.values) if scale else {}
