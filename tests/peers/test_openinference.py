"""Traces that the instrumentations of OpenInference make of real calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

from memviz.models.http_guard import import_litellm
from memviz.watching.keeper import Keeper
from memviz.watching.serving import serve_traces
from tests.models.openai_server import OpenAIServer, openai_server, text
from tests.watching.exchanges_said import kept, library, words
from tests.watching.upstreams import KEY, whole

openinference = pytest.importorskip("openinference.instrumentation")
USAGE = {"input_tokens": 10, "output_tokens": 2}


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with openai_server() as one:
        yield one


@pytest.fixture
def keeper(tmp_path: Path) -> Keeper:
    return library(tmp_path)


@pytest.fixture
def tracing(keeper: Keeper) -> Iterator[Any]:
    """A provider that sends each span to a receiver at once."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor

    receiver = serve_traces(keeper, 0)
    exporter = OTLPSpanExporter(f"{receiver.address}/v1/traces")
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    yield provider
    provider.shutdown()
    receiver.close()


@pytest.mark.parametrize("session", ["talk", ""])
def test_calls_of_openai(
    server: OpenAIServer, keeper: Keeper, tracing: Any, session: str
) -> None:
    """With and without the id of a session: each call has a trace of its own."""
    pytest.importorskip("openinference.instrumentation.openai")
    from openinference.instrumentation.openai import OpenAIInstrumentor

    instrumentor = OpenAIInstrumentor()
    instrumentor.instrument(tracer_provider=tracing)
    client = OpenAI(base_url=server.api_base, api_key=KEY, max_retries=0)
    asked: Any = [{"role": "system", "content": "Be kind."}]
    try:
        with ExitStack() as stack:
            if session:
                stack.enter_context(openinference.using_session(session))
            for turn in range(3):
                asked.append({"role": "user", "content": f"q{turn}"})
                if turn == 1:
                    server.then(text("a", "1"))
                    chunks = client.chat.completions.create(
                        model="small", messages=asked, stream=True
                    )
                    assert list(chunks)
                else:
                    server.then(whole(f"a{turn}"))
                    client.chat.completions.create(model="small", messages=asked)
                asked.append({"role": "assistant", "content": f"a{turn}"})
    finally:
        instrumentor.uninstrument()
    ((key, found),) = kept(keeper.store).items()
    assert key == "otlp/talk" or not session
    assert found.system_prompt == "Be kind."
    assert words(found.messages) == "u:q0 a:a0 u:q1 a:a1 u:q2 a:a2"
    meta = dict(found.messages[-1].meta)
    assert datetime.fromisoformat(meta.pop("time")).tzinfo is not None
    assert meta == {"usage": USAGE}


def test_calls_of_litellm(server: OpenAIServer, keeper: Keeper, tracing: Any) -> None:
    pytest.importorskip("openinference.instrumentation.litellm")
    from openinference.instrumentation.litellm import LiteLLMInstrumentor

    litellm = import_litellm()
    instrumentor = LiteLLMInstrumentor()
    instrumentor.instrument(tracer_provider=tracing)
    asked: Any = []
    try:
        with openinference.using_session("talk"):
            for turn in range(2):
                server.then(whole(f"a{turn}"))
                asked.append({"role": "user", "content": f"q{turn}"})
                litellm.completion(
                    model="openai/small",
                    api_base=server.api_base,
                    api_key=KEY,
                    messages=asked,
                )
                asked.append({"role": "assistant", "content": f"a{turn}"})
    finally:
        instrumentor.uninstrument()
    ((_key, found),) = kept(keeper.store).items()
    assert words(found.messages) == "u:q0 a:a0 u:q1 a:a1"
