"""Tables: what the first row says, what parts the cells, and what is wrong with a row, by its line."""

import json

import pytest

from memviz.core.errors import TranscriptError
from memviz.core.messages import Message, ToolCall
from memviz.transcripts import load_transcript
from memviz.transcripts.loading import load_file
from memviz.transcripts.readers.texts import csv_table
from tests.tables import for_each
from tests.transcripts.sample_files import FOLDER as SAMPLES

HI = [("user", "hi"), ("assistant", "ho")]


def said(transcript):
    return [(message.role, message.content) for message in transcript.messages]


def load(text, format=None):
    return load_transcript(text.encode(), format)


@for_each("delimiter", [",", ";", "\t", "|"])
@for_each("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(delimiter, end):
    transcript = load(
        end.join(["role,content", "user,hi", "assistant,ho"]).replace(",", delimiter)
    )
    assert (said(transcript), transcript.format, transcript.warnings) == (HI, "csv", ())


@for_each("role", ["role", "Speaker", "FROM", " sender ", "author"])
@for_each("content", ["content", "Text", "MESSAGE", "value"])
def test_names_of_columns_in_any_order_and_case(role, content):
    assert said(load(f"id,{content},{role}\n1,hi,user\n2,ho,assistant")) == HI


@for_each("question", ["prompt", "question", "user", "input"])
@for_each(
    "answer", ["response", "answer", "assistant", "output", "completion", "reply"]
)
def test_questions_with_answers(question, answer):
    assert said(load(f"{answer},{question}\nho,hi\nb,a")) == [
        *HI,
        ("user", "a"),
        ("assistant", "b"),
    ]


def conversations(text):
    return [said(read) for read in load_file(text.encode()).transcripts]


TASKS = [
    {"instruction": "Translate", "input": "Hola", "output": "Hello"},
    {"instruction": "Sing", "input": "", "output": "La"},
]


def test_an_instruction_with_its_input_is_a_conversation_as_in_json_lines():
    table = "instruction,input,output\nTranslate,Hola,Hello\nSing,,La"
    assert conversations(table) == conversations("\n".join(map(json.dumps, TASKS)))
    assert conversations(table) == [
        [("user", "Translate\nHola"), ("assistant", "Hello")],
        [("user", "Sing"), ("assistant", "La")],
    ]


def test_an_instruction_has_its_own_system_prompt_and_its_context():
    table = "System,Instruction,Context,Response\nA,Sum,1+1,2\nB,Sing,,La"
    first, second = load_file(table.encode()).transcripts
    assert (first.system_prompt, second.system_prompt) == ("A", "B")
    assert said(first) == [("user", "Sum\n1+1"), ("assistant", "2")]


def test_no_form_of_a_date_is_tried_where_no_row_has_a_time(monkeypatch):
    """To try them takes 5 ms a conversation, and a file may hold thousands."""

    def fail(cells):
        raise AssertionError(cells)

    monkeypatch.setattr(csv_table, "find_written_direction", fail)
    assert len(conversations("instruction,output\n" + "hi,ho\n" * 9)) == 9
    assert len(conversations("prompt,response\nhi,ho\na,b\n")) == 1


@for_each("column", ["conversation_id", "turn", "timestamp"])
def test_instructions_of_one_conversation_stay_together(column):
    table = f"instruction,output,{column}\nhi,ho,1\na,b,1"
    assert conversations(table) == [[*HI, ("user", "a"), ("assistant", "b")]]


@for_each(
    "table",
    [
        "role,content,instruction\nuser,hi,Be kind\nassistant,ho,Be kind",
        "instruction,prompt,response\nBe kind,hi,ho",
    ],
)
def test_an_instruction_beside_what_was_said_tears_no_conversation(table):
    rows = table.splitlines()
    doubled = "\n".join([*rows, *rows[1:]])
    assert conversations(doubled) == [[*HI, *HI]]


def test_half_a_pair_is_counted():
    transcript = load("prompt,response\nhi,\n,\n a ,b")
    assert said(transcript) == [("user", "hi"), ("user", " a "), ("assistant", "b")]
    assert transcript.warnings == (
        "imported 3 of 4 messages: line 2 has an empty cell for the assistant.",
    )


def test_several_conversations_with_order_times_and_titles():
    bikes, soup = load_file(SAMPLES / "csv__roles.csv").transcripts
    assert said(bikes) == [
        ("user", 'My bike is "red",\nand new'),
        ("assistant", "=1+1"),
    ]
    assert said(soup) == [("user", "What is missing?"), ("assistant", "Salt.")]
    assert (bikes.title, soup.title) == ("Bikes", "Soup")
    assert bikes.messages[1].meta == {"time": "2024-03-01T10:00:05+00:00"}
    assert soup.messages[1].meta == {"time": "2024-03-01T10:00:05+00:00"}
    assert soup.held_at == soup.held_at.replace(hour=10, minute=0, second=0)
    assert bikes.warnings == soup.warnings == ()


def test_pairs_with_conversations_and_a_system_prompt():
    first, second = load_file(
        b"chat_id,q,a,system_prompt\n1,a,b,Be brief.\n2,c,d,\n1,e,f,Be brief."
    ).transcripts
    assert [content for _, content in said(first)] == ["a", "b", "e", "f"]
    assert (first.system_prompt, second.system_prompt) == ("Be brief.", None)


@for_each("number", ["x", "", "nan", "inf"])
def test_an_order_that_is_no_number_keeps_the_file_s(number):
    transcript = load(f"turn,role,content\n{number},user,hi\n-5,assistant,ho")
    assert said(transcript) == HI
    assert "rows stay as they are: line 2" in transcript.warnings[0]


TALK = [("user", "a"), ("assistant", "b"), ("user", "c"), ("assistant", "d")]
FIRST = ["2024-03-01 09:59", "2024-03-01 10:00", "2024-03-01 10:00", "2024-03-02 08:00"]
BACKWARD = "the rows come newest first, so they were read from the last to the first."


@for_each(
    "times",
    [
        FIRST,
        ["1709287140", "1709287200", "1709287200", "1709366400"],
        [
            "01/03/2024 09:59",
            "01/03/2024 10:00",
            "01/03/2024 10:00",
            "13/03/2024 08:00",
        ],
        ["3/1/24 9:59 AM", "3/1/24 10:00 AM", "3/1/24 10:00 AM", "3/2/24 8:00 AM"],
        [
            "Mar 1, 2024, 9:59 AM",
            "Mar 1, 2024, 10:00 AM",
            "Mar 1, 2024, 10:00 AM",
            "Mar 2, 2024, 8:00 AM",
        ],
        ["09:59", "10:00", "10:00", "10:01"],
    ],
)
def test_a_table_that_runs_newest_first_is_turned_round(times):
    rows = [
        f'"{time}",{role},{text}'
        for time, (role, text) in zip(times, TALK, strict=True)
    ]
    for order, warnings in ((rows, ()), (rows[::-1], (BACKWARD,))):
        transcript = load("\n".join(["time,role,content", *order]))
        assert (said(transcript), transcript.warnings) == (TALK, warnings)


def test_questions_with_answers_that_run_newest_first_are_turned_round():
    text = f"date,prompt,response\n{FIRST[3]},c,d\n{FIRST[0]},a,b"
    assert (said(load(text)), load(text).held_at.day) == (TALK, 1)


def test_each_conversation_of_a_table_is_turned_round_by_itself():
    rows = [
        f"1,{FIRST[3]},assistant,b",
        f"2,{FIRST[0]},user,a",
        f"1,{FIRST[0]},user,a",
        f"2,{FIRST[3]},assistant,b",
    ]
    one, other = load_file(
        "\n".join(["chat_id,time,role,content", *rows]).encode()
    ).transcripts
    assert said(one) == said(other) == TALK[:2]
    assert (one.warnings, other.warnings) == ((BACKWARD,), ())


def test_rows_in_no_order_are_sorted_by_their_times():
    order = (2, 0, 3, 1)
    rows = [f"{FIRST[at][:-1]}{at},{TALK[at][0]},{TALK[at][1]}" for at in order]
    transcript = load("\n".join(["time,role,content", *rows]))
    assert said(transcript) == TALK
    assert transcript.warnings == ("the rows were put in the order of their times.",)


@for_each(
    "times",
    [
        ["", "2024-03-01", "", ""],
        ["10:00", "09:00", "11:00", "08:00"],
        ["x"] * 4,
        ["2/1/2024", "1/2/2024", "1/2/2024", "1/2/2024"],
    ],
)
def test_times_that_do_not_show_the_order_leave_the_rows_as_they_are(times):
    rows = [
        f"{time},{role},{text}" for time, (role, text) in zip(times, TALK, strict=True)
    ]
    assert said(load("\n".join(["time,role,content", *rows]))) == TALK


def test_turn_numbers_that_run_backward_whether_the_rows_within_a_turn_do_or_not():
    rows = [
        f"{number},{role},{text}"
        for number, (role, text) in zip((1, 1, 2, 2), TALK, strict=True)
    ]
    for order in (rows, rows[::-1], rows[2:] + rows[:2]):
        assert said(load("\n".join(["turn,role,content", *order]))) == TALK


def test_tools_and_names():
    transcript = load_transcript(SAMPLES / "csv__tools.csv")
    assert transcript.messages == (
        Message("user", "What time is it?", name="Kim"),
        Message("assistant", "", tool_calls=(ToolCall("c1", "clock", "{}"),)),
        Message("tool", "12:00", name="clock", tool_call_id="c1"),
        Message("assistant", "Noon."),
    )
    assert transcript.warnings == ()


@for_each("calls", ["{", "[" * 200, "oops", "9" * 5000 + "x"])
def test_tool_calls_that_are_no_json(calls):
    transcript = load(f"role,content,tool_calls\nuser,hi,\nassistant,ho,{calls}")
    assert said(transcript) == HI
    assert transcript.warnings == (
        "tool calls that are not JSON were left out: line 3.",
    )


def test_names_of_the_trade_are_roles():
    rows = "Human,a\nAI,b\ncustomer,c\nBot,d\ndeveloper,e\nfunction,f"
    roles = [role for role, _ in said(load(f"role,content\n{rows}"))]
    assert roles == ["user", "assistant", "user", "assistant", "system", "tool"]


def test_without_a_head_the_first_row_is_data():
    transcript = load("user,hello\nassistant,hi")
    assert said(transcript) == [("user", "hello"), ("assistant", "hi")]
    assert "the first row is data" in transcript.warnings[0]
    assert len(transcript.warnings) == 1


def test_damage_is_named_with_its_line_and_count():
    transcript = load_transcript(SAMPLES / "csv__damaged.csv")
    assert said(transcript) == [
        ("user", "hello, there"),
        ("user", "never closed\nassistant,swallowed"),
    ]
    assert transcript.warnings == (
        "a row has more cells than the table has columns, so they were joined to the last: line 2.",
        "a row has fewer cells than the table has columns: line 3.",
        "a quotation mark is never closed, so all that follows in the file was read as one cell: line 5.",
        "imported 2 of 4 messages: line 3 has too few cells, line 4 has no role.",
    )


def test_cells_beyond_the_last_column_are_left_out_where_no_text_ends_there():
    transcript = load("content,role\nhi,user,x\nho,assistant,,")
    assert said(transcript) == HI
    assert transcript.warnings == (
        "cells beyond the last column were left out: line 2.",
    )


def test_lines_count_through_cells_of_several_lines():
    with pytest.raises(
        TranscriptError,
        match="1 of 3 messages cannot be read: line 9 has the unknown role 'critic'",
    ):
        load('\n\nrole,content\nuser,"a\nb\n\nc"\n\ncritic,x\n,,\nassistant,ho')


def test_a_cell_of_any_length_is_read():
    assert (
        len(load(f'role,content\nuser,"{"x" * 300_000}"').messages[0].content)
        == 300_000
    )


def test_spaces_after_the_delimiter_and_a_declared_delimiter():
    assert said(load('role, content\nuser, "hi"\nassistant, ho')) == HI
    assert said(load("sep=;\nrole;content\nuser;hi\nassistant;ho")) == HI
    assert said(load("role,content\nuser, hi"))[0] == ("user", " hi")


def test_a_table_of_markdown():
    assert said(load_transcript(SAMPLES / "csv__markdown_table.txt")) == [
        ("user", "Is it late?"),
        ("assistant", "Nearly nine."),
    ]


def test_dialogues_in_cells_stay_text():
    cell = "**User:** x\n**Assistant:** y\nUser: a\nAssistant: b"
    assert said(load(f'role,content\nuser,"{cell}"')) == [("user", cell)]


@for_each(
    "text",
    ["Hello, world", "role\nuser\nuser", "a,b\nc,d", "user,hi", "role,content,\nx\ny"],
)
def test_other_texts_are_no_tables(text):
    with pytest.raises(TranscriptError) as caught:
        load(text)
    assert caught.value.format != "csv"


def test_a_head_alone_is_no_conversation():
    with pytest.raises(TranscriptError, match="no conversation"):
        load("role,content\n")


def test_unknown_speakers_alone_are_an_error_with_lines():
    with pytest.raises(TranscriptError, match="line 2 has the unknown role 'Ana'"):
        load("speaker,text\nAna,hi\nBen,ho")


@for_each(
    ("text", "found"),
    [("hello world", "starts with 'hello world'"), ("[1]", "a list of 1")],
)
def test_the_format_named_wrongly(text, found):
    with pytest.raises(TranscriptError, match=found):
        load(text, "csv")
