"""Make a recording: replays with a real model whose replies are written down, and its answers to the conversation's
questions."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, NamedTuple

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.messages import Message
from memviz.core.model_errors import (
    ModelError,
    UnusableSummarizerError,
)
from memviz.core.summaries import SummarySource
from memviz.engine.asking import ask
from memviz.engine.compaction import Compaction
from memviz.engine.planned_recalls import RequestKey
from memviz.engine.recall import Recall
from memviz.engine.replay import (
    Messages,
    as_log,
    begin_replay,
    expect_turn,
    prompt_and_tools,
    replay,
    setting_for,
)
from memviz.engine.run import Run
from memviz.models.base import (
    FirstFailureEnds,
    Meter,
    Model,
    ModelRequest,
    ModelWrapper,
    Reply,
    unmetered,
)
from memviz.models.recordings.files import RecordingFile
from memviz.models.recordings.player import RecordedModel
from memviz.models.recordings.recorder import Noted, Notes, RecordingModel
from memviz.models.recordings.recording import (
    About,
    RecordedReply,
    RecordedSetting,
    Recording,
    conversation_digest,
)
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Probe

Recalls = Mapping[RequestKey, Recall | Sequence[Recall]]
RecalledAt = Sequence[tuple[RequestKey, Recall]]
"""Recalls as pairs: a request, and what is recalled into it."""


class Progress(NamedTuple):
    """The progress of a recording."""

    setting: str
    """The label of the setting that is recorded now."""
    done: int
    total: int
    """The number of turns and questions of the setting."""
    asked: int
    """The number of requests that were made."""
    played: int
    """The number of requests that were on record already."""


def setting_of(
    messages: Messages,
    strategy: Strategy,
    counter: AnyCounter = DEFAULT_COUNTER,
    *,
    system_prompt: str | None = None,
    tools: Sequence[str] | None = None,
    recalls: Recalls | RecalledAt | None = None,
    answers: bool = False,
    digest: str | None = None,
) -> RecordedSetting:
    """The setting that has to be the same for a recording to hold the summaries of this replay. The arguments are
    those of :func:`memviz.replay`; the ``digest`` of the conversation is worked out unless it is given."""
    system_prompt, tools = prompt_and_tools(messages, system_prompt, tools)
    digest = digest or conversation_digest(as_log(messages), system_prompt, tools)
    chosen = {"id": strategy.id, **strategy.model_dump(mode="json")}
    return RecordedSetting(
        digest,
        chosen,
        find_counter(counter).name,
        _list_recalls(recalls or {}),
        answers,
    )


def record(
    messages: Messages,
    strategies: Sequence[Strategy],
    *,
    model: Model,
    file: RecordingFile,
    counter: AnyCounter = DEFAULT_COUNTER,
    recalls: Recalls | None = None,
    probes: Sequence[Probe] = (),
    progress: Callable[[Progress], object] | None = None,
) -> list[Run]:
    """Replay ``messages`` under each of ``strategies`` with ``model`` as the summarizer, ask it ``probes`` at the end
    of each run, and write all its replies to ``file``. What the file holds already is not asked for again.

    A setting counts as recorded once none of its replies is missing, so the first
    failure ends it. Raises that as :class:`memviz.core.model_errors.UnusableSummarizerError`
    or, of a question, as the :class:`memviz.core.model_errors.ModelError` it is, and
    :class:`memviz.core.model_errors.BudgetSpentError` where the budget is spent: what was
    answered is in the file.
    """
    log = as_log(messages)
    expect_turn(log)
    recorder = RecordingModel(model, file)
    writer = _FailureEnds(recorder)
    total = log.turn_count + len(probes)
    runs = []

    def tell(strategy: Strategy, done: int) -> None:
        if progress is not None:
            label = strategy.label
            now = Progress(label, done, total, recorder.asked, recorder.played)
            progress(now)

    for strategy in strategies:
        setting = setting_for(messages, strategy, model=writer, counter=counter)
        # What is shown of the open request is played, too.
        session, turns = begin_replay(log, setting, recalls, may_pay_for_pending=True)
        first = len(recorder.given)
        for turn in turns:
            tell(strategy, turn)
        run = session.run()
        needs = tuple(recorder.given[first:])
        for done, probe in enumerate(probes, log.turn_count + 1):
            ask(run, probe.question, model=recorder, summarizer=writer)
            tell(strategy, done)
        answers_need = tuple(recorder.given[first + len(needs) :])
        made_for = setting_of(
            messages, strategy, counter, recalls=recalls, answers=bool(probes)
        )
        made_for = replace(made_for, needs=needs, answers_need=answers_need)
        is_held = file.recording.holds(made_for) and not probes
        if not is_held and not file.recording.answers(made_for):
            file.add_setting(made_for)
        runs.append(run)
    return runs


Made = tuple[RecordedSetting, Run, Sequence[Probe]]
"""A replay with its setting, and the questions of its conversation."""


def build_recording(
    name: str, about: About, replies: Sequence[RecordedReply], runs: Sequence[Made]
) -> Recording:
    """Build a recording from ``replies`` that were noted while live models were asked.

    ``runs`` are replays, each with its setting and the questions of its conversation. A setting is recorded if all its
    summaries are among the replies, and its answers if all answers are.
    """
    # Several models may have answered one request. The first reply counts, so those of the runs' models come first.
    summarizers = set[str]()
    for _, run, _ in runs:
        summarizers.update(compaction.model for compaction in run.made_or_foreseen)
    replies = sorted(replies, key=lambda entry: entry.reply.model not in summarizers)
    recording = Recording.of(name, about, replies)
    settings = []
    for setting, run, probes in runs:
        summary_marks = _find_summary_marks(run, recording)
        if summary_marks:
            answer_marks = _find_answer_marks(run, probes, recording)
            setting = replace(
                setting,
                needs=summary_marks,
                answers=bool(answer_marks),
                answers_need=answer_marks,
            )
            settings.append(setting)
    return Recording.of(name, about, replies, settings)


def _find_summary_marks(run: Run, recording: Recording) -> tuple[str, ...]:
    """Return the marks of the replies that wrote a run's summaries; none if the recording lacks one."""
    marks = []
    for compaction in run.made_or_foreseen:
        if compaction.error or compaction.is_edited:
            return ()
        if compaction.asked:
            digest = ModelRequest(tuple(compaction.request)).digest
            reply = recording.replies.get(digest)
            if reply is None:
                return ()
            marks.append(reply.mark)
    return tuple(marks)


def play_recording(
    log: Log,
    strategy: Strategy,
    recording: Recording,
    counter: AnyCounter,
    system_prompt: str | None,
    tools: Sequence[str],
) -> Run | None:
    """Replay ``log`` with the replies of ``recording``; return ``None`` at the first reply that it lacks."""
    try:
        return replay(
            log,
            strategy,
            model=_EndsAtFirstMissing(recording),
            counter=counter,
            system_prompt=system_prompt,
            tools=tools,
        )
    except UnusableSummarizerError:
        return None


def _find_answer_marks(
    run: Run, probes: Sequence[Probe], recording: Recording
) -> tuple[str, ...]:
    """Return the marks of the replies that answer the questions; none if the recording lacks one."""
    notes = Notes()
    player = Noted(RecordedModel(recording), notes)
    try:
        for probe in probes:
            ask(run, probe.question, model=player)
    except ModelError:
        return ()
    return tuple(reply.mark for reply in notes.replies)


def predict_requests(
    messages: Messages,
    strategies: Sequence[Strategy],
    counter: AnyCounter,
    probes: Sequence[Probe],
) -> Iterator[Sequence[Message]]:
    """Yield the requests that these replays would send, with ``probes`` at their ends, to estimate what they cost.

    The offline summarizer stands in for the model, whose summaries may be shorter or longer.
    """
    for strategy in strategies:
        run = replay(messages, strategy, counter=counter)
        for compaction in run.made_or_foreseen:
            if compaction.asked:
                yield compaction.request
        # A run is asked its questions one by one; all are as long as the first, but for some words.
        if probes:
            first = ask(run, probes[0].question).context.messages
            yield from [first] * len(probes)


class _EndsAtFirstMissing(RecordedModel):
    """A recording that ends the replay at the first request that it lacks. It does not search for the nearest request
    for its error message, which takes long among many."""

    def _reply(self, request: ModelRequest) -> Reply:
        reply = self.find(request)
        if reply is None:
            raise UnusableSummarizerError(
                f"{self.name} holds no reply to this request."
            )
        return reply


class _FailureEnds(FirstFailureEnds):
    """A summarizer whose first failure ends the replay: without that summary the rest would be another run."""

    def is_last(self, error: ModelError) -> bool:
        """True: the model is not asked again after any failure."""
        return True


def _list_recalls(recalls: Recalls | RecalledAt) -> list[Any]:
    """Return the recalls as JSON values, sorted by their requests."""
    pairs = recalls.items() if isinstance(recalls, Mapping) else recalls
    planned = []
    for key, value in pairs:
        recalls_here = [value] if isinstance(value, Recall) else value
        for recall in recalls_here:
            planned.append([key, asdict(recall)])
    # Through JSON, since tuples are lists there.
    return [*map(json.loads, sorted(map(json.dumps, planned)))]


class RecordedSummaries(ModelWrapper):
    """A summarizer that gives the recorded summaries of ``run``, at their recorded cost, and asks ``summarizer`` for
    all others. A run in which the user changed one summary can so be made again without paying for those before it."""

    def __init__(self, run: Run, summarizer: Model) -> None:
        super().__init__(summarizer)
        self._written: dict[tuple[Message, ...], Reply] = {}
        for compaction in run.made_or_foreseen:
            if compaction.request and compaction.summary is not None:
                self._written[compaction.request] = _reply_of(compaction)

    def answer(
        self, request: ModelRequest, meter: Meter = unmetered
    ) -> Iterator[str | Reply]:
        """Ask the summarizer: only summaries are recorded."""
        return self._model.answer(request, meter)

    def summarize(self, messages: Sequence[Message]) -> Reply:
        """Return the recorded summary of exactly these messages, else a new one."""
        return self._written.get(tuple(messages)) or self._model.summarize(messages)

    def summarize_from(
        self, messages: Sequence[Message], source: SummarySource
    ) -> Reply:
        """Return the recorded summary of exactly these messages, else a new one, made with ``source``."""
        reply = self._written.get(tuple(messages))
        return reply or self._model.summarize_from(messages, source)


def _reply_of(compaction: Compaction) -> Reply:
    """Return the summarizer's reply from which the compaction was made."""
    return Reply(
        compaction.answered or "",
        usage=compaction.usage,
        cost_usd=compaction.cost,
        model=compaction.model,
        recorded=compaction.recorded,
        recorded_seconds=compaction.seconds if compaction.recorded else None,
    )
