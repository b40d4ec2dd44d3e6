from __future__ import annotations

import pickle

import pytest

from memviz.core.counters import counter
from memviz.core.errors import ParameterError, UnknownCounterError
from memviz.core.messages import Message
from memviz.models.base import Reply
from memviz.models.offline import OfflineModel
from tests.models.offline_facts import CHINESE, ENGLISH, Fact, other_talk
from tests.tables import for_each

MODEL = OfflineModel()
FACTS = [*ENGLISH, *CHINESE]


def ask(*messages: tuple[str, str] | Message) -> str:
    return MODEL.complete(
        [Message(*one) if isinstance(one, tuple) else one for one in messages]
    ).text


def knows_not(reply: str) -> bool:
    return "I do not know" in reply or "我不知道" in reply


def is_chinese(fact: Fact) -> bool:
    return fact in CHINESE


def by_question(fact: Fact) -> str:
    return fact.question


# --- answering -----------------------------------------------------------------------------------


@for_each("fact", FACTS)
def test_a_fact_among_other_talk_is_answered(fact: Fact) -> None:
    talk = other_talk(is_chinese(fact))
    reply = ask(
        *talk[:20], ("user", fact.statement), *talk[20:], ("user", fact.question)
    )
    assert fact.answer in reply
    assert ("你告诉过我" if is_chinese(fact) else "You told me") in reply


@for_each("fact", FACTS)
def test_a_fact_in_the_summary_alone_is_answered(fact: Fact) -> None:
    summary = f"Summary of earlier conversation: {fact.statement}"
    reply = ask(
        ("system", "You are helpful."), ("system", summary), ("user", fact.question)
    )
    assert fact.answer in reply
    assert (
        "总结" if is_chinese(fact) else "summary of our earlier conversation"
    ) in reply


@for_each("fact", FACTS)
def test_a_fact_that_was_not_sent_is_not_known(fact: Fact) -> None:
    others = [
        Message("user", other.statement)
        for other in (CHINESE if is_chinese(fact) else ENGLISH)
        if other != fact
    ]
    reply = ask(*other_talk(is_chinese(fact)), *others, ("user", fact.question))
    assert knows_not(reply)
    assert fact.answer not in reply


def test_earlier_questions_and_ignorance_are_no_source() -> None:
    question = "What is my dog called?"
    first = ask(("user", question))
    assert knows_not(ask(("user", question), ("assistant", first), ("user", question)))
    assert knows_not(
        ask(
            ("user", question),
            ("assistant", "I don't know what your dog is called."),
            ("user", question),
        )
    )


def test_the_original_is_quoted_rather_than_an_echo_of_it() -> None:
    said, question = "My dog is called Rex.", "What is my dog called?"
    echo = ask(("user", said), ("user", question))
    assert echo == f'You told me: "{said}"'
    noted = ask(("user", said))
    messages = [("user", said), ("assistant", noted), ("assistant", echo)]
    assert ask(*messages, ("user", question)) == echo
    assert ask(*messages, ("user", "What is my dog called now?")) == echo


def test_what_only_an_earlier_answer_quotes_is_in_the_context() -> None:
    reply = ask(
        ("assistant", 'You told me: "My dog is called Rex."'),
        ("user", "What is my dog called?"),
    )
    assert reply == 'I said earlier: "My dog is called Rex."'


@for_each(
    "newer",
    [
        "The budget is 700 euros.",
        "We raised the budget to 700 euros.",
        "Our budget is now 700 euros.",
    ],
)
def test_a_later_value_wins(newer: str) -> None:
    older = ("user", "Our budget is 500 euros.")
    reply = ask(
        older, *other_talk(False), ("user", newer), ("user", "How much is our budget?")
    )
    assert "700" in reply
    assert "500" not in reply


def test_a_change_wins_even_if_it_shares_fewer_words() -> None:
    reply = ask(
        ("user", "Please round probabilities to three decimals."),
        (
            "user",
            "Our teacher dislikes how we round. From now on give probabilities to four decimals.",
        ),
        ("user", "To how many decimals should you round probabilities?"),
    )
    assert "four decimals" in reply
    assert "three decimals" not in reply


def test_the_original_value_is_found_when_asked_for() -> None:
    messages = [
        ("user", "The budget is 500 euros."),
        ("user", "We raised the budget to 700 euros."),
    ]
    assert "500" in ask(*messages, ("user", "What was the original budget?"))


def test_the_kind_of_answer_decides_between_statements_on_the_same_thing() -> None:
    messages = [
        ("user", "The concert of the choir is on 8 May."),
        ("user", "The concert of the choir costs 25 euros."),
    ]
    assert "8 May" in ask(*messages, ("user", "When is the concert of the choir?"))
    assert "25" in ask(*messages, ("user", "How much is the concert of the choir?"))


def test_two_statements_answer_together() -> None:
    reply = ask(
        *other_talk(False),
        ("user", "The workshop foreman is called Ottoline."),
        ("user", "Ottoline is retiring and hands her job over to Bram."),
        ("user", "Who gets the job of the workshop foreman after retirement?"),
    )
    assert "Ottoline" in reply
    assert "Bram" in reply


def test_a_short_reply_answers_the_question_before_it() -> None:
    messages = [("assistant", "How many guests do you expect?"), ("user", "Around 45.")]
    assert "Around 45." in ask(*messages, ("user", "How many guests do I expect?"))


@for_each(
    ("role", "content", "question", "expected"),
    [
        (
            "assistant",
            "The museum closes at 18:00.",
            "When does the museum close?",
            'I said earlier: "The',
        ),
        (
            "system",
            "You are polite. The office code is 88.",
            "What is the office code?",
            'My instructions say: "The',
        ),
        (
            "tool",
            '{"order": {"eta": "12 June"}}',
            "What is the eta of the order?",
            'A tool result says: "order eta:',
        ),
        (
            "system",
            "=== ACCUMULATED MEMORY SUMMARIES ===\n[Turn 1] My boat is red.",
            "What colour is my boat?",
            'My summary of our earlier conversation says: "My boat is red."',
        ),
    ],
)
def test_the_source_is_named(
    role: str, content: str, question: str, expected: str
) -> None:
    assert ask((role, content), ("user", question)).startswith(expected)


@for_each(
    ("said", "question", "answer"),
    [
        ("Meine Tochter heißt Mira.", "Wie heißt meine Tochter?", "Mira"),
        (
            "Ma fille est allergique aux noisettes.",
            "À quoi ma fille est-elle allergique ?",
            "noisettes",
        ),
        ("Моя дочь учится в Казани.", "Где учится моя дочь?", "Казани"),
        ("私の猫の名前はモモです。", "私の猫の名前は何ですか？", "モモ"),
    ],
)
def test_other_languages_work_too(said: str, question: str, answer: str) -> None:
    assert answer in ask(("user", said), ("user", question))
    assert knows_not(ask(*other_talk(False), ("user", question)))


def test_what_is_missing_is_named_truthfully() -> None:
    messages = [
        ("user", "My sister paints."),
        ("user", "Does my sister have a helicopter?"),
    ]
    reply = ask(*messages)
    assert '"helicopter"' in reply
    assert '"sister"' not in reply


# --- the other half of a chat ---------------------------------------------------------------------


def test_statements_are_acknowledged_in_varied_but_fixed_words() -> None:
    replies = [
        ask(("user", f"My lucky number is {number}.")) for number in range(10, 40)
    ]
    assert all(str(number) in reply for number, reply in enumerate(replies, 10))
    assert len({reply.partition(":")[0] for reply in replies}) > 1
    assert replies == [
        ask(("user", f"My lucky number is {number}.")) for number in range(10, 40)
    ]


def test_statement_and_question_get_both() -> None:
    reply = ask(
        ("user", "My dog is called Rex."),
        ("user", "I live in Porto with a cat. What is my dog called?"),
    )
    assert "Porto" in reply
    assert 'You told me: "My dog is called Rex."' in reply


@for_each(
    ("greeting", "expected"),
    [("Hello!", "Hello"), ("你好", "你好"), ("Thanks a lot!", "welcome")],
)
def test_courtesies_are_returned(greeting: str, expected: str) -> None:
    assert expected in ask(("user", greeting))


@for_each("content", ["", "  \n\t ", "???", "---", "。", "{", "[]", "\u200b"])
def test_odd_input_is_answered_with_something(content: str) -> None:
    assert ask(("user", "I am Ann."), ("user", content)).strip()


def test_no_user_message_at_all() -> None:
    assert MODEL.complete([]).text
    assert ask(("assistant", "Hello.")).strip()


def test_the_last_user_message_is_the_input_even_before_tool_messages() -> None:
    messages = [
        ("user", "What is the eta?"),
        ("assistant", ""),
        ("tool", '{"eta": "12 June"}'),
    ]
    assert "12 June" in ask(*messages)


# --- streaming, usage, construction ---------------------------------------------------------------


@for_each("text", ["What is this about, my friend?", "我的猫叫什么？", "Tea is  good."])
def test_a_stream_is_words_and_then_the_reply(text: str) -> None:
    *pieces, reply = MODEL.stream([Message("user", text)])
    assert isinstance(reply, Reply)
    assert "".join(str(piece) for piece in pieces) == reply.text
    assert all(isinstance(piece, str) and len(piece.split()) <= 1 for piece in pieces)
    assert len(pieces) > 3
    assert reply == MODEL.complete([Message("user", text)])


@for_each("name", ["o200k_base", "chars4"])
def test_usage_counts_content_and_the_chat_format(name: str) -> None:
    model, count = OfflineModel(counter=name), counter(name)
    messages = [Message("system", "Be brief."), Message("user", "I like tea. " * 600)]
    for reply in (model.complete(messages), model.summarize(messages)):
        assert reply.usage is not None
        assert (
            reply.usage.input_tokens
            == sum(count(message.content) for message in messages) + 4 * 2 + 3
        )
        assert reply.usage.output_tokens == count(reply.text)
        assert (reply.cost_usd, reply.model, reply.finish_reason) == (
            0.0,
            "offline",
            "stop",
        )


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="summary_budget_tokens"):
        OfflineModel(summary_budget_tokens=0)
    with pytest.raises(UnknownCounterError):
        OfflineModel(counter="gpt5")


def test_it_can_be_sent_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(OfflineModel(50, "chars4")))  # noqa: S301 - our own bytes
    assert (
        copy.summary_budget_tokens,
        copy.complete([Message("user", "Hi")]).text,
    ) == (50, ask(("user", "Hi")))
