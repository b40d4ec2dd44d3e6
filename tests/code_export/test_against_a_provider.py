"""Every export, run as a program of its own against a provider that refuses what the real one refuses: nothing is
refused, and what was asked is what memviz simulated, request by request."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

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
PACKAGES = {
    "llamaindex": "llama_index",
    "langchain_middleware": "langchain",
    "openai_agents": "agents",
}
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


FORKING = """
import gc, importlib, json, os, runpy, sys, time
import memviz

memviz.counter("o200k_base")("warm")  # tiktoken keeps the encoding found offline
modules, programs = json.load(sys.stdin)
for module in modules:
    try:
        importlib.import_module(module)
    except ImportError:
        pass
if "memviz" in modules:
    from memviz.models.http_guard import load_litellm

    said = [{"role": "user", "content": "Hello"}]
    for _ in load_litellm().completion(model="gpt-5-mini", messages=said, mock_response="Hi", stream=True):
        pass  # the first call loads what the others find loaded
    from litellm.litellm_core_utils.thread_pool_executor import executor

    # A child would inherit a lock that a thread of the pool holds, and wait for it for ever: let the pool come to rest.
    executor.submit(int).result()
    time.sleep(0.5)
gc.collect()
gc.freeze()  # else each child copies what it only looks through
codes = []
for folder, address in programs:
    child = os.fork()
    if child:
        codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        continue
    os.chdir(folder)
    os.environ |= {"OPENAI_BASE_URL": address, "OPENAI_API_BASE": address, "MEMVIZ_DB": folder + "/memviz.db"}
    for name, number in (("out", 1), ("err", 2)):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT), number)
    runpy.run_path("exported.py", run_name="__main__")
    sys.stdout.flush()
    os._exit(0)  # to take down all that is loaded takes as long again
json.dump(codes, sys.stdout)
"""
"""Runs each program in a process of its own, which finds the library loaded: to load one takes longer than to run."""


ALONE = """
import runpy
import memviz

memviz.counter("o200k_base")("warm")
runpy.run_path("exported.py", run_name="__main__")
"""


class Ran(NamedTuple):
    """A program that ended, and the provider that it asked."""

    provider: Provider
    printed: str


def run_programs(folders: Sequence[Path]) -> list[Ran]:
    """Run the program ``exported.py`` of each folder as anybody would, with a provider of its own as the address of the
    API."""
    environment = {
        **os.environ,
        "OPENAI_API_KEY": "sk-test",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "LANGSMITH_TRACING": "false",
        "PYTHONFAULTHANDLER": "1",
    }
    modules = sorted(
        {
            name
            for folder in folders
            for name in imported((folder / "exported.py").read_text("utf-8"))
        }
    )
    with ExitStack() as stack:
        providers = [stack.enter_context(Provider(Answers())) for _ in folders]
        programs = [
            (str(folder), one.url)
            for folder, one in zip(folders, providers, strict=True)
        ]
        done = subprocess.run(
            [sys.executable, "-c", FORKING],
            input=json.dumps([modules, programs]),
            text=True,
            check=True,
            stdout=subprocess.PIPE,
            env=environment,
            timeout=280,
        )
    codes = json.loads(done.stdout)
    return [
        finished(folder, provider, code, environment)
        for folder, provider, code in zip(folders, providers, codes, strict=True)
    ]


def finished(
    folder: Path, provider: Provider, code: int, environment: dict[str, str]
) -> Ran:
    """A program that ended well. One that a signal ended runs again in a process that is no other's child: to fork a
    process in which a library has threads may break what the child has of them."""
    if code < 0:
        with Provider(Answers()) as provider:
            code = run_alone(folder, provider.url, environment)
    error = (folder / "err").read_text("utf-8")[-3000:]
    assert code == 0, f"{folder.name} ended with {code}: {error}\n{provider.refusals}"
    return Ran(provider, (folder / "out").read_text("utf-8"))


def run_alone(folder: Path, address: str, environment: dict[str, str]) -> int:
    addresses = {"OPENAI_BASE_URL": address, "OPENAI_API_BASE": address}
    database = {"MEMVIZ_DB": str(folder / "memviz.db")}
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        return subprocess.run(
            [sys.executable, "-c", ALONE],
            cwd=folder,
            env=environment | addresses | database,
            stdout=out,
            stderr=err,
            timeout=280,
            check=False,
        ).returncode


def imported(source: str) -> set[str]:
    """The modules that a program imports at its top."""
    found = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def with_questions(source: str) -> str:
    """The program with the conversation's questions in place of its two."""
    assert source.count(QUESTIONS) == 1
    return source.replace(
        QUESTIONS, repr(tuple(question for question, _ in pairs(talked())))
    )


def wanted_of(id: str) -> Setting:
    return setting(
        id,
        parameters=SMALL.get(id, {}),
        system_prompt=SYSTEM_PROMPT,
        model=f"openai/{CHAT}",
        summarizer=f"openai/{SUMMARIZER}",
        repair_tool_pairs=True,
    )


def simulated(wanted: Setting, model: Any = None) -> list[list[tuple[str, str]]]:
    return [
        texts(sent)
        for _, sent in requests(talked(), wanted, model or ScriptedModel(numbered()))
    ]


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
"""Held in the default run; the others take half a minute together, and a library seconds to load."""
OF_EACH_KIND = ("window", "summary", "fifo_facts", "langchain_summarization")
"""A strategy without a summarizer, one that summarizes, one that takes notes, and one that is a library's own. That
each strategy is written as what it sends is held without a process of its own by the test of each target."""


def held_beside(target: str) -> Iterator[tuple[str, str]]:
    """The strategies of a target that are held beside those of the default run."""
    differing = tuple(id for other, id in sorted(DIFFERING) if other == target)[:1]
    known = with_code(target)
    for id in dict.fromkeys((*OF_EACH_KIND, *differing)):
        if id in known and (target != "plain_python" or id not in FIRST):
            yield target, id


# The programs of all libraries share one process that has loaded them. That of the Agents SDK has an environment of its
# own (.ci/run).
EVERY = {
    "first": [("plain_python", id) for id in FIRST],
    "openai_agents": [*held_beside("openai_agents")],
    "others": [
        pair
        for target in targets()
        if target != "openai_agents"
        for pair in held_beside(target)
    ],
}


@pytest.mark.parametrize(
    "group",
    [
        pytest.param(group, marks=() if group == "first" else pytest.mark.slow)
        for group in EVERY
    ],
)
def test_the_provider_takes_every_request_and_each_is_what_was_simulated(
    group: str, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    if group in PACKAGES and find_spec(PACKAGES[group]) is None:
        pytest.skip(f"{PACKAGES[group]} is not installed")
    held = [
        (target, id)
        for target, id in EVERY[group]
        if find_spec(PACKAGES.get(target, "memviz"))
    ]
    folders = [tmp_path / f"{target}-{id}" for target, id in held]
    for (target, id), folder in zip(held, folders, strict=True):
        folder.mkdir()
        program = with_questions(program_of(target, wanted_of(id), folder))
        (folder / "exported.py").write_text(program, encoding="utf-8")
    for (target, id), ran in zip(held, run_programs(folders), strict=True):
        with subtests.test(f"{target} {id}"):
            check(target, id, ran)


def check(target: str, id: str, ran: Ran) -> None:
    """Hold what a program asked of its provider against the replay."""
    wanted, provider = wanted_of(id), ran.provider
    assert provider.refusals == []
    sent = provider.asked_of(CHAT)
    assert len(sent) == TURNS
    assert [one[0] for one in sent] == [("system", SYSTEM_PROMPT)] * TURNS
    assert pairs(talked())[-1][1].split("\n")[0] in ran.printed
    if (target, id) in DIFFERING:
        assert "# Where it differs" in targets()[target].write(wanted)
    elif id != "langchain_summarization" or target != "langchain_middleware":
        assert sent == simulated(wanted)
    acts = id == "fifo_facts" or any(
        record.compactions
        for record in memviz.replay(
            talked(),
            wanted.strategy,
            model=ScriptedModel(numbered()),
            system_prompt=SYSTEM_PROMPT,
        ).requests
    )
    if wanted.strategy.writes_notes and acts:
        assert provider.asked_of(SUMMARIZER), (
            "the model that the header names writes the summaries"
        )
