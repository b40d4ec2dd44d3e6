"""The turn that is being answered: the input, what else was sent, and what memory's own tools did about it so far."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memviz.core.messages import Message
from memviz.models.offline.answering import find
from memviz.models.offline.asking import Sought, all_asks
from memviz.models.offline.context_sources import Source, sources
from memviz.models.offline.earlier import Earlier, arguments_of
from memviz.models.offline.question import Question
from memviz.models.offline.replying import MAX_ASKS, Summarizer, reply_to
from memviz.models.offline.turn_numbers import Named
from memviz.models.tools import CONTINUE_THINKING, RECALL_CONVERSATION, TOOLS, Tool

_ENDS = re.compile(r'"continue_thinking": ?false')
_NOT_VERBATIM = ("summary", "system")


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """``messages`` are what may be answered from, with the input and without the calls of memory's own tools,
    their results and instructions behind the input. ``has_recalled``: a recall was made since the input,
    which ``earlier`` tells of; ``has_thought``: thinking was ended since then."""

    messages: Sequence[Message]
    input: str
    others: Sequence[Message]
    has_recalled: bool
    earlier: Earlier
    has_thought: bool = False

    def questions(self) -> list[Question]:
        """What the input asks."""
        asked = all_asks(self.input)[:MAX_ASKS]
        return [Question.of(ask.text) for ask in asked if ask.sought is Sought.ANSWER]

    def named(self) -> list[Named]:
        """What the input asks for by number."""
        return [ask.named for ask in all_asks(self.input)[:MAX_ASKS] if ask.named]

    def had_earlier_talk(self) -> bool:
        """Whether anything but instructions was sent with the input: the first turn has nothing to recall."""
        return any(source.kind != "system" for source in sources(self.others))

    def unanswered(self) -> list[Question]:
        """The questions whose answer is nowhere word for word, or is not found beside the summaries.
        Those that name nothing, such as "What?", are not among them."""
        readings = self._verbatim(), sources(self.others)
        asked = [question for question in self.questions() if question.weights]
        return [
            one
            for one in asked
            if not all(self._says([one], among) for among in readings)
        ]

    def is_answered(self) -> bool:
        """Whether what was sent, summaries too, answers every question, and holds what is asked for by number."""
        if not all(self.earlier.sources_of(named) for named in self.named()):
            return False
        questions = self.questions()
        return (
            not questions
            or self._speaks_verbatim()
            or self._says(questions, sources(self.others))
        )

    def answer(self, summarized: Summarizer) -> str:
        """The reply. After a recall the messages speak for themselves where they can, and no summary for them:
        it was asked for because a summary was not enough."""
        if not self._speaks_verbatim():
            return reply_to(self.messages, summarized, self.earlier)
        kinds = [source.kind for source in sources(self.messages)]
        told = [
            one
            for one, kind in zip(self.messages, kinds, strict=True)
            if kind != "summary"
        ]
        return reply_to(told, summarized, self.earlier)

    def _speaks_verbatim(self) -> bool:
        return self.has_recalled and self._says(self.questions(), self._verbatim())

    def _verbatim(self) -> list[Source]:
        """What was sent word for word: no summary, no instruction."""
        return [
            source
            for source in sources(self.others)
            if source.kind not in _NOT_VERBATIM
        ]

    @staticmethod
    def _says(questions: Sequence[Question], among: Sequence[Source]) -> bool:
        """Whether there are questions, and ``among`` answers all of them."""
        return bool(questions) and all(
            find(question, among)[0] for question in questions
        )


def open_turn(messages: Sequence[Message], tools: Sequence[Tool]) -> OpenTurn:
    """Read the turn that the last user message began."""
    position = max(
        (at for at, message in enumerate(messages) if message.role == "user"),
        default=None,
    )
    if position is None:
        return OpenTurn(messages, "", messages, False, Earlier({}))
    before = list(messages[:position])
    after = messages[position + 1 :]
    facts = _without_own_exchange(after)
    if len(facts) < len(after) or any(tool.name in TOOLS for tool in tools):
        facts = [
            message for message in facts if message.role != "system"
        ]  # how to think, not what is so
    calls = [call for message in after for call in message.tool_calls]
    recall = next(
        (call for call in calls if call.name == RECALL_CONVERSATION.name), None
    )
    results = {
        message.tool_call_id: message.content
        for message in after
        if message.role == "tool"
    }
    return OpenTurn(
        [*before, messages[position], *facts],
        messages[position].content,
        [*before, *facts],
        has_recalled=recall is not None,
        earlier=Earlier.of(
            before, arguments_of(recall.arguments), results.get(recall.id, "")
        )
        if recall
        else Earlier.of(before),
        has_thought=any(
            call.name == CONTINUE_THINKING.name and _ENDS.search(call.arguments)
            for call in calls
        ),
    )


def _without_own_exchange(messages: Sequence[Message]) -> list[Message]:
    """``messages`` without thoughts that call memory's own tools, and without what these answered."""
    called: dict[
        str | None, str
    ] = {}  # the newest call of an id counts: ids may be used again
    kept = []
    for message in messages:
        called.update((call.id, call.name) for call in message.tool_calls)
        is_thought = any(call.name in TOOLS for call in message.tool_calls)
        is_result = message.role == "tool" and called.get(message.tool_call_id) in TOOLS
        if not is_thought and not is_result:
            kept.append(message)
    return kept
