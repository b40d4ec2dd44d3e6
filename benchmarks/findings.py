"""The numbers of docs/findings.md: which setting wins when, over the bundled conversations.

    python benchmarks/findings.py

The same sweep is priced in several ways; nothing is measured twice. The offline summarizer writes the summaries, tokens
are counted with o200k_base.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from memviz import Sweep, strategies, sweep
from memviz.metrics.cost_estimate import dollars
from memviz.transcripts.samples import bundled
from memviz.tuning.terms import Terms

GRID = {
    "buffer": {},
    "window": {"window_size": [4, 6, 10, 20, 40, 80]},
    "token_buffer": {"max_tokens": [500, 1000, 2000, 4000, 8000]},
    "summary": {"buffer_size": [2, 4, 8, 16, 32]},
    "summary_buffer": {"max_token_limit": [250, 500, 1000, 2000, 4000, 8000]},
    "chat_summary_buffer": {"token_limit": [1000, 2000, 4000, 8000]},
    "recent_only": {"recent_rounds": [2, 4, 8]},
    "summary_only": {},
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
    for keep, peak in ((0.9, None), (0.9, 8000), (0.75, 4000), (0.5, 2000))
]


def money(usd: float) -> str:
    """Dollars to three digits."""
    return dollars(float(f"{usd:.3g}"))


def measured() -> Sweep:
    """Every setting over every bundled conversation."""
    return sweep(list(bundled().values()), GRID)


def winners(found: Sweep) -> Iterator[str]:
    """The recommended setting of each case, judged by the worst conversation."""
    yield "| model, pause | keep at least | largest request | take | keeps | costs | largest | without the cache |"
    yield "|---|---|---|---|---|---|---|---|"
    for case in CASES:
        best = found.priced(Terms.of(case.model, pause_seconds=case.pause_seconds)).best(
            case.keep, case.peak_tokens, over="worst"
        )
        limit = "any" if case.peak_tokens is None else f"{case.peak_tokens:,}"
        asked = f"| {case.model}, {case.pause_seconds / 60:.0f} min | {case.keep:.0%} | {limit} "
        if best.setting is None or best.row is None:
            yield f"{asked}| none does | | | | |"
            continue
        row = best.row
        yield (
            f"{asked}| {best.setting.label} | {row['retention']:.0%} | {money(row['usd'])} | "
            f"{row['peak_tokens']:,.0f} | {money(row['uncached_usd'])} |"
        )


def fronts(found: Sweep, model: str, pause_seconds: float) -> Iterator[str]:
    """The settings that no other one beats, on one set of terms."""
    yield "| setting | keeps | costs | read from the cache | largest request | summarizations |"
    yield "|---|---|---|---|---|---|"
    priced = found.priced(Terms.of(model, pause_seconds=pause_seconds))
    for row in priced.pareto("median").to_dict("records"):
        yield (
            f"| {row['label']} | {row['retention']:.0%} | {money(row['usd'])} | "
            f"{row['hit_rate']:.0%} | {row['peak_tokens']:,.0f} | {row['summarizations']:,.0f} |"
        )


def by_strategy(found: Sweep, model: str, pause_seconds: float, at_least: float) -> Iterator[str]:
    """The cheapest setting of each strategy that keeps enough in the worst conversation."""
    yield "| strategy | cheapest setting that does | keeps | costs | largest request |"
    yield "|---|---|---|---|---|"
    table = found.priced(Terms.of(model, pause_seconds=pause_seconds)).by_setting("worst")
    for id in GRID:
        mine = table[(table["strategy"] == id) & (table["retention"] >= at_least - 1e-9)].sort_values("usd")
        if mine.empty:
            most = table[table["strategy"] == id]["retention"].max()
            yield f"| {strategies()[id].title} | none: at most {most:.0%} | | | |"
            continue
        row = mine.iloc[0]
        yield (
            f"| {strategies()[id].title} | {row['label']} | {row['retention']:.0%} | "
            f"{money(row['usd'])} | {row['peak_tokens']:,.0f} |"
        )


def main() -> None:
    found = measured()
    for title, lines in (
        ("Winners", winners(found)),
        ("Front, Claude, 1 min", fronts(found, CLAUDE, MINUTE)),
        ("Front, Claude, 10 min", fronts(found, CLAUDE, TEN_MINUTES)),
        ("Cheapest of each strategy, 75 %, Claude, 1 min", by_strategy(found, CLAUDE, MINUTE, 0.75)),
        ("Cheapest of each strategy, 75 %, Claude, 10 min", by_strategy(found, CLAUDE, TEN_MINUTES, 0.75)),
    ):
        print(f"\n## {title}\n")
        print("\n".join(lines))


if __name__ == "__main__":
    main()
