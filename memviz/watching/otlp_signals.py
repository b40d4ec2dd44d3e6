"""The spans and logs of what exporters of OpenTelemetry send, one by one, as plain values:
in protobuf and in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from memviz.core.bounds import MAX_DEPTH
from memviz.core.errors import MemvizError
from memviz.watching.bodies import BodyError
from memviz.watching.span_logs import SpanId, SpanLogs, SpanParts

MOST_ITEM_BYTES = 16_000_000
"""Of a span or a log in protobuf, which takes up to 25 times as much in memory."""
MOST_JSON_VALUES = 4_000_000
NO_JSON = "The body is not as OpenTelemetry has it in JSON."
Item = Mapping[str, Any]
"""A span or a log as OpenTelemetry has it in JSON."""


class MissingProtobufError(MemvizError):
    """The package that knows the messages of OpenTelemetry is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Traces need the package opentelemetry-proto. Install it: pip install 'memviz[watch]'."
        )


@dataclass(frozen=True)
class Signal:
    """One kind of what exporters send."""

    noun: str
    """Of one of them: "span"."""
    lists: tuple[str, str, str]
    """The names of the lists in JSON, one inside the other. In protobuf they are the
    fields 1, 2 and 2."""
    rejected: str
    """The field of an answer that counts those that could not be read."""
    message: Any
    """Their type in protobuf, and those of an answer and of its part of what is rejected."""
    response: Any
    partly: Any
    add: Callable[[SpanLogs, Item], None]


def read_signals() -> tuple[Signal, Signal]:
    """Return that of spans and that of logs. Raises :class:`MissingProtobufError` where
    opentelemetry-proto is not installed."""
    try:
        from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
        from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
        from opentelemetry.proto.logs.v1 import logs_pb2
        from opentelemetry.proto.trace.v1 import trace_pb2
    except ImportError:
        raise MissingProtobufError from None
    spans = Signal(
        "span",
        ("resourceSpans", "scopeSpans", "spans"),
        "rejected_spans",
        trace_pb2.Span,
        trace_service_pb2.ExportTraceServiceResponse,
        trace_service_pb2.ExportTracePartialSuccess,
        _add_span,
    )
    logs = Signal(
        "log",
        ("resourceLogs", "scopeLogs", "logRecords"),
        "rejected_log_records",
        logs_pb2.LogRecord,
        logs_service_pb2.ExportLogsServiceResponse,
        logs_service_pb2.ExportLogsPartialSuccess,
        _add_log,
    )
    return spans, logs


def read_protobuf_items(signal: Signal, data: bytes) -> Iterator[Item]:
    """Yield the spans or logs of a body in protobuf. They are taken apart one by one,
    so that many small ones take no more memory than a large one."""
    from google.protobuf.json_format import MessageToDict
    from google.protobuf.message import DecodeError

    try:
        for resource in _read_inner_messages(memoryview(data), 1):
            for scope in _read_inner_messages(resource, 2):
                for encoded in _read_inner_messages(scope, 2):
                    if len(encoded) > MOST_ITEM_BYTES:
                        yield {"attributes": 0}
                        continue
                    item = signal.message.FromString(bytes(encoded))
                    ids = {"traceId": item.trace_id, "spanId": item.span_id}
                    as_text = {name: id.hex() for name, id in ids.items()}
                    yield {**MessageToDict(item), **as_text}
    except (DecodeError, ValueError, IndexError):
        sentence = f"The body has no {signal.noun} in protobuf."
        raise BodyError(400, sentence) from None


def read_json_items(signal: Signal, data: bytes) -> Iterator[Item]:
    """Yield the spans or logs of a body in JSON."""
    if data.count(b"{") + data.count(b"[") + data.count(b",") > MOST_JSON_VALUES:
        raise BodyError(413, "The body has too many values.")
    try:
        whole = json.loads(data)
    except (ValueError, RecursionError):
        raise BodyError(400, NO_JSON) from None
    resources, scopes, items = signal.lists
    for resource in _read_objects(whole, resources):
        for scope in _read_objects(resource, scopes):
            yield from _read_objects(scope, items)


def _read_inner_messages(data: memoryview, field_number: int) -> Iterator[memoryview]:
    """Yield the messages that one field of a message in protobuf holds. Raises ValueError
    and IndexError where it is none."""
    at = 0
    while at < len(data):
        key, at = _read_varint(data, at)
        kind = key & 7
        size = 0
        if kind == 0:
            _value, at = _read_varint(data, at)
        elif kind == 2:
            size, at = _read_varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("no known kind of field")
        if at + size > len(data):
            raise ValueError("a field is longer than its message")
        if kind == 2 and key >> 3 == field_number:
            yield data[at : at + size]
        at += size


def _read_varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, and the place behind it."""
    value = 0
    for shift in range(0, 64, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number is too long")


def _read_objects(value: object, key: str) -> Iterator[dict[str, Any]]:
    """Yield the objects in the list under a key. Raises :class:`BodyError` for anything
    else there."""
    inner = value.get(key, []) if isinstance(value, dict) else None
    if not isinstance(inner, list):
        raise BodyError(400, NO_JSON)
    for item in inner:
        if not isinstance(item, dict):
            raise BodyError(400, NO_JSON)
        yield item


def _add_span(joined: SpanLogs, span: Item) -> None:
    """Take in a span. Raises ValueError and TypeError where it is not as OpenTelemetry has
    it."""
    events = []
    for event in _read_objects(span, "events"):
        events.append((str(event.get("name", "")), _read_attributes(event)))
    start = _read_whole_number(span.get("startTimeUnixNano"))
    end = _read_whole_number(span.get("endTimeUnixNano"))
    joined.add_span(SpanParts(_id_of(span), start, end, _read_attributes(span), events))


def _add_log(joined: SpanLogs, log: Item) -> None:
    """Take in a log. What an event holds is in its attributes, as of now, or in its body,
    as before. Raises ValueError and TypeError where it is not as OpenTelemetry has it."""
    attributes = _read_attributes(log)
    name = str(log.get("eventName") or attributes.get("event.name") or "")
    body = _read_value(log.get("body"))
    if isinstance(body, str):
        body = {"content": body}
    if isinstance(body, dict):
        attributes = {**body, **attributes}
    time = _read_whole_number(log.get("timeUnixNano")) or _read_whole_number(
        log.get("observedTimeUnixNano")
    )
    joined.add_log(_id_of(log), (name, attributes), time)


def _id_of(item: Item) -> SpanId:
    trace = str(item.get("traceId") or "").lower()
    return SpanId(trace, str(item.get("spanId") or "").lower())


def _read_attributes(holder: Mapping[str, Any]) -> dict[str, Any]:
    """Return attributes as plain values by their names."""
    values = {}
    for pair in _read_objects(holder, "attributes"):
        name = pair.get("key")
        if isinstance(name, str):
            values[name] = _read_value(pair.get("value"))
    return values


def _read_value(value: object, depth: int = 0) -> Any:
    """Return the value of an attribute as JSON has it."""
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return None
    for kind, inner in value.items():
        if kind == "intValue":
            return _read_whole_number(inner)
        if kind == "arrayValue":
            return [
                _read_value(item, depth + 1) for item in _read_objects(inner, "values")
            ]
        if kind == "kvlistValue":
            pairs = list(_read_objects(inner, "values"))
            return {
                str(pair.get("key")): _read_value(pair.get("value"), depth + 1)
                for pair in pairs
            }
        if kind in ("stringValue", "boolValue", "doubleValue"):
            return inner
    return None


def _read_whole_number(value: object) -> int:
    """Return a whole number, which JSON has as text; 0 for anything else."""
    text = str(value) if isinstance(value, int | str) else ""
    return int(text) if text.isdecimal() and len(text) <= 20 else 0
