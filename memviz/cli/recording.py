"""``memviz record``: what a real model answers, kept in a file that plays it back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Exit, Option

from memviz.cli.arguments import prices_of, recalls_of, strategies_from
from memviz.cli.errors import FAILED, INTERRUPTED
from memviz.cli.inputs import Source, source_of
from memviz.cli.options import (
    Counter,
    Database,
    FileOrId,
    FormatName,
    Number,
    Prices,
    Recall,
    Settings,
    Strategies,
    UserName,
)
from memviz.cli.output import complain, progress_of, say
from memviz.cli.paying import Asked, agree_on_replays, costs, held, summarizer_named
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.text.wording import counted, dollars

if TYPE_CHECKING:
    from memviz.cli.arguments import Recalls
    from memviz.engine.recording import Progress
    from memviz.models.recordings.files import RecordingFile
    from memviz.strategies.base import Strategy
    from memviz.transcripts.base import Probe

ModelName = Annotated[
    str,
    Option(
        "--model",
        metavar="NAME",
        help="The model to record, as provider/model, its key in the environment.",
    ),
]
Out = Annotated[
    Path,
    Option(
        "--out",
        "-o",
        metavar="OUT",
        help="The recording. One that exists is gone on with.",
    ),
]
ApiBase = Annotated[
    str | None,
    Option(
        "--api-base",
        metavar="URL",
        help="Where the model is, if not at its provider's own address.",
    ),
]
Questions = Annotated[
    bool,
    Option(
        "--questions/--no-questions",
        help="Ask it the conversation's questions, too, under each strategy.",
    ),
]
BudgetUsd = Annotated[
    float | None,
    Option(
        "--budget",
        metavar="USD",
        min=0.0,
        help="The most that it may cost; needed with a price.",
    ),
]
Yes = Annotated[bool, Option("--yes", help="Spend up to the budget without asking.")]


def record_conversation(
    conversation: FileOrId,
    model: ModelName,
    out: Out,
    strategy: Strategies = None,
    settings: Settings = None,
    counter: Counter = None,
    questions: Questions = True,
    recall: Recall = None,
    budget: BudgetUsd = None,
    yes: Yes = False,
    usd_per_million: Prices = None,
    api_base: ApiBase = None,
    format: FormatName = None,
    number: Number = None,
    user: UserName = None,
    db: Database = None,
) -> None:
    """Record what a model answers: its summaries under memory strategies, and its answers to the questions.

    The recording is a text file that plays the same replies again, with no key and no network:
    --summarizer recording:OUT in a sweep, --model recording:OUT in a replay, Library in the dashboard.
    Every reply is on the disk before the next request is made. Stopped, killed or out of budget: give
    the same command again, and it goes on where it was; nothing is paid twice.

    \b
    Examples:
      memviz record chat.json -s summary:buffer_size=8 --model openai/gpt-5-mini --budget 0.50 -o chat.recording
      memviz record sample-trip -s summary -s summary_only --model ollama/llama3.2 --no-questions -o trip.recording
      memviz replay chat.json -s summary:buffer_size=8 --model recording:chat.recording
    """
    from datetime import UTC, datetime

    from memviz.models.recordings.files import RecordingFile
    from memviz.models.recordings.recording import About

    if not strategy:
        raise BadParameter(
            "Give --strategy NAME, once or more. `memviz strategies` shows the names."
        )
    chosen = strategies_from(strategy, settings or ())
    name = model.strip()
    counted_by = counter or DEFAULT_COUNTER
    recorded = _find_model(name, counted_by, budget, usd_per_million, api_base)
    source = source_of(conversation, db, format, number, user)
    recalls = recalls_of(recall or (), source.transcript)
    if out.exists() and source.file and out.samefile(source.file):
        raise BadParameter(
            f"{out} is the conversation itself. Give another name to write to."
        )
    probes = source.transcript.probes if questions else ()
    agree_on_replays(
        recorded,
        source.transcript,
        chosen,
        counted_by,
        probes,
        yes=yes,
        more=", and nothing for what the recording holds",
    )
    today = datetime.now(UTC).date().isoformat()
    about = About(title=source.transcript.title, model=name, made_on=today)
    with RecordingFile(out, about) as file:
        asked = _record(recorded, source, chosen, counted_by, recalls, file, probes)
    settings_held = counted(len(chosen), "setting")
    requests_made = counted(asked, "request")
    say(f"{out} holds {settings_held}; {requests_made} made now.{recorded.spent}")


def _find_model(
    name: str,
    counter: str,
    budget_usd: float | None,
    usd_per_million: str | None,
    api_base: str | None,
) -> Asked:
    """The model with its budget, once it is sure that it has one if it has a price."""
    from memviz.models.names import is_free
    from memviz.models.own_servers import is_self_hosted
    from memviz.models.registry import model as find_model

    if is_free(name):
        raise BadParameter(f"{name} is no model to record. Name one as provider/model.")
    by_hand = prices_of(usd_per_million, "--usd-per-million", most=2)
    needs_no_price = by_hand or api_base or is_self_hosted(name)
    if not needs_no_price and costs(name) is None:
        raise BadParameter(
            f"The price of {name} is not known. Give --usd-per-million IN,OUT and --budget USD."
        )
    if api_base:
        found = find_model(name, api_base=api_base)
    else:
        found = summarizer_named(name, counter)
    return held(found, budget_usd, by_hand)


def _record(
    recorded: Asked,
    source: Source,
    chosen: Sequence[Strategy],
    counter: str,
    recalls: Recalls,
    file: RecordingFile,
    probes: Sequence[Probe],
) -> int:
    """Record, and return how many requests were made. Whatever ends it early, what was answered is in the file."""
    from memviz.core.errors import MemvizError
    from memviz.engine.recall import by_request
    from memviz.engine.recording import record

    asked = 0
    with progress_of(f"Recording {recorded.who.name}") as bar:

        def show(now: Progress) -> None:
            nonlocal asked
            asked = now.asked
            if bar is None:
                return
            left = f"{now.setting}: {counted(now.asked, 'request')}"
            if recorded.budget:
                left += f", {dollars(recorded.budget.spent_usd)} spent"
            bar(now.done, now.total, left)

        try:
            record(
                source.transcript,
                chosen,
                model=recorded.who,
                file=file,
                counter=counter,
                progress=show,
                recalls=by_request(recalls),
                probes=probes,
            )
        except (MemvizError, KeyboardInterrupt) as error:
            is_interrupted = isinstance(error, KeyboardInterrupt)
            why = "Stopped by Ctrl-C." if is_interrupted else f"Error: {error}"
            complain(
                f"{why} What was answered is in {file.path}: the same command goes on from there.{recorded.spent}"
            )
            raise Exit(INTERRUPTED if is_interrupted else FAILED) from None
    return asked
