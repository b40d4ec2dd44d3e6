"""Runs a conversation freely: a model answers the user's messages itself, so each strategy gets its own replies.

A replay uses the recorded replies, whatever a strategy forgot; a free run shows what the model would have answered.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import replace

from memviz.core.conversation import Log
from memviz.core.counters import DEFAULT_COUNTER, AnyCounter
from memviz.core.errors import EmptyConversationError
from memviz.core.messages import Message
from memviz.core.translation import _
from memviz.engine.chat import Chat
from memviz.engine.planned_recalls import PlannedRecalls, RequestKey
from memviz.engine.recall import Recall
from memviz.engine.records import PARTIAL_REPLY
from memviz.engine.replay import Messages, as_log, prompt_and_tools
from memviz.engine.run import Run
from memviz.models.base import Model
from memviz.strategies.base import Strategy


class FreeRun:
    """The users' messages of ``messages``, answered by ``model`` under ``strategy``, turn by turn.

    What the assistant and its tools said in the transcript is left out; messages before the first user
    message are kept. Go on with :meth:`next_turn` until :attr:`is_complete`. A turn that failed or was
    stopped is answered again by the next call; all turns before it stay. ``so_far`` is the run of an
    earlier free run over the same messages to go on from. Positions in ``recalls`` are those of ``messages``:
    where the run has another reply at that place, its own is brought back.

    Raises :class:`EmptyConversationError` when there is no user message, and :class:`RecallError` for
    ``recalls`` under a strategy that has recall switched off.
    """

    def __init__(
        self,
        messages: Messages,
        strategy: Strategy,
        *,
        model: Model | str = "offline",
        summarizer: Model | str | None = None,
        counter: AnyCounter = DEFAULT_COUNTER,
        system_prompt: str | None = None,
        recalls: Mapping[RequestKey, Recall | Sequence[Recall]] | None = None,
        recall_tool: bool | None = None,
        so_far: Run | None = None,
    ) -> None:
        self._source = as_log(messages)
        if not self._source.turn_count:
            raise EmptyConversationError(
                _(
                    "The conversation holds no message of a user, so there is nothing to answer."
                )
            )
        self._recalls = PlannedRecalls(recalls)
        if so_far is not None:
            self.chat = Chat.resume(so_far, model=model, summarizer=summarizer)
        else:
            self.chat = Chat(
                strategy,
                model=model,
                summarizer=summarizer,
                counter=counter,
                system_prompt=prompt_and_tools(messages, system_prompt, None)[0],
            )
            self.chat.log.extend(self._source[: self._source.turn_start(1)])
        self.chat.recall_tool = recall_tool
        for recall in self._recalls:
            # A recall that is not allowed shows before anybody is asked.
            self.chat.find(recall)

    @property
    def turn_count(self) -> int:
        """Turns in all."""
        return self._source.turn_count

    @property
    def done(self) -> int:
        """Turns that have their reply."""
        return self.chat.log.turn_count - (self.chat.unanswered or self._is_partial)

    @property
    def is_complete(self) -> bool:
        """True if every turn has its reply."""
        return self.done == self.turn_count

    @property
    def run(self) -> Run:
        """Everything so far, over a log of its own: it stays as it is when the free run goes on."""
        return Chat.resume(self.chat.run, model=self.chat.model).run

    def next_turn(self) -> Generator[str, None, None]:
        """Answer the next turn: yields the reply in pieces, nothing when all are answered. Raises
        :class:`memviz.core.model_errors.ModelError`."""
        if self.is_complete:
            return (piece for piece in list[str]())
        log = self.chat.log
        if not (self.chat.unanswered or self._is_partial):
            turn = self._source.turn(log.turn_count + 1)
            log.extend(self._source[turn.start : turn.asked])
            # The later calls of a turn are unknown yet, so their recalls join its first request.
            for recall in self._recalls.of_turn(turn.number):
                positions = [
                    self._own_position(position) for position in recall.messages
                ]
                self.chat.add_recall(replace(recall, messages=positions))
        return self.chat.answer_again()

    def _own_position(self, position: int) -> int:
        """Return the position in the run's own log of the message at this ``position`` of the source."""
        source = self._source
        log = self.chat.log
        if position >= source.turn(log.turn_count).asked - 1:
            # It is the input or not said yet: it cannot be recalled.
            return max(position, len(log) - 1)
        if position < source.turn_start(1):
            return position
        number = source.turn_number(position)
        source_turn = source.turn(number)
        own_turn = log.turn(number)
        if position < source_turn.asked:
            return own_turn.start + position - source_turn.start
        return own_turn.stop - 1

    @property
    def _is_partial(self) -> bool:
        """True if the last reply was stopped."""
        last = self.chat.log[-1] if self.chat.log.turn_count else None
        return last is not None and bool(last.meta and last.meta.get("partial"))


def count_answered_turns(run: Run) -> int:
    """Return the number of turns with a whole reply. Only the last one can be partial; it will be answered again."""
    count = len(run.turns)
    if count and PARTIAL_REPLY in run.turns[-1].flags:
        return count - 1
    return count


def answers_messages_of(run: Run, messages: Log) -> bool:
    """Return whether ``run`` is a free run, whole or begun, over the user's messages of ``messages``."""
    answered = _list_given_messages(run.log)
    recorded = _list_given_messages(messages)
    return answered == recorded[: len(answered)]


def _list_given_messages(log: Log) -> list[list[Message]]:
    """Return the messages that a free run does not answer but copies: those before the first turn, and those of the
    user in each turn."""
    first = log.turn_start(1) if log.turn_count else len(log)
    return [log[:first], *(log[turn.start : turn.asked] for turn in log.turns())]


def free_run(
    messages: Log | Messages,
    strategy: Strategy,
    *,
    progress: Callable[[int, int], object] | None = None,
    **options: object,
) -> Run:
    """Do a whole :class:`FreeRun`, with the same arguments, and return its run. ``progress`` is called with the number
    of turns done and of all turns."""
    free = FreeRun(messages, strategy, **options)  # type: ignore[arg-type]  # passed on as they are
    while not free.is_complete:
        for _said in free.next_turn():
            pass
        if progress is not None:
            progress(free.done, free.turn_count)
    return free.run
