"""A real library inside memviz, played by a small one that keeps its own objects."""

from __future__ import annotations

from collections.abc import Sequence

import memviz
from memviz import Fate, Message, ScriptedModel
from memviz.core.counters import Counter
from memviz.core.pieces import Line
from memviz.core.summaries import SummaryVersion
from memviz.metrics.summaries.events import count_request_sizes
from memviz.strategies.library import Ask, FromLibrary, Library, LibraryStrategy
from tests.engine.written_strategies import (
    Clearing,
    ClearingAndFolding,
    Folding,
    FoldingSix,
)
from tests.own_strategies import known
from tests.tables import for_each
from tests.tool_loops import loops


def talk(turns: int) -> list[Message]:
    return [
        Message(role, f"{role} {n}")
        for n in range(turns)
        for role in ("user", "assistant")
    ]


def by_hand(messages: list[Message], answers: list[str]) -> list[list[str]]:
    """What the library sends when it is used without memviz."""
    left = iter(answers)
    return by_hand_with(FoldingSix(lambda _: next(left), True), messages)


def by_hand_with(library: Library, messages: list[Message]) -> list[list[str]]:
    """What this object sends when it is used without memviz."""
    found = []
    fed = 0
    for request in memviz.core.conversation.Log(messages).requests():  # type: ignore[attr-defined]
        for position in range(fed, request.stop):
            library.take(position, messages[position])
        fed = request.stop
        found.append([one.message.content for one in library.request()])
    return found


def test_its_requests_are_those_of_the_library_alone() -> None:
    answers = [f"note {n}" for n in range(20)]
    for messages in (talk(12), loops(2, 6)):
        run = memviz.replay(
            messages, Folding(), model=ScriptedModel(answers), counter=len
        )
        sent = [
            [message.content for message in record.context.messages]
            for record in run.requests
        ]
        assert sent == by_hand(messages, answers)


def test_what_reached_its_summarizer_is_a_compaction() -> None:
    run = memviz.replay(
        talk(8), Folding(), model=ScriptedModel(["one", "two", "three"]), counter=len
    )
    first, second = run.compactions[:2]
    assert first.prompt == " / ".join(message.content for message in talk(8)[:5])
    assert (first.summary, first.summarized, first.calls) == (
        "So far: one",
        range(5),
        1,
    )
    assert second.replaces == 1
    fates = run.fates_at(run.requests[-1])
    assert [Fate(code) for code in fates[:13]] == [Fate.SUMMARIZED] * 13
    assert run.requests[-1].tokens["summary"] == len("So far: three")


def test_messages_are_known_by_their_words_where_the_library_keeps_no_identity() -> (
    None
):
    answers = ["one", "two", "three"]
    known = memviz.replay(talk(8), Folding(), model=ScriptedModel(answers), counter=len)
    guessed = memviz.replay(
        talk(8),
        Folding(knows_positions=False),
        model=ScriptedModel(answers),
        counter=len,
    )
    assert [r.parts for r in known.requests] == [r.parts for r in guessed.requests]


def test_a_failed_summarizer_leaves_everything_and_is_left_alone_for_a_while() -> None:
    model = ScriptedModel([RuntimeError("no"), "one", "two", "three"])
    run = memviz.replay(talk(8), Folding(), model=model, counter=len)
    assert run.compactions[0].error == "RuntimeError: no"
    failed = run.request_number(run.compactions[0])
    assert failed is not None
    assert len(run.requests[failed].context.messages) == 7, "all are sent word for word"
    assert run.compactions[1].turn == run.compactions[0].turn + 2


def test_a_chat_that_is_resumed_goes_on_the_same_and_pays_for_nothing_twice() -> None:
    answers = ["one", "two", "three", "four", "five"]
    whole = memviz.Chat(
        Folding(),
        model=ScriptedModel(["yes"] * 12),
        summarizer=ScriptedModel(answers),
        counter=len,
    )
    for n in range(12):
        _recalling(whole, n).send(f"user {n}")
    first = memviz.Chat(
        Folding(),
        model=ScriptedModel(["yes"] * 6),
        summarizer=ScriptedModel(answers),
        counter=len,
    )
    for n in range(6):
        _recalling(first, n).send(f"user {n}")
    paid = len([c for c in first.run.compactions if c.calls])
    rest = ScriptedModel(answers[paid:])
    again = memviz.Chat.resume(
        first.run, model=ScriptedModel(["yes"] * 6), summarizer=rest
    )
    for n in range(6, 12):
        _recalling(again, n).send(f"user {n}")
    assert [r.context.messages for r in again.run.requests] == [
        r.context.messages for r in whole.run.requests
    ]
    assert [r.parts.recalled for r in again.run.requests].count((0, 1)) == 3


def _recalling(chat: memviz.Chat, number: int) -> memviz.Chat:
    if number in (4, 5, 8):
        chat.recall(turns=[1])
    return chat


def test_a_request_of_the_past_is_known_by_what_was_sent_then() -> None:
    run = memviz.replay(
        talk(8), Folding(), model=ScriptedModel(["one", "two", "three"]), counter=len
    )
    for record in run.requests:
        assert run.strategy.select(record.memory)[-1].stop == record.memory.length  # type: ignore[union-attr]
        assert not any(c.tokens_after >= c.tokens_before for c in record.compactions)
        for compaction in record.compactions:
            sizes = count_request_sizes(compaction, run)
            assert sizes.before_tokens > sizes.after_tokens == record.total_tokens


class KeepingTheFirst:
    """Folds all but the first message and the newest two into a summary, or drops them, when it holds more than six."""

    def __init__(self, ask: Ask, summarizes: bool) -> None:
        self.ask = ask
        self.summarizes = summarizes
        self.held: list[FromLibrary] = []

    def take(self, position: int, message: Message) -> None:
        self.held.append(FromLibrary(message, position))

    def request(self) -> Sequence[FromLibrary]:
        if len(self.held) > 6:
            between = []
            if self.summarizes:
                answer = self.ask([Message("user", "What was said?")])
                between.append(FromLibrary(Message("user", answer)))
            self.held = [self.held[0], *between, *self.held[-2:]]
        return self.held


class Keeping(LibraryStrategy):
    """Runs the small library that keeps the first message."""

    summarizes: bool = True

    def open(self, ask: Ask, counter: Counter) -> Library:
        return KeepingTheFirst(ask, self.summarizes)

    def summary_entry(self, summary: SummaryVersion) -> str:
        return summary.text


@for_each("summarizes", [True, False])
def test_what_goes_stands_between_a_first_message_that_stays_and_the_newest(
    summarizes: bool,
) -> None:
    run = memviz.replay(
        talk(6),
        Keeping(summarizes=summarizes),
        model=ScriptedModel(["one", "two"]),
        counter=len,
    )
    kind = "summarized" if summarizes else "evicted"
    gone = [(one.kind, one.summarized) for one in run.compactions]
    assert gone == [(kind, range(5)), (kind, range(5, 9))]
    fates = [Fate(code).name for code in run.fates()[-1][:11]]
    left_out = "SUMMARIZED" if summarizes else "DROPPED"
    assert fates == ["VERBATIM", *[left_out] * 8, "VERBATIM", "VERBATIM"]


def changes(run: memviz.Run) -> list[tuple[str, int, range]]:
    return [(one.kind, one.after_message, one.summarized) for one in run.compactions]


def test_what_it_clears_is_a_compaction_of_what_was_sent_so_far() -> None:
    run = memviz.replay(loops(2, 2), Clearing(most=99), counter=len)
    assert changes(run) == [("cleared", 8, range(2, 3)), ("cleared", 10, range(4, 5))]
    word = len(run.log[2].content) - len("[gone]")
    for one in run.compactions:
        assert one.changes_memory
        assert one.tokens_before - one.tokens_after == word
        sizes = count_request_sizes(one, run)
        assert sizes.before_tokens - sizes.after_tokens == word
    assert [Fate(code).name for code in run.fates()[-1][2:5:2]] == ["CLEARED"] * 2


def test_a_line_of_its_own_in_place_of_a_call_and_its_result_is_a_compaction() -> None:
    run = memviz.replay(loops(2, 2), Clearing(most=99, rewords=True), counter=len)
    assert changes(run) == [("evicted", 8, range(1, 3)), ("evicted", 10, range(3, 5))]


def test_what_is_cleared_and_what_is_summarized_at_one_message_are_told_apart() -> None:
    model = ScriptedModel([f"note {n}" for n in range(9)])
    run = memviz.replay(loops(3, 3), Clearing(), model=model, counter=len)
    together = [one for one in run.compactions if one.after_message == 14]
    assert [one.kind for one in together] == ["cleared", "summarized"]
    clearing, summarizing = together
    assert clearing.after == summarizing.before
    assert clearing.tokens_before > clearing.tokens_after == summarizing.tokens_before
    with known():
        again = memviz.Run.from_dict(run.to_dict(), counter=len)
    assert again.compactions == run.compactions
    assert [one.context.messages for one in again.requests] == [
        one.context.messages for one in run.requests
    ]


def test_a_line_of_its_own_stays_where_a_summary_is_written_at_the_same_message() -> (
    None
):
    model = ScriptedModel([f"note {n}" for n in range(9)])
    strategy = Clearing(most=7, rewords=True)
    run = memviz.replay(loops(3, 3), strategy, model=model, counter=len)
    together = [one for one in run.compactions if one.after_message == 14]
    assert [one.kind for one in together] == ["evicted", "summarized"]
    rewording, summarizing = together
    line = f"It looked up {run.log[10].content}"
    alone = memviz.replay(loops(3, 3), Clearing(most=99, rewords=True), counter=len)
    (same,) = [one for one in alone.compactions if one.after_message == 14]
    saved = same.tokens_before - same.tokens_after
    assert rewording.tokens_before - rewording.tokens_after == saved
    assert summarizing.tokens_before == rewording.tokens_after
    pieces = strategy.select(rewording.after)
    assert [one.message.content for one in pieces if isinstance(one, Line)] == [line]


def test_a_chat_that_is_resumed_after_a_clearing_and_a_summary_goes_on_the_same() -> (
    None
):
    notes = [f"note {n}" for n in range(9)]
    run = memviz.replay(
        loops(3, 3), Clearing(), model=ScriptedModel(notes), counter=len
    )
    asked = len([one for one in run.compactions if one.calls])
    chat = memviz.Chat.resume(
        run, model=ScriptedModel(["yes"]), summarizer=ScriptedModel(notes[asked:])
    )
    record = chat.send("And now?")
    said = [*loops(3, 3), Message("user", "And now?"), Message("assistant", "yes")]
    left = iter(notes)
    library = ClearingAndFolding(lambda _: next(left), 9, False)
    sent = by_hand_with(library, said)[-1]
    assert [message.content for message in record.context.messages] == sent


class OneSummaryATurn:
    """Puts a summary in the place of each turn, and keeps them all."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.held: list[FromLibrary] = []

    def take(self, position: int, message: Message) -> None:
        self.held.append(FromLibrary(message, position))

    def request(self) -> Sequence[FromLibrary]:
        said = [one for one in self.held if one.position is not None]
        if len(said) > 2:
            answer = self.ask([Message("user", "What was said?")])
            summaries = [one for one in self.held if one.position is None]
            new = FromLibrary(Message("user", answer))
            self.held = [*summaries, new, said[-1]]
        return self.held


class SummaryByTurn(LibraryStrategy):
    """Runs the small library that keeps several summaries."""

    def open(self, ask: Ask, counter: Counter) -> Library:
        return OneSummaryATurn(ask)


def test_an_older_summary_beside_a_new_one_keeps_its_words() -> None:
    model = ScriptedModel([f"note {n}" for n in range(9)])
    run = memviz.replay(talk(4), SummaryByTurn(), model=model, counter=len)
    sent = [
        [message.content for message in record.context.messages]
        for record in run.requests
    ]
    assert sent[1:] == [
        ["note 0", "user 1"],
        ["note 0", "note 1", "user 2"],
        ["note 0", "note 1", "note 2", "user 3"],
    ]
