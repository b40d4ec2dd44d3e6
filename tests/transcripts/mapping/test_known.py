"""Known logs by their mappings: what comes along beside the texts, folders and packed files, files of other formats."""

import json
import zipfile
import zlib
from io import BytesIO

import pyarrow as pa
import pytest

from memviz.core.errors import TranscriptError
from memviz.engine.replay import replay
from memviz.metrics.verify import verify
from memviz.strategies import strategy
from memviz.transcripts import load_file, load_transcript
from memviz.transcripts.archives import _inflate_file
from memviz.transcripts.base import recorded_tokens
from memviz.transcripts.document import Document
from memviz.transcripts.limits import Limits
from memviz.transcripts.loading import formats
from memviz.transcripts.mapping import rows as mapping_rows
from memviz.transcripts.mapping.known import known_mappings
from memviz.transcripts.mapping.opening import open_bytes
from tests.tables import for_each
from tests.transcripts.sample_files import sample_files

SAMPLES = sample_files()


def zipped(files):
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return file.getvalue()


def packed_with_zstandard(name, content):
    """A zip archive with one file as Inspect packs it, with the method that zipfile does not know."""
    data = pa.compress(content, codec="zstd", asbytes=True)
    numbers = [zlib.crc32(content), len(data), len(content)]
    sizes = b"".join(number.to_bytes(4, "little") for number in numbers)
    encoded = name.encode()
    common = b"\x3f\0\0\0\x5d\0\0\0\x21\0" + sizes
    common += len(encoded).to_bytes(2, "little") + b"\0\0"
    local = b"PK\x03\x04" + common + encoded + data
    central = b"PK\x01\x02\x3f\0" + common + b"\0" * 14 + encoded
    end = b"PK\x05\x06\0\0\0\0\1\0\1\0" + len(central).to_bytes(4, "little")
    return local + central + end + len(local).to_bytes(4, "little") + b"\0\0"


def test_a_sample_inside_an_inspect_log_is_opened():
    content = SAMPLES["inspect_sample__one.json"]
    data = packed_with_zstandard("samples/1_epoch_1.json", content)
    found = load_transcript(data, name="log.eval")
    assert found.format == "inspect_sample"
    assert [one.role for one in found.messages] == [
        "user",
        "assistant",
        "tool",
        "assistant",
    ]


def test_a_packed_file_that_is_larger_than_it_says_is_refused():
    data = packed_with_zstandard("a.json", b"[" + b" " * 3_000_000 + b"]")
    with pytest.raises(TranscriptError, match="limit"):
        load_file(data, limits=Limits(inflated_bytes=1_000_000))
    for at in range(40, len(data) - 60, 11):
        with pytest.raises(TranscriptError):
            load_file(data[:at] + b"\xff\xff" + data[at + 2 :])


def test_no_more_of_a_packed_file_is_inflated_than_is_asked_for():
    data = packed_with_zstandard("a.json", b" " * 3_000_000)
    with zipfile.ZipFile(BytesIO(data)) as archive:
        assert len(_inflate_file(archive, archive.infolist()[0], 1000)) == 1000


def test_the_files_of_a_strands_session_are_one_conversation():
    rows = json.loads(SAMPLES["strands__messages.json"])
    folder = "session_s1/agents/agent_default"
    files = {f"{folder}/agent.json": '{"agent_id": "default", "state": {}}'}
    for row in reversed(rows):
        name = f"{folder}/messages/message_{row['message_id']}.json"
        files[name] = json.dumps(row)
    (found,) = load_file(zipped(files), name="session.zip").transcripts
    assert found.messages == load_transcript(SAMPLES["strands__messages.json"]).messages


def test_a_break_of_the_cache_keeps_the_words_of_its_program():
    found = load_transcript(SAMPLES["otel_spans__pydantic_ai.jsonl"])
    breaks = [(one.meta or {}).get("cache_break") for one in found.messages]
    assert breaks == [None] * 9 + ["ttl_expired"]


def test_tokens_on_record_are_those_of_the_request():
    found = load_transcript(SAMPLES["pydantic_ai__all_messages.json"])
    recorded = [recorded_tokens(one) for one in found.messages]
    assert [one for one in recorded if one] == [
        (39, 12),
        (77, 12),
        (136, 12),
        (164, 12),
    ]


def test_what_a_cache_read_apart_from_the_input_is_added():
    rows = [
        {"role": "user", "content": "Hi", "type": "x"},
        {"role": "assistant", "content": "Yes", "type": "x", "u": [3, 900, 40]},
    ]
    mapping = """
speaker: {field: role}
text: content
usage: {input: u.0, cache_read: u.1, cache_write: u.2}
"""
    found = load_transcript(json.dumps(rows).encode(), mapping=mapping)
    assert recorded_tokens(found.messages[1]) == (943, 0)


@for_each(("factor", "turns"), [(1.2, [2, 3]), (3.0, [])])
def test_usage_of_a_log_is_compared_with_what_is_counted(factor, turns):
    found = load_transcript(SAMPLES["pydantic_ai__all_messages.json"])
    run = replay(found, strategy("buffer"))
    breaches = verify(run, factor=factor, usage_is_of_log=True)
    assert [one.turn for one in breaches if one.kind == "usage"] == turns
    assert verify(run, factor=factor) == ()


def test_a_langgraph_thread_whose_state_lost_messages_says_when():
    states = [["u1", "a1"], ["u1", "a1", "u2", "a2"], ["u2", "a2", "u3", "a3"]]
    rows = [
        {
            "thread_id": "t",
            "checkpoint_id": str(number),
            "checkpoint": {
                "channel_values": {
                    "messages": [
                        {
                            "role": "user" if text[0] == "u" else "assistant",
                            "content": text,
                        }
                        for text in state
                    ]
                }
            },
        }
        for number, state in enumerate(states)
    ]
    mapping = next(one for one in known_mappings() if one.format == "langgraph")
    found = load_transcript(json.dumps(rows).encode(), mapping=mapping)
    assert [one.content for one in found.messages] == [
        "u1",
        "a1",
        "u2",
        "a2",
        "u3",
        "a3",
    ]
    assert [event.after_message for event in found.events] == [4]


def test_a_text_is_tried_as_a_table_for_all_mappings_together(monkeypatch):
    """For its first rows, and for all of them: a long line takes milliseconds, and there are dozens of mappings."""
    texts = []

    def note(text, most=None):
        texts.append(text)
        return []

    monkeypatch.setattr(mapping_rows, "read_csv_rows", note)
    talk = b"User: Hi\nAssistant: Ho\nUser: And?\nAssistant: Yes."
    assert load_transcript(talk).format == "text"
    assert len(texts) == 2


def read_sample(name):
    """Each message of the conversations in a sample: its role, its text, and the tools that it calls."""
    return [
        [
            (message.role, message.content, [call.name for call in message.tool_calls])
            for message in transcript.messages
        ]
        for transcript in load_file(SAMPLES[name], name=name).transcripts
    ]


def test_threads_of_zed_are_read_packed_and_plain_new_and_old():
    new, old = read_sample("zed__threads.sql")
    assert new == [
        ("user", "What is in it?\nfn a() {}", []),
        ("assistant", "Let me look.", ["read_file"]),
        ("tool", "fn a() {}", []),
        ("assistant", "One function.", []),
    ]
    assert old == [
        ("user", "Hi", []),
        ("assistant", "I look.", ["ls"]),
        ("tool", "x", []),
    ]
    first = load_file(SAMPLES["zed__threads.sql"]).transcripts[0]
    assert first.title == "A bug"
    assert first.messages[1].meta == {"reasoning": "I have to look."}
    assert first.messages[2].tool_call_id == first.messages[1].tool_calls[0].id


def test_a_cell_that_was_packed_and_is_broken_says_nothing():
    packed = pa.compress(b'{"a": 1}', codec="zstd", asbytes=True)
    assert open_bytes(packed) == '{"a": 1}'
    assert open_bytes(packed[:-4]) == ""


def test_a_greeting_of_oobabooga_has_no_question():
    (read,) = read_sample("oobabooga__chat.json")
    assert [(role, text) for role, text, _calls in read[:3]] == [
        ("assistant", "How can I help?"),
        ("user", "Which bread is easy?"),
        ("assistant", "Soda bread."),
    ]


def test_what_the_window_of_cline_shows_is_read_without_its_notices():
    (read,) = read_sample("cline_ui__messages.json")
    assert [(role, text) for role, text, _calls in read] == [
        ("user", "Rename the test."),
        ("assistant", ""),
        ("assistant", "I will look."),
        ("assistant", '{"tool": "readFile", "path": "test_a.py"}'),
        ("assistant", "Which of the two?"),
        ("user", "The first."),
        ("assistant", "git mv test_a.py test_b.py"),
        ("tool", "done"),
        ("assistant", "It is renamed."),
    ]


def test_what_the_model_of_cline_thought_stands_beside_an_empty_reply():
    messages = load_file(SAMPLES["cline_ui__messages.json"]).transcripts[0].messages
    assert messages[1].meta["reasoning"] == "There are two."


def test_logged_calls_of_the_responses_api_are_one_conversation():
    (transcript,) = load_file(SAMPLES["exchanges__responses.jsonl"]).transcripts
    said = [(message.role, message.content) for message in transcript.messages]
    assert said == [
        ("system", "Be brief."),
        ("user", "How warm is the oven?"),
        ("assistant", ""),
        ("tool", "180"),
        ("assistant", "180 degrees."),
    ]
    call = transcript.messages[2]
    assert [one.name for one in call.tool_calls] == ["oven"]
    assert call.meta["reasoning"] == "I have to look."
    assert [recorded_tokens(transcript.messages[at]) for at in (2, 4)] == [
        (50, 20),
        (80, 9),
    ]
    assert transcript.tools
    assert transcript.warnings == ()


def test_calls_of_the_responses_api_in_a_log_of_litellm_keep_thoughts_and_calls():
    row = json.loads(SAMPLES["exchanges__responses.jsonl"].splitlines()[0])
    logged = {
        "id": "x",
        "call_type": "aresponses",
        "litellm_call_id": "a",
        "model": "gpt-5",
        "messages": row["request"]["input"],
        "response": row["response"],
    }
    transcript = load_transcript(json.dumps([logged]).encode())
    assert transcript.format == "litellm"
    reply = transcript.messages[-1]
    assert [call.name for call in reply.tool_calls] == ["oven"]
    assert reply.meta["reasoning"] == "I have to look."
    assert recorded_tokens(reply) == (50, 20)


SPOKEN = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Ho"}]


@pytest.mark.parametrize(
    ("format", "value"),
    [
        ("typingmind", {"chats": [{"title": "A", "messages": SPOKEN}]}),
        ("typingmind", {"data": {"chats": [{"id": "a", "messages": SPOKEN}]}}),
        (
            "lm_studio",
            {
                "name": "A",
                "messages": [
                    {"versions": [message], "currentlySelected": 0}
                    for message in SPOKEN
                ],
            },
        ),
    ],
)
def test_a_file_with_the_same_few_keys_is_not_taken_for_a_programs(format, value):
    document = Document(json.dumps(value).encode(), "x.json")
    assert not formats()[format].recognise(document)


@pytest.mark.parametrize("user", ["human", "Human"])
def test_rows_of_human_and_assistant_are_pairs(user):
    assistant = "Assistant" if user.istitle() else "assistant"
    rows = [{user: "Hi", assistant: "Ho"}, {user: "How?", assistant: "So."}]
    loaded = load_file(json.dumps(rows).encode())
    assert [one.format for one in loaded.transcripts] == ["pairs", "pairs"]
    assert [message.content for message in loaded.transcripts[1].messages] == [
        "How?",
        "So.",
    ]
