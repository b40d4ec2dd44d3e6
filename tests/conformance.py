"""How often a strategy sends what the library sends that it was made after: the table of docs/conformance.md.

    python -m tests.conformance [--conversations 300] [--library strands-agents]

The judges are the properties of the test suite, which hold every run of the suite to the library that is installed.
Here each tries many more random conversations, and goes on after one that differs. A library that is not installed here
is run in an environment of its own, which is made over this one and kept in the user's folder of caches.
"""

from __future__ import annotations

import argparse
import functools
import json
import logging
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, settings

from memviz.dashboard.guide.strategies import strategy_pages
from tests.peers.environments import run_in_its_environment
from tests.peers.judging import KNOWN

PAGE = Path(__file__).parents[1] / "docs" / "conformance.md"
CONVERSATIONS = 300
OWN = "a slow reference of memviz's own"


class Judge(NamedTuple):
    """A property that holds a strategy to a library, or where none runs without a network to a slow reference."""

    strategy: str
    package: str
    module: str
    test: str
    rule: str = ""
    """The object of the library, where it has several."""

    @property
    def name(self) -> str:
        """The library and its version."""
        if not self.package:
            return OWN
        try:
            return f"{self.package} {version(self.package)}"
        except PackageNotFoundError:
            return f"{self.package}, not installed"


def judges_of(package: str, module: str, *rules: tuple[str, str, str]) -> list[Judge]:
    """The judges of a library: of each the strategy, the test and the library's object."""
    return [
        Judge(strategy, package, f"peers.{module}", test, rule)
        for strategy, test, rule in rules
    ]


AGREES = "test_agrees_with_the_reference"
LANGCHAIN = "test_each_request_is_what_langchain_sends"
JUDGES = [
    Judge("threshold_summary", "langchain", "strategies.test_threshold_summary", LANGCHAIN),
    Judge("clear_tool_results", "langchain", "strategies.test_clear_tool_results", LANGCHAIN),
    Judge("langchain_summarization", "langchain", "strategies.test_langchain_summarization",
          "test_requests_and_prompts_are_those_of_an_agent"),
    Judge("langchain_context_editing", "langchain", "strategies.test_langchain_context_editing",
          "test_requests_are_those_of_an_agent"),
    Judge("chat_summary_buffer", "llama-index-core", "peers.test_llamaindex",
          "test_same_messages_kept_and_same_messages_summarized"),
    Judge("llama_index", "llama-index-core", "strategies.test_llama_index",
          "test_a_summary_buffer_sends_and_asks_what_it_gives_without_memviz", "ChatSummaryMemoryBuffer"),
    Judge("llama_index", "llama-index-core", "strategies.test_llama_index",
          "test_a_memory_sends_and_asks_what_it_gives_without_memviz", "Memory with FactExtractionMemoryBlock"),
    Judge("fifo_facts", "llama-index-core", "strategies.test_fifo_facts",
          "test_sends_and_asks_what_llama_index_does"),
    Judge("head_and_tail", "autogen-core", "strategies.test_head_and_tail", "test_sends_what_autogen_sends"),
    *judges_of("pydantic-ai-harness", "test_pydantic_ai_harness",
               ("pipeline", "test_sliding_window", "SlidingWindowCompaction"),
               ("pipeline", "test_clearing", "ClearToolResults"),
               ("pipeline", "test_older_reads", "DeduplicateFileReads"),
               ("pipeline", "test_summarizing", "SummarizingCompaction"),
               ("pipeline", "test_tiers", "TieredCompaction of both")),
    *judges_of("agent-framework-core", "test_agent_framework",
               ("pipeline", "test_summarization", "SummarizationStrategy"),
               ("pipeline", "test_truncation", "TruncationStrategy"),
               ("window", "test_sliding_window", "SlidingWindowStrategy")),
    *judges_of("strands-agents", "test_strands",
               ("pipeline", "test_summarizing", "SummarizingConversationManager"),
               ("window", "test_sliding_window", "SlidingWindowConversationManager")),
    *judges_of("pydantic-ai-harness", "test_pydantic_ai_harness",
               ("pydantic_ai_compaction", "test_an_agent_sends_the_same", "an agent with ClearToolResults")),
    *judges_of("agent-framework-core", "test_agent_framework",
               ("agent_framework_compaction", "test_a_chat_client_sends_the_same", "a chat client with each strategy")),
    *judges_of("strands-agents", "test_strands",
               ("strands_managers", "test_an_agent_sends_the_same", "an agent with SummarizingConversationManager")),
    *judges_of("deepagents", "test_deepagents",
               ("pipeline", "test_cuts_and_summarizes", "SummarizationMiddleware with cut arguments"),
               ("pipeline", "test_summarizes", "SummarizationMiddleware")),
    *judges_of("langmem", "test_langmem", ("pipeline", "test_summarizes", "summarize_messages")),
    *judges_of("openai-agents", "test_openai_agents", ("pipeline", "test_trims", "ToolOutputTrimmer")),
    *judges_of("google-adk", "test_google_adk",
               ("pipeline", "test_keeps_invocations", "ContextFilterPlugin"),
               ("pipeline", "test_removes_several", "ContextFilterPlugin with remove_amount"),
               ("pipeline", "test_events_past_a_threshold", "EventsCompactionConfig with token_threshold"),
               ("summary_only", "test_events_of_each_turn", "EventsCompactionConfig with compaction_interval")),
    *judges_of("inspect-ai", "test_inspect_ai",
               ("pipeline", "test_edit", "CompactionEdit"),
               ("pipeline", "test_summary", "CompactionSummary")),
    *judges_of("semantic-kernel", "test_semantic_kernel",
               ("pipeline", "test_truncation", "ChatHistoryTruncationReducer"),
               ("pipeline", "test_summarization", "ChatHistorySummarizationReducer")),
    *judges_of("mem0ai", "test_mem0",
               ("facts_store", "test_finds_what_mem0_finds", "Memory.search"),
               ("facts_store", "test_shows_who_extracts_what_mem0_shows", "Memory.add")),
    Judge("buffer", "", "strategies.test_buffer", AGREES),
    Judge("window", "", "strategies.test_window", AGREES),
    Judge("token_buffer", "", "strategies.test_token_buffer", AGREES),
    Judge("recent_only", "", "strategies.test_recent_only", AGREES),
    Judge("summary", "", "strategies.test_summary", AGREES),
    Judge("summary_buffer", "", "strategies.test_summary_buffer", AGREES),
    Judge("chat_summary_buffer", "", "strategies.test_chat_summary_buffer", AGREES),
    Judge("summary_only", "", "strategies.test_summary_only", AGREES),
    Judge("clear_tool_results", "", "strategies.test_clear_tool_results", "test_each_request_is_what_the_rule_says"),
    Judge("hand_off", "", "strategies.test_hand_off", "test_sends_what_the_slow_reference_sends"),
    Judge("pipeline", "", "strategies.test_pipeline", "test_sends_what_the_slow_reference_sends"),
    Judge("retrieval", "", "strategies.test_retrieval", "test_finds_what_the_slow_reference_finds"),
    Judge("working_memory", "", "strategies.test_working_memory", AGREES),
    Judge("observations", "", "strategies.test_observations", AGREES),
    Judge("importance", "", "strategies.test_importance", AGREES),
    Judge("summary_tree", "", "strategies.test_summary_tree", AGREES),
    Judge("memory_blocks", "", "strategies.test_memory_blocks", AGREES),
    Judge("fact_graph", "", "strategies.test_fact_graph", "test_tells_what_the_slow_reference_tells"),
    Judge("facts_store", "", "strategies.test_facts_store", "test_tells_what_the_slow_reference_tells"),
]  # fmt: skip


class Verdict(NamedTuple):
    """The conversations that were ``compared``, how many of them came out ``equal``, and why others did not, as far as
    that is known, with their numbers."""

    judged: str
    """The library with its version."""
    compared: int
    equal: int
    known: dict[str, int]


def verdict_of(judge: Judge, conversations: int) -> Verdict | None:
    """Let a judge try so many random conversations; ``None`` where its library is not installed."""
    try:
        test = getattr(import_module(f"tests.{judge.module}"), judge.test)
    except pytest.skip.Exception:
        return None
    found: Counter[str] = Counter()
    known: Counter[str] = Counter()
    inner = test.hypothesis.inner_test
    test.hypothesis.inner_test = _counted(inner, found, known)
    try:
        settings(
            max_examples=conversations,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
        )(test)()
    finally:
        test.hypothesis.inner_test = inner
    return Verdict(judge.name, found["compared"], found["equal"], dict(known))


def _counted(
    inner: Callable[..., Any], found: Counter[str], known: Counter[str]
) -> Callable[..., Any]:
    """The judge, which counts and goes on. An example that it passes over, for it is none, is not counted."""

    @functools.wraps(inner)
    def judged(*args: Any, **values: Any) -> None:
        KNOWN.clear()
        try:
            inner(*args, **values)
        except AssertionError:
            found["compared"] += 1
            return
        found["compared"] += 1
        found["equal"] += not KNOWN
        known.update(KNOWN)

    return judged


def verdicts_of(judges: list[Judge], conversations: int) -> list[Verdict | None]:
    """The verdicts of all judges, those of libraries that are not installed here from an environment of their own."""
    found: list[Verdict | None] = []
    elsewhere: dict[str, list[Any]] = {}
    for judge in judges:
        verdict = verdict_of(judge, conversations)
        if verdict is None:
            if judge.package not in elsewhere:
                elsewhere[judge.package] = run_in_its_environment(
                    judge.package, conversations
                )
            told = elsewhere[judge.package].pop(0)
            verdict = None if told is None else Verdict(*told)
        found.append(verdict)
    return found


def page(conversations: int) -> str:
    """The page, with every judge's verdict."""
    rows = [
        "| strategy | held against | conversations | equal | known to differ |",
        "|---|---|---|---|---|",
    ]
    reasons = []
    for judge, verdict in zip(JUDGES, verdicts_of(JUDGES, conversations), strict=True):
        if verdict is None:
            rows.append(
                f"| `{judge.strategy}` | {judge.name} | not installed here | | |"
            )
            continue
        known = sum(verdict.known.values())
        object = f", {judge.rule}" if judge.rule else ""
        rows.append(
            f"| `{judge.strategy}` | {verdict.judged}{object} | {verdict.compared:,} | {verdict.equal:,} | {known:,} |"
        )
        reasons += _reasons(judge, verdict)
    return "\n".join(
        [_HEAD, *rows, "", _SEEN, *reasons, "", _ON_PURPOSE, *_differences()]
    )


def _reasons(judge: Judge, verdict: Verdict) -> list[str]:
    """A line that says why conversations came out otherwise, if some did."""
    if not verdict.known:
        return []
    told = [f"{why} ({number:,})" for why, number in sorted(verdict.known.items())]
    return [f"- **{verdict.judged}**, {judge.rule}: {'; '.join(told)}."]


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

A pipeline is held against a library whose rule its steps say: before each request the library's own object is given
the same messages, one by one, with memviz's counter of contents and memviz's summarizer. How each words its summary,
and where a library counts it, is left out. An input is always sent, by the library's object too. A conversation is
*known to differ* where the requests differ and it has what is named below for that library: anything else fails the
test. Strategies that run a library here are those objects themselves, so they are held against what the library does
without memviz, as in an agent of its own.

A store of facts is held against mem0's with a scripted model: of each turn both are given the same facts, and compared
is what each finds for a question, and what it shows to who extracts. mem0's vectors are here the stems of a text, so
that memories are near if they share a word: those that it has for tests give every text the same vector, and everything
is as near as everything else. Without spaCy and fastembed, which no extra of memviz brings, it searches by vectors
alone, as it does for whoever installs nothing but mem0.

The test suite holds this at every run with fewer conversations. This table was made by

```sh
.venv/bin/python -m tests.conformance
```

Libraries that live together with memviz's dependencies come with `pip install -e '.[dev,peers]'`. For each of the
others the command makes an environment over the one that it runs in, in the folder of caches, and uses it again.
`--library strands-agents` runs one of them and prints its verdicts.
"""
_SEEN = """## What is known to differ

What a library does in its own way stays its own way, under its name: nothing here corrects it.
"""
_ON_PURPOSE = """## What strategies do otherwise on purpose

It is taken into account where they are compared:
"""


def main() -> None:
    """Write the page, or print the verdicts of one library as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=CONVERSATIONS)
    parser.add_argument("--library", choices=sorted({j.package for j in JUDGES} - {""}))
    parser.add_argument("--here", action="store_true", help="make no environment")
    given = parser.parse_args()
    logging.disable(logging.CRITICAL)  # libraries log each summary that failed
    if given.library is None:
        PAGE.write_text(f"{page(given.conversations)}\n", encoding="utf-8")
        return
    judges = [judge for judge in JUDGES if judge.package == given.library]
    if given.here:
        verdicts = [verdict_of(judge, given.conversations) for judge in judges]
    else:
        verdicts = verdicts_of(judges, given.conversations)
    print(json.dumps(verdicts, indent=None if given.here else 2))


if __name__ == "__main__":
    main()
