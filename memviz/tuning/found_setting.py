"""A setting of a sweep as one to export to code, with a line on where it was found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memviz.code_export.base import Setting
from memviz.text.wording import counted
from memviz.tuning.pricing_assumptions import DEFAULT_MODEL
from memviz.tuning.recommendation import cost_in_words, share_in_words
from memviz.tuning.results import Over, Sweep


def setting_to_export(sweep: Sweep, number: int, over: Over, counter: str, summarizer: str) -> Setting | None:
    """Setting ``number`` (0-based) of a sweep that was made with this counter and this summarizer; ``None`` as long
    as it was not measured. The model whose prices counted is the one that answers in the chat."""
    table = sweep.by_setting(over).set_index("setting")
    if number not in table.index:
        return None
    row = {str(name): value for name, value in table.loc[number].items()}
    model = sweep.assumptions.main.model if sweep.assumptions.main else DEFAULT_MODEL
    return Setting(
        sweep.settings[number], counter=counter, summarizer=summarizer, model=model, found=_found(sweep, row)
    )


def _found(sweep: Sweep, row: Mapping[str, Any]) -> str:
    together = " in all" if row["conversations"] > 1 else ""
    parts = [f"at most {row['peak_tokens']:,.0f} tokens a request", f"{cost_in_words(row)}{together}"]
    if row["retention"] == row["retention"]:
        parts.insert(0, f"{share_in_words(row['retention'])} of the facts kept")
    facts = f" on {sweep.grounds.facts_in_words}" if sweep.grounds.facts else ""
    return f"{', '.join(parts)}; measured over {counted(row['conversations'], 'conversation')}{facts}."
