"""Runs of conversations that state facts, and questions about these."""

from __future__ import annotations

import memviz
from memviz import Message, Run, ScriptedModel
from memviz.transcripts.base import Probe

SAID = [
    ("user", "My budget is 3,000 euros."),
    ("assistant", "Noted."),
    ("user", "The code is QX7R4M."),
    ("assistant", "Fine."),
    ("user", "Now the budget is 3,600 euros."),
    ("assistant", "Good."),
    ("user", "Anything else?"),
    ("assistant", "No."),
    ("user", "Bye."),
    ("assistant", "See you."),
]

BUDGET = Probe("Budget?", ("3,600 euros", "3,600"), (4,), "updated fact", ("3,000",))

CODE = Probe("Code?", ("QX7R4M",), (2,), "single fact")


def run_of(
    id: str,
    *summaries: str | Exception,
    said: list[tuple[str, str]] = SAID,
    **options: object,
) -> Run:
    prompt, recalls = options.pop("system_prompt", None), options.pop("recalls", None)
    messages = [Message(role, text) for role, text in said]
    model = ScriptedModel(list(summaries)) if summaries else None
    return memviz.replay(
        messages,
        memviz.strategy(id, **options),
        model=model,
        counter="chars4",
        system_prompt=prompt,
        recalls=recalls,
    )
