"""The strategies once more, slow and obvious: plain lists of positions, recounted at every step.

Written from the description of the strategies alone and sharing no code with them, so that the two
can be held against each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import dropwhile

from memviz import Message
from memviz.core.importance import importance_of
from tests.strategies.looked_up import slow_scores


@dataclass
class Request:
    """What a request should send. Positions are log positions."""

    turn: int
    summary: str | list[str] | None
    """Several where each is a message."""
    covered: list[int]
    history: list[int]
    input: list[int]
    generations: dict[int, int]
    leading: list[int]
    recalled: list[int] = field(default_factory=list)

    def fate(self, position: int) -> str:
        if position in (*self.leading, *self.history, *self.input):
            return "VERBATIM"
        if position in self.recalled:
            return "RECALLED"
        if position in self.covered:
            return "SUMMARIZED"
        return "DROPPED" if position < self.input[-1] else "NOT_YET"


@dataclass
class Compaction:
    """A summarization that should have happened. ``text`` is None when it failed."""

    after_message: int
    turn: int
    summarized: list[int]
    text: str | None
    previous: str | None


def turn_numbers(messages: list[Message]) -> list[int]:
    """For each message the turn it is in."""
    numbers, turn, spoke_last = [], 0, ""
    for message in messages:
        if message.role == "user" != spoke_last:
            turn += 1
        if message.role != "system":
            spoke_last = message.role
        numbers.append(turn)
    return numbers


@dataclass
class Reference:
    """Base: walks through a conversation message by message. Subclasses fill in the moments."""

    messages: list[Message]
    count: Callable[[str], int]
    answers: Iterator[str | BaseException] | None = None
    system_prompt: str = ""
    parameters: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.leading = list(
            range(
                next(
                    i
                    for i, message in enumerate(self.messages)
                    if message.role != "system"
                )
            )
        )
        self.seen: list[
            int
        ] = []  # without the leading system messages, which are the system prompt
        self.pending: list[int] = []  # not summarized
        self.covered: list[int] = []
        self.generation: dict[int, int] = {}
        self.summary: str | None = None
        self.requests: list[Request] = []
        self.compactions: list[Compaction] = []
        self.failures_in_a_row = 0
        self.waits_for_turn = 0
        self.numbers = turn_numbers(self.messages)

    def __getattr__(self, name: str) -> object:
        try:
            return self.__dict__["parameters"][name]
        except KeyError:
            raise AttributeError(name) from None

    def walk(self) -> Reference:
        """To the end, with what is done for the pending request alone: it is shown, and counts nowhere."""
        self.walk_to(len(self.messages))
        if self.is_open_at_the_end(len(self.messages) - 1):
            self.before_request()
        return self

    def walk_to(self, stop: int) -> Reference:
        """As far as message ``stop``, of a conversation that goes on as it does: without what is only shown."""
        for i, message in enumerate(self.messages[:stop]):
            if i in self.leading:
                continue
            following = self.messages[i + 1] if i + 1 < len(self.messages) else None
            self.seen.append(i)
            self.pending.append(i)
            self.after_message()
            if self.asks_after(i):
                self.before_request()
                self.send()
            elif self.is_open_at_the_end(i):
                continue
            is_last_of_turn = (
                following is None or self.numbers[i + 1] != self.numbers[i]
            )
            if self.numbers[i] > 0 and is_last_of_turn and message.role != "user":
                self.after_turn()
        return self

    def asks_after(self, i: int) -> bool:
        """Whether the model is called once message ``i`` was said: the assistant answers next."""
        if self.numbers[i] == 0 or self.messages[i].role == "assistant":
            return False
        following = self.messages[i + 1 : i + 2]
        return bool(following) and following[0].role == "assistant"

    def is_open_at_the_end(self, i: int) -> bool:
        """Whether message ``i`` is the last one, and the user or a tool waits for an answer that never came."""
        roles = [message.role for message in self.messages if message.role != "system"]
        return (
            i == len(self.messages) - 1
            and self.numbers[i] > 0
            and roles[-1] != "assistant"
        )

    @property
    def turn(self) -> int:
        return self.numbers[self.seen[-1]]

    def tokens(self, positions: list[int]) -> int:
        return sum(self.count(self.messages[i].content) for i in positions)

    def summarize(self, positions: list[int], previous: str | None) -> str | None:
        """The new summary, or None when the call failed or there was no call because of failures before it."""
        if self.turn < self.waits_for_turn or self.answers is None:
            return None
        answer = next(self.answers)
        text = answer.strip() if isinstance(answer, str) else ""
        self.compactions.append(
            Compaction(
                self.seen[-1], self.turn, list(positions), text or None, previous
            )
        )
        self.failures_in_a_row = 0 if text else self.failures_in_a_row + 1
        if not text:
            self.waits_for_turn = self.turn + min(32, 2**self.failures_in_a_row)
        return text or None

    def replace_summary(self, positions: list[int]) -> None:
        """Fold ``positions`` and the summary so far into a new one, if the summarizer plays along."""
        text = self.summarize(positions, self.summary)
        if text is None:
            return
        for i in self.covered:
            self.generation[i] += 1
        for i in positions:
            self.generation[i] = 1
        self.summary = text
        self.covered = self.covered + positions
        self.pending = [i for i in self.pending if i not in positions]

    def after_message(self) -> None: ...

    def before_request(self) -> None: ...

    def after_turn(self) -> None: ...

    def history(self) -> list[int]:
        raise NotImplementedError

    def summary_message(self) -> str | list[str] | None:
        return None

    def recalled(self) -> list[int]:
        return []

    def input(self) -> list[int]:
        replies = [i for i in self.seen if self.messages[i].role == "assistant"]
        since = [i for i in self.seen if not replies or i > replies[-1]]
        return (
            list(dropwhile(lambda i: self.messages[i].role == "system", since)) or since
        )

    def send(self) -> None:
        asked = self.input()
        history = [i for i in self.history() if i not in asked]
        summary = self.summary_message()
        covered = list(self.covered) if summary is not None else []
        self.requests.append(
            Request(
                self.turn,
                summary,
                covered,
                history,
                asked,
                {i: self.generation[i] for i in covered},
                self.leading,
                self.recalled(),
            )
        )


class Buffer(Reference):
    def history(self) -> list[int]:
        return self.seen


class Window(Reference):
    def history(self) -> list[int]:
        return self.seen[-self.window_size :]


class TokenBuffer(Reference):
    def history(self) -> list[int]:
        suffixes = [self.seen[start:] for start in range(len(self.seen) + 1)]
        return next(
            suffix for suffix in suffixes if self.tokens(suffix) <= self.max_tokens
        )


class Summary(Reference):
    def after_message(self) -> None:
        if len(self.pending) > 2 * self.buffer_size:
            self.replace_summary(self.pending[: -self.buffer_size])

    def history(self) -> list[int]:
        return self.pending

    def summary_message(self) -> str | None:
        return (
            None
            if self.summary is None
            else f"Summary of earlier conversation: {self.summary}"
        )


class SummaryBuffer(Summary):
    def after_message(self) -> None:
        if self.tokens(self.pending) <= self.max_token_limit or len(self.pending) == 1:
            return
        kept: list[int] = []
        for i in reversed(self.pending):
            if self.tokens([i, *kept]) > self.max_token_limit // 2:
                break
            kept.insert(0, i)
        kept = kept or self.pending[-1:]  # always keep at least one
        kept = (
            kept if len(kept) < len(self.pending) else kept[1:]
        )  # always summarize at least one
        self.replace_summary([i for i in self.pending if i not in kept])


class ChatSummaryBuffer(Reference):
    SUMMARY = -1

    def entry_tokens(self, entry: int) -> int:
        return (
            self.count(self.summary or "")
            if entry == self.SUMMARY
            else self.tokens([entry])
        )

    def before_request(self) -> None:
        entries = ([self.SUMMARY] if self.summary is not None else []) + self.pending
        used = 0
        if self.count_initial_tokens:
            used = (
                self.count(self.system_prompt) if self.system_prompt else 0
            ) + self.tokens(self.leading)
        kept: list[int] = []
        while entries and used + self.entry_tokens(entries[-1]) <= self.token_limit:
            used += self.entry_tokens(entries[-1])
            kept.insert(0, entries.pop())
        while (
            kept
            and kept[0] != self.SUMMARY
            and self.messages[kept[0]].role in ("assistant", "tool")
        ):
            entries.append(kept.pop(0))
        old = [i for i in entries if i != self.SUMMARY]
        if not old:
            return
        if self.answers is None:
            self.pending = [i for i in self.pending if i not in old]
            return
        self.replace_summary(old)

    def history(self) -> list[int]:
        return self.pending

    def summary_message(self) -> str | None:
        return self.summary


class PerTurn(Reference):
    HEADING = "=== ACCUMULATED MEMORY SUMMARIES ==="

    def __post_init__(self) -> None:
        super().__post_init__()
        self.summaries: dict[int, str] = {}

    def after_turn(self) -> None:
        if not self.enable_summarization:
            return
        for turn in range(1, self.turn + 1):
            if turn in self.summaries:
                continue
            positions = self.positions_of(turn)
            text = self.summarize(positions, None)
            if text is None:
                return
            self.summaries[turn] = text
            self.covered = self.covered + positions
            self.generation.update(dict.fromkeys(positions, 1))

    def positions_of(self, turn: int) -> list[int]:
        return [i for i in self.seen if self.numbers[i] == turn]

    def unsummarized(self) -> list[int]:
        """Messages of completed turns that still have no summary, because the summarizer failed."""
        missing = [turn for turn in range(1, self.turn) if turn not in self.summaries]
        return (
            [i for turn in missing for i in self.positions_of(turn)]
            if self.enable_summarization
            else []
        )

    def open_turn(self) -> list[int]:
        """The turn so far: question, calls, results."""
        return self.positions_of(self.turn)

    def summary_message(self) -> str | None:
        if not self.summaries:
            return None
        return "\n".join(
            [
                self.HEADING,
                *(
                    f"[Turn {turn}] {text}"
                    for turn, text in sorted(self.summaries.items())
                ),
            ]
        )


class SummaryOnly(PerTurn):
    def history(self) -> list[int]:
        return [*self.unsummarized(), *self.open_turn()]


class RecentOnly(PerTurn):
    def history(self) -> list[int]:
        recent = {
            *range(self.turn - self.recent_rounds, self.turn + 1),
            *map(self.numbers.__getitem__, self.unsummarized()),
        }
        first = min(recent)
        return [i for i in self.seen if self.numbers[i] >= first]


class WorkingMemory(Reference):
    def after_message(self) -> None:
        if len(self.pending) <= self.every_messages:
            return
        last = self.messages[self.seen[-1]]
        is_open = self.turn > 0 and (last.role != "assistant" or last.tool_calls)
        closed = [i for i in self.pending if not is_open or self.numbers[i] < self.turn]
        if closed or last.role == "user":
            self.replace_summary(closed or self.pending)

    def history(self) -> list[int]:
        newest = self.seen[-self.newest_messages :]
        first = min([newest[0], *self.input()])
        if self.messages[first].role == "tool":
            caller = caller_of(self.messages, first)
            first = first if caller is None else caller
        return [i for i in self.seen if i >= min([first, *self.pending])]

    def summary_message(self) -> str | None:
        if self.summary is None:
            return None
        return f"<working_memory>\n{self.summary}\n</working_memory>"


class Observations(Reference):
    def __post_init__(self) -> None:
        super().__post_init__()
        self.is_condensed = False

    def after_message(self) -> None:
        while self.looks_again():
            pass

    def looks_again(self) -> bool:
        """Whether something was written, so that more may be due."""
        known = self.summary
        if known is not None and not self.is_condensed:
            if self.count(known) > self.reflect_tokens:
                return self.condense(known)
        last = self.messages[self.seen[-1]]
        is_open = self.turn > 0 and (last.role != "assistant" or last.tool_calls)
        closed = [i for i in self.pending if not is_open or self.numbers[i] < self.turn]
        taken = closed or (self.pending if last.role == "user" else [])
        if self.tokens(self.pending) <= self.observe_tokens or not taken:
            return False
        text = self.summarize(taken, known)
        if text is None:
            return False
        turns = dict.fromkeys((self.numbers[taken[0]], self.numbers[taken[-1]]))
        said = f"Turn {' to '.join(map(str, turns))}"
        before = [] if known is None else [known]
        self.summary = self.compactions[-1].text = "\n".join([*before, said, text])
        self.is_condensed = False
        self.added = taken
        self.generation.update(dict.fromkeys(taken, 1))
        self.covered = self.covered + taken
        self.pending = [i for i in self.pending if i not in taken]
        return True

    def condense(self, known: str) -> bool:
        text = self.summarize(self.added, known)
        if text is None:
            return False
        self.summary = text
        self.is_condensed = True
        for i in self.covered:
            self.generation[i] += 1
        return True

    def history(self) -> list[int]:
        return self.pending

    def summary_message(self) -> str | None:
        if self.summary is None:
            return None
        return f"Observations of the conversation so far:\n{self.summary}"


class MemoryBlocks(Reference):
    def after_message(self) -> None:
        pending = len(self.pending) + 1
        while len(self.pending) < pending:
            pending = len(self.pending)
            self.take_in()

    def take_in(self) -> None:
        last = self.messages[self.seen[-1]]
        is_open = self.turn > 0 and (last.role != "assistant" or last.tool_calls)
        closed = [i for i in self.pending if not is_open or self.numbers[i] < self.turn]
        taken = closed or (self.pending if last.role == "user" else [])
        if self.tokens(self.pending) > self.newest_tokens and taken:
            self.replace_summary(taken)

    def summarize(self, positions: list[int], previous: str | None) -> str | None:
        """The blocks that the answer says: one without tags is the user's."""
        text = super().summarize(positions, previous)
        if text is None:
            return None
        human = text[: self.block_characters]
        blocks = f"<human>\n{human}\n</human>\n<persona>\n\n</persona>"
        self.compactions[-1].text = blocks
        return blocks

    def history(self) -> list[int]:
        kept: list[int] = []
        for i in reversed(self.seen):
            if self.tokens([i, *kept]) > self.newest_tokens:
                break
            kept.insert(0, i)
        newest = min([*kept, *self.input()])
        if self.messages[newest].role == "tool":
            caller = caller_of(self.messages, newest)
            newest = newest if caller is None else caller
        return [i for i in self.seen if i >= min([newest, *self.pending])]

    def recalled(self) -> list[int]:
        said = map(self.messages.__getitem__, self.input())
        asked = "\n".join(m.content for m in said if m.role == "user")
        start, stop = self.seen[0], self.history()[0]
        scores = slow_scores(self.messages, asked, start, stop)
        best = sorted(scores, key=lambda i: (round(scores[i], 9), i), reverse=True)
        return sorted(best[: self.top_k])

    def summary_message(self) -> str | None:
        if self.summary is None:
            return None
        return f"<memory_blocks>\n{self.summary}\n</memory_blocks>"


class SummaryTree(Reference):
    def __post_init__(self) -> None:
        super().__post_init__()
        self.nodes: list[tuple[int, list[int], str]] = []

    def after_message(self) -> None:
        while self.grows():
            pass

    def grows(self) -> bool:
        """Whether a summary was written, so that more may be due."""
        newest = [level for level, _, _ in self.nodes[-self.branches :]]
        if newest and newest == newest[:1] * self.branches:
            return self.join(self.branches, newest[0] + 1)
        last = self.messages[self.seen[-1]]
        is_open = self.turn > 0 and (last.role != "assistant" or last.tool_calls)
        complete = self.turn - 1 if is_open else self.turn
        # What was said before the first turn goes with it.
        first = max(1, min((self.numbers[i] for i in self.pending), default=0))
        spans = range(first, first + self.span_turns)
        if not self.pending or complete < spans[-1] + self.recent_turns:
            return False
        taken = [i for i in self.pending if self.numbers[i] <= spans[-1]]
        text = self.summarize(taken, None)
        if text is None:
            return False
        self.nodes.append((1, taken, text))
        self.generation.update(dict.fromkeys(taken, 1))
        self.covered = self.covered + taken
        self.pending = [i for i in self.pending if i not in taken]
        return True

    def join(self, count: int, level: int) -> bool:
        taken = [i for _, positions, _ in self.nodes[-count:] for i in positions]
        text = self.summarize(taken, "\n".join(t for _, _, t in self.nodes[-count:]))
        if text is None:
            return False
        self.nodes[-count:] = [(level, taken, text)]
        self.generation.update(dict.fromkeys(taken, level))
        return True

    def history(self) -> list[int]:
        return self.pending

    def summary_message(self) -> list[str] | None:
        return [
            f"Summary of messages {taken[0] + 1} to {taken[-1] + 1}: {text}"
            for _, taken, text in self.nodes
        ] or None


class ByImportance(Reference):
    def history(self) -> list[int]:
        newest = self.seen[-self.newest_messages :]
        first = min([newest[0], *self.input()])
        if self.messages[first].role == "tool":
            caller = caller_of(self.messages, first)
            first = first if caller is None else caller
        earlier = [i for i in self.seen if i < first and self.score(i) > 0]
        kept: list[int] = []
        misses = 0
        for i in sorted(earlier, key=lambda i: (self.score(i), i), reverse=True):
            fits = self.tokens([i, *kept]) <= self.max_tokens
            misses = 0 if fits else misses + 1
            kept += [i] if fits else []
            if misses == 8:
                break
        return sorted(kept) + [i for i in self.seen if i >= first]

    def score(self, i: int) -> float:
        message = self.messages[i]
        if message.role not in ("user", "assistant") or message.tool_calls:
            return 0
        before = self.messages[i - 1] if i else None
        points = importance_of(message, before).points
        return 100 * points / max(100, len(message.content))


REFERENCES: dict[str, type[Reference]] = {
    "buffer": Buffer,
    "window": Window,
    "token_buffer": TokenBuffer,
    "recent_only": RecentOnly,
    "summary": Summary,
    "summary_buffer": SummaryBuffer,
    "chat_summary_buffer": ChatSummaryBuffer,
    "summary_only": SummaryOnly,
    "working_memory": WorkingMemory,
    "observations": Observations,
    "memory_blocks": MemoryBlocks,
    "summary_tree": SummaryTree,
    "importance": ByImportance,
}


def caller_of(messages: list[Message], result: int) -> int | None:
    """The message whose call the tool message at ``result`` answers: the nearest open one before it."""
    taken: list[
        tuple[int, int]
    ] = []  # calls answered by earlier results, as (message, place in its list)
    answer: int | None = None
    for i in range(result + 1):
        if messages[i].role != "tool":
            continue
        answer = None
        for caller in reversed(range(i)):
            calls = messages[caller].tool_calls
            open_places = [
                place
                for place, call in enumerate(calls)
                if (caller, place) not in taken and call.id == messages[i].tool_call_id
            ]
            if open_places:
                taken.append((caller, open_places[-1]))
                answer = caller
                break
    return answer
