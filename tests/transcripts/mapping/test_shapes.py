"""The shapes in which programs write chats and logs today, beside those of the samples: one small file for each."""

import json
from io import BytesIO
from zipfile import ZipFile

import pytest

from memviz.core.errors import TranscriptError
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.base import REASONING
from memviz.transcripts.mapping.chat import chat_items
from tests.tables import for_each


def said(value, **asked):
    """Return role, name and text of each message of a value written as JSON."""
    read = load_transcript(json.dumps(value).encode(), **asked)
    return [(one.role, one.name, one.content) for one in read.messages]


def discord(*messages):
    authors = {
        "Ana": {"id": "5", "name": "ana", "nickname": "Ana", "isBot": False},
        "Bot": {"id": "7", "name": "bot", "nickname": "Bot", "isBot": True},
    }
    rows = [
        {"timestamp": "2024-05-01T10:00:00+00:00", **row, "author": authors[who]}
        for who, row in messages
    ]
    return {"guild": {"id": "1"}, "channel": {"name": "general"}, "messages": rows}


def test_a_bot_that_greets_a_discord_channel_is_not_the_user():
    value = discord(
        ("Bot", {"type": "Default", "content": "Welcome!"}),
        ("Ana", {"type": "Default", "content": "How long do eggs take?"}),
    )
    assert [role for role, _name, _text in said(value)] == ["assistant", "user"]


def test_the_first_bot_of_a_discord_channel_is_the_user_where_no_person_is():
    row = {"type": "Default", "content": "Disk is full"}
    assert said(discord(("Bot", row)))[0][0] == "user"


def test_what_discord_forwards_embeds_and_writes_without_a_type_is_read():
    embed = {
        "title": "Recipe",
        "description": "Boil water",
        "fields": [{"name": "Time", "value": "6 min"}],
    }
    value = discord(
        ("Ana", {"content": "Hi"}),
        ("Ana", {"content": "", "forwardedMessage": {"content": "Old wisdom"}}),
        ("Bot", {"type": "20", "content": "", "embeds": [embed]}),
        ("Bot", {"type": "23", "content": "Translated"}),
    )
    assert [text for _role, _name, text in said(value)] == [
        "Hi",
        "Old wisdom",
        "Recipe\nBoil water\nTime\n6 min",
        "Translated",
    ]


def telegram(*messages):
    rows = [
        {"id": number, "date": "2024-05-01T10:00:00", "type": "message", **row}
        for number, row in enumerate(messages)
    ]
    return {"name": "Ben", "type": "personal_chat", "id": 77, "messages": rows}


def test_a_caption_in_telegram_is_joined_in_itself_and_stands_above_its_photo():
    caption = ["See ", {"type": "bold", "text": "this"}]
    row = {"from": "Ana", "from_id": "user1", "text": caption, "photo": "photos/1.jpg"}
    assert said(telegram(row)) == [("user", "Ana", "See this\nphotos/1.jpg")]


def test_polls_contacts_and_places_of_telegram_have_words():
    poll = {"question": "Tea or coffee?", "answers": [{"text": "Tea"}, {"text": "No"}]}
    contact = {"first_name": "Cy", "last_name": "", "phone_number": "+1"}
    rows = [
        {"poll": poll},
        {"contact_information": contact},
        {"place_name": "Café", "location_information": {"latitude": 1.5}},
        {"media_type": "sticker", "sticker_emoji": "😀", "file": "s.webp"},
    ]
    value = telegram(*({"from": "Ana", "text": "", **row} for row in rows))
    assert [text for _role, _name, text in said(value)] == [
        "Tea or coffee?\nTea\nNo",
        "Cy\n+1",
        "Café\n1.5",
        "sticker\n😀",
    ]


def test_speakers_of_one_name_in_telegram_are_told_apart_by_their_ids():
    value = telegram(
        {"from": "Ana", "from_id": "user1", "text": "Hi"},
        {"from": "Ana", "from_id": "user2", "text": "Hello"},
        {"from": None, "from_id": "user3", "text": "Bye"},
    )
    assert said(value) == [
        ("user", "Ana", "Hi"),
        ("assistant", "Ana", "Hello"),
        ("assistant", "user3", "Bye"),
    ]
    assert [role for role, _name, _text in said(value, user="user3")] == [
        "assistant",
        "assistant",
        "user",
    ]


def test_a_telegram_account_has_chats_that_were_left_behind_many_contacts():
    chat = telegram({"from": "Ana", "text": "Hi"})
    value = {
        "contacts": {"list": [{"first_name": "Cy"}] * 600},
        "chats": {"list": [chat]},
        "left_chats": {"list": [chat | {"name": "Old group"}]},
    }
    loaded = load_file(json.dumps(value).encode())
    assert [read.title for read in loaded.transcripts] == ["Ben", "Old group"]


def test_a_telegram_chat_of_mostly_unsupported_messages_is_known():
    value = telegram({"from": "Ana", "from_id": "user1", "text": "Hi"})
    value["messages"] += [{"id": 7, "type": "unsupported"}] * 3
    assert said(value) == [("user", "Ana", "Hi")]


def slack(ts, user, text, **fields):
    return {"type": "message", "ts": ts, "user": user, "text": text, **fields}


QUESTION = slack("1.1", "U1", "Where?", user_profile={"real_name": "Ana"})
ANSWER = slack("3.1", "U2", "Here.", user_profile={"real_name": "Ben"})
LUNCH = slack("2.1", "U3", "Lunch?")


@for_each(
    "value",
    [
        {"ok": True, "messages": [ANSWER, LUNCH, QUESTION], "has_more": False},
        {
            "channel_id": "C1",
            "messages": [{**QUESTION, "slackdump_thread_replies": [ANSWER]}, LUNCH],
        },
    ],
)
def test_objects_with_messages_of_slack_are_read_with_their_threads(value):
    assert said(value) == [
        ("user", "Ana", "Where?"),
        ("assistant", "U3", "Lunch?"),
        ("assistant", "Ben", "Here."),
    ]


def test_who_speaks_in_slack_is_one_person_with_a_profile_and_without():
    value = [QUESTION, ANSWER, slack("4.1", "U1", "", files=[{"name": "plan.pdf"}])]
    assert said(value)[-1] == ("user", "Ana", "plan.pdf")
    assert said(value, user="Ben")[1] == ("user", "Ben", "Here.")


def test_what_bots_of_slack_write_is_read_from_where_it_stands():
    attachment = {"title": "Disk", "text": "93 %", "fields": [{"value": "db1"}]}
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "In a block"}}
    value = [
        {"type": "message", "ts": "1.1", "bot_id": "B1", "username": "ci", **fields}
        for fields in (
            {"subtype": "bot_message", "text": "", "attachments": [attachment]},
            {"subtype": "bot_message", "text": "", "blocks": [block]},
        )
    ]
    value.append(slack("2.1", "U1", "Thanks"))
    assert said(value) == [
        ("assistant", "ci", "Disk\n93 %\ndb1"),
        ("assistant", "ci", "In a block"),
        ("user", "U1", "Thanks"),
    ]


def archive_of(files):
    """Return a zip archive of values, each written as JSON."""
    archive = BytesIO()
    with ZipFile(archive, "w") as file:
        for name, value in files.items():
            file.writestr(name, json.dumps(value))
    return archive.getvalue()


def test_the_days_of_a_slack_channel_are_one_conversation():
    files = {
        "users.json": [{"id": "U1", "name": "ana"}],
        "general/2024-05-01.json": [QUESTION],
        "general/2024-05-02.json": [],
        "general/2024-05-03.json": [ANSWER],
        "random/2024-05-01.json": [LUNCH],
    }
    general, random = load_file(archive_of(files), name="export.zip").transcripts
    assert (general.title, random.title) == ("general", "random")
    assert [one.content for one in general.messages] == ["Where?", "Here."]


def test_who_speaks_in_slack_has_one_name_before_and_after_a_profile():
    later = slack("4.1", "U3", "Done.", user_profile={"real_name": "Cy"})
    value = [QUESTION, LUNCH, ANSWER, later]
    assert [name for _role, name, _text in said(value)] == ["Ana", "Cy", "Ben", "Cy"]


def test_the_people_of_a_slack_export_give_the_names():
    people = [
        {"id": "U1", "name": "ana", "profile": {"real_name": "Ana Lima"}},
        {"id": "U3", "name": "cy", "profile": {"real_name": "", "display_name": ""}},
        {"name": "nobody"},
    ]
    files = {
        "channels.json": [{"id": "C1", "name": "general"}],
        "general/2024-05-01.json": [QUESTION, LUNCH],
        "general/2024-05-03.json": [ANSWER, slack("4.1", "U1", "Thanks")],
        "users.json": people,
    }
    loaded = load_file(archive_of(files), name="export.zip")
    (general,) = loaded.transcripts
    names = [message.name for message in general.messages]
    assert names == ["Ana Lima", "cy", "Ben", "Ana Lima"]
    assert not any("users.json" in str(note) for note in loaded.warnings)
    (general,) = load_file(archive_of(files), user="Ben", name="export.zip").transcripts
    assert [message.role for message in general.messages][2] == "user"


def test_people_of_no_slack_export_are_a_file_like_others():
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    loaded = load_file(archive_of({"users.json": chat, "b.json": chat}), name="a.zip")
    assert sorted(read.title for read in loaded.transcripts) == ["b", "users"]


@for_each("second", [b'[{"type": "mess', b"\xef\xbb\xbf", None])
def test_a_broken_day_of_a_slack_channel_refuses_no_other(second):
    sound = json.dumps([QUESTION, ANSWER]).encode()
    later = json.dumps([LUNCH]).encode()
    if second is None:
        second = json.dumps([LUNCH]).encode("utf-16")
    elif second.startswith(b"\xef"):
        second += later
    file = BytesIO()
    with ZipFile(file, "w") as archive:
        archive.writestr("general/2024-05-01.json", sound)
        archive.writestr("general/2024-05-02.json", second)
    (read,) = load_file(file.getvalue(), name="export.zip").transcripts
    texts = [message.content for message in read.messages]
    is_broken = second.endswith(b"mess")
    assert texts == (
        ["Where?", "Here."] if is_broken else ["Where?", "Lunch?", "Here."]
    )


@for_each("words", ["\\x41", "\\xdeadbeef"])
def test_a_message_of_hexadecimal_digits_is_what_was_said(words):
    assert list(chat_items(words, "here"))


def test_files_that_are_named_by_days_and_are_of_another_format_stay_apart():
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Yes?"}]
    files = {"chats/2024-05-01.json": chat, "chats/2024-05-02.json": chat}
    loaded = load_file(archive_of(files), name="chats.zip")
    assert [len(read.messages) for read in loaded.transcripts] == [2, 2]


def messenger(*messages):
    rows = [
        {"sender_name": who, "timestamp_ms": 1714557600000 - number, **fields}
        for number, (who, fields) in enumerate(messages)
    ]
    return {"participants": [{"name": "Ana"}], "messages": rows, "title": "Ana"}


def test_the_files_of_a_messenger_thread_are_one_conversation():
    files = {
        "inbox/ana_1/message_1.json": messenger(("Ben", {"content": "Hi"})),
        "inbox/ana_1/message_2.json": messenger(("Ana", {"content": "Hello"})),
        "inbox/cy_2/message_1.json": messenger(("Cy", {"content": "Bye"})),
    }
    loaded = load_file(archive_of(files), name="facebook.zip")
    texts = [[one.content for one in read.messages] for read in loaded.transcripts]
    assert texts == [["Hi", "Hello"], ["Bye"]]
    assert loaded.transcripts[0].title == "Ana"


def test_what_was_taken_back_in_messenger_is_not_said_and_pictures_are():
    value = messenger(
        ("Ana", {"gifs": [{"uri": "a.gif"}]}),
        ("Ana", {"is_unsent": True}),
        ("Ana", {"content": "Hi", "is_unsent": False}),
    )
    assert [text for _role, _name, text in said(value)] == ["Hi", "a.gif"]
    rows = [
        {"senderName": "Ana", "timestamp": 1, "text": text, "isUnsent": not text}
        for text in ("Hi", "")
    ]
    encrypted = {"participants": ["Ana"], "threadName": "Ana_1", "messages": rows}
    assert said(encrypted) == [("user", "Ana", "Hi")]


def test_control_characters_that_telegram_writes_in_its_own_way_are_read():
    text = json.dumps(telegram({"from": "Ana", "text": "a@b C:\\x41"}))
    read = load_transcript(text.replace("@", "\\x0B").encode())
    assert read.messages[0].content == "a\x0bb C:\\x41"
    assert "\\x0B" in read.warnings[0]
    with pytest.raises(TranscriptError):
        load_transcript(text.replace("@", "\\q").encode())


def lines(*rows):
    return "\n".join(map(json.dumps, rows)).encode()


def texts_of(data):
    """Return the texts of each conversation of a file."""
    return [
        [one.content for one in read.messages] for read in load_file(data).transcripts
    ]


def test_rows_of_which_few_have_a_history_keep_it():
    plain = {"query": "One?", "response": "1", "history": []}
    asked_before = {"query": "Two?", "response": "2", "history": [["Zero?", "0"]]}
    assert texts_of(lines(plain, plain, asked_before))[2] == ["Zero?", "0", "Two?", "2"]
    assert texts_of(lines(plain)) == [["One?", "1"]]


@for_each(
    ("asked", "answered"),
    [
        ("input_text", "output_text"),
        ("human", "bot"),
        ("prompt", "referenceResponse"),
    ],
)
def test_pairs_are_read_under_the_names_that_services_give_them(asked, answered):
    assert texts_of(lines({asked: "One?", answered: "1"})) == [["One?", "1"]]


ALPACA = {"instruction": "Translate.", "input": "cat", "output": "chat"}


@for_each(
    "value",
    [
        {"train": [ALPACA]},
        {"data": [ALPACA]},
        {"rows": [{"row_idx": 0, "row": ALPACA, "truncated_cells": []}]},
    ],
)
def test_alpaca_rows_are_found_below_the_keys_of_hubs(value):
    assert texts_of(json.dumps(value).encode()) == [["Translate.\ncat", "chat"]]


def test_a_preference_may_be_asked_for_by_an_instruction():
    row = {"instruction": "Greet.", "input": "Ana", "chosen": "Hi Ana", "rejected": ""}
    assert texts_of(lines(row)) == [["Greet.\nAna", "Hi Ana"]]


def observed(trace, minute, asked, answered):
    return {
        "id": f"o{minute}",
        "traceId": trace,
        "type": "GENERATION",
        "startTime": f"2025-05-01T10:0{minute}:00Z",
        "input": [{"role": "user", "content": text} for text in asked],
        "output": {"role": "assistant", "content": answered},
    }


def test_traces_of_langfuse_that_repeat_each_other_are_one_conversation():
    first = observed("t1", 0, ["Where?"], "Here.")
    second = observed("t2", 1, ["Where?"], "Here.")
    second["input"] += [second["output"], {"role": "user", "content": "When?"}]
    second["output"] = {"role": "assistant", "content": "Now."}
    other = observed("t3", 2, ["Who?"], "Ana.")
    data = json.dumps({"data": [second, other, first], "meta": {}}).encode()
    assert texts_of(data) == [["Where?", "Here.", "When?", "Now."], ["Who?", "Ana."]]


def test_blocks_that_name_their_kind_are_read_by_it_and_others_by_their_key():
    source = {"type": "base64", "data": "iVBORw0KGgo"}
    asked = [
        {"type": "image", "data": "iVBORw0KGgo", "mimeType": "image/png"},
        {"type": "image", "image": "iVBORw0KGgo"},
        {"type": "image", "source": source},
        {"type": "document", "source": source, "title": "plan.pdf"},
        {"image": {"format": "png", "source": source}},
        {"type": "text", "text": "What is it?"},
    ]
    call = {"id": "c1", "name": "look", "input": {"at": 1}}
    other_call = {"toolUseId": "c2", "name": "search", "input": {"for": "cat"}}
    answered = [
        {"type": "toolUse", **call},
        {"toolUse": other_call},
        {"type": "toolResult", "toolUseId": "c1", "content": [{"text": "A cat"}]},
        {"toolResult": {"toolUseId": "c2", "content": [{"text": "Felis"}]}},
        {"type": "text", "text": "A cat."},
    ]
    trace = observed("t1", 0, [asked], answered)
    (read,) = load_file(json.dumps([trace]).encode()).transcripts
    question, reply, *results, last = read.messages
    assert question.content.splitlines() == [
        "[image]",
        "[image]",
        "[image]",
        "[file: plan.pdf]",
        "[image]",
        "What is it?",
    ]
    assert [(call.id, call.name, call.arguments) for call in reply.tool_calls] == [
        ("c1", "look", '{"at": 1}'),
        ("c2", "search", '{"for": "cat"}'),
    ]
    assert [(one.tool_call_id, one.content) for one in results] == [
        ("c1", "A cat"),
        ("c2", "Felis"),
    ]
    assert last.content == "A cat."


def test_what_a_block_says_itself_comes_before_its_data():
    answered = [
        {"type": "text", "text": "Hello", "data": {"text": "other"}},
        {"type": "text", "text": None, "data": {"text": "there"}},
    ]
    trace = observed("t1", 0, ["Hi"], answered)
    assert texts_of(json.dumps([trace]).encode()) == [["Hi", "Hello\nthere"]]


def test_the_traces_of_a_langfuse_session_are_read():
    traces = [
        {
            "id": f"t{minute}",
            "timestamp": f"2025-05-01T10:0{minute}:00Z",
            "sessionId": "s1",
            "input": {"args": [], "kwargs": {"question": f"{minute}?"}},
            "output": f"{minute}.",
        }
        for minute in (1, 0)
    ]
    value = {"id": "s1", "createdAt": "2025-05-01T10:00:00Z", "traces": traces}
    (texts,) = texts_of(json.dumps(value).encode())
    assert texts[1::2] == ["0.", "1."]


def test_spans_that_langfuse_sends_are_read_with_their_usage():
    usage = {"prompt_tokens": 12, "prompt_tokens_details": {"cached_tokens": 2}}
    attributes = {
        "session.id": "s1",
        "langfuse.observation.type": "generation",
        "langfuse.observation.input": '[{"role": "user", "content": "Where?"}]',
        "langfuse.observation.output": '{"role": "assistant", "content": "Here."}',
        "langfuse.observation.usage_details": json.dumps(usage),
    }
    span = {"context": {"trace_id": "0x1"}, "attributes": attributes}
    outer = {
        "langfuse.observation.type": "span",
        "langfuse.observation.input": '{"args": ["Where?"]}',
    }
    read = load_transcript(
        lines(span, {"context": {"trace_id": "0x1"}, "attributes": outer})
    )
    assert [one.content for one in read.messages] == ["Where?", "Here."]
    assert read.messages[1].meta == {
        "usage": {"input_tokens": 12, "cache_read_tokens": 2}
    }


def test_zeros_that_langsmith_writes_for_what_nobody_counted_are_no_usage():
    run = {
        "id": "r1",
        "run_type": "llm",
        "start_time": "2025-05-01T10:00:00",
        "inputs": {"prompt": "Where?"},
        "outputs": {"generations": [{"text": "Here."}]},
        "prompt_tokens": 0,
        "completion_tokens": 0,
    }
    read = load_transcript(lines(run))
    assert [one.content for one in read.messages] == ["Where?", "Here."]
    assert read.messages[1].meta is None


STREAM = [
    {"messageStart": {"role": "assistant"}},
    {
        "contentBlockStart": {
            "contentBlockIndex": 0,
            "start": {"toolUse": {"toolUseId": "c1", "name": "search"}},
        }
    },
    {
        "contentBlockStart": {
            "contentBlockIndex": 1,
            "start": {"toolResult": {"toolUseId": "c1", "status": "success"}},
        }
    },
    {
        "contentBlockDelta": {
            "contentBlockIndex": 1,
            "delta": {"toolResult": [{"text": "Rain"}, {"json": {"mm": 3}}]},
        }
    },
    {
        "contentBlockDelta": {
            "contentBlockIndex": 2,
            "delta": {"reasoningContent": {"text": "An umbrella, then."}},
        }
    },
    {"contentBlockDelta": {"contentBlockIndex": 3, "delta": {"text": "It rains."}}},
    {"messageStop": {"stopReason": "end_turn"}},
]


@for_each("indent", [None, 2])
def test_a_stream_of_bedrock_has_results_and_may_be_written_over_several_lines(indent):
    text = "\n".join(json.dumps(event, indent=indent) for event in STREAM)
    call, result, reply = load_transcript(text.encode()).messages
    assert call.tool_calls[0].name == "search"
    assert (result.role, result.content) == ("tool", 'Rain\n{"mm": 3}')
    assert reply.content == "It rains."
    assert reply.meta == {REASONING: "An umbrella, then."}


def test_states_of_a_langgraph_thread_are_one_conversation():
    said_so_far = [{"type": "human", "content": "Where?"}]
    states = []
    for minute, reply in enumerate(("Here.", "Now.")):
        said_so_far = [*said_so_far, {"type": "ai", "content": reply}]
        states.append(
            {
                "values": {"messages": said_so_far},
                "config": {"configurable": {"thread_id": "t1"}},
                "created_at": f"2025-05-01T10:0{minute}:00Z",
            }
        )
    states.append({"values": {}, "config": {"configurable": {"thread_id": "t1"}}})
    read = load_file(json.dumps(states[::-1]).encode())
    texts = [[one.content for one in known.messages] for known in read.transcripts]
    assert texts == [["Where?", "Here.", "Now."]]


def beam_batches(*texts):
    """Return the chat of one conversation, a batch for each question with its answer."""
    return [
        {
            "batch_number": number,
            "turns": [
                [
                    {"role": "user", "content": text},
                    {"role": "assistant", "content": text.upper()},
                ]
            ],
        }
        for number, text in enumerate(texts, 1)
    ]


def beam_sessions(*texts):
    return [turn for batch in beam_batches(*texts) for turn in batch["turns"]]


BEAM_CHATS = {
    "sessions": [beam_sessions("a", "b"), beam_sessions("c")],
    "batches": [beam_batches("a", "b"), beam_batches("c")],
    "plans": [
        [{"plan-1": beam_batches("a")}, {"plan-2": beam_batches("b")}],
        [{"plan-1": beam_batches("c"), "plan-2": None}],
    ],
}
BEAM_FILES = {
    "lines": lambda rows: "\n".join(map(json.dumps, rows)),
    "list": json.dumps,
    "served rows": lambda rows: json.dumps({"rows": [{"row": row} for row in rows]}),
}


@for_each("file", BEAM_FILES)
@for_each("chats", BEAM_CHATS)
def test_each_row_of_a_file_of_beam_is_a_conversation(chats, file):
    rows = [
        {"conversation_id": str(number), "chat": chat}
        for number, chat in enumerate(BEAM_CHATS[chats])
    ]
    read = load_file(BEAM_FILES[file](rows).encode()).transcripts
    texts = [[one.content for one in known.messages] for known in read]
    assert texts == [["a", "A", "b", "B"], ["c", "C"]]
    assert {known.format for known in read} == {"beam"}


@for_each("chats", BEAM_CHATS)
def test_a_chat_of_beam_alone_is_one_conversation(chats):
    (chat, _second) = BEAM_CHATS[chats]
    texts = [text for _role, _name, text in said({"chat": chat})]
    assert texts == ["a", "A", "b", "B"]
    if chats != "sessions":
        assert [text for _role, _name, text in said(chat)] == texts


SQUAD_ROW = {
    "title": "Kites",
    "context": "A kite needs eight knots of wind.",
    "question": "How much wind?",
    "answers": {"text": ["eight knots"], "answer_start": [13]},
}


def test_an_article_of_squad_is_a_conversation_with_each_context_before_its_questions():
    questions = [
        {"question": "How much wind?", "answers": [{"text": "eight knots"}]},
        {"question": "Who flew the first?", "answers": []},
    ]
    paragraphs = [{"context": SQUAD_ROW["context"], "qas": questions}]
    article = {"title": "Kites", "paragraphs": paragraphs}
    expected = [
        ("user", None, "A kite needs eight knots of wind."),
        ("user", None, "How much wind?"),
        ("assistant", None, "eight knots"),
        ("user", None, "Who flew the first?"),
    ]
    for value in ({"data": [article]}, [article], article):
        assert said(value) == expected
    assert load_transcript(json.dumps(article).encode()).title == "Kites"


@for_each(
    "value",
    [
        SQUAD_ROW,
        [SQUAD_ROW],
        {"rows": [{"row": SQUAD_ROW}]},
        {"data": [{**SQUAD_ROW, "answers": [{"text": "eight knots"}]}]},
    ],
)
def test_a_row_of_squad_asks_about_its_context(value):
    assert said(value) == [
        ("user", None, "A kite needs eight knots of wind.\nHow much wind?"),
        ("assistant", None, "eight knots"),
    ]


def test_a_row_with_what_a_model_answered_is_no_row_of_squad():
    value = [{**SQUAD_ROW, "response": "About eight."}]
    assert said(value) == [
        ("user", None, "How much wind?"),
        ("assistant", None, "About eight."),
    ]
