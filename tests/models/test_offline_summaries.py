from __future__ import annotations

import json

from memviz.core.counters import counter
from memviz.core.messages import Message
from memviz.models.offline import OfflineModel
from memviz.transcripts.samples import bundled
from tests.models.offline_facts import ENGLISH
from tests.tables import for_each

INSTRUCTION = "Write one concise zebra summary of 77 apples. Keep names, numbers, dates and decisions."
TALK = """user: Hello! How are you today?
assistant: Hi there! I am happy to help you. You could consider many options in general.
user: My daughter Mira is allergic to hazelnuts. Can you remember that?
assistant: Of course! Sure.
user: We decided to spend at most 3,000 euros, and we leave Lisbon on 14 March."""
ESSENCE = (
    "My daughter Mira is allergic to hazelnuts.",
    "We decided to spend at most 3,000 euros",
)


def one_message(talk: str, old: str = "") -> list[Message]:
    return [
        Message(
            "user",
            INSTRUCTION
            + "\n\n"
            + (f"system: Previous summary: {old}\n" if old else "")
            + talk,
        )
    ]


def system_and_transcript(talk: str, old: str = "") -> list[Message]:
    entries = ([f"system: {old}"] if old else []) + talk.splitlines()
    return [
        Message("system", INSTRUCTION),
        Message("user", "Transcript so far:\n\n" + "\n\n".join(entries)),
    ]


def quoted_transcript(talk: str, old: str = "") -> list[Message]:
    entries = ([f"system: {old}"] if old else []) + talk.splitlines()
    text = (
        '"Transcript so far: ' + "".join(f"{entry}\n\n" for entry in entries) + '"\n\n'
    )
    return [Message("system", INSTRUCTION), Message("user", text)]


FORMS = [one_message, system_and_transcript, quoted_transcript]


def summary(messages: list[Message], budget_tokens: int = 160) -> str:
    text = OfflineModel(budget_tokens).summarize(messages).text
    assert counter("o200k_base")(text) <= budget_tokens
    return text


@for_each("form", FORMS)
def test_a_summary_holds_the_essence_in_order_and_nothing_else(form) -> None:
    text = summary(form(TALK), 44)
    assert text.index(ESSENCE[0]) < text.index(ESSENCE[1])
    for noise in (
        "zebra",
        "77",
        "Transcript",
        "How are you",
        "happy to help",
        "Of course",
        "user:",
        "remember that",
    ):
        assert noise not in text


@for_each("form", FORMS)
def test_an_old_summary_is_carried_on_and_stands_first(form) -> None:
    text = summary(
        form(TALK, "The cabin key is under pot 3. I work as a nurse in Bergen.")
    )
    assert text.startswith(
        "- The cabin key is under pot 3.\n- I work as a nurse in Bergen.\n"
    )
    assert "Previous summary" not in text
    assert all(part in text for part in ESSENCE)


def test_a_single_turn_with_lines_of_its_own() -> None:
    text = summary(
        one_message(
            "user: My shopping list:\n- 3 leeks\n- rye flour type 1150\nThat is for Sunday."
        )
    )
    assert "1150" in text
    assert "Sunday" in text


def test_the_instruction_may_look_like_a_transcript() -> None:
    instruction = (
        "Summarize.\nuser: marks the person, zebra number 5.\n\nBe brief about zebra 6."
    )
    assert (
        summary([Message("user", instruction + "\nuser: I live in Turin.")])
        == "I live in Turin."
    )
    assert (
        summary([Message("user", "Summarize zebra 7.\n\nI live in Turin.")])
        == "I live in Turin."
    )


def test_lines_without_a_full_stop_get_one() -> None:
    text = summary(one_message("user: - Hotel at 120 euros\n- Train at 80 euros"))
    assert text == "- Hotel at 120 euros.\n- Train at 80 euros."


def test_messages_without_an_instruction_are_summarized_themselves() -> None:
    assert summary(
        [Message("user", "I live in Turin."), Message("assistant", "Noted.")]
    ).startswith("I live in Turin.")


@for_each(
    ("older", "newer", "stale", "valid"),
    [
        (
            "My rent is 900 euros a month.",
            "assistant: Your rent is 940 euros a month.",
            "900",
            "940",
        ),
        (
            "The rent is 900 euros a month.",
            "user: The rent is 940 euros a month.",
            "900",
            "940",
        ),
        (
            "The deadline is 3 March.",
            "user: The deadline was moved to 12 April.",
            "3 March",
            "12 April",
        ),
        ("房租每个月4200元。", "user: 房租每个月4500元。", "4200", "4500"),
    ],
)
def test_an_updated_fact_replaces_its_stale_version(
    older: str, newer: str, stale: str, valid: str
) -> None:
    text = summary(one_message(newer, old=older))
    assert valid in text
    assert stale not in text


@for_each(
    ("older", "newer"),
    [
        (
            "The train from Turin costs 14 euros.",
            "The train from Genoa costs 20 euros.",
        ),
        ("Room 41 costs 410 euros.", "Room 52 costs 520 euros."),
        (
            "Casa Flor costs 92 euros a night.",
            "Casa Flor costs 150 euros of deposit in cash at the door.",
        ),
        ("Our landlord is called Bruno Conti.", "Our neighbour is called Bruno Levi."),
        ("My flight leaves at 9:40.", "Our return flight now leaves at 12:10."),
    ],
)
def test_another_fact_replaces_nothing(older: str, newer: str) -> None:
    text = summary(one_message(f"user: {newer}", old=older))
    assert older in text
    assert newer in text


@for_each(
    ("older", "newer", "stale"),
    [
        (
            "The rowing regatta takes place on 3 May.",
            "I heard that the rowing regatta was moved to 9 June.",
            "3 May",
        ),
        (
            "The slow train to Bern departs in the quiet hours at 10:40.",
            "We now take the train to Bern at 12:10 instead of 10:40.",
            "at 10:40",
        ),
        (
            "The caretaker of the mill is Anna Berg.",
            "The new caretaker of the mill is Ben Stone.",
            "Anna",
        ),
        ("Die Miete beträgt 900 Euro.", "Die Miete beträgt jetzt 940 Euro.", "900"),
        ("开业日期定在5月18日。", "开业日期改到6月15日。", "5月18日"),
    ],
)
def test_a_change_is_told_by_its_words(older: str, newer: str, stale: str) -> None:
    text = summary(one_message(f"user: {newer}", old=older))
    assert newer.removeprefix("I heard that the ") in text
    assert older not in text
    assert stale not in text.replace("instead of 10:40", "")


def test_one_fact_is_said_once_also_against_the_earlier_summary() -> None:
    told = "user: Mira is badly allergic to hazelnuts.\nassistant: Noted: your daughter Mira is allergic to hazelnuts."
    text = summary(one_message(told, old="My daughter Mira is allergic to hazelnuts."))
    assert text.count("hazelnuts") == 1
    denied = summary(
        one_message(
            "user: We do not deliver on Sundays.", old="We do deliver on Sundays."
        )
    )
    assert "do not deliver" in denied
    assert "We do deliver" in denied, "the opposite is not the same"


@for_each(
    "noise",
    [
        "Grr.",
        "Hi!",
        "Perfect, thank you!",
        "Oh dear.",
        "Big news!",
        "Danke schön!",
        "太好了！",
        "谢谢你！",
    ],
)
def test_greetings_thanks_and_exclamations_are_left_out(noise: str) -> None:
    text = summary(
        one_message(
            f"user: {noise} My locker is number 212.\nassistant: {noise}\nuser: {noise}"
        )
    )
    assert text == "My locker is number 212."


def test_what_points_back_stands_behind_what_it_points_to() -> None:
    talk = "user: The weather is mild. My father Anselm wears a fall alarm. He is 81 and lives with us in Bergen."
    text = summary(one_message(talk))
    assert (
        "My father Anselm wears a fall alarm. He is 81 and lives with us in Bergen."
        in text.splitlines()[-1]
    )


def test_a_value_in_a_call_of_a_tool_does_not_crowd_out_what_was_said() -> None:
    talk = 'user: My locker is number 212.\nassistant:  [calls save {"locker_number": "AB-212", "owner_id": "XK-9911"}]'
    assert summary(one_message(talk), 60).startswith("My locker is number 212.")
    assert "XK-9911" in summary(
        one_message('assistant:  [calls save {"owner_id": "XK-9911"}]')
    )


@for_each(
    ("instruction", "is_list"),
    [
        ("Write a summary of this one turn in two or three sentences.", False),
        ("Fasse das Gespräch in zwei Sätzen zusammen.", False),
        ("用两句话总结下面的对话。", False),
        ("List every fact, one to a line, each a full sentence.", True),
        ("Write one concise summary.", True),
    ],
)
def test_facts_are_a_list_unless_sentences_are_asked_for(
    instruction: str, is_list: bool
) -> None:
    talk = "user: My locker is number 212. Our train leaves on 14 March."
    text = summary([Message("user", f"{instruction}\n\n{talk}")])
    listed = "- My locker is number 212.\n- Our train leaves on 14 March."
    assert text == (
        listed if is_list else "My locker is number 212. Our train leaves on 14 March."
    )


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
        one_message(
            "user: 你好！我女儿对榛子过敏。你觉得呢？\nassistant: 好的。\nuser: 我们3月14日出发，预算5000元。"
        )
    )
    assert text == "- 我女儿对榛子过敏。\n- 我们3月14日出发，预算5000元。"
    again = summary(one_message("user: 我的电话是5550123。", old=text))
    assert again == text + "\n- 我的电话是5550123。"


@for_each(
    "talk", ["user: ", "user: \nassistant: ", "user: ???", "user: ---", "user: ok"]
)
def test_a_summary_is_never_empty(talk: str) -> None:
    assert summary(one_message(talk)).strip()


def test_one_sentence_over_the_budget_is_cut_between_words() -> None:
    said = "My grandmother kept seventeen extraordinarily beautiful porcelain elephants in Antananarivo."
    text = summary(one_message(f"user: {said}"), 8)
    assert said.startswith(text)
    assert said[len(text)] == " "


LONG_TALK = "\n".join(
    f"{message.role}: {message.content}" for message in bundled()["trip"].messages
)
MEASURES = {
    "tokens": counter("o200k_base"),
    "words": lambda text: len(text.split()),
    "characters": len,
}


@for_each("unit", MEASURES)
@for_each("amount", [12, 60, 400])
def test_a_length_that_the_instruction_asks_for_is_kept_and_used(
    unit: str, amount: int
) -> None:
    request = [Message("user", f"Summarize in at most {amount} {unit}.\n\n{LONG_TALK}")]
    text = OfflineModel(summary_budget_tokens=100).summarize(request).text
    assert 0.5 * amount <= MEASURES[unit](text) <= amount


def test_a_length_in_a_system_message_or_in_chinese_is_kept_too() -> None:
    spoken = [
        Message("system", "Summarize in up to 20 words."),
        Message("user", f"Transcript so far:\n\n{LONG_TALK}"),
    ]
    assert len(OfflineModel().summarize(spoken).text.split()) <= 20
    talk = "我的预算是三千元，六月去北京。我女儿对花生过敏，她叫小美。酒店在前门附近，每晚五百元。"
    chinese = f"用不超过30个字总结下面的对话。\n\nuser: {talk}"
    assert len(OfflineModel().summarize([Message("user", chinese)]).text) <= 30


def test_a_length_that_the_conversation_speaks_of_is_not_meant() -> None:
    talk = "user: Write me a poem in at most 5 words. My daughter Mira is allergic to hazelnuts."
    asked = (
        OfflineModel()
        .summarize([Message("user", f"Write one concise summary.\n\n{talk}")])
        .text
    )
    assert "Mira is allergic to hazelnuts" in asked
