"""Replay: one recorded conversation under one strategy. Only the summarizer is called."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memviz.core.bounds import type_of
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.errors import EmptyConversationError, MessageError, ParameterError
from memviz.core.messages import Message
from memviz.core.text.wording import counted
from memviz.core.translation import _
from memviz.core.turns import Request, Turn
from memviz.engine.planned_recalls import PlannedRecalls, RequestKey
from memviz.engine.recall import Recall
from memviz.engine.review import worded
from memviz.engine.run import Run
from memviz.engine.session import Session, reply_tokens
from memviz.engine.setting import Setting
from memviz.models.base import Model
from memviz.models.registry import model as find_model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript

Messages = Transcript | Log | Iterable[Message | Mapping[str, Any]]


def as_log(messages: Messages) -> Log:
    """The messages as a log; a log stays itself, so its token counts are shared. Raises :class:`MessageError`."""
    if isinstance(messages, Log):
        return messages
    if not isinstance(messages, Transcript | Iterable):
        raise MessageError(
            f"The messages are {type_of(messages)}; they have to be a list of messages or a Transcript."
        )
    return Log(messages.messages if isinstance(messages, Transcript) else messages)


def as_model(model: Model | str | None, parameter: str = "model") -> Model | None:
    """A model, the one of this name, or none. Raises :class:`ParameterError`, which calls it by the name of the
    ``parameter``, for anything else."""
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
        must_have_a_turn(log)
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
    session, turns = begun(log, setting, recalls)
    for turn in turns:
        if progress is not None:
            progress(turn, session.log.turn_count)
    probes = messages.probes if isinstance(messages, Transcript) else ()
    return replace(session.run(), probes=probes)


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
    if isinstance(messages, Transcript):
        if system_prompt is None:
            system_prompt = messages.system_prompt
        if tools is None:
            tools = messages.tools
    return Setting(
        strategy=strategy,
        counter=find_counter(counter),
        summarizer=as_model(model),
        system_prompt=system_prompt,
        repair_tool_pairs=repair_tool_pairs,
        edits={version: worded(text) for version, text in (edits or {}).items()},
        tools=tuple(tools or ()),
    )


def begun(
    log: Log,
    setting: Setting,
    recalls: Mapping[RequestKey, Recall | Sequence[Recall]] | None = None,
    *,
    may_pay_for_pending: bool = False,
) -> tuple[Session, Iterator[int]]:
    """Return a replay that is gone through turn by turn: the iterator gives the number of each turn when it is done,
    and the session has what was done so far. ``recalls`` are those of :func:`replay`. ``may_pay_for_pending``: a model
    that may cost is asked also for a summary that only the open request at the end needs, which nobody has made."""
    wanted = PlannedRecalls(recalls)
    session = Session(log, setting)

    def request(asked: Request) -> None:
        prepared = session.request(*wanted.at(log, asked))
        session.record(prepared, reply_tokens(session, asked))

    if not wanted and not setting.repair_tool_pairs:
        turns = play(session, _plainly(session))
    else:
        turns = play(session, request)
    return session, _with_pending(session, turns, wanted, may_pay_for_pending)


def _with_pending(
    session: Session, turns: Iterator[int], wanted: PlannedRecalls, may_pay: bool
) -> Iterator[int]:
    """Go through ``turns``, and then show the request that is open at the end, if one is."""
    yield from turns
    pending = session.log.pending
    if pending is not None:
        session.foresee(*wanted.at(session.log, pending), may_pay=may_pay)


def _plainly(session: Session) -> Callable[[Request], object]:
    """Return what keeps the requests of a replay one after the other, as fast as it goes."""
    input_starts = iter(session.log.request_bounds()[4::5])
    totals = session.space.sums.reply_totals

    def request(asked: Request) -> None:
        reply_tokens = totals[asked.reply_stop] - totals[asked.stop]
        session.record_replayed(asked, next(input_starts), reply_tokens)

    return request


def must_have_a_turn(log: Log) -> None:
    """Raise :class:`EmptyConversationError` if the user says nothing in ``log``."""
    if not log.turn_count:
        raise EmptyConversationError(
            _(
                "The conversation has {messages} and none of them is the user's, so there is no request to show.",
                messages=counted(len(log), "message"),
            )
        )


def play(session: Session, request: Callable[[Request], object]) -> Iterator[int]:
    """Let ``session`` take in its log turn by turn; gives the number of each turn when it is done. ``request`` is
    called whenever the session is ready for one: once for each reply of the log."""
    log = session.log
    session.advance(log.turn_start(1) if log.turn_count else len(log))
    due = session.due_at
    for turn in log.turns():
        asked = log.requests_of(turn)
        if turn.stop < due:
            # Nothing happens within this turn.
            for call in asked:
                session.memory = session.memory.appended(call.stop)
                request(call)
        else:
            for call in asked:
                session.advance(call.stop)
                session.look_before_request()
                request(call)
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
