"""Facts that are said once and never again: codes, allergies, people, dates, amounts, decisions."""

from __future__ import annotations

from benchmarks.proposals import measure, with_phrasings
from benchmarks.synthetic.generator import generate
from benchmarks.synthetic.phrasings import (
    HELD_OUT,
    HELD_OUT_SHORT,
    SHORT,
    TUNED,
    Phrasing,
)
from memviz import Log, Message, propose_probes
from memviz.core.text.containment import contains
from memviz.metrics.retention.proposed_probes import BLANK
from tests.tables import for_each


def asked(*texts: str) -> list[tuple[str, str]]:
    """The answers and the questions that are proposed where the user says ``texts``."""
    messages = [
        one
        for text in texts
        for one in (Message("user", text), Message("assistant", "Noted."))
    ]
    return [
        (probe.answers[0], probe.question) for probe in propose_probes(Log(messages))
    ]


@for_each("phrasing", TUNED)
def test_a_fact_said_once_is_asked_for(phrasing: Phrasing) -> None:
    found = asked("Hello there!", phrasing.sentence, "Bye.")
    assert any(
        contains(answer, phrasing.answer) or contains(phrasing.answer, answer)
        for answer, _ in found
    )
    assert all(
        BLANK in question and not contains(question, answer)
        for answer, question in found
    )


@for_each(
    ("sentence", "value", "label"),
    [
        ("The hotel number 1 costs 207 euros.", "207", "1 costs"),
        ("The cabin 4 costs 90 euros a night.", "90 euros", "4 costs"),
        ("We take room 12 keys and 3 towels.", "3 towels", "12 keys"),
        ("第 12 条规定押金是 800 元。", "800", "12"),
    ],
)
def test_a_number_that_is_a_label_counts_nothing(
    sentence: str, value: str, label: str
) -> None:
    said = {answer for answer, _ in asked("Hello there!", sentence, "Bye.")}
    assert value in said
    assert label not in said


def test_so_are_most_of_those_that_the_patterns_were_not_written_for() -> None:
    found = measure(with_phrasings(HELD_OUT, seed=1), limit=50)
    assert found.recall >= 0.85
    assert found.right >= found.proposed - 1


def test_short_sentences_are_parted_from_those_that_look_alike() -> None:
    for phrasings, least_recall, most_wrong in (
        (SHORT, 1.0, 1),
        (HELD_OUT_SHORT, 0.85, 3),
    ):
        found = measure(with_phrasings(phrasings, seed=1), limit=50)
        assert found.recall >= least_recall
        assert found.proposed - found.right <= most_wrong


@for_each(
    ("said", "question"),
    [
        ("I am allergic to wool.", "I am allergic to ___."),
        ("The door code is 7742.", "The door code is ___."),
        ("You can reach me at +44 20 7946 0958.", "You can reach me at ___."),
        ("My tax number is 12/345/67890.", "My tax number is ___."),
        ("The discount code is WELCOME15.", "The discount code is ___."),
        ("Door code: 7742", "Door code: ___"),
        ("my door code is 7742", "my door code is ___"),
        ("Hi, I'm Petra, the landlady.", "Hi, I'm ___, the landlady."),
        ("I take 20 mg of the tablet.", "I take ___ of the tablet."),
        ("The budget for the party is 1.500 €.", "The budget for the party is ___ €."),
        ("Ich habe eine Nussallergie", "Ich habe eine ___ (Allergie)"),
        ("I can't do penicillin", "I can't do ___ (what to avoid)"),
        ("I am in group C", "I am in ___ (group)"),
        (
            "We meet on the 17th if the weather holds.",
            "We meet on the ___ if the weather holds.",
        ),
        ("My jacket is a size M.", "My jacket is a ___."),
        ("我对花粉过敏。", "我对___过敏。"),
        ("门禁密码是9036。", "门禁密码是___。"),
    ],
)
def test_the_question_is_the_sentence_with_the_value_blanked(
    said: str, question: str
) -> None:
    assert [one for _, one in asked("Hello there!", said)] == [question]


@for_each(
    "said",
    [
        "Is the door code 7742?",
        "If the door code is 7742, we can get in.",
        "Perhaps I am allergic to wool.",
        "Tell me if my allergy to nuts is on file.",
        "I should know if it is on the 17th.",
        "It could be on the 17th if nobody minds.",
        "If all goes well, the 17th is fine.",
        "I hate it when that happens.",
        "I hate to bother you with this.",
        "I don't have time for that today.",
        "I would never have thought of that.",
        "My friend is German and so is his wife.",
        "Prefer short functions to long ones.",
        "We decided that it is fine.",
        "We went with them to the sea.",
        "I call them every 3 or 4 weeks.",
        "The thought makes me sick of it.",
        "I can't do it today.",
        "Please look which plan is enough for me.",
        "School is finished anyway.",
        "You told me not to order before the repair was done.",
        "A command that did not work once will not work again.",
        "Let's use these nine delays in our exercises.",
        'I heard the word "least" and thought of him.',
        "E.g. you can run the file script_name with it.",
        "We went for a walk in the park.",
        "You need to 1) Specify the lines or 2) Correct them.",
        "他常待的地方得特别小心。",
        "我感觉自己很没有出路。",
        "你只写中间那段正文，六十字左右。",
        "I can't wear my heart on the sleeve.",
        "昨天我们叫外卖,很好吃",
        "我七岁的时候搬家了",
        "小猫叫得很大声。",
        "她住在那里很久了",
        "我最怕他不来。",
        "他讨厌你吗？",
        "一张总表就够了。",
        "请朋友和邻居来。",
        "我可以帮你查一下。",
    ],
)
def test_what_only_looks_like_a_fact_is_not(said: str) -> None:
    assert asked("Hello there!", said, "Bye.") == []


@for_each(
    ("said", "answers"),
    [
        ("Wool makes me itch", {"Wool"}),
        ("I can't wear wool, I get a rash", {"wool"}),
        ("My wool allergy is bad", {"wool"}),
        ("Since last year I can't do penicillin, it was awful", {"penicillin"}),
        ("Tante Gerda hat eine Nussallergie", {"Gerda", "Nussallergie"}),
        ("Ich vertrage keine Laktose", {"Laktose"}),
        ("J'ai une allergie à la laine", {"laine"}),
        ("Write to me at elena@x.be", {"elena@x.be"}),
        ("我的邮箱是elena@x.be", {"elena@x.be"}),
        ("If you like, call me on 07700 900123.", {"07700 900123"}),
        ("My number is (555) 010-7788", {"(555) 010-7788"}),
        ("My NI number is QQ 12 34 56 C", {"QQ 12 34 56 C"}),
        ("My flight is LX 1837, confirmation K9TWPQ", {"LX 1837", "K9TWPQ"}),
        ("order 000-7741, combo 22-8-31", {"000-7741", "22-8-31"}),
        ("the wifi is called TheoLark_5G", {"TheoLark_5G"}),
        ("My blood type is O negative", {"O negative"}),
        ("we picked the blue sofa btw", {"blue sofa"}),
        ("The van comes on the 23rd", {"23rd"}),
        ("It is valid until 30 Sept", {"30 Sept"}),
        ("Am 12. September um 14 Uhr sind wir da.", {"12. September", "14 Uhr"}),
        ("Das Budget liegt bei 18.500 Euro", {"18.500"}),
        ("Mon budget est de 3 000 euros", {"3 000"}),
        ("I'm 34 years old", {"34 years"}),
        ("The meeting moved from Tuesday to Friday", {"Friday"}),
        ("我女儿小雨今年七岁", {"小雨", "七岁"}),
        ("我女儿小雨喜欢画画", {"小雨"}),
        ("以后每次回答不超过八十字", {"八十字"}),
        ("Still 27 Heron Court.", {"27"}),
        ("The median is 6 because it's the fifth.", {"6"}),
        ("我先生王建国不吃辣", {"王建国", "辣"}),
        ("我住在杭州市文三路218号", {"杭州市文三路218号"}),
        ("酒店叫海天大酒店，房间在十二楼", {"海天大酒店", "十二楼"}),
        ("优惠码是SUMMER8，可以打八折", {"SUMMER8", "八折"}),
        ("我们订了餐厅,名字叫老码头,很近", {"老码头"}),
    ],
)
def test_of_these_just_the_values_are_asked_for(said: str, answers: set[str]) -> None:
    assert {answer for answer, _ in asked("Hello there!", said, "Bye.")} == answers


@for_each(
    ("said", "answers"),
    [
        (
            "The staging box is at 10.20.4.17 and listens on port 5433",
            {"10.20.4.17", "5433"},
        ),
        (
            "We deploy from the branch release/spring-26 to eu-west-2",
            {"release/spring-26", "eu-west-2"},
        ),
        (
            "We run Postgres 13.8, the config sits in /etc/app/repl.conf",
            {"Postgres 13.8", "/etc/app/repl.conf"},
        ),
        (
            "The docs are at https://docs.example.org/a/b, alerts go to #oncall",
            {"https://docs.example.org/a/b", "#oncall"},
        ),
        ("We are 45 adults and 12 kids", {"45 adults", "12 kids"}),
        ("They need a 3 by 4 metre stage", {"3 by 4 metre"}),
        ("Doors open at 7:30 pm, everyone is out by 11", {"7:30 pm", "11"}),
        ("I can only do calls before 4 pm", {"4 pm"}),
        ("Can you book a table for six on Friday?", {"six", "Friday"}),
        ("She doesn't want any flashbacks", {"flashbacks"}),
        ("We ruled out the barbecue already", {"barbecue"}),
        ("Balloons are out", {"Balloons"}),
        ("We met at the old bus station", {"old bus station"}),
        (
            "昆明住翠湖宾馆，两间房，每晚六百八。",
            {"昆明", "翠湖宾馆", "两间房", "六百八"},
        ),
        ("早上九点四十的G2881，一共八天。", {"早上九点四十", "G2881", "八天"}),
        ("固件版本是2.1.4，MQTT端口是8883。", {"2.1.4", "MQTT", "8883"}),
        ("玉龙雪山就不去了，也不要安排米线。", {"玉龙雪山", "米线"}),
        ("摄影师在香港中路66号，宾客120人。", {"香港中路66号", "120人"}),
    ],
)
def test_details_are_asked_for_as_people_name_them(
    said: str, answers: set[str]
) -> None:
    assert {answer for answer, _ in asked("Hello there!", said, "Bye.")} == answers


def test_people_are_found_in_chinese() -> None:
    said = (
        "我的名字是沈禾。老秦报价很高。蒋伯不同意。",
        "我们的茶艺师叫白露。王老师下午来。",
        "同事李建国请假了。李建国病了。小林说好。",
    )
    found = {answer for answer, _ in asked("你好！", *said)}
    assert found == {"沈禾", "老秦", "蒋伯", "白露", "王老师", "李建国", "小林"}


@for_each(
    ("said", "answer"),
    [
        ("我们的预算是三百元。", "三百元"),
        ("我们的预算是300元。", "300"),
        ("考试定在6月28日。", "6月28日"),
        ("考试定在六月二十八日。", "六月二十八日"),
        ("房租要每月两千八百块。", "两千八百块"),
        ("店休日改成周二。", "周二"),
    ],
)
def test_numerals_and_dates_are_found_in_chinese(said: str, answer: str) -> None:
    assert [one for one, _ in asked("你好！", said)] == [answer]


def test_the_assistant_states_codes_and_names_but_has_no_tastes() -> None:
    def proposed(said: str) -> list[str]:
        log = Log(
            [
                Message("user", "Hello there!"),
                Message("assistant", said),
                Message("user", "Good."),
            ]
        )
        return [probe.answers[0] for probe in propose_probes(log)]

    assert proposed("Your booking reference is KZ4-88T.") == ["KZ4-88T"]
    assert proposed("Your technician is called Ruben Achterberg.") == [
        "Ruben Achterberg"
    ]
    assert proposed("The deposit for the hub is 40 euros, returned later.") == [
        "40 euros"
    ]
    assert proposed("I prefer window seats.") == []
    assert proposed("You could say that the door code is 7742.") == []


def test_most_facts_of_a_generated_conversation_are_found() -> None:
    found = measure(generate(200, seed=4, facts_per_100_turns=8), limit=50)
    assert found.recall >= 0.7
    assert found.right >= 0.7 * found.proposed
