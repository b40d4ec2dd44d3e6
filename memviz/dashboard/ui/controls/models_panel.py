"""The models, in one place on all pages: who answers and who summarizes, with key, address and timeout. What is chosen
on one page holds on the others. A click tests the connection, another saves what was replied as a recording."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from memviz.core import page_titles
from memviz.core.text.wording import counted, listed
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.jobs import Job
from memviz.dashboard.ui.controls.links import CHAT_MODEL, SUMMARIZER
from memviz.dashboard.ui.controls.local_models import (
    keep_addresses_apart,
    local_models,
    names_found,
)
from memviz.dashboard.ui.controls.pickers import (
    JUDGE,
    ModelChoice,
    Models,
    model_name_in,
    model_picker,
)
from memviz.dashboard.ui.controls.replaying import run_key
from memviz.dashboard.ui.controls.spending import (
    Swept,
    Tested,
    bound_caption,
    budget_controls,
    budgeted_model,
    heed_clicks_and_tell,
    noted_replies,
    noted_sweeps,
    spending_shown,
    spent_line,
)
from memviz.dashboard.ui.controls.study import CompareState, compare_state
from memviz.dashboard.ui.shell.elements import (
    button,
    offer_file,
    popup,
    row,
    show_error,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import file_name, plain
from memviz.engine.recording import Made, build_recording, play_recording
from memviz.models.connection_check import (
    ConnectionReport,
    answer_tokens,
    check_bound,
    check_connection,
    list_served_models,
)
from memviz.models.names import in_words
from memviz.models.recordings.files import SUFFIX, write_recording
from memviz.models.recordings.recorder import Notes
from memviz.models.recordings.recording import About, Recording
from memviz.models.registry import model
from memviz.storage.workspace import Workspace

VERDICT_ICONS = {
    "yes": ":green[:material/check_circle:]",
    "no": ":red[:material/error:]",
    "unsure": ":gray[:material/help:]",
}
TEST_HELP = noop(
    "Asks this model one or two very small things, with this key at this address."
)


def offer_test(choice: ModelChoice, picker: str) -> None:
    """Draw the button that tests ``choice``, which was made with this ``picker``. The findings stay until something
    else is chosen."""
    if choice.is_free:
        return
    tests = spending_shown().tests
    with row():
        is_asked = button(
            _("Test the connection"),
            f"{picker}-test",
            ":material/network_check:",
            help=_(TEST_HELP),
        )
        bound_caption(check_bound(choice.name))
    if is_asked:
        job = Job(
            f"{picker}-test",
            lambda _tell: tests.update({picker: Tested(choice, _test_now(choice))}),
            _("Asking {name}", name=choice.name),
        )
        error = job.run()
        if error is not None:
            show_error(error)
    test = tests.get(picker)
    if test is not None and test.made_with == choice:
        lines = []
        for finding in test.found.findings:
            lines.append(f"{VERDICT_ICONS[finding.verdict]} {plain(finding.words)}")
        # Two spaces at the end of a line make Markdown begin a new one.
        st.markdown("  \n".join(lines))


def _test_now(choice: ModelChoice) -> ConnectionReport:
    options = choice.options
    # Without retries: what goes wrong at once is what the visitor wants to know.
    model_once = model(choice.name, retries=0, **options)
    writer = budgeted_model(
        model_once, heed_clicks_and_tell, answer_tokens(choice.name)
    )
    del options["timeout"]  # the list of models takes none
    return check_connection(writer, partial(list_served_models, choice.name, **options))


RECORDING_HELP = noop(
    "A file that plays these replies again, with no key and no network: open it in the {library}. It holds what was "
    "sent and what was answered, and never a key or an address."
)


def save_recording(summarizer: ModelChoice) -> None:
    """Draw the button that saves a recording, once a live model has replied."""
    notes = noted_replies()
    number = len(notes.replies)
    if not number:
        return
    name = f"memviz-{datetime.now(UTC):%Y-%m-%d}"
    replays = partial(
        _recording_file,
        name,
        notes,
        workspace(),
        compare_state(),
        summarizer,
        tuple(noted_sweeps()),
    )
    offer_file(
        _("Save {replies} as a recording", replies=counted(number, "reply")),
        replays,
        file_name(name) + SUFFIX,
        "application/jsonl",
        "session-recording",
        icon=":material/radio_button_checked:",
        help=_(RECORDING_HELP, library=_(page_titles.LIBRARY)),
        width="stretch",
    )


def _recording_file(
    name: str,
    notes: Notes,
    here: Workspace,
    state: CompareState,
    summarizer: ModelChoice,
    swept: Sequence[Swept],
) -> str:
    replies = notes.replies
    runs = _replays_made(here, state, summarizer)
    runs += _sweeps_made(here, state, Recording.of(name, About(), replies), swept)
    title = ""
    if state.conversation_id and runs:
        title = here.store.about(state.conversation_id).title
    models = dict.fromkeys(recorded_reply.reply.model for recorded_reply in replies)
    today = f"{datetime.now(UTC):%Y-%m-%d}"
    about = About(title=title, model=listed(models), made_on=today)
    return write_recording(build_recording(name, about, replies, runs))


def _replays_made(
    here: Workspace, state: CompareState, summarizer: ModelChoice
) -> list[Made]:
    """Return the replays of the settings that are compared, as far as they were made."""
    id = state.conversation_id
    if id is None or summarizer.is_free or not here.store.exists(id):
        return []
    transcript, log = here.conversation(id, state.first)
    replays: list[Made] = []
    for setting in state.settings:
        key = run_key(here, state, setting, summarizer)
        run = here.kept_run(key)
        if run is not None:
            made_for = here.recordings.setting(
                transcript, log, key.strategy, key.counter, key.recalls
            )
            replays.append((made_for, run, transcript.probes))
    return replays


def _sweeps_made(
    here: Workspace, state: CompareState, replies: Recording, swept: Sequence[Swept]
) -> list[Made]:
    """Return the replays of settings of sweeps, as far as these replies give all of their summaries."""
    sweeps: list[Made] = []
    # A sweep keeps figures and no run, so each run is made once more, from the replies.
    for id, strategy, counter in swept:
        if not strategy.writes_notes or not here.store.exists(id):
            continue
        transcript, log = here.conversation(id, state.first_of(id))
        run = play_recording(
            log, strategy, replies, counter, transcript.system_prompt, transcript.tools
        )
        if run is not None:
            made_for = here.recordings.setting(transcript, log, strategy, counter)
            sweeps.append((made_for, run, transcript.probes))
    return sweeps


WIDE_PIXELS = 640
"""The width of the panel, with the two models beside each other."""
SUMMARIZER_HELP = noop(
    "Who writes the summaries. A recording plays what a language model wrote for exactly this "
    "conversation and setting; the built-in model writes them anywhere. Both need no key and no "
    "network."
)
CHAT_MODEL_HELP = noop(
    "Who answers: in {chat}, where a question is put to all settings, and in a free run. Questions of a bundled "
    "conversation have recorded answers; the built-in model answers anything, only from what it was sent."
)
OTHER_CONNECTION = noop(
    "With key and base URL empty, those of the summarizer hold, since it is the same model."
)


def models_panel() -> Models:
    """Draw the line that says who writes what, and the panel to change it."""
    return choose_models(open_models(_("Models")))


def open_models(name: str, sentence: str = "") -> DeltaGenerator:
    """Return the panel of this ``name``, empty, below a line that says who writes what.
    ``sentence`` is what else the line says."""
    st.caption(f"{sentence} {_writers_words()}".strip())
    panel = popup(name, ":material/more_horiz:", "models-panel", width="stretch")
    spent_line()
    # style.css gives it the height
    return panel.container(width=WIDE_PIXELS, gap="xsmall", key="models-choice")


def choose_models(
    panel: DeltaGenerator,
    above: Callable[[], object] | None = None,
    below: Callable[[], object] | None = None,
) -> Models:
    """Draw the choice of the models into ``panel``; ``above`` and ``below`` draw what else
    it holds."""
    with panel:
        models_place = st.container(gap="xsmall")
        # A file that is opened below the models may choose the summarizer, so it is read
        # before they are drawn.
        if below is not None:
            below()
        with models_place:
            return _choose_models(above)


def _choose_models(above: Callable[[], object] | None) -> Models:
    with st.container(gap="xsmall"):
        left, right = st.columns(2, vertical_alignment="bottom")
        with left:
            if above is not None:
                above()
        keep_addresses_apart()
        # Beside each other, so that all of it is seen without scrolling; a phone has one below the other.
        writing, answering = st.columns(2)
        with writing, st.container(gap="xsmall"):
            summarizer = model_picker(
                _("Summarizer"), SUMMARIZER, _(SUMMARIZER_HELP), names_found()
            )
            offer_test(summarizer, SUMMARIZER)
        with answering, st.container(gap="xsmall"):
            answerer = model_picker(
                _("Chat model"),
                CHAT_MODEL,
                _(CHAT_MODEL_HELP, chat=_(page_titles.CHAT)),
                names_found(),
            )
            answerer = _reach_alike(answerer, summarizer)
            offer_test(answerer, CHAT_MODEL)
        local_models()
        save_recording(summarizer)
        with right if above is not None else left:
            names = [
                model_name_in(picker) for picker in (SUMMARIZER, CHAT_MODEL, JUDGE)
            ]
            budget_controls([*names, *compare_state().embedding_models])
    return Models(answerer, summarizer)


def _writers_words() -> str:
    writer = plain(_(in_words(model_name_in(SUMMARIZER))))
    answerer = plain(_(in_words(model_name_in(CHAT_MODEL))))
    template = noop("Summaries: {writer}. Answers: {answerer}.")
    if writer == answerer:
        template = noop("Summaries and answers: {writer}.")
    return _(template, writer=f"**{writer}**", answerer=f"**{answerer}**")


def _reach_alike(answerer: ModelChoice, summarizer: ModelChoice) -> ModelChoice:
    """Return the answerer, reached as the summarizer is where both are one model and nothing else was entered."""
    is_other = answerer.name != summarizer.name
    if answerer.is_free or is_other or answerer.is_reached:
        return answerer
    if summarizer.is_reached:
        st.caption(_(OTHER_CONNECTION))
    return replace(summarizer, timeout_seconds=answerer.timeout_seconds)
