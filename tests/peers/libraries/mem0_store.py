"""mem0's own store of facts, with a scripted model, and vectors in this process that nobody has to be asked for."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Sequence
from typing import Any

# Read when mem0 is imported: it writes a file of its own, and reports to its makers.
os.environ["MEM0_TELEMETRY"] = "False"
os.environ["MEM0_DIR"] = tempfile.mkdtemp(prefix="mem0-")

from mem0 import Memory
from mem0.embeddings.base import EmbeddingBase
from mem0.llms.base import LLMBase
from mem0.utils.factory import EmbedderFactory, LlmFactory
from qdrant_client import QdrantClient

from memviz import Message
from memviz.core.text.words import count_content_words

atexit.register(shutil.rmtree, os.environ["MEM0_DIR"])
DIMENSIONS = 256
"""One for each stem that a conversation has, so that two texts are near if they share one."""


class ScriptedLLM(LLMBase):
    """Answers with what it is told beforehand, and keeps what it was asked."""

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self.answer = ""
        self.asked = ""

    def generate_response(self, messages: Any, *given: Any, **named: Any) -> str:
        self.asked = messages[-1]["content"]
        return self.answer


class Stems(EmbeddingBase):
    """The stems of a text as its vector. mem0's own vectors for tests are the same for all texts: everything would be
    as near as everything else."""

    def __init__(self, config: Any = None) -> None:
        super().__init__(config)
        self._known: dict[str, int] = {}

    def embed(self, text: str, memory_action: Any = None) -> list[float]:
        # A text without any words has a direction too.
        vector = [0.0] * (DIMENSIONS - 1) + [1e-6]
        for word, number in count_content_words(text).items():
            place = self._known.setdefault(word, len(self._known))
            vector[place] = float(number)
        return vector


# The names that may be configured are a fixed list: these two take the place of what is registered under one of them.
LlmFactory.register_provider("langchain", f"{__name__}.ScriptedLLM")
EmbedderFactory.provider_to_class["langchain"] = f"{__name__}.Stems"


class StoreAtWork:
    """A store of one user."""

    def __init__(self) -> None:
        vectors = {
            "client": QdrantClient(":memory:"),
            "embedding_model_dims": DIMENSIONS,
        }
        self._memory = Memory.from_config(
            {
                "llm": {"provider": "langchain", "config": {}},
                "embedder": {"provider": "langchain", "config": {}},
                "vector_store": {"provider": "qdrant", "config": vectors},
                "history_db_path": ":memory:",
            }
        )

    def add(self, turn: Iterable[Message], facts: Sequence[str]) -> list[str]:
        """Let it extract ``facts`` from a turn; the memories that the model was shown for it."""
        told = [{"text": fact} for fact in facts]
        self._memory.llm.answer = json.dumps({"memory": told})
        said = [{"role": one.role, "content": one.content} for one in turn]
        self._memory.add(said, user_id="user")
        shown = self._memory.llm.asked.partition("## Existing Memories\n")[2]
        memories = json.loads(shown.partition("\n\n## New Messages\n")[0])
        return [memory["text"] for memory in memories]

    def search(self, question: str, most: int) -> list[str]:
        """The memories that it finds for a question, the best first."""
        found = self._memory.search(question, top_k=most, filters={"user_id": "user"})
        return [memory["memory"] for memory in found["results"]]
