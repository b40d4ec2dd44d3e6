"""Free run: a model answers the users' messages of a conversation anew, so each strategy gets its own replies."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence

from memviz.conversation import Log
from memviz.counters import AnyCounter
from memviz.engine.chat import Chat
from memviz.engine.recall import Recall
from memviz.engine.records import PARTIAL_REPLY
from memviz.engine.replay import DEFAULT_COUNTER, Messages, as_log
from memviz.engine.run import Run
from memviz.errors import EmptyConversationError
from memviz.models.base import Model
from memviz.strategies.base import Strategy
from memviz.transcripts.base import Transcript


class FreeRun:
    """The users' messages of ``messages``, answered by ``model`` under ``strategy``, turn by turn.

    What the assistant and its tools said in the transcript is left out; messages before the first user
    message are kept. Go on with :meth:`next_turn` until :attr:`is_complete`. A turn that failed or was
    stopped is answered anew by the next call; all turns before it stay. ``so_far`` is the run of an
    earlier free run over the same messages to go on from.

    Raises :class:`EmptyConversationError` when there is no user message.
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
        recalls: Mapping[int, Recall | Sequence[Recall]] | None = None,
        recall_tool: bool | None = None,
        so_far: Run | None = None,
    ) -> None:
        self._source = as_log(messages)
        if not self._source.turn_count:
            raise EmptyConversationError("The conversation holds no message of a user, so there is nothing to answer.")
        if system_prompt is None and isinstance(messages, Transcript):
            system_prompt = messages.system_prompt
        self._recalls = recalls or {}
        if so_far is not None:
            self.chat = Chat.resume(so_far, model=model, summarizer=summarizer)
        else:
            self.chat = Chat(strategy, model=model, summarizer=summarizer, counter=counter, system_prompt=system_prompt)
            self.chat.log.extend(self._source[: self._source.turn_start(1)])
        self.chat.recall_tool = recall_tool

    @property
    def turn_count(self) -> int:
        """Turns in all."""
        return self._source.turn_count

    @property
    def done(self) -> int:
        """Turns that have their reply."""
        return answered_turns(self.run)

    @property
    def is_complete(self) -> bool:
        """Whether every turn has its reply."""
        return self.done == self.turn_count

    @property
    def run(self) -> Run:
        """Everything so far, over a log of its own."""
        return self.chat.run

    def next_turn(self) -> Generator[str, None, None]:
        """Answer the next turn: yields the reply in pieces. Raises :class:`memviz.errors.ModelError`."""
        log = self.chat.log
        if not (self.chat.unanswered or self._is_partial):
            turn = self._source.turn(log.turn_count + 1)
            log.extend(self._source[turn.start : turn.asked])
            wanted = self._recalls.get(turn.number, ())
            for recall in (wanted,) if isinstance(wanted, Recall) else wanted:
                self.chat.add_recall(recall)
        return self.chat.retry()

    @property
    def _is_partial(self) -> bool:
        turns = self.chat.run.turns
        return bool(turns) and PARTIAL_REPLY in turns[-1].flags


def answered_turns(run: Run) -> int:
    """How many turns have a whole reply. A stopped one is the last, and will be answered anew."""
    return sum(PARTIAL_REPLY not in record.flags for record in run.turns[-1:]) + max(0, len(run.turns) - 1)


def free_run(
    messages: Log | Messages,
    strategy: Strategy,
    *,
    progress: Callable[[int, int], object] | None = None,
    **options: object,
) -> Run:
    """A whole :class:`FreeRun` at once; it takes the same arguments. ``progress`` gets the turns done and
    their number."""
    free = FreeRun(messages, strategy, **options)  # type: ignore[arg-type]  # passed on as they are
    while not free.is_complete:
        for _ in free.next_turn():
            pass
        if progress is not None:
            progress(free.done, free.turn_count)
    return free.run
