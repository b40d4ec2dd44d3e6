"""A design as sentences and a table of a terminal, and as JSON. Imported where it is used: --help has to answer at
once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from memviz.cli.output import new_table
from memviz.core.text.visible import put_on_one_line
from memviz.core.text.wording import counted, dollars, listed, share_of
from memviz.dashboard.words.prices import basis_in_words
from memviz.strategies.base import Strategy
from memviz.tuning.figures import USD
from memviz.tuning.recommendation import format_share

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from memviz.tuning.design import Design, MeasuredSetting
    from memviz.tuning.estimates import Estimate
    from memviz.tuning.figures import Figures
    from memviz.tuning.pricing_assumptions import PricingAssumptions

TERMS = {USD: "$ per 1,000 requests"}
"""Words for what is asked; kinds of facts are called as they are."""
EQUAL_SHARE = 0.0005
"""Costs and shares that lie nearer together are told as equal."""
MEANINGS = (
    ("clear tool results", "a few words stand in the place of what tools returned."),
    ("shorten", "of long texts the beginning and the end are sent."),
    ("offload", "of long results the beginning is sent, and a tool reads the rest."),
    ("cut arguments", "long arguments of calls are cut."),
    ("supersede", "of a file that was read again the older read is not sent."),
    ("drop thinking", "what the model thought is not sent."),
    ("drop", "the oldest messages are not sent any more."),
    ("summarize and check", "a summary, checked once, is sent for older messages."),
    ("summarize", "a summary is sent in the place of the oldest messages."),
    ("bring back", "this is sent again whole, behind the summary."),
)
"""By the beginning of a pipeline's step what it does to requests."""
# "0.2 of the window"
_SHARE_OF_WINDOW = re.compile(r"(0?\.\d+|1(?:\.0+)?) of the window")


def print_design(
    out: Console, design: Design, assumptions: PricingAssumptions, counter: str
) -> None:
    """Print the setting to take with its figures, then what each of its parts does and buys; or the nearest two."""
    best = design.best
    lines = []
    if best is None:
        out.print("No setting does what was asked. The nearest:", style="bold")
        for near in design.nearest:
            lines.append(f"{near.setting.label}: {missed_words(near.figures, design)}.")
    else:
        out.print(put_on_one_line(f"Take {best.setting.label}."), style="bold")
        out.print(_make_figures_table(design, best.figures))
        lines.append(verdict_sentence(design))
        if design.parts:
            lines += ["", "Part by part, as searched:"]
        for number, (part, without) in enumerate(design.parts, 1):
            lines.append(f"{number}. {explain_part(best.setting, part.line)}")
            lines.append(f"Without it: {_describe_changes(best.figures, without)}.")
    basis = basis_in_words(assumptions, counter)
    lines += ["", search_sentence(design)]
    if design.rules_read:
        lines.append(rules_sentence(design))
    lines += [*design.grounds.sentences, basis]
    for line in lines:
        out.print(put_on_one_line(line))


def explain_part(setting: Strategy, line: str) -> str:
    """Return what a part of a setting does: ``clear tool results at 640 tokens, keep 2 results: a few words stand in
    the place of what tools returned.``"""
    if not line:
        return setting.summary_line()
    window_tokens = setting.model_dump()["window_tokens"]

    def in_tokens(share: re.Match[str]) -> str:
        return f"{int(float(share[1]) * window_tokens):,} tokens"

    step = _SHARE_OF_WINDOW.sub(in_tokens, line)
    meanings = [means for begins, means in MEANINGS if line.startswith(begins)]
    return f"{step}: {meanings[0]}"


def search_sentence(design: Design) -> str:
    """Return how many settings were searched, over how many conversations, and how many were held out."""
    rounds = [f"{settings:,} over {size:,}" for settings, size in design.rounds]
    return (
        f"Searched: {counted(design.rounds[0].candidates, 'setting')} over "
        f"{counted(design.search_titles, 'conversation')}, by halves ({', '.join(rounds)}). Held out, and "
        f"measured once: {counted(design.holdout_titles, 'conversation')}."
    )


def rules_sentence(design: Design) -> str:
    """Return what the rules are that no file brought along."""
    return (
        f"The conversations searched state {counted(design.rules_read, 'rule')}: sentences with words such as never, "
        "always or from now on. A request holds a rule where it has that sentence, or one that says the same."
    )


def verdict_sentence(design: Design) -> str:
    """Return whether the setting does over the conversations held out what was asked."""
    holdout = design.holdout
    assert holdout is not None  # noqa: S101 - asked of a setting that was found
    where = "Over the conversations held out it"
    unstated = [kind for kind in design.terms.keep if kind not in holdout.kept]
    more = f" None of them states any {' or '.join(unstated)}." if unstated else ""
    if not design.is_held:
        missed = missed_words(holdout, design)
        return f"{where} does not do what was asked: {missed}.{more}"
    worse = holdout.misses(design.terms, leniency=-1)
    if worse:
        terms = listed(TERMS.get(term, term) for term in worse)
        more += f" They are too few to be sure of others: what is asked lies within the 95 % interval of {terms}."
    return f"{where} does what was asked.{more}"


def missed_words(figures: Figures, design: Design) -> str:
    """Return the terms that are missed, and what there is instead; or why the setting cannot be used."""
    if not figures.is_measured:
        return "it cannot be run, or nobody can tell what it keeps"
    if figures.refused_requests:
        refused = share_of(figures.refused_requests, figures.requests, "request")
        return f"a provider would refuse {refused}"
    words = []
    for term in figures.misses(design.terms):
        if term == USD:
            limit = dollars(design.terms.usd_per_1000)
            usd = dollars(figures.usd_per_1000.value)
            words.append(f"1,000 requests cost {usd}, not {limit}")
        else:
            limit = format_share(design.terms.keep[term])
            share = format_share(
                figures.kept[term].value, beside=design.terms.keep[term]
            )
            words.append(f"{share} of {term} are kept, not {limit}")
    return listed(words)


def found_words(design: Design) -> str:
    """Return where the setting was found and what it showed, for the head of exported files."""
    assert design.holdout is not None  # noqa: S101 - asked of a setting that was found
    figures = [f"{_usd_words(design.holdout.usd_per_1000)} per 1,000 requests"]
    for kind, share in design.holdout.kept.items():
        figures.append(f"{_share_words(share)} of {kind} kept")
    return (
        f"{', '.join(figures)}, with 95 % intervals, over {counted(design.holdout.conversations, 'conversation')} "
        f"that were held out of the search over {counted(design.search_titles, 'conversation')}."
    )


def as_plain(value: Any) -> Any:
    """Return a design, or any value in it, as JSON has it; a bound that is not known is ``None``."""
    if isinstance(value, Strategy):
        parameters = value.model_dump()
        label = value.code_label
        return {"strategy": value.id, "label": label, "parameters": parameters}
    if is_dataclass(value):
        values = {item.name: getattr(value, item.name) for item in fields(value)}
        return as_plain(values)
    if isinstance(value, Mapping):
        return {name: as_plain(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [as_plain(item) for item in value]
    if isinstance(value, float) and not isfinite(value):
        return None
    return value


def _make_figures_table(design: Design, searched: Figures) -> Table:
    """A row a term: what was asked, what everything would give, the figure of the search, and that of the holdout with
    its interval."""
    held_out = design.holdout
    assert held_out is not None  # noqa: S101 - asked of a setting that was found
    columns = ("", "asked", "everything", "searched", "held out (95 % interval)")
    table = new_table(*columns, right=columns[1:])
    table.add_row(
        TERMS[USD],
        f"at most {dollars(design.terms.usd_per_1000)}",
        dollars(design.everything.usd_per_1000.value),
        dollars(searched.usd_per_1000.value),
        _usd_words(held_out.usd_per_1000),
    )
    for kind, share in design.terms.keep.items():
        held_out_share = held_out.kept.get(kind)
        table.add_row(
            f"{kind} kept",
            f"at least {format_share(share)}",
            format_share(design.everything.kept[kind].value),
            format_share(searched.kept[kind].value),
            _share_words(held_out_share) if held_out_share else "none stated",
        )
    return table


def _describe_changes(figures: Figures, without: MeasuredSetting) -> str:
    """The changes without a part: ``$0.12 more per 1,000 requests, +2.1 points of facts``."""
    before = figures.usd_per_1000.value
    after = without.figures.usd_per_1000.value
    changes = ["the same cost"]
    if abs(after - before) > EQUAL_SHARE * before:
        direction = "more" if after > before else "less"
        usd = dollars(abs(after - before))
        changes = [f"{usd} {direction} per 1,000 requests"]
    for kind, retention in figures.kept.items():
        share = without.figures.kept[kind].value - retention.value
        if abs(share) > EQUAL_SHARE:
            changes.append(f"{100 * share:+.1f} points of {kind}")
    if not without.figures.can_be_used:
        changes.append("requests that a provider refuses")
    return ", ".join(changes)


def _usd_words(estimate: Estimate) -> str:
    value = dollars(estimate.value)
    if not isfinite(estimate.high):
        return value
    return f"{value} ({dollars(estimate.low)} to {dollars(estimate.high)})"


def _share_words(estimate: Estimate) -> str:
    low = format_share(estimate.low)
    return f"{format_share(estimate.value)} ({low} to {format_share(estimate.high)})"
