"""Details of the lives of facts for fewer visitors: all that can be told of any conversation without labelled facts,
and all that the built-in model would have kept."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from memviz.core.text.wording import counted, message_number
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.retention.result import STATE_WORDS, RetentionResult
from memviz.dashboard.charts.retention.survival_curve import (
    WORD,
    Lasting,
    half_lives,
    survival_curve,
)
from memviz.dashboard.ui.controls.known_facts import READ_MESSAGES
from memviz.dashboard.ui.controls.pictures import chart, folded
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.retention_cache import (
    rare_words_of,
    retention_results,
    survival_of,
    tool_argument_recall_of,
)
from memviz.dashboard.ui.shell.elements import (
    show_caption,
    show_data,
    show_table,
    switch,
)
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.state import widget_value
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words import shorten
from memviz.engine.recall import Recall
from memviz.metrics.retention.survival import Agreement, compare_retentions
from memviz.metrics.retention.tool_argument_recall import (
    NeededArgument,
    ToolArgumentRecall,
)
from memviz.metrics.summaries.events import (
    Author,
    count_sent_summary_tokens,
    list_authors,
)
from memviz.models.names import OFFLINE
from memviz.models.registry import model
from memviz.storage.workspace import RunKey

ALL_KEY = "retention-all-misses"
MOST_MISSES = 12
VALUE_CHARS = 60
MISSES_ALT = noop(
    "Values that a tool call used and that some setting did not send, one row a value"
)


def draw_without_labels(settings: Sequence[SettingRun]) -> None:
    """Rare words and needed arguments, where there are any."""
    if not _wants_every_message(len(settings[0].run.log)):
        return
    words = rare_words_of(settings[0].run.log)
    needed = [tool_argument_recall_of(setting.run) for setting in settings]
    if not words and not any(recall.arguments for recall in needed):
        st.caption(
            _(
                "No word here is said by one message alone, and no tool call used a value that was said before."
            )
        )
        return
    if words:
        lasting = [
            Lasting(setting, survival_of(setting.run, words)) for setting in settings
        ]
        chart(
            survival_curve(lasting, _("Rare words still there, by their age"), WORD),
            "retention-words",
            _(
                "Of {rare_words} half are no longer sent after: {half_lives}.",
                rare_words=counted(words, "rare word"),
                half_lives=half_lives(lasting),
            ),
        )
        st.caption(
            _(
                "{words} that one message alone says, looked up in every later request: what of the wording is "
                "still there, whatever it means.",
                words=counted(words, "rare word"),
            )
        )
    if any(recall.arguments for recall in needed):
        draw_needed_values(settings, needed)


def _wants_every_message(messages: int) -> bool:
    """Return whether to read every message: at once, or of a long conversation when asked."""
    return messages <= READ_MESSAGES or switch(
        _("Look for rare words in all {messages:,} messages", messages=messages),
        key="retention-read-all",
        help=_("Takes up to a minute."),
    )


@st.fragment
def draw_needed_values(
    settings: Sequence[SettingRun], needed: Sequence[ToolArgumentRecall]
) -> None:
    """Draw how many of the values that tool calls used were still in the context."""
    st.markdown(_("**What tool calls needed**"))
    st.caption(
        _(
            "Values in the arguments of a tool call that the conversation had said before: an order number, a "
            "date. Had the model made the call under this setting, was the value in what it was sent?"
        )
    )
    for column, setting, recall in zip(
        st.columns(len(settings)), settings, needed, strict=True
    ):
        column.metric(
            setting.label,
            "–" if recall.share is None else f"{recall.share:.0%}",
            help=_(
                "{there:,} of {count:,} needed values were sent.",
                there=sum(argument.in_context for argument in recall.arguments),
                count=len(recall.arguments),
            ),
        )
    missed = []
    for arguments in zip(*(recall.arguments for recall in needed), strict=False):
        if not all(argument.in_context for argument in arguments):
            missed.append(arguments)
    if not missed:
        st.caption(_("No setting missed any of them."))
        return
    shown = missed if widget_value(ALL_KEY) else missed[:MOST_MISSES]
    show_table([_row(settings, arguments) for arguments in shown], _(MISSES_ALT))
    if len(missed) > MOST_MISSES:
        st.toggle(
            _("Show all {count:,} values that were missed", count=len(missed)),
            key=ALL_KEY,
        )


def _row(
    settings: Sequence[SettingRun], arguments: Sequence[NeededArgument]
) -> dict[str, str]:
    first = arguments[0]
    row = {
        _("Turn"): f"{first.turn:,}",
        _("Tool"): plain(first.tool),
        _("Argument"): plain(first.name),
        _("Value"): plain(shorten(first.value, VALUE_CHARS)),
        _("Last said in message"): f"{message_number(first.last_seen):,}",
    }
    for setting, argument in zip(settings, arguments, strict=True):
        row[plain(setting.label)] = _(STATE_WORDS[argument.source])
    return row


QUESTION = noop("What would the built-in model have kept?")
HOW_TO_READ = noop(
    "The same settings, summarized once by the recorded model and once by the built-in model that is used "
    "where nothing was recorded. Facts that a request still holds after the last turn; the tokens of "
    "the summary that it is sent."
)


def offer_stand_in_table(results: Sequence[RetentionResult]) -> None:
    """Draw a table with one row a recorded setting, made when it is opened; nothing where nothing is recorded."""
    recorded = []
    for result in results:
        if Author.RECORDED in list_authors(result.run):
            recorded.append(result)
    if recorded:
        draw = partial(_draw_agreement_table, recorded)
        folded(_(QUESTION), "facts-stand-in", ":material/compare:", draw)


def _draw_agreement_table(results: Sequence[RetentionResult]) -> None:
    rows: list[dict[str, object]] = []
    sentences: list[str] = []
    for result in results:
        other = _replay_with_stand_in(result)
        agreed = compare_retentions(result.retention, other.retention)
        rows.append(_agreement_row(result, other, agreed))
        sentences.append(f"{result.setting.label}: {_agreement_words(agreed)}")
    st.caption(_(HOW_TO_READ))
    alt = _("Facts kept by the recorded model and by the built-in model, by setting")
    show_data(pd.DataFrame(rows), alt)
    for sentence in sentences:
        show_caption(sentence)


def _replay_with_stand_in(result: RetentionResult) -> RetentionResult:
    """Return what a setting retains where the built-in model writes its summaries."""
    state = compare_state()
    strategy = result.run.strategy
    same = state.setting_at(result.setting.index)
    recalls: tuple[tuple[int, Recall], ...] = ()
    if same is not None and strategy.allows_recall:
        recalls = state.recalls_of(same)
    id = state.conversation_id or ""
    first = workspace().beginning(id, state.first)
    counter = result.run.counter.name
    key = RunKey(id, strategy, counter, OFFLINE, recalls, first=first)
    run = workspace().run(key, model(OFFLINE))
    (other,) = retention_results(
        [replace(result.setting, run=run)], result.retention.probes
    )
    return other


def _agreement_words(agreed: Agreement) -> str:
    return _(
        "of {facts} both keep {both}, the recorded model alone {only_one}, the built-in model alone "
        "{only_other}; they agree on {share:.0%}.",
        facts=counted(agreed.facts, "fact"),
        both=agreed.both,
        only_one=agreed.only_one,
        only_other=agreed.only_other,
        share=agreed.share,
    )


def _agreement_row(
    result: RetentionResult, other: RetentionResult, agreed: Agreement
) -> dict[str, object]:
    facts = agreed.facts
    recorded_tokens = count_sent_summary_tokens(result.run.turns[-1])
    built_in_tokens = count_sent_summary_tokens(other.run.turns[-1])
    return {
        _("Setting"): result.setting.label,
        _("Recorded keeps"): _("{one} of {facts}", one=agreed.one, facts=facts),
        _("Built-in model keeps"): _(
            "{other} of {facts}", other=agreed.other, facts=facts
        ),
        _("Both"): agreed.both,
        _("Agree"): f"{agreed.share:.0%}",
        _("Tokens, recorded"): f"{recorded_tokens:,}",
        _("Tokens, built-in"): f"{built_in_tokens:,}",
    }
