"""The charts of a summary's changes from version to version, and the same summaries by other writers."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import plotly.graph_objects as go
import streamlit as st

from memviz.core.text.wording import counted, dollars, listed
from memviz.core.translation import _, noop
from memviz.dashboard.charts.palette import SettingRun
from memviz.dashboard.charts.summaries.evolution import (
    carried_over_chart,
    compression_chart,
    nesting_chart,
    word_origins_chart,
)
from memviz.dashboard.ui.controls.conversations import studied_conversation
from memviz.dashboard.ui.controls.pictures import chart
from memviz.dashboard.ui.controls.pricing import prices_in_force
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.facts.retention_cache import retention_results
from memviz.dashboard.ui.shell.elements import drawer, header, show_table
from memviz.dashboard.ui.shell.frame import workspace
from memviz.dashboard.ui.shell.text import plain
from memviz.engine.run import Run
from memviz.metrics.requests.request_axis import RequestAxis, make_axis
from memviz.metrics.requests.traffic import count_traffic
from memviz.metrics.summaries.events import Author, grows_a_list, list_models
from memviz.metrics.summaries.evolution import VersionFacts
from memviz.metrics.summaries.inventions import measure_worth
from memviz.storage.recording_shelf import summary_words
from memviz.storage.workspace import RunKey
from memviz.transcripts.base import Probe


class _Chart(NamedTuple):
    draw: Callable[[Sequence[VersionFacts], RequestAxis], go.Figure]
    title: str
    caption: str
    help: str
    finding: Callable[[VersionFacts], str]


COMPRESSION = _Chart(
    compression_chart,
    noop("How much shorter than its sources?"),
    noop("Source tokens for each token of the summary."),
    noop(
        "All messages it stands for: their tokens, for each token of the summary. While a summary keeps "
        "its size this grows with every version: the same room for more and more. What it was made of: the "
        "messages newly taken in and the summary before, so the work of this one summarization."
    ),
    lambda last: _(
        "{compression:.0f} tokens of messages for each of its tokens",
        compression=last.compression,
    ),
)
CARRIED = _Chart(
    carried_over_chart,
    noop("How much of the last version survived?"),
    noop(
        "Where the violet line is low, most of the last version was given up. What was given up is gone "
        "for good."
    ),
    noop(
        "Words are compared in order, as under What changed above. Kept: the share of the last version's "
        "words that this one still has. New: the share of this version's words that the last one did not "
        "have."
    ),
    lambda last: (
        _("nothing came before it")
        if last.carried_share is None
        else _(
            "{share:.0%} of the words of the version before it kept",
            share=last.carried_share,
        )
    ),
)
ORIGIN = _Chart(
    word_origins_chart,
    noop("Where do its words come from?"),
    noop("Neither: words in none of its sources, invented or reworded."),
    noop(
        "Different content words of each version, compared by number, name and word stem; function words "
        "do not count. A word found in both sources counts as the last version's."
    ),
    lambda last: _(
        "{number:,} words found in nothing that its writer read",
        number=last.origin.nowhere,
    ),
)
NESTING = _Chart(
    nesting_chart,
    noop("How often was its oldest content summarized?"),
    noop(
        "A summary is made from the summary before it. Each time something can get lost or twisted."
    ),
    noop(
        "How many summarizations the oldest content of each version has been through. A grey ring marks a "
        "version whose text holds the heading of an earlier summary: that one was copied into it, not "
        "summarized."
    ),
    lambda last: _(
        "its oldest content went through {summarizations}",
        summarizations=counted(last.generation, "summarization"),
    ),
)


def evolution_charts(run: Run, facts: Sequence[VersionFacts]) -> None:
    """The charts, two a row. Entries of a list replace nothing, so nothing of them lives on or nests."""
    header(_("How it changed from version to version"))
    axis = make_axis([run])
    changes = [COMPRESSION, CARRIED, ORIGIN, NESTING]
    if grows_a_list(run):
        changes = [COMPRESSION, ORIGIN]
    for row in zip(changes[::2], changes[1::2], strict=True):
        for column, change in zip(st.columns(2, gap="large"), row, strict=True):
            with column:
                st.markdown(f"**{_(change.title)}**", help=_(change.help))
                chart(
                    change.draw(facts, axis),
                    f"summaries-{change.draw.__name__}",
                    _(
                        "{title} Of the newest version: {finding}.",
                        title=_(change.title),
                        finding=change.finding(facts[-1]),
                    ),
                )
                st.caption(_(change.caption))


TITLE = noop("The same memory by other writers")
ABOUT = noop(
    "One row for each recording of this memory. Not in the prompt: names, numbers and dates that a "
    "summary says and its prompt does not, each where it began; a sum of the prompt's numbers counts "
    "as well. Dollars: both models at the prices chosen under Costs, whoever wrote."
)


def writers(setting: SettingRun, probes: Sequence[Probe]) -> None:
    """The table, folded; nothing where the memory was not recorded more than once."""
    runs = _recorded(setting.run)
    if len(runs) < 2:
        return
    with drawer(_(TITLE), ":material/groups:", "summaries-writers"):
        st.caption(_(ABOUT))
        show_table(writers_table(runs, probes), _("Every writer, one a row"))


def _recorded(run: Run) -> list[Run]:
    """The replays of this memory that recordings play, at whatever length they were made for."""
    state = compare_state()
    id = state.conversation_id or ""
    writers = workspace().recordings.writers_of(
        *studied_conversation(), run.strategy, state.counter
    )
    first = workspace().beginning(id, state.first)
    runs = []
    for name, strategy in writers:
        key = RunKey(id, strategy, state.counter, name, first=first)
        runs.append(workspace().run(key, workspace().free_summarizer(key)))
    return runs


def writers_table(runs: Sequence[Run], probes: Sequence[Probe]) -> list[dict[str, str]]:
    """Return a row for each writer and length, in the order of the recordings."""
    prices = prices_in_force()
    results = retention_results([SettingRun(run, "", 0) for run in runs], tuple(probes))
    rows = []
    for run, result in zip(runs, results, strict=True):
        worth = measure_worth(run, result.retention)
        asked = summary_words(run.strategy)
        usd = prices.cost(count_traffic(run)).total_usd
        row = {
            _("Writer"): plain(listed(list_models([run], Author.RECORDED))),
            _("Asked for"): _("{number:,} words", number=asked)
            if asked
            else _("no length"),
            _("Words a summary"): "–",
            _("Facts known at the end"): _(
                "{known:,} of {born:,}", known=worth.known, born=worth.stated
            ),
            _("Not in the prompt"): f"{worth.invented:,}",
            _("Dollars"): _("not known"),
        }
        if worth.words is not None:
            row[_("Words a summary")] = f"{worth.words:,.0f}"
        if usd is not None:
            row[_("Dollars")] = dollars(usd)
        rows.append(row)
    return rows
