"""A live conversation under one strategy."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from typing import NamedTuple

from memviz.core.bounds import type_of
from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.counters import counter as find_counter
from memviz.core.errors import (
    EmptyConversationError,
    MessageError,
    ParameterError,
    ReviewError,
)
from memviz.core.memory import Memory
from memviz.core.messages import Message
from memviz.core.summaries import SummaryVersion
from memviz.core.translation import _
from memviz.engine import review
from memviz.engine.answering import Answering, allowed_tools
from memviz.engine.compaction import Compaction
from memviz.engine.drafts import Draft
from memviz.engine.other_settings import OtherSettings
from memviz.engine.recall import Recall, Recalled
from memviz.engine.records import TurnRecord
from memviz.engine.replay import as_model
from memviz.engine.run import Run
from memviz.engine.session import Session
from memviz.engine.setting import Setting
from memviz.models.base import Model
from memviz.strategies.base import Strategy, Write
from memviz.strategies.clauses import Headroom
from memviz.strategies.library import LibraryStrategy


class Proposal(NamedTuple):
    """A summarization before it is done: why it is due and of what (``plan``), the ``messages`` that the
    summarizer reads, and the ``drafts`` it has written so far."""

    plan: Write
    messages: tuple[Message, ...]
    drafts: tuple[Draft, ...]


class Chat(OtherSettings):
    """Talk under a strategy: ``send`` a message and get the record of the turn, or ``stream`` it.

    ``summarizer`` writes the summaries; by default the chat model does. A model that fails raises a
    :class:`memviz.core.model_errors.ModelError`; the user's message stays in the log and :meth:`retry` asks
    again. Closing the stream early keeps what had arrived as a partial reply.

    ``recall_tool`` says whether the model is offered the tool to recall by itself; by default the strategies
    that are made for it do so.
    """

    def __init__(
        self,
        strategy: Strategy,
        *,
        model: Model | str = "offline",
        summarizer: Model | str | None = None,
        counter: AnyCounter = DEFAULT_COUNTER,
        system_prompt: str | None = None,
        repair_tool_pairs: bool = True,
        recall_tool: bool | None = None,
    ) -> None:
        answerer = as_model(model)
        if answerer is None:
            allowed = "a model, or the name of one: somebody has to answer"
            raise ParameterError("model", model, allowed)
        self.model = answerer
        writer = as_model(summarizer, "summarizer") or self.model
        setting = Setting(
            strategy, find_counter(counter), writer, system_prompt, repair_tool_pairs
        )
        super().__init__(Session(Log(), setting))
        strategy.expect_live()
        self.recall_tool = recall_tool

    @classmethod
    def resume(
        cls,
        run: Run,
        *,
        model: Model | str = "offline",
        summarizer: Model | str | None = None,
    ) -> Chat:
        """Go on where ``run`` ended. No model is called for that: a summarization that waited for a decision waits
        again, with the drafts that it had."""
        chat = cls(
            run.strategy, model=model, summarizer=summarizer, counter=run.counter
        )
        chat._session = Session.resume(
            run, chat._session.summarizer, repair_tool_pairs=True
        )
        chat._session.recheck_last_turn()
        chat._recalls = run.waiting
        chat._pinned = run.pinned
        chat._session.pins = chat.pinned
        if run.review:
            chat.review = True
            review.propose_again(chat._session, run.drafts)
        return chat

    def use(self, model: Model, summarizer: Model) -> None:
        """Answer with another model, and summarize with another one, from now on. A summarization that failed with
        the one before is tried at once."""
        session = self._session
        before = session.summarizer
        self.model = model
        session.setting = replace(session.setting, summarizer=summarizer)
        if before is None or not summarizer.asks_like(before):
            session.try_at_once()

    @property
    def run(self) -> Run:
        """Everything so far."""
        pending = self._session.pending
        return replace(
            self._session.run(),
            waiting=self._recalls,
            pinned=self._pinned,
            review=self.review,
            drafts=pending.drafts if pending is not None else (),
        )

    @property
    def memory(self) -> Memory:
        """The memory as it stands."""
        return self._session.memory

    def headroom(self) -> Headroom | None:
        """The messages, tokens or turns that can be said before the next summarization; ``None`` where the strategy
        never summarizes."""
        is_taken_in = self._session.memory.length == len(self.log) > 0
        is_complete = is_taken_in and not self.unanswered
        return self._session.headroom(last_turn_is_complete=is_complete)

    @property
    def next_request_tokens(self) -> int:
        """The tokens that the next request would have if nothing were said or summarized before it."""
        return sum(self._session.request(self._due).tokens.values())

    @property
    def review(self) -> bool:
        """True if the chat stops before each summarization and waits for :meth:`accept` or :meth:`skip`."""
        return self._session.review

    @review.setter
    def review(self, on: bool) -> None:
        self._session.review = on

    @property
    def proposal(self) -> Proposal | None:
        """The summarization that waits for a decision, if :attr:`review` stopped before one."""
        pending = self._session.pending
        if pending is None:
            return None
        positions_read = self._session.memory.worth_summarizing(pending.plan.summarize)
        return Proposal(pending.plan, tuple(positions_read), pending.drafts)

    def propose(self, instruction: str | None = None) -> Draft:
        """Let the summarizer write what is waited for, with another ``instruction`` than the strategy's if one is
        given. It can be asked as often as one likes; every draft counts as a call."""
        return review.propose(self._session, instruction)

    def accept(self, text: str | None = None) -> None:
        """Use the newest draft, or ``text`` in its place; then :meth:`go_on`."""
        review.accept(self._session, text)

    def skip(self) -> None:
        """Summarize nothing in this turn; then :meth:`go_on`."""
        review.skip(self._session)

    def go_on(self) -> Generator[str, None, None]:
        """Yield the reply in pieces, if it waited for a decision or has not been asked for yet. Nobody is asked
        before the first piece is taken."""
        if self.unanswered:
            yield from self._answer()
        else:
            self._session.catch_up(len(self.log))

    @property
    def summaries_in_force(self) -> list[SummaryVersion]:
        """The summaries that the next request would send, in order."""
        return review.list_summaries_in_force(self._session)

    def edit_summary(self, version: int, text: str) -> None:
        """Rewrite a summary that is in force: from now on ``text`` is sent in its place.

        Raises :class:`memviz.core.errors.ReviewError` for an empty text, or a version that is no longer sent.
        """
        review.edit(self._session, version, text)

    @property
    def undoable(self) -> Compaction | None:
        """The compaction that :meth:`undo_summary` would take back; none under a library, which keeps its own notes."""
        if isinstance(self.strategy, LibraryStrategy):
            return None
        return review.find_undoable(self._session.own_compactions)

    def undo_summary(self) -> Compaction:
        """Take the last summarization, or edit of one, back: what it replaced is sent again.

        The strategy may find it due again with the next message; turn :attr:`review` on to decide then.
        """
        return review.undo(self._session)

    def send(self, text: str) -> TurnRecord:
        """Send ``text``, wait for the whole reply, and return the record of the turn.

        Raises :class:`memviz.core.errors.ReviewError` where :attr:`review` stopped before a summarization: the
        message is kept, and :meth:`go_on` gives the reply once that is decided.
        """
        for _part in self.stream(text):
            pass
        if self.unanswered:
            raise ReviewError(
                _("A summarization waits: accept or skip it, then go on.")
            )
        return self._session.last_turn

    def stream(self, text: str) -> Generator[str, None, None]:
        """Send ``text`` and yield the reply in pieces; the message is in the log at once, and nobody is asked before
        the first piece is taken. The record is then the last of ``run.turns``."""
        self.say(text)
        return self._answer()

    def say(self, text: str) -> None:
        """Put the user's message into the log and ask nobody: it can be stored before :meth:`go_on` gives the reply."""
        if not isinstance(text, str):
            raise MessageError(f"The message is {type_of(text)}; it has to be a text.")
        if not text.strip():
            raise MessageError(_("The message is empty. Write something to send."))
        if self._session.pending is not None:
            raise ReviewError(
                _(
                    "A summarization waits: accept or skip it before you send the next message."
                )
            )
        self.log.append(Message("user", text))

    def retry(self) -> Generator[str, None, None]:
        """Ask for the last turn's reply again because the user wants it: a summarization that failed is tried at once.
        Yields the reply in pieces, as :meth:`answer_again` does."""
        pieces = self.answer_again()
        self._session.try_at_once()
        return pieces

    def answer_again(self) -> Generator[str, None, None]:
        """Ask for the last turn's reply again; an earlier reply is thrown away. Yields it in pieces."""
        if not self.log.turn_count:
            nothing = _("There is no turn to retry yet. Send a message first.")
            raise EmptyConversationError(nothing)
        turn = self.log.turn(self.log.turn_count)
        if turn.stop > turn.asked:
            self._recalls = (*self._asked_by_user(turn.number), *self._recalls)
            decisions = review.decisions_since(self._session, turn.stop - 1)
            self._rewind(turn.asked)
            review.decide_again(self._session, decisions)
        return self._answer()

    def undo(self) -> None:
        """Take the last turn back: the user's message, the reply, and what was summarized since."""
        if self.log.turn_count:
            self._rewind(self.log.turn_start(self.log.turn_count))

    def _rewind(self, length: int) -> None:
        """Cut the log. What was pinned beyond is gone: another message will stand at its position."""
        self._session.rewind(length)
        self._keep_pinned(position for position in self.pinned if position < length)

    def _asked_by_user(self, turn: int) -> Sequence[Recall]:
        """The user's recalls for the request of this turn; the model will recall by itself again."""
        recalled = self._recalled_in_turns().get(turn, Recalled())
        return tuple(
            recall for recall in recalled.asked_by_user if recall not in self._pinned
        )

    def _answer(self) -> Generator[str, None, None]:
        before_question = len(self.log) - 1
        if self._session.memory.length <= before_question:
            # A stopped reply still waits to be taken in with its turn: summarizing would have delayed the stop.
            self._session.catch_up(before_question)
        self._session.advance(len(self.log))
        self._session.look_before_request()
        if self._session.pending is not None:
            return
        allowed = allowed_tools(self.strategy, self.model, self.recall_tool)
        answering = Answering(self._session, self.model, self._due, allowed)
        try:
            yield from answering.stream()
        except Exception:
            # The model failed: the question stays unanswered and can be retried.
            raise
        except BaseException:
            # The stream was closed, by Ctrl-C or a stopped page. Before the first word the question stays unanswered.
            if answering.partial:
                answering.finish(stopped=True)
                self._recalls = ()
            raise
        answering.finish()
        self._recalls = ()
        self._session.catch_up(len(self.log), answering.summary)
