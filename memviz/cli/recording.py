"""``memviz record`` keeps what a real model answers in a file that plays it back."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import BadParameter, Exit, Option

from memviz.cli.arguments import recalls_of
from memviz.cli.errors import FAILED, INTERRUPTED
from memviz.cli.inputs import Source
from memviz.cli.option_groups import take_groups
from memviz.cli.options import (
    Counter,
    Database,
    FileOptions,
    FileOrId,
    Recall,
    Spending,
    StrategyOptions,
)
from memviz.cli.output import complain, progress_of, say
from memviz.cli.paying import (
    ModelToAsk,
    agree_on_replays,
    has_known_price,
    hold_to_budget,
    summarizer_named,
)
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.errors import MemvizError
from memviz.core.text.wording import counted, dollars
from memviz.models.names import is_free

if TYPE_CHECKING:
    from memviz.cli.arguments import Recalls
    from memviz.engine.recording import Progress
    from memviz.models.recordings.files import RecordingFile
    from memviz.models.recordings.recording import About
    from memviz.strategies.base import Strategy
    from memviz.transcripts.base import Probe, Transcript

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


@take_groups
def record_conversation(
    conversation: FileOrId,
    *,
    model: ModelName,
    out: Out,
    named: StrategyOptions,
    counter: Counter = None,
    questions: Questions = True,
    recall: Recall = None,
    spending: Spending,
    api_base: ApiBase = None,
    reading: FileOptions,
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
    if not named.named:
        raise BadParameter(
            "Give --strategy NAME, once or more. `memviz strategies` shows the names."
        )
    strategies = named.strategies()
    counter = counter or DEFAULT_COUNTER
    recorded_model = _model_with_budget(model.strip(), counter, spending, api_base)
    source = reading.find_source(conversation, db)
    recalls = recalls_of(recall or (), source.transcript)
    _refuse_to_overwrite(source, out)
    probes = source.transcript.probes if questions else ()
    agree_on_replays(
        recorded_model,
        source.transcript,
        strategies,
        counter,
        probes,
        yes=spending.yes,
        more=", and nothing for what the recording holds",
    )
    request_count = _record(
        out,
        source.transcript,
        strategies,
        recorded_model,
        counter=counter,
        recalls=recalls,
        probes=probes,
    )
    recorded_settings = counted(strategies, "setting")
    requests_made = counted(request_count, "request")
    say(
        f"{out} holds {recorded_settings}; {requests_made} made now.{recorded_model.spent}"
    )


def _refuse_to_overwrite(source: Source, out: Path) -> None:
    """Raise BadParameter if the recording would take the place of the conversation."""
    if out.exists() and source.file and out.samefile(source.file):
        raise BadParameter(
            f"{out} is the conversation itself. Give another name to write to."
        )


def _about(transcript: Transcript, model_name: str) -> About:
    """Return what a recording that is made today says of itself."""
    from memviz.models.recordings.recording import About

    today = datetime.now(UTC).date().isoformat()
    return About(title=transcript.title, model=model_name, made_on=today)


def _model_with_budget(
    name: str, counter: str, spending: Spending, api_base: str | None
) -> ModelToAsk:
    """Return the model to record, held to the budget if it costs money.

    Raises BadParameter for the built-in model and other models of memviz's own, for a
    price that nobody knows, and for a price without a budget.
    """
    from memviz.models.provider_keys import is_self_hosted
    from memviz.models.registry import model

    if is_free(name):
        raise BadParameter(f"{name} is no model to record. Name one as provider/model.")
    needs_no_list_price = spending.prices_by_hand or api_base or is_self_hosted(name)
    if not needs_no_list_price and not has_known_price(name):
        raise BadParameter(
            f"The price of {name} is not known. Give --usd-per-million IN,OUT and --budget USD."
        )
    if api_base:
        unpaid_model = model(name, api_base=api_base)
    else:
        unpaid_model = summarizer_named(name, counter)
    return hold_to_budget(unpaid_model, spending.budget_usd, spending.prices_by_hand)


def _record(
    out: Path,
    transcript: Transcript,
    strategies: Sequence[Strategy],
    recorded_model: ModelToAsk,
    *,
    counter: str,
    recalls: Recalls,
    probes: Sequence[Probe],
) -> int:
    """Record into the file ``out``, and return the number of requests that were made.

    Whatever ends it early, what was answered until then is in the file.
    """
    from memviz.engine.planned_recalls import group_by_request
    from memviz.engine.recording import record
    from memviz.models.recordings.files import RecordingFile

    name = recorded_model.budgeted.name
    request_count = 0
    with (
        RecordingFile(out, _about(transcript, name)) as file,
        progress_of(f"Recording {name}") as bar,
    ):

        def show(progress: Progress) -> None:
            nonlocal request_count
            request_count = progress.asked
            label = f"{progress.setting}: {counted(progress.asked, 'request')}"
            if recorded_model.budget:
                label += f", {dollars(recorded_model.budget.spent_usd)} spent"
            bar(progress.done, progress.total, label)

        with _say_how_to_go_on(file, recorded_model):
            record(
                transcript,
                strategies,
                model=recorded_model.budgeted,
                file=file,
                counter=counter,
                progress=show,
                recalls=group_by_request(recalls),
                probes=probes,
            )
    return request_count


@contextmanager
def _say_how_to_go_on(
    file: RecordingFile, recorded_model: ModelToAsk
) -> Generator[None]:
    """End the command at an error or Ctrl-C, and say that it can go on from there."""
    exit_code = FAILED
    try:
        yield
        return
    except KeyboardInterrupt:
        reason = "Stopped by Ctrl-C."
        exit_code = INTERRUPTED
    except MemvizError as error:
        reason = f"Error: {error}"
    complain(
        f"{reason} What was answered is in {file.path}: the same command goes on from there.{recorded_model.spent}"
    )
    raise Exit(exit_code)
