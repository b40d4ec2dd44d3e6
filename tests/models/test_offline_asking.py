"""What the offline model makes of questions and orders in many words, such as "Tell me the door code"."""

from __future__ import annotations

import json

import pytest

from memviz import Chat, Message, Strategy, strategy
from memviz.core.text.phrases import admits_ignorance
from memviz.models.offline import OfflineModel
from tests.tables import for_each

ENGLISH = (
    "Our budget for the trip is 3,000 euros.",
    "Our hotel in Porto is called Casa Azul, it costs 92 euros a night.",
    "My daughter Mira is allergic to wool.",
    "The exam is on 14 June at 9:40.",
    "We set off on 26 June.",
    "The budget went up to 3,600 euros.",
    "The door code is 7742.",
    "Tom's party was called off.",
    "The landlord put off the repair until May.",
    "The rent came down to 880 euros.",
)
CHINESE = (
    "我们的预算是三千元。",
    "酒店叫海风楼，在厦门。",
    "我女儿对花生过敏。",
    "我们六月二十六号出发。",
    "预算涨到了三千六百元。",
)
GERMAN = (
    "Unser Budget für die Reise ist 3000 Euro.",
    "Das Hotel heißt Casa Azul.",
    "Wir fahren am 26. Juni los.",
)

NOT_SENT, NOT_SAID, CANNOT = (
    "nothing in the context I was sent mentions",
    "no sentence says it",
    "cannot work this out",
)
NOTED = (
    "Noted:",
    "Got it:",
    "Understood:",
    "I will keep that in mind:",
    "记下了：",
    "好的：",
    "明白了：",
    "我会记住：",
)


def ask(question: str, told: tuple[str, ...] = ENGLISH) -> str:
    messages = [
        one
        for text in told
        for one in (Message("user", text), Message("assistant", f'Noted: "{text}"'))
    ]
    return OfflineModel().complete([*messages, Message("user", question)]).text


@for_each(
    ("question", "expected"),
    [
        (
            "What is the name of the hotel and how much is it per night?",
            ("Casa Azul", "92"),
        ),
        ("When do we depart?", ("set off on 26 June",)),
        ("Tell me the hotel's name", ("Casa Azul",)),
        ("Tell me the name of the hotel.", ("Casa Azul",)),
        ("Give me the door code.", ("7742",)),
        ("Please repeat the door code!", ("7742",)),
        ("Name the hotel in Porto.", ("Casa Azul",)),
        ("Remind me of the door code", ("7742",)),
        ("Let me know when the exam is.", ("14 June",)),
        ("I forgot the door code.", ("7742",)),
        ("I wonder what Mira is allergic to.", ("wool",)),
        ("I'd like to know when the exam is", ("14 June",)),
        ("List the dates", ("14 June", "26 June")),
        ("List all names.", ("Casa Azul", "Mira")),
        ("List the hotels", ("Casa Azul",)),
        ("Give me a list of all prices", ("92", "3,600")),
        ("Summarize everything you know", ("92", "wool", "14 June", "7742")),
        ("Summarise our conversation, please.", ("92", "14 June")),
        ("What do you know about Mira?", ("wool",)),
        ("Give me a short summary.", ("92", "14 June")),
        ("Show me everything you know about the exam", ("14 June",)),
        ("What did I tell you?", ("92", "14 June")),
        ("List the trams", (NOT_SENT, "trams")),
        ("Translate the door code into French.", (CANNOT,)),
        ("Write a poem about Porto.", (CANNOT,)),
        ("How many apples do I have?", (NOT_SENT, "apples")),
        ("Which exam is about wool?", (NOT_SAID, "choose another model")),
    ],
)
def test_it_answers_what_it_can(question: str, expected: tuple[str, ...]) -> None:
    reply = ask(question)
    assert all(part in reply for part in expected), reply
    assert not reply.startswith(NOTED)


@for_each(
    ("question", "told", "expected"),
    [
        ("总结一下你知道的一切。", CHINESE, ("三千六百", "花生")),
        ("列出日期", CHINESE, ("六月二十六号",)),
        ("告诉我酒店的名字", CHINESE, ("海风楼",)),
        ("翻译这句话", CHINESE, ("自带的模型无法推算",)),
        ("酒店叫什么？我的猫叫什么？", CHINESE, ("海风楼", "关于“我的猫叫什么？”")),
        ("Fasse alles zusammen.", GERMAN, ("3000", "Casa Azul")),
        ("Sag mir den Namen des Hotels", GERMAN, ("Casa Azul",)),
        ("Liste alle Daten auf", GERMAN, ("26. Juni",)),
    ],
)
def test_it_does_so_in_other_languages(
    question: str, told: tuple[str, ...], expected: tuple[str, ...]
) -> None:
    reply = ask(question, told)
    assert all(part in reply for part in expected), reply


@for_each(
    "order",
    [
        "Fix my schedule",
        "Book the hotel",
        "Book the hotel for me.",
        "Please cancel my subscription.",
        "Call my dentist.",
        "Send an email to Anna.",
        "Order a pizza",
        "Could you check the weather?",
        "Remind me to call Anna tomorrow.",
        "Find a restaurant near the station.",
        "Help me with my homework.",
        "Make a reservation for two.",
        "Call Anna.",
        "Proofread my letter.",
        "Turn off the lights.",
        "Move my meeting.",
        "Find the bug in this code.",
        "Buche das Hotel.",
        "Bestell mir eine Pizza",
        "Ruf meine Mutter an.",
        "帮我订酒店。",
        "请帮我取消预订。",
    ],
)
def test_of_a_deed_it_says_that_it_cannot(order: str) -> None:
    reply = ask(order)
    assert CANNOT in reply or "自带的模型无法推算" in reply


@for_each(
    ("order", "expected"),
    [
        ("Check when the exam is.", "14 June"),
        ("Find out what Mira is allergic to", "wool"),
        ("Check my bank account.", CANNOT),
    ],
)
def test_an_order_to_look_something_up_is_a_question(order: str, expected: str) -> None:
    assert expected in ask(order)


HOME = (
    "Hi, I'm Elena Brandt and I run a small bakery in Ghent.",
    "My VAT number is BE0456.789.123.",
    "My wife Anna is allergic to nuts.",
    "Our son Ben likes trains.",
    "The supplier's contact is Marco, marco@fornorossi.it.",
    "The hotel in Porto costs 120 euros a night.",
    "The rent rose from 900 to 950.",
    "My salary stayed the same.",
    "We never decided on the ferry.",
    "The shop is at 12 Kouter Street.",
    "We close on Mondays.",
    "My policy is HX 20 77 41 and the agent's name is Rashid.",
    "My room is 412.",
    "My phone number is +32 470 12 34 56.",
)
OURS = (
    "Our VAT number is BE0456.789.123.",
    "The supplier is Forno Rossi.",
    "My phone number is 12345.",
)
THEIRS = (
    "The VAT number of the supplier is IT0999.",
    "The landlord's phone number is 777.",
)
HOME_IN_CHINESE = (
    "我叫李明，对花生过敏。",
    "预算原来是三千元，现在涨到了四千元。",
    "门禁密码是4029。",
)


@for_each(
    ("question", "expected"),
    [
        ("What is my name and where is my bakery?", "Elena Brandt"),
        ("Which room do I have?", "412"),
        ("Is Ben allergic to nuts?", NOT_SAID),
        ("What is the supplier's VAT number?", NOT_SAID),
        ("What is the agent's policy number?", NOT_SAID),
        ("Thanks, and what am I allergic to?", NOT_SAID),
        ("What is the agent's name?", "Rashid"),
        ("Translate 'bread' to French.", CANNOT),
        ("Forget the rental car.", CANNOT),
    ],
)
def test_it_says_it_of_nobody_else_and_knows_what_it_was_sent(
    question: str, expected: str
) -> None:
    reply = ask(question, HOME)
    assert expected in reply
    assert not reply.startswith(NOTED)
    assert 'On "Thanks"' not in reply


@for_each(
    ("question", "theirs", "ours"),
    [
        ("What is the VAT number of the supplier?", "IT0999", "BE0456"),
        ("What is the VAT number of our supplier?", "IT0999", "BE0456"),
        ("Which VAT number does the supplier have?", "IT0999", "BE0456"),
        ("What is the supplier's VAT number?", "IT0999", "BE0456"),
        ("What is the phone number of my landlord?", "777", "12345"),
    ],
)
def test_a_number_of_somebody_else_is_not_ours(
    question: str, theirs: str, ours: str
) -> None:
    assert admits_ignorance(ask(question, (*OURS, "My landlord is Mr Peeters.")))
    for told in ((*OURS, *THEIRS), (*THEIRS, *OURS)):
        assert theirs in ask(question, told)
        own = (
            "What is our VAT number?"
            if ours.startswith("BE")
            else "What is my phone number?"
        )
        assert ours in ask(own, told)
        assert theirs not in ask(own, told)
        assert ours not in ask(own, THEIRS)
        assert theirs not in ask(own, THEIRS)


@for_each(
    ("told", "theirs", "ours"),
    [
        (
            ("Unsere Steuernummer ist 12345.", "Der Lieferant heißt Rossi."),
            "Wie lautet die Steuernummer des Lieferanten?",
            "Wie lautet unsere Steuernummer?",
        ),
        (
            ("我们的税号是12345。", "供应商在苏州。"),
            "供应商的税号是多少？",
            "我们的税号是多少？",
        ),
    ],
)
def test_so_it_is_in_other_languages(
    told: tuple[str, ...], theirs: str, ours: str
) -> None:
    assert "12345" in ask(ours, told)
    assert "12345" not in ask(theirs, told)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Tell me about Anna, Ben and the hotel.", ("nuts", "trains", "120")),
    ],
)
def test_it_quotes_all_that_it_can(question: str, parts: tuple[str, ...]) -> None:
    reply = ask(question, HOME)
    assert all(part in reply for part in parts), reply


@for_each(
    ("question", "expected"),
    [
        ("我叫什么名字？", "李明"),
        ("我对牛奶过敏吗？", "没有提到“牛奶”"),
        ("银行卡密码是多少？", "没有提到“银行卡”"),
        ("把我的名字翻译成英文。", "自带的模型无法推算"),
    ],
)
def test_so_it_does_in_chinese(question: str, expected: str) -> None:
    assert expected in ask(question, HOME_IN_CHINESE)


@for_each(
    "said",
    [
        "Remember that the gate is green.",
        "Please call me Anna.",
        "Round to four decimals from now on.",
        "Please deliver it to my workplace.",
        "Note that the exam has moved.",
        "Keep the window open all day.",
        "List price is 40 euros.",
        "I told Mira what we do and she agreed.",
        "请叫我小安。",
        "Move the exam to Friday.",
        "Book club is on Tuesday.",
        "Order number 7 is late.",
        "Call the project Bluebell.",
        "Run 5 km every day.",
        "Make a note that the gate is green.",
        "Open the shop at nine from now on.",
        "预订了酒店。",
        "约好了星期五见面。",
    ],
)
def test_statements_stay_acknowledged(said: str) -> None:
    assert ask(said, ENGLISH).startswith(NOTED)


def test_what_it_could_not_answer_is_no_source_later() -> None:
    for question in (
        "How many apples do I have?",
        "Which exam is about wool?",
    ):
        for sentence in ask(question).split(". "):
            assert admits_ignorance(sentence)


def test_where_nothing_was_sent_it_does_not_sum_up() -> None:
    for question in ("Summarize everything you know.", "List the dates."):
        assert (
            ask(question, ())
            == "I do not know: nothing in the context I was sent says that."
        )


SAID = (
    "My boat Sturdy lies in Ghent and the mooring fee is 640 euros.",
    "The cat Biscuit sleeps on the radiator.",
    "Our hotel in Porto is called Casa Azul, it costs 92 euros a night.",
    *(
        f"Today I watered plant number {number} and read a chapter about whales."
        for number in range(4, 16)
    ),
)


def recalled(chat: Chat, question: str) -> list[dict[str, object]]:
    """The arguments of what the model recalls for ``question``."""
    record = chat.send(question)
    return [
        json.loads(call.arguments)
        for message in record.context.messages
        for call in message.tool_calls
    ]


def chat_of(setting: Strategy, **options: bool) -> Chat:
    chat = Chat(setting, model=OfflineModel(), **options)
    for said in SAID:
        chat.send(said)
    return chat


@for_each(
    ("question", "turns"),
    [
        (
            "How high is the mooring fee of the boat, and where does Biscuit sleep?",
            [1, 2],
        ),
        ("Tell me the hotel's name", [3]),
        ("Does Biscuit have a collar?", [2]),
    ],
)
def test_a_chat_recalls_the_turns_that_the_question_is_about(
    question: str, turns: list[int]
) -> None:
    assert recalled(chat_of(strategy("summary_only")), question) == [
        {"turn_numbers": turns}
    ]


def test_the_turn_in_which_it_was_asked_in_vain_is_not_recalled() -> None:
    chat = chat_of(strategy("summary_only"))
    assert recalled(chat, "What is the insurance number of the boat Sturdy?") == [
        {"turn_numbers": [1]}
    ]
    assert recalled(chat, "Which insurance number does the boat Sturdy have?") == [
        {"turn_numbers": [1]}
    ]


def test_a_chat_without_summaries_of_turns_recalls_the_newest_messages() -> None:
    chat = chat_of(strategy("window", window_size=2), recall_tool=True)
    assert recalled(chat, "How high is the mooring fee of the boat?") == [
        {"last_n": 20}
    ]
