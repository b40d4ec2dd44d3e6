"""The summaries in numbers: what those in force come to at the end, and every version a row of a table."""

from collections.abc import Sequence

from memviz.core import page_titles
from memviz.core.translation import _, noop
from memviz.dashboard.ui.controls.pictures import places
from memviz.dashboard.ui.facts.summaries.version import version_noun
from memviz.dashboard.ui.shell.elements import drawer, show_table
from memviz.dashboard.ui.shell.text import plain
from memviz.dashboard.words.asked_length import broken_length_words
from memviz.dashboard.words.authors import reason_in_words
from memviz.dashboard.words.compactions import event_turn_table_words
from memviz.engine.run import Run
from memviz.metrics.requests.token_use import count_token_use
from memviz.metrics.summaries.events import (
    count_tokens_in_force,
    grows_a_list,
    list_compaction_events,
)
from memviz.metrics.summaries.evolution import VersionFacts

MOST_ROWS = 200
NUMBER_PIXELS = 140
_KEY_NUMBERS = (
    (
        noop("Tokens at the end"),
        noop(
            "Of the text that is sent in place of older messages. {compare} counts the heading that it is sent "
            "under, too."
        ),
    ),
    (
        noop("Messages replaced"),
        noop("Messages that are no longer sent word for word at the end."),
    ),
    (
        noop("Oldest content"),
        noop("How many summarizations it has been through."),
    ),
    (
        noop("Summarizer tokens"),
        noop("Into and out of it, in all calls that gave a summary."),
    ),
)
"""The name of each number, and its help."""


def draw_numbers(run: Run, facts: Sequence[VersionFacts]) -> None:
    """Draw the numbers of the summaries in force at the end, and the table of all versions behind a click."""
    _draw_key_numbers(run, facts)
    with drawer(
        _("All of them as a table"), ":material/table_rows:", "summaries-table"
    ):
        show_table(versions_table(run, facts), _("Every summary, one a row"))


def _draw_key_numbers(run: Run, facts: Sequence[VersionFacts]) -> None:
    events = list_compaction_events(run)
    count = events[-1].compaction.after.summary_count
    first = 0 if grows_a_list(run) else max(0, count - 1)
    in_force = run.space.summaries.in_block(first, count)
    covered = sum(len(version.covers) for version in in_force)
    generation = max(
        (fact.generation for fact in facts if fact.version in in_force), default=0
    )
    numbers = [
        f"{count_tokens_in_force(run, events[-1]):,}",
        f"{covered:,}",
        _("{number}× summarized", number=generation),
        f"{count_token_use(run).summarizer_tokens:,}",
    ]
    cells = places(numbers, NUMBER_PIXELS)
    for (place, number), (name, help) in zip(cells, _KEY_NUMBERS, strict=True):
        place.metric(_(name), number, help=_(help, compare=_(page_titles.COMPARE)))


def versions_table(run: Run, facts: Sequence[VersionFacts]) -> list[dict[str, str]]:
    """Return a row for each of the newest summaries that the picture shows."""
    noun = version_noun(run)
    asks_length = getattr(run.strategy, "summary_words", 0)
    rows = []
    for fact in facts[-MOST_ROWS:]:
        compaction = fact.event.compaction
        row = {
            noun: f"{fact.version.version:,}",
            _("Turn"): event_turn_table_words(fact.event),
            _("Tokens"): f"{fact.tokens:,}",
        }
        if asks_length:
            row[_("Words")] = broken_length_words(compaction) or _("as asked")
        row[_("Messages replaced")] = f"{len(fact.version.covers):,}"
        row[_("Why")] = plain(reason_in_words(compaction.reason))
        rows.append(row)
    return rows
