"""``memviz design``: a memory from a budget."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, BadParameter, Exit, Option

from memviz.cli.arguments import read_share, settings_to_try, target_named
from memviz.cli.errors import FAILED, WRONG_USE, OutputError
from memviz.cli.option_groups import take_groups
from memviz.cli.options import AsJson, Counter, Database
from memviz.cli.output import complain, console, write_json, write_text
from memviz.cli.sweep_options import (
    Grid,
    NoKeep,
    PriceOptions,
    Reading,
    Summarizing,
    Workers,
    executor_of,
)
from memviz.cli.sweep_plan import LONG_MESSAGES, prepare_conversations
from memviz.cli.sweep_runner import work_off
from memviz.cli.sweeping import assume_prices
from memviz.core.bounds import MAX_USD
from memviz.core.counters import DEFAULT_COUNTER
from memviz.core.counters import counter as find_counter
from memviz.core.text.wording import counted
from memviz.models.names import DEFAULT_MODEL, OFFLINE

if TYPE_CHECKING:
    from memviz.code_export import Target
    from memviz.strategies.base import Strategy
    from memviz.tuning.design import Design, Designing
    from memviz.tuning.sweep_conversation import SweepConversation
    from memviz.tuning.sweeping import Sweeping

LONG_SECONDS = 60.0
"""How long a search takes from which on that is said before."""
Conversations = Annotated[
    list[str],
    Argument(
        metavar="FOLDER_FILE_OR_ID...",
        help="Folders, files (- is stdin), or ids of saved conversations; four at least.",
    ),
]
UsdPer1000 = Annotated[
    float,
    Option(
        "--usd-per-1000",
        metavar="USD",
        min=0.0,
        max=MAX_USD,
        help="The most that 1,000 requests may cost, replies and summaries included. Requests, for a provider bills "
        "these, and conversations are of any length.",
    ),
]
Keep = Annotated[
    str,
    Option(
        "--keep",
        metavar="KIND=SHARE,...",
        help="The share of what was stated so far that a request has to hold, on average: facts (all of them), "
        "and rules, such as rules=100%,facts=85%; constraints, goals and preferences where a file brought them along.",
    ),
]
Holdout = Annotated[
    float,
    Option(
        "--holdout",
        metavar="SHARE",
        min=0.0,
        max=1.0,
        help="The share of the conversations that the search never sees; at least two.",
    ),
]
Seed = Annotated[
    int,
    Option(
        "--seed", metavar="N", min=0, help="Which conversations are held out: a draw."
    ),
]
Code = Annotated[
    str | None,
    Option(
        "--code",
        metavar="TARGET",
        help="Write code as well: memviz_code, llamaindex, langchain_middleware, openai_agents or plain_python, or "
        "the beginning of one. Only settings that it has code for are searched.",
    ),
]
Out = Annotated[
    Path,
    Option(
        "--out", "-o", metavar="FOLDER", help="The folder for memory.yaml and code."
    ),
]


@take_groups
def design_memory(
    conversations: Conversations,
    *,
    grid: Grid,
    prices: PriceOptions,
    reading: Reading,
    usd_per_1000: UsdPer1000,
    keep: Keep = "facts=90%",
    holdout: Holdout = 0.25,
    seed: Seed = 0,
    counter: Counter = None,
    workers: Workers = None,
    code: Code = None,
    out: Out = Path("design"),
    json: AsJson = False,
    no_keep: NoKeep = False,
    db: Database = None,
) -> None:
    """Search the cheapest memory that a budget pays for and that keeps what is asked for.

    Many settings are measured over a few conversations, the better half over twice as many, and so on. Some
    conversations are held out: the setting that was found is measured over them once, at the end, and its figures
    there are reported with their 95 % intervals. It is explained part by part, written as memory.yaml (and as code),
    and the file is read again and run over the conversations held out. No model is called: the built-in model
    summarizes. The same --seed gives the same answer.
    The exit code is 1 where no setting meets what is asked, or the conversations held out say otherwise, and 2 after an
    error.

    \b
    Examples:
      memviz design chats/ --usd-per-1000 4 --keep rules=100%,facts=85% --code langchain
      memviz design chats.json --usd-per-1000 0.8 -s summary_buffer:max_token_limit=500..8000/8 --workers 2
    """
    from memviz.code_export import MEMORY_YAML
    from memviz.models.registry import model as find_model
    from memviz.storage.workspace import Workspace
    from memviz.tuning.design import Designing
    from memviz.tuning.figures import Terms
    from memviz.tuning.holdout import split_conversations

    terms = Terms(usd_per_1000, _read_shares(keep))
    target = MEMORY_YAML if code is None else target_named(code)
    _expect_writable(out)
    counter = counter or DEFAULT_COUNTER
    assumptions = assume_prices(Summarizing(counter), prices)
    sources = reading.find_sources(conversations, db)
    subjects = prepare_conversations(sources, counter)
    search, held_out = split_conversations(subjects, holdout, seed)
    to_try = _find_settings(grid, search, counter)
    designing = Designing(
        search,
        held_out,
        _keep_with_code(to_try, target, counter),
        terms,
        _work_off,
        counter=counter,
        summarizer=find_model(OFFLINE),
        assumptions=assumptions,
        kept=None if no_keep else Workspace(db).store,
        executor=executor_of(workers),
        workers=workers,
    )
    _say_how_long(designing)
    files = [source.file for source in sources]
    _print_answer(designing, target, out, files, as_json=json)


def _expect_writable(folder: Path) -> None:
    """Raise :class:`OutputError` where no file can be written to ``folder``, or where one that is not there cannot be
    made: a search takes minutes."""
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir():
        raise OutputError(f"{folder} cannot be made: {existing} is no folder.")
    if not os.access(existing, os.W_OK | os.X_OK):
        raise OutputError(
            f"{folder} cannot be written to: {existing} is write-protected."
        )


def _print_answer(
    designing: Designing,
    target: Target,
    folder: Path,
    files: Sequence[str],
    *,
    as_json: bool,
) -> None:
    """Search, print the answer, write what was found, and run it again from its file."""
    from memviz.cli.design_report import as_plain, print_design

    design = designing.run()
    if as_json:
        write_json({**as_plain(design), "is_held": design.is_held})
    else:
        counter = find_counter(designing.counter).name
        print_design(console(), design, designing.assumptions, counter)
    if design.setting is not None:
        _write_files(design, designing, target, folder, files)
    if not design.is_held:
        raise Exit(FAILED)


def _read_shares(text: str) -> dict[str, float]:
    """Return the kinds and shares of ``rules=100%,facts=0.85``: 1.0 of rules and 0.85 of facts."""
    shares = {}
    for part in text.split(","):
        kind, _, share = part.partition("=")
        try:
            shares[kind.strip()] = read_share(share)
        except ValueError:
            raise BadParameter(
                f"{part!r} is not of the form KIND=SHARE, such as facts=85%.",
                param_hint="--keep",
            ) from None
    return shares


def _find_settings(
    grid: Grid, search: Sequence[SweepConversation], counter: str
) -> tuple[Strategy, ...]:
    """Return the settings to search: those of the command, else all that are worth trying."""
    from memviz.tuning.candidates import list_candidates
    from memviz.tuning.grid import find_largest_sizes

    count = find_counter(counter)
    if not grid.strategies and not grid.assignments:
        return list_candidates(search, count)
    largest = find_largest_sizes([subject.log for subject in search], count)
    return settings_to_try(grid.strategies or (), grid.assignments or (), largest)


def _keep_with_code(
    settings: Sequence[Strategy], target: Target, counter: str
) -> tuple[Strategy, ...]:
    """Return the settings that the target has code for. Raises :class:`memviz.code_export.NoCodeError` where it has
    none for any."""
    from memviz.code_export import NoCodeError, Setting

    # A target says that it has no code only as it writes it.
    with_code = []
    refusal = None
    for setting in settings:
        try:
            target.write(Setting(setting, counter=counter))
        except NoCodeError as error:
            refusal = error
        else:
            with_code.append(setting)
    if refusal is not None and not with_code:
        raise refusal
    left_out = len(settings) - len(with_code)
    if left_out:
        complain(
            f"{target.title} has no code for {counted(left_out, 'setting')}: {counted(with_code, 'setting')} left."
        )
    return tuple(with_code)


def _work_off(sweeping: Sweeping) -> None:
    """Measure with a bar on stderr. What is not brought to its end ends the command, by Ctrl-C or after an error."""
    settings = counted(sweeping.settings, "setting")
    conversations = counted(sweeping.subjects, "conversation")
    ended = work_off(sweeping, f"Measuring {settings} over {conversations}")
    if ended.code:
        raise Exit(WRONG_USE if ended.code == FAILED else ended.code)


def _say_how_long(designing: Designing) -> None:
    """Say how long a search takes that takes more than a minute, as its settings do over the beginning of the first
    conversation."""
    from memviz.dashboard.words.estimates import time_words
    from memviz.models.registry import model as find_model
    from memviz.transcripts.base import Transcript
    from memviz.tuning.pace import HERE

    if designing.planned_messages < LONG_MESSAGES:
        return
    settings = designing.settings
    writer = find_model(OFFLINE)
    transcript = Transcript(tuple(designing.search[0].log))
    HERE.try_out(settings, transcript, designing.counter, writer)
    # Each setting is replayed over all conversations of the search.
    messages_a_setting = designing.planned_messages // len(settings)
    seconds = HERE.predict_total_seconds(settings, OFFLINE, messages_a_setting)
    if seconds is not None and seconds > LONG_SECONDS:
        complain(
            f"{counted(settings, 'setting')} take about {time_words(seconds)} in one process, less what was "
            "measured before. --workers shares it out."
        )


def _write_files(
    design: Design,
    designing: Designing,
    target: Target,
    folder: Path,
    files: Sequence[str],
) -> None:
    """Write the setting that was found as memory.yaml and for the target, read the first again, and say whether it
    gives the figures that were reported; where it does not, the command ends."""
    from memviz.cli.design_report import found_words
    from memviz.code_export import MEMORY_YAML, Setting
    from memviz.engine.memory_config import load_memory_config, strategy_of

    assert design.setting is not None  # noqa: S101 - only what was found is written
    prices = designing.assumptions.main
    prompts = {subject.whole_system_prompt for subject in designing.search}
    setting = Setting(
        design.setting,
        counter=find_counter(designing.counter).name,
        model=prices.model if prices else DEFAULT_MODEL,
        # Several prompts are those of several programs: none is that of all.
        system_prompt=prompts.pop() or None if len(prompts) == 1 else None,
        found=found_words(design),
        repair_tool_pairs=True,
    )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or error
        raise OutputError(f"{folder} cannot be made: {reason}.") from error
    for file_target in dict.fromkeys((target, MEMORY_YAML)):
        path = folder / file_target.file_name
        write_text(file_target.write(setting), path, *files)
    again = designing.replay_anew(strategy_of(load_memory_config(path)))
    where = f"{path}, read again and run over the conversations held out, gives"
    if again != design.holdout:
        complain(f"Error: {where} other figures.")
        raise Exit(FAILED)
    complain(f"{where} the same figures.")
