"""How often a strategy sends what the library sends that it was made after: the table of docs/conformance.md.

    python -m tests.conformance [--conversations 300]

The judges are the properties of the test suite, which hold every run of the suite to the library that is installed.
Here each tries many more random conversations, and goes on after one that differs.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from memviz.dashboard.guide.strategies import strategy_pages

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
CONVERSATIONS = 300
OWN = "a slow reference of memviz's own"


class Judge(NamedTuple):
    """A property that holds a strategy to a library, or where none runs without a network to a slow reference."""

    strategy: str
    package: str
    module: str
    test: str

    @property
    def name(self) -> str:
        """The library and its version."""
        if not self.package:
            return OWN
        try:
            return f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            return f"{self.package}, not installed"


AGREES = "test_agrees_with_the_reference"
LANGCHAIN = "test_each_request_is_what_langchain_sends"
JUDGES = [
    Judge("threshold_summary", "langchain", "strategies.test_threshold_summary", LANGCHAIN),
    Judge("clear_tool_results", "langchain", "strategies.test_clear_tool_results", LANGCHAIN),
    Judge("langchain_summarization", "langchain", "strategies.test_langchain_summarization",
          "test_requests_and_prompts_are_those_of_an_agent"),
    Judge("chat_summary_buffer", "llama-index-core", "peers.test_llamaindex",
          "test_same_messages_kept_and_same_messages_summarized"),
    Judge("fifo_facts", "llama-index-core", "strategies.test_fifo_facts",
          "test_sends_and_asks_what_llama_index_does"),
    Judge("head_and_tail", "autogen-core", "strategies.test_head_and_tail", "test_sends_what_autogen_sends"),
    Judge("buffer", "", "strategies.test_buffer", AGREES),
    Judge("window", "", "strategies.test_window", AGREES),
    Judge("token_buffer", "", "strategies.test_token_buffer", AGREES),
    Judge("recent_only", "", "strategies.test_recent_only", AGREES),
    Judge("summary", "", "strategies.test_summary", AGREES),
    Judge("summary_buffer", "", "strategies.test_summary_buffer", AGREES),
    Judge("chat_summary_buffer", "", "strategies.test_chat_summary_buffer", AGREES),
    Judge("summary_only", "", "strategies.test_summary_only", AGREES),
    Judge("clear_tool_results", "", "strategies.test_clear_tool_results", "test_each_request_is_what_the_rule_says"),
    Judge("pipeline", "", "strategies.test_pipeline", "test_sends_what_the_slow_reference_sends"),
    Judge("retrieval", "", "strategies.test_retrieval", "test_finds_what_the_slow_reference_finds"),
    Judge("working_memory", "", "strategies.test_working_memory", AGREES),
    Judge("observations", "", "strategies.test_observations", AGREES),
    Judge("facts_store", "", "strategies.test_facts_store", "test_tells_what_the_slow_reference_tells"),
]  # fmt: skip


class Verdict(NamedTuple):
    """The conversations that were ``compared``, and how many of them came out ``equal``."""

    compared: int
    equal: int


def verdict_of(judge: Judge, conversations: int) -> Verdict | None:
    """Let a judge try so many random conversations; ``None`` where its library is not installed."""
    try:
        test = getattr(import_module(f"tests.{judge.module}"), judge.test)
    except pytest.skip.Exception:
        return None
    found = {"compared": 0, "equal": 0}
    inner = test.hypothesis.inner_test
    test.hypothesis.inner_test = _counted(inner, found)
    try:
        settings(
            max_examples=conversations,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(test)()
    finally:
        test.hypothesis.inner_test = inner
    return Verdict(**found)


def _counted(inner: Callable[..., Any], found: dict[str, int]) -> Callable[..., Any]:
    """The judge, which counts and goes on. An example that it passes over, for it is none, is not counted."""

    @functools.wraps(inner)
    def judged(*args: Any, **values: Any) -> None:
        try:
            inner(*args, **values)
        except AssertionError:
            found["compared"] += 1
            return
        found["compared"] += 1
        found["equal"] += 1

    return judged


def page(conversations: int) -> str:
    """The page, with every judge's verdict."""
    rows = ["| strategy | held against | conversations | equal |", "|---|---|---|---|"]
    for judge in JUDGES:
        verdict = verdict_of(judge, conversations)
        told = (
            "not installed here | "
            if verdict is None
            else f"{verdict.compared:,} | {verdict.equal:,}"
        )
        rows.append(f"| `{judge.strategy}` | {judge.name} | {told} |")
    return (
        f"{_HEAD}\n" + "\n".join(rows) + f"\n\n{_BEHIND}\n" + "\n".join(_differences())
    )


def _differences() -> list[str]:
    """What each strategy says of itself about where it differs."""
    judged = {judge.strategy for judge in JUDGES if judge.package}
    found = []
    for id, one in strategy_pages().items():
        told = [text for text in one.details if "ifferen" in text and id in judged]
        found += [f"- **{one.title}** (`{id}`): {text}" for text in told]
    return found


_HEAD = """# Conformance

Where a library has the same rule as a strategy, the two are run side by side over random conversations: tool loops,
late system messages, several messages of the user in a row, empty ones, names, Chinese. Equal means that every request
of a conversation holds the same messages in the same order, and that the summarizer was asked the same. A strategy
without such a library is held against a slow reference, which follows its rule message by message.

The test suite holds this at every run with fewer conversations. This table was made by

```sh
.venv/bin/python -m tests.conformance
```
"""
_BEHIND = """## Known differences

What a strategy does otherwise on purpose is taken into account where it is compared:
"""


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    text = page(parser.parse_args().conversations)
    PAGE.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
