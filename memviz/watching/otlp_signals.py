"""Decodes the spans and logs that exporters of OpenTelemetry send, in protobuf and in JSON.

``otlp`` gives the body of a request to :func:`read_protobuf_items` or :func:`read_json_items`
and adds the items one by one to ``span_logs``, as plain values.
"""

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
"""The most bytes of a span or a log in protobuf, which takes up to 25 times as much memory."""
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
    """A kind of item that exporters send: spans, or logs."""

    noun: str
    """The word for one item: "span"."""
    lists: tuple[str, str, str]
    """The names of the nested lists in JSON. In protobuf these are the fields 1, 2 and 2."""
    rejected: str
    """The field of an answer with the number of items that could not be read."""
    message: Any
    """The protobuf type of an item; below those of an answer and of its partial success."""
    response: Any
    partly: Any
    add: Callable[[SpanLogs, Item], None]


def read_signals() -> tuple[Signal, Signal]:
    """Return the signal of spans and that of logs. Raises :class:`MissingProtobufError` if
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
    """Yield the spans or logs of a body in protobuf. They are decoded one by one, so that
    many of them take no more memory than one."""
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
    """Yield the messages in one field of a protobuf message. Raises ValueError or IndexError
    for other bytes."""
    offset = 0
    while offset < len(data):
        key, offset = _read_varint(data, offset)
        kind = key & 7
        size = 0
        if kind == 0:
            _value, offset = _read_varint(data, offset)
        elif kind == 2:
            size, offset = _read_varint(data, offset)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("no known kind of field")
        if offset + size > len(data):
            raise ValueError("a field is longer than its message")
        if kind == 2 and key >> 3 == field_number:
            yield data[offset : offset + size]
        offset += size


def _read_varint(data: memoryview, offset: int) -> tuple[int, int]:
    """Return the number that begins at an offset, and the offset behind it."""
    value = 0
    for shift in range(0, 64, 7):
        byte = data[offset]
        offset += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, offset
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
    """Add a span. Raises ValueError or TypeError if it is not as OpenTelemetry defines it."""
    events = []
    for event in _read_objects(span, "events"):
        events.append((str(event.get("name", "")), _read_attributes(event)))
    start = _read_whole_number(span.get("startTimeUnixNano"))
    end = _read_whole_number(span.get("endTimeUnixNano"))
    joined.add_span(SpanParts(_id_of(span), start, end, _read_attributes(span), events))


def _add_log(joined: SpanLogs, log: Item) -> None:
    """Add a log. Its values are in the attributes, or in older versions in the body. Raises
    ValueError or TypeError if it is not as OpenTelemetry defines it."""
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
    """Return the plain value of an attribute: {"intValue": "3"} -> 3."""
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
    """Return a whole number, which stands as text in JSON: "12" -> 12; 0 for anything else."""
    text = str(value) if isinstance(value, int | str) else ""
    return int(text) if text.isdecimal() and len(text) <= 20 else 0
