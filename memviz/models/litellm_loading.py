"""litellm, imported late, and with what it does by itself switched off: downloads, retries, endless waits."""

import os
import warnings
from functools import cache
from typing import Any

_ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # otherwise importing litellm downloads a price list
    "LITELLM_MODE": "PRODUCTION",  # otherwise it reads .env files of the folders above it
    "HF_HUB_OFFLINE": "1",  # otherwise it tries to download tokenizers
}

# At every reply this module uses pydantic in a deprecated way and is warned. Only litellm itself can change that.
_DEPRECATED_USE = r"litellm\.litellm_core_utils\.model_response_utils"


@cache
def import_litellm() -> Any:
    """Return the litellm module, silenced and kept off the network, without the guard
    that calls need (:func:`memviz.models.http_guard.load_litellm`). The first call takes
    some seconds."""
    for variable, value in _ENVIRONMENT.items():
        os.environ.setdefault(variable, value)
    warnings.filterwarnings(
        "ignore", category=DeprecationWarning, module=_DEPRECATED_USE
    )
    import litellm
    from litellm._service_logger import ServiceLogging

    litellm.suppress_debug_info = True
    # A reply may repeat itself without being an error.
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = 1_000_000
    litellm.telemetry = False
    # It would time each call for services that memviz does not use, on an event loop that it opens in our thread and
    # never closes: Python complains of that once Ctrl-C ends the program.
    ServiceLogging.service_success_hook = _do_nothing
    return litellm


def _do_nothing(*args: object, **named: object) -> None:
    """Stands in place of a hook of litellm."""
