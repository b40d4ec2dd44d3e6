"""Models by name."""

import re
from datetime import UTC, datetime
from difflib import get_close_matches
from functools import cache as kept
from pathlib import Path
from typing import Any

from memviz.core.model_errors import UnknownModelError
from memviz.core.translation import _
from memviz.models.base import Model
from memviz.models.litellm_client import LiteLLMModel
from memviz.models.names import OFFLINE, RECORDING, is_free
from memviz.models.prices import Price, price, prices
from memviz.models.provider_keys import missing_keys

__all__ = ["OFFLINE", "RECORDING", "is_free", "known_models", "missing_keys", "model"]

_SUGGESTED_PROVIDERS = (
    "openai", "anthropic", "gemini", "mistral", "deepseek", "xai", "groq", "cerebras", "moonshot", "ollama",
)  # fmt: skip
_SPECIAL = re.compile(
    r"audio|realtime|search|image|tts|transcribe|embed|vision|live|robotics|container|guard|fim|lyria|(^|/)ft:"
    r"|\d{4}-\d{2}-\d{2}|-\d{4,8}\b|-\d{2}-\d{2}$"  # dated snapshots of models that are listed by name
)
# "sk-abcdefghijklmnop1234"
_LIKE_A_KEY = re.compile(r"(sk|pk|gsk|xai|hf|pplx|r8)[-_][\w-]{16,}|AIza[\w-]{16,}")


def is_like_a_key(name: str) -> bool:
    """Return whether this is an API key, typed where a model's name belongs."""
    return _LIKE_A_KEY.fullmatch(name) is not None


def model(
    name: str,
    *,
    api_key: str | None = None,
    api_base: str | None = None,
    timeout: float = 60.0,
    retries: int = 2,
    cache: str | Path | None = None,
    **options: Any,
) -> Model:
    """The model of this name: ``offline``, a recording as ``recording:trip`` or ``recording:path/to/file``, or any that
    litellm reaches, as ``openai/gpt-5-mini``.

    ``timeout`` is in seconds; ``options`` go to the offline model's constructor, to the player of the recording
    (``paced=True``: as fast as it was) or to litellm.
    Nothing is called yet: whether provider, key and model exist shows with the first request. With a ``cache``,
    a folder, no request is paid twice: answers are kept there (not those of the offline model, which cost nothing).

    Raises :class:`memviz.core.model_errors.UnknownModelError` for a name that cannot be one,
    :class:`memviz.core.model_errors.RecordingError` for a file that is no recording, and
    :class:`memviz.core.storage_errors.StorageError` for a folder that cannot be used.
    """
    name = name.strip() if isinstance(name, str) else ""
    if name == OFFLINE:
        from memviz.models.offline import OfflineModel

        return OfflineModel(**options)
    if name.startswith(RECORDING):
        return _find_recording(name.removeprefix(RECORDING), **options)
    check_name(name)
    chat_model = LiteLLMModel(
        name,
        api_key=api_key,
        api_base=api_base,
        timeout=timeout,
        retries=retries,
        **options,
    )
    if cache is None:
        return chat_model
    from memviz.models.response_cache import CachedModel

    return CachedModel(chat_model, cache)


def _find_recording(name: str, **options: Any) -> Model:
    """The player of the bundled recording of this name, or of the file at this path."""
    from memviz.models.recordings.bundled import recordings
    from memviz.models.recordings.files import read_recording
    from memviz.models.recordings.player import RecordedModel

    bundled_recordings = recordings()
    if name not in bundled_recordings and not Path(name).is_file():
        raise UnknownModelError(
            _(
                "There is no recording {name!r}: bundled are {names}, and no file has that path.",
                name=name,
                names=", ".join(bundled_recordings) or _("none"),
            ),
            model=RECORDING + name,
        )
    return RecordedModel(
        bundled_recordings[name]
        if name in bundled_recordings
        else read_recording(Path(name)),
        **options,
    )


@kept
def known_models() -> tuple[str, ...]:
    """Return the names to suggest: ``offline`` first, then priced chat models of the larger providers."""
    names = [OFFLINE]
    for provider in _SUGGESTED_PROVIDERS:
        for name, about in sorted(prices().items()):
            if about.provider == provider and _is_for_chats(name, about):
                names.append(_full_name(about))
    return tuple(dict.fromkeys(names))


def _is_for_chats(name: str, about: Price) -> bool:
    """Return whether the model chats, has prices, and is still served."""
    if about.mode != "chat" or _SPECIAL.search(name):
        return False
    if about.input_usd_per_token is None or about.output_usd_per_token is None:
        return False
    today = datetime.now(UTC).date()
    return about.retired_on is None or about.retired_on > today


def _full_name(about: Price) -> str:
    prefix = about.provider + "/"
    return about.model if about.model.startswith(prefix) else prefix + about.model


def check_name(name: str) -> None:
    """Raise :class:`memviz.core.model_errors.UnknownModelError` for a name that cannot be one."""
    if not name:
        raise UnknownModelError(
            _(
                "No model was named: choose offline, or give a name such as openai/gpt-5-mini."
            )
        )
    if is_like_a_key(name):  # and is not repeated
        raise UnknownModelError(
            _(
                "The model's name looks like an API key: give the key as api_key, and name a model."
            )
        )
    prefix, slash, name_behind_slash = name.partition("/")
    well_formed = (
        name.isprintable()
        and " " not in name
        and prefix
        and (name_behind_slash or not slash)
    )
    if not well_formed:
        raise UnknownModelError(
            _(
                "{name!r} is not a model name: give offline, or provider/model.",
                name=name,
            ),
            model=name,
        )
    if not slash and price(name) is None:
        raise UnknownModelError(
            _("There is no model {name!r}: {advice}.", name=name, advice=_advice(name)),
            model=name,
        )


def _advice(name: str) -> str:
    close = get_close_matches(name, [OFFLINE, *prices()], n=3)
    return (
        _("did you mean {names}", names=_(" or ").join(close))
        if close
        else _("give offline, or provider/model")
    )
