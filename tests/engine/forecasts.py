"""The forecast of the next compaction beside the deed, at a state that can be built as often as one likes.

What a unit is: a *token* is one of the content of what is said next, as the counter counts it, without what a request
adds to each message; a *message* is one of any role behind the leading system messages; a *turn* is one that begins
(a user's message that follows no other), or, where each turn is summarized, one that is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Protocol

import memviz
from memviz import Chat, ChatMemory, Headroom, Message, Model, ModelError, Reply
from memviz.strategies.base import Trigger

MANY_TURNS = 36
"""More than a summarizer that failed is ever left alone."""


def words(text: str) -> int:
    """A counter of which a text of exactly so many tokens is easily made, none included."""
    return len(text.split())


def of_tokens(tokens: int) -> str:
    """A text of so many :func:`words`."""
    return " ".join(["word"] * tokens)


class Talker(Model):
    """Answers with a text of ``tokens``, or fails."""

    name = "talker"

    def __init__(self) -> None:
        self.tokens, self.fails = 1, False

    def stream(self, messages: Sequence[Message]) -> Iterator[str | Reply]:
        if self.fails:
            raise ModelError("no answer")
        text = of_tokens(self.tokens)
        yield text
        yield Reply(text)


class Live(Protocol):
    """A conversation that goes on: what both kinds of live memory can be asked and told."""

    def headroom(self) -> Headroom | None: ...
    def is_whole(self) -> bool: ...
    def keeps_newest_turn(self) -> bool: ...
    def compactions(self) -> int: ...
    def say(self, tokens: int) -> int: ...
    def reply(self, tokens: int) -> int: ...
    def work(self, tokens: int) -> bool: ...


class HeldElsewhere:
    """A :class:`ChatMemory`. A request is prepared after each message, whoever said it."""

    def __init__(
        self,
        strategy: memviz.Strategy,
        plan: Model | None,
        system_prompt: str | None = None,
    ) -> None:
        self.memory = ChatMemory(
            strategy, model=plan, counter=words, system_prompt=system_prompt
        )
        self.headroom = self.memory.headroom

    def compactions(self) -> int:
        return len(self.memory.run.compactions)

    def is_whole(self) -> bool:
        """Whether a message stands before the next one that could be summarized with it."""
        log = self.memory.run.log
        return len(log) > log.system_stop

    def may_be_anything(self) -> bool:
        """Whether a reply or a result that comes next would go whatever its size, and a question stay: all is
        summarized, and either may come, since the last message is no reply or calls a tool."""
        run = self.memory.run
        if run.strategy.id != "chat_summary_buffer" or not run.log.turn_count:
            return False
        waits = run.log[-1].role != "assistant" or bool(run.log[-1].tool_calls)
        return waits and run.memory_after(run.log.turn_count).pending == 0

    def keeps_newest_turn(self) -> bool:
        """Whether the next turn stays, however large it is, because nothing stands before it that could go."""
        run = self.memory.run
        return (
            run.strategy.id == "fifo_facts"
            and run.memory_after(run.log.turn_count).pending == 0
        )

    def say(self, tokens: int) -> int:
        """The user's message, and its request; how many turns have begun or become complete with it."""
        log = self.memory.run.log
        begins = log.begins_turn_next
        completes = begins and log.turn_count > 0
        self.memory.append(Message("user", of_tokens(tokens)))
        self.memory.load()
        return int(
            completes if self.memory.strategy.trigger is Trigger.TURN else begins
        )

    def reply(self, tokens: int) -> int:
        self.memory.append(Message("assistant", of_tokens(tokens)))
        self.memory.load()
        return 0

    def work(self, tokens: int) -> bool:
        """A call, its result and a reply, of so many tokens together; whether they may come first: a message before
        them is not summarized yet."""
        if self.memory.run.memory_after(self.memory.run.log.turn_count).pending == 0:
            return False
        call = {"id": "a", "function": {"name": "look_up", "arguments": "{}"}}
        third = of_tokens(tokens // 3)
        self.memory.append(Message("assistant", third, tool_calls=(call,)))  # type: ignore[arg-type]
        self.memory.append(Message("tool", third, tool_call_id="a"))
        self.memory.load()
        self.reply(tokens - 2 * (tokens // 3))
        return True


class HeldHere:
    """A :class:`Chat`. A message that is only said gets no answer, because its model fails."""

    def __init__(
        self, strategy: memviz.Strategy, plan: Model, system_prompt: str | None = None
    ) -> None:
        self.talker = Talker()
        self.chat = Chat(
            strategy,
            model=self.talker,
            summarizer=plan,
            counter=words,
            system_prompt=system_prompt,
        )
        self.headroom = self.chat.headroom

    def compactions(self) -> int:
        return len(self.chat.run.compactions)

    def is_whole(self) -> bool:
        return len(self.chat.log) > 0

    def keeps_newest_turn(self) -> bool:
        """Whether the next turn stays, however large it is, because nothing stands before it that could go."""
        return self.chat.strategy.id == "fifo_facts" and not len(self.chat.log)

    def say(self, tokens: int) -> int:
        """The user's message (of one token at least, since an empty one is refused), and its request."""
        chat = self.chat
        begins, untaken = (
            not chat.unanswered,
            chat.memory.length < len(chat.log) and not chat.unanswered,
        )
        self.talker.fails = True
        with suppress(ModelError):
            list(chat.stream(of_tokens(max(1, tokens))))
        return int(untaken if chat.strategy.trigger is Trigger.TURN else begins)

    def reply(self, tokens: int) -> int:
        """The reply to what was said."""
        self.talker.fails, self.talker.tokens = False, max(1, tokens)
        list(self.chat.answer_again())
        return int(self.chat.strategy.trigger is Trigger.TURN)

    def work(self, tokens: int) -> bool:
        """A chat calls no tools."""
        return False

    def stop(self) -> None:
        """Half a reply, stopped by the user."""
        self.talker.fails, self.talker.tokens = False, 2
        pieces = self.chat.answer_again()
        next(pieces)
        pieces.close()


def wrong(build: Callable[[], Live]) -> str:
    """What is wrong with the forecast at the state that ``build`` gives; empty where it is right, or has no number."""
    left = build().headroom()
    if left is None:
        return ""
    return {
        "tokens": _wrong_tokens,
        "messages": _wrong_messages,
        "turns": _wrong_turns,
    }[left.unit](build, left)


def compacts(live: Live) -> bool:
    """Whether there is a compaction in as many turns as no failure delays it."""
    before = live.compactions()
    for _ in range(MANY_TURNS):
        live.say(9)
        live.reply(9)
    return live.compactions() > before


def _wrong_tokens(build: Callable[[], Live], left: Headroom) -> str:
    for said in _ways(left.amount - 1):
        live = build()
        before = live.compactions()
        for number, tokens in enumerate(said):
            (live.reply if number % 2 else live.say)(tokens)
        if live.compactions() > before:
            return f"{left} was said, and it came with {said}"
    live = build()
    before = live.compactions()
    if left.amount and live.work(left.amount - 1) and live.compactions() > before:
        return f"{left} was said, and it came with a call, a result and a reply of one less"
    live = build()
    before, is_whole, keeps_turn = (
        live.compactions(),
        live.is_whole(),
        live.keeps_newest_turn(),
    )
    live.say(left.amount)
    if not is_whole:  # a conversation's very first message may have to stay until there is a second one
        live.reply(0)
    if keeps_turn:
        live.say(0)
    return (
        "" if live.compactions() > before else f"{left} was said, and it did not come"
    )


def _ways(tokens: int) -> list[tuple[int, ...]]:
    """Ways to say so many tokens: in one message, and in the user's and a reply."""
    return (
        []
        if tokens < 1
        else [(tokens,)]
        if tokens < 3
        else [(tokens,), (tokens - tokens // 3, tokens // 3)]
    )


def _wrong_messages(build: Callable[[], Live], left: Headroom) -> str:
    live = build()
    for number in range(left.amount):
        before = live.compactions()
        (live.reply if number % 2 else live.say)(1)
        if (live.compactions() > before) != (number + 1 == left.amount):
            return (
                f"{left} was said, and message {number + 1} was none or one too early"
            )
    return ""


def _wrong_turns(build: Callable[[], Live], left: Headroom) -> str:
    live, said = build(), 0
    for act in (live.say, live.reply) * (left.amount + 1):
        before = live.compactions()
        said += act(1)
        if (live.compactions() > before) != (said == left.amount):
            return f"{left} was said, and after {said} it was not so"
        if said == left.amount:
            return ""
    return f"{left} was said, and it did not come"


def held_elsewhere(
    messages: Sequence[Message], *loads: int
) -> Callable[[HeldElsewhere], HeldElsewhere]:
    """A step that takes ``messages`` in. A request is prepared before each of the assistant's, and after each whose
    position is among ``loads``."""

    def take_in(live: HeldElsewhere) -> HeldElsewhere:
        for position, message in enumerate(messages):
            if message.role == "assistant":
                live.memory.load()
            live.memory.append(message)
            if position in loads:
                live.memory.load()
        return live

    return take_in


STEPS = ("turn", "turn", "turn", "unanswered", "stopped", "undo", "edit", "long")


def held_here(steps: Sequence[tuple[str, int]]) -> Callable[[HeldHere], HeldHere]:
    """Steps of a chat: what happens, and how long what is said is."""

    def go(live: HeldHere) -> HeldHere:
        for step, tokens in steps:
            chat = live.chat
            if step == "undo":
                if chat.undoable is not None:
                    chat.undo_summary()
            elif step == "edit":
                if chat.summaries_in_force:
                    chat.edit_summary(
                        chat.summaries_in_force[-1].version, of_tokens(tokens + 2)
                    )
            else:
                live.say(tokens * (4 if step == "long" else 1))
                if step == "stopped":
                    live.stop()
                elif step != "unanswered":
                    live.reply(tokens)
        return live

    return go
