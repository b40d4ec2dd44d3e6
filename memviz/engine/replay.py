"""Replay: one recorded conversation under one strategy. Only the summarizer is called."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import dropwhile
from typing import Any

from memviz.core.bounds import type_of
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.errors import EmptyConversationError, MessageError, ParameterError
from memviz.core.messages import Message
from memviz.core.text.wording import counted
from memviz.core.translation import Said
from memviz.core.turns import Request, Turn
from memviz.engine.planned_recalls import PlannedRecalls, RequestKey
from memviz.engine.recall import Recall
from memviz.engine.review import check_wording
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.setting import Setting
from memviz.models.base import Model
from memviz.models.registry import model as find_model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

Messages = Transcript | Log | Iterable[Message | Mapping[str, Any]]


def as_log(messages: Messages) -> Log:
    """The messages as a log. A log stays itself, so that its token counts are shared. Raises :class:`MessageError` for
    what is no list of messages."""
    if isinstance(messages, Log):
        return messages
    if not isinstance(messages, Transcript | Iterable):
        raise MessageError(
            f"The messages are {type_of(messages)}; they have to be a list of messages or a Transcript."
        )
    return Log(messages.messages if isinstance(messages, Transcript) else messages)


def as_model(model: Model | str | None, parameter: str = "model") -> Model | None:
    """The model of this name; a model and ``None`` stay themselves. Raises :class:`ParameterError` for anything else,
    which it calls by the name of the ``parameter``."""
    if model is None or isinstance(model, Model):
        return model
    if isinstance(model, str):
        return find_model(model)
    raise ParameterError(
        parameter,
        model,
        "a model such as memviz.model('offline'), the name of one, or None",
    )


def replay(
    messages: Messages,
    strategy: Strategy,
    *,
    model: Model | str | None = "offline",
    counter: AnyCounter = DEFAULT_COUNTER,
    system_prompt: str | None = None,
    recalls: Mapping[RequestKey, Recall | Sequence[Recall]] | None = None,
    repair_tool_pairs: bool = False,
    edits: Mapping[int, str] | None = None,
    tools: Sequence[str] | None = None,
    progress: Callable[[int, int], object] | None = None,
    may_have_no_turn: bool = False,
) -> Run:
    """Return the run of ``strategy``: all that it would have sent, request by request, had this conversation been
    held under it.

    Replies come from the transcript; ``model`` only writes the summaries (``None``: nobody does).
    ``recalls`` maps a turn number to what is injected into its requests, from the first one on, or the numbers of a
    turn and of one of its calls, (12, 3), to what is injected from that call on to the end of the turn. A transcript's
    own system prompt is used unless another one is given. ``edits`` maps the number of a summary version to the text
    that is used in its place; later summaries then take that one in. ``progress`` gets the turns done and
    their number. ``tools`` are the schemas of tools, each as JSON text, that go with every request; those of a
    transcript unless others are given. Raises :class:`EmptyConversationError` when there is no user message, so nothing
    would be sent, unless the run ``may_have_no_turn``; :class:`ReviewError` for an empty edit; and :class:`RecallError`
    for recalls of a wrong type.
    """
    log = as_log(messages)
    if not may_have_no_turn:
        expect_turn(log)
    setting = setting_for(
        messages,
        strategy,
        model=model,
        counter=counter,
        system_prompt=system_prompt,
        repair_tool_pairs=repair_tool_pairs,
        edits=edits,
        tools=tools,
    )
    session, turns = begin_replay(log, setting, recalls)
    for turn in turns:
        if progress is not None:
            progress(turn, session.log.turn_count)
    run = session.run()
    if isinstance(messages, Transcript) and messages.probes:
        run = replace(run, probes=messages.probes)
    return run


def setting_for(
    messages: Messages,
    strategy: Strategy,
    *,
    model: Model | str | None = "offline",
    counter: AnyCounter = DEFAULT_COUNTER,
    system_prompt: str | None = None,
    repair_tool_pairs: bool = False,
    edits: Mapping[int, str] | None = None,
    tools: Sequence[str] | None = None,
) -> Setting:
    """Return the setting of a replay of ``messages``. The arguments and errors are those of :func:`replay`."""
    system_prompt, tools = prompt_and_tools(messages, system_prompt, tools)
    return Setting(
        strategy=strategy,
        counter=find_counter(counter),
        summarizer=as_model(model),
        system_prompt=system_prompt,
        repair_tool_pairs=repair_tool_pairs,
        edits={version: check_wording(text) for version, text in (edits or {}).items()},
        tools=tuple(tools),
    )


def prompt_and_tools(
    messages: Messages, system_prompt: str | None, tools: Sequence[str] | None
) -> tuple[str | None, Sequence[str]]:
    """The system prompt and the schemas of tools that are given, or else those that a transcript brings along."""
    if isinstance(messages, Transcript):
        if system_prompt is None:
            system_prompt = messages.system_prompt
        if tools is None:
            tools = messages.tools
    return system_prompt, tools or ()


def begin_replay(
    log: Log,
    setting: Setting,
    recalls: Mapping[RequestKey, Recall | Sequence[Recall]] | None = None,
    *,
    may_pay_for_pending: bool = False,
) -> tuple[Session, Iterator[int]]:
    """Return a session and the turns that it goes through: the iterator yields the number of each turn when it is done,
    and the session has what was done so far. ``recalls`` are those of :func:`replay`. ``may_pay_for_pending``: a model
    that may cost is asked also for a summary that only the open request at the end needs, which nobody has made."""
    planned = PlannedRecalls(recalls)
    session = Session(log, setting)
    record: Callable[[Request], object] = session.record_replayed
    if planned or setting.repair_tool_pairs:
        record = partial(_record_with_recalls, session, planned)
    return session, _play_to_end(session, record, planned, may_pay_for_pending)


def _record_with_recalls(
    session: Session, planned: PlannedRecalls, request: Request
) -> None:
    prepared = session.request(*planned.recalls_for(session.log, request))
    session.record(session.record_of(prepared, session.reply_tokens(request)))


def _play_to_end(
    session: Session,
    record: Callable[[Request], object],
    planned: PlannedRecalls,
    may_pay: bool,
) -> Iterator[int]:
    """Play the whole log, and then show the request that is open at its end, if one is."""
    yield from play(session, record)
    pending = session.log.pending
    if pending is not None:
        session.foresee(*planned.recalls_for(session.log, pending), may_pay=may_pay)


def expect_turn(log: Log) -> None:
    """Raise :class:`EmptyConversationError` if the user says nothing in ``log``."""
    if not log.turn_count:
        raise EmptyConversationError(
            Said(
                "The conversation has {messages} and none of them is the user's, so there is no request to show.",
                messages=counted(log, "message"),
            )
        )


def play(session: Session, record: Callable[[Request], object]) -> Iterator[int]:
    """Let ``session`` take in the rest of its log turn by turn; yields the number of each turn when it is done.
    ``record`` is called whenever the session is ready for a request: once for each reply of the log."""
    log = session.log
    start = session.memory.length
    if not start:
        session.advance(log.turn_start(1) if log.turn_count else len(log))
    due = session.due_at
    for turn in dropwhile(lambda turn: turn.stop <= start, log.turns()):
        # Nothing is summarized before the log is longer than the turn.
        is_quiet = turn.stop < due
        for request in log.requests_of(turn):
            if request.stop <= start:
                continue
            if is_quiet:
                session.memory = session.memory.appended(request.stop)
            else:
                session.advance(request.stop)
                session.look_before_request()
            record(request)
        if not is_quiet:
            end_turn(session, turn)
            due = session.due_at
        yield turn.number
    session.advance(len(log))


def end_turn(session: Session, turn: Turn) -> None:
    """Take in the rest of ``turn``. It is complete then, unless the user still waits for an answer."""
    session.advance(turn.stop)
    pending = session.log.pending
    is_open = pending is not None and pending.turn == turn.number
    if not is_open and turn.stop > turn.asked:
        session.complete_turn()
