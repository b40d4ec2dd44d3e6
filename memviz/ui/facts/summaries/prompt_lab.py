"""Two prompts on the very messages that a summarization was given: their texts, tokens, and which facts survive."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from memviz.engine.compaction import Compaction
from memviz.engine.prompt_lab import Trial, try_prompt
from memviz.metrics.answers.scores import contains_answer
from memviz.metrics.summaries.diff import word_diff
from memviz.strategies.prompts import PROMPTS
from memviz.text.wording import counted, dollars, message_range
from memviz.transcripts.base import Probe
from memviz.ui.controls.diff_html import diff_html, legend_html
from memviz.ui.controls.prompt_picker import OWN, prompt_picker
from memviz.ui.controls.resumable_job import stoppable
from memviz.ui.facts.summaries.rewording import Desk
from memviz.ui.shell.errors import error_shown
from memviz.ui.shell.state import PromptsToTry
from memviz.ui.shell.text import plain

FIRST_CHOICE = {"A": OWN, "B": PROMPTS[2].title}
KEPT, LOST = "kept", "lost"


def prompt_lab(desk: Desk, compaction: Compaction) -> None:
    """Choose two prompts, or write them, and compare what the summarizer makes of the same messages."""
    state = desk.state
    place = f"{state.conversation_id}-{desk.setting.index}-{hash((compaction.version, compaction.request))}"
    _choose(desk, compaction, place)
    trials = state.trials.get(place, ())
    if trials:
        _compare(compaction, trials, desk.probes())


@st.fragment
def _choose(desk: Desk, compaction: Compaction, place: str) -> None:
    taken = compaction.summarized
    joins = f" and version {compaction.replaces} of the summary" if compaction.replaces else ""
    st.caption(f"Both prompts get {message_range(taken)}{joins}. Nothing of the run is changed. " + _who(desk))
    own = compaction.strategy.instruction
    instructions = [
        prompt_picker(column, f"lab-prompt-{side}", own, first=first, side=side)
        for (side, first), column in zip(FIRST_CHOICE.items(), st.columns(2), strict=True)
    ]
    if st.button("Try both", icon=":material/science:", type="primary", key="lab-try"):
        desk.state.trying = PromptsToTry(place, compaction, tuple(text or own for text in instructions))
        st.rerun()


def try_prompts(desk: Desk) -> None:
    """Ask for what was chosen in the prompt lab. Not there, but here: the lab is part of a fragment, and a click on
    Stop in a fragment is only heard when its run is over."""
    trying, desk.state.trying = desk.state.trying, None
    if trying is None:
        return
    with error_shown(), stoppable("Writing both summaries", "lab-stop", is_offline=desk.summarizer.is_offline):
        writer = desk.summarizer.build()
        desk.state.trials[trying.place] = tuple(
            try_prompt(trying.compaction, instruction, writer) for instruction in trying.instructions
        )


def _who(desk: Desk) -> str:
    if desk.summarizer.is_offline:
        return "The offline summarizer chooses sentences. Of a prompt it obeys the length alone: “at most 60 words”."
    return f"{plain(desk.summarizer.name)} is asked twice."


def _compare(compaction: Compaction, trials: Sequence[Trial], probes: Sequence[Probe]) -> None:
    for side, column, trial in zip(FIRST_CHOICE, st.columns(2), trials, strict=True):
        with column, st.container(border=True):
            st.markdown(f"**Summary {side}: {trial.tokens:,} tokens**")
            if trial.draft.error is not None:
                st.error(f"It failed: {plain(trial.draft.error)}", icon=":material/error:")
                continue
            st.text(trial.draft.text)
            st.caption(_effort(trial))
    a, b = (trial.draft.text for trial in trials)
    if a and b:
        diff = word_diff(a, b)
        st.markdown("**From A to B**")
        st.html(legend_html(diff) + diff_html(diff))
    _facts(compaction, trials[0].prompt, a, b, probes)


def _effort(trial: Trial) -> str:
    cost = trial.draft.cost
    price = "cost unknown" if cost is None else f"cost {dollars(cost)}" if cost else "no cost"
    return plain(f"{trial.draft.prompt_tokens:,} tokens read, {trial.output_tokens:,} written, "
                 f"{trial.draft.seconds:.2f} s, {price}")  # fmt: skip


def _facts(compaction: Compaction, given: str, a: str, b: str, probes: Sequence[Probe]) -> None:
    """Of the facts that the summarizer could read, those that each summary still holds."""
    readable = [probe for probe in probes if contains_answer(given, probe.answers)]
    if not readable:
        st.caption("These messages hold no fact that is looked for, so none can be counted. Add some on Facts.")
        return
    texts = {"A": a, "B": b, "in the run": compaction.summary or ""}
    kept = {name: [contains_answer(text, probe.answers) for probe in readable] for name, text in texts.items()}
    total = counted(len(readable), "fact")
    st.markdown(f"**Facts that survive**: A {sum(kept['A'])}, B {sum(kept['B'])}, in the run "
                f"{sum(kept['in the run'])}, of {total} that it was given")  # fmt: skip
    table = {name: [KEPT if held else LOST for held in column] for name, column in kept.items()}
    index = [plain(f"{probe.question} {probe.answers[0]}") for probe in readable]
    st.table(pd.DataFrame(table, index=index), border="horizontal", alt="Facts that each summary kept, one a row")
