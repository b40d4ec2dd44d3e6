"""Paths into rows: names, each item, alternatives, JSON in texts, attributes, flat names with dots."""

import json
import struct

from memviz.transcripts.mapping.opening import open_bytes
from memviz.transcripts.mapping.paths import find_value, find_values
from tests.tables import for_each


@for_each(
    ("value", "path", "found"),
    [
        ({"a": {"b": 1}}, "a.b", 1),
        ({"a.b": 1}, "a.b", 1),
        ({"a": [{"b": 1}, {"b": 2}]}, "a.1.b", 2),
        ({"a": [{"b": 1}, {"b": 2}]}, "a.-1.b", 2),
        ({"x": None, "y": 3}, "x | y", 3),
        ({"a": '{"b": [5]}'}, "a.b.0", 5),
        ({"a": b'{"b": 6}'}, "a.b", 6),
        ({"a": [{"key": "b.c", "value": {"stringValue": "hi"}}]}, "a.b.c", "hi"),
        ({"a": [{"key": "n", "value": {"intValue": "12"}}]}, "a.n", 12),
        ({"m.0.role": "user", "m.1.role": "ai"}, "m.1.role", "ai"),
        ({"a": 1}, "a.b", None),
        ({"a": "{broken"}, "a.b", None),
        ([1, 2], "7", None),
    ],
)
def test_a_path_leads_to_a_value(value, path, found):
    assert find_value(value, path) == found


def test_each_item_has_its_place():
    value = {"m": [{"t": "a"}, {"t": "b"}]}
    assert find_values(value, "m.*.t") == [("a", "index 0"), ("b", "index 1")]
    assert find_values({"x": {"t": 1}, "y": {"t": 2}}, "*.t") == [
        (1, "'x'"),
        (2, "'y'"),
    ]
    flat = {"m.0.role": "user", "m.0.text": "hi", "m.10.role": "ai", "m.2.role": "x"}
    assert [one["role"] for one, _ in find_values(flat, "m.*")] == [
        "user",
        "x",
        "ai",
    ]


@for_each("path", ["9" * 400, "--1", "-", "-\u00b2"])
def test_a_name_in_a_list_that_is_no_number_of_an_item_leads_nowhere(path):
    assert find_value([1], path) is None


def test_msgpack_is_opened_as_langgraph_writes_it():
    made = b"\x94\xa1m\xa1C\x81\xa4text\xa2hi\xa1f"
    packed = b"\x81\xa1a\xc7" + bytes([len(made), 5]) + made
    assert open_bytes(packed) == {"a": {"text": "hi"}}
    numbers = b"\x95\x7f\xff\xcd\x01\x00\xd1\xff\x00\xcb" + struct.pack(">d", 1.5)
    assert open_bytes(numbers) == [127, -1, 256, -256, 1.5]


@for_each(
    "data",
    [
        b"\xdd\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff",
        b"\x91" * 5000,
        b"\xc1",
        b"\xc6",
    ],
)
def test_bytes_that_lie_about_their_length_are_nothing(data):
    assert open_bytes(data) == ""


def test_json_in_a_text_that_is_nested_deeply_stays_text():
    text = "[" * 5000 + "]" * 5000
    assert find_value({"a": text}, "a.0") is None
    assert find_value({"a": json.dumps({"b": 1})}, "a.b") == 1
