"""One question to all settings at the end of the conversation: the answers beside each other."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted, listed, turn_list
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.ui.compare.answers import (
    describe_loss,
    draw_answer_card,
    find_fact_asked,
    find_stating_positions,
    plan_bringing_back,
    suggest_questions,
)
from memviz.dashboard.ui.controls.authorship import say_why_stand_in
from memviz.dashboard.ui.controls.jobs import NO_OTHER_CALL, Job, Tell
from memviz.dashboard.ui.controls.pickers import Models
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.selected_request import select
from memviz.dashboard.ui.controls.spending import bound_caption, bound_words
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import (
    button,
    card_places,
    show_caption,
    show_error,
    show_title,
)
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.state import set_widget
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.ui.shell.views import note_new_result, scroll_to_new_result
from memviz.engine.asking import ask
from memviz.engine.recall import Recall
from memviz.engine.records import TurnRecord
from memviz.engine.run import Run
from memviz.metrics.answer_sources import find_answer_source
from memviz.metrics.cost.bounds import MESSAGE_TOKENS, bound_questions
from memviz.models.base import fails_every_call
from memviz.transcripts.base import Probe

CARDS_A_ROW = 3
QUESTION_KEY = "ask-all-question"
RESULT = "ask-all"
_NOT_ASKED = noop(
    "Not asked: {names}. The replay ended before the last turn; try again above the picture."
)
Answers = dict[Run, TurnRecord | MemvizError]
"""The answer of each run that was asked, or the failure."""


def ask_all_settings(
    settings: Sequence[SettingRun], models: Models, probes: Sequence[Probe]
) -> None:
    """Ask, and see what each setting still knows, and from where. A few questions of ``probes`` are a click away. It is
    no fragment, so that asking can be stopped."""
    state = compare_state()
    names_not_asked = []
    complete = []
    for setting in settings:
        if state.ended_early(setting.run) is not None:
            names_not_asked.append(setting.label)
        else:
            complete.append(setting)
    settings = complete
    # Two settings that are the same share one run, and its answer.
    runs = list(dict.fromkeys(setting.run for setting in settings))
    questions = _questions_on_offer(probes, runs)
    question, is_asked = _draw_question_form(len(settings), questions)
    suggestion = _draw_suggestions(questions)
    if names_not_asked:
        show_caption(_(_NOT_ASKED, names=listed(names_not_asked)))
    # Where asking costs money a suggestion only fills the field.
    if suggestion and models.answerer.is_free:
        question = suggestion
        is_asked = True
    if not models.are_free:
        bound = bound_questions(runs, models.askers)
        bound_caption(bound, before=_models_asked(runs, models))
    if is_asked:
        state.question = question
        state.asked_with = models
        state.answers = {}
        state.answers_before = {}
        note_new_result(RESULT)
        _make_job("ask-all", models, state.answers, runs).run()
        if not models.are_free:
            st.rerun()  # what stands above knows of the replies now: what was spent, the button that saves them
    _try_again(runs, models)
    _draw_answers(settings, probes, models)


def _models_asked(runs: Sequence[Run], models: Models) -> str:
    if models.answerer.is_free:
        return _(
            "{name} is asked where a question makes a summary due.",
            name=models.summarizer.name,
        )
    tokens = sum(run.turns[-1].total_tokens for run in runs if run.turns)
    return _(
        "{name} is asked {times}: about {tokens:,} tokens in all.",
        name=models.answerer.name,
        times=counted(runs, "time"),
        tokens=tokens,
    )


def _questions_on_offer(probes: Sequence[Probe], runs: Sequence[Run]) -> list[str]:
    """Return the questions on offer. They stay while settings change: what one looks at does not move under the
    pointer, and no new run is searched for what it lost."""
    state = compare_state()
    facts = tuple(probes)
    if state.suggested[0] != facts:
        state.suggested = (facts, suggest_questions(probes, runs))
    return state.suggested[1]


def _make_job(
    key: str,
    models: Models,
    answers: Answers,
    runs: Sequence[Run],
    recalls: Sequence[Recall] = (),
) -> Job:
    """Return the job that asks these runs the question."""
    work = partial(_ask, models, answers, runs, recalls)
    label = models.answerer.label
    words = _("Asking {label}", label=label)
    return Job(key, work, words, models.are_free, model=label)


def _ask(
    models: Models,
    answers: Answers,
    runs: Sequence[Run],
    recalls: Sequence[Recall],
    _: Tell,
) -> None:
    """Add each answer to ``answers`` as it comes: those that were given before a stop are kept. A failure that every
    other call would share is the last one."""
    for run in runs:
        try:
            answers[run] = ask(
                run,
                compare_state().question,
                summarizer=models.summarizer.build_summarizer(),
                model=models.answerer.build(),
                recalls=recalls,
            )
        except MemvizError as error:
            answers[run] = error
            if fails_every_call(error):
                break


def _try_again(runs: Sequence[Run], models: Models) -> None:
    """Offer to ask those that have no answer where a call failed. What every other call would have failed in is said
    once. With another model, key, address or timeout they count as not yet asked."""
    state = compare_state()
    failures: list[MemvizError] = []
    answers: Answers = {}
    for run, answer in state.answers.items():
        if isinstance(answer, TurnRecord):
            answers[run] = answer
        elif run in runs:
            failures.append(answer)
    if not failures:
        return
    unanswered = [run for run in runs if run not in answers]
    is_tried = state.asked_with == models
    hopeless = next(filter(fails_every_call, failures), None)
    if not is_tried:
        st.caption(
            _(
                "{settings} not yet asked with the models and keys as they are now.",
                settings=counted(unanswered, "setting"),
            )
        )
    elif hopeless is not None:
        show_error(hopeless, _(NO_OTHER_CALL))
    job = _make_job("ask-all-again", models, answers, unanswered)
    job.verb = _("Try again") if is_tried else _("Ask")
    job.bound = bound_questions(unanswered, models.askers)
    if job.offer():
        state.asked_with = models
        job.run()
        state.answers = answers
        st.rerun()


def _draw_question_form(number: int, questions: Sequence[str]) -> tuple[str, bool]:
    """Return the question that stands in the field, or the example while it is empty, and whether it was sent."""
    example = questions[0] if questions else _("What is the budget?")
    with st.form("ask-all", border=False):
        heading, writing, sending = st.columns(
            [34, 44, 22], vertical_alignment="center"
        )
        heading.header(_("What does each setting still know?"), anchor=False)
        linked("question", QUESTION_KEY)
        question = writing.text_input(
            _("One question to all settings, after the last turn"),
            key=QUESTION_KEY,
            placeholder=example,
            label_visibility="collapsed",
        )
        is_sent = sending.form_submit_button(
            _("Ask {settings}", settings=counted(number, "setting")),
            icon=":material/quiz:",
            width="stretch",
            type="primary",
            help=_("Asked after the last turn. Nothing is added to the conversation."),
        )
    return question.strip() or example, is_sent


def _draw_suggestions(questions: Sequence[str]) -> str:
    """Questions to click; the one that was clicked stands in the field then."""
    if not questions:
        return ""
    chosen = ""
    with st.container(horizontal=True, gap="small", key="ask-all-suggested"):
        for number, question in enumerate(questions):
            if button(
                plain(question),
                f"ask-all-{number}",
                None,
                set_widget,
                QUESTION_KEY,
                question,
            ):
                chosen = question
    return chosen


def _draw_answers(
    settings: Sequence[SettingRun], probes: Sequence[Probe], models: Models
) -> None:
    """Draw the answers to the settings as they stand; those of other settings are no longer shown."""
    state = compare_state()
    answers: list[tuple[SettingRun, TurnRecord | MemvizError]] = []
    replies = []
    sources = {}
    for setting in settings:
        answer = state.answers.get(setting.run)
        if isinstance(answer, TurnRecord):
            answers.append((setting, answer))
            replies.append((setting.label, answer.facts))
            source = find_answer_source(answer.context, state.question, answer.reply)
            sources[setting.index] = source
        elif answer and not fails_every_call(answer):
            # An error that ends all asking is said once, above.
            answers.append((setting, answer))
    if not answers:
        return
    scroll_to_new_result(RESULT)
    st.caption(_("Asked: {question}", question=plain(state.question)))
    if models.answerer.recorded_first:
        say_why_stand_in(replies)
    positions = find_stating_positions(state.question, probes, sources)
    fact = find_fact_asked(state.question, probes)
    for place, (setting, reply) in card_places(answers, CARDS_A_ROW):
        with place:
            if isinstance(reply, MemvizError):
                show_title(setting.label)
                show_error(reply)
                continue
            draw_answer_card(
                setting,
                reply,
                sources[setting.index],
                partial(_offer_to_bring_back, setting, reply, fact, positions, models),
                state.answers_before.get(setting.run),
            )


def _offer_to_bring_back(
    setting: SettingRun,
    answer: TurnRecord,
    fact: Probe | None,
    positions: Sequence[int],
    models: Models,
) -> None:
    """Say what lost an answer, if it is a known fact, and draw a button that asks this setting again, with the turn
    that states it recalled."""
    state = compare_state()
    run = setting.run
    loss = "" if fact is None else describe_loss(run, fact)
    if loss:
        st.caption(loss)
    way_back = plan_bringing_back(run, answer, positions, prices_in_force())
    if way_back is None:
        return
    bound = bound_questions([run], models.askers, MESSAGE_TOKENS + way_back.tokens)
    what = _(
        "Asks {label} again after the last turn, with {turns} sent once more.",
        label=plain(setting.label),
        turns=turn_list(way_back.turns),
    )
    if not button(
        plain(way_back.label),
        f"ask-all-back-{setting.index}",
        ":material/history:",
        select,
        run.turns[-1].turn,
        setting.index,
        help=f"{what} {plain(bound_words(bound))}",
    ):
        return
    # Where it is asked again twice, the answer before both stays beside the last one.
    state.answers_before.setdefault(run, answer)
    again: Answers = {}
    _make_job(
        "ask-all-back", models, again, [run], [Recall(turns=way_back.turns)]
    ).run()
    state.answers.update(again)
    st.rerun()
