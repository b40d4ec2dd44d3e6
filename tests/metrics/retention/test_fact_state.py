"""What a request makes of a fact: known, contradicted or lost. Every case is one text that is sent in place of the
message that stated the fact."""

from __future__ import annotations

import numpy as np

import memviz
from memviz import FactState, Message, Probe
from memviz.metrics.retention.knowledge import BEST_FIRST, STATE_OF, Knowledge
from memviz.transcripts.samples import sample
from tests.tables import for_each

K, C, L = FactState.KNOWN, FactState.CONTRADICTED, FactState.LOST
HOME = "Where does the user live?"


def state_of(
    summary: str,
    answer: str,
    question: str,
    stated: str = "",
    stale: tuple[str, ...] = (),
) -> FactState:
    """The state of the fact at a request that sends ``summary`` and not the message that ``stated`` it."""
    messages = [
        Message("user", stated or f"It is {answer}."),
        Message("assistant", "Noted."),
        Message("user", "And now?"),
        Message("assistant", "Well."),
        Message("user", "What was it?"),
        Message("assistant", "Hm."),
    ]
    strategy = memviz.strategy("summary", buffer_size=1)
    run = memviz.replay(messages, strategy, model=memviz.ScriptedModel([summary] * 9))
    kept = memviz.retention(
        run, [Probe(question, (answer,), (0,), "single fact", stale)]
    )
    assert kept.retained[-1, 0] == (kept.state[-1, 0] == K)
    return FactState(int(kept.state[-1, 0]))


@for_each(
    ("summary", "answer"),
    [
        ("The user does not live in Lisbon.", "Lisbon"),
        ("The user doesn't live in Lisbon.", "Lisbon"),
        ("The user no longer lives in Lisbon.", "Lisbon"),
        ("The user never lived in Lisbon.", "Lisbon"),
        ("The user moved from Lisbon to Porto.", "Lisbon"),
        ("The user lives in Porto instead of Lisbon.", "Lisbon"),
        ("The user lives not in Lisbon but in Porto.", "Lisbon"),
        ("The trip to Lisbon was cancelled.", "Lisbon"),
        ("用户不再住在里斯本。", "里斯本"),
        ("用户从里斯本搬到波尔图。", "里斯本"),
        ("用户没有住在里斯本。", "里斯本"),
        ("用户把里斯本改成波尔图。", "里斯本"),
    ],
)
def test_a_negation_or_an_update_contradicts(summary: str, answer: str) -> None:
    assert state_of(summary, answer, HOME) is C


@for_each(
    ("summary", "answer"),
    [
        ("The user moved from Lisbon to Porto.", "Porto"),
        ("The user lives in Porto instead of Lisbon.", "Porto"),
        ("The user lives not in Lisbon but in Porto.", "Porto"),
        ("The user lives in Lisbon and does not drive.", "Lisbon"),
        ("Not only the user lives in Lisbon.", "Lisbon"),
        ("用户不住在里斯本，而是住在波尔图。", "波尔图"),
        ("用户从里斯本搬到波尔图。", "波尔图"),
    ],
)
def test_what_another_clause_denies_is_known(summary: str, answer: str) -> None:
    assert state_of(summary, answer, HOME) is K


@for_each(
    ("summary", "answer"),
    [
        ("The budget is 3k.", "3000"),
        ("The budget is 3000.", "3k"),
        ("预算是三千元。", "3000元"),
        ("预算是3000元。", "三千元"),
        ("It starts at 17:30.", "5:30 pm"),
        ("It starts at 5:30 pm.", "17:30"),
        ("Born on 12 May 1990.", "1990-05-12"),
        ("Born on 1990-05-12.", "12 May 1990"),
        ("His name is João.", "Joao"),
        ("His name is Joao.", "João"),
        ("The code is QX7-R4M.", "QX7R4M"),
        ("The code is QX7R4M.", "QX7-R4M"),
        ("Call +351 912 345 678.", "912345678"),
        ("Call 912345678.", "+351 912 345 678"),
        ("預算很重要。", "预算"),
        ("预算很重要。", "預算"),
        ("There are thirteen.", "13"),
        ("There are 13.", "thirteen"),
        ("It takes an hour and a half.", "90 minutes"),
        ("It takes two and a half hours.", "150 minutes"),
        ("She is 5'6\" tall.", "5 ft 6"),
        ("He weighs 14 lbs.", "14 pounds"),
        ("A rug of 6' x 9'.", "6 by 9 feet"),
        ("He was born in the UK.", "United Kingdom"),
        ("He studied at MIT.", "Massachusetts Institute of Technology"),
        ("We meet on Weds.", "Wednesday"),
        ("It runs on k8s.", "Kubernetes"),
        ("It is at 7 in the evening.", "7 pm"),
        ("Blue/red stripes.", "red and blue"),
        ("The dog is asleep.", "a dog"),
        ("The 2019 Golf.", "2019 VW Golf"),
        ("约好周四。", "星期四"),
        ("片长一个半小时。", "90分钟"),
        ("体重120斤。", "60公斤"),
        ("利率百分之四点二。", "4.2%"),
        ("来了三十位。", "30人"),
        ("截止是4/18。", "4月18日"),
        ("房子75平。", "75平方米"),
        ("It is about a peanut.", "peanuts"),
        ("It is about peanuts.", "peanut"),
    ],
)
def test_a_value_is_known_however_it_is_written(summary: str, answer: str) -> None:
    assert state_of(summary, answer, "What was it?") is K


@for_each(
    ("summary", "answer"),
    [
        ("Mark my words.", "Mark"),
        ("May I help?", "May"),
        ("They meet in Room 1042A.", "1042"),
        ("It starts at 17:30.", "30"),
        ("It is version 2.10.", "2.1"),
        ("It costs 3,000 dollars.", "3,000 euros"),
        ("Born on 12 May 1991.", "12 May 1990"),
        ("The code is QX7-R4M.", "R4M"),
    ],
)
def test_what_only_looks_like_it_is_lost(summary: str, answer: str) -> None:
    assert state_of(summary, answer, "What was it?") is L


def test_a_long_summary_by_a_language_model_holds_every_fact_that_it_states() -> None:
    """Real texts name many values in one line, which no rule for short sentences may take for something else."""
    conversation = sample("trip")
    memory = memviz.strategy("summary_buffer", max_token_limit=1500)
    run = memviz.replay(conversation, memory, model="recording:trip")
    assert set(memviz.retention(run, conversation.probes).state[-1].tolist()) == {
        int(K)
    }


def test_what_is_open_about_somebody_hides_nothing_else_that_is_told() -> None:
    summary = (
        "Family: Niamh, Finn (114 cm).\nFinn's seat is not confirmed. He has a cold."
    )
    assert state_of(summary, "114 centimetres", "How tall is Finn?") is K


@for_each(
    ("summary", "answer", "expected"),
    [
        ("Please cook nut-free.", "no nuts", K),
        ("The user has no dog.", "doesn't own a dog", K),
        ("Skiing is out.", "no skiing", K),
        ("The old no-nuts rule was dropped.", "no nuts", C),
        ("She is not a vegetarian.", "vegetarian", C),
        ("用户没孩子。", "没有孩子", K),
        ("请去掉葱。", "不放葱", K),
    ],
)
def test_an_answer_that_is_a_negative_is_known_where_it_is_denied(
    summary: str, answer: str, expected: FactState
) -> None:
    assert state_of(summary, answer, "What is the rule?") is expected


@for_each(
    ("stated", "summary", "answer", "question"),
    [
        ("I eat no nuts.", "The user does not eat nuts.", "nuts", "What about food?"),
        (
            "I am allergic to nuts.",
            "Never serve nuts to the user.",
            "nuts",
            "What about food?",
        ),
        (
            "Nuts are bad for me.",
            "The user does not eat nuts.",
            "nuts",
            "What does the user not eat?",
        ),
        ("我对花生过敏。", "用户不吃花生。", "花生", "饮食？"),
        (
            "I moved from Lisbon to Porto.",
            "The user no longer lives in Lisbon.",
            "Lisbon",
            "Where formerly?",
        ),
    ],
)
def test_a_fact_that_is_itself_a_negative_is_known_by_its_negation(
    stated: str, summary: str, answer: str, question: str
) -> None:
    assert state_of(summary, answer, question, stated) is K


def test_a_request_that_holds_only_the_outdated_value_contradicts_the_new_one() -> None:
    assert state_of("The user lives in Lisbon.", "Porto", HOME, stale=("Lisbon",)) is C
    assert (
        state_of(
            "The user lives in Porto, once Lisbon.", "Porto", HOME, stale=("Lisbon",)
        )
        is K
    )


def states_with_all_sent(probes: list[Probe], *said: str) -> list[list[FactState]]:
    messages = [
        one
        for text in said
        for one in (Message("user", text), Message("assistant", "Noted."))
    ]
    messages += [Message("user", "Bye."), Message("assistant", "Bye.")]
    run = memviz.replay(messages, memviz.strategy("buffer"), model="offline")
    state = memviz.retention(run, probes).state
    return [[FactState(int(code)) for code in column] for column in state.T]


def test_a_later_update_makes_what_was_said_before_outdated() -> None:
    lisbon = Probe("Where do I live?", ("Lisbon",), (0,), "single fact")
    said = (
        "I live in Lisbon.",
        "I moved from Lisbon to Porto.",
        "I moved back, to Lisbon.",
    )
    assert states_with_all_sent([lisbon], *said) == [[K, C, K, K]]
    assert states_with_all_sent(
        [lisbon], said[0], "My brother moved from Lisbon to Porto."
    ) == [[K, K, K]]


def test_a_fact_is_contradicted_where_another_one_replaces_it() -> None:
    old = Probe("Where do I live?", ("Lisbon",), (0,), "single fact")
    new = Probe("Where do I live now?", ("Porto",), (2,), "single fact", ("Lisbon",))
    said = "I live in Lisbon.", "My home is in Porto."
    assert states_with_all_sent([old, new], *said) == [
        [K, C, C],
        [FactState.NOT_BORN, K, K],
    ]


def test_a_mere_denial_does_not_undo_what_is_said_to_be_so() -> None:
    peanuts = Probe("Which snack is it?", ("peanuts",), (0,), "single fact")
    assert states_with_all_sent([peanuts], "We buy peanuts.", "Not peanuts again!") == [
        [K, K, K]
    ]


def test_states_have_fixed_codes_and_each_its_own_look() -> None:
    assert [(state.name, int(state)) for state in FactState] == [
        ("NOT_BORN", 0),
        ("KNOWN", 1),
        ("CONTRADICTED", 2),
        ("LOST", 3),
        ("UNKNOWN", 4),
    ]
    assert (
        len({state.word for state in FactState})
        == len({state.color for state in FactState})
        == len(FactState)
    )
    assert [place.state.word for place in BEST_FIRST] == ["known"] * 4 + [
        "contradicted",
        "unknown",
        "lost",
    ]
    assert len(STATE_OF) == len(Knowledge)
    assert np.array_equal(
        np.flatnonzero(STATE_OF == K), [place for place in Knowledge if place.is_known]
    )


@for_each(
    ("text", "answer"),
    [
        ("About 45 attendees are expected, half of them vegetarians.", "45 people"),
        ("The wedding will have forty-five guests.", "45 people"),
        ("The shelf is 1.8 m tall and 60 cm deep.", "180 cm"),
        ("他身高1米75。", "175厘米"),
        ("The limit there is 80 kilometres per hour.", "80 km/h"),
        ("Okafor, the landlord, is fine with a dog.", "Mr. Okafor"),
        ("The Miramar confirmed a double room for three nights.", "Hotel Miramar"),
        ("已经在如家订了两晚。", "如家酒店"),
        ("They have 2 kids, Mia and Jon.", "two children"),
        (
            "Niamh: cashew (caju)/pistachio (pistácio) allergy.",
            "cashews and pistachios",
        ),
    ],
)
def test_measures_people_titles_and_kinds_of_places_may_be_said_in_other_words(
    text: str, answer: str
) -> None:
    assert state_of(text, answer, "What was it?") is K


@for_each(
    ("text", "answer"),
    [
        ("The shelf is 1.6 m tall.", "180 cm"),
        (
            "She bakes with cashews, and much later, when all of the guests had long gone home, came pistachios.",
            "cashews and pistachios",
        ),
        ("About 54 attendees are expected.", "45 people"),
        ("The limit there is 80 kilometres.", "80 km/h"),
        ("Osei, the landlord, is fine with a dog.", "Mr. Okafor"),
    ],
)
def test_other_measures_and_names_are_no_such_words(text: str, answer: str) -> None:
    assert state_of(text, answer, "What was it?") is L


@for_each(
    ("text", "answer"),
    [
        ("They first had 1200 dollars in mind but raised it to 1500.", "$1,200"),
        ("The course, originally six weeks, was extended to eight.", "6 weeks"),
        ("They upgraded from Python 3.11 to 3.12.", "3.11"),
        ("The app was rewritten from Rust in Go.", "Rust"),
        ("Dark green was rejected; the curtains will be navy.", "dark green"),
        ("Tests showed the peanut allergy was outgrown.", "peanuts"),
        ("Room 204 is taken, so the meeting moves to 210.", "room 204"),
    ],
)
def test_what_was_raised_extended_rewritten_rejected_or_taken_is_not_so_any_more(
    text: str, answer: str
) -> None:
    assert state_of(text, answer, "What was it?") is C


@for_each(
    ("text", "state"),
    [
        ("Finn's passport expires 9 July: apply by mid-April.", K),
        ("The passport is good until 09/07.", K),
        ("The passport expired on 9 July 2021.", L),
        ("The boat goes on 9 July at ten.", L),
    ],
)
def test_a_date_without_its_year_is_told_by_a_word_of_the_question(
    text: str, state: FactState
) -> None:
    assert (
        state_of(text, "9 July 2027", "On which date does Finn's passport expire?")
        is state
    )


def test_a_date_without_its_year_is_denied_like_any_answer() -> None:
    question = "On which date does Finn's passport expire?"
    assert (
        state_of("Finn's passport does not expire on 9 July.", "9 July 2027", question)
        is C
    )


def test_a_chinese_date_without_its_year_too() -> None:
    assert state_of("护照7月9日到期。", "2027年7月9日", "护照哪天到期？") is K
    assert state_of("7月9日坐船。", "2027年7月9日", "护照哪天到期？") is L


@for_each(
    ("said", "question", "answer"),
    [
        ("Her bicycle was stolen.", "What was stolen?", "bicycle"),
        ("I resigned from Vela Systems.", "Where did I resign?", "Vela Systems"),
        ("I broke up with Tomas.", "Who did I break up with?", "Tomas"),
        ("她的自行车被偷了。", "什么被偷了？", "自行车"),
        ("We are 4 adults. Actually 2 of us fly.", "How many adults?", "4"),
    ],
)
def test_a_fact_that_is_an_ending_is_told_by_its_own_message(
    said: str, question: str, answer: str
) -> None:
    probe = Probe(question, (answer,), (0,), "single-hop")
    talk = [Message("user", said), Message("assistant", "Noted.")]
    run = memviz.replay(talk, memviz.strategy("buffer"), counter="chars4")
    assert memviz.retention(run, [probe]).states[0, 0] == Knowledge.VERBATIM
