"""Runs with facts for the tests of charts."""

from __future__ import annotations

from collections.abc import Sequence

import memviz
from memviz import Message, ModelError, Probe, Run, ScriptedModel
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.retention.result import RetentionResult
from memviz.metrics.retention.life_lines import life_lines, list_fact_losses
from memviz.metrics.retention.probe_texts import ProbeTexts
from memviz.metrics.retention.retention import retention
from tests.dashboard.charts.runs import MARKUP

BUDGET = Probe(
    "What is the budget?",
    ("3,600 euros", "3,600"),
    (4,),
    "updated fact",
    ("3,000 euros",),
)
CODE = Probe("What is the code?", ("QX7R4M",), (2,), "single fact")
NAME = Probe("Who is the host?", ("Odete",), (0,), "name")
FACTS = (BUDGET, CODE, NAME)
SAID = (
    "Our host is Odete. The budget is 3,000 euros.", "Noted.", "The code is QX7R4M.", "Fine.",
    "Now the budget is 3,600 euros.", "Good.", "Anything else?", "No.", "Fine?", "Yes.",
    "Again: the code is QX7R4M.", "Bye.", "Really.", "Yes, bye.",
)  # fmt: skip
SUMMARIES = (
    "Odete is the host.",
    "Odete, code QX7R4M.",
    "Budget 3,600 euros, code QX7R4M.",
    "Nothing.",
    "Nothing.",
)


def run_with_facts(
    id: str = "summary", script: Sequence[str | ModelError] = SUMMARIES, **options: int
) -> Run:
    """A conversation of seven turns that states a host, a code and a budget, and updates the budget."""
    messages = [
        Message(("user", "assistant")[n % 2], text) for n, text in enumerate(SAID)
    ]
    strategy = memviz.strategy(
        id, **(options or ({"buffer_size": 1} if id == "summary" else {}))
    )
    return memviz.replay(
        messages,
        strategy,
        model=ScriptedModel([*script, *["Nothing."] * 20]),
        counter="chars4",
    )


def kept(
    run: Run,
    probes: tuple[Probe, ...] = FACTS,
    label: str = "a setting",
    index: int = 0,
) -> RetentionResult:
    """What the run kept of the probes."""
    texts = ProbeTexts(run.log, probes)
    found = retention(run, probes, texts)
    lives = life_lines(run, found, texts)
    return RetentionResult(
        SettingRun(run, label, index),
        found,
        lives,
        list_fact_losses(run, found, lives, texts),
    )


def kept_of_markup() -> RetentionResult:
    """One whose facts, messages, summaries, errors and label are full of markup."""
    messages = [
        Message(("user", "assistant")[n % 2], f"{n} fact{n} {MARKUP}")
        for n in range(12)
    ]
    probes = tuple(
        Probe(f"{MARKUP} {n}", (f"fact{n} {MARKUP}",), (n,), "name")
        for n in range(0, 12, 2)
    )
    script = [MARKUP, ModelError(MARKUP), *[MARKUP * 3] * 9]
    run = memviz.replay(
        messages,
        memviz.strategy("summary", buffer_size=1),
        model=ScriptedModel(script),
        counter="chars4",
    )
    return kept(run, probes, MARKUP)
