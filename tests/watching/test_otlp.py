"""The receiver of traces: what official exporters send, and what nobody should."""

from __future__ import annotations

import gzip
import json
import random
import sys
import tracemalloc
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from memviz.watching import bodies, otlp, otlp_signals
from memviz.watching.exchanges import Exchange
from memviz.watching.keeper import Keeper
from memviz.watching.otlp import make_receiver
from memviz.watching.recorder import Recorder
from memviz.watching.serving import LocalServer, serve_traces
from tests.transcripts.fuzzing import MANY_TRACES
from tests.watching.exchanges_said import kept, library, notes_of, only, words
from tests.watching.span_shapes import (
    ANSWERED,
    ASKED,
    BESIDE,
    CURRENT,
    OPENINFERENCE,
    TOLD,
    USAGE,
)

trace_service = pytest.importorskip(
    "opentelemetry.proto.collector.trace.v1.trace_service_pb2"
)
logs_service = pytest.importorskip(
    "opentelemetry.proto.collector.logs.v1.logs_service_pb2"
)
TRACE = "0af7651916cd43dd8448eb211c80319c"
BASE64_TRACE = "CvdlGRbNQ92ESOshHIAxnA=="
ADDRESS = "http://127.0.0.1"
PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json; charset=utf-8"}


@pytest.fixture
def taken() -> list[Exchange]:
    return []


@pytest.fixture
def client(taken: list[Exchange]) -> Iterator[TestClient]:
    app = make_receiver(taken.append)
    with TestClient(app, ADDRESS, raise_server_exceptions=True) as one:
        yield one


def value_of(value: object) -> dict[str, Any]:
    if isinstance(value, int):
        return {"intValue": str(value)}
    return {"stringValue": value}


def span(attributes: dict[str, Any], start: int = 1) -> dict[str, Any]:
    pairs = [{"key": name, "value": value_of(one)} for name, one in attributes.items()]
    return {
        "traceId": TRACE,
        "spanId": "b7ad6b7169203331",
        "name": "chat",
        "startTimeUnixNano": str(start),
        "attributes": pairs,
    }


def body(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}


def encoded(*spans: dict[str, Any]) -> bytes:
    """The same in protobuf."""
    from google.protobuf.json_format import ParseDict

    known = [
        {**one, "traceId": BASE64_TRACE, "spanId": "t61rcWkgMzE="} for one in spans
    ]
    whole = ParseDict(body(*known), trace_service.ExportTraceServiceRequest())
    return bytes(whole.SerializeToString())


@pytest.mark.parametrize("is_json", [True, False])
@pytest.mark.parametrize("encoding", ["", "gzip", "deflate"])
def test_both_encodings_say_the_same(
    client: TestClient, taken: list[Exchange], is_json: bool, encoding: str
) -> None:
    one = span(CURRENT)
    data = json.dumps(body(one)).encode() if is_json else encoded(one)
    headers = {**(JSON if is_json else PROTOBUF)}
    if encoding:
        data = gzip.compress(data) if encoding == "gzip" else zlib.compress(data)
        headers["content-encoding"] = encoding
    answer = client.post("/v1/traces", content=data, headers=headers)
    assert answer.status_code == 200
    assert (
        answer.headers["content-type"].split(";")[0]
        == headers["content-type"].split(";")[0]
    )
    (found,) = taken
    assert (found.sent, found.reply, found.usage) == (ASKED, ANSWERED, USAGE)
    assert found.trace == "0af7651916cd43dd8448eb211c80319c"


LOGS = [(name, "body", one) for name, one in TOLD]
AS_ATTRIBUTES = [("gen_ai.client.inference.operation.details", "attributes", CURRENT)]


def any_value(value: object) -> dict[str, Any]:
    """A value as OpenTelemetry has it in JSON."""
    if isinstance(value, dict):
        pairs = [{"key": name, "value": any_value(one)} for name, one in value.items()]
        return {"kvlistValue": {"values": pairs}}
    if isinstance(value, list):
        return {"arrayValue": {"values": [any_value(one) for one in value]}}
    return value_of(value)


def log(name: str, part: str, said: Mapping[str, Any], **ids: str) -> dict[str, Any]:
    known = {"traceId": TRACE, "spanId": "b7ad6b7169203331", **ids}
    held = any_value(dict(said))
    pairs = held["kvlistValue"]["values"]
    value = held if part == "body" else pairs
    return {**known, "eventName": name, "timeUnixNano": "5", part: value}


def logs_body(*logs: dict[str, Any]) -> dict[str, Any]:
    return {"resourceLogs": [{"scopeLogs": [{"logRecords": list(logs)}]}]}


def post_logs(client: TestClient, *logs: dict[str, Any], is_json: bool = True) -> None:
    if is_json:
        answer = client.post("/v1/logs", json=logs_body(*logs))
    else:
        from google.protobuf.json_format import ParseDict

        known = [
            {**one, "traceId": BASE64_TRACE, "spanId": "t61rcWkgMzE="} for one in logs
        ]
        whole = ParseDict(logs_body(*known), logs_service.ExportLogsServiceRequest())
        data = whole.SerializeToString()
        answer = client.post("/v1/logs", content=data, headers=PROTOBUF)
    assert answer.status_code == 200


@pytest.mark.parametrize("is_json", [True, False])
@pytest.mark.parametrize("said", [LOGS, AS_ATTRIBUTES])
@pytest.mark.parametrize("order", ["logs first", "span first", "span between"])
def test_messages_that_are_sent_as_logs_are_joined_to_their_span(
    client: TestClient,
    taken: list[Exchange],
    is_json: bool,
    said: list[tuple[str, str, Mapping[str, Any]]],
    order: str,
) -> None:
    logs = [log(name, part, one) for name, part, one in said]
    first = {"logs first": len(logs), "span first": 0, "span between": len(logs) // 2}
    if first[order]:
        post_logs(client, *logs[: first[order]], is_json=is_json)
    assert taken == []
    one = span(BESIDE)
    if is_json:
        client.post("/v1/traces", json=body(one))
    else:
        client.post("/v1/traces", content=encoded(one), headers=PROTOBUF)
    assert bool(taken) == (order == "logs first")
    if logs[first[order] :]:
        post_logs(client, *logs[first[order] :], is_json=is_json)
    (found,) = taken
    assert (found.sent, found.reply, found.usage) == (ASKED, ANSWERED, USAGE)
    assert (found.conversation, found.trace) == ("talk", TRACE)
    # What comes once more, and late, is told once.
    post_logs(client, *logs, is_json=is_json)
    assert len(taken) == 1


def test_messages_of_a_span_that_says_them_itself_are_not_told_twice(
    client: TestClient, taken: list[Exchange]
) -> None:
    post_logs(client, *(log(*one) for one in LOGS))
    client.post("/v1/traces", json=body(span(CURRENT)))
    post_logs(client, *(log(*one) for one in LOGS))
    (found,) = taken
    assert (found.sent, found.reply) == (ASKED, ANSWERED)


@pytest.mark.parametrize("is_json", [True, False])
def test_what_an_exporter_sends_once_more_is_told_once(
    client: TestClient, taken: list[Exchange], is_json: bool
) -> None:
    asked = [log(*one) for one in LOGS[:-1]]
    for _ in range(2):  # it heard no answer to the first
        post_logs(client, *asked, is_json=is_json)
    post_logs(client, log(*LOGS[-1]), is_json=is_json)
    for _ in range(2):
        if is_json:
            client.post("/v1/traces", json=body(span(BESIDE)))
        else:
            client.post("/v1/traces", content=encoded(span(BESIDE)), headers=PROTOBUF)
    (exchange,) = taken
    assert (exchange.sent, exchange.reply) == (ASKED, ANSWERED)


def test_the_times_of_a_span_are_those_of_its_messages(tmp_path: Path) -> None:
    recorder = Recorder(library(tmp_path), "otlp")
    client = TestClient(make_receiver(recorder.take), ADDRESS)
    start = 1_780_308_000_000_000_000
    once = {**span(CURRENT, start), "endTimeUnixNano": str(start + 4_500_000_000)}
    client.post("/v1/traces", json=body(once))
    messages = only(library(tmp_path).store).messages
    times = [message.said_at and message.said_at.isoformat() for message in messages]
    # Nobody knows when what stands before the call was said.
    assert times == [
        None,
        None,
        "2026-06-01T10:00:00+00:00",
        "2026-06-01T10:00:04.500000+00:00",
    ]


def test_a_log_of_all_of_a_request_needs_no_span(
    client: TestClient, taken: list[Exchange]
) -> None:
    post_logs(client, log(*AS_ATTRIBUTES[0], traceId="", spanId=""))
    (found,) = taken
    assert (found.sent, found.reply) == (ASKED, ANSWERED)


def test_what_waits_for_its_other_half_is_taken_when_the_server_ends(
    taken: list[Exchange],
) -> None:
    app = make_receiver(taken.append)
    with TestClient(app, ADDRESS) as client:
        post_logs(client, *(log(*one) for one in LOGS))
        client.post("/v1/logs", json=logs_body({"body": {"stringValue": "other"}}))
        assert taken == []
    (found,) = taken
    assert (found.sent, found.reply) == (ASKED, ANSWERED)


def test_logs_that_cannot_be_read_are_counted(
    client: TestClient, taken: list[Exchange]
) -> None:
    broken = {"attributes": [5]}
    answer = client.post("/v1/logs", json=logs_body(broken, log(*LOGS[0])))
    assert answer.json()["partialSuccess"]["rejectedLogRecords"] == "1"
    assert client.post("/v1/logs", json={"resourceLogs": 5}).status_code == 400
    answer = client.post("/v1/logs", content=b"\xff\xff", headers=PROTOBUF)
    assert answer.status_code == 400


def test_spans_are_taken_in_the_order_of_their_beginnings(
    client: TestClient, taken: list[Exchange]
) -> None:
    spans = [
        span({"gen_ai.prompt.0.content": str(start)}, start) for start in (300, 20, 1)
    ]
    client.post("/v1/traces", content=encoded(*spans), headers=PROTOBUF)
    assert [one.sent[0].content for one in taken] == ["1", "20", "300"]


def test_what_cannot_be_read_of_a_body_is_counted(
    client: TestClient, taken: list[Exchange]
) -> None:
    spans = [span(CURRENT), {"attributes": [5]}, {"attributes": {}}]
    answer = client.post("/v1/traces", json=body(*spans))
    assert answer.json()["partialSuccess"]["rejectedSpans"] == "2"
    assert len(taken) == 1


def test_too_large_a_span_is_left_out(
    client: TestClient, taken: list[Exchange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otlp_signals, "MOST_ITEM_BYTES", 5_000)
    large = span({"gen_ai.prompt.0.content": "x" * 6_000})
    data = encoded(span(CURRENT), large)
    answer = client.post("/v1/traces", content=data, headers=PROTOBUF)
    done = trace_service.ExportTraceServiceResponse.FromString(answer.content)
    assert done.partial_success.rejected_spans == 1
    assert len(taken) == 1


@pytest.mark.parametrize(
    ("data", "headers", "status"),
    [
        (b"\xff\xff\xff", PROTOBUF, 400),
        (b"\x0a\x7f", PROTOBUF, 400),
        (b"\x0a\x04\x12\x02\x12\x09", PROTOBUF, 400),
        (b"{", JSON, 400),
        (b"[" * 100_000, JSON, 400),
        (b'{"resourceSpans": 5}', JSON, 400),
        (b"[]", JSON, 400),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {}, 415),
        (b"{}", {**JSON, "content-encoding": "br"}, 415),
        (b"{}", {**JSON, "content-encoding": "gzip"}, 400),
        (gzip.compress(b"{}", mtime=0)[:-4], {**JSON, "content-encoding": "gzip"}, 400),
        (b"{}", {**JSON, "origin": "https://example.com"}, 403),
        (b"{}", {**JSON, "origin": "http://["}, 403),
        (b"{}", {**JSON, "host": "example.com"}, 403),
        (b'{"resourceSpans": [' + b"{}," * 3_000_000 + b"{}]}", JSON, 413),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_trace_gets_a_sentence(
    client: TestClient,
    taken: list[Exchange],
    data: bytes,
    headers: dict[str, str],
    status: int,
) -> None:
    answer = client.post("/v1/traces", content=data, headers=headers)
    assert answer.status_code == status
    if headers == PROTOBUF:
        # The field of a google.rpc.Status that its message is in.
        assert answer.content[0] == 2 << 3 | 2
        sentence = answer.content[2:].decode()
    else:
        sentence = answer.json()["message"]
    assert sentence.endswith(".")
    assert "Traceback" not in sentence
    assert taken == []


def test_bodies_are_bounded(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "MOST_BODY_BYTES", 100_000)
    large = b" " * 100_001
    answer = client.post("/v1/traces", content=large, headers=JSON)
    assert answer.status_code == 413
    bomb = {**JSON, "content-encoding": "gzip"}
    answer = client.post("/v1/traces", content=gzip.compress(large), headers=bomb)
    assert answer.status_code == 413


def test_spans_are_bounded(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(otlp, "MOST_ITEMS", 3)
    spans = [span({})] * 4
    assert client.post("/v1/traces", json=body(*spans)).status_code == 413
    answer = client.post("/v1/traces", content=encoded(*spans), headers=PROTOBUF)
    assert answer.status_code == 413


def test_all_bodies_together_are_bounded() -> None:
    budget = bodies.ByteBudget(10)
    with budget.share() as first, budget.share() as second:
        first.add(b"12345678")
        with pytest.raises(bodies.BodyError) as refused:
            second.add(b"123")
        assert refused.value.status == 503
    assert budget.left_bytes == 10


def test_an_inflated_bomb_takes_no_more_than_is_allowed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bodies, "MOST_BODY_BYTES", 1_000_000)
    bomb = gzip.compress(b"\0" * 20_000_000, 9)
    tracemalloc.start()
    try:
        with pytest.raises(bodies.BodyError):
            bodies.inflate(bomb, "gzip")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def mutated(data: bytes, chance: random.Random) -> bytes:
    """A body with a few bytes changed, cut out, doubled or put in."""
    changed = bytearray(data)
    for _time in range(chance.randint(1, 6)):
        at = chance.randrange(len(changed) + 1)
        kind = chance.randrange(4)
        if kind == 0 and at < len(changed):
            changed[at] = chance.randrange(256)
        elif kind == 1:
            del changed[at : at + chance.randint(1, 40)]
        elif kind == 2:
            changed[at:at] = changed[at : at + chance.randint(1, 40)]
        else:
            changed[at:at] = chance.randbytes(chance.randint(1, 4))
    return bytes(changed)


BOUNDARIES = (b"null", b"-1", b"1e999", b"[]", b"{}", b'"\\ud800"', b"9" * 400)


def swapped(data: bytes, chance: random.Random) -> bytes:
    """A body in JSON with one of its values another one."""
    values = data.split(b'"')
    at = chance.randrange(len(values))
    values[at] = chance.choice(BOUNDARIES)
    joined = b'"'.join(values)
    return joined.replace(b'""' + values[at], values[at])


@pytest.mark.parametrize(
    "times",
    [20, pytest.param(MANY_TRACES // 3, marks=pytest.mark.slow)],
    ids=["few", "many"],
)
@pytest.mark.parametrize("attributes", [CURRENT, OPENINFERENCE])
def test_broken_bodies_get_a_sentence_each(
    client: TestClient, attributes: dict[str, Any], times: int
) -> None:
    chance = random.Random(7)
    as_json = json.dumps(body(span(attributes))).encode()
    as_protobuf = encoded(span(attributes))
    statuses = set()
    for _time in range(times):
        for headers, data in (
            (JSON, mutated(as_json, chance)),
            (JSON, swapped(as_json, chance)),
            (PROTOBUF, mutated(as_protobuf, chance)),
        ):
            # What the application raises, the client raises.
            answer = client.post("/v1/traces", content=data, headers=headers)
            statuses.add(answer.status_code)
            if answer.status_code != 200 and headers is JSON:
                assert answer.json()["message"].endswith(".")
    assert statuses == {200, 400}


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return library(tmp_path)


@pytest.fixture
def receiver(keeper: Keeper) -> Iterator[LocalServer]:
    server = serve_traces(keeper, 0)
    yield server
    server.close()


def test_the_official_exporter_is_understood(
    keeper: Keeper, receiver: LocalServer
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http")
    from opentelemetry.exporter.otlp.proto.http import Compression
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(
        f"{receiver.address}/v1/traces", compression=Compression.Gzip
    )
    provider = TracerProvider()
    provider.add_span_processor(BatchSpanProcessor(exporter))
    tracer = provider.get_tracer("test")
    said = json.loads(CURRENT["gen_ai.input.messages"])
    for turn in range(3):
        more = {"role": "user", "parts": [{"type": "text", "content": f"q{turn}"}]}
        said.append(more)
        reply = {
            "role": "assistant",
            "parts": [{"type": "text", "content": f"a{turn}"}],
        }
        with tracer.start_as_current_span("chat small") as made:
            made.set_attributes(
                {
                    **CURRENT,
                    "gen_ai.input.messages": json.dumps(said),
                    "gen_ai.output.messages": json.dumps([reply]),
                }
            )
        said.append(reply)
    provider.shutdown()
    ((key, found),) = kept(keeper.store).items()
    assert key == "otlp/talk"
    assert found.system_prompt == "Be kind."
    assert words(found.messages[3:]) == "u:q0 a:a0 u:q1 a:a1 u:q2 a:a2"
    assert notes_of(found.messages[-1]) == {"usage": USAGE}
    assert found.tools == ('{"name": "weather"}',)


def test_the_official_exporter_of_logs_is_understood(
    keeper: Keeper, receiver: LocalServer
) -> None:
    pytest.importorskip("opentelemetry.exporter.otlp.proto.http._log_exporter")
    from opentelemetry._logs import LogRecord
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    spans = TracerProvider()
    exporter = OTLPSpanExporter(f"{receiver.address}/v1/traces")
    spans.add_span_processor(SimpleSpanProcessor(exporter))
    logs = LoggerProvider()
    log_exporter = OTLPLogExporter(f"{receiver.address}/v1/logs")
    logs.add_log_record_processor(SimpleLogRecordProcessor(log_exporter))
    logger = logs.get_logger("test")
    with spans.get_tracer("test").start_as_current_span("chat small") as made:
        made.set_attributes(BESIDE)
        for name, held in TOLD:
            logger.emit(LogRecord(event_name=name, body=held))
    logs.shutdown()
    spans.shutdown()
    ((key, found),) = kept(keeper.store).items()
    assert key == "otlp/talk"
    assert found.system_prompt == "Be kind."
    assert found.messages[0].content == ASKED[1].content
    assert found.messages[-1].content == "It rains."
    assert notes_of(found.messages[-1]) == {"usage": USAGE}


def test_a_receiver_that_starts_again_keeps_nothing_twice(keeper: Keeper) -> None:
    longer = {**OPENINFERENCE}
    longer["llm.input_messages.4.message.role"] = "assistant"
    longer["llm.input_messages.4.message.content"] = "It rains."
    longer["llm.input_messages.5.message.role"] = "user"
    longer["llm.input_messages.5.message.content"] = "Weather in Paris?"
    longer["llm.output_messages.0.message.content"] = "It rains."
    for known in (OPENINFERENCE, longer, longer):
        server = serve_traces(keeper, 0)
        address = f"{server.address}/v1/traces"
        assert httpx.post(address, json=body(span(known))).status_code == 200
        server.close()
    found = only(keeper.store)
    assert words(found.messages[-2:]) == "u:Weather in Paris? a:It rains."
    assert len(found.messages) == len(ASKED) - 1 + 1 + 2


def test_without_the_package_the_sentence_says_how_to_get_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.proto.trace.v1", None)
    with pytest.raises(otlp_signals.MissingProtobufError, match=r"memviz\[watch\]"):
        make_receiver(print)
