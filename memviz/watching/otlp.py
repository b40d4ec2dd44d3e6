"""The receiver of OpenTelemetry traces: POST /v1/traces, protobuf and JSON over HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from threading import Lock
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from memviz.core.bounds import MAX_DEPTH
from memviz.core.errors import MemvizError
from memviz.watching.bodies import (
    BodyError,
    ByteBudget,
    OwnProgramsOnly,
    inflate,
    read_body,
    refuse,
)
from memviz.watching.exchanges import Exchange
from memviz.watching.spans import read_span

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
MOST_SPANS = 50_000
MOST_SPAN_BYTES = 16_000_000
"""Of a span in protobuf, which takes up to 25 times as much in memory."""
MOST_JSON_VALUES = 4_000_000
MOST_TOLD_CHARS = 200
Take = Callable[[Exchange], object]
Span = Mapping[str, Any]


class MissingProtobufError(MemvizError):
    """The package that knows the messages of OpenTelemetry is not installed."""

    def __init__(self) -> None:
        super().__init__(
            "Traces need the package opentelemetry-proto. Install it: pip install 'memviz[watch]'."
        )


def make_receiver(take: Take) -> Starlette:
    """Return the application that receives traces and gives each request to a model
    within them to ``take``, in the order of their beginnings.

    Raises :class:`MissingProtobufError` where opentelemetry-proto is not installed.
    """
    receiver = _Receiver(take)
    route = Route("/v1/traces", receiver.export, methods=["POST"])
    return Starlette(routes=[route], middleware=[Middleware(OwnProgramsOnly)])


class _Receiver:
    """Reads what exporters send. One body after the other is taken apart."""

    def __init__(self, take: Take) -> None:
        try:
            from google.protobuf.json_format import MessageToDict
            from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
            from opentelemetry.proto.trace.v1 import trace_pb2
        except ImportError:
            raise MissingProtobufError from None
        self._take = take
        self._to_dict = MessageToDict
        self._span_type = trace_pb2.Span
        self._partly = trace_service_pb2.ExportTracePartialSuccess
        self._response = trace_service_pb2.ExportTraceServiceResponse
        self._budget = ByteBudget()
        self._one_at_a_time = Lock()

    async def export(self, request: Request) -> Response:
        """Answer an export: 200 with the number of spans that could not be read, or
        another status with a sentence."""
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        try:
            if kind not in (PROTOBUF, JSON):
                sentence = f"Traces are taken as {PROTOBUF} and {JSON}."
                raise BodyError(415, sentence)
            with self._budget.share() as body:
                data = await read_body(request, body)
                encoding = request.headers.get("content-encoding", "")
                unread = await run_in_threadpool(self._read, data, encoding, kind)
        except ClientDisconnect:
            return Response(status_code=400)
        except BodyError as error:
            if kind != PROTOBUF:
                return refuse(error)
            # A google.rpc.Status has its message where this has its own: in field 2.
            status = self._partly(error_message=str(error)).SerializeToString()
            return Response(status, error.status, media_type=PROTOBUF)
        return self._success(kind, unread)

    def _success(self, kind: str, unread: int) -> Response:
        done = self._response()
        if unread:
            done.partial_success.rejected_spans = unread
            done.partial_success.error_message = (
                "They are not as OpenTelemetry has them."
            )
        if kind == JSON:
            return Response(json.dumps(self._to_dict(done)), media_type=JSON)
        return Response(done.SerializeToString(), media_type=PROTOBUF)

    def _read(self, data: bytes, encoding: str, kind: str) -> int:
        """Take the exchanges of a body; returns how many spans could not be read."""
        with self._one_at_a_time:
            data = inflate(data, encoding)
            spans = self._json_spans(data) if kind == JSON else self._spans(data)
            found = []
            unread = 0
            for span in spans:
                try:
                    exchange = _exchange(span)
                except (MemvizError, ValueError, TypeError, RecursionError):
                    unread += 1
                    continue
                if exchange is not None:
                    found.append((_whole(span.get("startTimeUnixNano")), exchange))
            found.sort(key=lambda one: one[0])
            for _start, exchange in found:
                self._take(exchange)
            return unread

    def _spans(self, data: bytes) -> Iterator[Span]:
        """Yield the spans of a body in protobuf. They are taken apart one by one, so that
        many small ones take no more memory than a large one."""
        from google.protobuf.message import DecodeError

        number = 0
        try:
            for resource in _inner_messages(memoryview(data), 1):
                for scope in _inner_messages(resource, 2):
                    for encoded in _inner_messages(scope, 2):
                        number += 1
                        _check_count(number)
                        if len(encoded) > MOST_SPAN_BYTES:
                            yield {"attributes": 0}
                            continue
                        span = self._span_type.FromString(bytes(encoded))
                        known = self._to_dict(span)
                        yield {**known, "traceId": span.trace_id.hex()}
        except (DecodeError, ValueError, IndexError):
            raise BodyError(400, "The body is no trace in protobuf.") from None

    def _json_spans(self, data: bytes) -> Iterator[Span]:
        """Yield the spans of a body in JSON."""
        if data.count(b"{") + data.count(b"[") + data.count(b",") > MOST_JSON_VALUES:
            raise BodyError(413, "The body has too many values.")
        try:
            whole = json.loads(data)
        except (ValueError, RecursionError):
            raise BodyError(400, "The body is no trace in JSON.") from None
        number = 0
        for resource in _objects(whole, "resourceSpans"):
            for scope in _objects(resource, "scopeSpans"):
                for span in _objects(scope, "spans"):
                    number += 1
                    _check_count(number)
                    yield span


def _check_count(number: int) -> None:
    if number > MOST_SPANS:
        sentence = f"The body has more than {MOST_SPANS:,} spans."
        raise BodyError(413, sentence)


def _inner_messages(data: memoryview, field_number: int) -> Iterator[memoryview]:
    """Yield the messages that one field of a message in protobuf holds. Raises ValueError
    and IndexError where it is none."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        size = 0
        if kind == 0:
            _value, at = _varint(data, at)
        elif kind == 2:
            size, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError("no known kind of field")
        if at + size > len(data):
            raise ValueError("a field is longer than its message")
        if kind == 2 and key >> 3 == field_number:
            yield data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Return the number that begins at a place, and the place behind it."""
    value = 0
    for shift in range(0, 64, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number is too long")


def _objects(value: object, key: str) -> Iterator[dict[str, Any]]:
    """Yield the objects in the list under a key. Raises :class:`BodyError` for anything
    else there."""
    inner = value.get(key, []) if isinstance(value, dict) else None
    if not isinstance(inner, list):
        raise BodyError(400, "The body is no trace in JSON.")
    for item in inner:
        if not isinstance(item, dict):
            raise BodyError(400, "The body is no trace in JSON.")
        yield item


def _exchange(span: Span) -> Exchange | None:
    """Return the exchange that a span is. Raises ValueError and TypeError where it is not
    as OpenTelemetry has it."""
    events = []
    for event in _objects(span, "events"):
        events.append((str(event.get("name", "")), _attributes(event)))
    return read_span(_attributes(span), events, str(span.get("traceId", "")))


def _attributes(holder: Mapping[str, Any], key: str = "attributes") -> dict[str, Any]:
    """Return attributes as plain values by their names."""
    found = {}
    for pair in _objects(holder, key):
        name = pair.get("key")
        if isinstance(name, str):
            found[name] = _plain(pair.get("value"))
    return found


def _plain(value: object, depth: int = 0) -> Any:
    """Return the value of an attribute as JSON has it."""
    if not isinstance(value, dict) or depth > MAX_DEPTH:
        return None
    for kind, one in value.items():
        if kind == "intValue":
            return _whole(one)
        if kind == "arrayValue":
            return [_plain(item, depth + 1) for item in _objects(one, "values")]
        if kind == "kvlistValue":
            pairs = list(_objects(one, "values"))
            return {
                str(pair.get("key")): _plain(pair.get("value"), depth + 1)
                for pair in pairs
            }
        if kind in ("stringValue", "boolValue", "doubleValue"):
            return one
    return None


def _whole(value: object) -> int:
    """Return a whole number, which JSON has as text; 0 for anything else."""
    text = str(value) if isinstance(value, int | str) else ""
    return int(text) if text.isdecimal() and len(text) <= 20 else 0
