"""A setting of a sweep as one to export to code, with a line on where it was found."""

from collections.abc import Mapping
from math import isnan
from typing import Any

from memviz.code_export.base import Setting
from memviz.core.text.wording import counted
from memviz.core.translation import ENGLISH, use_language
from memviz.dashboard.words.prices import whose
from memviz.models.names import DEFAULT_MODEL
from memviz.tuning.constraints import Over
from memviz.tuning.recommendation import cost_in_words, share_in_words
from memviz.tuning.results import Sweep


def setting_to_export(
    sweep: Sweep, number: int, over: Over, counter: str, summarizer: str
) -> Setting | None:
    """Return setting ``number`` (0-based) of a sweep that was made with this counter and this summarizer; ``None`` as
    long as it was not measured. The models whose prices counted are those that the exported code asks, so that the cost
    in its header is its own. With several conversations the system prompt is that of the first. Code is English."""
    with use_language(ENGLISH):
        return _setting_to_export(sweep, number, over, counter, summarizer)


def _setting_to_export(
    sweep: Sweep, number: int, over: Over, counter: str, summarizer: str
) -> Setting | None:
    table = sweep.by_setting(over).set_index("setting")
    if number not in table.index:
        return None
    row = {str(name): value for name, value in table.loc[number].items()}
    found = (
        _found(sweep, row),
        sweep.grounds.about_results,
        _refused(row),
        _whose_prompt(sweep),
    )
    prices = sweep.assumptions
    prompts = sweep.system_prompts
    return Setting(
        sweep.settings[number],
        counter=counter,
        summarizer=summarizer,
        model=prices.main.model if prices.main else DEFAULT_MODEL,
        summarizer_model=prices.summarizer.model if prices.summarizer else "",
        system_prompt=(prompts[0] or None) if prompts else None,
        found=" ".join(filter(None, found)),
        # Where no pair was broken, leaving broken ones out changes nothing of what was measured, and is safe elsewhere.
        repair_tool_pairs=not row["refused"],
    )


def _found(sweep: Sweep, row: Mapping[str, Any]) -> str:
    cost = cost_in_words(row)
    if row["conversations"] > 1:
        cost += " in all"
    if not isnan(row["usd"]):
        cost += f" at the prices {_whose_prices(sweep)}"
    does = f"at most {row['peak_tokens']:,.0f} tokens a request, {cost}"
    if not isnan(row["retention"]):
        does = f"{share_in_words(row['retention'])} of the facts kept, {does}"
    facts = f" on {sweep.grounds.facts_in_words}" if sweep.grounds.facts else ""
    return (
        f"{does}; measured over {counted(row['conversations'], 'conversation')}{facts}."
    )


def _refused(row: Mapping[str, Any]) -> str:
    """Return a sentence where a provider refuses requests, which the exported code sends as they were measured."""
    if not row["refused"]:
        return ""
    return (
        f"A provider refuses {int(row['refused']):,} of its requests, for a tool's result "
        "without its call or a call without its result: switch REPAIR_TOOL_PAIRS on to leave such halves out."
    )


def _whose_prices(sweep: Sweep) -> str:
    main = sweep.assumptions.main
    summarizer = sweep.assumptions.summarizer
    prices = "" if main is None else whose(main)
    if summarizer is not None and summarizer != main and sweep.grounds.summarizer:
        prices += f", and for summaries {whose(summarizer)}"
    return prices


def _whose_prompt(sweep: Sweep) -> str:
    """Return a sentence where the conversations have different system prompts, for only one can be exported."""
    others = len(set(sweep.system_prompts))
    if others < 2:
        return ""
    return f"They have {others:,} different system prompts; the one here is that of the first, {sweep.subjects[0]!r}."
