"""A provider of models on this machine: it speaks OpenAI's protocol, refuses what the real one refuses, and keeps what
it was asked."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import Any, Self

ROLES = ("developer", "system", "user", "assistant", "tool")
MESSAGE_KEYS = {
    "role",
    "content",
    "name",
    "tool_calls",
    "tool_call_id",
    "refusal",
    "function_call",
    "audio",
}
PART_TYPES = {
    "developer": ("text",),
    "system": ("text",),
    "user": ("text", "image_url", "input_audio", "file"),
    "assistant": ("text", "refusal"),
    "tool": ("text",),
}
KNOWN_NAME = re.compile(r"[^\s<|\\/>]+")
CHAT_ARGUMENTS = {
    "model", "messages", "stream", "stream_options", "temperature", "top_p", "n", "max_tokens", "tools", "tool_choice",
    "max_completion_tokens", "reasoning_effort", "response_format", "seed", "stop", "user", "store", "metadata",
    "parallel_tool_calls", "frequency_penalty", "presence_penalty", "logprobs", "service_tier", "verbosity",
}  # fmt: skip


class Refused(Exception):  # noqa: N818 - an answer, not a failure of the server
    """What the provider says to a request that it does not take."""

    def __init__(
        self, message: str, status: int = 400, code: str | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code = status, code


@dataclass
class Asked:
    """One request, and why it was refused, if it was."""

    path: str
    body: dict[str, Any]
    refused: str = ""

    @property
    def model(self) -> str:
        return str(self.body.get("model"))

    @property
    def messages(self) -> list[tuple[str, str]]:
        """Role and text of what was sent, the instructions of the Responses API as a system message."""
        if self.path.endswith("/responses"):
            instructions = self.body.get("instructions")
            items = [("system", instructions)] if instructions else []
            return items + [
                (role_of(item), text_of(item.get("content", item.get("output"))))
                for item in self.input
            ]
        return [
            (one["role"], text_of(one.get("content"))) for one in self.body["messages"]
        ]

    @property
    def input(self) -> list[dict[str, Any]]:
        given = self.body["input"]
        return [{"role": "user", "content": given}] if isinstance(given, str) else given


@dataclass
class Provider:
    """The server. ``answer`` gives the text for a request; it runs as long as the ``with`` block does."""

    answer: Callable[[Asked], str]
    asked: list[Asked] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def __enter__(self) -> Self:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                provider._respond(self)

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(
            target=self._server.serve_forever,
            kwargs={"poll_interval": 0.02},  # so long it takes to end it
            daemon=True,
        )
        self._thread.start()
        return self

    def __exit__(self, *args: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """What programs take as the address of the API."""
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def refusals(self) -> list[str]:
        return [one.refused for one in self.asked if one.refused]

    def asked_of(self, model: str) -> list[list[tuple[str, str]]]:
        """The messages of each request to this model."""
        return [one.messages for one in self.asked if one.model == model]

    def _respond(self, handler: BaseHTTPRequestHandler) -> None:
        raw = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        try:
            body = _body(handler, raw)
        except Refused as refused:
            return _send_error(handler, refused)
        asked = Asked(handler.path, body)
        with self._lock:
            self.asked.append(asked)
            try:
                check = {
                    "/v1/chat/completions": refuse_chat,
                    "/v1/responses": refuse_response,
                }.get(handler.path)
                if check is None:
                    raise Refused(f"Unknown request URL: POST {handler.path}.", 404)
                check(body)
            except Refused as refused:
                asked.refused = str(refused)
                return _send_error(handler, refused)
            text = self.answer(asked)
        return _send_reply(handler, asked, text)


def text_of(content: Any) -> str:
    """The text of a message's content, whichever form it has."""
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def role_of(item: dict[str, Any]) -> str:
    """The role of an item of the Responses API, as messages have it."""
    kinds = {"function_call": "assistant", "function_call_output": "tool"}
    return kinds.get(item.get("type", ""), "") or item["role"]


def _body(handler: BaseHTTPRequestHandler, raw: bytes) -> dict[str, Any]:
    if not handler.headers.get("Authorization", "").startswith("Bearer "):
        raise Refused("You didn't provide an API key.", 401)
    if handler.headers.get_content_type() != "application/json":
        raise Refused(
            "Unsupported content type: the content type has to be application/json."
        )
    try:
        body = json.loads(raw)
    except ValueError:
        raise Refused("We could not parse the JSON body of your request.") from None
    return body if isinstance(body, dict) else {}


def refuse_chat(body: dict[str, Any]) -> None:
    """Raise for a request of the Chat Completions API that the provider would refuse."""
    _refuse_arguments(body, CHAT_ARGUMENTS)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise Refused(
            "Invalid 'messages': empty array. Expected an array with minimum length 1."
        )
    for number, message in enumerate(messages):
        _refuse_message(number, message)
    refuse_broken_pairs(messages)


def _refuse_arguments(body: dict[str, Any], known: set[str]) -> None:
    unknown = sorted(body.keys() - known)
    if unknown:
        raise Refused(f"Unknown parameter: '{unknown[0]}'.", code="unknown_parameter")
    if not isinstance(body.get("model"), str):
        raise Refused("you must provide a model parameter")
    if body["model"].startswith(("gpt-5", "o1", "o3", "o4")):
        if body.get("temperature", 1) != 1:
            raise Refused(
                f"Unsupported value: 'temperature' does not support {body['temperature']} with this model. Only the "
                "default (1) value is supported.",
                code="unsupported_value",
            )
        if "max_tokens" in body:
            raise Refused(
                "Unsupported parameter: 'max_tokens' is not supported with this model."
            )


def _refuse_message(number: int, message: Any) -> None:
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        raise Refused(
            f"Invalid value for 'messages[{number}].role'. Supported values are: {', '.join(ROLES)}."
        )
    unknown = sorted(message.keys() - MESSAGE_KEYS)
    if unknown:
        raise Refused(
            f"Unknown parameter: 'messages[{number}].{unknown[0]}'.",
            code="unknown_parameter",
        )
    if "name" in message and not (
        isinstance(message["name"], str) and KNOWN_NAME.fullmatch(message["name"])
    ):
        raise Refused(
            f"Invalid 'messages[{number}].name': string does not match pattern."
        )
    role, content = message["role"], message.get("content")
    if isinstance(content, list):
        if (
            not all(
                isinstance(part, dict) and part.get("type") in PART_TYPES[role]
                for part in content
            )
            or not content
        ):
            raise Refused(f"Invalid value for 'messages[{number}].content'.")
    elif content is None:
        if role != "assistant" or not message.get("tool_calls"):
            raise Refused(
                f"Invalid value for 'messages[{number}].content': expected a string, got null."
            )
    elif not isinstance(content, str):
        raise Refused(
            f"Invalid type for 'messages[{number}].content': expected a string or an array."
        )
    if "tool_calls" in message:
        _refuse_calls(number, role, message["tool_calls"])
    if role == "tool" and not isinstance(message.get("tool_call_id"), str):
        raise Refused(
            f"Missing parameter 'tool_call_id': messages with role 'tool' must have one ({number})."
        )


def _refuse_calls(number: int, role: str, calls: Any) -> None:
    if role != "assistant" or not isinstance(calls, list) or not calls:
        raise Refused(
            f"Invalid 'messages[{number}].tool_calls': empty array, or not a message of the assistant."
        )
    for call in calls:
        function = call.get("function", {})
        whole = isinstance(call.get("id"), str) and call.get("type") == "function"
        if (
            not whole
            or not isinstance(function.get("name"), str)
            or not isinstance(function.get("arguments"), str)
        ):
            raise Refused(f"Invalid value in 'messages[{number}].tool_calls'.")


def refuse_broken_pairs(messages: Sequence[dict[str, Any]]) -> None:
    """Raise for a tool's result that does not follow its call, and for a call without its result right behind it."""
    waiting: list[str] = []
    for number, message in enumerate(messages):
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                raise Refused(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceding message with "
                    f"'tool_calls' ({number})."
                )
            waiting.remove(message["tool_call_id"])
            continue
        _refuse_waiting(waiting)
        waiting = [call["id"] for call in message.get("tool_calls") or ()]
    _refuse_waiting(waiting)


def _refuse_waiting(waiting: Sequence[str]) -> None:
    if waiting:
        raise Refused(
            "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
            f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
        )


def refuse_response(body: dict[str, Any]) -> None:
    """Raise for a request of the Responses API that the provider would refuse."""
    _refuse_arguments(
        body, set(body)
    )  # the API grows too quickly for a list of what it knows
    items = body.get("input")
    if isinstance(items, str):
        return
    if not isinstance(items, list) or not items:
        raise Refused(
            "Invalid 'input': empty array. Expected an array with minimum length 1."
        )
    called = [item["call_id"] for item in items if item.get("type") == "function_call"]
    answered = [
        item["call_id"] for item in items if item.get("type") == "function_call_output"
    ]
    for number, item in enumerate(items):
        if (
            item.get("type", "message") == "message"
            and item.get("role") not in ROLES[:-1]
        ):
            raise Refused(f"Invalid value for 'input[{number}].role'.")
    for id in answered:
        if id not in called:
            raise Refused(
                f"No tool call found for function call output with call_id {id}."
            )
    for id in called:
        if id not in answered:
            raise Refused(f"No tool output found for function call {id}.")


def _send_error(handler: BaseHTTPRequestHandler, refused: Refused) -> None:
    error = {
        "message": str(refused),
        "type": "invalid_request_error",
        "param": None,
        "code": refused.code,
    }
    _send(handler, refused.status, "application/json", json.dumps({"error": error}))


def _send_reply(handler: BaseHTTPRequestHandler, asked: Asked, text: str) -> None:
    if asked.path.endswith("/responses"):
        _send(handler, 200, "application/json", json.dumps(_response(asked, text)))
    elif asked.body.get("stream"):
        lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in _chunks(asked, text)]
        _send(handler, 200, "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]))
    else:
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": text},
            "finish_reason": "stop",
        }
        whole = {
            **_head(asked, "chat.completion"),
            "choices": [choice],
            "usage": _usage(),
        }
        _send(handler, 200, "application/json", json.dumps(whole))


def _head(asked: Asked, kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1_700_000_000,
        "model": asked.model,
    }


def _usage() -> dict[str, int]:
    return {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


def _chunks(asked: Asked, text: str) -> Iterator[dict[str, Any]]:
    head = _head(asked, "chat.completion.chunk")
    yield {
        **head,
        "choices": [
            {
                "index": 0,
                "delta": {"role": "assistant", "content": text},
                "finish_reason": None,
            }
        ],
    }
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    yield {**head, "choices": [], "usage": _usage()}


def _response(asked: Asked, text: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [part],
    }
    usage = {
        "input_tokens": 1,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 1,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 2,
    }
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1_700_000_000,
        "model": asked.model,
        "status": "completed",
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage,
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "temperature": 1,
        "top_p": 1,
    }


def _send(handler: BaseHTTPRequestHandler, status: int, kind: str, text: str) -> None:
    raw = text.encode()
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)
