"""Two prompts on the very messages that a summarization was given: their texts, tokens, and which facts survive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd
import streamlit as st

from memviz.engine.compaction import Compaction
from memviz.engine.prompt_lab import Trial, try_prompt
from memviz.errors import MemvizError
from memviz.metrics.answers import contains_answer
from memviz.metrics.cost.bounds import MESSAGE_TOKENS, trials_bound
from memviz.metrics.summaries.authors import author_of
from memviz.metrics.summaries.diff import word_diff
from memviz.strategies.prompts import PROMPTS
from memviz.text.light_markdown import without_marks
from memviz.text.wording import counted, effort_words, message_range
from memviz.transcripts.base import Probe
from memviz.ui.controls.diff_html import diff_html, legend_html
from memviz.ui.controls.grounds import author_badge
from memviz.ui.controls.prompt_picker import OWN, prompt_picker
from memviz.ui.controls.resumable_job import start_button, start_verb, stoppable
from memviz.ui.controls.spending import bound_words
from memviz.ui.facts.summaries.rewording import Desk
from memviz.ui.shell.in_view import result_begins, result_is_new
from memviz.ui.shell.state import PromptsToTry, TriedPrompts, spending
from memviz.ui.shell.text import plain

FIRST_CHOICE = {"A": OWN, "B": PROMPTS[2].title}
KEPT, LOST = "kept", "lost"
RESULT = "prompt-lab"


def prompt_lab(desk: Desk, compaction: Compaction) -> None:
    """Choose two prompts, or write them, and compare what the summarizer makes of the same messages."""
    state = desk.state
    place = f"{state.conversation_id}-{desk.setting.index}-{hash((compaction.version, compaction.request))}"
    _choose(desk, compaction, place)
    tried = state.trials.get(place)
    if tried is None:
        return
    if not all(tried.written) and tried.made_with == desk.summarizer:
        _try_again(desk, tried)
    if any(tried.trials):
        _compare(compaction, tried.trials, desk.probes())


@st.fragment
def _choose(desk: Desk, compaction: Compaction, place: str) -> None:
    taken = compaction.summarized
    joins = (
        f" and version {compaction.replaces} of the summary"
        if compaction.replaces
        else ""
    )
    st.caption(
        f"Both prompts get {message_range(taken)}{joins}. Nothing of the run is changed. "
        + _who(desk, compaction)
    )
    own = compaction.strategy.instruction
    instructions = [
        prompt_picker(column, f"lab-prompt-{side}", own, first=first, side=side)
        for (side, first), column in zip(
            FIRST_CHOICE.items(), st.columns(2), strict=True
        )
    ]
    if st.button("Try both", icon=":material/science:", type="primary", key="lab-try"):
        desk.state.trying = PromptsToTry(
            place, compaction, tuple(text or own for text in instructions)
        )
        st.rerun()


def try_prompts(desk: Desk) -> None:
    """Ask for what was chosen in the prompt lab. Not there, but here: the lab is part of a fragment, and a click on
    Stop in a fragment is only heard when its run is over. The place for that is there also where nothing is asked for:
    if what follows moved down, its browser would show the first of its tabs again."""
    place = st.empty()
    trying, desk.state.trying = desk.state.trying, None
    if trying is not None:
        with place.container():
            _try(desk, trying)
        place.empty()
        if not desk.summarizer.is_free:
            st.rerun()  # what stands above knows of the replies now: what was spent, the button that saves them


def _try(desk: Desk, trying: PromptsToTry) -> None:
    """Ask for the summaries that are not there yet, up to a failure that the next one would share."""
    result_is_new(RESULT)
    trials: list[Trial | None] = list(trying.so_far) or [None] * len(
        trying.instructions
    )
    error = None
    try:
        with stoppable(
            "Writing both summaries", "lab-stop", is_offline=desk.summarizer.is_free
        ):
            writer = desk.summarizer.build_summarizer()
            for number, instruction in enumerate(trying.instructions):
                trials[number] = trials[number] or try_prompt(
                    trying.compaction, instruction, writer
                )
    except MemvizError as failure:
        error = failure
    finally:  # also when it was stopped
        if error is not None or any(trials):
            desk.state.trials[trying.place] = TriedPrompts(
                trying, desk.summarizer, tuple(trials), error
            )


def _try_again(desk: Desk, tried: TriedPrompts) -> None:
    """Say what both prompts would have failed in, and offer to ask for what is missing. With another model, key,
    address or timeout nothing has failed yet: there *Try both* is all that is offered."""
    if tried.error is not None:
        st.error(
            plain(f"{tried.error} No other call was made."), icon=":material/error:"
        )
    verb = start_verb(
        "Try both", is_begun=any(tried.written), has_failed=tried.has_failed
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        again = start_button(f"{verb} with {plain(desk.summarizer.name)}", "lab-again")
        missing = sum(trial is None for trial in tried.written)
        st.caption(plain(_bound_words(desk, tried.asked.compaction, missing)))
    if again:
        desk.state.trying = tried.asked._replace(so_far=tried.written)
        st.rerun()


def _who(desk: Desk, compaction: Compaction) -> str:
    if desk.summarizer.is_offline:
        recorded = (
            "Where this very prompt was recorded, the recording is played. "
            * desk.summarizer.recorded_first
        )
        return (
            f"{recorded}The stand-in chooses clauses: of a prompt it obeys the length (“at most 60 words”) and "
            "whether it asks for sentences."
        )
    return plain(
        f"{desk.summarizer.name} is asked twice. {_bound_words(desk, compaction, len(FIRST_CHOICE))}"
    )


def _bound_words(desk: Desk, compaction: Compaction, trials: int) -> str:
    sizes = [
        MESSAGE_TOKENS
    ] * trials  # an instruction may be as long as any message that somebody types
    return bound_words(
        trials_bound(compaction, sizes, desk.summarizer.name, spending().reply_tokens)
    )


def _compare(
    compaction: Compaction, trials: Sequence[Trial | None], probes: Sequence[Probe]
) -> None:
    result_begins(RESULT)
    for side, column, trial in zip(FIRST_CHOICE, st.columns(2), trials, strict=True):
        with column, st.container(border=True):
            _summary(side, trial)
    texts = {
        side: trial.draft.text
        for side, trial in zip(FIRST_CHOICE, trials, strict=True)
        if trial and trial.draft.text
    }
    if len(texts) == len(FIRST_CHOICE):
        diff = word_diff(*map(without_marks, texts.values()))
        st.markdown("**From A to B**")
        st.html(legend_html(diff) + diff_html(diff))
    if texts:
        given = next(trial.prompt for trial in trials if trial)
        _facts(given, texts | {"in the run": compaction.summary or ""}, probes)


def _summary(side: str, trial: Trial | None) -> None:
    if trial is None:
        st.markdown(f"**Summary {side}**")
        st.caption("Not written yet.")
    elif trial.draft.error is not None:
        st.markdown(f"**Summary {side}**")
        st.error(f"It failed: {plain(trial.draft.error)}", icon=":material/error:")
    else:
        st.markdown(f"**Summary {side}: {counted(trial.tokens, 'token')}**")
        author_badge(
            author_of(trial.draft.model, recorded=trial.draft.recorded),
            trial.draft.model,
        )
        st.text(trial.draft.text)
        st.caption(_effort(trial))


def _effort(trial: Trial) -> str:
    effort = effort_words(
        trial.draft.seconds, trial.draft.cost, recorded=trial.draft.recorded
    )
    return plain(
        f"{counted(trial.draft.prompt_tokens, 'token')} read, {trial.output_tokens:,} written, {effort}"
    )


def _facts(given: str, texts: Mapping[str, str], probes: Sequence[Probe]) -> None:
    """Of the facts that the summarizer could read, those that each of the summaries ``texts`` still holds."""
    readable = [probe for probe in probes if contains_answer(given, probe.answers)]
    if not readable:
        st.caption(
            "These messages hold no fact that is looked for, so none can be counted. Add some on Facts."
        )
        return
    kept = {
        name: [contains_answer(text, probe.answers) for probe in readable]
        for name, text in texts.items()
    }
    total = counted(len(readable), "fact")
    counts = ", ".join(f"{name} {sum(held)}" for name, held in kept.items())
    st.markdown(f"**Facts that survive**: {counts}, of {total} that it was given")
    table = {
        name: [KEPT if held else LOST for held in column]
        for name, column in kept.items()
    }
    index = [plain(f"{probe.question} {probe.answers[0]}") for probe in readable]
    st.table(
        pd.DataFrame(table, index=index),
        border="horizontal",
        alt="Facts that each summary kept, one a row",
    )
