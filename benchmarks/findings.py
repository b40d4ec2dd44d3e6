"""The numbers of docs/findings.md: which setting wins when, over four bundled conversations.

    python -m benchmarks.findings

The same sweep is priced in several ways; nothing is measured twice. The built-in model writes the summaries, tokens
are counted with o200k_base.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

from benchmarks import stand_in
from benchmarks.measured import measured_conversations
from memviz import (
    Run,
    Sweep,
    recordings,
    replay,
    retention,
    strategies,
    strategy,
    sweep,
)
from memviz.core.text.wording import dollars
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.retention.survival import Agreement, compare_retentions
from memviz.metrics.summaries.events import count_sent_summary_tokens
from memviz.models.names import DEFAULT_MODEL
from memviz.strategies.base import Trigger
from memviz.transcripts.samples import bundled
from memviz.tuning.pricing_assumptions import PricingAssumptions

GRID = {
    "buffer": {},
    "window": {"window_size": [4, 6, 10, 20, 40, 80]},
    "head_and_tail": {"tail_size": [4, 10, 20, 40]},
    "token_buffer": {"max_tokens": [500, 1000, 2000, 4000, 8000]},
    "summary": {"buffer_size": [2, 4, 8, 16, 32]},
    "summary_buffer": {"max_token_limit": [250, 500, 1000, 2000, 4000, 8000]},
    "chat_summary_buffer": {"token_limit": [1000, 2000, 4000, 8000]},
    "recent_only": {"recent_rounds": [2, 4, 8]},
    "fifo_facts": {"token_limit": [1000, 2000, 4000, 8000]},
    "summary_only": {},
    "threshold_summary": {"trigger_tokens": [2000, 4000, 8000]},
}
LEFT_OUT = {
    "clear_tool_results": "three of the conversations have no tools, and results of the fourth are short",
    "langchain_summarization": "it is the rule of threshold_summary",
    "langchain_context_editing": "it is the rule of clear_tool_results",
    "llama_index": "it runs a library, whose rules chat_summary_buffer and fifo_facts have",
    "strands_managers": "it runs a library, and a pipeline has its rule",
    "agent_framework_compaction": "it runs a library, and a pipeline has its rule",
    "pydantic_ai_compaction": "it runs a library, and a pipeline has its rule",
    "hand_off": "without a block that nobody can read it is a summary buffer, with the user's messages beside it",
    "pipeline": "its steps are those of one program",
    "retrieval": "what it sends depends on the question",
    "facts_store": "what it sends depends on the question",
    "importance": "its score is one of many that can be had",
    "summary_tree": "the conversations are too short for more than two of its levels",
    "fact_graph": "what it sends depends on the question",
    "memory_blocks": "what it sends depends on the question",
    "observations": "its observations are what the built-in model quotes, as the lines of fifo_facts are",
    "working_memory": "a form is filled in by a model, and the built-in model fills in none",
}
CLAUDE, MINI = "anthropic/claude-sonnet-4-5", "openai/gpt-5-mini"
MINUTE, TEN_MINUTES = 60.0, 600.0


class Case(NamedTuple):
    """What somebody asks for, and on which terms."""

    keep: float
    peak_tokens: int | None
    model: str
    pause_seconds: float


CASES = [
    Case(keep, peak, model, pause)
    for model in (CLAUDE, MINI)
    for pause in (MINUTE, TEN_MINUTES)
    for keep, peak in ((0.9, None), (0.9, 8000), (0.7, 6000), (0.5, 3000))
]


def money(usd: float) -> str:
    """Dollars to three digits."""
    return dollars(float(f"{usd:.3g}"))


def measured() -> Sweep:
    """Every setting over every conversation."""
    return sweep([transcript for _, transcript in measured_conversations()], GRID)


def winners(found: Sweep) -> Iterator[str]:
    """The recommended setting of each case."""
    yield "| prices of, pause | keep at least | largest request | take | keeps (worst) | costs | without the cache |"
    yield "|---|---|---|---|---|---|---|"
    for case in CASES:
        priced = found.priced(
            PricingAssumptions.of(case.model, pause_seconds=case.pause_seconds)
        )
        best = priced.best(case.keep, case.peak_tokens)
        limit = "any" if case.peak_tokens is None else f"{case.peak_tokens:,} tokens"
        asked = f"| {case.model}, {case.pause_seconds / 60:.0f} min | {case.keep:.0%} | {limit} "
        if best.setting is None or best.row is None:
            yield f"{asked}| none does | | | |"
            continue
        worst = priced.by_setting("worst").set_index("setting").loc[best.row["setting"]]
        keeps = f"{best.row['retention']:.0%} ({worst['retention']:.0%})"
        costs = f"{money(best.row['usd'])} | {money(best.row['uncached_usd'])}"
        yield f"{asked}| {best.setting.label} | {keeps} | {costs} |"


def fronts(found: Sweep, model: str, pause_seconds: float) -> Iterator[str]:
    """The settings that no other one beats, on one set of terms."""
    yield "| setting | keeps | costs | read from the cache | largest request | summarizations |"
    yield "|---|---|---|---|---|---|"
    priced = found.priced(PricingAssumptions.of(model, pause_seconds=pause_seconds))
    for row in priced.pareto().to_dict("records"):
        yield (
            f"| {row['label']} | {row['retention']:.0%} | {money(row['usd'])} | {row['hit_rate']:.0%} | "
            f"{row['peak_tokens']:,.0f} | {row['summarizations']:,.0f} |"
        )


def by_strategy(found: Sweep, model: str, at_least: float) -> Iterator[str]:
    """The cheapest setting of each strategy that keeps enough, at a short and at a long pause."""
    yield "| strategy | 1 min between turns | keeps | costs | 10 min between turns | keeps | costs |"
    yield "|---|---|---|---|---|---|---|"
    tables = [
        found.priced(PricingAssumptions.of(model, pause_seconds=pause)).by_setting()
        for pause in (MINUTE, TEN_MINUTES)
    ]
    for id in GRID:
        cells = []
        for table in tables:
            own = table[table["strategy"] == id]
            fitting = own[own["retention"] >= at_least - 1e-9].sort_values("usd")
            if fitting.empty:
                cells.append(f"none keeps more than {own['retention'].max():.0%} | | ")
            else:
                row = fitting.iloc[0]
                cells.append(
                    f"{row['label']} | {row['retention']:.0%} | {money(row['usd'])} "
                )
        yield f"| {strategies()[id].title} | {'| '.join(cells)}|"


KINDS = ("rule", "constraint", "name", "number", "single fact", "updated fact")
KIND_SETTINGS = (
    strategy("window", window_size=10),
    strategy("token_buffer", max_tokens=2000),
    strategy("summary_buffer", max_token_limit=1000, summary_words=120),
    strategy("chat_summary_buffer", token_limit=2000, summary_words=120),
    strategy("threshold_summary", trigger_tokens=2000, keep_messages=6, summary_words=120),
    strategy("hand_off", trigger_tokens=2000, keep_user_tokens=500, summary_words=120),
    strategy("fifo_facts", token_limit=2000),
    strategy("retrieval"),
)  # fmt: skip
"""Of about the same size."""


def by_kind() -> Iterator[str]:
    """How many facts of each kind the last request of each conversation knows."""
    yield "| setting | " + " | ".join(f"{kind}s" for kind in KINDS) + " |"
    yield "|---|" + "---|" * len(KINDS)
    transcripts = list(bundled().values())
    texts_of_each = [stand_in.texts_of(transcript) for transcript in transcripts]
    for setting in KIND_SETTINGS:
        known: Counter[str] = Counter()
        stated: Counter[str] = Counter()
        for transcript, texts in zip(transcripts, texts_of_each, strict=True):
            run = replay(transcript, setting)
            kept = retention(run, transcript.probes, texts)
            for number, probe in enumerate(transcript.probes):
                stated[probe.category] += int(kept.judged[-1, number])
                known[probe.category] += int(kept.retained[-1, number])
        cells = " | ".join(f"{known[kind]} of {stated[kind]}" for kind in KINDS)
        yield f"| {setting.label} | {cells} |"


def against_recorded() -> Iterator[str]:
    """What the built-in model keeps at the last request, beside what a language model kept, as it was recorded."""
    columns = (
        "conversation, setting, facts, recorded, built-in model, both, agree, tokens recorded, tokens built-in model, "
        "costs recorded, costs built-in model"
    )
    yield f"| {columns.replace(', ', ' | ')} |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    rows = compared()
    for name, runs, found in rows:
        tokens = " | ".join(
            f"{count_sent_summary_tokens(run.turns[-1]):,}" for run in runs
        )
        costs = " | ".join(money(usd_of(run)) for run in runs)
        yield f"| {name} | {runs[0].strategy.label} {_agreed(found)} | {tokens} | {costs} |"
    recorded, own = costs_in_all([runs for _, runs, _ in rows])
    total = _agreed(total_agreement([found for _, _, found in rows]))
    yield f"| all five | {total} | | | {money(recorded)} | {money(own)} |"


def usd_of(run: Run) -> float:
    """What a run costs at the default prices and pause, the summarizer priced as the chat model."""
    usd = PricingAssumptions.of(DEFAULT_MODEL).cost(count_traffic(run)).total_usd
    assert usd is not None, "the price of the default model is known"
    return usd


def costs_in_all(pairs: Sequence[Sequence[Run]]) -> tuple[float, float]:
    """What the runs with recorded summaries cost together, and those with the built-in model's."""
    recorded, own = zip(*pairs, strict=True)
    return sum(map(usd_of, recorded)), sum(map(usd_of, own))


@cache
def compared() -> list[tuple[str, list[Run], Agreement]]:
    """Every recorded setting that summarizes: the conversation, the runs by the recorded model and by the offline one,
    and the facts that both keep."""
    found = []
    for name, recording in recordings().items():
        if (
            recording.about.only_by_name
        ):  # of a second model, over a conversation of another name
            continue
        transcript = bundled()[name]
        texts = stand_in.texts_of(transcript)
        for setting in recording.settings.values():
            chosen = {**setting.strategy}
            asked = strategy(chosen.pop("id"), **chosen)
            if asked.trigger is not Trigger.NEVER:
                runs = [
                    replay(transcript, asked, model=model)
                    for model in (f"recording:{name}", "offline")
                ]
                kept = [retention(run, transcript.probes, texts) for run in runs]
                found.append((name, runs, compare_retentions(*kept)))
    return found


def total_agreement(parts: Sequence[Agreement]) -> Agreement:
    """Return the agreement over the facts of all ``parts``."""
    return Agreement(
        both=sum(part.both for part in parts),
        only_one=sum(part.only_one for part in parts),
        only_other=sum(part.only_other for part in parts),
        neither=sum(part.neither for part in parts),
    )


def _agreed(found: Agreement) -> str:
    return f"| {found.facts} | {found.one} | {found.other} | {found.both} | {found.share:.0%}"


def tables() -> dict[str, str]:
    """Every table of the page, by the name of its place there."""
    found = measured()
    made = {
        "winners": winners(found),
        "front-1-min": fronts(found, CLAUDE, MINUTE),
        "front-10-min": fronts(found, CLAUDE, TEN_MINUTES),
        "strategies": by_strategy(found, CLAUDE, 0.7),
        "kinds": by_kind(),
        "built-in-model": stand_in.table(),
        "against-recorded": against_recorded(),
    }
    return {name: "\n".join(lines) for name, lines in made.items()}


def main() -> None:
    for name, table in tables().items():
        print(f"\n<!-- {name} -->\n\n{table}")


if __name__ == "__main__":
    main()
