"""All that was measured: the numbers of the setting that is looked at, all settings in
a table, and a setting as code."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from memviz.code_export import Target, targets
from memviz.core import page_titles
from memviz.core.errors import MemvizError
from memviz.core.translation import _, noop, pgettext
from memviz.dashboard.charts.sweeps.measure_words import WORDS, shown_value
from memviz.dashboard.guide.glossary import tooltip
from memviz.dashboard.reporting.sweep_json import setting_to_export
from memviz.dashboard.ui.controls.study import compare_state
from memviz.dashboard.ui.shell.elements import drawer, header, offer_file, show_caption
from memviz.dashboard.ui.shell.linked import linked
from memviz.dashboard.ui.shell.text import plain
from memviz.strategies import strategies
from memviz.tuning.cautions import describe_idle
from memviz.tuning.constraints import Constraints
from memviz.tuning.measures import MEASURES
from memviz.tuning.results import Sweep

METRICS = (
    "retention",
    "usd",
    "peak_tokens",
    "summarizations",
    "hit_rate",
    "usd_per_fact",
)
METRIC_COLUMNS = 3
"""Six numbers in rows of three, two or one: none ever stands alone in the last row."""


def setting_card(
    sweep: Sweep, number: int, constraints: Constraints, conversations: Sequence[str]
) -> None:
    """Draw the setting that is looked at: its numbers, and the way to its run."""
    table = sweep.by_setting(constraints.over).set_index("setting")
    setting = sweep.settings[number]
    head = st.container(
        horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"
    )
    head.header(plain(setting.label), anchor=False)
    if head.button(
        _("Open in {page}", page=_(page_titles.COMPARE)),
        icon=":material/stacked_line_chart:",
        key="tune-compare",
        help=_(
            "Shows the run of this setting beside the full buffer, request by request."
        ),
    ):
        study = compare_state()
        study.open_one_of(conversations)
        study.compare_with_buffer(setting)
        st.switch_page("pages/compare.py")
    if number in table.index:
        _draw_metrics(table.loc[number].to_dict())
    for sentence in describe_idle(sweep, number):
        show_caption(sentence)
    for place, cell in sweep.cells.items():
        if place.setting == number and cell.error:
            words = _("It could not be run: {error}", error=plain(cell.error))
            st.warning(words, icon=":material/error:")
            break


def _draw_metrics(row: dict[Any, Any]) -> None:
    cells = st.grid(
        METRIC_COLUMNS, min_column_width=110, gap="small", key="tune-metrics"
    )
    for name in METRICS:
        value = row[name]
        with cells.cell():
            st.metric(
                WORDS[name].title,
                shown_value(name, value) if value == value else _("unknown"),
                help=WORDS[name].help,
            )


MONEY = "%.4f"
TABLE_PIXELS = 420
COLUMNS = (
    "label", "retention", "rule_retention", "usd", "uncached_usd", "summarizer_usd", "usd_per_fact", "hit_rate",
    "peak_tokens", "mean_tokens", "all_tokens", "summarizations", "front",
)  # fmt: skip
EACH = {
    "usd_mean": (
        noop("Each on average (USD)"),
        noop("What a single conversation costs on average."),
    ),
    "usd_least": (
        noop("Each at least (USD)"),
        noop("What a single conversation costs at least."),
    ),
    "usd_most": (
        noop("Each at most (USD)"),
        noop("What a single conversation costs at most."),
    ),
}
"""The columns on the cost of one of several conversations: title and help."""


def settings_table(sweep: Sweep, constraints: Constraints) -> None:
    """Draw every setting in a table that sorts, filters and can be saved."""
    with drawer(_("All settings in a table"), ":material/table:"):
        table = sweep.by_setting(
            constraints.over, allow_refused=constraints.allow_refused
        ).sort_values(sweep.cost_measure, ignore_index=True)
        row = st.container(horizontal=True, vertical_alignment="bottom")
        tried = list(dict.fromkeys(setting.id for setting in sweep.settings))
        kinds = row.pills(
            _("Strategies"),
            tried,
            selection_mode="multi",
            format_func=lambda id: _(strategies()[id].title),
            key="tune-table-strategies",
            help=_("None chosen shows all."),
            wrap=True,
        )
        fits = row.toggle(
            _("Only those that do what is asked for"), key="tune-table-fits"
        )
        if kinds:
            table = table[table["strategy"].isin(kinds)]
        if fits:
            table = table[constraints.fits(table)]
        st.dataframe(
            table[_shown_columns(sweep)].assign(label=table["label"].map(str)),
            hide_index=True,
            height=TABLE_PIXELS,
            column_config=_columns(),
            key="tune-table",
            alt=_("Every setting with its measures"),
        )
        offer_file(
            _("All measures as CSV"),
            lambda: sweep.frame().to_csv(index=False),
            "sweep.csv",
            "text/csv",
            "tune-csv",
        )


def _shown_columns(sweep: Sweep) -> list[str]:
    """Return the columns of the table: with rules where there are any, and of several conversations with what a single
    one costs behind the sum."""
    columns = list(COLUMNS)
    if not sweep.has_rules:
        columns.remove("rule_retention")
    if len(sweep.compared_conversations) > 1:
        behind_sum = columns.index("usd") + 1
        columns[behind_sum:behind_sum] = EACH
    return columns


def _columns() -> dict[str, Any]:
    columns = st.column_config
    config: dict[str, Any] = {
        "label": columns.TextColumn(
            _("Setting"), pinned=True, width="large", help=tooltip("setting")
        ),
        "front": columns.CheckboxColumn(_("On the front"), help=tooltip("front")),
    }
    for name, (title, help) in EACH.items():
        config[name] = columns.NumberColumn(_(title), help=_(help), format=MONEY)
    for name in MEASURES:
        measure = WORDS[name]
        unit = measure.unit
        format = "percent" if measure.is_share else "localized"
        if measure.is_money:
            unit = "USD"
            format = MONEY
        title = _("{title} ({unit})", title=measure.title, unit=unit)
        config[name] = columns.NumberColumn(title, help=measure.help, format=format)
    return config


MAX_PIXELS = 460
EXPORT_CAPTION = noop(
    "{setting} as a file or as code, in each library's own words. Comments say where a library behaves otherwise than "
    "what was measured here."
)
MIME = {"yaml": "application/yaml", "python": "text/x-python"}


def _choose_target() -> Target:
    targets_by_id = targets()
    first = next(iter(targets_by_id))
    linked("target", "tune-target", targets_by_id)
    chosen = st.pills(
        pgettext("target", "For"),
        targets_by_id,
        default=first,
        required=True,
        format_func=lambda id: _(targets_by_id[id].title),
        key="tune-target",
        label_visibility="collapsed",
        persist_state="session",
    )
    return targets_by_id[chosen or first]


def export_to_code(
    sweep: Sweep, number: int, constraints: Constraints, counter: str, summarizer: str
) -> None:
    """Draw a setting as code for the library that the visitor chooses, with a button that saves it."""
    setting = setting_to_export(sweep, number, constraints.over, counter, summarizer)
    if setting is None:
        return
    header(_("Export to code"), help=tooltip("export to code"))
    st.caption(_(EXPORT_CAPTION, setting=plain(setting.strategy.label)))
    target = _choose_target()
    try:
        text = target.write(setting)
    except MemvizError as error:
        st.info(plain(str(error)), icon=":material/code_off:")
        return
    if target.install:
        st.code(target.install, language="bash")
    st.code(
        text,
        language=target.language,
        wrap_lines=True,
        height=min(MAX_PIXELS, 90 + 21 * text.count("\n")),
    )
    offer_file(
        _("Save as {file}", file=target.file_name),
        lambda: text,
        target.file_name,
        MIME[target.language],
        "tune-save",
    )
