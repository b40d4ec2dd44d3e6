"""memviz shows what a chatbot remembers.

Replay one conversation under many memory strategies, see what each request sent, where and why it
was summarized, and what became of every message. What needs heavy libraries loads on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from memviz.core.context import Block, Context, Fate
from memviz.core.conversation import Log
from memviz.core.counters import counter
from memviz.core.errors import (
    ConfigError,
    CounterUnavailableError,
    DesignError,
    EmptyConversationError,
    LessonError,
    MatrixTooLargeError,
    MemvizError,
    MessageError,
    ParameterError,
    RecallError,
    ReviewError,
    SessionExistsError,
    SweepError,
    TranscriptError,
    UnclearUserError,
    UnknownCounterError,
    UnknownStrategyError,
)
from memviz.core.messages import Message, ToolCall
from memviz.core.model_errors import (
    BudgetSpentError,
    ModelError,
    NotRecordedError,
    RecordingError,
    ScriptExhausted,
)
from memviz.core.notebook_output import draw_outputs_with
from memviz.core.storage_errors import StorageError
from memviz.core.turns import Turn
from memviz.dashboard.lessons import lesson, lessons
from memviz.models.base import Model, Reply, Usage
from memviz.models.scripted import ScriptedModel
from memviz.models.tools import RECALL_CONVERSATION, Tool
from memviz.strategies import strategies, strategy
from memviz.strategies.base import Strategy
from memviz.strategies.clauses import Headroom

if TYPE_CHECKING:
    from memviz import testing as testing
    from memviz.dashboard.words.health import health_warnings
    from memviz.engine.asking import ask
    from memviz.engine.chat import Chat
    from memviz.engine.chat_memory import ChatMemory
    from memviz.engine.compaction import Compaction
    from memviz.engine.free_run import FreeRun, free_run
    from memviz.engine.judging import Judging
    from memviz.engine.memory_config import load_memory_config, strategy_of
    from memviz.engine.recall import Recall, Recalled
    from memviz.engine.records import TurnRecord
    from memviz.engine.replay import replay
    from memviz.engine.run import Run
    from memviz.metrics.retention.knowledge import FactState
    from memviz.metrics.retention.life_lines import life_lines
    from memviz.metrics.retention.proposed_probes import propose_probes
    from memviz.metrics.retention.retention import retention
    from memviz.metrics.verify import Breach, verify
    from memviz.models.budget import Budget
    from memviz.models.budgeted import Budgeted
    from memviz.models.embedding import embedder
    from memviz.models.local_servers import find_local_servers
    from memviz.models.recordings.bundled import recordings
    from memviz.models.recordings.recording import Recording
    from memviz.models.registry import model
    from memviz.storage.llama_index_memory import LlamaIndexMemory as LlamaIndexMemory
    from memviz.storage.memory_store import MemoryStore, build_chat_memory
    from memviz.transcripts.base import Probe, Transcript
    from memviz.transcripts.fleet.source import Fleet
    from memviz.transcripts.loading import load_transcript, load_transcripts
    from memviz.tuning.design import Design, design
    from memviz.tuning.fleet.results import FleetSweep
    from memviz.tuning.forgotten import Why
    from memviz.tuning.results import Sweep
    from memviz.tuning.sweep import sweep
    from memviz.tuning.why import why

_LAZY = {
    "Breach": "memviz.metrics.verify",
    "Budget": "memviz.models.budget",
    "Budgeted": "memviz.models.budgeted",
    "Chat": "memviz.engine.chat",
    "ChatMemory": "memviz.engine.chat_memory",
    "Compaction": "memviz.engine.compaction",
    "Design": "memviz.tuning.design",
    "Fleet": "memviz.transcripts.fleet.source",
    "FleetSweep": "memviz.tuning.fleet.results",
    "FreeRun": "memviz.engine.free_run",
    "Judging": "memviz.engine.judging",
    "LlamaIndexMemory": "memviz.storage.llama_index_memory",  # not in __all__: needs an extra
    "MemoryStore": "memviz.storage.memory_store",
    "Probe": "memviz.transcripts.base",
    "Recall": "memviz.engine.recall",
    "Recalled": "memviz.engine.recall",
    "Recording": "memviz.models.recordings.recording",
    "Run": "memviz.engine.run",
    "Sweep": "memviz.tuning.results",
    "Transcript": "memviz.transcripts.base",
    "TurnRecord": "memviz.engine.records",
    "Why": "memviz.tuning.forgotten",
    "ask": "memviz.engine.asking",
    "design": "memviz.tuning.design",
    "embedder": "memviz.models.embedding",
    "build_chat_memory": "memviz.storage.memory_store",
    "find_local_servers": "memviz.models.local_servers",
    "free_run": "memviz.engine.free_run",
    "health_warnings": "memviz.dashboard.words.health",
    "FactState": "memviz.metrics.retention.knowledge",
    "life_lines": "memviz.metrics.retention.life_lines",
    "load_memory_config": "memviz.engine.memory_config",
    "load_transcript": "memviz.transcripts.loading",
    "load_transcripts": "memviz.transcripts.loading",
    "model": "memviz.models.registry",
    "propose_probes": "memviz.metrics.retention.proposed_probes",
    "recordings": "memviz.models.recordings.bundled",
    "replay": "memviz.engine.replay",
    "retention": "memviz.metrics.retention.retention",
    "strategy_of": "memviz.engine.memory_config",
    "sweep": "memviz.tuning.sweep",
    "verify": "memviz.metrics.verify",
    "why": "memviz.tuning.why",
}

__all__ = [
    "RECALL_CONVERSATION", "Block", "Breach", "Budget", "BudgetSpentError", "Budgeted", "Chat", "ChatMemory",
    "Compaction", "ConfigError", "Context", "CounterUnavailableError", "Design", "DesignError",
    "EmptyConversationError", "FactState", "Fate", "Fleet", "FleetSweep", "FreeRun", "Headroom",
    "Judging", "LessonError", "Log", "MatrixTooLargeError", "MemoryStore", "MemvizError", "Message", "MessageError",
    "Model", "ModelError", "NotRecordedError", "ParameterError", "Probe", "Recall", "RecallError", "Recalled",
    "Recording", "RecordingError", "Reply", "ReviewError", "Run", "ScriptExhausted", "ScriptedModel",
    "SessionExistsError", "StorageError", "Strategy", "Sweep", "SweepError",
    "Tool", "ToolCall", "Transcript", "TranscriptError", "Turn", "TurnRecord", "UnclearUserError",
    "UnknownCounterError", "UnknownStrategyError", "Usage", "Why", "ask", "build_chat_memory", "counter", "design",
    "embedder", "find_local_servers", "free_run", "health_warnings", "lesson", "lessons", "life_lines",
    "load_memory_config", "load_transcript", "load_transcripts", "model", "propose_probes", "recordings", "replay",
    "retention", "strategies", "strategy", "strategy_of", "sweep", "verify", "why",
]  # fmt: skip


def _draw_output(value: object) -> str:
    from memviz.dashboard.notebooks.frame import html_of

    return html_of(value)


draw_outputs_with(_draw_output)


def __getattr__(name: str) -> Any:
    if name == "testing":
        return import_module("memviz.testing")
    if name not in _LAZY:
        raise AttributeError(f"module 'memviz' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value
