"""Two prompts on the very messages that a summarization was given: their texts, tokens, and which facts survive."""

from collections.abc import Mapping, Sequence
from functools import partial

import pandas as pd
import streamlit as st

from memviz.core import page_titles
from memviz.core.errors import MemvizError
from memviz.core.text.wording import COMMA, counted, effort_words, message_range
from memviz.core.translation import _, noop
from memviz.dashboard.markup import without_marks
from memviz.dashboard.ui.controls.authorship import draw_badge_of
from memviz.dashboard.ui.controls.diff_html import diff_html, legend_html
from memviz.dashboard.ui.controls.jobs import NO_OTHER_CALL, Job, Tell, start_verb
from memviz.dashboard.ui.controls.pickers import OWN, prompt_picker
from memviz.dashboard.ui.controls.prompts_tried import PromptsToTry, TriedPrompts
from memviz.dashboard.ui.controls.spending import bound_words, spending
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.summaries.rewording import Desk
from memviz.dashboard.ui.shell.elements import box, main_button, show_error
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import note_new_result, scroll_to_new_result
from memviz.engine.compaction import Compaction
from memviz.engine.prompt_trial import Trial, try_prompt
from memviz.metrics.answer_scores import contains_answer
from memviz.metrics.cost.bounds import MESSAGE_TOKENS, bound_trials
from memviz.metrics.summaries.diff import diff_words
from memviz.models.planned_calls import CostBound
from memviz.strategies.prompts import PROMPTS
from memviz.transcripts.base import Probe

FIRST_CHOICE = {"A": OWN, "B": PROMPTS[2].title}
KEPT = noop("kept")
LOST = noop("lost")
RECORDED = noop("Where this very prompt was recorded, the recording is played.")
STAND_IN = noop(
    "The built-in model chooses clauses: of a prompt it obeys the length (“at most 60 words”) and whether it "
    "asks for sentences."
)
RESULT = "prompt-lab"


def prompt_lab(desk: Desk, compaction: Compaction) -> None:
    """Choose two prompts, or write them, and compare what the summarizer makes of the same messages."""
    state = compare_state()
    place = f"{state.conversation_id}-{desk.setting.index}-{hash((compaction.version, compaction.request))}"
    _choose(desk, compaction, place)
    tried = state.trials.get(place)
    if tried is None:
        return
    if not all(tried.written) and tried.made_with == desk.summarizer:
        _try_again(desk, tried)
    if any(tried.trials):
        _draw_comparison(compaction, tried.trials, desk.probes())


@st.fragment
def _choose(desk: Desk, compaction: Compaction, place: str) -> None:
    sources = message_range(compaction.summarized)
    if compaction.replaces:
        sources = _(
            "{messages} and version {number} of the summary",
            messages=sources,
            number=compaction.replaces,
        )
    st.caption(
        _(
            "Both prompts get {given}. Nothing of the run is changed. {who}",
            given=sources,
            who=_writer_words(desk, compaction),
        )
    )
    own = compaction.strategy.instruction
    instructions = []
    for (side, first), column in zip(FIRST_CHOICE.items(), st.columns(2), strict=True):
        key = f"lab-prompt-{side}"
        text = prompt_picker(column, key, own, first=first, side=side)
        instructions.append(text or own)
    if main_button(_("Try both"), "lab-try", ":material/science:"):
        compare_state().trying = PromptsToTry(place, compaction, tuple(instructions))
        st.rerun()


def try_prompts(desk: Desk) -> None:
    """Ask for what was chosen in the prompt lab. Not there, but here: the lab is part of a fragment, and a click on
    Stop in a fragment is only heard when its run is over. The place for that is there also where nothing is asked for:
    if what follows moved down, its browser would show the first of its tabs again."""
    place = st.empty()
    state = compare_state()
    trying = state.trying
    state.trying = None
    if trying is None:
        return
    note_new_result(RESULT)
    is_free = desk.summarizer.is_free
    work = partial(_try, desk, trying)
    with place.container():
        Job("lab", work, _("Writing both summaries"), is_offline=is_free).run()
    place.empty()
    if not is_free:
        st.rerun()  # what stands above knows of the replies now: what was spent, the button that saves them


def _try(desk: Desk, trying: PromptsToTry, _: Tell) -> None:
    """Ask for the summaries that are not there yet, up to a failure that the next one would share."""
    state = compare_state()
    trials = list(trying.so_far or [None] * len(trying.instructions))
    error = None
    try:
        writer = desk.summarizer.build_summarizer()
        for number, instruction in enumerate(trying.instructions):
            if trials[number] is None:
                trials[number] = try_prompt(trying.compaction, instruction, writer)
    except MemvizError as failure:
        error = failure
    finally:  # also when it was stopped
        if error is not None or any(trials):
            state.trials[trying.place] = TriedPrompts(
                trying, desk.summarizer, tuple(trials), error
            )


def _try_again(desk: Desk, tried: TriedPrompts) -> None:
    """Say what both prompts would have failed in, and offer to ask for what is missing. With another model, key,
    address or timeout nothing has failed yet: there *Try both* is all that is offered."""
    if tried.error is not None:
        show_error(tried.error, _(NO_OTHER_CALL))
    written = tried.written
    trying = tried.asked._replace(so_far=written)
    job = Job(
        "lab-again",
        partial(_try, desk, trying),
        verb=start_verb(
            _("Try both"), is_begun=any(written), has_failed=tried.has_failed
        ),
        model=desk.summarizer.name,
        bound=_bound(desk, trying.compaction, written.count(None)),
    )
    if job.offer():
        compare_state().trying = trying
        st.rerun()


def _writer_words(desk: Desk, compaction: Compaction) -> str:
    if desk.summarizer.is_offline:
        sentences = [_(STAND_IN)]
        if desk.summarizer.recorded_first:
            sentences.insert(0, _(RECORDED))
        return " ".join(sentences)
    bound = bound_words(_bound(desk, compaction, len(FIRST_CHOICE)))
    return plain(
        _("{name} is asked twice. {bound}", name=desk.summarizer.name, bound=bound)
    )


def _bound(desk: Desk, compaction: Compaction, trials: int) -> CostBound:
    # An instruction may be as long as any message that somebody types.
    sizes = [MESSAGE_TOKENS] * trials
    return bound_trials(
        compaction, sizes, desk.summarizer.name, spending().reply_tokens
    )


def _draw_comparison(
    compaction: Compaction, trials: Sequence[Trial | None], probes: Sequence[Probe]
) -> None:
    scroll_to_new_result(RESULT)
    for side, column, trial in zip(FIRST_CHOICE, st.columns(2), trials, strict=True):
        with column, box():
            _draw_summary(side, trial)
    texts = {
        side: trial.draft.text
        for side, trial in zip(FIRST_CHOICE, trials, strict=True)
        if trial and trial.draft.text
    }
    if len(texts) == len(FIRST_CHOICE):
        diff = diff_words(*map(without_marks, texts.values()))
        st.markdown(_("**From A to B**"))
        st.html(legend_html(diff) + diff_html(diff))
    if texts:
        prompt = next(trial.prompt for trial in trials if trial)
        _draw_facts(prompt, texts | {_("in the run"): compaction.summary or ""}, probes)


def _draw_summary(side: str, trial: Trial | None) -> None:
    title = _("**Summary {side}**", side=side)
    if trial is None:
        st.markdown(title)
        st.caption(_("Not written yet."))
        return
    draft = trial.draft
    if draft.error is not None:
        st.markdown(title)
        failure = _("It failed: {error}", error=plain(draft.error))
        st.error(failure, icon=":material/error:")
    else:
        st.markdown(
            _(
                "**Summary {side}: {tokens}**",
                side=side,
                tokens=counted(trial.tokens, "token"),
            )
        )
        draw_badge_of(draft)
        st.text(draft.text)
        st.caption(_effort(trial))


def _effort(trial: Trial) -> str:
    draft = trial.draft
    return plain(
        _(
            "{tokens} read, {output_tokens:,} written, {effort}",
            tokens=counted(draft.prompt_tokens, "token"),
            output_tokens=trial.output_tokens,
            effort=effort_words(draft.seconds, draft.cost, recorded=draft.recorded),
        )
    )


def _draw_facts(prompt: str, texts: Mapping[str, str], probes: Sequence[Probe]) -> None:
    """Draw which of the facts that the summarizer could read in ``prompt`` each of the summaries ``texts`` still
    holds."""
    readable = [probe for probe in probes if contains_answer(prompt, probe.answers)]
    if not readable:
        st.caption(
            _(
                "These messages hold no fact that is looked for, so none can be counted. Add some on {facts}.",
                facts=_(page_titles.FACTS),
            )
        )
        return
    table = {}
    for name, text in texts.items():
        table[name] = [
            _(KEPT) if contains_answer(text, probe.answers) else _(LOST)
            for probe in readable
        ]
    counts = [f"{name} {column.count(_(KEPT))}" for name, column in table.items()]
    st.markdown(
        _(
            "**Facts that survive**: {list}, of {total} that it was given",
            list=_(COMMA).join(counts),
            total=counted(readable, "fact"),
        )
    )
    index = [plain(f"{probe.question} {probe.answers[0]}") for probe in readable]
    st.table(
        pd.DataFrame(table, index=index),
        border="horizontal",
        alt=_("Facts that each summary kept, one a row"),
    )
