"""The receiver of OpenTelemetry traces and logs: POST /v1/traces and /v1/logs, protobuf and
JSON over HTTP."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from threading import Lock
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from memviz.core.recently_used import RecentlyUsed
from memviz.watching.bodies import (
    BodyError,
    ByteBudget,
    OwnProgramsOnly,
    inflate,
    read_body,
    refuse,
)
from memviz.watching.exchanges import Exchange
from memviz.watching.otlp_signals import (
    Item,
    Signal,
    read_json_items,
    read_protobuf_items,
    read_signals,
)
from memviz.watching.span_logs import SpanLogs

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
MOST_ITEMS = 50_000
"""Spans or logs of one body."""
MOST_BODIES = 10_000
"""Of the newest bodies, which are known again."""
LOOK_SECONDS = 10.0
Take = Callable[[Exchange], object]


def make_receiver(take: Take) -> Starlette:
    """Return the application that receives traces and logs and gives each request to a
    model within them to ``take``, in the order of their beginnings.

    Raises :class:`MissingProtobufError` where opentelemetry-proto is not installed.
    """
    spans, logs = read_signals()
    receiver = _Receiver(take)
    routes = [
        Route("/v1/traces", receiver.endpoint(spans), methods=["POST"]),
        Route("/v1/logs", receiver.endpoint(logs), methods=["POST"]),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(OwnProgramsOnly)],
        lifespan=receiver.lifespan,
    )


@dataclass(eq=False, repr=False)
class _Receiver:
    """Reads what exporters send. One body after the other is taken apart."""

    take: Take
    _joined: SpanLogs = field(default_factory=SpanLogs)
    _budget: ByteBudget = field(default_factory=ByteBudget)
    _one_at_a_time: Lock = field(default_factory=Lock)
    _bodies: RecentlyUsed[bytes, bytes] = field(
        default_factory=lambda: RecentlyUsed(MOST_BODIES)
    )
    """The digests of the newest."""

    @asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Take what waited long enough from time to time, and the rest at the end."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._look_at_waiting)
            yield
            group.cancel_scope.cancel()
        self._take_waiting(is_end=True)

    async def _look_at_waiting(self) -> None:
        while True:
            await anyio.sleep(LOOK_SECONDS)
            await run_in_threadpool(self._take_waiting)

    def endpoint(self, signal: Signal) -> Callable[[Request], Any]:
        """Return what answers the exports of one signal."""

        async def export(request: Request) -> Response:
            return await self._export(request, signal)

        return export

    async def _export(self, request: Request, signal: Signal) -> Response:
        """Answer an export: 200 with the number of spans or logs that could not be read,
        or another status with a sentence."""
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        try:
            if kind not in (PROTOBUF, JSON):
                sentence = f"OpenTelemetry is taken as {PROTOBUF} and {JSON}."
                raise BodyError(415, sentence)
            with self._budget.share() as body:
                data = await read_body(request, body)
                encoding = request.headers.get("content-encoding", "")
                unread = await run_in_threadpool(
                    self._read, signal, data, encoding, kind
                )
        except ClientDisconnect:
            return Response(status_code=400)
        except BodyError as error:
            if kind != PROTOBUF:
                return refuse(error)
            # A google.rpc.Status has its message where this has its own: in field 2.
            status = signal.partly(error_message=str(error)).SerializeToString()
            return Response(status, error.status, media_type=PROTOBUF)
        return self._answer_success(signal, kind, unread)

    def _answer_success(self, signal: Signal, kind: str, unread: int) -> Response:
        done = signal.response()
        if unread:
            setattr(done.partial_success, signal.rejected, unread)
            done.partial_success.error_message = (
                "They are not as OpenTelemetry has them."
            )
        if kind == JSON:
            from google.protobuf.json_format import MessageToJson

            return Response(MessageToJson(done), media_type=JSON)
        return Response(done.SerializeToString(), media_type=PROTOBUF)

    def _read(self, signal: Signal, data: bytes, encoding: str, kind: str) -> int:
        """Take the exchanges that are whole with a body; returns how many spans or logs
        could not be read. Of a body that an exporter sends once more, as it heard no
        answer, nothing is taken."""
        with self._one_at_a_time:
            data = inflate(data, encoding)
            if not self._is_new(data):
                return 0
            read_items = read_json_items if kind == JSON else read_protobuf_items
            unread_before = self._joined.unread
            try:
                self._join(signal, read_items(signal, data))
            finally:  # what stands before the place where a body breaks is whole
                self._take_whole()
            return self._joined.unread - unread_before

    def _is_new(self, data: bytes) -> bool:
        """Return whether no such body came before, and remember it."""
        digest = blake2b(data, digest_size=16).digest()
        is_new = self._bodies.get(digest) is None
        self._bodies.put(digest, digest)
        return is_new

    def _join(self, signal: Signal, items: Iterator[Item]) -> None:
        for number, item in enumerate(items, 1):
            if number > MOST_ITEMS:
                sentence = f"The body has more than {MOST_ITEMS:,} {signal.noun}s."
                raise BodyError(413, sentence)
            try:
                signal.add(self._joined, item)
            except (BodyError, ValueError, TypeError):
                self._joined.unread += 1

    def _take_waiting(self, *, is_end: bool = False) -> None:
        with self._one_at_a_time:
            self._take_whole(is_end=is_end)

    def _take_whole(self, *, is_end: bool = False) -> None:
        for exchange in self._joined.take(is_end=is_end):
            self.take(exchange)
