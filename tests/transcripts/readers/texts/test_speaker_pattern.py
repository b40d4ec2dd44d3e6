"""Speakers whom nobody has to know: names that take turns, in plain text and in Markdown, and what only looks so."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memviz.core.errors import TranscriptError, UnclearUserError
from memviz.transcripts import Transcript, load_transcript
from memviz.transcripts.readers.texts.speakers import LABELS, SPEAKERS
from tests.tables import for_each

TURNS = ["user", "assistant", "user", "assistant"]
STYLES = ["{}: {}", "**{}:** {}", "**{}**\n\n{}", "## {}\n\n{}", "[10:32] {}: {}", "2024-05-01 10:32:05 {}: {}",
          "10:32 AM - {}: {}", "**{} (10:32):** {}", "[10:32 AM] {}\n{}", "[Friday 10:32] {}\n\n{}"]  # fmt: skip


def load(text: str, user: str | None = None) -> Transcript:
    return load_transcript(text.encode(), user=user)


def roles(transcript: Transcript) -> list[str]:
    return [message.role for message in transcript.messages]


def said(transcript: Transcript) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in transcript.messages]


def dialogue(style: str, *names: str) -> str:
    return (
        "\n\n".join(
            style.format(name, f"words {number}") for number, name in enumerate(names)
        )
        + "\n"
    )


def unclear(text: str) -> tuple[str, ...]:
    with pytest.raises(UnclearUserError) as caught:
        load(text)
    return caught.value.names


@for_each("style", STYLES)
@for_each(
    "name",
    [
        "Grok",
        "Cursor",
        "Copilot",
        "Dave",
        "Maria Lopez",
        "Dr. O'Hara",
        "GPT-4o",
        "小冰",
    ],
)
def test_whoever_answers_the_user_is_the_assistant(style: str, name: str) -> None:
    transcript = load(dialogue(style, "User", name, "User", name))
    assert said(transcript) == [
        (role, f"words {number}") for number, role in enumerate(TURNS)
    ]
    assert transcript.warnings == ()


def test_whoever_is_answered_by_the_assistant_is_the_user() -> None:
    assert (
        roles(load(dialogue("{}: {}", "Dave", "Assistant", "Dave", "Assistant")))
        == TURNS
    )


def test_a_name_that_is_no_role_stays_with_the_message() -> None:
    transcript = load(dialogue("{}: {}", "User", "Dave", "User", "Dave"))
    assert [message.name for message in transcript.messages] == [
        None,
        "Dave",
        None,
        "Dave",
    ]


@for_each("style", STYLES)
@for_each("turns", [3, 4, 7])
def test_an_account_takes_turns_with_a_model(style: str, turns: int) -> None:
    names = (["anasilva", "GitHub Copilot"] * turns)[:turns]
    transcript = load(dialogue(style, *names))
    assert [message.name for message in transcript.messages] == names
    assert roles(transcript) == (["user", "assistant"] * turns)[:turns]


@for_each("style", STYLES)
def test_an_account_asks_a_model_once(style: str) -> None:
    transcript = load(dialogue(style, "anasilva", "GitHub Copilot"))
    assert said(transcript) == [("user", "words 0"), ("assistant", "words 1")]


def test_an_account_that_speaks_second_takes_turns_with_a_model() -> None:
    transcript = load(
        "GitHub Copilot: Hello\nanasilva: hi\nGitHub Copilot: What now?\nanasilva: bye\nGitHub Copilot: Bye"
    )
    assert roles(transcript) == ["assistant", "user", "assistant", "user", "assistant"]


def test_small_letters_in_what_a_model_says_are_nobody() -> None:
    text = (
        "Dave: Write a file\nGitHub Copilot: Here:\nhost: a\nDave: "
        "Another\nGitHub Copilot: Here:\nhost: b\nDave: Bye"
    )
    transcript = load(text)
    assert [message.name for message in transcript.messages] == [
        "Dave",
        "GitHub Copilot",
    ] * 2 + ["Dave"]
    assert transcript.messages[1].content == "Here:\nhost: a"


@for_each("text", ["host: a\nport: b\nhost: c\nport: d", "see: below\n\nThen: Copilot"])
def test_small_letters_alone_are_no_dialogue(text: str) -> None:
    with pytest.raises(TranscriptError):
        load(text)


TEAMS = "[10:02 AM] Ana Silva\nHello\nagain\n\n[10:03 AM] Ochs, Ben (Guest)\nHi\n\n[Friday 10:04 AM] Ana Silva\nBye\n"


def test_messages_that_are_pasted_from_teams_are_read() -> None:
    transcript = load(TEAMS, user="Ana Silva")
    assert transcript.format == "text"
    assert said(transcript) == [
        ("user", "Hello\nagain"),
        ("assistant", "Hi"),
        ("user", "Bye"),
    ]
    assert [message.name for message in transcript.messages] == [
        "Ana Silva",
        "Ochs, Ben",
        "Ana Silva",
    ]


def test_of_two_people_in_a_teams_paste_it_is_asked_who_the_user_is() -> None:
    assert unclear(TEAMS + "\n[10:05 AM] Ochs, Ben (Guest)\nBye\n") == (
        "Ana Silva",
        "Ochs, Ben",
    )
    assert unclear("[10:02 AM] Ana\nHello\n\n[10:03 AM] Ben\nHi\n") == ("Ana", "Ben")


@for_each(
    "text",
    [
        "[10:02 AM] Ana\nHello",
        "[10:02 AM] Ana: Hello",
        "[Ana] Hello there",
        "[10:02] started\n",
    ],
)
def test_a_line_behind_a_bracket_is_no_broken_json(text: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        load(text)
    assert "JSON" not in str(caught.value)


@for_each("text", ['[{"role": "user"', "[1, 2", '["a" "b"]', "[[1] 2]"])
def test_a_broken_list_is_broken_json(text: str) -> None:
    with pytest.raises(TranscriptError, match="JSON"):
        load(text)


def test_lines_of_a_log_are_nobody() -> None:
    log = "".join(
        f"[10:0{n}] Server started\n[10:0{n}] Client connected\n" for n in range(4)
    )
    with pytest.raises(TranscriptError) as caught:
        load(log)
    assert not isinstance(caught.value, UnclearUserError)


@for_each("model", ["Grok", "GPT-4o", "Claude Sonnet", "Support Bot"])
def test_the_name_of_a_model_shows_that_the_other_one_is_the_user(model: str) -> None:
    assert roles(load(dialogue("{}: {}", "Ana", model, "Ana", model))) == TURNS


def test_several_models_may_answer() -> None:
    names = ["User", "Grok", "Claude", "User", "Grok", "Claude"]
    assert (
        roles(load(dialogue("{}: {}", *names)))
        == ["user", "assistant", "assistant"] * 2
    )
    names = [
        "User",
        "Grok",
        "User",
        "Dave",
        "User",
        "Grok",
        "User",
        "Dave",
    ]  # one after the other
    assert roles(load(dialogue("{}: {}", *names))) == TURNS * 2


def test_somebody_may_speak_twice_in_a_row() -> None:
    assert roles(
        load(dialogue("{}: {}", "User", "User", "Dave", "User", "Dave", "Dave"))
    ) == [
        "user",
        "user",
        "assistant",
        "user",
        "assistant",
        "assistant",
    ]


@for_each("style", STYLES)
def test_two_strangers_are_asked_about(style: str) -> None:
    text = dialogue(style, "Ana", "Ben", "Ana", "Ben")
    assert unclear(text) == ("Ana", "Ben")
    assert roles(load(text, user="ana")) == TURNS
    assert roles(load(text, user="Ben")) == ["assistant", "user"] * 2


def test_a_group_is_asked_about() -> None:
    text = dialogue("{}: {}", "User", "Ana", "Ben", "User", "Ana", "Ben")
    assert unclear(text) == ("User", "Ana", "Ben")
    assert roles(load(text, user="User")) == ["user", "assistant", "assistant"] * 2


def test_an_answer_that_comes_once_is_asked_about() -> None:
    assert unclear("User: hi\nDave: ho\nUser: bye") == ("User", "Dave")
    assert roles(load("Ana: hi\nBen: ho", user="Ana")) == ["user", "assistant"]


def test_nobody_of_that_name() -> None:
    with pytest.raises(
        UnclearUserError,
        match="nobody called 'Cid' speaks in it: the names found are 'Ana', 'Ben'",
    ):
        load("Ana: a\nBen: b\nAna: c\nBen: d", user="Cid")
    transcript = load("User: a\nAssistant: b", user="Cid")
    assert roles(transcript) == TURNS[:2]
    assert transcript.warnings == (
        "nobody is called 'Cid', so the roles are those that the names show.",
    )


def test_one_side_alone_is_said() -> None:
    transcript = load("User: hi\nUser: ho")
    assert roles(transcript) == ["user", "user"]
    assert transcript.warnings == (
        "only one side speaks, 'User': nobody else was found at the start of a line.",
    )


def test_a_name_now_and_then_is_text_and_said() -> None:
    text = dialogue(
        "{}: {}",
        "User",
        "User",
        "User",
        "User",
        "User",
        "User",
        "Monday",
        "User",
        "Monday",
    )
    transcript = load(text)
    assert roles(transcript) == ["user"] * 7
    assert "lines that start with 'Monday:' were read as text" in transcript.warnings[1]


def test_words_of_answers_stay_in_them() -> None:
    text = (
        "User: a\nGrok: b\nPros: c\nCons: d\nUser: e\nGrok: "
        "f\nSee: http://x\nhttp://y.z: w\nC:\\temp: x\nstd::sort: y"
    )
    assert said(load(text)) == [
        ("user", "a"),
        ("assistant", "b\nPros: c\nCons: d"),
        ("user", "e"),
        ("assistant", text.split("Grok: ")[2]),
    ]
    text = "## User\na\n## Grok\n### Pros\nb\n## User\nc\n## Grok\n### Pros\nd"
    assert said(load(text))[1::2] == [
        ("assistant", "### Pros\nb"),
        ("assistant", "### Pros\nd"),
    ]


@for_each(
    "text",
    [
        "Name: x\nAge: 2\nName: y\nAge: 3",
        "## Added\na\n## Fixed\nb\n## Added\nc\n## Fixed\nd",
    ],
)
def test_lists_of_fields_are_no_dialogue(text: str) -> None:
    with pytest.raises(TranscriptError) as caught:
        load(text)
    assert not isinstance(caught.value, UnclearUserError)


def test_the_letters_a_and_b_are_asked_about_and_questions_with_answers_are_not() -> (
    None
):
    assert unclear("A: hi\nB: ho\nA: x\nB: y") == ("A", "B")
    assert roles(load("Q: hi\nA: ho\nQ: x\nA: y")) == TURNS


def test_a_third_name_beside_user_and_assistant_is_text_and_said() -> None:
    transcript = load(
        dialogue("{}: {}", "User", "Assistant", "Dave", "User", "Assistant", "Dave")
    )
    assert roles(transcript) == TURNS
    assert "lines that start with 'Dave:' were read as text" in transcript.warnings[0]
    assert (
        len(
            load(
                dialogue("{}: {}", *["User", "Assistant", "Dave"] * 2), user="User"
            ).messages
        )
        == 4
    )


@for_each(
    "names",
    [
        ("User", "Grok", "User", "Claude"),
        ("User", "Grok", "User", "Claude", "User", "Claude"),
        ("User", "Assistant", "User", "Grok"),
        ("User", "assistant", "User", "assistant"),
        ("User", "assistant", "user", "assistant"),
        ("User", "assistant", "User", "Assistant"),
        ("user", "Assistant", "user", "Assistant"),
    ],
)
def test_who_stands_where_it_is_the_other_sides_turn_speaks(
    names: tuple[str, ...],
) -> None:
    transcript = load("\n".join(f"{name}: words" for name in names))
    assert said(transcript) == [
        (role, "words") for role in [*TURNS, *TURNS][: len(names)]
    ]
    assert transcript.warnings == ()
    assert roles(load("User: hi\nassistant: fine\nUser: x")) == TURNS[:3]


def test_a_single_name_of_nobody_known_where_an_answer_is_missing_is_said() -> None:
    transcript = load("User: hi\nBob: fine\nUser: x\nAssistant: y")
    assert said(transcript)[0] == ("user", "hi\nBob: fine")
    assert "lines that start with 'Bob:' were read as text" in transcript.warnings[0]


def test_names_of_the_other_letter_case_in_an_answer_are_words_of_it() -> None:
    transcript = load(
        "User: hi\nAssistant: compose\nuser: root\nmodel: a\nUser: x\nAssistant: y\nuser: z"
    )
    assert said(transcript)[1::2] == [
        ("assistant", "compose\nuser: root\nmodel: a"),
        ("assistant", "y\nuser: z"),
    ]
    assert transcript.warnings == ()


FIELDS = "Metadata-Version: 2\nName: x\nHome-page: y\nClassifier: a\nClassifier: b\nRequires-Dist: c\nRequires-Dist: d"


@for_each(
    "text",
    [
        FIELDS,
        "# API\n\n" + "Some words.\n" * 9 + "Alpha: a\nBeta: b\nAlpha: c\nBeta: d",
    ],
)
def test_fields_and_sections_further_down_are_no_dialogue(text: str) -> None:
    with pytest.raises(TranscriptError, match="no known format"):
        load(text)


def test_times_before_names_are_kept_where_they_have_a_day() -> None:
    first, second = load(
        "[2024-05-01 10:32] User: a\n[2024-05-01 10:33] Assistant: b"
    ).messages
    assert (first.meta, second.meta) == (
        {"time": "2024-05-01T10:32:00+00:00"},
        {"time": "2024-05-01T10:33:00+00:00"},
    )
    assert load(
        "2024-05-01T10:32:00Z User: a\n2024-05-01T10:33:00Z Dave: b\n2024-05-01T10:34:00Z User: c\n"
        "2024-05-01T10:35:00Z Dave: d"
    ).messages[3].meta == {"time": "2024-05-01T10:35:00+00:00"}


WORDS = st.text(
    st.characters(whitelist_categories=("Ll",), max_codepoint=0x24F),
    min_size=2,
    max_size=8,
)
NAMES = WORDS.map(str.capitalize).filter(
    lambda name: (
        name.istitle()
        and name.casefold() not in SPEAKERS
        and name.casefold() not in LABELS
    )
)
LINES = st.sampled_from(
    [
        "I live there.",
        "- a list",
        "and: so on",
        "> quoted",
        "",
        "1. first",
        "10:30 train",
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=4).map(
    lambda lines: "\n".join(["x", *lines, "x"])
)


@given(
    NAMES,
    st.lists(TEXTS, min_size=3, max_size=8),
    st.sampled_from(STYLES[:4]),
    st.booleans(),
)
def test_any_name_that_answers_every_time_is_the_assistant(
    name: str, texts: list[str], style: str, begins: bool
) -> None:
    speakers = [(name, "User")[(number + begins) % 2] for number in range(len(texts))]
    text = "\n\n".join(
        style.format(who, words) for who, words in zip(speakers, texts, strict=True)
    )
    if speakers.count(name) < 2:  # who answers once is asked about, or not found
        return
    assert said(load(text)) == [
        ("user" if who == "User" else "assistant", words)
        for who, words in zip(speakers, texts, strict=True)
    ]


@given(
    st.sampled_from(sorted(LABELS)),
    st.lists(st.integers(0, 5), max_size=4),
    st.lists(TEXTS, min_size=6, max_size=6),
)
def test_a_label_is_never_a_speaker(
    label: str, at: list[int], texts: list[str]
) -> None:
    for number in at:
        texts[number] += f"\n{label.capitalize()}: something"
    text = "\n".join(
        f"{('User', 'Grok')[number % 2]}: {words}" for number, words in enumerate(texts)
    )
    assert said(load(text)) == [
        (("user", "assistant")[number % 2], words) for number, words in enumerate(texts)
    ]


@given(NAMES, NAMES, st.lists(st.booleans(), min_size=2, max_size=10))
def test_no_words_are_lost_whoever_the_user_is(
    one: str, other: str, turns: list[bool]
) -> None:
    text = "\n".join(
        f"{one if turn else other}: words {number}" for number, turn in enumerate(turns)
    )
    try:
        contents = [message.content for message in load(text, user=one).messages]
    except TranscriptError:
        return
    assert "\n".join(contents).count("words") == len(turns)
