"""Runs and sweeps as sentences and tables of a terminal. Imported where it is used: --help has to answer at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memviz.cli.output import new_table
from memviz.core.context import PARTS_IN_USE, TOKEN_PARTS, Fate
from memviz.core.counters import ENCODING_FILES
from memviz.core.text.visible import put_on_one_line
from memviz.core.text.wording import cost_words, counted, request_name
from memviz.dashboard.charts.sweeps.measure_words import WORDS, inline, shown_value
from memviz.dashboard.words.compactions import compaction_words, outcome_words
from memviz.dashboard.words.health import health_warnings
from memviz.dashboard.words.prices import basis_in_words
from memviz.metrics.requests.token_use import TokenUse, count_token_use
from memviz.metrics.summaries.events import Author, judge_outcome, list_authors
from memviz.models.names import in_words
from memviz.tuning.best_of_each import find_best_of_each
from memviz.tuning.recommendation import format_cost_range, format_share

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from memviz.engine.compaction import Compaction
    from memviz.engine.records import TurnRecord
    from memviz.engine.run import Run
    from memviz.tuning.constraints import Constraints
    from memviz.tuning.recommendation import Recommendation
    from memviz.tuning.results import Sweep

PARTS = (*TOKEN_PARTS[:-1], *PARTS_IN_USE, TOKEN_PARTS[-1])
"""The columns of tokens; what the protocol adds stands last. That of names is there only where anybody has one."""
EACH = "a conversation's cost on average (least to most)"
BEST_MEASURES = ("retention", "usd", "peak_tokens")
MEASURES = (*BEST_MEASURES, "all_tokens", "summarizations", "hit_rate")
NOT_ASKED = "not what is asked"


def print_run(out: Console, run: Run) -> None:
    """A run: its tokens request by request, every compaction with its reason, the totals, and what is unhealthy."""
    out.print(put_on_one_line(run.strategy.label), style="bold")
    out.print(_table_of_requests(run))
    if run.compactions:
        out.print()
        out.print("Compactions", style="bold")
        for compaction in run.compactions:
            out.print(put_on_one_line(_sentence_on(compaction, run)))
    out.print()
    use = count_token_use(run)
    out.print(_describe_requests(use, run))
    if use.summarizer_calls:
        out.print(_describe_summarizer(use, run))
    if _has_forms(run):
        out.print(_describe_reductions(run))
    for warning in health_warnings(run):
        out.print(
            put_on_one_line(f"{warning.title}: {warning.numbers} {warning.remedy}")
        )


def print_totals(out: Console, runs: Iterable[Run]) -> None:
    """The totals of several runs, one a line."""
    table = _tight_table(
        "strategy",
        "tokens sent",
        "at most",
        "summaries",
        "their tokens",
        "all tokens",
        "their cost",
    )
    for run in runs:
        use = count_token_use(run)
        numbers = (
            use.sent_tokens,
            use.peak_tokens,
            use.summarizations,
            use.summarizer_tokens,
            use.all_tokens,
        )
        cells = [f"{number:,}" for number in numbers]
        table.add_row(put_on_one_line(run.strategy.label), *cells, _cost_of(use, run))
    out.print(table)


def print_sweep(
    out: Console,
    sweep: Sweep,
    constraints: Constraints,
    best: Recommendation,
    *,
    all_settings: bool,
) -> None:
    """The recommendation with what it rests on, the best of each strategy, then the settings that do what is wanted
    and those that no other one beats, the cheapest first; with ``all_settings`` every one."""
    out.print(put_on_one_line(best.answer), style="bold")
    table = sweep.by_setting(constraints.over, allow_refused=constraints.allow_refused)
    if table.empty:
        return
    basis = basis_in_words(sweep.assumptions, sweep.counter)
    for sentence in (*best.grounds.sentences, basis):
        out.print(put_on_one_line(sentence))
    out.print()
    out.print(_table_of_best(sweep, constraints))
    table = table.assign(fits=constraints.fits(table))
    table = table.sort_values([sweep.cost_measure, "setting"], kind="stable")
    shown_rows = table if all_settings else table[table["fits"] | table["front"]]
    recommended = None if best.setting is None else sweep.settings.index(best.setting)
    out.print()
    measures = _with_rules(MEASURES, sweep)
    rows = shown_rows.to_dict("records")
    out.print(_table_of_settings(rows, measures, recommended))
    out.print()
    sentence = _describe_table(sweep, constraints, len(shown_rows), len(table))
    out.print(put_on_one_line(sentence))


def _tight_table(*columns: str, **layout: Any) -> Table:
    """A table of numbers, whose first and last columns may be something else."""
    options = {"right": columns[1:], "wrapped": columns, **layout}
    return new_table(*columns, header_style="dim", collapse_padding=True, **options)


def _table_of_requests(run: Run) -> Table:
    """A row a request. Which call of its turn it is stands there only where a turn has several."""
    has_names = any("names" in record.tokens for record in run.requests)
    parts = [part for part in PARTS if part != "names" or has_names]
    # Without calls of tools each turn has one request, and a column of ones would say nothing.
    place = ["turn", "call"] if run.has_calls else ["turn"]
    numbers = [*place, *parts, "total", "reply"]
    table = _tight_table(*numbers, "", right=numbers)
    for record in run.requests:
        counts = [record.turn]
        if run.has_calls:
            counts.append(record.call)
        counts += [record.tokens.get(part, 0) for part in parts]
        counts += [record.total_tokens, record.reply_tokens]
        table.add_row(*(f"{count:,}" for count in counts), _marks_of_request(record))
    return table


def _marks_of_request(record: TurnRecord) -> str:
    marks = []
    for compaction in record.compactions:
        if compaction.version:
            marks.append(_name_of_notes(compaction))
        else:
            marks.append(outcome_words(judge_outcome(compaction)))
    marks += [flag.replace("_", " ") for flag in record.flags]
    return ", ".join(marks)


def _name_of_notes(compaction: Compaction) -> str:
    """The summary that it wrote; notes of another kind by that kind."""
    return f"{put_on_one_line(compaction.track)} {compaction.version:,}"


def _sentence_on(compaction: Compaction, run: Run) -> str:
    sentence = compaction_words(compaction, run).sentence
    if not compaction.version:
        return sentence
    name = _name_of_notes(compaction)
    tokens = counted(compaction.summary_tokens, "token")
    return f"{sentence} {name[:1].upper()}{name[1:]} has a text of {tokens}."


def _describe_requests(use: TokenUse, run: Run) -> str:
    turns = f" in {counted(run.turns, 'turn')}" if run.has_calls else ""
    counter = run.counter.name
    whose = "any model but OpenAI's" if counter in ENCODING_FILES else "every model"
    return (
        f"Sent: {counted(use.sent_tokens, 'token')} in {counted(use.requests, 'request')}{turns}, "
        f"{use.mean_tokens:,.0f} on average, {use.peak_tokens:,} at most ({request_name(*use.peak)}). "
        f"Replies: {counted(use.reply_tokens, 'token')}. Counted with {put_on_one_line(counter)}, "
        f"approximate for {whose}."
    )


def _describe_summarizer(use: TokenUse, run: Run) -> str:
    models = set()
    for compaction in run.compactions:
        if compaction.model:
            recorded = " (recorded)" if compaction.recorded else ""
            models.add(put_on_one_line(in_words(compaction.model)) + recorded)
    names = ", ".join(sorted(models)) or "none answered"
    failed = ""
    if use.failed_summarizations:
        failed = f", {use.failed_summarizations:,} failed"
    return (
        f"Summarizer ({names}): {counted(use.summarizer_calls, 'call')}{failed}; "
        f"{use.summarizer_prompt_tokens:,} tokens in, {use.summarizer_output_tokens:,} out; cost {_cost_of(use, run)}."
    )


def _has_forms(run: Run) -> bool:
    """Return whether any request sends a message with less in it."""
    for record in run.requests:
        if any(piece.form is not None for piece in record.parts.messages):
            return True
    return False


def _describe_reductions(run: Run) -> str:
    """A sentence on the messages that the last request sends with less in them."""
    fates = run.fates_at(run.requests[-1])
    cleared_count = int((fates == Fate.CLEARED).sum())
    shortened = int((fates == Fate.SHORTENED).sum())
    return (
        f"In the last request {counted(cleared_count, 'message')} cleared (sent as a placeholder or without arguments) "
        f"and {shortened:,} shortened."
    )


def _cost_of(use: TokenUse, run: Run) -> str:
    is_recorded = Author.RECORDED in list_authors(run)
    return cost_words(use.summarizer_cost_usd, recorded=is_recorded)


def _table_of_best(sweep: Sweep, constraints: Constraints) -> Table:
    measures = _with_rules(BEST_MEASURES, sweep)
    table = _table_of_measures("best of each strategy", measures)
    for best in find_best_of_each(sweep, constraints):
        marks = [] if best.fits else [NOT_ASKED]
        if best.edge:
            marks.append(best.edge.words)
        table.add_row(*_cells_of(best.row, measures), ", ".join(marks))
    return table


def _with_rules(measures: Sequence[str], sweep: Sweep) -> Sequence[str]:
    """The measures, with the rules that are kept behind the facts where there are rules."""
    if not sweep.has_rules:
        return measures
    return [measures[0], "rule_retention", *measures[1:]]


def _table_of_settings(
    rows: list[dict[Any, Any]], measures: Sequence[str], recommended: int | None
) -> Table:
    """One row a setting; of several conversations the cost of a single one stands in a column of its own."""
    several = any(row["conversations"] > 1 for row in rows)
    table = _table_of_measures("setting", measures, [EACH] if several else [])
    for row in rows:
        spread = [format_cost_range(row)] if several else []
        marks = _marks_of_setting(row, recommended)
        table.add_row(*_cells_of(row, measures), *spread, marks)
    return table


def _table_of_measures(
    first: str, measures: Sequence[str], more: Sequence[str] = ()
) -> Table:
    numbers = [inline(WORDS[name].title) for name in measures]
    numbers += more
    return _tight_table(first, *numbers, "", right=numbers, wrapped=[*numbers, ""])


def _cells_of(row: Mapping[Any, Any], measures: Sequence[str]) -> list[str]:
    return [
        put_on_one_line(row["label"]),
        *(shown_value(name, row[name]) for name in measures),
    ]


def _marks_of_setting(row: dict[Any, Any], recommended: int | None) -> str:
    marks = []
    if row["setting"] == recommended:
        marks.append("recommended")
    if row["front"]:
        marks.append("front")
    if not row["fits"]:
        marks.append(NOT_ASKED)
    if row["refused"]:
        marks.append(f"{counted(row['refused'], 'request')} refused")
    if row["failed"]:
        marks.append(f"failed over {counted(row['failed'], 'conversation')}")
    return ", ".join(marks)


def _describe_table(
    sweep: Sweep, constraints: Constraints, rows: int, settings: int
) -> str:
    facts_by_subject = {
        place.subject: cell.facts for place, cell in sweep.cells.items()
    }
    facts = counted(sum(facts_by_subject.values()), "fact")
    sentence = f"{rows:,} of {counted(settings, 'setting')}."
    if rows != settings:
        sentence += " --all shows the others."
    sentence += (
        f" Asked is to keep {format_share(constraints.min_retention)} of {facts}"
    )
    if constraints.max_peak_tokens is not None:
        sentence += (
            f", with at most {constraints.max_peak_tokens:,} tokens in a request"
        )
    sentence += "."
    compared = len(sweep.compared_conversations)
    if compared > 1:
        middle_or_worst = "the middle" if constraints.over == "median" else "the worst"
        sentence += (
            f" Cost, tokens and summarizations of {compared:,} conversations are added; the facts kept and the largest "
            f"request are those of {middle_or_worst} one."
        )
    return sentence
