"""litellm, imported late, and with what it does by itself switched off: downloads, retries, endless waits."""

from __future__ import annotations

import os
import warnings
from functools import cache, lru_cache
from typing import Any

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # otherwise importing litellm downloads a price list
    "LITELLM_MODE": "PRODUCTION",  # otherwise it reads .env files of the folders above it
    "HF_HUB_OFFLINE": "1",  # otherwise it tries to download tokenizers
}

# At every reply this module uses pydantic in a deprecated way and is warned. Only litellm itself can change that.
_DEPRECATED_USE = r"litellm\.litellm_core_utils\.model_response_utils"


@cache
def load_litellm() -> Any:
    """The litellm module, silenced and kept off the network. The first call takes some seconds."""
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    warnings.filterwarnings(
        "ignore", category=DeprecationWarning, module=_DEPRECATED_USE
    )
    import litellm
    from litellm._service_logger import ServiceLogging

    from memviz.models.http_guard import guard

    litellm.suppress_debug_info = True
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = (
        1_000_000  # a reply may repeat itself without being an error
    )
    litellm.telemetry = False
    # It would time each call for services that memviz does not use, on an event loop that it opens in our thread and
    # never closes: Python complains of that once Ctrl-C ends the program.
    ServiceLogging.service_success_hook = _do_nothing
    guard(litellm)
    return litellm


def _do_nothing(*args: object, **named: object) -> None:
    """Stands in place of a hook of litellm."""


def call_arguments(model: str, provider: str, timeout_seconds: float) -> dict[str, Any]:
    """The arguments that every streamed ``litellm.completion`` needs so that it asks
    once and waits no longer than told."""
    arguments = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "timeout": timeout_seconds,
        "max_retries": 0,
        "num_retries": None,
        "_skip_mcp_handler": True,  # tools would need a package that litellm does not require
    }
    if provider in load_litellm().openai_compatible_providers:
        # Some of them are said not to know max_retries: it is dropped, and the OpenAI client tries twice more.
        # Others are said to know tools, but not tool_choice: the call would be refused before it is made.
        arguments["allowed_openai_params"] = ["max_retries", "tool_choice"]
    if provider == "gemini" or (provider.startswith("vertex_ai") and "gemini" in model):
        arguments["client"] = _http_client(
            timeout_seconds
        )  # a stream ignores the timeout otherwise
    return arguments


@lru_cache(maxsize=8)
def _http_client(timeout_seconds: float) -> Any:
    load_litellm()
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    return HTTPHandler(timeout=timeout_seconds)
