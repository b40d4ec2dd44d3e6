"""Where an answer comes from: by hand, by property, and on the bundled conversations."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import memviz
from benchmarks.measured import MEASURED
from memviz import Block, Context, Message, Run
from memviz.metrics.answer_sources import AnswerSource, find_answer_source
from memviz.metrics.quotations import QUOTE_CHARS
from memviz.models.offline import OfflineModel
from memviz.transcripts.samples import bundled, sample
from tests.tables import for_each

QUESTION = "What is my budget for the trip?"
STATED = "Our budget is 3,000 euros. We love trains."
OTHER = (
    "Hello there!",
    "Porto is lovely in May.",
    "Take tram 28 early in the morning.",
)


def context(
    *history: str,
    recalled: dict[int, str] | None = None,
    summary: str = "",
    system: str = "",
    input: str = "",
    roles: str = "ua",
) -> Context:
    """A context of these texts; ``roles`` are those of the history in turn (user, assistant, tool)."""
    names = {"u": "user", "a": "assistant", "t": "tool"}
    said = tuple(
        Message(names[roles[at % len(roles)]], text) for at, text in enumerate(history)
    )
    back = recalled or {}
    blocks = (
        Block("tools", (Message("system", "budget 3,000 euros Tromsø"),), (), 0),
        Block("system", (Message("system", system),) if system else (), (), 0),
        Block("summary", (Message("system", summary),) if summary else (), (0, 1), 0),
        Block("history", said, tuple(range(10, 10 + len(said))), 0),
        Block(
            "recalled",
            tuple(Message("user", text) for text in back.values()),
            tuple(back),
            0,
        ),
        Block("input", (Message("user", input),), (99,), 0),
    )
    return Context(blocks)


def pending_request(run: Run) -> Context:
    """What is sent for the question that the log ends with."""
    assert run.pending is not None
    return run.pending.context


def place(found: AnswerSource) -> tuple[str | None, int | None]:
    return found.kind, found.position


@for_each(
    "answer",
    [
        'You told me: "Our budget is 3,000 euros."',
        "Your budget was 3,000 euros, as you said.",
        "You have 3000 euros to spend.",
        "\uff13\uff10\uff10\uff10 euros",
        "**€3,000.00**",
        "According to our earlier conversation it is 3.000 Euros!",
        "Your budget is 3,000 euros. That leaves enough for museums, boat rides on the Douro and a football match.",
        "I don't have a record of the flights. Your budget was 3,000 euros.",
    ],
)
def test_a_message_is_the_source_however_the_answer_is_put(answer: str) -> None:
    found = find_answer_source(context(OTHER[0], STATED, OTHER[2]), QUESTION, answer)
    assert place(found) == ("verbatim", 11)
    assert found.quote == STATED
    assert 0.6 <= found.share <= 1


@for_each(
    ("question", "stated", "answer"),
    [
        (
            "我们的预算是多少？",
            "这次旅行的预算一共三万两千元。",
            "你告诉过我：“这次旅行的预算一共三万两千元。”",
        ),
        ("我们的预算是多少？", "预算是３０００元。", "你们的预算是3000元。"),
        ("预算是多少？", "三千元。", "根据之前的对话总结，预算是三千元。"),
        ("顾一帆对什么过敏？", "顾一帆对花生过敏，别忘了。", "他对花生过敏。"),
        (
            "Where does my sister live?",
            "My sister lives in Tromso\u0308.",
            "She lives in TROMSÖ.",
        ),
        (
            "Wann ist die Prüfung?",
            "Die Prüfung ist am 14. März in Saal C.",
            "Am 14. März.",
        ),
        ("What's the gate code?", "Gate code: LM-408213", "It's LM 408213."),
        ("When does it start?", "It starts at 09:05.", "At 9:05."),
        ("How many guests?", "We are six.", "There will be 6 guests."),
    ],
)
def test_other_scripts_and_spellings(question: str, stated: str, answer: str) -> None:
    assert place(
        find_answer_source(context("好的。", stated, "Ok."), question, answer)
    ) == (
        "verbatim",
        11,
    )


@for_each(
    "answer",
    [
        "",
        "Yes.",
        "Yes, that is right.",
        "It is your budget for the trip.",
        "?!",
        "🙂",
        'I do not know: nothing in the context I was sent mentions "trains".',
        "我不知道：发给我的内容里没有提到“预算”。",
        "You haven't told me how many euros you have.",
        "You never mentioned 3,000 euros.",
        "There is no mention of any euros.",
        "The 3,000 euros were not mentioned in our conversation.",
        "你没有告诉我有多少euros。",
    ],
)
def test_ignorance_and_empty_words_have_no_source(answer: str) -> None:
    assert find_answer_source(context(STATED), QUESTION, answer) == AnswerSource()


@for_each(
    "said",
    ["Version`2.1`works", "It is **im**possible in `QX-7`", "The code is `QX7R4M`."],
)
def test_an_answer_to_the_letter_is_said_by_its_message_whatever_its_marks(
    said: str,
) -> None:
    found = find_answer_source(context(OTHER[0], said, OTHER[1]), "Which one?", said)
    assert (found.kind, found.position, found.share) == ("verbatim", 11, 1.0)


def test_ignorance_that_is_quoted_is_an_answer() -> None:
    said = "I am not sure about Madeira."
    found = find_answer_source(
        context(said), "What about islands?", f'You told me: "{said}"'
    )
    assert place(found) == ("verbatim", 10)


@for_each(
    "answer",
    ["It is 4,000 euros.", "It is 300.", "It is 30,000 dollars from Liechtenstein."],
)
def test_another_value_is_not_in_the_context(answer: str) -> None:
    found = find_answer_source(context(*OTHER, STATED), QUESTION, answer)
    assert (found.kind, found.position, found.quote) == (None, None, "")
    assert found.share < 0.6


def test_terms_are_whole_words() -> None:
    assert (
        find_answer_source(
            context("We were trained in 13,000 eurozones."), QUESTION, "3,000 euro"
        ).kind
        is None
    )
    assert (
        find_answer_source(context("A caterpillar."), "Which pet?", "A cat.").kind
        is None
    )


def test_the_share_is_by_weight() -> None:
    """A number weighs 3, a name 2, another word 1: euros and 3,000 of euros, 3,000 and Porto are 4 of 6."""
    found = find_answer_source(context(STATED), QUESTION, "3,000 euros in Porto")
    assert found.share == pytest.approx(4 / 6)
    assert find_answer_source(
        context(STATED), QUESTION, "3,000 francs in Porto"
    ).share == pytest.approx(3 / 6)


def test_of_equal_sources_the_more_literal_one_counts() -> None:
    every = {"recalled": {3: STATED}, "summary": f"Summary: {STATED}", "system": STATED}
    answer = "It is 3,000 euros."
    assert place(find_answer_source(context(STATED, **every), QUESTION, answer)) == (
        "verbatim",
        10,
    )  # type: ignore[arg-type]
    assert place(find_answer_source(context(**every), QUESTION, answer)) == (
        "recalled",
        3,
    )  # type: ignore[arg-type]
    del every["recalled"]
    assert place(find_answer_source(context(**every), QUESTION, answer)) == (
        "summary",
        None,
    )  # type: ignore[arg-type]
    assert place(find_answer_source(context(system=STATED), QUESTION, answer)) == (
        "system",
        None,
    )


def test_a_source_that_holds_more_beats_a_more_literal_one() -> None:
    found = find_answer_source(
        context("3,000 it is.", summary="The trip may cost 3,000 euros."),
        QUESTION,
        "3,000 euros",
    )
    assert (found.kind, found.quote) == ("summary", "The trip may cost 3,000 euros.")


def test_what_is_quoted_to_the_letter_comes_from_there() -> None:
    history = ("3,000 euros will do for the budget of the trip.",)
    said = (
        'My summary of our earlier conversation says: "The user can spend 3,000 euros."'
    )
    assert (
        find_answer_source(
            context(*history, summary="The user can spend 3,000 euros."), QUESTION, said
        ).kind
        == "summary"
    )


def test_a_question_in_an_answer_is_not_looked_up() -> None:
    asked = "Shall I look up Tromsø, Bergen and Oslo for 2027?"
    assert place(
        find_answer_source(context(STATED, asked), QUESTION, f"3,000 euros. {asked}")
    ) == ("verbatim", 10)


def test_the_newest_of_equal_messages_counts() -> None:
    assert (
        find_answer_source(
            context(STATED, OTHER[0], STATED, OTHER[1]), QUESTION, "3,000 euros"
        ).position
        == 12
    )


def test_a_message_that_says_it_in_one_breath_beats_a_newer_one() -> None:
    scattered = (
        "The train takes 3,000 seconds. "
        + "It is a long way to the sea and back. " * 20
        + "Bring euros."
    )
    assert (
        find_answer_source(
            context(STATED, scattered), QUESTION, "It is 3,000 euros."
        ).position
        == 10
    )


def test_an_echo_of_the_offline_model_is_no_first_source() -> None:
    found = find_answer_source(
        context(STATED, f'Noted: "{STATED}"'), QUESTION, "It is 3,000 euros."
    )
    assert place(found) == ("verbatim", 10)


def test_an_answer_from_two_messages_comes_from_the_weightier() -> None:
    first, second = (
        "Our cat is called Biscuit.",
        "The vet said Biscuit weighs 31 kilos and 200 grams.",
    )
    answer = f'You told me: "{first}" You also told me: "{second}"'
    assert place(
        find_answer_source(context(first, OTHER[0], second), "What about pets?", answer)
    ) == ("verbatim", 12)


def test_the_input_and_the_tools_are_no_source() -> None:
    asked = "How about 3,000 euros, or Tromsø?"
    assert (
        find_answer_source(
            context(*OTHER, input=asked), "?", "3,000 euros for Tromsø"
        ).kind
        is None
    )


def test_tool_results_are_history() -> None:
    found = find_answer_source(
        context('{"gate_code": 4471}', roles="t"), "Which number?", "It is 4471."
    )
    assert place(found) == ("verbatim", 10)


def test_a_quote_is_a_short_line_around_the_match() -> None:
    text = (
        "word " * 200
        + "\n\nOur budget\n is 3,000\teuros, all in. And then "
        + "more " * 200
    )
    found = find_answer_source(context(text), QUESTION, "It is 3,000 euros.")
    assert "budget is 3,000 euros, all in." in found.quote
    assert len(found.quote) <= QUOTE_CHARS
    assert (
        find_answer_source(context("Yes. " + STATED), QUESTION, "3,000 euros").quote
        == STATED
    )


def test_a_quote_from_a_long_sentence_is_cut_between_words() -> None:
    text = "before " * 40 + "our budget is 3,000 euros " + "behind " * 40
    quote = find_answer_source(context(text), QUESTION, "It is 3,000 euros.").quote
    assert quote.startswith("…before ")
    assert "our budget is 3,000 euros" in quote
    assert quote.endswith(" behind…")
    assert 100 <= len(quote) <= QUOTE_CHARS
    assert (
        len(find_answer_source(context("预算三千元" * 99), "？", "预算三千元").quote)
        <= QUOTE_CHARS
    )


def test_a_quote_ends_with_its_sentence() -> None:
    text = f"{STATED.split('.')[0]}. {'And we went on and on about trains. ' * 9}"
    assert (
        find_answer_source(context(text), QUESTION, "It is 3,000 euros.").quote
        == "Our budget is 3,000 euros."
    )


words = st.sampled_from(
    [
        "budget",
        "Lisbon",
        "3,000",
        "3000",
        "预算",
        "三千元",
        "not",
        "Mira's",
        ".",
        "?",
        "\n",
        "“",
        '"',
    ]
)
texts = st.one_of(st.text(max_size=60), st.lists(words, max_size=30).map(" ".join))


@given(history=st.lists(texts, max_size=6), question=texts, answer=texts, summary=texts)
@example(
    history=["\ud800 1\u00a0000", "²₂"],
    question="\ud800",
    answer="² 1\u00a0000 \ud800",
    summary="\u0663\u0660\u0660\u0660",
)
def test_never_fails_and_keeps_its_promises(
    history: list[str], question: str, answer: str, summary: str
) -> None:
    sent = context(*history, summary=summary)
    found = find_answer_source(sent, question, answer)
    assert 0 <= found.share <= 1
    assert len(found.quote) <= QUOTE_CHARS
    assert len(found.quote.splitlines()) == (found.kind is not None)
    assert (found.position is not None) == (found.kind in ("verbatim", "recalled"))
    assert (found.share >= 0.6) == (found.kind is not None)


@given(
    history=st.lists(texts, max_size=6),
    answer=texts,
    at=st.integers(0, 6),
    summary=texts,
)
def test_an_answer_that_was_said_is_verbatim(
    history: list[str], answer: str, at: int, summary: str
) -> None:
    alone = find_answer_source(context(answer), "", answer)
    found = find_answer_source(
        context(*history[:at], answer, *history[at:], summary=summary), "", answer
    )
    assert found.kind == alone.kind
    assert found.kind in ("verbatim", None)
    assert found.share in (0.0, 1.0)


NAMES = ("Quintana", "Bergamo", "Okafor", "Jorunn", "77120", "1,240")


@given(
    told=st.lists(st.sampled_from(NAMES), min_size=1, unique=True),
    rest=st.lists(words, max_size=20),
)
def test_without_the_messages_that_hold_its_terms_there_is_no_source(
    told: list[str], rest: list[str]
) -> None:
    answer = " and ".join(told)
    holding = [f"It was {name}." for name in told]
    assert (
        find_answer_source(context(*rest, " ".join(holding)), "Who?", answer).kind
        == "verbatim"
    )
    assert find_answer_source(context(*rest), "Who?", answer) == AnswerSource()


@pytest.mark.parametrize(
    "text",
    [
        "budget Lisbon 3,000 euros " * 8_000,
        "x" * 200_000,
        "1," * 100_000,
        "111," * 50_000 + "abcdef",
        "预算三千元" * 40_000,
        '"' * 200_000,
        'Noted: "' + "a b" * 66_000,
        "1\u00a0" * 100_000,
        "you not " * 25_000,
    ],
)
@pytest.mark.slow
def test_a_huge_message_is_read_in_one_go(text: str) -> None:
    sent = context(text, STATED)
    find_answer_source(sent, QUESTION, "It is 3,000 euros.")
    started = process_time()
    assert find_answer_source(sent, QUESTION, "It is 3,000 euros.").kind == "verbatim"
    find_answer_source(sent, QUESTION, text)
    assert process_time() - started < 8  # seconds; a quadratic way takes minutes


@pytest.mark.slow
@pytest.mark.parametrize("id", MEASURED)
def test_right_answers_about_a_bundled_conversation_come_from_where_they_stand(
    id: str,
) -> None:
    """The source is a message that the conversation's author named, or one with the same sentence."""
    talk, model = sample(id), OfflineModel()
    known = named = 0
    for probe in talk.probes:
        asked = [*talk.messages, Message("user", probe.question)]
        run = memviz.replay(
            asked, memviz.strategy("buffer"), system_prompt=talk.system_prompt
        )
        sent = pending_request(run)
        answer = model.complete(sent.messages).text
        found = find_answer_source(sent, probe.question, answer)
        if not any(right.casefold() in answer.casefold() for right in probe.answers):
            continue
        assert found.kind == "verbatim"
        known += 1
        named += found.position in probe.evidence
    assert known >= 16
    assert named >= 0.85 * known


@for_each("id", list(bundled()))
def test_without_its_evidence_an_answer_comes_from_nowhere_near(id: str) -> None:
    """The key terms of a made-up value stand nowhere."""
    talk = sample(id)
    sent = memviz.replay(talk, memviz.strategy("buffer")).turns[-1].context
    for probe in talk.probes:
        assert (
            find_answer_source(sent, probe.question, "Xyzzyville, 987,654").kind is None
        )


LEADS = {
    "I do not know": None,
    "我不知道": None,
    "My summary": "summary",
    "我对之前谈话的总结": "summary",
}


@for_each("strategy", ["summary", "summary_buffer", "summary_only"])
@for_each("id", list(bundled()))
def test_agrees_with_what_the_offline_model_says_it_quotes(
    id: str, strategy: str
) -> None:
    talk, model = sample(id), OfflineModel()
    run = memviz.replay(
        [*talk.messages, Message("user", "?")], memviz.strategy(strategy)
    )
    kept = [block for block in pending_request(run).blocks if block.kind != "input"]
    for probe in talk.probes:
        sent = Context(
            (
                *kept,
                Block(
                    "input",
                    (Message("user", probe.question),),
                    (len(talk.messages),),
                    0,
                ),
            )
        )
        answer = model.complete(sent.messages).text
        said = next(
            (kind for lead, kind in LEADS.items() if answer.startswith(lead)),
            "verbatim",
        )
        assert find_answer_source(sent, probe.question, answer).kind == said, answer
