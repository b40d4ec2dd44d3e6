"""From a request to its reply: the model may think first, may recall, and then answers.

Nothing is written to the log before the end: a turn that fails or is stopped half way leaves nothing behind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import perf_counter
from typing import NamedTuple

from memviz.core.errors import RecallError
from memviz.core.messages import RECALL_EXCHANGE, Message, ToolCall
from memviz.core.model_errors import MalformedReplyError
from memviz.core.translation import ENGLISH, _, use_language
from memviz.engine.calls import ReplyFacts
from memviz.engine.part_tokens import count_message_tokens, count_tokens_by_part
from memviz.engine.recall import Recall, Recalled
from memviz.engine.records import PARTIAL_REPLY, RequestKind, TurnRecord
from memviz.engine.session import Session
from memviz.engine.state import Prepared
from memviz.engine.thinking import (
    THINKING_ENDED,
    THINKING_INSTRUCTION,
    Decision,
    read_decision,
    read_recall,
)
from memviz.models.base import Model, Reply, ToolChoice
from memviz.models.tools import (
    CONTINUE_THINKING,
    RECALL_CONVERSATION,
    TOOLS,
    RecallResult,
)
from memviz.strategies.base import Strategy, ToolUse

DEFAULT_MAX_RECALL_CONTEXTS = 3
"""Most recalls that the model may ask for in one turn under a strategy that has no bound of its own."""
MAX_REMINDERS = 3
"""How often a model that used up its recalls and calls again is told so, before it is given up."""
CHECKED_CHARS = 2000
"""How much a thought grows between two looks at its token budget: counting it at every piece would be slow."""


def allowed_tools(
    strategy: Strategy, model: Model, recall_tool: bool | None
) -> ToolUse:
    """Return the tools that ``model`` may use under ``strategy``.

    ``recall_tool`` offers recalling, or not, whatever the strategy says; one that has it switched off is obeyed. A
    model whose ``stream`` takes no tools is offered none.
    """
    if not model.takes_tools:
        return ToolUse()
    allowed = strategy.tool_use
    if recall_tool is None:
        return allowed
    recalls = 0
    if recall_tool and strategy.allows_recall:
        recalls = allowed.recalls or DEFAULT_MAX_RECALL_CONTEXTS
    return allowed._replace(recalls=recalls)


class Answering:
    """The way to one reply. When :meth:`stream` has ended or was closed, the fields say what happened."""

    def __init__(
        self,
        session: Session,
        model: Model,
        recalls: Sequence[Recall],
        allowed: ToolUse,
    ) -> None:
        self._session = session
        self._model = model
        self._asked = tuple(recalls)
        self._allowed = allowed
        self._by_model: tuple[Recall, ...] = ()
        self._recall_calls = 0
        self._pieces: list[str] = []
        self._is_thinking = allowed.thinking_rounds > 0
        self._thinks_on = self._is_thinking
        self.prepared = self._with_tools(session.prepare(self._asked))
        """The last request."""
        self.exchange: tuple[Message, ...] = ()
        """The messages after its input: calls of the recall tool and their results."""
        self.calls: tuple[_Call, ...] = ()
        """The calls of the model before the last one."""
        self.thoughts: tuple[Message, ...] = ()
        """The messages of the rounds of thinking."""
        self.reply = Reply("")
        """The reply to the last call."""
        self.facts = ReplyFacts(model.name)
        """The facts of that reply."""
        self.summary: Reply | None = None
        """The text by which the model wants to remember the turn."""

    @property
    def partial(self) -> str:
        """The answer as far as it has arrived, without thoughts."""
        return "" if self._is_thinking else "".join(self._pieces)

    def stream(self) -> Iterator[str]:
        """Think, recall, answer: yields the text in pieces, and the empty text while the model thinks.

        Raises :class:`memviz.core.model_errors.ModelError`.
        """
        if self._is_thinking:
            yield from self._think()
            self._is_thinking = False
        # Each round is one call of the model: it either answers, or calls tools whose results join the next call.
        # It ends because recalls are counted, and because a model that ignores the count is reminded only so often.
        reminders = 0
        while True:
            may_call = self._recall_calls < self._allowed.recalls
            yield from self._call((), "auto" if may_call else "none")
            if not self._goes_on(may_call) or reminders >= MAX_REMINDERS:
                break
            reminders += not may_call
            # Before the results are made: a recall changes self.prepared for the next call.
            self._note("recall")
            for message in (self.said, *map(self._result, self.reply.tool_calls)):
                marked = replace(message, meta={RECALL_EXCHANGE: True})
                self.exchange += (marked,)
        self._expect_answer()

    def finish(self, *, stopped: bool = False) -> TurnRecord:
        """The turn is over: its messages join the log, all at once, and a record of each call is kept. Returns the
        last, which knows them all."""
        # Recalls and their results are part of the conversation and go into the log, marked as an exchange; thoughts
        # are not, and stay with the records. Only now are the positions of the exchange known.
        session = self._session
        log = session.log
        length = len(log)
        reply = self.said
        if stopped:
            reply = Message("assistant", self.partial, meta={"partial": True})
        log.extend((*self.exchange, reply))
        log.token_sums(session.counter)
        last = self._call_made("answer", ())
        last = last._replace(reply_tokens=session.counter(reply.content))
        for call in (*self.calls, last):
            flags = (PARTIAL_REPLY,) if stopped and call is last else ()
            request = _request_as_sent(call, length)
            record = session.record_of(
                request, call.reply_tokens, call.facts, flags, call.kind, call.behind
            )
            session.record(record)
        return session.last_turn

    def _goes_on(self, may_call: bool) -> bool:
        """True if the reply is a call to be answered, not the answer itself. A model that was out of recalls and
        called once more beside its answer has answered."""
        calls_tools = self.prepared.parts.tools and self.reply.tool_calls
        return bool(calls_tools and (may_call or not self.reply.text.strip()))

    @property
    def _tools(self) -> tuple[str, ...]:
        """The tools of this turn, the same in each of its calls: later requests hold calls of them, and a provider's
        prompt cache holds only as long as they do not change."""
        names = []
        if self._allowed.thinking_rounds:
            names.append(CONTINUE_THINKING.name)
        if self._allowed.recalls:
            names.append(RECALL_CONVERSATION.name)
        return tuple(names)

    def _with_tools(self, prepared: Prepared) -> Prepared:
        if not self._tools:
            return prepared
        parts = prepared.parts._replace(tools=self._tools)
        return prepared._replace(
            parts=parts, tokens=count_tokens_by_part(prepared.memory, parts)
        )

    def _call(
        self, instruction: Sequence[Message], choice: ToolChoice, limit_tokens: int = 0
    ) -> Iterator[str]:
        """Ask the model, with ``instruction`` right after the input. Once ``limit_tokens`` of text have arrived, if
        there is a limit, the stream is left."""
        messages = [
            *self.prepared.context.messages,
            *instruction,
            *self.thoughts,
            *self.exchange,
        ]
        tools = [TOOLS[name] for name in self.prepared.parts.tools]
        self._pieces = []
        self.reply = Reply("")
        self.facts = ReplyFacts(self._model.name)
        started = perf_counter()
        # Without tools the call has no further arguments, so that a model whose stream takes none works as well.
        if tools:
            stream = self._model.stream(messages, tools, choice)
        else:
            stream = self._model.stream(messages)
        for item in stream:
            if isinstance(item, Reply):
                self.reply = item
                break
            self._pieces.append(item)
            yield item
            if limit_tokens and self._is_beyond(limit_tokens):
                self.reply = Reply("".join(self._pieces), finish_reason="length")
                break
        seconds = perf_counter() - started
        self.facts = ReplyFacts.of(self.reply, self._model.name, seconds)

    def _is_beyond(self, limit_tokens: int) -> bool:
        text = "".join(self._pieces)
        before = len(text) - len(self._pieces[-1])
        if len(text) // CHECKED_CHARS == before // CHECKED_CHARS:
            return False
        return self._session.counter(text) >= limit_tokens

    def _think(self) -> Iterator[str]:
        # Rounds end when the model says so, when it decides nothing, or when rounds or tokens are used up. The model
        # has to hear that it is over: as the result of its call of continue_thinking, or, where it made no such call
        # that could have a result, as a message of its own. Providers refuse a call that has no result.
        tokens_left = self._allowed.thinking_tokens
        for more_rounds in reversed(range(self._allowed.thinking_rounds)):
            for _piece in self._call((THINKING_INSTRUCTION,), "auto", tokens_left):
                yield ""
            self._note("thinking", (THINKING_INSTRUCTION,))
            tokens_left -= self._reply_tokens()
            decision = self._decision()
            self._thinks_on = decision.go_on and more_rounds > 0 and tokens_left > 0
            results = [self._result(call) for call in self.reply.tool_calls]
            called = [call.name for call in self.reply.tool_calls]
            if not self._thinks_on and CONTINUE_THINKING.name not in called:
                results.append(THINKING_ENDED)
            self.thoughts += (self.said, *results)
            if not self._thinks_on:
                break
        if decision.summary:
            self.summary = Reply(decision.summary, model=self.facts.model)

    def _decision(self) -> Decision:
        """The decision of the round. A round that decided nothing was the last; one that only recalled goes on."""
        for call in self.reply.tool_calls:
            if call.name == CONTINUE_THINKING.name:
                try:
                    return read_decision(call.arguments)
                except RecallError:
                    return Decision(go_on=True)  # the model is told what was wrong
        return Decision(go_on=bool(self.reply.tool_calls))

    def _result(self, call: ToolCall) -> Message:
        """The result of one of the model's calls. Errors are results, too: the model can correct its next call."""
        if call.name == CONTINUE_THINKING.name and self._allowed.thinking_rounds:
            text = self._thinking_result(call)
        elif self._recall_calls >= self._allowed.recalls:
            text = f"Error: at most {self._allowed.recalls} recalls in one turn. Go on with what you have."
        else:
            self._recall_calls += 1
            text = self._recall(call)
        return Message("tool", text, tool_call_id=call.id)

    def _thinking_result(self, call: ToolCall) -> str:
        """The result of a call of ``continue_thinking``. Once thinking is over such a call costs a recall, so that a
        model that goes on calling it comes to an end."""
        self._recall_calls += not self._is_thinking
        try:
            wants_more = read_decision(call.arguments).go_on
        except RecallError as error:
            problem = f"Error: {error}"
            if self._thinks_on:
                return problem
            return f"{problem} {THINKING_ENDED.content}"
        if self._thinks_on:
            return "Go on thinking."
        return THINKING_ENDED.content if wants_more else "Answer the user now."

    def _recall(self, call: ToolCall) -> str:
        if call.name != RECALL_CONVERSATION.name:
            return f"Error: there is no tool {call.name!r}. There is {RECALL_CONVERSATION.name}."
        try:
            with use_language(ENGLISH):  # a model reads what is wrong
                recall = read_recall(call.arguments)
        except RecallError as error:
            return f"Error: {error}"
        self._by_model += (recall,)
        prepared = self._session.request((*self._asked, *self._by_model))
        assert prepared.recalled is not None  # noqa: S101 - something was asked for
        recalled = replace(prepared.recalled, by_model=len(self._by_model))
        self.prepared = self._with_tools(prepared._replace(recalled=recalled))
        before = prepared.memory.before_open_turn
        return _recall_result(self._session.resolve((recall,), before), self.prepared)

    @property
    def said(self) -> Message:
        """The last call's reply as a message."""
        return Message("assistant", self.reply.text, tool_calls=self.reply.tool_calls)

    def _note(self, kind: RequestKind, instruction: tuple[Message, ...] = ()) -> None:
        self.calls += (self._call_made(kind, instruction),)

    def _call_made(self, kind: RequestKind, instruction: tuple[Message, ...]) -> _Call:
        """The call that was just made."""
        return _Call(
            kind=kind,
            prepared=self.prepared,
            behind=(*instruction, *self.thoughts),
            exchanged=len(self.exchange),
            reply_tokens=self._reply_tokens(),
            facts=self.facts,
        )

    def _reply_tokens(self) -> int:
        """Tokens that the model wrote in the call that was just made: as billed where that is known."""
        if self.facts.usage:
            return self.facts.usage.output_tokens
        return count_message_tokens(self._session.counter, self.said)

    def _expect_answer(self) -> None:
        name = self._model.name
        reply = self.reply
        says_something = bool(reply.text.strip())
        if self.prepared.parts.tools and reply.tool_calls:
            # It was told to answer, and called once more.
            if not says_something:
                raise MalformedReplyError(
                    _(
                        "{name} went on calling tools after its {recalls} recalls were used up, and gave no answer. "
                        "Try again, or allow it more recalls.",
                        name=name,
                        recalls=self._allowed.recalls,
                    ),
                    model=name,
                )
            self.reply = replace(reply, tool_calls=())
        elif not says_something and not reply.tool_calls:
            raise MalformedReplyError(
                _("{name} sent an empty reply. Try again.", name=name), model=name
            )


class _Call(NamedTuple):
    """A call of the model that was made."""

    kind: RequestKind
    prepared: Prepared
    behind: tuple[Message, ...]
    """The messages that stood behind the request and join no log."""
    exchanged: int
    """The number of messages of the exchange that stood behind the request, too."""
    reply_tokens: int
    facts: ReplyFacts


def _request_as_sent(call: _Call, length: int) -> Prepared:
    """The request of a call as it was sent, in a log of which the first ``length`` messages were said before."""
    prepared = call.prepared
    if not (prepared.parts.tools or call.behind or call.exchanged):
        return prepared
    exchange = range(length, length + call.exchanged) if call.exchanged else range(0)
    parts = prepared.parts._replace(exchange=exchange)
    tokens = count_tokens_by_part(prepared.memory, parts, call.behind)
    return prepared._replace(parts=parts, tokens=tokens)


def _recall_result(recalled: Recalled, prepared: Prepared) -> str:
    """The result of a recall in words: how many of its messages the request now has, where they stand, which it had
    anyway, how many were over the limit, and which do not exist. The messages themselves are in the request."""
    memory = prepared.memory
    parts = prepared.parts
    anyway = {*range(memory.history_start)}.union(*parts.history)
    restored = set(parts.restored)
    before_input = [p for p in parts.recalled if p not in restored]
    positions = set(recalled.indices)
    in_place = len(positions & restored)
    held_count = len(positions & anyway) - in_place
    fresh_count = len(positions.intersection(before_input))
    last_before_input = before_input[len(before_input) - fresh_count :]
    return RecallResult(
        fresh=fresh_count,
        held=held_count,
        cut=recalled.cut,
        halves=len(recalled) - held_count - in_place - fresh_count,
        missing=recalled.missing,
        turns=max(0, memory.turn - 1),
        among=not positions.issuperset(last_before_input),
        in_place=in_place,
    ).text
