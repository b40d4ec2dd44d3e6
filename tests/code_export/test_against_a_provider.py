"""Every export, run as a program of its own against a provider that refuses what the real one refuses: nothing is
refused, and what was asked is what memviz simulated, request by request."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import memviz
from memviz import Message, ScriptedModel
from memviz.code_export import Setting, targets
from memviz.transcripts.samples import bundled
from tests.code_export.provider import Asked, Provider
from tests.code_export.running import pairs, requests, setting, texts, with_code

CHAT, SUMMARIZER = "gpt-5-mini", "gpt-5-nano"
QUESTIONS = '("Hello, my name is Ada.", "What is my name?")'
SYSTEM_PROMPT = "Be kind."
PACKAGES = {"llamaindex": "llama_index", "langchain_middleware": "langchain", "openai_agents": "agents"}
LIBRARIES = [*PACKAGES, "plain_python"]
SMALL: dict[str, dict[str, Any]] = {
    "window": {"window_size": 3},
    "token_buffer": {"max_tokens": 120},
    "recent_only": {"recent_rounds": 1},
    "summary": {"buffer_size": 2},
    "summary_buffer": {"max_token_limit": 200},
    "chat_summary_buffer": {"token_limit": 200},
    "head_and_tail": {"head_size": 1, "tail_size": 3},
    "fifo_facts": {"token_limit": 200},
    "threshold_summary": {"trigger_tokens": 200, "keep_messages": 3},
    "langchain_summarization": {"trigger_tokens": 200, "keep_messages": 3},
}
"""Values at which every strategy leaves something out, or summarizes, within the turns that are held here."""
DIFFERING = {
    ("llamaindex", "token_buffer"), ("llamaindex", "fifo_facts"),
    ("langchain_middleware", "summary"), ("langchain_middleware", "summary_buffer"),
    ("langchain_middleware", "chat_summary_buffer"), ("langchain_middleware", "threshold_summary"),
}  # fmt: skip
"""Where the library's own class sends something else, which the header names."""
TURNS = 6


def numbered() -> Iterator[str]:
    return (f"Summary {number}" for number in count(1))


def talked() -> list[Message]:
    return list(bundled()["trip"].messages)[: 2 * TURNS]


class Answers:
    """What the provider says: the conversation's replies in turn, and numbered summaries."""

    def __init__(self) -> None:
        self.replies = iter([reply for _, reply in pairs(talked())])
        self.summaries = numbered()

    def __call__(self, asked: Asked) -> str:
        return next(self.replies) if asked.model == CHAT else next(self.summaries)


def run_program(source: str, folder: Path, provider: Provider) -> str:
    """Run a program as anybody would, with the provider as the address of the API; what it printed."""
    path = folder / "exported.py"
    path.write_text(source, encoding="utf-8")
    warm = "import memviz; memviz.counter('o200k_base')('warm')"  # tiktoken keeps the encoding found offline
    runs = f"{warm}; import runpy; runpy.run_path({str(path)!r}, run_name='__main__')"
    environment = {
        **os.environ, "OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": provider.url, "OPENAI_API_BASE": provider.url,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True", "OPENAI_AGENTS_DISABLE_TRACING": "1", "LANGSMITH_TRACING": "false",
        "MEMVIZ_DB": str(folder / "memviz.db"),
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", runs], capture_output=True, text=True, check=False, cwd=folder, env=environment,
        timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, f"{done.stderr[-3000:]}\n{provider.refusals}"
    return done.stdout


def with_questions(source: str) -> str:
    """The program with the conversation's questions in place of its two."""
    assert source.count(QUESTIONS) == 1
    return source.replace(QUESTIONS, repr(tuple(question for question, _ in pairs(talked()))))


def wanted_of(id: str) -> Setting:
    return setting(
        id, parameters=SMALL.get(id, {}), system_prompt=SYSTEM_PROMPT, model=f"openai/{CHAT}",
        summarizer=f"openai/{SUMMARIZER}", repair_tool_pairs=True,
    )  # fmt: skip


def simulated(wanted: Setting, model: Any = None) -> list[list[tuple[str, str]]]:
    return [texts(sent) for _, sent in requests(talked(), wanted, model or ScriptedModel(numbered()))]


MEMORY_YAML = f"""
import memviz

memory = memviz.build_chat_memory(None, **memviz.load_memory_config("memory.yaml"))
for question in {QUESTIONS}:
    memory.append({{"role": "user", "content": question}})
    reply = memviz.model("openai/{CHAT}").complete(memory.load())
    memory.append({{"role": "assistant", "content": reply.text}})
    print(reply.text)
"""
"""A chat loop with what a memory.yaml says."""


def program_of(target: str, wanted: Setting, folder: Path) -> str:
    written = targets()[target].write(wanted)
    if target != "memory_yaml":
        return written
    (folder / "memory.yaml").write_text(written, encoding="utf-8")
    return MEMORY_YAML


FIRST = ("window", "summary")
"""Held in the default run; the others take minutes together."""
EVERY = [
    pytest.param(target, id, marks=() if id in FIRST and target in (*LIBRARIES, "memviz_code") else pytest.mark.slow)
    for target in (*LIBRARIES, "memviz_code", "memory_yaml")
    for id in with_code(target)
]


@pytest.mark.parametrize(("target", "id"), EVERY)
def test_the_provider_takes_every_request_and_each_is_what_was_simulated(target: str, id: str, tmp_path: Path) -> None:
    if find_spec(PACKAGES.get(target, "memviz")) is None:
        pytest.skip(f"{PACKAGES[target]} is not installed")
    wanted = wanted_of(id)
    program = with_questions(program_of(target, wanted, tmp_path))
    with Provider(Answers()) as provider:
        printed = run_program(program, tmp_path, provider)
    assert provider.refusals == []
    sent = provider.asked_of(CHAT)
    assert len(sent) == TURNS
    assert [one[0] for one in sent] == [("system", SYSTEM_PROMPT)] * TURNS
    assert pairs(talked())[-1][1].split("\n")[0] in printed
    if (target, id) in DIFFERING:
        assert "# Where it differs" in targets()[target].write(wanted)
    elif id != "langchain_summarization" or target != "langchain_middleware":
        assert sent == simulated(wanted)
    acts = id == "fifo_facts" or any(record.compactions for record in memviz.replay(
        talked(), wanted.strategy, model=ScriptedModel(numbered()), system_prompt=SYSTEM_PROMPT
    ).requests)  # fmt: skip
    if wanted.strategy.writes_notes and acts:
        assert provider.asked_of(SUMMARIZER), "the model that the header names writes the summaries"
