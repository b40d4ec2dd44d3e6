# ruff: noqa: RUF001 - Chinese punctuation is meant
from __future__ import annotations

import json
import pickle
import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memviz.transcripts
from memviz.conversation import Message
from memviz.counters import counter
from memviz.errors import ParameterError, UnknownCounterError
from memviz.models.base import Reply
from memviz.models.offline import OfflineModel
from tests.models.offline_facts import CHINESE, ENGLISH, Fact, other_talk

MODEL = OfflineModel()
FACTS = [*ENGLISH, *CHINESE]


def ask(*messages: tuple[str, str] | Message) -> str:
    return MODEL.complete([Message(*one) if isinstance(one, tuple) else one for one in messages]).text


def knows_not(reply: str) -> bool:
    return "I do not know" in reply or "我不知道" in reply


def is_chinese(fact: Fact) -> bool:
    return fact in CHINESE


def by_question(fact: Fact) -> str:
    return fact.question


# --- answering -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fact", FACTS, ids=by_question)
def test_a_fact_among_other_talk_is_answered(fact: Fact) -> None:
    talk = other_talk(is_chinese(fact))
    reply = ask(*talk[:20], ("user", fact.statement), *talk[20:], ("user", fact.question))
    assert fact.answer in reply
    assert ("你告诉过我" if is_chinese(fact) else "You told me") in reply


@pytest.mark.parametrize("fact", FACTS, ids=by_question)
def test_a_fact_in_the_summary_alone_is_answered(fact: Fact) -> None:
    summary = f"Summary of earlier conversation: {fact.statement}"
    reply = ask(("system", "You are helpful."), ("system", summary), ("user", fact.question))
    assert fact.answer in reply
    assert ("总结" if is_chinese(fact) else "summary of our earlier conversation") in reply


@pytest.mark.parametrize("fact", FACTS, ids=by_question)
def test_a_fact_that_was_not_sent_is_not_known(fact: Fact) -> None:
    others = [Message("user", other.statement) for other in (CHINESE if is_chinese(fact) else ENGLISH) if other != fact]
    reply = ask(*other_talk(is_chinese(fact)), *others, ("user", fact.question))
    assert knows_not(reply)
    assert fact.answer not in reply


def test_earlier_questions_and_ignorance_are_no_source() -> None:
    question = "What is my dog called?"
    first = ask(("user", question))
    assert knows_not(ask(("user", question), ("assistant", first), ("user", question)))
    assert knows_not(
        ask(("user", question), ("assistant", "I don't know what your dog is called."), ("user", question))
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
    reply = ask(("assistant", 'You told me: "My dog is called Rex."'), ("user", "What is my dog called?"))
    assert reply == 'I said earlier: "My dog is called Rex."'


@pytest.mark.parametrize(
    "newer", ["The budget is 700 euros.", "We raised the budget to 700 euros.", "Our budget is now 700 euros."]
)
def test_a_later_value_wins(newer: str) -> None:
    older = ("user", "Our budget is 500 euros.")
    reply = ask(older, *other_talk(False), ("user", newer), ("user", "How much is our budget?"))
    assert "700" in reply
    assert "500" not in reply


def test_a_change_wins_even_if_it_shares_fewer_words() -> None:
    reply = ask(
        ("user", "Please round probabilities to three decimals."),
        ("user", "Our teacher dislikes how we round. From now on give probabilities to four decimals."),
        ("user", "To how many decimals should you round probabilities?"),
    )
    assert "four decimals" in reply
    assert "three decimals" not in reply


def test_the_original_value_is_found_when_asked_for() -> None:
    messages = [("user", "The budget is 500 euros."), ("user", "We raised the budget to 700 euros.")]
    assert "500" in ask(*messages, ("user", "What was the original budget?"))


def test_the_kind_of_answer_decides_between_statements_on_the_same_thing() -> None:
    messages = [("user", "The concert of the choir is on 8 May."), ("user", "The concert of the choir costs 25 euros.")]
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


@pytest.mark.parametrize(
    ("role", "content", "question", "expected"),
    [
        ("assistant", "The museum closes at 18:00.", "When does the museum close?", 'I said earlier: "The'),
        ("system", "You are polite. The office code is 88.", "What is the office code?", 'My instructions say: "The'),
        ("tool", '{"order": {"eta": "12 June"}}', "What is the eta of the order?", 'A tool result says: "order eta:'),
        ("system", "=== ACCUMULATED MEMORY SUMMARIES ===\n[Turn 1] My boat is red.", "What colour is my boat?",
         'My summary of our earlier conversation says: "My boat is red."'),
    ],
)  # fmt: skip
def test_the_source_is_named(role: str, content: str, question: str, expected: str) -> None:
    assert ask((role, content), ("user", question)).startswith(expected)


@pytest.mark.parametrize(
    ("said", "question", "answer"),
    [
        ("Meine Tochter heißt Mira.", "Wie heißt meine Tochter?", "Mira"),
        ("Ma fille est allergique aux noisettes.", "À quoi ma fille est-elle allergique ?", "noisettes"),
        ("Моя дочь учится в Казани.", "Где учится моя дочь?", "Казани"),
        ("私の猫の名前はモモです。", "私の猫の名前は何ですか？", "モモ"),
    ],
)
def test_other_languages_work_too(said: str, question: str, answer: str) -> None:
    assert answer in ask(("user", said), ("user", question))
    assert knows_not(ask(*other_talk(False), ("user", question)))


def test_what_is_missing_is_named_truthfully() -> None:
    messages = [("user", "My sister paints."), ("user", "Does my sister have a helicopter?")]
    reply = ask(*messages)
    assert '"helicopter"' in reply
    assert '"sister"' not in reply


# --- the other half of a chat ---------------------------------------------------------------------


def test_statements_are_acknowledged_in_varied_but_fixed_words() -> None:
    replies = [ask(("user", f"My lucky number is {number}.")) for number in range(10, 40)]
    assert all(str(number) in reply for number, reply in enumerate(replies, 10))
    assert len({reply.partition(":")[0] for reply in replies}) > 1
    assert replies == [ask(("user", f"My lucky number is {number}.")) for number in range(10, 40)]


def test_statement_and_question_get_both() -> None:
    reply = ask(("user", "My dog is called Rex."), ("user", "I live in Porto with a cat. What is my dog called?"))
    assert "Porto" in reply
    assert 'You told me: "My dog is called Rex."' in reply


@pytest.mark.parametrize(
    ("greeting", "expected"), [("Hello!", "Hello"), ("你好", "你好"), ("Thanks a lot!", "welcome")]
)
def test_courtesies_are_returned(greeting: str, expected: str) -> None:
    assert expected in ask(("user", greeting))


@pytest.mark.parametrize("content", ["", "  \n\t ", "???", "---", "。", "{", "[]", "\u200b"])
def test_odd_input_is_answered_with_something(content: str) -> None:
    assert ask(("user", "I am Ann."), ("user", content)).strip()


def test_no_user_message_at_all() -> None:
    assert MODEL.complete([]).text
    assert ask(("assistant", "Hello.")).strip()


def test_the_last_user_message_is_the_input_even_before_tool_messages() -> None:
    messages = [("user", "What is the eta?"), ("assistant", ""), ("tool", '{"eta": "12 June"}')]
    assert "12 June" in ask(*messages)


# --- streaming, usage, construction ---------------------------------------------------------------


@pytest.mark.parametrize("text", ["What is this about, my friend?", "我的猫叫什么？", "Tea is  good."])
def test_a_stream_is_words_and_then_the_reply(text: str) -> None:
    *pieces, reply = MODEL.stream([Message("user", text)])
    assert isinstance(reply, Reply)
    assert "".join(str(piece) for piece in pieces) == reply.text
    assert all(isinstance(piece, str) and len(piece.split()) <= 1 for piece in pieces)
    assert len(pieces) > 3
    assert reply == MODEL.complete([Message("user", text)])


@pytest.mark.parametrize("name", ["o200k_base", "chars4"])
def test_usage_counts_content_and_the_chat_format(name: str) -> None:
    model, count = OfflineModel(counter=name), counter(name)
    messages = [Message("system", "Be brief."), Message("user", "I like tea. " * 600)]
    for reply in (model.complete(messages), model.summarize(messages)):
        assert reply.usage is not None
        assert reply.usage.input_tokens == sum(count(message.content) for message in messages) + 3 * 2 + 3
        assert reply.usage.output_tokens == count(reply.text)
        assert (reply.cost_usd, reply.model, reply.finish_reason) == (0.0, "offline", "stop")


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(ParameterError, match="summary_budget_tokens"):
        OfflineModel(summary_budget_tokens=0)
    with pytest.raises(UnknownCounterError):
        OfflineModel(counter="gpt5")


def test_it_can_be_sent_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(OfflineModel(50, "chars4")))  # noqa: S301 - our own bytes
    assert (copy.summary_budget_tokens, copy.complete([Message("user", "Hi")]).text) == (50, ask(("user", "Hi")))


# --- summaries ------------------------------------------------------------------------------------

INSTRUCTION = "Write one concise zebra summary of 77 apples. Keep names, numbers, dates and decisions."
TALK = """user: Hello! How are you today?
assistant: Hi there! I am happy to help you. You could consider many options in general.
user: My daughter Mira is allergic to hazelnuts. Can you remember that?
assistant: Of course! Sure.
user: We decided to spend at most 3,000 euros, and we leave Lisbon on 14 March."""
ESSENCE = ("My daughter Mira is allergic to hazelnuts.", "We decided to spend at most 3,000 euros")


def one_message(talk: str, old: str = "") -> list[Message]:
    return [Message("user", INSTRUCTION + "\n\n" + (f"system: Previous summary: {old}\n" if old else "") + talk)]


def system_and_transcript(talk: str, old: str = "") -> list[Message]:
    entries = ([f"system: {old}"] if old else []) + talk.splitlines()
    return [Message("system", INSTRUCTION), Message("user", "Transcript so far:\n\n" + "\n\n".join(entries))]


def quoted_transcript(talk: str, old: str = "") -> list[Message]:
    entries = ([f"system: {old}"] if old else []) + talk.splitlines()
    text = '"Transcript so far: ' + "".join(f"{entry}\n\n" for entry in entries) + '"\n\n'
    return [Message("system", INSTRUCTION), Message("user", text)]


FORMS = [one_message, system_and_transcript, quoted_transcript]


def summary(messages: list[Message], budget_tokens: int = 160) -> str:
    text = OfflineModel(budget_tokens).summarize(messages).text
    assert counter("o200k_base")(text) <= budget_tokens
    return text


@pytest.mark.parametrize("form", FORMS)
def test_a_summary_holds_the_essence_in_order_and_nothing_else(form) -> None:
    text = summary(form(TALK), 44)
    assert text.index(ESSENCE[0]) < text.index(ESSENCE[1])
    for noise in ("zebra", "77", "Transcript", "How are you", "happy to help", "Of course", "user:", "remember that"):
        assert noise not in text


@pytest.mark.parametrize("form", FORMS)
def test_an_old_summary_is_carried_on_and_stands_first(form) -> None:
    text = summary(form(TALK, "The cabin key is under pot 3. I work as a nurse in Bergen."))
    assert text.startswith("The cabin key is under pot 3. I work as a nurse in Bergen.")
    assert "Previous summary" not in text
    assert all(part in text for part in ESSENCE)


def test_a_single_turn_with_lines_of_its_own() -> None:
    text = summary(one_message("user: My shopping list:\n- 3 leeks\n- rye flour type 1150\nThat is for Sunday."))
    assert "1150" in text
    assert "Sunday" in text


def test_the_instruction_may_look_like_a_transcript() -> None:
    instruction = "Summarize.\nuser: marks the person, zebra number 5.\n\nBe brief about zebra 6."
    assert summary([Message("user", instruction + "\nuser: I live in Turin.")]) == "I live in Turin."
    assert summary([Message("user", "Summarize zebra 7.\n\nI live in Turin.")]) == "I live in Turin."


def test_lines_without_a_full_stop_get_one() -> None:
    text = summary(one_message("user: - Hotel at 120 euros\n- Train at 80 euros"))
    assert text == "Hotel at 120 euros. Train at 80 euros."


def test_messages_without_an_instruction_are_summarized_themselves() -> None:
    assert summary([Message("user", "I live in Turin."), Message("assistant", "Noted.")]).startswith("I live in Turin.")


@pytest.mark.parametrize(
    ("older", "newer", "stale", "valid"),
    [
        ("My rent is 900 euros a month.", "assistant: Your rent is 940 euros a month.", "900", "940"),
        ("The rent is 900 euros a month.", "user: The rent is 940 euros a month.", "900", "940"),
        ("The deadline is 3 March.", "user: The deadline was moved to 12 April.", "3 March", "12 April"),
        ("房租每个月4200元。", "user: 房租每个月4500元。", "4200", "4500"),
    ],
)
def test_an_updated_fact_replaces_its_stale_version(older: str, newer: str, stale: str, valid: str) -> None:
    text = summary(one_message(newer, old=older))
    assert valid in text
    assert stale not in text


def test_an_old_fact_fades_among_new_ones() -> None:
    text, kept = "My spare key is with Odd Nilsen, his address is 12 Fjord Road.", []
    for start in range(0, 36, 4):
        lines = [f"user: {fact.statement}" for fact in ENGLISH[start : start + 4]]
        text = summary(one_message("\n".join(lines), old=text), 90)
        kept.append("Odd Nilsen" in text)
    assert kept[:2] == [True, True]
    assert not kept[-1]


def test_a_summary_is_shorter_than_what_it_summarizes() -> None:
    talk = "\n".join(f"user: {fact.statement}" for fact in ENGLISH[:12])
    count = counter("o200k_base")
    assert count(summary(one_message(talk))) <= count(talk) / 2.5


def test_tool_answers_and_markup_do_not_crowd_out_the_user() -> None:
    tool = json.dumps({f"key_{n}": f"VALUE-{n}" for n in range(40)})
    talk = f"tool: {tool}\nassistant: ## Plan\n| a | b |\n|---|---|\n**Step 1:** pack\nuser: My tent has 3 poles."
    text = summary(one_message(talk), 30)
    assert "My tent has 3 poles." in text
    assert "**" not in text
    assert "|" not in text


def test_chinese_summaries_stay_chinese_and_come_apart_again() -> None:
    text = summary(
        one_message("user: 你好！我女儿对榛子过敏。你觉得呢？\nassistant: 好的。\nuser: 我们3月14日出发，预算5000元。")
    )
    assert text == "我女儿对榛子过敏。我们3月14日出发，预算5000元。"
    again = summary(one_message("user: 我的电话是5550123。", old=text))
    assert again == text + "我的电话是5550123。"


@pytest.mark.parametrize("talk", ["user: ", "user: \nassistant: ", "user: ???", "user: ---", "user: ok"])
def test_a_summary_is_never_empty(talk: str) -> None:
    assert summary(one_message(talk)).strip()


def test_one_sentence_over_the_budget_is_cut_between_words() -> None:
    said = "My grandmother kept seventeen extraordinarily beautiful porcelain elephants in Antananarivo."
    text = summary(one_message(f"user: {said}"), 8)
    assert said.startswith(text)
    assert said[len(text)] == " "


TEXTS = st.text(max_size=300) | st.lists(
    st.sampled_from([fact.statement for fact in FACTS] + ["user: hi", "\n\n", "system: ", "```", "3.", "?", '"', "{"])
).map(" ".join)


@given(
    st.lists(st.tuples(st.sampled_from(["system", "user", "assistant", "tool"]), TEXTS), max_size=6), st.integers(8, 60)
)
def test_any_messages_are_answered_and_summarized_within_the_budget(rows: list[tuple[str, str]], budget: int) -> None:
    messages = [Message(role, content) for role, content in rows]
    assert ask(*messages).strip()
    first = summary(messages, budget)
    assert first.strip()
    assert first == summary(messages, budget)


# --- the bundled conversations --------------------------------------------------------------------

BUNDLED = sorted((Path(memviz.transcripts.__file__).parent / "bundled").glob("*.json"))


def holds(text: str, answers: list[str]) -> bool:
    return any(re.search(rf"(?<![a-z0-9]){re.escape(one.lower())}(?![a-z0-9])", text.lower()) for one in answers)


@pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)
def test_bundled_probes_are_answered_from_the_whole_and_not_from_what_lacks_the_answer(path: Path) -> None:
    sample = json.loads(path.read_text("utf-8"))
    messages = [Message.of(message) for message in sample["messages"]]
    right = unknown = 0
    for probe in sample["probes"]:
        question = ("user", probe["question"])
        right += holds(ask(*messages, question), probe["answers"])
        without = [message for message in messages if not holds(message.content, probe["answers"])]
        reply = ask(*without, question)
        assert not holds(reply, probe["answers"])
        unknown += knows_not(reply)
    assert right >= 0.75 * len(sample["probes"])
    assert unknown >= 0.5 * len(sample["probes"])


# --- speed ----------------------------------------------------------------------------------------


def best_seconds(action, repeats: int = 7) -> float:
    def once() -> float:
        start = time.perf_counter()
        action()
        return time.perf_counter() - start

    return min(once() for _ in range(repeats))


def long_text(words: int, seed: int) -> str:
    return " ".join(
        f"Guest number {seed * 1000 + n} of house {n} arrives early and pays in cash." for n in range(words // 12)
    )


def test_summarizing_twenty_long_messages_is_fast() -> None:
    request = one_message("\n".join(f"user: {long_text(200, seed)}" for seed in range(20)))
    assert best_seconds(lambda: MODEL.summarize(request)) < 0.003 * 3  # three times the target: machines differ


def test_answering_from_a_thousand_messages_is_fast() -> None:
    context = [Message("user", long_text(60, seed)) for seed in range(1000)]
    request = [*context, Message("user", "How much does guest number 77001 pay?")]
    assert best_seconds(lambda: MODEL.complete(request), 3) < 0.15


@pytest.mark.parametrize(
    "text", [long_text(200_000, 1), "word " * 200_000, "a" * 1_000_000, "我女儿对榛子过敏" * 40_000, "? " * 200_000]
)
def test_a_huge_message_does_not_hang(text: str) -> None:
    start = time.perf_counter()
    assert MODEL.complete([Message("user", text), Message("user", text + " What is it?")]).text
    summary(one_message("user: " + text))
    assert time.perf_counter() - start < 15
