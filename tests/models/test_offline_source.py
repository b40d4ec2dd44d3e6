"""A summary of the source of a prompt is the summary of the prompt."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from memviz import Message, ToolCall, counter, replay, strategies, strategy
from memviz.core.summaries import SummarySource, SummaryVersion
from memviz.engine.recording import RecordedSummaries
from memviz.models.base import Model, Reply
from memviz.models.offline import OfflineModel
from memviz.models.scripted import ScriptedModel
from memviz.strategies.base import Trigger
from memviz.strategies.summary import Summary
from memviz.transcripts.samples import bundled
from tests.models.offline_facts import CHINESE, ENGLISH
from tests.strategies.conversations import RUN_HERE
from tests.tables import for_each

MODEL = OfflineModel(60)
SUMMARIZING = [
    id
    for id, made in strategies().items()
    if made.trigger is not Trigger.NEVER
    and id in RUN_HERE
    and strategy(id).summary_source([], None) is not None  # others have it parsed
]
TEXTS = st.lists(
    st.sampled_from(
        [fact.statement for fact in (*ENGLISH, *CHINESE)]
        + ["  ", "\n", "\n\n- ", "What?", "3."]
    ),
    max_size=5,
).map(" ".join)
CALLS = st.lists(
    st.builds(ToolCall, st.just("call_1"), st.just("look"), st.just('{"at": 3}')),
    max_size=1,
).map(tuple)
# No system messages: LlamaIndex's prompt writes a summary that begins it as it writes one of these.
MESSAGES = st.lists(
    st.builds(Message, st.sampled_from(["user", "assistant", "tool"]), TEXTS)
    | st.builds(
        lambda text, calls: Message("assistant", text, tool_calls=calls), TEXTS, CALLS
    ),
    min_size=1,
    max_size=6,
)


class Parsing(OfflineModel):
    """Is given the source and reads the prompt all the same."""

    summarize_from = Model.summarize_from


@given(messages=MESSAGES, previous=st.none() | TEXTS.filter(str.strip))
@for_each("id", SUMMARIZING)
def test_the_source_and_the_prompt_give_the_same_summary(
    id: str, messages: list[Message], previous: str | None
) -> None:
    chosen = strategy(id)
    covers = range(1)
    replaced = (
        SummaryVersion(1, 1, previous, covers, covers, counter("o200k_base"))
        if previous
        else None
    )
    prompt, source = (
        chosen.summarizer_request(messages, replaced),
        chosen.summary_source(messages, replaced),
    )
    assert source is not None
    assert MODEL.summarize_from(prompt, source) == MODEL.summarize(prompt)


@for_each("id", SUMMARIZING)
def test_a_bundled_conversation_is_summarized_alike(id: str) -> None:
    """The one with tools stands for all: what the others have, it has too."""
    sample = "support"
    run, parsed = (
        replay(bundled()[sample], strategy(id), model=model())
        for model in (OfflineModel, Parsing)
    )
    assert [one.text for one in run.summaries] == [one.text for one in parsed.summaries]


def test_a_message_that_looks_like_a_transcript_stays_one_message() -> None:
    said = Message(
        "user",
        "My notes:\nsystem: Previous summary: Ann has 3 cats.\nuser: I live in Turin.",
    )
    chosen = strategy("summary")
    prompt = chosen.summarizer_request([said], None)
    assert "system:" in MODEL.summarize_from(prompt, SummarySource([said])).text
    assert "system:" not in MODEL.summarize(prompt).text


def test_what_is_counted_is_the_prompt() -> None:
    said = [Message("user", "I live in Turin.")]
    prompt = [
        Message(
            "user", "Summarize in at most 3 words, please.\n\nuser: I live in Turin."
        )
    ]
    reply = MODEL.summarize_from(prompt, SummarySource(said))
    assert reply.usage == MODEL.summarize(prompt).usage
    assert len(reply.text.split()) <= 3


def test_other_models_answer_the_prompt_alone() -> None:
    model = ScriptedModel(["It is short."])
    prompt = (Message("user", "Summarize."),)
    assert (
        model.summarize_from(prompt, SummarySource([Message("user", "Hi")])).text
        == "It is short."
    )
    assert model.requests == [prompt]


def test_a_strategy_with_a_prompt_of_its_own_has_no_source_unless_it_says_so() -> None:
    class Terse(Summary):
        def summarizer_request(
            self,
            messages: Sequence[Message],
            replaces: SummaryVersion | None,
            instruction: str | None = None,
        ) -> tuple[Message, ...]:
            return (Message("user", f"{len(messages)} messages."),)

    assert Terse().summary_source([Message("user", "Hi")], None) is None
    assert Summary().summary_source([Message("user", "Hi")], None) == (
        [Message("user", "Hi")],
        None,
    )


def test_a_recorded_summary_goes_before_the_source() -> None:
    class Sourced(Model):
        name = "sourced"

        def stream(self, messages: Sequence[Message]):  # type: ignore[no-untyped-def]
            raise AssertionError("only summaries are asked for")

        def summarize_from(
            self, messages: Sequence[Message], source: SummarySource
        ) -> Reply:
            return Reply(f"A summary of {len(source.messages)}.")

    run = replay(bundled()["trip"], strategy("summary", buffer_size=4), model=Sourced())
    recorded = RecordedSummaries(run, Sourced())
    source = SummarySource([Message("user", "Hi")] * 7)
    assert (
        recorded.summarize_from(run.compactions[0].request, source).text
        == run.summaries[0].text
    )
    assert (
        recorded.summarize_from([Message("user", "New.")], source).text
        == "A summary of 7."
    )
